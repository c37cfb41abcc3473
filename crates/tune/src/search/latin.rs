//! Random points that fill the space evenly: Latin hypercubes.

use std::sync::Arc;

use super::{Ask, Cost, From, History, How, Searcher};
use crate::random::Random;
use crate::space::{Point, Space};

/// Points of one hypercube.
const BLOCK: u64 = 16;

/// The searcher `random`.
#[derive(Debug)]
pub struct Latin {
    history: History,
    seed: u64,
}

impl Latin {
    /// A searcher of a space.
    pub fn new(space: Arc<Space>, seed: u64) -> Latin {
        Latin { history: History::new(space), seed }
    }
}

impl Searcher for Latin {
    fn ask(&mut self, n: u64) -> Option<Ask> {
        let point = latin(&self.history, self.seed, n, BLOCK)?;
        Some(Ask { point, from: From::how(How::Random) })
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

/// The `n`-th point of hypercubes of `block` points each: of a parameter, each part of its values is taken
/// once per hypercube. A point that was tried is replaced by a random one.
pub(super) fn latin(history: &History, seed: u64, n: u64, block: u64) -> Option<Point> {
    let space = &history.space;
    let (cube, row) = (n / block, (n % block) as usize);
    let mut random = Random::new(seed, "row", n);
    let place = |(parameter, axis): (usize, &crate::space::Axis)| {
        let mut order: Vec<usize> = (0..block as usize).collect();
        Random::new(seed, &format!("cube {parameter}"), cube).shuffle(&mut order);
        let part = (order[row] as f64 + random.unit()) / block as f64;
        (part * f64::from(axis.searched)) as u16
    };
    let point = space.settle(space.axes().iter().enumerate().map(place).collect());
    if !history.is_tried(&point) {
        return Some(point);
    }
    history.untried(&mut random)
}
