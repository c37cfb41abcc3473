//! Runs on a model.

use super::{Request, Run, Runner, RunnerError};
use crate::journal::{Bytes, Outcome};
use crate::model::{Kernel, Model, Noise, Stack};

/// A kernel on a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelRunner {
    /// The model.
    pub model: Model,
    /// The kernel.
    pub kernel: Kernel,
    /// What makes runs differ.
    pub noise: Noise,
    /// The seed of the noise.
    pub seed: u64,
}

impl Runner for ModelRunner {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        let settings = request.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let stack = Stack::of(settings).map_err(|error| RunnerError(error.to_string()))?;
        let factor = self.noise.factor(&self.purpose(), self.seed, request.run);
        let seconds = self.model.seconds(self.kernel, &stack) * factor;
        let cut = request.limit.filter(|limit| seconds > *limit);
        let wall = cut.unwrap_or(seconds);
        let measured = cut.is_none().then_some(seconds);
        let written = if cut.is_none() { self.model.bytes(self.kernel) as u64 } else { 0 };
        Ok(Run {
            outcome: if cut.is_some() { Outcome::Cut } else { Outcome::Ok },
            io: measured,
            read: cut.is_none().then_some(0.0),
            write: measured,
            other: None,
            wall,
            bytes: Bytes { read: 0, written },
            exit: cut.is_none().then_some(0),
            began: String::new(),
            load: None,
            note: None,
            rest: serde_json::Map::new(),
        })
    }
}

impl ModelRunner {
    /// Runs of different models and kernels have different noise.
    fn purpose(&self) -> String {
        format!("noise {} {}", self.model, self.kernel)
    }
}
