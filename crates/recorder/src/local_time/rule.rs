//! Time zones in one line, such as `CET-1CEST,M3.5.0,M10.5.0/3`.

use super::{DAY, calendar, days_of_month, is_leap};

/// Seconds east of UTC at a moment, if the rule is valid.
pub(super) fn offset(rule: &[u8], seconds: i64) -> Option<i64> {
    let mut text = Text(rule);
    text.name()?;
    let standard = -text.time()?;
    if text.0.is_empty() {
        return Some(standard);
    }
    text.name()?;
    let summer = match text.0.first() {
        Some(b',') | None => standard + 3600,
        Some(_) => -text.time()?,
    };
    if text.0.is_empty() {
        // The C library's default if the rule has no changes.
        text = Text(b",M3.2.0,M11.1.0");
    }
    text.skip(b',')?;
    let begin = text.change()?;
    text.skip(b',')?;
    let end = text.change()?;

    // Both changes are given in the local time that ends with them.
    let year = calendar(seconds.saturating_add(standard)).year;
    let begin = begin.moment(year)? - standard;
    let end = end.moment(year)? - summer;
    let is_summer = if begin < end {
        (begin..end).contains(&seconds)
    } else {
        !(end..begin).contains(&seconds)
    };
    Some(if is_summer { summer } else { standard })
}

/// The moment of a change of clocks.
enum Change {
    /// A day of the year from 1; 29 February is never counted.
    Julian(i64, i64),
    /// A day of the year from 0.
    Day(i64, i64),
    /// The day of the week in that week of the month.
    Month { month: i64, week: i64, day: i64, time: i64 },
}

impl Change {
    /// The moment in a year, in seconds since 1970 on the local clock.
    fn moment(&self, year: i64) -> Option<i64> {
        let first = first_day(year);
        let (day, time) = match *self {
            Self::Julian(day, time) => {
                (first + day - 1 + i64::from(is_leap(year) && day >= 60), time)
            }
            Self::Day(day, time) => (first + day, time),
            Self::Month { month, week, day, time } => {
                let begin = first + (1..month).map(|month| days_of_month(year, month)).sum::<i64>();
                // 1 January 1970 was a Thursday.
                let to_day = (day - (begin + 4)).rem_euclid(7);
                let last = days_of_month(year, month) - 1;
                let mut at = to_day + 7 * (week - 1);
                while at > last {
                    at -= 7;
                }
                (begin + at, time)
            }
        };
        day.checked_mul(DAY)?.checked_add(time)
    }
}

/// Days from 1970 to 1 January.
fn first_day(year: i64) -> i64 {
    let before = year - 1;
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    (year - 1970) * 365 + leaps - 477
}

struct Text<'t>(&'t [u8]);

impl Text<'_> {
    fn skip(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Skips the name of a zone.
    fn name(&mut self) -> Option<()> {
        let len = if self.0.first() == Some(&b'<') {
            self.0.iter().position(|&byte| byte == b'>')? + 1
        } else {
            self.0.iter().take_while(|byte| byte.is_ascii_alphabetic()).count()
        };
        self.0 = &self.0[len..];
        (len >= 3).then_some(())
    }

    fn number(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=3).contains(&digits) {
            return None;
        }
        let (digits, rest) = self.0.split_at(digits);
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
    }

    /// Hours, with optional minutes, seconds and sign.
    fn time(&mut self) -> Option<i64> {
        let sign = if self.skip(b'-').is_some() { -1 } else { 1 };
        let _ = self.skip(b'+');
        let mut time = self.number()? * 3600;
        for unit in [60, 1] {
            if self.skip(b':').is_some() {
                time += self.number()? * unit;
            }
        }
        Some(sign * time)
    }

    fn change(&mut self) -> Option<Change> {
        let change = if self.skip(b'M').is_some() {
            let month = self.number().filter(|month| (1..=12).contains(month))?;
            self.skip(b'.')?;
            let week = self.number().filter(|week| (1..=5).contains(week))?;
            self.skip(b'.')?;
            let day = self.number().filter(|day| (0..=6).contains(day))?;
            Change::Month { month, week, day, time: self.time_of_change()? }
        } else if self.skip(b'J').is_some() {
            Change::Julian(self.number()?, self.time_of_change()?)
        } else {
            Change::Day(self.number()?, self.time_of_change()?)
        };
        Some(change)
    }

    /// The time of a change; two o'clock by default.
    fn time_of_change(&mut self) -> Option<i64> {
        if self.skip(b'/').is_some() { self.time() } else { Some(2 * 3600) }
    }
}
