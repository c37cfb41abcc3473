//! `ioglass recover`: logs out of what was left behind.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use ioglass_job::output::{self, OutputProblem};
use ioglass_job::recover::{Leftover, Recovered};
use ioglass_job::{Error, Living, LogOutput};
use ioglass_log::{Compression, Log};
use ioglass_report::number::{bytes, counted};
use ioglass_report::text::shorten;
use serde_json::{Value, json};

use super::spinner;
use crate::cli;
use crate::failure::{Failure, Message};

pub(super) fn run(args: &cli::Recover) -> Result<(), Failure> {
    let mut paths: Vec<PathBuf> = args.paths.clone();
    let mut alive = Vec::new();
    let is_given = !paths.is_empty();
    if !is_given {
        paths = Leftover::all().iter().map(|leftover| leftover.path().to_path_buf()).collect();
        let is_other = |job: &Leftover| !paths.iter().any(|path| path == job.path());
        alive = ioglass_job::recover::alive().into_iter().filter(is_other).collect();
    }
    let output = args.output.as_deref().map(|path| asked(path, paths.len())).transpose()?;
    let mut outcome = Outcome::default();
    for job in &alive {
        outcome.note_running(job);
    }
    for path in &paths {
        outcome.recover(path, output.as_ref(), is_given);
    }
    outcome.tell(args.json)
}

/// The output that was asked for, for this number of leftovers.
fn asked(path: &Path, leftovers: usize) -> Result<LogOutput, Failure> {
    let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
    let output = if leftovers > 1 && !path.is_dir() {
        // Several logs cannot have one name, so they are numbered.
        LogOutput::Named(path.into())
    } else {
        LogOutput::asked(path, "").map_err(cannot)?
    };
    let tried = if path.is_dir() { &path.join("log.darshan") } else { output.path() };
    output::try_to_write(tried).map_err(cannot)?;
    Ok(output)
}

/// The outcome of all leftovers.
#[derive(Default)]
struct Outcome {
    logs: Vec<RecoveredLog>,
    /// Processes that still run, and what that means.
    running: Vec<(Living, String)>,
    messages: Vec<Message>,
    /// True if a log could not be written.
    is_unwritten: bool,
}

impl Outcome {
    /// Notes the processes of a job whose log is not made now.
    fn note_running(&mut self, job: &Leftover) {
        let living = job.living().into_iter();
        self.running.extend(living.map(|process| (process, words_on_log(job))));
    }

    /// Recovers what is at a path, which was given or found. What was found may be gone by now, as its
    /// own command or another one has made its log, or may have begun just then.
    fn recover(&mut self, path: &Path, output: Option<&LogOutput>, is_given: bool) {
        let is_gone = || !is_given && !path.exists();
        let Some(leftover) = Leftover::at(path) else {
            if is_gone() {
                return;
            }
            match super::open(path) {
                Ok(log) => self.salvage(path, &log, output),
                Err(message) => self.messages.push(message),
            }
            return;
        };
        let living = leftover.living();
        let words = words_on_log(&leftover);
        let recovered = spinner::during(leftover.captured_bytes(), || leftover.recover(output));
        match recovered {
            Ok(recovered) => {
                let words = match &recovered[..] {
                    [] => words,
                    [first, ..] => so_far(&first.log),
                };
                self.running.extend(living.into_iter().map(|process| (process, words.clone())));
                let made = recovered.into_iter().map(|made| RecoveredLog::new(made, path));
                self.logs.extend(made);
            }
            Err(Error::StillRuns { .. }) if !is_given => {
                self.running.extend(living.into_iter().map(|process| (process, words.clone())));
            }
            Err(_) if is_gone() => {}
            Err(Error::StillRuns { job, living, .. }) => {
                let message = Message::new(format!("the job of {} still runs", path.display()));
                let message = living.iter().fold(message, |message, process| {
                    message.evidence(format!("process {}: {}", process.pid, command(process)))
                });
                self.messages.push(
                    message.evidence("Its log is written when it ends.").help(
                        format!("ioglass report --job {job}"),
                        "reports on what it did so far",
                    ),
                );
            }
            Err(error) => {
                self.is_unwritten |= matches!(error, Error::Write { .. });
                self.messages.push(cannot_recover(path, &error.into()));
            }
        }
    }

