//! `ioglass lib`: where the preload library is.

use std::io::{self, Write};

use crate::failure::Failure;
use crate::job::library;

pub(super) fn run() -> Result<(), Failure> {
    let path = library::path()?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}
