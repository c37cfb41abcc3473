//! A search by densities: values that good points have and bad points do not.

use std::sync::Arc;

use super::latin::latin;
use super::{Ask, Cost, From, History, How, Searcher};
use crate::random::Random;
use crate::space::{Axis, Point, Space};

/// Points before densities are worth something.
const FIRST: u64 = 12;
/// The share of points that are good.
const GOOD: f64 = 0.2;
/// Points that are drawn for each ask.
const DRAWN: usize = 64;
/// How far a point reaches along an axis.
const REACH: f64 = 0.12;

/// The searcher `tpe`.
#[derive(Debug)]
pub struct Tpe {
    history: History,
    seed: u64,
    /// Points that this searcher has asked for and was told of.
    own: u64,
    /// Those that are under way.
    under_way: u64,
}

impl Tpe {
    /// A searcher of a space.
    pub fn new(space: Arc<Space>, seed: u64) -> Tpe {
        Tpe { history: History::new(space), seed, own: 0, under_way: 0 }
    }

    fn promising(&self, random: &mut Random) -> Option<Point> {
        let history = &self.history;
        let space = &history.space;
        let mut points: Vec<(f64, &Point)> = history
            .logs()
            .into_iter()
            .zip(history.seen())
            .filter(|(_, seen)| space.is_searched(&seen.point))
            .map(|(log, seen)| (log, &seen.point))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = (GOOD * points.len() as f64).ceil() as usize;
        let (good, bad) = points.split_at(count.clamp(1.min(points.len()), points.len()));
        let densities = |points: &[(f64, &Point)]| -> Vec<Vec<f64>> {
            (0..space.axes().len()).map(|parameter| density(space, parameter, points)).collect()
        };
        let (good, bad) = (densities(good), densities(bad));
        let rate = |point: &Point| -> f64 {
            let active = (0..point.len()).filter(|parameter| space.is_active(point, *parameter));
            let parts = active.map(|parameter| {
                let value = usize::from(point[parameter]);
                (good[parameter][value] / bad[parameter][value]).ln()
            });
            parts.sum()
        };
        let mut best: Option<(f64, Point)> = None;
        for _ in 0..DRAWN {
            let drawn = good.iter().map(|density| draw(density, random)).collect();
            let point = space.settle(drawn);
            let rating = rate(&point);
            let is_better = best.as_ref().is_none_or(|best| rating > best.0);
            if is_better && !history.is_tried(&point) {
                best = Some((rating, point));
            }
        }
        best.map(|best| best.1)
    }
}

impl Searcher for Tpe {
    fn ask(&mut self, n: u64) -> Option<Ask> {
        let asked = self.own + self.under_way;
        if asked < FIRST {
            let point = latin(&self.history, self.seed, asked, FIRST)?;
            return Some(Ask { point, from: From::how(How::Init) });
        }
        let random = &mut Random::new(self.seed, "tpe", n);
        let point = self.promising(random).or_else(|| self.history.untried(random))?;
        Some(Ask { point, from: From::how(How::Tpe) })
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
    matches!(from.how, How::Init | How::Tpe)
}

/// The density of a parameter's values: of points where it is searched, and a little of all values.
fn density(space: &Space, parameter: usize, points: &[(f64, &Point)]) -> Vec<f64> {
    let axis = &space.axes()[parameter];
    let values = usize::from(axis.searched);
    let mut density = vec![1.0 / values as f64; values];
    for (_, point) in points {
        let seen = usize::from(point[parameter]);
        if seen >= values || !space.is_active(point, parameter) {
            continue;
        }
        let kernel: Vec<f64> = (0..values).map(|value| nearness(axis, seen, value)).collect();
        let sum: f64 = kernel.iter().sum();
        for (density, part) in density.iter_mut().zip(kernel) {
            *density += part / sum;
        }
    }
    let sum: f64 = density.iter().sum();
    density.iter_mut().for_each(|part| *part /= sum);
    // The default, if it is not searched, is never drawn and tells nothing.
    density.resize(axis.values.len(), 1.0);
    density
}

fn nearness(axis: &Axis, one: usize, other: usize) -> f64 {
    match (&axis.coordinates[one], &axis.coordinates[other]) {
        (Some(a), Some(b)) => {
            let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
            (-square / (2.0 * REACH * REACH)).exp()
        }
        _ => f64::from(u8::from(one == other)),
    }
}

fn draw(density: &[f64], random: &mut Random) -> u16 {
    let mut ball = random.unit();
    let place = density.iter().position(|part| {
        ball -= part;
        ball < 0.0
    });
    place.unwrap_or(0) as u16
}
