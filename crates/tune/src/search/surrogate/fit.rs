//! The fit of a process: how far each dimension reaches, and the sizes of signal and noise.

use super::input::Input;
use crate::search::cholesky::Cholesky;

/// What a process assumes before it has seen anything: standard deviations of logarithms of costs, and
/// lengths in the units of coordinates.
const LENGTH: f64 = 1.0;
const LENGTH_OF_WORDS: f64 = 2.0;
const SIGNAL: f64 = 0.7;
const NOISE: f64 = 0.12;
const ADDITIVE: f64 = 0.2;
/// How sure that is: standard deviations of their logarithms.
const LENGTH_SPREAD: f64 = 0.5;
const SIGNAL_SPREAD: f64 = 1.0;
const NOISE_SPREAD: f64 = 0.5;
const ADDITIVE_SPREAD: f64 = 0.7;
/// The first and the largest step of the fit.
const FIRST_STEP: f64 = 0.3;
const MOST_STEP: f64 = 0.6;

/// What is learned.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    /// The reciprocal square of each dimension's length.
    pub(super) rates: Vec<f64>,
    /// Variance of what all dimensions do together.
    pub(super) signal: f64,
    /// Variance of noise.
    pub(super) noise: f64,
    /// Variance of what each dimension does alone.
    pub(super) additive: f64,
}

/// Logarithms of scales as one vector: lengths, then standard deviations of signal, noise, additive.
pub(super) type Logs = Vec<f64>;

impl Scales {
    pub(super) fn of(logs: &Logs) -> Scales {
        let (lengths, sizes) = logs.split_at(logs.len() - 3);
        Scales {
            rates: lengths.iter().map(|log| (-2.0 * log).exp()).collect(),
            signal: (2.0 * sizes[0]).exp(),
            noise: (2.0 * sizes[1]).exp(),
            additive: (2.0 * sizes[2]).exp(),
        }
    }

    /// The covariance of two inputs, by the squares of their distances.
    pub(super) fn covariance(&self, apart: impl Iterator<Item = f64>) -> f64 {
        let (mut square, mut parts) = (0.0, 0.0);
        for (apart, rate) in apart.zip(&self.rates) {
            square += apart * rate;
            parts += alone(apart);
        }
        self.signal * matern(square).0 + self.additive * parts
    }

    /// The variance of an input.
    pub(super) fn variance(&self) -> f64 {
        self.signal + self.additive * self.rates.len() as f64
    }
}

/// Matérn 5/2 of a distance's square, and its derivative.
fn matern(square: f64) -> (f64, f64) {
    let r = (5.0 * square).sqrt();
    let decay = (-r).exp();
    ((1.0 + r + r * r / 3.0) * decay, -5.0 / 6.0 * (1.0 + r) * decay)
}

/// The covariance of what one dimension does alone.
fn alone(square: f64) -> f64 {
    (-square).exp()
}

/// Points and costs to fit processes to.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    pub(super) size: usize,
    costs: &'a [f64],
    is_word: Vec<bool>,
    /// Squares of distances: for each pair of the lower half, all dimensions.
    apart: Vec<f64>,
    /// For each pair: the sum of what dimensions do alone.
    parts: Vec<f64>,
}

