//! A search that explains itself: each parameter alone, then one after the other from the one that matters
//! most.

use std::sync::Arc;

use super::{Ask, Cost, From, History, How, Searcher};
use crate::random::Random;
use crate::space::{Point, Space};

/// The searcher `impact`.
#[derive(Debug)]
pub struct Impact {
    history: History,
    seed: u64,
}

impl Impact {
    /// A searcher of a space.
    pub fn new(space: Arc<Space>, seed: u64) -> Impact {
        Impact { history: History::new(space), seed }
    }

    /// The first, the middle and the last value of a parameter, with all others left alone.
    fn alone(&self, parameter: usize) -> Vec<Point> {
        let space = &self.history.space;
        let default = space.default_point();
        if !space.is_active(&default, parameter) {
            return Vec::new();
        }
        let last = space.axes()[parameter].searched - 1;
        let mut values = vec![0, last / 2, last];
        values.dedup();
        let points = values.into_iter().map(|value| {
            let mut point = default.clone();
            point[parameter] = value;
            space.settle(point)
        });
        points.filter(|point| *point != default).collect()
    }

    /// How much a parameter changes alone: the range of the logarithms of its costs.
    fn range(&self, parameter: usize) -> f64 {
        let mut points = self.alone(parameter);
        points.push(self.history.space.default_point());
        let logs = points.iter().filter_map(|point| self.history.mean(point));
        let (low, high) =
            logs.fold((f64::MAX, f64::MIN), |(low, high), log| (low.min(log), high.max(log)));
        if low < high { high - low } else { 0.0 }
    }

    fn next(&self) -> Option<Point> {
        let space = &self.history.space;
        let parameters = 0..space.axes().len();
        let untried = |point: &Point| !self.history.is_tried(point);
        if let Some(point) = parameters.clone().flat_map(|one| self.alone(one)).find(untried) {
            return Some(point);
        }
        let mut order: Vec<(f64, usize)> = parameters.map(|one| (self.range(one), one)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = self.history.best()?;
        let moves = order.into_iter().filter(|(_, one)| space.is_active(&best, *one)).flat_map(
            |(_, parameter)| {
                let best = &best;
                (0..space.axes()[parameter].searched).map(move |value| {
                    let mut point = best.clone();
                    point[parameter] = value;
                    space.settle(point)
                })
            },
        );
        moves.into_iter().find(untried)
    }
}

impl Searcher for Impact {
    fn ask(&mut self, n: u64) -> Option<Ask> {
        let random = &mut Random::new(self.seed, "impact", n);
        let point = self.next().or_else(|| self.history.untried(random))?;
        Some(Ask { point, from: From::how(How::Impact) })
    }

    fn pend(&mut self, point: &Point, _: &From) {
        self.history.pend(point);
    }

    fn tell(&mut self, point: &Point, _: &From, cost: Cost) {
        self.history.tell(point, cost);
    }

    fn history(&self) -> &History {
        &self.history
    }
}
