//! The proof: fresh runs of the best, in turn with the default.

use super::verdict::{State, Verdict};
use super::{Event, Stop, Tuning};
use crate::journal::{Confirm, Outcome, Phase};
use crate::objective::Objective;
use crate::paired::{Ratio, ratio};
use crate::space::Point;

/// Rounds after which the result is looked at first.
pub const FIRST_LOOK: u64 = 8;
/// The confidence of the first look: that there are two buys no significance.
const FIRST_CONFIDENCE: f64 = 0.99;
/// The confidence of the last look.
const LAST_CONFIDENCE: f64 = 0.95;
/// A gain that may be as large as this is not ruled out.
const NO_GAIN: f64 = 1.10;

/// One run of the default and one of the best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// The number, from 1.
    pub round: u64,
    /// The default: objective and seconds from start to end.
    pub default: (f64, f64),
    /// The best.
    pub tuned: (f64, f64),
}

impl Tuning<'_> {
    /// Runs rounds until the first look shows a gain, or to the last.
    pub(super) fn prove(&mut self, winner: &Point, verdict: &mut Verdict) -> Result<(), Stop> {
        let of = self.plan.confirm;
        let points = [self.plan.space.default_point(), winner.clone()];
        for round in 1..=of {
            let mut values = [None, None];
            for place in self.proof_order(round) {
                let confirm = self.confirm(Phase::Prove, round, &points[place])?;
                let is_bad = !matches!(confirm.outcome, Outcome::Ok | Outcome::Disturbed);
                if is_bad && place == 1 {
                    verdict.nothing("the best settings failed in the proof");
                    return Ok(());
                }
                values[place] = measured(&confirm);
            }
            if let [Some(default), Some(tuned)] = values {
                verdict.rounds.push(Round { round, default, tuned });
            }
            let look = if round < FIRST_LOOK && FIRST_LOOK < of { FIRST_LOOK } else { of };
            (self.event)(Event::Proven { rounds: round, look, of });
            if round == FIRST_LOOK && round < of {
                self.look(verdict, FIRST_CONFIDENCE);
                if verdict.state == State::Gain {
                    return Ok(());
                }
            }
        }
        self.look(verdict, LAST_CONFIDENCE);
        Ok(())
    }

    /// The order of a round: 0 is the default, 1 the best.
    pub(crate) fn proof_order(&self, round: u64) -> Vec<usize> {
        self.shuffled("prove", round, 2)
    }

    /// Decides by the rounds so far.
    fn look(&self, verdict: &mut Verdict, confidence: f64) {
        let cost = |value| self.plan.objective.cost(value);
        let of =
            |part: fn(&Round) -> f64| -> Vec<f64> { verdict.rounds.iter().map(part).collect() };
        let costs = |part| -> Vec<f64> { of(part).into_iter().map(cost).collect() };
        let gain = ratio(&costs(|one| one.default.0), &costs(|one| one.tuned.0), confidence);
        let wall = ratio(&of(|one| one.default.1), &of(|one| one.tuned.1), confidence);
        verdict.confidence = confidence;
        let Some(gain) = gain else {
            verdict.undecided("too few rounds were measured");
            return;
        };
        verdict.gain = Some(gain);
        verdict.wall = wall;
        verdict.reason = None;
        verdict.more = None;
        // Who wants a number of the output says by that what matters.
        let is_of_output = matches!(self.plan.objective, Objective::Output { .. });
        let is_slower = !is_of_output && wall.is_some_and(|wall| wall.high < 1.0);
        if gain.low > 1.0 && gain.median >= self.plan.worth {
            if is_slower {
                verdict.nothing("slower as a whole");
            } else {
                verdict.state = State::Gain;
            }
        } else if gain.median < self.plan.worth || gain.high < NO_GAIN {
            verdict.state = State::NothingToGain;
        } else {
            verdict.state = State::Undecided;
            verdict.more = more(&gain, verdict.rounds.len());
        }
    }
}

/// Objective and seconds of a run that was measured.
fn measured(confirm: &Confirm) -> Option<(f64, f64)> {
    Some((confirm.value?, confirm.wall)).filter(|_| confirm.outcome == Outcome::Ok)
}

/// Rounds that it would take more until the lower end is above 1, if the spread stays: it shrinks with the
/// root of the rounds.
fn more(gain: &Ratio, rounds: usize) -> Option<u64> {
    let (middle, low) = (gain.median.ln(), gain.low.ln());
    let needed = ((middle - low) / middle).powi(2) * rounds as f64;
    let more = (needed.ceil() - rounds as f64).max(1.0);
    more.is_finite().then_some(more as u64)
}
