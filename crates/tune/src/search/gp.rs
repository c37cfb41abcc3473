//! A search by Gaussian processes: what promises the greatest improvement is tried next.

use std::sync::Arc;

use super::latin::latin;
use super::{Ask, Cost, From, History, How, Searcher, Surrogate};
use crate::random::Random;
use crate::space::{Point, Space};

/// Points before a process is worth something.
const FIRST: u64 = 8;
/// Random points that are looked at for each ask.
const SAMPLE: usize = 600;
/// Good points whose neighbours are looked at, too.
const GOOD: usize = 4;
/// Points from which it is climbed to better ones.
const CLIMBS: usize = 2;

/// The searcher `gp`.
#[derive(Debug)]
pub struct Gp {
    history: History,
    seed: u64,
    /// Points that this searcher has asked for and was told of.
    own: u64,
    /// Those that are under way.
    under_way: u64,
}

impl Gp {
    /// A searcher of a space.
    pub fn new(space: Arc<Space>, seed: u64) -> Gp {
        Gp { history: History::new(space), seed, own: 0, under_way: 0 }
    }
}

impl Searcher for Gp {
    fn ask(&mut self, n: u64) -> Option<Ask> {
        let asked = self.own + self.under_way;
        if asked < FIRST {
            let point = latin(&self.history, self.seed, asked, FIRST)?;
            return Some(Ask { point, from: From::how(How::Init) });
        }
        let random = &mut Random::new(self.seed, "gp", n);
        let point = promising(&self.history, random).or_else(|| self.history.untried(random))?;
        Some(Ask { point, from: From::how(How::Gp) })
    }

    fn pend(&mut self, point: &Point, from: &From) {
        self.under_way += u64::from(is_own(from));
        self.history.pend(point);
    }

    fn tell(&mut self, point: &Point, from: &From, cost: Cost) {
        if is_own(from) {
            self.own += 1;
            self.under_way = self.under_way.saturating_sub(1);
        }
        self.history.tell(point, cost);
    }

    fn history(&self) -> &History {
        &self.history
    }
}

/// This searcher has proposed it.
fn is_own(from: &From) -> bool {
    matches!(from.how, How::Init | How::Gp)
}

/// The untried point with the greatest expected improvement.
fn promising(history: &History, random: &mut Random) -> Option<Point> {
    let space = &history.space;
    let surrogate = Surrogate::new(history)?;
    let mut seen: Vec<&Point> = history
        .seen()
        .iter()
        .map(|seen| &seen.point)
        .filter(|point| space.is_searched(point) && !history.is_bad(point))
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let best = surrogate.best(space, seen.iter().copied())?;
    let rate = |point: &Point| surrogate.improvement(space, point, &best);
    seen.sort_by_cached_key(|point| ordered(surrogate.mean(space, point)));
    let mut candidates = match space.all(SAMPLE as u64) {
        Some(all) => all,
        None => (0..SAMPLE).map(|_| space.random(random)).collect(),
    };
    for point in seen.iter().take(GOOD) {
        candidates.extend(neighbours(space, point));
    }
    candidates.retain(|point| !history.is_tried(point));
    let mut rated: Vec<(f64, Point)> =
        candidates.into_iter().map(|point| (rate(&point), point)).collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rated.dedup_by(|a, b| a.1 == b.1);
    rated.truncate(CLIMBS);
    let climbed = rated.into_iter().map(|start| climb(history, start, &rate));
    climbed.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1))).map(|best| best.1)
}

/// A number whose order is that of another one.
fn ordered(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// Goes from a point to its best untried neighbour as long as that is better.
fn climb(history: &History, start: (f64, Point), rate: &impl Fn(&Point) -> f64) -> (f64, Point) {
    let mut place = start;
    loop {
        let next = neighbours(&history.space, &place.1)
            .into_iter()
            .filter(|point| !history.is_tried(point))
            .map(|point| (rate(&point), point))
            .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        match next {
            Some(next) if next.0 > place.0 => place = next,
            _ => return place,
        }
    }
}

/// All points that differ in one parameter.
fn neighbours(space: &Space, point: &Point) -> Vec<Point> {
    let mut points = Vec::new();
    for (parameter, axis) in space.axes().iter().enumerate() {
        if !space.is_active(point, parameter) {
            continue;
        }
        for value in (0..axis.searched).filter(|value| *value != point[parameter]) {
            let mut other = point.clone();
            other[parameter] = value;
            points.push(space.settle(other));
        }
    }
    points
}
