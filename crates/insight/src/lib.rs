//! What a log says about a run.
//!
//! A [`Recording`], such as a [`Log`](ioglass_log::Log), becomes a model of the run ([`model`]), every
//! detector of the one table ([`detect::ALL`]) looks at it, and what they say is put in order: what is cause and what
//! consequence, which seconds are at stake, counted once ([`Diagnosis`]).
//!
//! Invariants: pure, so the same log gives the same findings on any machine; a log is untrusted, so
//! nothing panics and memory is bounded; nothing is printed, and nothing is drawn here.

pub mod advice;
mod causes;
pub mod compat;
pub mod detect;
mod diagnose;
mod finding;
pub mod memory;
pub mod model;
mod name;
pub mod number;
pub mod program;
mod recording;
pub mod threshold;
pub mod trace;
mod verdict;
pub mod view;

pub use finding::*;
pub use name::Name;
pub use recording::{RecordedModule, Recording};
pub use verdict::{SEE_NOTES, worst};