    /// Makes a log of the sound part of one that is truncated or damaged.
    fn salvage(&mut self, path: &Path, log: &Log, output: Option<&LogOutput>) {
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
        let ((file, problems), made) = match written {
            Ok(written) => written,
            Err(error) => {
                self.is_unwritten = true;
                self.messages.push(cannot_recover(path, &error));
                return;
            }
        };
        if problems.is_empty() && log.warnings().next().is_none() {
            // The copy is of no use.
            let _ = std::fs::remove_file(&made.path);
            let message = Message::new(format!("{name} is not damaged"));
            self.messages.push(message.evidence("There is nothing to recover."));
            return;
        }
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        let of = format!("the sound part of {name}");
        let meant = made.refused.map(|error| (output.path().to_path_buf(), format!("{error:#}")));
        self.logs.push(RecoveredLog { log: made.path, of, size, meant });
    }

    /// Prints what was made, what still runs and what failed.
    fn tell(self, as_json: bool) -> Result<(), Failure> {
        let mut printed = Ok(());
        if as_json {
            let logs: Vec<Value> = self.logs.iter().map(RecoveredLog::json).collect();
            let running: Vec<Value> = self.running.iter().map(running_json).collect();
            let result = json!({"schema": "ioglass.recover/1", "logs": logs, "running": running});
            printed = writeln!(io::stdout(), "{}", ioglass_report::json::line(&result));
        }
        for log in &self.logs {
            if let Some((path, reason)) = &log.meant {
                super::say_elsewhere(path, reason, "log", &log.log);
            }
            if !as_json {
                printed = printed.and_then(|()| writeln!(io::stdout(), "{}", log.words()));
            }
        }
        // A failure to print must not fail the command.
        let mut aside = anstream::stderr().lock();
        for (process, words) in self.running.iter().filter(|_| !as_json) {
            let (pid, command) = (process.pid, command(process));
            let _ = writeln!(aside, "note: process {pid} still runs: {command}\n  {words}");
        }
        let is_nothing = self.logs.is_empty() && self.messages.is_empty();
        if is_nothing && self.running.is_empty() && !as_json {
            let _ = writeln!(aside, "there is nothing to recover");
        }
        if self.is_unwritten {
            return Err(Failure::NotWritten(self.messages));
        }
        if !self.messages.is_empty() {
            return Err(Failure::BadInput(self.messages));
        }
        Ok(printed?)
    }
}

/// The command line of a process, for a message.
fn command(process: &Living) -> String {
    shorten(&process.command, 60)
}

/// A sentence on the log of a job of which processes still run.
fn words_on_log(job: &Leftover) -> String {
    match job.log() {
        Some((log, true)) => so_far(&log),
        Some((log, false)) => format!("{} is written when it ends.", log.display()),
        None => "It writes its log when it ends.".into(),
    }
}

fn so_far(log: &Path) -> String {
    format!(
        "What it did so far is in {}; recover writes the rest when it has ended.",
        log.display()
    )
}

fn running_json((process, words): &(Living, String)) -> Value {
    json!({"pid": process.pid, "command": process.command, "words": words})
}

/// A log that was made.
struct RecoveredLog {
    log: PathBuf,
    of: String,
    size: u64,
    /// The place that was asked for, and why the log is not there.
    meant: Option<(PathBuf, String)>,
}

impl RecoveredLog {
    fn new(recovered: Recovered, source: &Path) -> Self {
        let Recovered { log, job, refused, .. } = recovered;
        let of = match job {
            Some(job) => {
                let processes = counted(job.captures as u64, "process", "processes");
                format!("{processes} of job {}, {}", job.jobid, job.command)
            }
            None => format!("the parts in {}", source.display()),
        };
        let size = log.metadata().map_or(0, |metadata| metadata.len());
        let meant = refused.map(|refused| (refused.path, refused.reason));
        Self { log, of, size, meant }
    }

    fn words(&self) -> String {
        let (log, size) = (self.log.display(), bytes(self.size));
        format!("wrote {log}, {size}: {}", shorten(&self.of, 80))
    }

    fn json(&self) -> Value {
        json!({"log": self.log.to_string_lossy(), "size": self.size, "of": self.of})
    }
}

fn cannot_recover(path: &Path, error: &anyhow::Error) -> Message {
    Message::new(format!("{} cannot be recovered", path.display())).evidence(format!("{error:#}"))
}
