//! How a search ends.

use crate::journal::Outcome;
use serde::{Deserialize, Serialize};

use super::{LayerGain, Round, Tuning};
use crate::paired::Ratio;
use crate::space::Point;

/// How a search ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The best settings are faster than the default.
    Gain,
    /// Nothing is faster than the default, as far as it matters.
    NothingToGain,
    /// The proof cannot tell.
    #[default]
    Undecided,
    /// It was ended before its end.
    Interrupted,
    /// The default run failed, or most runs did.
    Failed,
}

impl State {
    /// The word of journals and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            State::Gain => "gain",
            State::NothingToGain => "nothing-to-gain",
            State::Undecided => "undecided",
            State::Interrupted => "interrupted",
            State::Failed => "failed",
        }
    }
}

/// How a search ended, and by what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// How.
    pub state: State,
    /// Why, if the numbers do not say it.
    pub reason: Option<String>,
    /// The best point.
    pub candidate: Option<Point>,
    /// Rounds of the proof.
    pub rounds: Vec<Round>,
    /// The gain, by the proof.
    pub gain: Option<Ratio>,
    /// The same for the time from start to end.
    pub wall: Option<Ratio>,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// Rounds that would probably decide.
    pub more: Option<u64>,
    /// What each layer gains alone.
    pub layers: Vec<LayerGain>,
}

impl Verdict {
    pub(super) fn nothing(&mut self, reason: &str) {
        self.state = State::NothingToGain;
        self.reason = Some(reason.to_owned());
    }

    pub(super) fn undecided(&mut self, reason: &str) {
        self.state = State::Undecided;
        self.reason = Some(reason.to_owned());
    }

    /// There was no proof: none was wanted, or there is nothing to prove.
    pub(super) fn unproven(&mut self, tuning: &Tuning<'_>, nothing: bool) {
        if !nothing {
            self.undecided("not proven");
        } else if tuning.trials().iter().any(|trial| trial.outcome == Outcome::Cut) {
            self.nothing("no trial was fast enough to end");
        } else if tuning.trials().iter().any(|trial| !trial.settings.is_empty()) {
            self.nothing("all trials failed");
        } else {
            self.nothing("no settings were tried");
        }
    }
}
