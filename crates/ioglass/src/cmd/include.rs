//! `ioglass include`: the folder of what programs include to name their regions.

use std::io::{self, Write};

use ioglass_job::include;

use crate::cli::Include;
use crate::failure::Failure;

pub(super) fn run(args: &Include) -> Result<(), Failure> {
    let path = if args.python { include::python_path() } else { include::path() }?;
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}
