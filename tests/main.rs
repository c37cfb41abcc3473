//! Integration tests, by topic.

mod bad_input;
mod cli;
mod compat;
mod conformance;
mod disturb;
mod docs;
mod findings;
mod hdf5;
mod launch;
mod library;
mod lifecycle;
mod memory;
mod merge;
mod mpi;
mod pages;
mod peer;
mod record;
mod report;
mod report_command;
mod report_json;
mod roundtrip;
mod run;
mod snippets;
mod support;
mod text;
mod truth_runs;
