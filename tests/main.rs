//! Integration tests, by topic.

mod bad_input;
mod cli;
mod conformance;
mod disturb;
mod docs;
mod library;
mod lifecycle;
mod memory;
mod peer;
mod record;
mod roundtrip;
mod run;
mod support;
mod text;
