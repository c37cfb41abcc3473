//! Reports read back.

use std::io::{self, BufRead, Read};

use serde::Deserialize;

use super::Report;
use crate::text;

/// The largest report that is read from a stream. Reports have some ten kilobytes; a hostile one
/// takes at most some twenty times its size in memory.
pub const MAX_BYTES: u64 = 16 << 20;

/// The reason why a report could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream fails.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The report has more than [`MAX_BYTES`].
    #[error("more than {MAX_BYTES} bytes are no report")]
    TooLarge,
    /// The object is of another format, or of another version of this one.
    #[error("the schema is {}, not ioglass.report/1", text::shorten(found, 60))]
    OtherSchema {
        /// The schema that it names.
        found: String,
    },
    /// The text is not JSON, or has not the fields of a report.
    #[error("not a report: {}", text::shorten(&.0.to_string(), 200))]
    Json(serde_json::Error),
}

/// Reads one report. Unknown fields are skipped.
pub fn read(text: &str) -> Result<Report, ReadError> {
    read_bytes(text.as_bytes())
}

/// Reads one report of at most [`MAX_BYTES`] from a stream. Unknown fields are skipped.
pub fn read_from(input: impl Read) -> Result<Report, ReadError> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    read_bytes(within_limit(&bytes)?)
}

/// Reads reports, one on each line, as several logs give them. Empty lines are skipped.
pub fn read_lines<R: BufRead>(input: R) -> Reports<R> {
    Reports { input, line: Vec::new(), has_ended: false }
}

/// Reports of a stream. After a bad line the next one is read; after a failure of the stream, or a
/// line of more than [`MAX_BYTES`], nothing follows.
#[derive(Debug)]
pub struct Reports<R> {
    input: R,
    line: Vec<u8>,
    has_ended: bool,
}

impl<R: BufRead> Reports<R> {
    /// Reads the next line; returns false at the end.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        self.line.clear();
        let read = self.input.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut self.line)?;
        within_limit(&self.line)?;
        Ok(read > 0)
    }
}

impl<R: BufRead> Iterator for Reports<R> {
    type Item = Result<Report, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_ended {
            match self.next_line() {
                Ok(true) if self.line.trim_ascii().is_empty() => {}
                Ok(true) => return Some(read_bytes(&self.line)),
                Ok(false) => self.has_ended = true,
                Err(error) => {
                    self.has_ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

fn within_limit(bytes: &[u8]) -> Result<&[u8], ReadError> {
    if bytes.len() as u64 > MAX_BYTES { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

fn read_bytes(bytes: &[u8]) -> Result<Report, ReadError> {
    /// The one field that all formats have.
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    serde_json::from_slice(bytes).map_err(|error| match serde_json::from_slice(bytes) {
        Ok(Named { schema }) if schema != "ioglass.report/1" => {
            ReadError::OtherSchema { found: schema }
        }
        _ => ReadError::Json(error),
    })
}
