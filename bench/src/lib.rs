//! What benchmarks share: logs to read, always the same ones and made in memory that does not grow,
//! directories to work in, a model of many ranks, and a table of goals.

pub mod fit;
pub mod generate;
pub mod large;
pub mod place;
mod random;
pub mod table;

pub use random::SEED;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// CPU seconds of the children that were waited for.
pub fn cpu() -> nix::Result<f64> {
    usage(UsageWho::RUSAGE_CHILDREN)
}

/// CPU seconds of this process.
pub fn own_cpu() -> nix::Result<f64> {
    usage(UsageWho::RUSAGE_SELF)
}

fn usage(who: UsageWho) -> nix::Result<f64> {
    let usage = getrusage(who)?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(micros as f64 / 1e6)
}

/// The load of the last minute.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
