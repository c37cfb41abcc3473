//! One Gaussian process.

use super::fit::{Fit, Scales, Solved};
use super::input::Input;
use crate::search::cholesky::Cholesky;

/// Steps of the first fit, and of the one after disturbed runs are found.
const STEPS: (usize, usize) = (25, 10);
/// Degrees of freedom of the noise: the fewer, the more often runs are far off.
const FREEDOM: f64 = 4.0;

/// A process that was fitted.
#[derive(Debug)]
pub(super) struct Process {
    scales: Scales,
    factor: Cholesky,
    mean: f64,
    weights: Vec<f64>,
}

impl Process {
    /// The process that is most probable among those with about this reach.
    pub(super) fn new(fit: &Fit<'_>, reach: f64) -> Option<Process> {
        let none = vec![0.0; fit.size];
        let logs = fit.improve(reach, fit.start(reach), &none, STEPS.0);
        let scales = Scales::of(&logs);
        let extra = disturbed(fit, &scales)?;
        let scales = Scales::of(&fit.improve(reach, logs, &extra, STEPS.1));
        let Solved { factor, mean, weights } = fit.solve(&scales, &extra)?;
        Some(Process { scales, factor, mean, weights })
    }

    /// The covariances of an input with all that were seen.
    pub(super) fn near(&self, inputs: &[Input], input: &Input) -> Vec<f64> {
        let near = |other: &Input| {
            self.scales.covariance(input.iter().zip(other).map(|(a, b)| a.apart(*b)))
        };
        inputs.iter().map(near).collect()
    }

    /// The expected cost of what is so near to all that were seen.
    pub(super) fn mean(&self, near: &[f64]) -> f64 {
        self.mean + near.iter().zip(&self.weights).map(|(a, b)| a * b).sum::<f64>()
    }

    /// What is known of an input.
    pub(super) fn known(&self, inputs: &[Input], input: &Input) -> Known {
        let mut parts = self.near(inputs, input);
        let mean = self.mean(&parts);
        self.factor.forward(&mut parts);
        Known { input: input.clone(), mean, parts }
    }

    /// The expected logarithm of the factor by which one input is cheaper than another, and its standard
    /// deviation. What is unknown of both alike does not count.
    pub(super) fn gain(&self, one: &Known, other: &Known) -> (f64, f64) {
        let apart = one.input.iter().zip(&other.input).map(|(a, b)| a.apart(*b));
        let prior = 2.0 * (self.scales.variance() - self.scales.covariance(apart));
        let known: f64 = one.parts.iter().zip(&other.parts).map(|(a, b)| (a - b).powi(2)).sum();
        (other.mean - one.mean, (prior - known).max(1e-12).sqrt())
    }
}

/// What a process knows of an input.
#[derive(Debug, Clone)]
pub(super) struct Known {
    input: Input,
    /// The expected cost.
    pub(super) mean: f64,
    /// How the input depends on all that were seen, without what these have in common.
    parts: Vec<f64>,
}

/// Noise to add to points that were slower than their neighbours let expect: others disturbed them. How
/// much follows from a noise with heavy tails (Student's t).
fn disturbed(fit: &Fit<'_>, scales: &Scales) -> Option<Vec<f64>> {
    let Solved { factor, weights, .. } = fit.solve(scales, &vec![0.0; fit.size])?;
    let inverse = factor.inverse();
    let extra = weights.iter().enumerate().map(|(place, weight)| {
        // What the point differs by from what all others let expect, in standard deviations.
        let off = weight.max(0.0) / inverse[place * fit.size + place].sqrt();
        let share = ((FREEDOM + 1.0) / (FREEDOM + off * off)).min(1.0);
        scales.noise * (1.0 / share - 1.0)
    });
    Some(extra.collect())
}
