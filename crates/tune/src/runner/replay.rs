//! A journal in place of a machine.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Request, Run, Runner, RunnerError};
use crate::journal::{Bytes, Outcome, Phase, Recorded};
use crate::search::{Ask, Cost, From, History, Searcher};
use crate::space::{Point, Settings, Space};

/// Answers from a journal: each time the next value that was recorded for the settings, then the first one
/// again.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    runs: BTreeMap<Settings, Vec<Run>>,
    next: HashMap<Settings, usize>,
    space: Option<Arc<Space>>,
}

impl Replay {
    /// The answers of a journal with this space.
    pub fn new(recorded: &Recorded, space: Arc<Space>) -> Replay {
        let mut runs: BTreeMap<Settings, Vec<Run>> = BTreeMap::new();
        let trials = recorded.trials.iter().filter(|trial| !trial.cached).map(|trial| {
            let run = Run {
                bytes: trial.bytes,
                exit: trial.exit,
                began: trial.began.clone(),
                load: trial.load,
                ..run(trial.outcome, trial.value, trial.io, trial.wall, &trial.note)
            };
            (&trial.settings, run)
        });
        let confirms = recorded
            .confirms
            .iter()
            .map(|one| (&one.settings, run(one.outcome, one.value, one.io, one.wall, &one.note)));
        for (settings, run) in trials.chain(confirms) {
            if run.outcome != Outcome::Cancelled {
                runs.entry(settings.clone()).or_default().push(run);
            }
        }
        Replay { runs, next: HashMap::new(), space: Some(space) }
    }

    /// The points that can be asked for.
    pub fn points(&self) -> Vec<Point> {
        let space = self.space.iter();
        space.flat_map(|space| self.runs.keys().filter_map(|one| space.point(one))).collect()
    }
}

fn run(
    outcome: Outcome,
    value: Option<f64>,
    io: Option<f64>,
    wall: f64,
    note: &Option<String>,
) -> Run {
    Run {
        outcome,
        io,
        read: None,
        write: None,
        // What was measured is told again, whatever it was.
        other: value,
        wall,
        bytes: Bytes::default(),
        exit: None,
        began: String::new(),
        load: None,
        note: note.clone(),
        rest: serde_json::Map::new(),
    }
}

impl Runner for Replay {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        let unknown = || RunnerError("the journal has no run of these settings".into());
        let runs = self.runs.get(request.settings).ok_or_else(unknown)?;
        let next = self.next.entry(request.settings.clone()).or_insert(0);
        let run = runs[*next % runs.len()].clone();
        *next += 1;
        debug_assert!(request.phase != Phase::Layer || run.outcome == Outcome::Ok);
        Ok(run)
    }
}

/// A searcher that asks only for points of a journal: the nearest to what it would ask for.
#[derive(Debug)]
pub struct Replayed {
    searcher: Box<dyn Searcher>,
    points: Vec<Point>,
}

impl Replayed {
    /// The searcher, held to these points.
    pub fn new(searcher: Box<dyn Searcher>, points: Vec<Point>) -> Replayed {
        Replayed { searcher, points }
    }
}

impl Searcher for Replayed {
    fn ask(&mut self, n: u64) -> Option<Ask> {
        let mut ask = self.searcher.ask(n)?;
        let history = self.searcher.history();
        let space = &history.space;
        let apart = |point: &Point| space.apart(point, &ask.point);
        let nearest = self
            .points
            .iter()
            .filter(|point| !history.is_tried(point) && space.is_searched(point))
            .min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        ask.point = nearest.clone();
        Some(ask)
    }

    fn pend(&mut self, point: &Point, from: &From) {
        self.searcher.pend(point, from);
    }

    fn tell(&mut self, point: &Point, from: &From, cost: Cost) {
        self.searcher.tell(point, from, cost);
    }

    fn history(&self) -> &History {
        self.searcher.history()
    }
}
