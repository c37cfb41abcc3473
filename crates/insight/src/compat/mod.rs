//! The triggers of Drishti 0.8 on a log, faults included, so that results can be compared.
//!
//! Nobody should judge a run this way: conditions are inverted, counted twice or never met exactly
//! where the original's are. Sums wrap around as those of 64-bit columns do, and values that the
//! library below the original reads wrongly are wrong here, too.

mod diagnosis;
mod interface;
mod library;
mod load;
mod mpiio;
mod number;
mod posix;
mod records;

use std::io;

use ioglass_log::{Error, Log};

use crate::Level;
use crate::threshold::Thresholds;

/// Lines of detail that the original shows of a trigger.
const MOST_DETAILS: usize = 10;

/// The whole result of the original on a log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compat {
    /// Triggers that fired, in the order of the original. P10, which the original prints twice, is
    /// here once.
    pub triggers: Vec<Trigger>,
    /// Reason for which the original gives no report on such a log; then nothing has fired.
    pub failed: Option<String>,
}

/// A trigger that fired.
#[derive(Debug, Clone, PartialEq)]
pub struct Trigger {
    /// Letter and number.
    pub code: &'static str,
    /// The level the original gives it, whatever is at stake.
    pub level: Level,
    /// The numbers in the original's sentence, in its order and with its digits.
    pub figures: Vec<f64>,
    /// Inputs of the condition, by the original's names.
    pub inputs: Vec<(&'static str, f64)>,
    /// The files it names: the first ten, not the worst ten.
    pub details: Vec<TriggerDetail>,
    /// The message, in our own words.
    pub message: String,
}

/// A file that a trigger names.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerDetail {
    /// Its name as the log has it; not to be trusted.
    pub path: String,
    /// Operations, where the original counts them.
    pub count: Option<i64>,
    /// The share in percent, with the original's digits.
    pub percent: f64,
}

impl Trigger {
    fn new(code: &'static str, level: Level, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            figures: Vec::new(),
            inputs: Vec::new(),
            details: Vec::new(),
            message: message.into(),
        }
    }

    fn figures(mut self, figures: &[f64]) -> Self {
        self.figures = figures.into();
        self
    }

    fn inputs(mut self, inputs: &[(&'static str, i64)]) -> Self {
        self.inputs = inputs.iter().map(|(name, value)| (*name, *value as f64)).collect();
        self
    }

    fn details(mut self, details: Vec<TriggerDetail>) -> Self {
        self.details = details;
        self
    }
}

/// Reason for which there is no report.
enum Stop {
    /// The original fails on such a log.
    Fails(String),
    /// The file could not be read.
    Unreadable(io::Error),
}

impl From<Error> for Stop {
    /// Damage, or a module that is too new, mostly leaves the original without records in this
    /// module or in one after it, which it does not survive. What it would make of the few that
    /// are sometimes left is nothing to compare with.
    fn from(error: Error) -> Self {
        match error {
            Error::Io(error) => Self::Unreadable(error),
            damage => Self::Fails(damage.to_string()),
        }
    }
}

impl Stop {
    fn fails(reason: impl Into<String>) -> Self {
        Self::Fails(reason.into())
    }
}

/// Judges `log` as Drishti 0.8 does on a machine without `sacct`: M08, M09 and M10, which compare
/// the log with what that command says, do not fire.
pub fn drishti(log: &Log, thresholds: &Thresholds) -> Result<Compat, Error> {
    match evaluate(log, thresholds) {
        Ok(triggers) => Ok(Compat { triggers, failed: None }),
        Err(Stop::Fails(reason)) => Ok(Compat { triggers: Vec::new(), failed: Some(reason) }),
        Err(Stop::Unreadable(error)) => Err(error.into()),
    }
}

fn evaluate(log: &Log, limits: &Thresholds) -> Result<Vec<Trigger>, Stop> {
    load::check(log)?;
    let stdio = interface::stdio_bytes(log)?;
    let posix = posix::Posix::read(log, limits)?;
    let mpiio = mpiio::MpiIo::read(log, limits)?;

    let mut triggers = Vec::new();
    interface::judge(stdio, posix.as_ref(), mpiio.as_ref(), limits, &mut triggers)?;
    if let Some(posix) = &posix {
        posix.judge(log, limits, &mut triggers)?;
    }
    if let Some(mpiio) = mpiio {
        mpiio.judge(log, limits, &mut triggers);
        load::check_hints(log)?;
    }
    load::check_command(log)?;
    Ok(triggers)
}
