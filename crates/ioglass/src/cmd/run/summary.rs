//! The output after a run.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Effects, Style};
use anyhow::Context;
use ioglass_insight::model::Run;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::view::{Room, View};
use ioglass_insight::{Diagnosis, Level, worst};
use ioglass_log::Log;
use ioglass_profile::Set;
use ioglass_report::terminal::{self, Options};
use ioglass_report::text::{quoted, shorten_path};
use ioglass_report::{html, json, profile};

use super::silence;
use crate::cmd;
use crate::{cli, glyphs, recorded};

const BOLD: Style = Style::new().effects(Effects::BOLD);
const BAD: Style = AnsiColor::Red.on_default();

/// Prints the diagnosis of the log, and the regions of the profile. Returns the highest level of the findings.
pub(super) fn report(
    args: &cli::Run,
    log: &Path,
    profile: Option<&Path>,
    others: &[PathBuf],
) -> anyhow::Result<Option<Level>> {
    let opened = Log::open(log).with_context(|| format!("cannot read {}", log.display()))?;
    let thresholds = Thresholds::default();
    let run = Run::with_limits(&opened, &thresholds);
    let mut diagnosis = Diagnosis::of_run(&run, &thresholds);
    recorded::add_warnings(&mut diagnosis, &opened, false);
    let cannot = |path: &Path| format!("cannot write {}", path.display());
    if let Some(file) = &args.json {
        let path = file.clone().unwrap_or_else(|| log.with_extension("json"));
        let text = format!("{}\n", json::pretty(&json::Report::new(&diagnosis, log)));
        cmd::html_output::write(&path, &text).with_context(|| cannot(&path))?;
    }
    if let Some(file) = &args.html {
        let path = file.clone().unwrap_or_else(|| log.with_extension("html"));
        let view = |room: &Room| View::of(&opened, &run, room);
        let page = html::page(&diagnosis, view, log);
        cmd::html_output::write(&path, &page).with_context(|| cannot(&path))?;
    }
    let highest = worst(&diagnosis.findings);
    let mut aside = glyphs::shown(anstream::stderr().lock());
    if args.no_report {
        writeln!(aside, "{}", log.display())?;
        return Ok(highest);
    }
    let is_empty = opened.modules().next().is_none();
    let options = options(args, log);
    if !args.quiet {
        if is_empty {
            writeln!(aside, "{BOLD}{}{BOLD:#}\n", diagnosis.verdict.sentence)?;
            silence::explain(&mut aside, &opened, &args.command)?;
        } else {
            terminal::write(&mut aside, &diagnosis, &options)?;
        }
        if let Some(profile) = profile {
            writeln!(aside)?;
            regions(&mut aside, profile, &options)?;
        }
        for other in others {
            let other = shorten_path(&other.to_string_lossy(), options.width - 40);
            writeln!(aside, "also wrote {other}: the rest of an earlier job")?;
        }
    }
    match silence::obstacle(&args.command).filter(|_| is_empty) {
        Some(obstacle) => {
            let log = quoted(&log.to_string_lossy());
            writeln!(aside, "{BAD}▲{BAD:#} nothing was recorded: {obstacle}   ioglass info {log}")?;
        }
        None => writeln!(aside, "{}", terminal::summary_line(&diagnosis, &options))?,
    }
    Ok(highest)
}

/// How to write on standard error.
fn options<'l>(args: &cli::Run, log: &'l Path) -> Options<'l> {
    Options {
        width: cmd::report::width(io::stderr()),
        verbosity: args.verbose,
        is_ascii: glyphs::is_ascii(),
        ..Options::new(log)
    }
}

/// Prints the regions that took the time, of a run without a log.
pub(super) fn regions_alone(args: &cli::Run, path: &Path) -> io::Result<()> {
    regions(&mut glyphs::shown(anstream::stderr().lock()), path, &options(args, path))
}

/// Prints the regions that took the time. A profile that cannot be read is told by those who read it.
fn regions(out: &mut impl Write, path: &Path, screen: &Options<'_>) -> io::Result<()> {
    let (sets, _) = Set::open(&[path.to_owned()]);
    let Some(set) = sets.first().filter(|set| !set.profile().regions.is_empty()) else {
        return Ok(());
    };
    let (width, is_ascii) = (screen.width, screen.is_ascii);
    let options = profile::terminal::Options { width, is_ascii, ..Default::default() };
    profile::terminal::ending(out, set, &options)
}
