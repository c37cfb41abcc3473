//! Findings for people and programs: terminal text, JSON and a page.
//!
//! Invariants: nothing is computed here, only laid out; the same diagnosis gives the same bytes;
//! names come from untrusted logs and are shown harmlessly.

pub mod glyphs;
pub mod html;
pub mod json;
pub mod markdown;
#[cfg(test)]
mod samples;
pub mod terminal;
pub mod text;

pub use ioglass_insight::number;
