//! What a searcher was told.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::space::{Point, Space};

/// What came of a point, to be made small: a time, or the reciprocal of what is to be large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// It was measured.
    Measured(f64),
    /// It was ended when it had reached this.
    AtLeast(f64),
    /// It failed or gave a wrong result. It is never tried again.
    Bad,
    /// Nothing can be said of it.
    Unknown,
}

/// A point that was measured, or nearly.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The point.
    pub point: Point,
    /// The logarithm of its cost; none if it was bad.
    pub log: Option<f64>,
    /// It was measured to its end.
    pub is_measured: bool,
}

/// Points and their costs, in the order in which they were told.
#[derive(Debug, Clone)]
pub struct History {
    /// The space.
    pub space: Arc<Space>,
    seen: Vec<Seen>,
    tried: HashSet<Point>,
    bad: HashSet<Point>,
    /// So many of the last that were seen are under way; their costs are guesses.
    guesses: usize,
}

impl History {
    /// Nothing is told yet.
    pub fn new(space: Arc<Space>) -> History {
        History { space, seen: Vec::new(), tried: HashSet::new(), bad: HashSet::new(), guesses: 0 }
    }

    /// Adds a point that is under way. Until the next one is told it counts as one that costs what others do
    /// on average, so that what is like it promises less.
    pub fn pend(&mut self, point: &Point) {
        self.tried.insert(point.clone());
        let told = self.seen.len() - self.guesses;
        let logs = &self.logs()[..told];
        if told > 0 {
            let log = Some(logs.iter().sum::<f64>() / told as f64);
            self.seen.push(Seen { point: point.clone(), log, is_measured: false });
            self.guesses += 1;
        }
    }

    /// Adds what came of a point. No cost is a guess any more.
    pub fn tell(&mut self, point: &Point, cost: Cost) {
        self.seen.truncate(self.seen.len() - std::mem::take(&mut self.guesses));
        self.tried.insert(point.clone());
        let (log, is_measured) = match cost {
            Cost::Measured(cost) => (Some(cost.ln()), true),
            Cost::AtLeast(cost) => (Some(cost.ln()), false),
            Cost::Bad => {
                self.bad.insert(point.clone());
                (None, false)
            }
            Cost::Unknown => return,
        };
        // What has no logarithm tells nothing.
        if log.is_none_or(f64::is_finite) {
            self.seen.push(Seen { point: point.clone(), log, is_measured });
        }
    }

    /// The same without points that are under way.
    pub fn told(&self) -> History {
        let mut told = self.clone();
        told.seen.truncate(self.seen.len() - self.guesses);
        told.guesses = 0;
        told
    }

    /// All that were told, and guesses of those that are under way.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// The point was tried.
    pub fn is_tried(&self, point: &Point) -> bool {
        self.tried.contains(point)
    }

    /// The point failed or gave a wrong result.
    pub fn is_bad(&self, point: &Point) -> bool {
        self.bad.contains(point)
    }

    /// The number of distinct points that were tried.
    pub fn tried(&self) -> usize {
        self.tried.len()
    }

    /// Logarithms of costs; those of bad points are the worst that was seen.
    pub fn logs(&self) -> Vec<f64> {
        let worst = self.seen.iter().filter_map(|seen| seen.log).fold(f64::NEG_INFINITY, f64::max);
        let worst = if worst.is_finite() { worst } else { 0.0 };
        self.seen.iter().map(|seen| seen.log.unwrap_or(worst)).collect()
    }

    /// The mean of the logarithms of a point's costs, if it was measured.
    pub fn mean(&self, point: &Point) -> Option<f64> {
        let logs: Vec<f64> = self
            .seen
            .iter()
            .filter(|seen| seen.is_measured && seen.point == *point)
            .filter_map(|seen| seen.log)
            .collect();
        (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
    }

    /// The point with the least mean that was never bad.
    pub fn best(&self) -> Option<Point> {
        let mut means: HashMap<&Point, (f64, f64)> = HashMap::new();
        for seen in self.seen.iter().filter(|seen| seen.is_measured) {
            let mean = means.entry(&seen.point).or_insert((0.0, 0.0));
            *mean = (mean.0 + seen.log.unwrap_or(0.0), mean.1 + 1.0);
        }
        let sound = means.into_iter().filter(|(point, _)| !self.is_bad(point));
        let rated = sound.map(|(point, (sum, count))| (sum / count, point));
        rated.min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1))).map(|one| one.1.clone())
    }

    /// A random point that was not tried; none if it cannot be found.
    pub fn untried(&self, random: &mut crate::random::Random) -> Option<Point> {
        for _ in 0..64 {
            let point = self.space.random(random);
            if !self.is_tried(&point) {
                return Some(point);
            }
        }
        let mut left = self.space.all(1 << 16)?;
        left.retain(|point| !self.is_tried(point));
        let place = random.below(left.len());
        (!left.is_empty()).then(|| left.swap_remove(place))
    }
}
