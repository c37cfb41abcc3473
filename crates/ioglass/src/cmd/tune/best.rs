//! The file with the best settings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ioglass_settings::quoted;
use ioglass_tune::report::Report;
use ioglass_tune::space::Settings;
use ioglass_tune::tuning::State;

use super::known::Known;
use super::question::{Question, now};
use super::{as_settings, live};
use crate::cli::Tune;
use crate::cmd::html_output;
use crate::failure::{Failure, Message};

/// Writes the best settings, as TOML and perhaps as XML, and says in the result where they are. There are
/// none if nothing was proven to be faster, unless no proof was made.
pub(super) fn write(
    args: &Tune,
    question: &Question,
    known: &Known,
    report: &mut Report,
) -> Result<(), Failure> {
    let is_open = report.state == State::Interrupted || question.plan.confirm == 0;
    let is_faster = report.speedup.as_ref().is_some_and(|speedup| speedup.median > 1.0);
    let holds = report.state == State::Gain || is_open && is_faster;
    let chosen: Settings = match &report.tuned {
        Some(tuned) if holds => tuned.settings.clone(),
        _ => Settings::new(),
    };
    let settings = as_settings(&chosen, known.serial)?;
    let told = settings.to_toml().map_err(anyhow::Error::new)?;
    let text = text(&told, &chosen, question, report);
    replace(&args.output, &text)?;
    report.best = Some(args.output.display().to_string());
    let Some(xml) = &args.xml else { return Ok(()) };
    match settings.to_xml() {
        Ok(text) => replace(xml, &text),
        Err(unsayable) => {
            let warning = format!("{} was not written: {unsayable}", xml.display());
            live::say(&format!("ioglass: {warning}"));
            report.warnings.push(warning);
            Ok(())
        }
    }
}

/// The file: the settings, and where they come from.
fn text(settings: &str, chosen: &Settings, question: &Question, report: &Report) -> String {
    let mut text = String::new();
    let start = &question.start;
    if chosen.is_empty() {
        text.push_str(
            "# There is no setting here: nothing was found that is faster than the default.\n",
        );
    }
    text.push_str(settings);
    text.push_str(
        "\n# What follows says where the settings come from. Nobody reads it but people.\n",
    );
    text.push_str("[provenance]\n");
    let mut add = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    add("tool", quoted(&format!("ioglass tune {}", start.ioglass)));
    add("time", quoted(&now()));
    let words: Vec<String> = start.command.iter().map(|word| quoted(word)).collect();
    add("command", format!("[{}]", words.join(", ")));
    add("folder", quoted(&start.cwd));
    if let Some(model) = &report.model {
        add("model", quoted(&format!("{}-{}", model.platform, model.ranks)));
    }
    add("objective", quoted(&start.objective));
    add("state", quoted(report.state.name()));
    if let Some(speedup) = report.speedup.as_ref().filter(|_| !chosen.is_empty()) {
        add("speedup", format!("{:.3}", speedup.median));
        if let (Some(low), Some(high), Some(confidence)) =
            (speedup.low, speedup.high, speedup.confidence)
        {
            add("interval", format!("[{low:.3}, {high:.3}]"));
            add("confidence", format!("{confidence:.2}"));
        }
    }
    let confirmed = report.speedup.as_ref().is_some_and(|speedup| speedup.confirmed);
    add("confirmed", (confirmed && report.state == State::Gain).to_string());
    add("search", quoted(&start.search));
    add("seed", start.seed.to_string());
    add("runs", report.search.runs.to_string());
    if let Some(journal) = &report.journal {
        add("journal", quoted(journal));
    }
    text
}

/// Writes a file completely or not at all. A device, a pipe or what a link stands for is written to.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    html_output::write(path, text).map_err(|error| {
        let message = Message::new(format!("cannot write {}", path.display()));
        Failure::NotWritten(vec![message.evidence(error)])
    })
}

/// The files of the search.
fn asked(args: &Tune) -> Vec<PathBuf> {
    let file = |asked: &Option<Option<PathBuf>>| asked.as_ref().and_then(Clone::clone);
    let mut files = vec![super::journal_path(args), args.output.clone()];
    files.extend(args.xml.iter().cloned().chain(file(&args.json)).chain(file(&args.html)));
    files
}

/// The same, from the root.
pub(super) fn files(args: &Tune) -> Vec<PathBuf> {
    asked(args).into_iter().filter_map(|path| std::path::absolute(path).ok()).collect()
}

/// Finds out if the files of the search can be written, before anything is run.
pub(super) fn try_to_write(args: &Tune) -> Result<(), Failure> {
    for path in asked(args) {
        ioglass_job::output::try_to_write(&path)
            .map_err(|problem| Failure::cannot_write(&path, &problem).before_start())?;
    }
    Ok(())
}
