//! Journals: all runs of a search, as lines of JSON.
//!
//! A line is appended with one write and is on the disk before the next run begins. A search goes on from
//! its journal as if it had never stopped.

mod error;
mod file;
mod line;
#[cfg(test)]
mod tests;

pub use error::{Changed, JournalError};
pub use file::{Journal, Recorded, SCHEMA, read};
pub use line::{Bytes, Confirm, Direction, End, Line, Outcome, Phase, Start, Trial};
