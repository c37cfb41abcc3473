//! Reports for programs: a diagnosis as JSON, and back.
//!
//! A [`Report`] is made from a diagnosis, written with [`line`] or [`pretty`], and read back with
//! [`read`], [`read_from`] or [`read_lines`]. The order of its fields is the order in the text.
//! `docs/json.md` and `docs/report.schema.json` are made from these types.
//!
//! ```
//! use ioglass_report::json::{self, ReadError};
//!
//! let text = r#"{"schema": "ioglass.report/9", "surprise": true}"#;
//! match json::read(text) {
//!     Ok(report) => println!("{}", report.verdict.sentence),
//!     Err(ReadError::OtherSchema { found }) => assert_eq!(found, "ioglass.report/9"),
//!     Err(error) => println!("{error}"),
//! }
//! ```

#[cfg(feature = "schema")]
mod document;
mod finding;
mod read;
mod report;
#[cfg(feature = "schema")]
mod schema;
mod show;
#[cfg(test)]
mod tests;

#[cfg(feature = "schema")]
pub use document::markdown;
pub use finding::{
    Advice, AdvisedSetting, Chart, Command, Evidence, Finding, FindingFile, FindingRegion,
    Languages, Needs, Snippet,
};
pub use read::{MAX_BYTES, ReadError, Reports, read, read_from, read_lines};
pub use report::{
    Budget, BudgetPart, DataWarning, FileSystem, Job, Location, Moved, Report, SchemaVersion,
    Verdict,
};
#[cfg(feature = "schema")]
pub use schema::schema;
#[cfg(feature = "schema")]
pub(crate) use schema::schema_of;
pub use show::{Json, line, pretty};

/// Returns the number, or none if it is not finite: JSON has no infinity.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Returns the text, or none if it is empty.
pub(crate) fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
