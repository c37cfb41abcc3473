//! The bar of the run time, by activity.

use std::io::{self, Write};

use anstyle::Style;
use ioglass_insight::{Budget, Diagnosis, Level, Spent, State, TimePart};

use super::screen::{COST, DIM, PLAIN, Screen};
use crate::number::{fixed, percent, seconds};

/// Columns before a value, and for the seconds after the bar.
const LABEL: usize = 10;
const SECONDS: usize = 8;
/// Narrower terminals have no bar.
const BAR_FROM: usize = 40;

/// A part of the budget, with its sign in the bar and its seconds in words.
pub(crate) struct DrawnPart {
    pub(crate) part: TimePart,
    sign: char,
    pub(crate) seconds: String,
}

pub(super) fn write<W: Write>(screen: &mut Screen<'_, W>, diagnosis: &Diagnosis) -> io::Result<()> {
    let budget = &diagnosis.budget;
    let parts = drawn(budget);
    let is_avoidable =
        diagnosis.findings.iter().any(|f| f.state == State::Fired && f.level == Some(Level::High));
    let style = |sign: char| match sign {
        '█' if is_avoidable => COST,
        '░' => DIM,
        _ => PLAIN,
    };
    let total = seconds(budget.run_time);
    if screen.width < BAR_FROM {
        screen.line(&[(PLAIN, &format!("  time    {total}"))])?;
    } else {
        let cells = screen.width - LABEL - SECONDS - 2;
        let mut pieces: Vec<(Style, String)> = vec![(PLAIN, "  time    ".into())];
        for (sign, count) in bar(&parts, cells) {
            pieces.push((style(sign), screen.sign(sign).repeat(count)));
        }
        let used: usize = pieces.iter().skip(1).map(|(_, text)| text.chars().count()).sum();
        let total = format!(" {total}");
        pieces.push((PLAIN, format!("{:1$}{total:>SECONDS$}", "", cells - used)));
        let pieces: Vec<(Style, &str)> = pieces.iter().map(|(s, t)| (*s, t.as_str())).collect();
        screen.line(&pieces)?;
    }
    legend(screen, budget, &parts, style)
}

/// Returns signs and cells of a bar; a part under half a cell is not drawn.
fn bar(parts: &[DrawnPart], cells: usize) -> Vec<(char, usize)> {
    let all: f64 = parts.iter().map(|drawn| drawn.part.seconds).sum();
    let is_drawn = |drawn: &&DrawnPart| drawn.part.seconds / all * cells as f64 >= 0.5;
    let all: f64 = parts.iter().filter(is_drawn).map(|drawn| drawn.part.seconds).sum();
    let (mut end, mut filled) = (0.0, 0);
    let cells = parts.iter().filter(is_drawn).map(|drawn| {
        end += drawn.part.seconds;
        let until = ((end / all * cells as f64).round() as usize).clamp(filled, cells);
        let count = until - filled;
        filled = until;
        (drawn.sign, count)
    });
    cells.collect()
}

/// Writes the meaning of the signs, with seconds.
fn legend<W: Write>(
    screen: &mut Screen<'_, W>,
    budget: &Budget,
    parts: &[DrawnPart],
    style: impl Fn(char) -> Style,
) -> io::Result<()> {
    let io = parts.iter().filter(|drawn| drawn.part.on.is_io());
    let main = io.max_by(|a, b| a.part.seconds.total_cmp(&b.part.seconds)).map(|d| d.part.on);
    let room = screen.width - LABEL;
    let mut lines: Vec<Vec<(Style, String)>> = Vec::new();
    let mut used = 0;
    for drawn in parts {
        let share = match main == Some(drawn.part.on) && budget.run_time > 0.0 {
            true => format!(", {}", percent(drawn.part.seconds / budget.run_time)),
            false => String::new(),
        };
        let words = format!(" {} {}{share}", drawn.part.on.word(), drawn.seconds);
        let columns = 1 + words.len();
        if lines.is_empty() || used + 3 + columns > room {
            lines.push(vec![(PLAIN, " ".repeat(LABEL))]);
            used = columns;
        } else {
            used += 3 + columns;
            lines.last_mut().into_iter().for_each(|line| line.push((PLAIN, "   ".into())));
        }
        let pieces = [(style(drawn.sign), screen.sign(drawn.sign)), (PLAIN, words)];
        lines.last_mut().into_iter().for_each(|line| line.extend(pieces.clone()));
    }
    for line in lines {
        let pieces: Vec<(Style, &str)> = line.iter().map(|(s, t)| (*s, t.as_str())).collect();
        screen.line(&pieces)?;
    }
    Ok(())
}

/// Returns the parts that are not zero at the precision of the whole.
pub(crate) fn drawn(budget: &Budget) -> Vec<DrawnPart> {
    let decimals = decimals(budget.run_time);
    let mut costs = ['█', '▓'].into_iter();
    let mut drawn = Vec::new();
    for part in &budget.parts {
        let sign = match part.on {
            Spent::Metadata => '▒',
            Spent::Outside => '░',
            Spent::Waiting => '·',
            _ => costs.next().unwrap_or('▓'),
        };
        let is_seen = part.seconds >= 0.5 * 10f64.powi(-decimals);
        if is_seen && part.seconds.is_finite() {
            let seconds = match part.seconds < 9_999.5 {
                true => format!("{} s", fixed(part.seconds, decimals.unsigned_abs() as usize)),
                false => seconds(part.seconds),
            };
            drawn.push(DrawnPart { part: *part, sign, seconds });
        }
    }
    drawn
}

/// Returns the decimals for all parts, so that they visibly add up.
fn decimals(run_time: f64) -> i32 {
    match run_time {
        _ if run_time >= 999.5 => 0,
        _ if run_time >= 99.95 => 1,
        _ if run_time >= 0.995 => 2,
        _ if run_time >= 0.0995 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(run_time: f64, parts: &[(Spent, f64)]) -> Budget {
        let parts = parts.iter().map(|&(on, seconds)| TimePart { on, seconds }).collect();
        Budget { run_time, parts, ..Budget::default() }
    }

    #[test]
    fn a_bar_is_as_long_as_its_parts() {
        let budget = budget(
            10.0,
            &[
                (Spent::Write, 3.0),
                (Spent::Read, 1.0),
                (Spent::Metadata, 0.1),
                (Spent::Outside, 5.9),
            ],
        );
        let parts = drawn(&budget);
        assert_eq!(bar(&parts, 10), [('█', 3), ('▓', 1), ('░', 6)]);
        assert_eq!(bar(&parts[..1], 4), [('█', 4)]);
        assert_eq!(bar(&[], 4), []);
    }

    #[test]
    fn parts_are_as_fine_as_the_whole_deserves() {
        let words = |run_time, seconds| {
            let parts = drawn(&budget(run_time, &[(Spent::Read, seconds)]));
            parts.first().map(|drawn| drawn.seconds.clone())
        };
        assert_eq!(words(780.0, 0.55).as_deref(), Some("0.6 s"));
        assert_eq!(words(1_479.0, 1_243.5).as_deref(), Some("1,244 s"));
        assert_eq!(words(3.0, 0.0269).as_deref(), Some("0.03 s"));
        assert_eq!(words(3.0, 0.001), None);
        assert_eq!(words(0.04, 0.001).as_deref(), Some("0.0010 s"));
        assert_eq!(words(40_000.0, 10_020.0).as_deref(), Some("2 h 47 m"));
        assert_eq!(words(f64::NAN, f64::NAN), None);
    }
}
