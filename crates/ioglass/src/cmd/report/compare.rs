//! `ioglass report --compare`: runs before a change against runs after it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ioglass_insight::Level;
use ioglass_insight::compare::{Comparison, LeftOut, Repetition, State};
use ioglass_insight::threshold::Thresholds;
use ioglass_job::output::{self, OutputProblem};
use ioglass_report::compare::{self, json, terminal};
use ioglass_report::picture::svg;
use ioglass_report::text;

use super::input::{Input, find};
use super::{FOUND, bar, diagnose, width};
use crate::cli::{self, ChangeFailOn, ReportFailOn};
use crate::cmd::check_file;
use crate::cmd::html_output;
use crate::failure::{Failure, Message};
use crate::glyphs;

pub(super) fn run(args: &cli::Report, thresholds: &Thresholds) -> Result<ExitCode, Failure> {
    let changes = changes(&args.fail_on)?;
    let output = Output::of(args)?;
    let (before, after) =
        (Runs::read(&args.compare, thresholds), Runs::read(&args.logs, thresholds));
    let is_empty =
        [("before", &before), ("after", &after)].into_iter().find(|(_, it)| it.runs.is_empty());
    if let Some((side, _)) = is_empty {
        let title = format!("there is no sound log of {side} to compare");
        let mut messages = before.messages;
        messages.extend(after.messages);
        let help = "ioglass report --compare BEFORE AFTER".into();
        messages.push(Message::new(title).help(help, "BEFORE and AFTER are logs or directories"));
        return Err(Failure::BadInput(messages));
    }
    let is_both = |run: &&Repetition| {
        let path = |run: &Repetition| fs::canonicalize(&run.log).ok();
        path(run).is_some_and(|own| after.runs.iter().any(|run| path(run).as_ref() == Some(&own)))
    };
    if let Some(run) = before.runs.iter().find(is_both) {
        // A failure to print must not fail the command.
        let _ = writeln!(io::stderr(), "note: {} is on both sides", run.log.display());
    }
    let unread = [before.unread, after.unread];
    let Some(comparison) = Comparison::of(before.runs, after.runs, args.same_work) else {
        return Ok(ExitCode::SUCCESS);
    };
    output.write(args, &comparison, &unread)?;
    // They are left out, which is no failure.
    let mut errors = anstream::stderr().lock();
    for message in before.messages.iter().chain(&after.messages) {
        // A failure to print must not fail the command.
        let _ = message.write(&mut errors);
    }
    let is_found = |change: &ChangeFailOn| match change {
        ChangeFailOn::Slower => comparison.verdict.state == State::Slower,
        ChangeFailOn::New => comparison.has_new(Level::Warn),
    };
    Ok(if changes.iter().any(is_found) { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
}

/// The changes that are a failure. Levels are for reports on runs.
fn changes(fail_on: &[ReportFailOn]) -> Result<Vec<ChangeFailOn>, Failure> {
    let change = |fail_on: &ReportFailOn| match fail_on {
        ReportFailOn::Change(change) => Ok(*change),
        ReportFailOn::Level(_) => {
            let message = Message::new("--fail-on takes slower or new with --compare".into());
            let message = message.evidence("Levels are for reports without --compare.");
            let command = "ioglass report --compare BEFORE AFTER --fail-on slower,new".into();
            Err(Failure::usage(message.help(command, "fails if either is true")))
        }
    };
    fail_on.iter().map(change).collect()
}

/// The logs of one side.
#[derive(Default)]
struct Runs {
    runs: Vec<Repetition>,
    /// Logs that cannot be compared.
    unread: Vec<LeftOut>,
    /// The same as errors, and arguments that name no log.
    messages: Vec<Message>,
}

impl Runs {
    /// Diagnoses the logs of one side. A log that is named twice counts once.
    fn read(named: &[PathBuf], thresholds: &Thresholds) -> Self {
        let (logs, messages) = find(named);
        let mut side = Self { messages, ..Self::default() };
        let mut known = HashSet::new();
        let bar = bar(logs.len());
        for input in logs {
            let log = input.path();
            if known.insert(fs::canonicalize(&log).unwrap_or_else(|_| log.clone())) {
                side.add(&input, log, thresholds);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        side
    }

    /// Diagnoses a log. A damaged one is left out: what it lost could pass for time saved.
    fn add(&mut self, input: &Input, log: PathBuf, thresholds: &Thresholds) {
        let found = check_file(&log)
            .and_then(|()| diagnose(input, None, thresholds, "It is left out of the comparison."));
        let message = match found {
            Ok(mut found) => match (found.damage.take(), &found.run) {
                (None, Some(run)) => {
                    let format = found.recording.format();
                    return self.runs.push(Repetition::of(log, run, found.diagnosis, format));
                }
                (Some(damage), _) => damage,
                (None, None) => return,
            },
            Err(message) => message,
        };
        let name = log.display().to_string();
        let reason = message.title().replacen(&name, "it", 1);
        self.unread.push(LeftOut { log, reason });
        self.messages.push(message);
    }
}

/// The form of a comparison.
#[derive(Clone, Copy)]
enum Form {
    Terminal,
    Json,
    Html,
    Csv,
    Markdown,
    Svg,
}

/// The output of a comparison.
struct Output<'a> {
    form: Form,
    /// Standard output if there is none.
    file: Option<&'a Path>,
}

impl<'a> Output<'a> {
    fn of(args: &'a cli::Report) -> Result<Self, Failure> {
        let forms = [
            (Form::Json, &args.json),
            (Form::Html, &args.html),
            (Form::Csv, &args.csv),
            (Form::Markdown, &args.md),
            (Form::Svg, &args.svg),
        ];
        let asked = forms.into_iter().find_map(|(form, file)| Some((form, file.as_ref()?)));
        let Some((form, file)) = asked else {
            return Ok(Self { form: Form::Terminal, file: None });
        };
        if let Some(path) = file {
            let cannot = |problem: OutputProblem| Failure::cannot_write(path, &problem);
            output::try_to_write(path).map_err(cannot)?;
        }
        Ok(Self { form, file: file.as_deref() })
    }

    fn write(
        &self,
        args: &cli::Report,
        comparison: &Comparison,
        unread: &[Vec<LeftOut>; 2],
    ) -> Result<(), Failure> {
        let text = match self.form {
            Form::Terminal => return Ok(show(args, comparison)?),
            Form::Json => {
                let document = json::Document::new(comparison, args.verbose > 0, unread);
                format!("{}\n", ioglass_report::json::pretty(&document))
            }
            Form::Html => compare::page(comparison),
            Form::Csv => {
                let mut table = Vec::new();
                compare::csv(&mut table, comparison)?;
                String::from_utf8_lossy(&table).into_owned()
            }
            Form::Markdown => compare::markdown(comparison),
            Form::Svg => picture(args, comparison)?,
        };
        match self.file {
            None => Ok(io::stdout().lock().write_all(text.as_bytes())?),
            Some(path) => {
                let cannot = |error: io::Error| Failure::cannot_write(path, &error.into());
                html_output::write(path, &text).map_err(cannot)
            }
        }
    }
}

/// The screen of a comparison as a picture, the same on any terminal.
fn picture(args: &cli::Report, comparison: &Comparison) -> io::Result<String> {
    let options =
        terminal::Options { is_verbose: args.verbose > 0, ..terminal::Options::default() };
    let mut screen = Vec::new();
    terminal::write(&mut screen, comparison, &options)?;
    let sentence = text::clean(&comparison.verdict.sentence);
    Ok(svg("ioglass report --compare", &sentence, &String::from_utf8_lossy(&screen)))
}

/// Writes a comparison to the terminal.
fn show(args: &cli::Report, comparison: &Comparison) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let is_ascii = glyphs::is_ascii();
    if args.quiet {
        return writeln!(out, "{}", terminal::summary_line(comparison, is_ascii));
    }
    let quoted = |path: &PathBuf| text::quoted(&text::clean(&path.to_string_lossy()));
    let before = args.compare.iter().map(|path| format!("--compare {}", quoted(path)));
    let options = terminal::Options {
        width: args.width.map_or_else(|| width(io::stdout()), usize::from),
        is_verbose: args.verbose > 0,
        is_ascii,
        arguments: before.chain(args.logs.iter().map(quoted)).collect::<Vec<_>>().join(" "),
    };
    terminal::write(&mut out, comparison, &options)
}
