//! The search: default runs, advice, then what the searcher asks for.

use super::{Budget, CHOICE_ROUNDS, Event, Failing, Stop, TuneError, Tuning};
use crate::journal::{Line, Outcome, Phase, Trial};
use crate::search::{Ask, From, How, Method, Surrogate};
use crate::space::{Point, Settings};

/// Default runs at the beginning.
const DEFAULTS: u64 = 2;
/// Trials after which it is looked whether most fail.
const FIRST_TRIALS: usize = 10;
/// Candidates of the choice.
const CANDIDATES: usize = 3;
/// No trial is cut before it took so many seconds.
const LEAST_LIMIT: f64 = 1.0;

impl Tuning<'_> {
    pub(super) fn search(&mut self) -> Result<(), Stop> {
        self.check_default()?;
        while !self.is_spent() {
            // A search that has nothing left to ask for is over, also when it is only told again.
            let Some(ask) = self.next() else { break };
            self.check_stop()?;
            let disturbed = self.trial(&ask)?.outcome == Outcome::Disturbed;
            if disturbed && ask.from.how != How::Again {
                self.check_stop()?;
                self.trial(&Ask { point: ask.point, from: From::how(How::Again) })?;
            }
            self.check_default()?;
            self.check_failing()?;
        }
        Ok(())
    }

    /// The next point: a default run, advice, or what the searcher asks for.
    fn next(&mut self) -> Option<Ask> {
        let n = self.trials.len() as u64 + 1;
        let default = self.plan.space.default_point();
        let measured = self
            .trials
            .iter()
            .filter(|trial| trial.settings.is_empty() && trial.outcome == Outcome::Ok);
        let tried = self.trials.iter().filter(|trial| trial.settings.is_empty());
        // A default run that others disturbed is made up for, but not for ever.
        if (measured.count() as u64) < DEFAULTS && (tried.count() as u64) < 2 * DEFAULTS {
            return Some(Ask { point: default, from: From::how(How::Default) });
        }
        let history = self.searcher.history();
        let seed = self.plan.seeds.iter().find_map(|seed| {
            let point = self.plan.space.point(&seed.settings)?;
            let is_new = !history.is_tried(&point) && !history.is_bad(&point);
            is_new.then(|| Ask { point, from: seed.from.clone() })
        });
        seed.or_else(|| self.searcher.ask(n))
    }

    /// The budget of the search is spent.
    fn is_spent(&self) -> bool {
        match self.plan.budget {
            Budget::Runs(runs) => {
                let defaults = if self.plan.method == Method::Ga { DEFAULTS } else { 0 };
                self.trials.len() as u64 >= runs + defaults
            }
            Budget::Seconds(seconds) => {
                let runs = self.trials.iter().filter(|trial| !trial.cached).count().max(1) as f64;
                // The choice, the proof and the layers take so many runs more.
                let kept = match self.plan.confirm {
                    0 => 0,
                    rounds => CHOICE_ROUNDS * (CANDIDATES as u64 + 1) + 2 * rounds + 6,
                };
                self.trials.len() as u64 > DEFAULTS
                    && self.spent + (kept + 1) as f64 * self.spent / runs > seconds
            }
        }
    }

    /// Runs what is asked for, unless it was run before, and writes it down.
    fn trial(&mut self, ask: &Ask) -> Result<&Trial, Stop> {
        let settings = self.plan.space.settings(&ask.point);
        let n = self.trials.len() as u64 + 1;
        let is_default = settings.is_empty();
        let earlier = self.trials.iter().find(|trial| {
            let is_asked = !matches!(ask.from.how, How::Default | How::Again);
            is_asked && self.plan.cache && trial.settings == settings
        });
        let limit = self.limit().filter(|_| !is_default);
        let trial = if let Some(earlier) = earlier {
            Trial { n, from: ask.from.clone(), cached: true, ..earlier.clone() }
        } else {
            let run = self.one(&ask.point, Phase::Search, limit)?;
            let value = match run.outcome {
                Outcome::Ok => self.plan.objective.value(&run),
                Outcome::Cut => self.at_least(),
                _ => None,
            };
            Trial {
                n,
                run: self.runs,
                phase: Phase::Search,
                from: ask.from.clone(),
                settings,
                outcome: run.outcome,
                value,
                io: run.io,
                wall: run.wall,
                exit: run.exit,
                bytes: run.bytes,
                began: run.began,
                load: run.load,
                cached: false,
                note: run.note,
                rest: run.rest,
            }
        };
        // A run that was cancelled is none: it is asked for again when the search goes on.
        if trial.outcome == Outcome::Cancelled {
            return Err(Stop::Cancelled);
        }
        self.append(&Line::Trial(Box::new(trial.clone())))?;
        self.tell(&trial);
        let gain = self.gain(&trial);
        self.trials.push(trial);
        let trial = &self.trials[self.trials.len() - 1];
        (self.event)(Event::Trial { trial, gain, limit });
        Ok(trial)
    }

    /// The trial with the best value so far.
    fn best(&self) -> Option<&Trial> {
        let cost =
            |trial: &Trial| trial.value.map_or(f64::MAX, |value| self.plan.objective.cost(value));
        let measured = self.trials.iter().filter(|trial| trial.outcome == Outcome::Ok);
        measured.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }

    /// Seconds after which a trial can no longer be the best.
    fn limit(&self) -> Option<f64> {
        let measured = self.trials.iter().filter(|trial| trial.outcome == Outcome::Ok);
        let fastest = measured.map(|trial| trial.wall).min_by(f64::total_cmp)?;
        (self.plan.cut > 0.0).then(|| (self.plan.cut * fastest).max(LEAST_LIMIT))
    }

    /// What a trial that is cut would at least have cost, as a value of the objective.
    fn at_least(&self) -> Option<f64> {
        let cost = self.plan.objective.cost(self.best()?.value?) * self.plan.cut.max(1.0);
        // The reciprocal of a reciprocal is the value.
        Some(self.plan.objective.cost(cost))
    }

    /// The mean of the default runs.
    pub(crate) fn default_value(&self) -> Option<f64> {
        let values: Vec<f64> = self
            .trials
            .iter()
            .filter(|trial| {
                trial.settings.is_empty() && trial.outcome == Outcome::Ok && !trial.cached
            })
            .filter_map(|trial| trial.value)
            .collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The gain of a trial over the default runs.
    pub(crate) fn gain(&self, trial: &Trial) -> Option<f64> {
        if trial.outcome != Outcome::Ok || trial.settings.is_empty() {
            return None;
        }
        let cost = |value| self.plan.objective.cost(value);
        Some(cost(self.default_value()?) / cost(trial.value?))
    }

    /// Some run of the search with these settings was faster than the default runs.
    pub(super) fn was_faster(&self, settings: &Settings) -> bool {
        let own = self.trials.iter().filter(|trial| trial.settings == *settings);
        own.filter_map(|trial| self.gain(trial)).any(|gain| gain > 1.0)
    }

    fn check_default(&self) -> Result<(), Stop> {
        let bad = self.trials.iter().find(|trial| {
            let is_bad =
                matches!(trial.outcome, Outcome::Failed | Outcome::Timeout | Outcome::Wrong);
            trial.settings.is_empty() && trial.from.how == How::Default && is_bad
        });
        let Some(trial) = bad else { return Ok(()) };
        let (outcome, exit, wall) = (trial.outcome, trial.exit, trial.wall);
        Err(Stop::Error(TuneError::of_default(outcome, exit, wall, trial.note.clone())))
    }

    /// Ends a search of which most of the first runs fail.
    fn check_failing(&self) -> Result<(), Stop> {
        let first: Vec<&Trial> = self
            .trials
            .iter()
            .filter(|trial| !trial.settings.is_empty() && !trial.cached)
            .take(FIRST_TRIALS)
            .collect();
        let is_bad = |trial: &&&Trial| {
            matches!(trial.outcome, Outcome::Failed | Outcome::Timeout | Outcome::Wrong)
        };
        let bad: Vec<&&Trial> = first.iter().filter(is_bad).collect();
        let Some(last) = bad.last().filter(|_| first.len() == FIRST_TRIALS) else { return Ok(()) };
        if bad.len() * 2 <= FIRST_TRIALS {
            return Ok(());
        }
        let fine = first.iter().filter(|trial| !is_bad(trial));
        let fine: Vec<&&Trial> = fine.collect();
        let shared = last.settings.iter().filter(|(name, value)| {
            bad.iter().all(|trial| trial.settings.get(*name) == Some(value))
                && fine.iter().all(|trial| trial.settings.get(*name) != Some(value))
        });
        Err(Stop::Error(TuneError::Failing(Failing {
            failed: bad.len(),
            of: first.len(),
            shared: shared.map(|(name, value)| format!("{name}={value}")).collect(),
            note: last.note.clone(),
        })))
    }

    /// The points that are best by the estimate of the process, best first. It is told of all runs, so that
    /// no single lucky one counts for much.
    pub(super) fn finalists(&self) -> Vec<Point> {
        let space = &self.plan.space;
        let history = self.searcher.history();
        let surrogate = Surrogate::new(history);
        let default = space.default_point();
        let mut points: Vec<&Point> = history
            .seen()
            .iter()
            .filter(|seen| seen.is_measured && seen.point != default)
            .map(|seen| &seen.point)
            .filter(|point| !history.is_bad(point))
            .collect();
        points.sort();
        points.dedup();
        let points: Vec<Point> = points.into_iter().cloned().collect();
        let (searched, others): (Vec<Point>, Vec<Point>) =
            points.into_iter().partition(|point| space.is_searched(point));
        let mut chosen = surrogate
            .map(|surrogate| surrogate.candidates(space, &searched, CANDIDATES))
            .unwrap_or_default();
        // Of advice that the search would not propose only its own runs are known.
        let mut others: Vec<(f64, Point)> =
            others.into_iter().filter_map(|point| Some((history.mean(&point)?, point))).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((cost, point)) = others.into_iter().next() {
            let is_better = |other: &Point| history.mean(other).is_none_or(|mean| cost < mean);
            if let Some(place) = chosen.iter().position(is_better) {
                chosen.insert(place, point);
                chosen.truncate(CANDIDATES);
            } else if chosen.len() < CANDIDATES {
                chosen.push(point);
            }
        }
        chosen
    }
}
