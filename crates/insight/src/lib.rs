//! Diagnoses recorded runs: findings, their causes and a verdict.
//!
//! A [`Recording`], such as a [`Log`](ioglass_log::Log), becomes a model of the run
//! ([`model::Run`]). Every detector of the table [`detect::ALL`] checks the model. A [`Diagnosis`]
//! puts their findings in order: causes before consequences, each second at stake counted once. A
//! [`view::View`] has the data of charts and tables.
//!
//! ```no_run
//! use ioglass_insight::{Diagnosis, threshold::Thresholds};
//!
//! let log = ioglass_log::Log::open("app.darshan")?;
//! let diagnosis = Diagnosis::of(&log, &Thresholds::default());
//! println!("{}", diagnosis.verdict.sentence);
//! # Ok::<(), ioglass_log::Error>(())
//! ```
//!
//! The crate is pure: the same recording gives the same findings on any machine. A recording is
//! untrusted: nothing panics, and memory is bounded. The crate prints nothing and draws nothing.

pub mod advice;
mod causes;
pub mod compare;
pub mod compat;
pub mod detect;
mod diagnose;
pub mod estimate;
mod finding;
pub mod memory;
pub mod model;
pub mod motif;
mod name;
pub mod number;
pub mod profile;
pub mod program;
mod recording;
mod regions;
pub mod settings;
pub mod threshold;
pub mod trace;
pub mod tunable;
mod unexplained;
mod verdict;
pub mod view;

pub use finding::*;
pub use name::Name;
pub use recording::{RecordedModule, Recording};
pub use verdict::{SEE_NOTES, worst};
