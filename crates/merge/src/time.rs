//! Times of one log become times since the earliest one began.

/// Moments that are moved lie on a grid of just under a nanosecond, as in the logs we record: finer
/// digits are noise, which does not compress.
const GRID: f64 = (1_u64 << 30) as f64;

/// Nanoseconds of a second.
pub(crate) const SECOND: i64 = 1_000_000_000;

/// The time from the start of the earliest log to that of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shift {
    seconds: f64,
}

impl Shift {
    pub(crate) fn new(later_ns: i64) -> Self {
        Self { seconds: later_ns as f64 / SECOND as f64 }
    }

    /// The shift in seconds.
    pub(crate) fn seconds(self) -> f64 {
        self.seconds
    }

    /// A moment moved by the shift; 0 and below is never.
    pub(crate) fn moment(self, moment: f64) -> f64 {
        if moment > 0.0 { self.second(moment) } else { moment }
    }

    /// The same for what may have been at the very beginning.
    pub(crate) fn second(self, second: f64) -> f64 {
        if self.seconds == 0.0 {
            return second;
        }
        ((second + self.seconds) * GRID).round() / GRID
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_move_and_never_stays() {
        let shift = Shift::new(2_500_000_000);
        assert_eq!(shift.moment(0.0), 0.0);
        assert_eq!(shift.moment(-1.0), -1.0, "not monitored");
        assert_eq!(shift.moment(0.5), 3.0);
        assert_eq!(shift.second(0.0), 2.5);
        let odd = 0.123_456_789_012_345;
        assert_eq!(Shift::new(0).moment(odd), odd, "the earliest log is not touched");
        assert!((shift.moment(odd) - 2.5 - odd).abs() < 1e-9);
    }
}
