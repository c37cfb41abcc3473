//! A striped file system as a formula: the seconds that a shared file takes, for a kernel, a platform and
//! settings.
//!
//! The formula is closed: `T = metadata + exchange + data`, where the rate of data is a soft minimum of what
//! storage targets, clients and the fabric can do. Its numbers are fitted to the tables of the SC13 paper.
//! It is good for comparing searchers and for teaching, not for predicting a machine.

mod formula;
mod kernel;
mod noise;
mod platform;
mod stack;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use kernel::Kernel;
pub use noise::Noise;
pub use platform::{FileSystem, PLATFORMS, Platform};
pub use stack::{Stack, Unsuitable};

use crate::space::Machine;

/// A platform with a number of ranks: `hopper-2048`.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The platform.
    pub platform: &'static Platform,
    /// The number of ranks.
    pub ranks: u64,
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownModel {
    /// It is not of the form `PLATFORM-RANKS`.
    #[error("'{0}' is no model; expected PLATFORM-RANKS, such as hopper-2048")]
    Form(String),
    /// There is no such platform.
    #[error("no platform '{0}'; there are {names}", names = platform::names())]
    Platform(String),
    /// The number of ranks is out of range.
    #[error("'{0}' is no number of ranks; expected 1 to 16777216")]
    Ranks(String),
}

impl FromStr for Model {
    type Err = UnknownModel;

    fn from_str(text: &str) -> Result<Model, UnknownModel> {
        let (name, ranks) = text.split_once('-').ok_or_else(|| UnknownModel::Form(text.into()))?;
        let platform = PLATFORMS.iter().find(|platform| platform.name == name);
        let platform = platform.ok_or_else(|| UnknownModel::Platform(name.into()))?;
        let sound = |ranks: &u64| (1..=1 << 24).contains(ranks);
        let ranks = ranks.parse().ok().filter(sound);
        Ok(Model { platform, ranks: ranks.ok_or_else(|| UnknownModel::Ranks(text.into()))? })
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.platform.name, self.ranks)
    }
}

impl Model {
    /// The seconds of a kernel without noise.
    pub fn seconds(&self, kernel: Kernel, stack: &Stack) -> f64 {
        formula::seconds(self, &kernel.workload(self.ranks), stack)
    }

    /// The bytes that a kernel writes.
    pub fn bytes(&self, kernel: Kernel) -> f64 {
        kernel.workload(self.ranks).bytes()
    }

    /// What presets need to know.
    pub fn machine(&self, kernel: Kernel) -> Machine {
        Machine {
            collective: kernel.workload(self.ranks).collective,
            targets: Some(self.platform.targets),
            ..Machine::default()
        }
    }
}
