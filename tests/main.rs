//! Integration tests, by topic.

mod bad_input;
mod cli;
mod conformance;
mod docs;
mod memory;
mod peer;
mod roundtrip;
mod support;
mod text;
