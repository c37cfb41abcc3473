//! `ioglass profile compare`.

use std::io;
use std::process::ExitCode;

use ioglass_insight::profile::compare;
use ioglass_report::profile::terminal;
use ioglass_report::{json, profile};

use super::{damaged, open_one};
use crate::cli::ProfileCompare;
use crate::cmd::report::width;
use crate::failure::Failure;
use crate::glyphs;

/// Status for regions that are slower than --fail-on allows.
const SLOWER: u8 = 1;

pub(super) fn run(args: &ProfileCompare) -> Result<ExitCode, Failure> {
    let (before, after) = (open_one(&args.before)?, open_one(&args.after)?);
    let changes = compare(&before, &after);
    let limit = args.fail_on.map(|percent| percent / 100.0);
    let mut out = anstream::stdout().lock();
    if args.json {
        let document = profile::json::Comparison::new([&before, &after], &changes, limit);
        io::Write::write_fmt(&mut out, format_args!("{}\n", json::pretty(&document)))?;
    } else {
        let options = terminal::Options {
            width: args.width.map_or_else(|| width(io::stdout()), usize::from),
            is_verbose: args.verbose,
            is_ascii: glyphs::is_ascii(),
            ..terminal::Options::default()
        };
        terminal::compare(&mut out, [&before, &after], &changes, limit, &options)?;
    }
    let mut messages = damaged(&before);
    messages.extend(damaged(&after));
    if !messages.is_empty() {
        return Err(Failure::BadInput(messages));
    }
    let is_slower = limit.is_some_and(|limit| changes.slower_than(limit).next().is_some());
    Ok(if is_slower { ExitCode::from(SLOWER) } else { ExitCode::SUCCESS })
}
