//! Runs before a change against runs after it: the terminal, JSON and the other formats.

pub mod json;
pub(crate) mod page;
mod table;
pub mod terminal;
mod words;

pub use page::page;
pub use table::{csv, markdown};
