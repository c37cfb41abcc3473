//! `ioglass recover`: logs out of what was left behind.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use ioglass_job::recover::{Leftover, Recovered};
use ioglass_job::{Error, LogOutput, output};
use ioglass_log::{Compression, Log};
use ioglass_report::number::{bytes, counted};
use ioglass_report::text::shorten;
use serde_json::{Value, json};

use super::spinner;
use crate::cli;
use crate::failure::{Failure, Message};

pub(super) fn run(args: &cli::Recover) -> Result<(), Failure> {
    let mut paths: Vec<PathBuf> = args.paths.clone();
    if paths.is_empty() {
        paths = Leftover::all().iter().map(|leftover| leftover.path().to_path_buf()).collect();
    }
    let output = match &args.output {
        // Several logs cannot have one name, so they are numbered.
        Some(path) if paths.len() > 1 && !path.is_dir() => Some(LogOutput::Named(path.clone())),
        Some(path) => Some(LogOutput::asked(path, "")?),
        None => None,
    };
    let mut messages = Vec::new();
    let mut logs = Vec::new();
    for path in &paths {
        match recover(path, output.as_ref()) {
            Ok(made) => {
                for log in made.iter().filter(|_| !args.json) {
                    writeln!(io::stdout(), "{}", log.words())?;
                }
                logs.extend(made);
            }
            Err(message) => messages.push(message),
        }
    }
    if args.json {
        let logs: Vec<Value> = logs.iter().map(RecoveredLog::json).collect();
        let result = json!({"schema": "ioglass.recover/1", "logs": logs});
        writeln!(io::stdout(), "{}", ioglass_report::json::line(&result))?;
    } else if logs.is_empty() && messages.is_empty() {
        // A failure to print must not fail the command.
        let _ = writeln!(anstream::stderr(), "there is nothing to recover");
    }
    if messages.is_empty() { Ok(()) } else { Err(Failure::BadInput(messages)) }
}

/// A log that was made.
struct RecoveredLog {
    log: PathBuf,
    of: String,
    size: u64,
}

impl RecoveredLog {
    fn new(recovered: Recovered, source: &Path) -> Self {
        let Recovered { log, job, .. } = recovered;
        let of = match job {
            Some(job) => {
                let processes = counted(job.captures as u64, "process", "processes");
                format!("{processes} of job {}, {}", job.jobid, job.command)
            }
            None => format!("the parts in {}", source.display()),
        };
        let size = log.metadata().map_or(0, |metadata| metadata.len());
        Self { log, of, size }
    }

    fn words(&self) -> String {
        let (log, size) = (self.log.display(), bytes(self.size));
        format!("wrote {log}, {size}: {}", shorten(&self.of, 80))
    }

    fn json(&self) -> Value {
        json!({"log": self.log.to_string_lossy(), "size": self.size, "of": self.of})
    }
}

fn recover(path: &Path, output: Option<&LogOutput>) -> Result<Vec<RecoveredLog>, Message> {
    let Some(leftover) = Leftover::at(path) else {
        let log = super::open(path)?;
        return salvage(path, &log, output).map(|made| vec![made]);
    };
    let recovered = spinner::during(leftover.captured_bytes(), || leftover.recover(output));
    let recovered = recovered.map_err(|error| match error {
        Error::StillRuns => Message::new(format!("the job of {} still runs", path.display()))
            .evidence("Its log is written when it ends."),
        error => cannot_recover(path, &error.into()),
    })?;
    Ok(recovered.into_iter().map(|made| RecoveredLog::new(made, path)).collect())
}

fn cannot_recover(path: &Path, error: &anyhow::Error) -> Message {
    Message::new(format!("{} cannot be recovered", path.display())).evidence(format!("{error:#}"))
}

/// Makes a log of the sound part of one that is truncated or damaged.
fn salvage(path: &Path, log: &Log, output: Option<&LogOutput>) -> Result<RecoveredLog, Message> {
    let name = path.display();
    let usual = LogOutput::Named(output::with_suffix(path, "_recovered"));
    let output = match output {
        Some(LogOutput::Named(directory)) if directory.is_dir() => {
            LogOutput::Named(directory.join(usual.path().file_name().unwrap_or_default()))
        }
        Some(output) => output.clone(),
        None => usual,
    };
    let write = |file: File, _: Option<&Path>| {
        ioglass_log::salvage(log, file, Compression::Zlib).context("cannot write the log")
    };
    let written = output.write(write);
    let written = written.with_context(|| format!("cannot write {}", output.path().display()));
    let ((file, problems), made) = written.map_err(|error| cannot_recover(path, &error))?;
    if problems.is_empty() && log.warnings().next().is_none() {
        // The copy is of no use.
        let _ = std::fs::remove_file(&made);
        return Err(
            Message::new(format!("{name} is not damaged")).evidence("There is nothing to recover.")
        );
    }
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(RecoveredLog { log: made, of: format!("the sound part of {name}"), size })
}
