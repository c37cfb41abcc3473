//! What is printed of a result.

use std::io::{self, Write};
use std::path::PathBuf;

use ioglass_report::number::counted;
use ioglass_report::text::quoted;
use ioglass_report::tune::{page, terminal};
use ioglass_tune::report::Report;

use super::best;
use super::known::Known;
use super::question::Question;
use crate::cli::Tune;
use crate::cmd::report::width;
use crate::failure::Failure;
use crate::glyphs;

/// Tells a result: as text, unless a document is asked for on standard output; documents in files besides.
pub(super) fn tell(args: &Tune, report: &Report) -> Result<(), Failure> {
    let mut is_told = false;
    let mut put = |file: &Option<PathBuf>, document: &str| match file {
        Some(path) => best::replace(path, document),
        None => {
            is_told = true;
            Ok(anstream::stdout().lock().write_all(document.as_bytes())?)
        }
    };
    let mut put_all = || {
        if let Some(file) = &args.json {
            let json = serde_json::to_string_pretty(report).map_err(anyhow::Error::new)?;
            put(file, &(json + "\n"))?;
        }
        args.html.as_ref().map_or(Ok(()), |file| put(file, &page(report)))
    };
    let documents = put_all();
    // A document that cannot be written must not hide the result.
    if is_told { documents } else { text(report).and(documents) }
}

fn text(report: &Report) -> Result<(), Failure> {
    let options = terminal::Options { width: width(io::stdout()), is_ascii: glyphs::is_ascii() };
    let mut out = glyphs::shown(anstream::stdout().lock());
    terminal::write(&mut out, report, &options)?;
    Ok(())
}

/// Shows what would be searched.
pub(super) fn dry_run(
    args: &Tune,
    question: Option<&Question>,
    known: &Known,
) -> Result<std::process::ExitCode, Failure> {
    let mut out = glyphs::shown(anstream::stdout().lock());
    let Some(question) = question else {
        writeln!(out, "What is searched depends on a log of the program.")?;
        let command: Vec<String> =
            super::question::words(args).iter().map(|word| quoted(word)).collect();
        writeln!(out, "  ioglass run -o first.darshan -- {}", command.join(" "))?;
        writeln!(
            out,
            "  ioglass tune --dry-run --from-log first.darshan -- {}",
            command.join(" ")
        )?;
        return Ok(std::process::ExitCode::SUCCESS);
    };
    let space = &question.plan.space;
    let parameters = space.parameters().len() as u64;
    let settings = counted(space.size(), "setting", "settings");
    writeln!(out, "{}, {settings}", counted(parameters, "parameter", "parameters"))?;
    for parameter in space.parameters() {
        writeln!(out, "  {:<26} {}", parameter.name, parameter.values.join(" "))?;
        for (other, needs) in &parameter.when {
            let needs = match needs {
                ioglass_tune::space::Needs::Set(_) => "set".to_owned(),
                ioglass_tune::space::Needs::Values(values) => values.join(" or "),
            };
            writeln!(out, "  {:<26} only if {other} is {needs}", "")?;
        }
        if !parameter.tie.is_empty() {
            writeln!(out, "  {:<26} with {}", "", parameter.tie.join(", "))?;
        }
    }
    for seed in &question.plan.seeds {
        let settings: Vec<String> =
            seed.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        writeln!(out, "first: advice {}: {}", seed.from.codes.join("+"), settings.join(" "))?;
    }
    let live = super::live::Live::new(
        args,
        question,
        known,
        &ioglass_tune::journal::Recorded::new(question.start.clone()),
    );
    writeln!(out, "{}", live.plan_in_words())?;
    Ok(std::process::ExitCode::SUCCESS)
}
