//! `ioglass merge`: logs of one job become one.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use ioglass_job::LogOutput;
use ioglass_job::output::OutputProblem;
use ioglass_merge::{Error, Merge, Summary};
use ioglass_report::number::{bytes, counted};
use serde_json::json;

use crate::cli;
use crate::failure::{Failure, Message};

pub(super) fn run(args: &cli::Merge) -> Result<(), Failure> {
    check(&args.logs, &args.output).map_err(Failure::usage)?;
    let cannot = |problem: OutputProblem| Failure::cannot_write(&args.output, &problem);
    let output = LogOutput::asked(&args.output, "merged.darshan").map_err(cannot)?;
    output.try_to_write().map_err(cannot)?;
    let merge = Merge::new(&args.logs, args.force).map_err(failure)?;
    let mut bar = None;
    let mut progress = |done: u64, total: u64| {
        // Drawn on standard error, and only on a terminal.
        let bar = bar.get_or_insert_with(|| new_bar(args.logs.len(), total));
        bar.set_position(done);
    };
    let mut problem = None;
    let written = output.write(|file, meant| {
        // The inputs still exist, so no fallback is needed.
        if meant.is_some() {
            return Err(io::Error::other("it is not written elsewhere"));
        }
        merge.write(file, &mut progress).map(|(_, summary)| summary).map_err(|error| {
            let text = error.to_string();
            problem = Some(error);
            io::Error::other(text)
        })
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let (summary, log) = written.map_err(|error| match problem.take() {
        Some(problem @ Error::Read { .. }) => failure(problem),
        _ => cannot(error.into()),
    })?;
    tell(args, &summary, &log.path)
}

/// Fewer logs are merged before a bar could be seen.
const MANY: usize = 20;

fn new_bar(logs: usize, total: u64) -> ProgressBar {
    if logs < MANY {
        return ProgressBar::hidden();
    }
    let style = "merging  {bar:32}  {percent} %  {elapsed}, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style.progress_chars("━╸╌"))
}

/// Checks the arguments: a log that is given twice would count twice.
fn check(logs: &[PathBuf], output: &Path) -> Result<(), Message> {
    let mut seen = HashSet::new();
    for log in logs {
        let name = log.display();
        let real = fs::canonicalize(log).unwrap_or_else(|_| log.clone());
        if log == Path::new("-") {
            return Err(Message::new("a log cannot be read from standard input".into())
                .evidence("A merge reads each log several times, which needs files."));
        }
        if fs::canonicalize(output).is_ok_and(|output| output == real) {
            return Err(Message::new(format!("{name} is one of the logs"))
                .evidence("The merged log needs a name of its own."));
        }
        if !seen.insert(real) {
            return Err(Message::new(format!("{name} is given twice"))
                .evidence("Its contents would count twice."));
        }
    }
    Ok(())
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Read { log, error } => {
            let message = Message::cannot_open(&log, &error);
            Failure::bad_input(match error {
                ioglass_log::Error::Corrupt { .. } => {
                    let log = ioglass_report::text::quoted(&log.to_string_lossy());
                    message.help(format!("ioglass recover {log}"), "makes a log of the sound part")
                }
                _ => message,
            })
        }
        Error::Different(difference) => Failure::bad_input(
            Message::new("these logs are not of one job".into())
                .evidence(difference)
                .help("ioglass merge --force …".into(), "merges them anyway"),
        ),
        error => Failure::Own(error.into()),
    }
}

fn tell(args: &cli::Merge, summary: &Summary, log: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(log).with_context(|| format!("cannot read {}", log.display()))?;
    let size = metadata.len();
    let Summary { ranks, missing, shared, joined, left_out, .. } = summary;
    if args.json {
        let result = json!({
            "schema": "ioglass.merge/1",
            "log": log.to_string_lossy(),
            "size": size,
            "logs": args.logs.len(),
            "ranks": ranks,
            "missing_ranks": missing,
            "shared_records": shared,
            "joined_records": joined,
            "left_out": left_out,
        });
        writeln!(std::io::stdout(), "{}", ioglass_report::json::line(&result))?;
        return Ok(());
    }
    // A failure to print must not fail the command.
    let mut aside = anstream::stderr().lock();
    if *missing > 0 {
        let there = ranks - missing;
        let _ = writeln!(
            aside,
            "note: {there} of {ranks} ranks are in these logs; the merged log notes it"
        );
    }
    for what in left_out {
        let _ = writeln!(aside, "note: {what} cannot be merged and was left out");
    }
    let (logs, ranks) = (
        counted(args.logs.len() as u64, "log", "logs"),
        counted(ranks.unsigned_abs(), "rank", "ranks"),
    );
    let _ = writeln!(aside, "wrote {}, {}: {ranks} of {logs}", log.display(), bytes(size));
    Ok(())
}
