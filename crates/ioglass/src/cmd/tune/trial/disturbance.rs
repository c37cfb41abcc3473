//! Other processes that take the processors while a run is measured.

use ioglass_tune::journal::Recorded;

/// The share of all processors from which a run is disturbed.
const MUCH: f64 = 0.2;
/// So many disturbed runs in a row, and it is no use to make them again.
const ALWAYS: u32 = 4;
/// The same if no run was calm so far.
const FROM_THE_START: u32 = 2;

/// Tells which runs were disturbed. On a host that is always busy it gives up.
#[derive(Debug, Default)]
pub(super) struct Disturbance {
    in_a_row: u32,
    was_calm: bool,
    is_off: bool,
}

/// What is to be done with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// It counts.
    Counts,
    /// It is to be made again.
    Disturbed,
    /// It counts, as all runs are disturbed.
    GivenUp,
}

impl Disturbance {
    /// What the runs of a journal tell.
    pub(super) fn recorded(recorded: &Recorded) -> Disturbance {
        let mut disturbance = Disturbance::default();
        for trial in recorded.trials.iter().filter(|trial| !trial.cached) {
            disturbance.judge(trial.load);
        }
        disturbance
    }

    /// Judges the next run by the share of the processors that others took.
    pub(super) fn judge(&mut self, others: Option<f64>) -> Judged {
        let Some(others) = others.filter(|_| !self.is_off) else { return Judged::Counts };
        if others <= MUCH {
            self.in_a_row = 0;
            self.was_calm = true;
            return Judged::Counts;
        }
        self.in_a_row += 1;
        self.is_off = self.in_a_row >= if self.was_calm { ALWAYS } else { FROM_THE_START };
        if self.is_off { Judged::GivenUp } else { Judged::Disturbed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_host_is_given_up() {
        use Judged::*;
        let judge = |loads: &[f64]| -> Vec<Judged> {
            let mut disturbance = Disturbance::default();
            loads.iter().map(|load| disturbance.judge(Some(*load))).collect()
        };
        assert_eq!(judge(&[0.1, 0.5, 0.1, 0.5]), [Counts, Disturbed, Counts, Disturbed]);
        assert_eq!(judge(&[0.5, 0.5, 0.5, 0.1]), [Disturbed, GivenUp, Counts, Counts]);
        let later = [0.1, 0.5, 0.5, 0.5, 0.5, 0.5];
        let expected = [Counts, Disturbed, Disturbed, Disturbed, GivenUp, Counts];
        assert_eq!(judge(&later), expected);
        assert_eq!(Disturbance::default().judge(None), Counts, "it cannot be told");
    }
}
