//! Reports of I/O diagnoses: terminal text, JSON and a self-contained HTML page.
//!
//! [`terminal::write`] prints a [`Diagnosis`](ioglass_insight::Diagnosis) for people, [`json`]
//! writes it for programs and reads it back, and [`html::page`] makes a page with charts. A
//! diagnosis comes from `ioglass-insight`:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use ioglass_insight::Diagnosis;
//! use ioglass_insight::threshold::Thresholds;
//! use ioglass_log::Log;
//! use ioglass_report::{json, terminal};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let path = Path::new("job.darshan");
//!     let diagnosis = Diagnosis::of(&Log::open(path)?, &Thresholds::default());
//!
//!     let mut screen = Vec::new();
//!     terminal::write(&mut screen, &diagnosis, &terminal::Options::new(path))?;
//!
//!     let text = json::pretty(&json::Report::new(&diagnosis, path)).to_string();
//!     let report = json::read(&text)?;
//!     assert_eq!(report.verdict.sentence, diagnosis.verdict.sentence);
//!     Ok(())
//! }
//! ```
//!
//! Invariants: this crate computes nothing, it only lays out. The same diagnosis gives the same
//! bytes. Names come from untrusted logs and are cleaned before they are shown.

pub mod compare;
pub mod glyphs;
pub mod harmless;
pub mod html;
pub mod json;
pub mod markdown;
pub mod picture;
pub mod profile;
#[cfg(test)]
mod samples;
pub mod settings;
pub mod terminal;
pub mod text;
pub mod tune;

pub use ioglass_insight::number;
