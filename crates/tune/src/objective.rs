//! What is measured, and whether it is to be small or large.

use std::fmt;
use std::str::FromStr;

use crate::journal::{Direction, Outcome};
use crate::runner::Run;

/// What a search improves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Objective {
    /// Seconds of I/O.
    #[default]
    Io,
    /// Seconds from start to end.
    Time,
    /// Seconds of reads.
    Read,
    /// Seconds of writes.
    Write,
    /// Bytes moved per second of I/O.
    Bandwidth,
    /// Seconds of all regions of a name.
    Regions(String),
    /// A number in the output: the first group of a regular expression.
    Output {
        /// The regular expression.
        pattern: String,
        /// It is to be large.
        maximize: bool,
    },
}

impl Objective {
    /// Whether it is to be small or large.
    pub fn direction(&self) -> Direction {
        match self {
            Objective::Bandwidth | Objective::Output { maximize: true, .. } => Direction::Max,
            _ => Direction::Min,
        }
    }

    /// The unit, if it has one.
    pub fn unit(&self) -> &'static str {
        match self {
            Objective::Bandwidth => "B/s",
            Objective::Output { .. } => "",
            _ => "s",
        }
    }

    /// What it is, as the end of a sentence: `0.097 s of I/O`.
    pub fn noun(&self) -> String {
        match self {
            Objective::Io => "of I/O".into(),
            Objective::Time => "in all".into(),
            Objective::Read => "of reads".into(),
            Objective::Write => "of writes".into(),
            Objective::Bandwidth => "of bandwidth".into(),
            Objective::Regions(name) => format!("in {name}"),
            Objective::Output { .. } => "in the output".into(),
        }
    }

    /// The value of a run; none if there is none, or none that a ratio can be made of.
    pub fn value(&self, run: &Run) -> Option<f64> {
        let value = match self {
            Objective::Io => run.io,
            Objective::Time => Some(run.wall),
            Objective::Read => run.read,
            Objective::Write => run.write,
            Objective::Bandwidth => {
                run.io.map(|seconds| (run.bytes.read + run.bytes.written) as f64 / seconds)
            }
            Objective::Regions(_) | Objective::Output { .. } => run.other,
        };
        value.filter(|value| value.is_finite() && *value > 0.0)
    }

    /// A run that has ended well but has no value is a failure.
    pub fn judge(&self, run: &mut Run) {
        if run.outcome == Outcome::Ok && self.value(run).is_none() {
            run.outcome = Outcome::Failed;
            run.note = Some(format!("it has no number for {self}"));
        }
    }

    /// What is to be small: the value or its reciprocal.
    pub fn cost(&self, value: f64) -> f64 {
        match self.direction() {
            Direction::Min => value,
            Direction::Max => 1.0 / value,
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Io => f.write_str("io"),
            Objective::Time => f.write_str("time"),
            Objective::Read => f.write_str("read"),
            Objective::Write => f.write_str("write"),
            Objective::Bandwidth => f.write_str("bandwidth"),
            Objective::Regions(name) => write!(f, "regions:{name}"),
            Objective::Output { pattern, .. } => write!(f, "output:{pattern}"),
        }
    }
}

/// Reads what people type; `maximize` is another option.
impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Objective, String> {
        let plain = match text {
            "io" => Some(Objective::Io),
            "time" => Some(Objective::Time),
            "read" => Some(Objective::Read),
            "write" => Some(Objective::Write),
            "bandwidth" => Some(Objective::Bandwidth),
            _ => None,
        };
        let named = || match text.split_once(':')? {
            ("regions", name) if !name.is_empty() => Some(Objective::Regions(name.into())),
            ("output", pattern) if !pattern.is_empty() => {
                Some(Objective::Output { pattern: pattern.into(), maximize: false })
            }
            _ => None,
        };
        plain.or_else(named).ok_or_else(|| {
            "expected io, time, read, write, bandwidth, regions:NAME or output:REGEX".into()
        })
    }
}
