//! What makes two runs of a model differ.

use crate::random::Random;

/// Noise of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation of the logarithm of a run's time.
    pub spread: f64,
    /// Probability that others interfere: the run then takes 1 plus an exponential of 1 times as long.
    pub interference: f64,
}

impl Default for Noise {
    fn default() -> Noise {
        Noise { spread: 0.10, interference: 0.05 }
    }
}

impl Noise {
    /// The factor of a run of something.
    pub fn factor(&self, what: &str, seed: u64, run: u64) -> f64 {
        let mut random = Random::new(seed, what, run);
        let factor = (self.spread * random.normal()).exp();
        let disturbed = random.unit() < self.interference;
        let delay = random.exponential();
        if disturbed { factor * (1.0 + delay) } else { factor }
    }
}
