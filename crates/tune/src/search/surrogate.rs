//! A surrogate of the program: what a point would cost, and how sure that is.
//!
//! It is made of a few Gaussian processes that differ in how far they believe a value to reach. One alone
//! can be sure of what it never tried; together they disagree there, and it is tried.

mod fit;
mod input;
mod process;

use fit::Fit;
use input::{Input, input, is_word};
use process::{Known, Process};

use super::History;
use crate::space::{Point, Space};

/// The reaches that are believed in: factors of the usual one.
const REACHES: [f64; 3] = [0.4, 1.0, 2.5];
/// The most points that it is made of: of more, the best and some of the others.
const MOST: usize = 96;
/// Costs count as at most so much above the best, as logarithms: how bad a bad point is tells nothing of
/// the good ones.
const MOST_ABOVE: f64 = 1.5;
/// A run that was cut would have cost so much more, as a logarithm.
const BEYOND_CUT: f64 = 0.1;

/// A surrogate. Costs are logarithms.
#[derive(Debug)]
pub struct Surrogate {
    processes: Vec<Process>,
    inputs: Vec<Input>,
}

impl Surrogate {
    /// The surrogate of a history; none without points that are searched.
    pub fn new(history: &History) -> Option<Surrogate> {
        let space = &history.space;
        let mut rows: Vec<(Input, f64)> = history
            .seen()
            .iter()
            .zip(history.logs())
            .filter(|(seen, _)| space.is_searched(&seen.point))
            .map(|(seen, log)| {
                (input(space, &seen.point), if seen.is_measured { log } else { log + BEYOND_CUT })
            })
            .collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1));
        if rows.len() > MOST {
            let others = rows.split_off(MOST * 2 / 3);
            let step = others.len().div_ceil(MOST - rows.len());
            rows.extend(others.into_iter().step_by(step));
        }
        let best = rows.first()?.1;
        let (inputs, costs): (Vec<Input>, Vec<f64>) =
            rows.into_iter().map(|(input, cost)| (input, cost.min(best + MOST_ABOVE))).unzip();
        let fit = Fit::new(&inputs, &costs, is_word(space));
        let processes: Vec<Process> =
            REACHES.into_iter().filter_map(|reach| Process::new(&fit, reach)).collect();
        (!processes.is_empty()).then_some(Surrogate { processes, inputs })
    }

    /// The expected logarithm of the cost of a point: the mean of all processes.
    pub fn mean(&self, space: &Space, point: &Point) -> f64 {
        let means = self.means(space, point);
        means.iter().sum::<f64>() / means.len() as f64
    }

    /// What each process expects.
    fn means(&self, space: &Space, point: &Point) -> Vec<f64> {
        let input = input(space, point);
        self.processes.iter().map(|one| one.mean(&one.near(&self.inputs, &input))).collect()
    }

    /// What each process knows of the point that it expects to be the best of these; none of none.
    pub(super) fn best<'p>(
        &self,
        space: &Space,
        points: impl Iterator<Item = &'p Point>,
    ) -> Option<Reference> {
        let rated: Vec<(Vec<f64>, &Point)> =
            points.map(|point| (self.means(space, point), point)).collect();
        let best = |(place, process): (usize, &Process)| {
            let best = rated.iter().min_by(|a, b| a.0[place].total_cmp(&b.0[place]))?;
            Some(process.known(&self.inputs, &input(space, best.1)))
        };
        self.processes.iter().enumerate().map(best).collect::<Option<_>>().map(Reference)
    }

    /// By how much a point is expected to be cheaper than a reference, where it is cheaper: the mean of
    /// all processes.
    pub(super) fn improvement(&self, space: &Space, point: &Point, over: &Reference) -> f64 {
        let input = input(space, point);
        let parts = self.processes.iter().zip(&over.0).map(|(process, over)| {
            let (gain, deviation) = process.gain(&process.known(&self.inputs, &input), over);
            improvement(gain, deviation)
        });
        parts.sum::<f64>() / self.processes.len() as f64
    }

    /// The points that are worth a closer look, the one with the least expected cost first. Each of the
    /// others has the greatest expected improvement over those before: what is like them adds nothing.
    pub fn candidates(&self, space: &Space, points: &[Point], count: usize) -> Vec<Point> {
        let mean = |point: &Point| self.mean(space, point);
        let first = points.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
        let mut chosen: Vec<Point> = first.into_iter().cloned().collect();
        while chosen.len() < count.min(points.len()) {
            let over: Vec<Reference> =
                chosen.iter().filter_map(|one| self.best(space, std::iter::once(one))).collect();
            let rate = |point: &Point| {
                let rates = over.iter().map(|over| self.improvement(space, point, over));
                rates.fold(f64::INFINITY, f64::min)
            };
            let rest = points.iter().filter(|point| !chosen.contains(point));
            let next = rest.map(|point| (rate(point), point)).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, next)) = next else { break };
            chosen.push(next.clone());
        }
        chosen
    }
}

/// What each process knows of a point to compare others with.
#[derive(Debug)]
pub(super) struct Reference(Vec<Known>);

/// The expected improvement, of an expected gain with a standard deviation.
fn improvement(gain: f64, deviation: f64) -> f64 {
    let z = gain / deviation;
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    (deviation * (z * normal(z) + density)).max(0.0)
}

/// The distribution function of the normal distribution (Abramowitz and Stegun 26.2.17).
fn normal(z: f64) -> f64 {
    const TERMS: [f64; 5] =
        [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let sum = TERMS.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if z > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_345), (-1.96, 0.024_998), (3.0, 0.998_650)] {
            assert!((normal(z) - share).abs() < 1e-6, "{z}");
        }
        // Nothing is gained surely, or half of the deviation's density where all is open.
        assert!((improvement(1.0, 1e-9) - 1.0).abs() < 1e-6);
        assert!((improvement(0.0, 1.0) - 0.398_942).abs() < 1e-5);
        assert_eq!(improvement(-100.0, 1.0), 0.0);
    }
}
