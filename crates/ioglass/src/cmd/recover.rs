//! `ioglass recover`: logs out of what was left behind.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use ioglass_log::{Compression, Log};
use ioglass_report::number::{bytes, counted};
use ioglass_report::text::shorten;
use serde_json::{Value, json};

use crate::cli;
use crate::failure::{Failure, Message};
use crate::job::file::JobFile;
use crate::job::leftover::{self, Recovered};
use crate::job::output::{self, Output};
use crate::job::{parts, place, rooms};

pub(super) fn run(args: &cli::Recover) -> Result<(), Failure> {
    let mut work: Vec<PathBuf> = args.paths.clone();
    if work.is_empty() {
        work = place::jobs().into_iter().filter(|folder| is_dead(folder)).collect();
        rooms::remove_empty();
    }
    let output = match &args.output {
        // Several logs cannot have one name; they are numbered then.
        Some(path) if work.len() > 1 && !path.is_dir() => Some(Output::Named(path.clone())),
        Some(path) => Some(Output::asked(path, "").map_err(Failure::usage)?),
        None => None,
    };
    let mut messages = Vec::new();
    let mut logs = Vec::new();
    for path in &work {
        let done = recover(path, output.as_ref());
        match done {
            Ok(made) => {
                for made in made.iter().filter(|_| !args.json) {
                    writeln!(io::stdout(), "{}", made.words())?;
                }
                logs.extend(made);
            }
            Err(message) => messages.push(message),
        }
    }
    if args.json {
        let logs: Vec<Value> = logs.iter().map(Made::json).collect();
        let result = json!({"schema": "ioglass.recover/1", "logs": logs});
        writeln!(io::stdout(), "{}", ioglass_report::json::line(&result))?;
    } else if logs.is_empty() && messages.is_empty() {
        // A courtesy that must not fail the command.
        let _ = writeln!(anstream::stderr(), "there is nothing to recover");
    }
    if messages.is_empty() { Ok(()) } else { Err(Failure::BadInput(messages)) }
}

/// Whether nobody works on the job any more.
fn is_dead(folder: &Path) -> bool {
    JobFile::read(folder).is_none_or(|job| !leftover::is_running(folder, &job))
}

/// A log that was made.
struct Made {
    log: PathBuf,
    of: String,
    size: u64,
}

impl Made {
    fn merged(log: PathBuf, parts: &Path) -> Self {
        let size = log.metadata().map_or(0, |metadata| metadata.len());
        Self { log, of: format!("the parts in {}", parts.display()), size }
    }

    fn words(&self) -> String {
        let (log, size) = (self.log.display(), bytes(self.size));
        format!("wrote {log}, {size}: {}", shorten(&self.of, 80))
    }

    fn json(&self) -> Value {
        json!({"log": self.log.to_string_lossy(), "size": self.size, "of": self.of})
    }
}

impl From<Recovered> for Made {
    fn from(recovered: Recovered) -> Self {
        let Recovered { log, command, jobid, summary } = recovered;
        let processes = counted(summary.captures as u64, "process", "processes");
        let size = log.metadata().map_or(0, |metadata| metadata.len());
        Self { log, of: format!("{processes} of job {jobid}, {command}"), size }
    }
}

fn recover(path: &Path, output: Option<&Output>) -> Result<Vec<Made>, Message> {
    let name = path.display();
    let cannot = |error: anyhow::Error| {
        Message::new(format!("{name} cannot be recovered")).evidence(format!("{error:#}"))
    };
    if let Some(log) = parts::log_of(path).filter(|_| path.is_dir()) {
        let usual = Output::Named(log);
        let made = parts::recover(path, output.unwrap_or(&usual)).map_err(cannot)?;
        return Ok(made.into_iter().map(|log| Made::merged(log, path)).collect());
    }
    if path.is_dir() {
        if !is_dead(path) {
            return Err(Message::new(format!("{name} is of a job that still runs"))
                .evidence("Its log is written when it ends."));
        }
        let recovered = leftover::recover(path, named(output, path).as_ref()).map_err(cannot)?;
        return Ok(recovered.into_iter().map(Made::from).collect());
    }
    if leftover::is_capture(path) {
        let output = named(output, path);
        let recovered = leftover::recover_capture(path, output.as_ref()).map_err(cannot)?;
        return Ok(recovered.into_iter().map(Made::from).collect());
    }
    let log = super::open(path)?;
    salvage(path, &log, output).map(|made| vec![made])
}

/// A folder as output takes logs under their usual names.
fn named(output: Option<&Output>, source: &Path) -> Option<Output> {
    match output? {
        Output::Named(path) if path.is_dir() => {
            let job = JobFile::read(source);
            let name = job.and_then(|job| Some(job.log.file_name()?.to_owned()));
            let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Some(Output::Named(path.join(name.unwrap_or_else(|| format!("{stem}.darshan").into()))))
        }
        other => Some(other.clone()),
    }
}

/// A log of the sound part of one that is cut off or damaged.
fn salvage(path: &Path, log: &Log, output: Option<&Output>) -> Result<Made, Message> {
    let name = path.display();
    let usual = Output::Named(output::with_suffix(path, "_recovered"));
    let output = match output {
        Some(Output::Named(folder)) if folder.is_dir() => {
            Output::Named(folder.join(usual.path().file_name().unwrap_or_default()))
        }
        Some(output) => output.clone(),
        None => usual,
    };
    let write = |file: File, _: Option<&Path>| {
        ioglass_log::salvage(log, file, Compression::Zlib).context("cannot write the log")
    };
    let ((file, problems), made) = output.write(write).map_err(|error| {
        Message::new(format!("{name} cannot be recovered")).evidence(format!("{error:#}"))
    })?;
    if problems.is_empty() && log.warnings().next().is_none() {
        // The copy is of no use.
        let _ = std::fs::remove_file(&made);
        return Err(
            Message::new(format!("{name} is whole")).evidence("There is nothing to recover.")
        );
    }
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    Ok(Made { log: made, of: format!("the sound part of {name}"), size })
}
