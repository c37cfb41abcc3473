//! What benchmarks share: logs to read, always the same ones and made in memory that does not grow, and
//! directories to work in.

pub mod generate;
pub mod large;
pub mod place;
mod random;

pub use random::SEED;