/// A matrix that was solved.
pub(super) struct Solved {
    pub(super) factor: Cholesky,
    pub(super) mean: f64,
    pub(super) weights: Vec<f64>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(inputs: &[Input], costs: &'a [f64], is_word: Vec<bool>) -> Fit<'a> {
        let (mut apart, mut parts) = (Vec::new(), Vec::new());
        for (row, one) in inputs.iter().enumerate() {
            for other in &inputs[..row] {
                let pair = apart.len();
                apart.extend(one.iter().zip(other).map(|(a, b)| a.apart(*b)));
                parts.push(apart[pair..].iter().map(|square| alone(*square)).sum());
            }
        }
        Fit { size: inputs.len(), costs, is_word, apart, parts }
    }

    /// What is assumed: means and standard deviations of logarithms.
    fn prior(&self, reach: f64) -> Vec<(f64, f64)> {
        let length = |is_word: &bool| if *is_word { LENGTH_OF_WORDS } else { LENGTH };
        let lengths = self.is_word.iter().map(|one| ((length(one) * reach).ln(), LENGTH_SPREAD));
        lengths
            .chain([
                (SIGNAL.ln(), SIGNAL_SPREAD),
                (NOISE.ln(), NOISE_SPREAD),
                (ADDITIVE.ln(), ADDITIVE_SPREAD),
            ])
            .collect()
    }

    /// The scales that are assumed.
    pub(super) fn start(&self, reach: f64) -> Logs {
        self.prior(reach).into_iter().map(|(mean, _)| mean).collect()
    }

    /// For each pair: Matérn and its derivative.
    fn pairs(&self, rates: &[f64]) -> Vec<(f64, f64)> {
        let square = |pair: &[f64]| pair.iter().zip(rates).map(|(a, b)| a * b).sum();
        self.apart.chunks_exact(rates.len()).map(|pair| matern(square(pair))).collect()
    }

    fn matrix(&self, scales: &Scales, pairs: &[(f64, f64)], extra: &[f64]) -> Vec<f64> {
        let mut matrix = vec![0.0; self.size * self.size];
        let mut pair = 0;
        for row in 0..self.size {
            let line = &mut matrix[row * self.size..=row * self.size + row];
            for cell in &mut line[..row] {
                *cell = scales.signal * pairs[pair].0 + scales.additive * self.parts[pair];
                pair += 1;
            }
            line[row] = scales.variance() + scales.noise + extra[row];
        }
        matrix
    }

    fn solved(&self, scales: &Scales, pairs: &[(f64, f64)], extra: &[f64]) -> Option<Solved> {
        let factor = Cholesky::new(self.size, self.matrix(scales, pairs, extra))?;
        let mut ones = vec![1.0; self.size];
        factor.solve(&mut ones);
        let sum: f64 = ones.iter().zip(self.costs).map(|(a, b)| a * b).sum();
        let mean = sum / ones.iter().sum::<f64>();
        let mut weights: Vec<f64> = self.costs.iter().map(|cost| cost - mean).collect();
        factor.solve(&mut weights);
        Some(Solved { factor, mean, weights })
    }

    /// The process with these scales. `extra` is added to the noise of each point.
    pub(super) fn solve(&self, scales: &Scales, extra: &[f64]) -> Option<Solved> {
        self.solved(scales, &self.pairs(&scales.rates), extra)
    }

    /// The most probable scales, by so many steps from others: the likelihood times what is assumed, along
    /// the signs of its slope.
    pub(super) fn improve(&self, reach: f64, logs: Logs, extra: &[f64], steps: usize) -> Logs {
        let prior = self.prior(reach);
        let mut step = vec![FIRST_STEP; logs.len()];
        let mut last = vec![0.0; logs.len()];
        let mut best = (f64::INFINITY, logs.clone());
        let mut logs = logs;
        for _ in 0..steps {
            let Some((loss, slope)) = self.slope(&logs, &prior, extra) else { break };
            if loss < best.0 {
                best = (loss, logs.clone());
            }
            for place in 0..logs.len() {
                let turn = slope[place] * last[place];
                if turn > 0.0 {
                    step[place] = f64::min(step[place] * 1.2, MOST_STEP);
                } else if turn < 0.0 {
                    step[place] *= 0.5;
                }
                logs[place] -= step[place] * slope[place].signum();
                last[place] = slope[place];
            }
        }
        best.1
    }

    /// How improbable scales are, as a negative logarithm, and its slope.
    fn slope(&self, logs: &Logs, prior: &[(f64, f64)], extra: &[f64]) -> Option<(f64, Vec<f64>)> {
        let scales = Scales::of(logs);
        let dimensions = scales.rates.len();
        let pairs = self.pairs(&scales.rates);
        let Solved { factor, mean, weights } = self.solved(&scales, &pairs, extra)?;
        let fits: f64 =
            self.costs.iter().zip(&weights).map(|(cost, weight)| (cost - mean) * weight).sum();
        let mut loss = (fits + factor.log_determinant()) / 2.0;
        let inverse = factor.inverse();
        let mut slope = vec![0.0; logs.len()];
        let (mut together, mut alone, mut diagonal, mut pair) = (0.0, 0.0, 0.0, 0);
        for row in 0..self.size {
            for column in 0..row {
                let part = inverse[row * self.size + column] - weights[row] * weights[column];
                together += part * pairs[pair].0;
                alone += part * self.parts[pair];
                let outer = -2.0 * part * scales.signal * pairs[pair].1;
                let apart = &self.apart[pair * dimensions..(pair + 1) * dimensions];
                for ((slope, apart), rate) in slope.iter_mut().zip(apart).zip(&scales.rates) {
                    *slope += outer * apart * rate;
                }
                pair += 1;
            }
            diagonal += inverse[row * self.size + row] - weights[row] * weights[row];
        }
        slope[dimensions] = (2.0 * together + diagonal) * scales.signal;
        slope[dimensions + 1] = diagonal * scales.noise;
        slope[dimensions + 2] = (2.0 * alone + diagonal * dimensions as f64) * scales.additive;
        for ((log, slope), (mean, spread)) in logs.iter().zip(&mut slope).zip(prior) {
            let off = (log - mean) / spread;
            loss += off * off / 2.0;
            *slope += off / spread;
        }
        Some((loss, slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::space::{Machine, Space, preset};

    #[test]
    fn the_slope_is_that_of_the_loss() {
        let machine = Machine { romio: true, ..Machine::default() };
        let space = Space::new(preset("local", &machine).unwrap()).unwrap();
        let mut random = Random::new(1, "test", 0);
        let inputs: Vec<Input> =
            (0..12).map(|_| super::super::input(&space, &space.random(&mut random))).collect();
        let costs: Vec<f64> = (0..12).map(|_| random.normal()).collect();
        let fit = Fit::new(&inputs, &costs, super::super::is_word(&space));
        let (prior, none) = (fit.prior(1.0), vec![0.0; 12]);
        let logs: Logs = fit.start(1.0).iter().map(|log| log + 0.2 * random.normal()).collect();
        let (_, slope) = fit.slope(&logs, &prior, &none).unwrap();
        for place in 0..logs.len() {
            let loss = |by: f64| {
                let mut moved = logs.clone();
                moved[place] += by;
                fit.slope(&moved, &prior, &none).unwrap().0
            };
            let measured = (loss(1e-5) - loss(-1e-5)) / 2e-5;
            assert!((measured - slope[place]).abs() < 1e-5, "{place}: {measured} {}", slope[place]);
        }
    }
}
