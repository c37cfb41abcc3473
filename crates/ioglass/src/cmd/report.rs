//! `ioglass report` and `ioglass explain`: diagnoses of logs.

mod compare;
mod input;

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::mem;
use std::path::Path;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use ioglass_insight::memory::MemoryRecording;
use ioglass_insight::model::Run;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::view::{Room, View};
use ioglass_insight::{Diagnosis, Level, RankKind, Recording, detect, worst};
use ioglass_job::output::{self, OutputProblem};
use ioglass_job::running;
use ioglass_report::terminal::{self, Only, Options};
use ioglass_report::{html, json, text};
use serde_json::{Value, json};

use super::html_output::HtmlOutput;
use crate::cli::{self, FailOn, ReportFailOn};
use crate::failure::{Failure, Message};
use crate::glyphs;
use crate::recorded;
use input::{Input, find};

/// Status for findings at or above --fail-on.
const FOUND: u8 = 1;
/// What is said of damaged logs.
const DIAGNOSED: &str = "The sound part was diagnosed.";
/// From this number of logs on there is a progress bar.
const MANY: usize = 20;

pub(super) fn run(args: &cli::Report) -> Result<ExitCode, Failure> {
    let thresholds = thresholds(args.config.as_deref())?;
    if !args.compare.is_empty() {
        return compare::run(args, &thresholds);
    }
    let fail_on = levels(&args.fail_on)?;
    if args.thresholds {
        let mut out = glyphs::shown(anstream::stdout().lock());
        terminal::thresholds(&mut out, &thresholds)?;
        return Ok(ExitCode::SUCCESS);
    }
    let only = only(args.only.as_deref())?;
    let (logs, mut messages) = match &args.job {
        Some(id) => (vec![Input::Job(running::find(id)?)], Vec::new()),
        None => find(&args.logs),
    };
    let mut out = ReportOutput::new(args, logs.len())?;
    let bar = bar(logs.len());
    let mut highest = None;
    for (log, left) in logs.iter().zip((0..logs.len()).rev()) {
        match diagnose(log, args.compat, &thresholds, DIAGNOSED) {
            Ok(mut found) => {
                messages.extend(found.damage.take());
                found.diagnosis.findings.retain(|finding| only.admits(finding));
                highest = highest.max(worst(&found.diagnosis.findings));
                bar.suspend(|| out.write(args, &only, log, &found))?;
                // The memory of the last one is not freed: with very many files that takes long, and
                // the system frees it at once.
                if left == 0 {
                    mem::forget(found);
                }
            }
            Err(message) => messages.push(message),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    out.finish()?;
    if !messages.is_empty() {
        return Err(Failure::BadInput(messages));
    }
    Ok(status(fail_on, highest))
}

/// The lowest level that is a failure. Changes are for comparisons.
fn levels(fail_on: &[ReportFailOn]) -> Result<Option<FailOn>, Failure> {
    let level = |fail_on: &ReportFailOn| match fail_on {
        ReportFailOn::Level(level) => Ok(*level),
        ReportFailOn::Change(_) => {
            let message = Message::new("--fail-on slower and new need a comparison".into());
            let command = "ioglass report --compare BEFORE AFTER --fail-on slower".into();
            Err(Failure::usage(message.help(command, "compares two runs")))
        }
    };
    let levels = fail_on.iter().map(level).collect::<Result<Vec<_>, _>>()?;
    Ok(levels.into_iter().min_by_key(|fail_on| fail_on.level()))
}

/// The exit status for the highest level of the findings.
pub(super) fn status(fail_on: Option<FailOn>, highest: Option<Level>) -> ExitCode {
    match fail_on {
        Some(limit) if highest >= Some(limit.level()) => ExitCode::from(FOUND),
        _ => ExitCode::SUCCESS,
    }
}

/// The limits: the default, or those of a file.
fn thresholds(config: Option<&Path>) -> Result<Thresholds, Failure> {
    let Some(path) = config else { return Ok(Thresholds::default()) };
    let bad = |evidence: String| {
        let message = Message::new(format!("{} cannot be used as --config", path.display()));
        let message = message.evidence(evidence);
        Failure::bad_input(
            message.help("ioglass report --thresholds".into(), "prints a valid file"),
        )
    };
    let settings = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    Thresholds::read(&settings).map_err(|error| bad(error.to_string()))
}

fn only(names: Option<&str>) -> Result<Only, Failure> {
    Only::parse(names.unwrap_or_default(), detect::ALL).map_err(|error| {
        let message = Message::new("--only takes codes, names, dimensions or levels".into());
        let message = message.evidence(error);
        Failure::usage(message.help("ioglass explain".into(), "lists all codes and names"))
    })
}

/// A recorded run and its diagnosis.
struct Diagnosed {
    recording: Box<dyn Recording>,
    /// None for another tool's verdicts.
    run: Option<Run>,
    diagnosis: Diagnosis,
    damage: Option<Message>,
}

/// Diagnoses a log or a running job and lists its damage, with what is `damaged` done about it.
fn diagnose(
    input: &Input,
    compat: Option<cli::Compat>,
    thresholds: &Thresholds,
    damaged: &str,
) -> Result<Diagnosed, Message> {
    let (path, log) = (&input.path(), input.open()?);
    // There is no log of a running job: its records are taken out of the snapshot.
    let memory = match input {
        Input::Job(_) => Some(MemoryRecording::copy_of(&log)),
        Input::Log(_) => None,
    };
    let memory = memory.transpose().map_err(|error| Message::cannot_open(path, &error))?;
    let recording: &dyn Recording = memory.as_ref().map_or(&log, |memory| memory);
    let (run, mut diagnosis) = match compat {
        None => {
            let run = Run::with_limits(recording, thresholds);
            let diagnosis = Diagnosis::of_run(&run, thresholds);
            (Some(run), diagnosis)
        }
        Some(cli::Compat::Drishti) => {
            let diagnosis = Diagnosis::compat(&log, thresholds);
            (None, diagnosis.map_err(|error| Message::cannot_open(path, &error))?)
        }
    };
    recorded::add_warnings(&mut diagnosis, &log, matches!(input, Input::Job(_)));
    let problems = run.as_ref().map_or(&[][..], |run| &run.damage);
    let damage = Message::damaged(path, &log, problems, damaged);
    let recording: Box<dyn Recording> = match memory {
        Some(memory) => Box::new(memory),
        None => Box::new(log),
    };
    Ok(Diagnosed { recording, run, diagnosis, damage })
}

fn bar(logs: usize) -> ProgressBar {
    if logs < MANY || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "reading  {bar:32}  {pos}/{len}  {elapsed}, {eta} left";
    let style =
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(logs as u64).with_style(style.progress_chars("━╸╌"))
}

/// The output of reports.
struct ReportOutput {
    json: Option<Box<dyn Write>>,
    pages: Option<HtmlOutput>,
    several: bool,
    written: usize,
}

impl ReportOutput {
    fn new(args: &cli::Report, logs: usize) -> Result<Self, Failure> {
        let pages =
            args.html.as_ref().map(|file| HtmlOutput::new(file.as_deref(), logs)).transpose()?;
        let json: Option<Box<dyn Write>> = match &args.json {
            None => None,
            Some(None) => Some(Box::new(io::stdout().lock())),
            Some(Some(path)) => {
                let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
                output::try_to_write(path).map_err(cannot)?;
                let file = File::create(path).map_err(|error| cannot(error.into()))?;
                Some(Box::new(BufWriter::new(file)))
            }
        };
        Ok(Self { json, pages, several: logs > 1, written: 0 })
    }

    fn write(
        &mut self,
        args: &cli::Report,
        only: &Only,
        input: &Input,
        found: &Diagnosed,
    ) -> Result<(), Failure> {
        let log = &input.path();
        let diagnosis = &found.diagnosis;
        self.written += 1;
        if let (Some(pages), Some(run)) = (&mut self.pages, &found.run) {
            let view = |room: &Room| View::of(&*found.recording, run, room);
            return pages.write(log, &html::page(diagnosis, view, log));
        }
        if let Some(out) = &mut self.json {
            let report = json::Report::new(diagnosis, log);
            let text = if self.several { json::line(&report) } else { json::pretty(&report) };
            return Ok(writeln!(out, "{text}")?);
        }
        let options = Options {
            width: args.width.map_or_else(|| width(io::stdout()), usize::from),
            verbosity: args.verbose,
            is_ascii: glyphs::is_ascii(),
            only_codes: args.codes,
            only: only.clone(),
            is_job: args.job.is_some(),
            ..Options::new(log)
        };
        let mut out = anstream::stdout().lock();
        if args.quiet {
            return Ok(writeln!(out, "{}", terminal::summary_line(diagnosis, &options))?);
        }
        if args.codes && self.several {
            writeln!(out, "{}:", text::clean(&log.to_string_lossy()))?;
        } else if self.written > 1 {
            writeln!(out)?;
        }
        Ok(terminal::write(&mut out, diagnosis, &options)?)
    }

    fn finish(self) -> io::Result<()> {
        self.json.map_or(Ok(()), |mut out| out.flush())
    }
}

/// Columns of the terminal, or 80.
pub(super) fn width(stream: impl std::os::fd::AsFd) -> usize {
    let terminal = terminal_size::terminal_size_of(stream);
    terminal.map_or(80, |(width, _)| usize::from(width.0)).clamp(40, 160)
}

pub(super) fn explain(args: &cli::Explain) -> Result<(), Failure> {
    let mut out = glyphs::shown(anstream::stdout().lock());
    let Some(name) = &args.code else {
        if args.json {
            let all: Vec<Value> = detect::ALL.iter().map(|detector| about(detector)).collect();
            writeln!(out, "{}", json::pretty(&all))?;
            return Ok(());
        }
        for detector in detect::ALL {
            writeln!(out, "{}  {:24} {}", detector.code, detector.slug, detector.what)?;
        }
        return Ok(());
    };
    let Some(detector) = detect::find(name) else {
        let message = Message::new(format!("{name} is not the code or name of a finding"));
        let message = message.help("ioglass explain".into(), "lists all of them");
        return Err(Failure::usage(message));
    };
    let thresholds = thresholds(args.config.as_deref())?;
    let log = args.log.as_deref().unwrap_or(Path::new(""));
    let (diagnosis, damage) = match &args.log {
        Some(path) => {
            let input = Input::Log(path.clone());
            let found =
                diagnose(&input, None, &thresholds, DIAGNOSED).map_err(Failure::bad_input)?;
            mem::forget(found.run);
            (Some(found.diagnosis), found.damage)
        }
        None => (None, None),
    };
    // The sound part of a damaged log is explained.
    let status = damage.map_or(Ok(()), |damage| Err(Failure::bad_input(damage)));
    let finding = diagnosis.as_ref().and_then(|diagnosis| {
        diagnosis.findings.iter().find(|finding| finding.detector.code == detector.code)
    });
    if args.json {
        let mut value = about(detector);
        if let (Some(object), Some(_)) = (value.as_object_mut(), &args.log) {
            let finding = serde_json::to_value(finding.map(json::Finding::from));
            object.insert("finding".into(), finding.map_err(io::Error::from)?);
        }
        writeln!(out, "{}", json::pretty(&value))?;
        return status;
    }
    let options = Options {
        width: width(io::stdout()),
        is_ascii: glyphs::is_ascii(),
        verbosity: 1,
        rank_kind: diagnosis.as_ref().map_or(RankKind::Mpi, |found| found.subject.rank_kind),
        ..Options::new(log)
    };
    terminal::explain(&mut out, detector, finding, &options)?;
    status
}

/// A check, for programs.
fn about(detector: &detect::Detector) -> Value {
    json!({
        "code": detector.code,
        "name": detector.slug,
        "dimension": detector.dimension.word(),
        "highest": detector.highest.word(),
        "what": detector.what,
        "condition": detector.condition,
        "why": detector.why,
        "fix": detector.fix,
        "see": detector.see,
    })
}
