//! Whether both sides did the same work.

use serde::{Deserialize, Serialize};

use super::side::{self, Interface, Side};
use crate::estimate::median;
use crate::number;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WorkState {
    /// Program, ranks and bytes agree.
    Same,
    /// They do not, so seconds are not compared.
    Different,
    /// They do not, but the user says that it is the same work.
    Assumed,
}

/// Whether both sides did the same work.
#[derive(Debug, Clone, PartialEq)]
pub struct SameWork {
    /// The answer.
    pub state: WorkState,
    /// The interface at which bytes are counted: the highest that all runs have.
    pub interface: Interface,
    /// Bytes read and written there, before and after.
    pub moved: [[u64; 2]; 2],
    /// What differs.
    pub differences: Vec<Difference>,
}

impl SameWork {
    /// True if seconds are compared.
    pub fn is_comparable(&self) -> bool {
        self.state != WorkState::Different
    }
}

/// Something that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name, such as `arguments`.
    pub what: &'static str,
    /// How it was; none if there was nothing.
    pub before: Option<String>,
    /// How it is.
    pub after: Option<String>,
    /// True if it makes the work different.
    pub decides: bool,
}

pub(super) fn of(sides: &[Side; 2], is_assumed: bool) -> SameWork {
    let runs: Vec<_> = sides.iter().flat_map(|side| &side.runs).collect();
    let interface = side::highest(&runs);
    let moved = [0, 1]
        .map(|at| [0, 1].map(|way| sides[at].median(|run| run.ways(interface)[way] as f64) as u64));
    let bytes = [0, 1].map(|at| sides[at].median(|run| run.bytes(interface) as f64) as u64);
    let subjects = sides.each_ref().map(|side| &side.first().subject);
    let mut differences = Vec::new();
    let mut tell = |what, [before, after]: [String; 2], decides| {
        let some = |text: String| (!text.is_empty()).then_some(text);
        differences.push(Difference { what, before: some(before), after: some(after), decides });
    };
    // Where the runs of a side differ among themselves, no one of them speaks for all.
    let is_one = sides.iter().all(|side| side.disagreement.is_none());
    if !is_one {
        let texts = sides.each_ref().map(|side| side.disagreement.clone().unwrap_or_default());
        tell("repetitions", texts, true);
    }
    if is_one && subjects[0].program != subjects[1].program {
        tell("program", subjects.map(|subject| subject.program.clone()), true);
    }
    if is_one && subjects[0].ranks != subjects[1].ranks {
        tell("ranks", subjects.map(|subject| number::thousands(subject.ranks)), true);
    }
    if is_one && !side::is_near(bytes[0], bytes[1]) {
        tell("bytes", bytes.map(number::bytes), true);
    }
    if let Some(texts) = arguments(subjects.map(|subject| subject.command.as_str())) {
        tell("arguments", texts, false);
    }
    let files = sides.each_ref().map(|side| {
        let files: Vec<f64> =
            side.runs.iter().map(|run| run.diagnosis.place.files as f64).collect();
        median(&files).unwrap_or(0.0) as u64
    });
    if files[0] != files[1] {
        tell("files", files.map(number::thousands), false);
    }
    let by = sides.each_ref().map(|side| side.first().moved.by);
    if by[0] != by[1] {
        let word =
            |by: &str| if by.is_empty() { "POSIX and streams".into() } else { by.to_owned() };
        tell("counted at", by.map(word), false);
    }
    let is_different = differences.iter().any(|difference| difference.decides);
    let state = match (is_different, is_assumed) {
        (false, _) => WorkState::Same,
        (true, true) => WorkState::Assumed,
        (true, false) => WorkState::Different,
    };
    SameWork { state, interface, moved, differences }
}

/// The arguments that two command lines do not have in common. The option before a value is shown with
/// it. None if they are the same.
fn arguments(commands: [&str; 2]) -> Option<[String; 2]> {
    let words = commands.map(|command| {
        // The directory of the program is no argument.
        let mut words: Vec<&str> = command.split_whitespace().collect();
        if let Some(first) = words.first_mut() {
            *first = first.rsplit('/').next().unwrap_or(first);
        }
        words
    });
    if words[0] == words[1] {
        return None;
    }
    let shorter = words[0].len().min(words[1].len());
    let mut start = (0..shorter).take_while(|&at| words[0][at] == words[1][at]).count();
    let from_end = |at: usize| words.each_ref().map(|words| words[words.len() - 1 - at]);
    let end = (0..shorter - start).take_while(|&at| from_end(at)[0] == from_end(at)[1]).count();
    let is_option = |word: &str| word.starts_with('-');
    let is_value = words.iter().any(|words| words.get(start).is_some_and(|word| !is_option(word)));
    if is_value && start > 1 && is_option(words[0][start - 1]) {
        start -= 1;
    }
    Some(words.map(|words| words[start..words.len() - end].join(" ")))
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn arguments_that_differ_are_told_with_their_option() {
        let told = |before, after| arguments([before, after]).map(|texts| texts.map(String::from));
        let texts = |before: &str, after: &str| Some([before.to_owned(), after.to_owned()]);
        assert_eq!(told("./w -b 4k -o out", "./w -b 4M -o out"), texts("-b 4k", "-b 4M"));
        assert_eq!(told("/a/w -b 4k", "./w -b 4k"), None);
        assert_eq!(told("./w", "./w -b 4M"), texts("", "-b 4M"));
        assert_eq!(told("./w -v x", "./w x"), texts("-v", ""));
        assert_eq!(told("./w a a", "./w a"), texts("a", ""));
        assert_eq!(told("", "./w a"), texts("", "w a"));
        assert_eq!(told("", ""), None);
    }
}
