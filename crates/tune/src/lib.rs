//! Searches settings of the I/O stack and proves what they gain.
//!
//! * [`space`] has the parameters, their values and what they depend on.
//! * [`search`] has the searchers, behind one trait: what to try next, and what came of it.
//! * [`model`] is a striped file system as a formula, on which searches can be tried without a machine.
//!
//! Invariants: all randomness is counted by seed and number, so that the same answers lead to the same
//! questions. Files are untrusted. The crate prints nothing.

pub mod journal;
pub mod model;
pub mod objective;
pub mod paired;
pub mod random;
pub mod report;
pub mod runner;
pub mod search;
pub mod space;
pub mod tuning;
