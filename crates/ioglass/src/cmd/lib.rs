//! `ioglass lib`: the path of the preload library.

use std::io::{self, Write};

use ioglass_job::library;

use crate::failure::Failure;

pub(super) fn run() -> Result<(), Failure> {
    let path = library::path()?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}
