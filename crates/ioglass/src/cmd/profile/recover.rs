//! `ioglass profile recover`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_job::output::{self, OutputProblem};
use ioglass_job::recover::Leftover;
use ioglass_job::{Error, MadeProfile, free_path};
use ioglass_profile::{Set, State};
use ioglass_report::number::bytes;

use super::cannot_open;
use crate::cli::ProfileRecover;
use crate::failure::{Failure, Message};

pub(super) fn run(args: &ProfileRecover) -> Result<ExitCode, Failure> {
    let mut outcome = Outcome::default();
    let mut paths = args.paths.clone();
    if paths.is_empty() {
        // Most jobs have no regions.
        let all = Leftover::all().into_iter().filter(Leftover::has_regions);
        paths = all.map(|leftover| leftover.path().to_path_buf()).collect();
    }
    let (files, jobs): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.into_iter().partition(|path| is_profile(path));
    let (sets, errors) = Set::open(&files);
    if let Some(path) = &args.output {
        check_output(path, sets.len() + jobs.len())?;
    }
    let output = args.output.as_deref();
    outcome.messages.extend(errors.iter().map(cannot_open));
    sets.iter().for_each(|set| outcome.recover_files(set, output));
    jobs.iter().for_each(|job| outcome.recover_job(job, output));
    outcome.tell()
}

/// Returns true for profiles and for directories of profiles; what is neither may be a job.
fn is_profile(path: &Path) -> bool {
    let ends = |path: &Path| path.extension().is_some_and(|end| end == "ioprof");
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().any(|entry| ends(&entry.path())),
        Err(_) => Leftover::at(path).is_none(),
    }
}

fn check_output(path: &Path, count: usize) -> Result<(), Failure> {
    if path.is_dir() {
        return Ok(());
    }
    if count > 1 {
        let message = Message::new(format!("{} is one file, for {count} profiles", path.display()));
        return Err(Failure::usage(message.evidence("-o takes a directory for several profiles.")));
    }
    let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
    output::try_to_write(path).map_err(cannot)
}

/// The outcome of all that was asked for.
#[derive(Default)]
struct Outcome {
    written: Vec<(PathBuf, String)>,
    messages: Vec<Message>,
    /// True if a profile could not be written.
    is_unwritten: bool,
}

impl Outcome {
    /// Puts what is sound in files together.
    fn recover_files(&mut self, set: &Set, output: Option<&Path>) {
        let Some(named) = set.named().first() else { return };
        let name = named.display().to_string();
        let mut profile = set.whole();
        let is_sound = set.take_problems().is_empty();
        if is_sound && !named.is_dir() {
            let message = Message::new(format!("{name} is not damaged"));
            self.messages.push(message.evidence("There is nothing to recover."));
            return;
        }
        profile.head.state = State::Recovered;
        let usual = usual_name(named);
        let path = match output {
            Some(folder) if folder.is_dir() => {
                free_path(&folder.join(usual.file_name().unwrap_or_default()), &profile)
            }
            Some(path) => path.to_path_buf(),
            None => free_path(&usual, &profile),
        };
        let what = if is_sound { "all" } else { "the sound part" };
        match ioglass_job::write_rest(&profile, set.summaries(), &path) {
            Ok(()) => self.written.push((path, format!("{what} of {name}"))),
            Err(error) => self.cannot_write(&path, &error),
        }
    }

    /// Makes the profile of a dead job or of a capture.
    fn recover_job(&mut self, path: &Path, output: Option<&Path>) {
        let name = path.display();
        let Some(leftover) = Leftover::at(path) else { return };
        match leftover.recover_profile(output) {
            Ok(None) => {
                let message = Message::new(format!("{name} has no profile"));
                self.messages.push(message.evidence("No region was entered."));
            }
            Ok(Some(MadeProfile { path: Some(path), .. })) => {
                self.written.push((path, format!("what {name} left behind")));
            }
            Ok(Some(made)) => {
                self.is_unwritten = true;
                let (path, reason) = made.refused.map(|r| (r.path, r.reason)).unwrap_or_default();
                let message = Message::new(format!("cannot write {}", path.display()));
                self.messages.push(message.evidence(reason));
            }
            Err(Error::StillRuns { job, .. }) => {
                let message = Message::new(format!("the job of {name} still runs"));
                let message = message.evidence("Its profile is written when it ends.");
                self.messages.push(
                    message.help(
                        format!("ioglass report --job {job}"),
                        "reports on what it did so far",
                    ),
                );
            }
            Err(error) => self.cannot_write(path, &error),
        }
    }

    fn cannot_write(&mut self, path: &Path, error: &Error) {
        self.is_unwritten = true;
        let message = Message::new(format!("cannot write {}", path.display()));
        self.messages.push(message.evidence(error));
    }

    fn tell(self) -> Result<ExitCode, Failure> {
        let mut printed = Ok(());
        for (path, of) in &self.written {
            let size = path.metadata().map_or(0, |metadata| metadata.len());
            let line = format!("wrote {}, {}: {of}", path.display(), bytes(size));
            printed = printed.and_then(|()| writeln!(io::stdout(), "{line}"));
        }
        if self.written.is_empty() && self.messages.is_empty() {
            // A failure to print must not fail the command.
            let _ = writeln!(anstream::stderr(), "there is nothing to recover");
        }
        match (self.is_unwritten, self.messages.is_empty()) {
            (true, _) => Err(Failure::NotWritten(self.messages)),
            (false, false) => Err(Failure::BadInput(self.messages)),
            (false, true) => Ok(printed.map(|()| ExitCode::SUCCESS)?),
        }
    }
}

/// `app.snapshot` becomes `app.ioprof`, unless that exists; other names get a suffix.
fn usual_name(named: &Path) -> PathBuf {
    let whole = named.with_extension("ioprof");
    match named.extension().is_some_and(|end| end == "snapshot") && !whole.exists() {
        true => whole,
        false => output::with_suffix(&whole, "_recovered"),
    }
}
