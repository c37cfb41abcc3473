//! What benchmarks share: logs to read, always the same ones and made in memory that does not grow,
//! directories to work in, and a model of many ranks.

pub mod fit;
pub mod generate;
pub mod large;
pub mod place;
mod random;

pub use random::SEED;
