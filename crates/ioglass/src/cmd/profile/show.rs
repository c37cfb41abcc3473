//! `ioglass profile show`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use ioglass_insight::profile::{Sort, find};
use ioglass_profile::Set;
use ioglass_report::profile::{Selection, json, page, table, terminal};
use ioglass_report::text::quoted;

use super::{damaged, failed, open, output};
use crate::cli::ProfileShow;
use crate::cmd::html_output::HtmlOutput;
use crate::cmd::report::width;
use crate::failure::{Failure, Message};
use crate::glyphs;

pub(super) fn run(args: &ProfileShow) -> Result<ExitCode, Failure> {
    let (mut sets, mut messages) = open(&args.profiles);
    let file = args.json.as_ref().or(args.csv.as_ref()).or(args.md.as_ref());
    if let Some(file) = file {
        output(file.as_deref(), |out| {
            let several = sets.len() > 1;
            for set in &mut sets {
                let selection = select(args, set)?;
                write_text(&mut &mut *out, args, set, &selection, several)?;
                messages.extend(damaged(set));
            }
            Ok(())
        })?;
    } else if let Some(file) = &args.html {
        let mut pages = HtmlOutput::of_profiles(file.as_deref(), sets.len())?;
        for set in &mut sets {
            let selection = select(args, set)?;
            messages.extend(write_page(&mut pages, set, selection)?);
        }
    } else {
        let mut out = anstream::stdout().lock();
        for (number, set) in sets.iter_mut().enumerate() {
            let selection = select(args, set)?;
            if number > 0 {
                writeln!(out)?;
            }
            terminal::write(&mut out, set, &options(args, set, selection))?;
            messages.extend(damaged(set));
        }
        out.flush()?;
    }
    if messages.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure::BadInput(messages)) }
}

/// Writes a profile as JSON, CSV or Markdown.
fn write_text(
    out: &mut impl Write,
    args: &ProfileShow,
    set: &Set,
    selection: &Selection,
    several: bool,
) -> Result<(), Failure> {
    if args.json.is_some() {
        json::write(out, &json::Document::new(set, selection), !several)?;
    } else if args.csv.is_some() {
        table::csv(out, set, selection).map_err(|error| {
            let name = args.profiles.first().map(|name| quoted(&name.to_string_lossy()));
            let help =
                format!("ioglass profile show {} --csv --depth 1000", name.unwrap_or_default());
            failed(set, error, (help, "leaves out what is deeper"))
        })?;
    } else {
        table::markdown(out, set, selection)?;
    }
    Ok(())
}

/// Writes the page of a profile. Returns what could not be read, which the page says too.
fn write_page(
    pages: &mut HtmlOutput,
    set: &Set,
    selection: Selection,
) -> Result<Vec<Message>, Failure> {
    let mut options = page::Options { selection, log: log(set), problems: Vec::new() };
    let mut text = page::page(set, &options);
    let messages = damaged(set);
    if !messages.is_empty() {
        // What is damaged is known once everything was read.
        let said =
            messages.iter().map(|message| format!("{}: the sound part is shown.", message.title()));
        options.problems = said.collect();
        text = page::page(set, &options);
        drop(set.take_problems());
    }
    let name = set.named().first().cloned().unwrap_or_default();
    pages.write(&name, &text)?;
    Ok(messages)
}

/// The log of the same run, if there is one.
fn log(set: &Set) -> Option<PathBuf> {
    let log = set.named().first()?.with_extension("darshan");
    log.is_file().then_some(log)
}

fn select_rank(set: &mut Set, rank: u32) -> Result<(), Failure> {
    let ranks = set.profile().head.ranks;
    if rank >= ranks && !set.profile().processes.iter().any(|process| process.rank == rank) {
        let message = Message::new(format!("there is no rank {rank}"));
        return Err(Failure::usage(
            message.evidence(format!("The job has {ranks} ranks, from 0.")),
        ));
    }
    set.select_rank(rank).map_err(|error| Failure::Own(error.into()))
}

/// What is to be shown of a profile.
fn select(args: &ProfileShow, set: &mut Set) -> Result<Selection, Failure> {
    if let Some(rank) = args.rank {
        select_rank(set, rank)?;
    }
    let only = match &args.only {
        None => None,
        Some(path) => Some(find(set, path).ok_or_else(|| {
            let message = Message::new(format!("there is no region {path}"));
            let profile = quoted(&args.profiles[0].to_string_lossy());
            Failure::usage(
                message.help(format!("ioglass profile show -v {profile}"), "shows all of them"),
            )
        })?),
    };
    let sort = Sort::of(set, &args.sort).ok_or_else(|| {
        let message =
            Message::new(format!("--sort takes time, calls or a metric, not {}", args.sort));
        let metrics = &set.profile().metrics;
        let names = metrics.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        let names: Vec<String> = names.take(10).collect();
        Failure::usage(message.evidence(format!("Metrics: {}", names.join(", "))))
    })?;
    let by = args.by.as_ref().map_or(Selection::default().by, |by| by.to_vec());
    Ok(Selection { by, only, depth: args.depth.map(|depth| depth as usize), sort })
}

fn options(args: &ProfileShow, set: &Set, selection: Selection) -> terminal::Options {
    terminal::Options {
        width: args.width.map_or_else(|| width(io::stdout()), usize::from),
        is_verbose: args.verbose,
        is_ascii: glyphs::is_ascii(),
        shows_rows: args.by.is_some(),
        selection,
        log: log(set),
    }
}
