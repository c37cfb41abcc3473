//! No input makes the reader panic, hang or take unbounded memory; what is wrong is said.

mod blocks;
mod bombs;
mod copies;
pub(crate) mod craft;
mod cuts;
mod everything;
mod flips;
mod lies;
