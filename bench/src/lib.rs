//! Makes the logs that benchmarks read: always the same ones, in memory that does not grow.

pub mod generate;
pub mod large;
mod random;

pub use random::SEED;
