//! `ioglass content`: what HDF5 files contain, for `ioglass tune`.

use std::io::Write;

use ioglass_content::hdf5::Reader;
use serde_json::json;

use crate::cli::Content;
use crate::failure::{Failure, Message};

/// Prints a line of JSON for each file; null for one that cannot be read.
pub(super) fn run(args: &Content) -> Result<(), Failure> {
    let reader = Reader::load(&args.library)
        .map_err(|error| Failure::bad_input(Message::new(error.to_string())))?;
    let mut out = std::io::stdout().lock();
    for file in &args.files {
        let content = reader.of_file(file).ok();
        writeln!(out, "{}", json!(content))?;
        out.flush()?;
    }
    Ok(())
}
