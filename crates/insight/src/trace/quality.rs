//! The quality of a trace.

use crate::finding::Warning;
use crate::number::thousands;

/// Parts of a trace that could not be used, and figures that were not computed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quality {
    /// Trace modules whose recorder ran out of room.
    pub partial: Vec<&'static str>,
    /// Reason for which the trace ends too early, if it is damaged.
    pub damage: Option<String>,
    /// Segments in the trace.
    pub segments: u64,
    /// Segments with impossible lengths, times or ranks.
    pub unusable: u64,
    /// Segments that end before they begin; they are taken to last no time.
    pub backward: u64,
    /// Segments of files beyond the most that are looked at.
    pub left_out: u64,
    /// Files with too many segments for anything but sums.
    pub files_summed_only: u64,
    /// Files for which tracing reads back to writes was given up.
    pub histories_given_up: u64,
    /// Files with too many collective calls to look at each.
    pub calls_given_up: u64,
}

impl Quality {
    /// The trace does not show everything.
    pub fn is_incomplete(&self) -> bool {
        !self.partial.is_empty() || self.damage.is_some() || self.unusable + self.backward > 0
    }

    /// Warnings for the reader, one sentence each. A recorder that ran out of room has a warning
    /// with its module already.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut say = |is_so: bool, marks: bool, text: String| {
            if is_so {
                warnings.push(Warning { text, marks });
            }
        };
        let counted = |number: u64, one: &str| {
            format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
        };
        if let Some(damage) = &self.damage {
            say(true, true, format!("The trace ends early: {damage}"));
        }
        let unusable = counted(self.unusable, "traced request");
        say(
            self.unusable > 0,
            true,
            format!("{unusable} with impossible times, lengths or ranks were left out"),
        );
        let backward = counted(self.backward, "traced request");
        say(
            self.backward > 0,
            true,
            format!("{backward} with an end before the begin, taken to last no time"),
        );
        let left_out = counted(self.left_out, "traced request");
        say(self.left_out > 0, true, format!("{left_out} of further files were left out"));
        let summed = counted(self.files_summed_only, "file");
        say(
            self.files_summed_only > 0,
            true,
            format!("Of {summed} the traced requests are too many to put in order"),
        );
        // What these would tell is one check each; the others do not rest on it.
        let histories = counted(self.histories_given_up, "file");
        say(
            self.histories_given_up > 0,
            false,
            format!("Of {histories} it is not known who reads what others wrote."),
        );
        let calls = counted(self.calls_given_up, "file");
        say(
            self.calls_given_up > 0,
            false,
            format!("Of {calls} the collective calls are too many to look at each."),
        );
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_and_marks_findings_that_rest_on_it() {
        assert_eq!(Quality { segments: 9, ..Quality::default() }.warnings(), []);
        let cut = Quality {
            damage: Some("it ends within a record".into()),
            unusable: 1,
            backward: 7,
            left_out: 2000,
            files_summed_only: 3,
            histories_given_up: 4,
            calls_given_up: 5,
            ..Quality::default()
        };
        let warnings = cut.warnings();
        let marks: Vec<bool> = warnings.iter().map(|warning| warning.marks).collect();
        assert_eq!(marks, [true, true, true, true, true, false, false]);
        assert_eq!(warnings[0].text, "The trace ends early: it ends within a record");
        assert!(warnings[1].text.starts_with("1 traced request with impossible"));
        assert!(warnings[2].text.starts_with("7 traced requests with an end before"));
        assert!(warnings[3].text.starts_with("2,000 traced requests of further files"));
    }
}
