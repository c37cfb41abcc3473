//! The result of a search for settings: the terminal, a page and JSON.

pub(crate) mod page;
#[cfg(test)]
mod samples;
pub mod terminal;
#[cfg(test)]
mod terminal_tests;
mod verified;
mod words;

pub use page::page;
pub use verified::verified;

/// The JSON schema of a [`Report`](ioglass_tune::report::Report).
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    crate::json::schema_of::<ioglass_tune::report::Report>()
}
