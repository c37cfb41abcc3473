//! The search: default runs, advice, then what the searcher asks for.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;

use super::{Budget, CHOICE_ROUNDS, Event, Failing, Stop, TuneError, Tuning, Wanted};
use crate::journal::{Line, Outcome, Phase, Trial};
use crate::runner::Run;
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

/// An ask of a batch.
struct Asked {
    ask: Ask,
    answer: Answer,
}

/// Where the answer of an ask comes from.
enum Answer {
    /// It is in the journal.
    Recorded(Box<Trial>),
    /// An earlier run of the same settings.
    Earlier,
    /// The run with this number.
    Run(u64),
}

impl Tuning<'_> {
    pub(super) fn search(&mut self) -> Result<(), Stop> {
        self.check_default()?;
        while !self.unfinished.is_empty() || self.again(&[]).is_some() || !self.is_spent() {
            let batch = self.next_batch();
            // A search that has nothing left to ask for is over, also when it is only told again.
            if batch.is_empty() {
                break;
            }
            self.run_batch(batch)?;
            self.check_default()?;
            self.check_failing()?;
        }
        Ok(())
    }

    /// The asks of the next batch. They follow from what was told and from the number of asks alone, so that
    /// the same answers lead to the same batches, whichever of them came first.
    fn next_batch(&mut self) -> Vec<Asked> {
        let mut batch: Vec<Asked> = Vec::new();
        while (batch.len() as u64) < self.plan.jobs || !self.unfinished.is_empty() {
            let asked = match self.unfinished.pop_front() {
                Some(trial) => {
                    let point = self.plan.space.point(&trial.settings);
                    let point = point.unwrap_or_else(|| self.plan.space.default_point());
                    let ask = Ask { point, from: trial.from.clone() };
                    Asked { ask, answer: Answer::Recorded(Box::new(trial)) }
                }
                None => {
                    let Some(ask) = self.next(&batch) else { break };
                    let answer = match self.is_known(&ask, &batch) {
                        true => Answer::Earlier,
                        false => Answer::Run(self.next_run()),
                    };
                    Asked { ask, answer }
                }
            };
            if self.plan.jobs > 1 {
                self.searcher.pend(&asked.ask.point, &asked.ask.from);
            }
            batch.push(asked);
        }
        batch
    }

    /// The next point: a default run, advice, or what the searcher asks for; none if the batch ends here.
    fn next(&mut self, batch: &[Asked]) -> Option<Ask> {
        // Runs that are to be made again make up a batch, and so does a run of the default.
        if self.again(&[]).is_some() {
            return self.again(batch);
        }
        let default = self.plan.space.default_point();
        let measured = self
            .trials
            .iter()
            .filter(|trial| trial.settings.is_empty() && trial.outcome == Outcome::Ok);
        let tried = self.trials.iter().filter(|trial| trial.settings.is_empty());
        // A default run that others disturbed is made up for, but not for ever.
        if (measured.count() as u64) < DEFAULTS && (tried.count() as u64) < 2 * DEFAULTS {
            let ask = Ask { point: default, from: From::how(How::Default) };
            return batch.is_empty().then_some(ask);
        }
        let n = (self.trials.len() + batch.len()) as u64 + 1;
        if self.most_asks().is_some_and(|most| n > most) {
            return None;
        }
        let history = self.searcher.history();
        let seed = self.plan.seeds.iter().find_map(|seed| {
            let point = self.plan.space.point(&seed.settings)?;
            let is_new = !history.is_tried(&point) && !history.is_bad(&point);
            is_new.then(|| Ask { point, from: seed.from.clone() })
        });
        seed.or_else(|| self.searcher.ask(n))
    }

    /// The next of the runs that others disturbed and that were not made again.
    fn again(&self, batch: &[Asked]) -> Option<Ask> {
        let is_again = |how: How| how == How::Again;
        let made_up = |settings: &Settings| {
            let runs = self.trials.iter().filter(|one| is_again(one.from.how));
            let runs = runs.filter(|one| one.settings == *settings).count();
            let asked = batch.iter().filter(|one| is_again(one.ask.from.how));
            let asked = asked.filter(|one| self.plan.space.settings(&one.ask.point) == *settings);
            runs + asked.count()
        };
        let mut disturbed: HashMap<&Settings, usize> = HashMap::new();
        let trial = self.trials.iter().find(|trial| {
            if trial.outcome != Outcome::Disturbed || trial.cached || is_again(trial.from.how) {
                return false;
            }
            let count = disturbed.entry(&trial.settings).or_default();
            *count += 1;
            *count > made_up(&trial.settings)
        })?;
        let point = self.plan.space.point(&trial.settings)?;
        Some(Ask { point, from: From::how(How::Again) })
    }

    /// The number of asks after which the budget of the search is spent.
    fn most_asks(&self) -> Option<u64> {
        let defaults = if self.plan.method == Method::Ga { DEFAULTS } else { 0 };
        match self.plan.budget {
            Budget::Runs(runs) => Some(runs + defaults),
            Budget::Seconds(_) => None,
        }
    }

    /// The budget of the search is spent.
    fn is_spent(&self) -> bool {
        let Budget::Seconds(seconds) = self.plan.budget else {
            return self.most_asks().is_some_and(|most| self.trials.len() as u64 >= most);
        };
        let (mut runs, mut all, mut spent) = (0.0_f64, 0.0, 0.0);
        // Of runs that went on at the same time the longest counts.
        for batch in self.trials.chunk_by(|one, next| one.told() == next.told()) {
            let walls = batch.iter().filter(|trial| !trial.cached).map(|trial| trial.wall);
            runs += walls.clone().count() as f64;
            all += walls.clone().sum::<f64>();
            spent += walls.fold(0.0, f64::max);
        }
        // The choice, the proof and the layers take so many runs more.
        let kept = match self.plan.confirm {
            0 => 0,
            rounds => CHOICE_ROUNDS * (CANDIDATES as u64 + 1) + 2 * rounds + 6,
        };
        self.trials.len() as u64 > DEFAULTS
            && spent + (kept + 1) as f64 * all / runs.max(1.0) > seconds
    }

    /// The answer of an ask is known, or will be with an earlier one of the same batch.
    fn is_known(&self, ask: &Ask, batch: &[Asked]) -> bool {
        self.earlier(ask).is_some()
            || is_cacheable(ask)
                && self.plan.cache
                && batch.iter().any(|one| one.ask.point == ask.point)
    }

    /// The run that answers an ask which is a repeat.
    fn earlier(&self, ask: &Ask) -> Option<&Trial> {
        if !is_cacheable(ask) || !self.plan.cache {
            return None;
        }
        let settings = self.plan.space.settings(&ask.point);
        let same = || self.trials.iter().filter(|trial| trial.settings == settings);
        same().find(|trial| trial.outcome != Outcome::Disturbed).or_else(|| same().next())
    }

    /// Runs what a batch asks for, all at once if the runner can, and tells what came of it in the order of
    /// the asks.
    fn run_batch(&mut self, batch: Vec<Asked>) -> Result<(), Stop> {
        let told = self.trials.len() as u64;
        let runs = batch.iter().filter(|one| matches!(one.answer, Answer::Run(_))).count();
        let is_shared = runs > 1;
        // Runs at the same time may share what the default had for itself.
        // What is recorded was one of them.
        let is_one = |asked: &&Asked| match &asked.answer {
            Answer::Run(_) => true,
            Answer::Recorded(trial) => !trial.cached,
            Answer::Earlier => false,
        };
        let together = batch.iter().filter(is_one).count().max(1);
        let limit = self.limit().map(|limit| limit * together as f64);
        let at_least = self.at_least();
        let default = self.plan.space.default_point();
        let limit_of = |ask: &Ask| limit.filter(|_| ask.point != default);
        for asked in &batch {
            if let Answer::Run(run) = asked.answer
                && is_shared
                && !self.stop.load(Relaxed)
            {
                let (point, limit) = (&asked.ask.point, limit_of(&asked.ask));
                self.begin(&Wanted { point, run, phase: Phase::Search, limit, is_shared })?;
            }
        }
        for Asked { ask, answer } in batch {
            let limit = limit_of(&ask);
            let n = self.trials.len() as u64 + 1;
            let mut trial = match answer {
                Answer::Recorded(trial) => {
                    self.tell(&trial);
                    self.trials.push(*trial);
                    continue;
                }
                Answer::Earlier => {
                    let Some(earlier) = self.earlier(&ask) else { continue };
                    Trial { n, from: ask.from.clone(), cached: true, ..earlier.clone() }
                }
                Answer::Run(run) => {
                    self.check_stop()?;
                    let (point, phase) = (&ask.point, Phase::Search);
                    let made = self.one(&Wanted { point, run, phase, limit, is_shared })?;
                    let value = match made.outcome {
                        Outcome::Ok => self.plan.objective.value(&made),
                        Outcome::Cut => at_least,
                        _ => None,
                    };
                    self.as_trial(n, run, &ask, value, made)
                }
            };
            // A run that was cancelled is none: it is asked for again when the search goes on.
            if trial.outcome == Outcome::Cancelled {
                return Err(Stop::Cancelled);
            }
            trial.told = Some(told).filter(|told| told + 1 != n);
            self.append(&Line::Trial(Box::new(trial.clone())))?;
            self.tell(&trial);
            let gain = self.gain(&trial);
            self.trials.push(trial);
            let trial = &self.trials[self.trials.len() - 1];
            (self.event)(Event::Trial { trial, gain, limit });
        }
        Ok(())
    }

    /// What came of a run, as a trial.
    fn as_trial(&self, n: u64, number: u64, ask: &Ask, value: Option<f64>, run: Run) -> Trial {
        Trial {
            n,
            run: number,
            phase: Phase::Search,
            from: ask.from.clone(),
            settings: self.plan.space.settings(&ask.point),
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
            told: None,
            rest: run.rest,
        }
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
        let history = &self.searcher.history().told();
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

/// An earlier run with the same settings would answer it.
fn is_cacheable(ask: &Ask) -> bool {
    !matches!(ask.from.how, How::Default | How::Again)
}
