//! A diagnosis on the terminal: one screen with the problem, its cost in seconds and the commands
//! that help.
//!
//! Colours are written as escapes, which the caller's stream keeps or strips. Widths are those of
//! the text without escapes.

mod advice;
pub(crate) mod budget;
pub(crate) mod checks;
#[cfg(test)]
mod detail_tests;
pub(crate) mod empty;
mod explain;
pub(crate) mod facts;
pub(crate) mod finding;
mod head;
mod only;
pub(crate) mod screen;
#[cfg(test)]
mod screen_tests;
pub(crate) mod select;
mod summary_line;
mod thresholds;

use std::io::{self, Write};
use std::path::Path;

use ioglass_insight::{Diagnosis, Outcome, RankKind, SEE_NOTES};

pub use explain::explain;
pub use only::{Only, UnknownName};
pub use summary_line::summary_line;
pub use thresholds::thresholds;
pub(crate) use thresholds::unit;

use crate::settings;
use screen::{BOLD, Screen};
use select::Selection;

/// Settings of a report on the terminal.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The log, as the user named it.
    pub log: &'a Path,
    /// True if `log` is the name of a running job.
    pub is_job: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Amount of detail: 0 is one screen, 1 adds files, snippets and notes, 2 the table of checks.
    pub verbosity: u8,
    /// True if the terminal shows ASCII only.
    pub is_ascii: bool,
    /// True to list only the codes of checks that fired.
    pub only_codes: bool,
    /// The findings and checks to show; all if it is empty.
    pub only: Only,
    /// The origin of rank numbers, for text without a run.
    pub rank_kind: RankKind,
}

impl<'a> Options<'a> {
    /// Makes settings for one screen of 80 columns about this log.
    pub fn new(log: &'a Path) -> Self {
        Self {
            log,
            is_job: false,
            width: 80,
            verbosity: 0,
            is_ascii: false,
            only_codes: false,
            only: Only::default(),
            rank_kind: RankKind::Mpi,
        }
    }
}

/// Writes a report.
pub fn write(out: &mut impl Write, diagnosis: &Diagnosis, options: &Options<'_>) -> io::Result<()> {
    let selection = Selection::new(&diagnosis.findings, options);
    if options.only_codes {
        return selection.fired.iter().try_for_each(|f| writeln!(out, "{}", f.detector.code));
    }
    let screen = &mut Screen::new(out, options);
    screen.rank_kind = diagnosis.subject.rank_kind;
    head::write(screen, diagnosis, options.log)?;
    screen.blank()?;
    let sentence = diagnosis.verdict.sentence.replace(SEE_NOTES, &format!("{SEE_NOTES} (-v)"));
    screen.paragraph(0, BOLD, &sentence)?;
    screen.blank()?;
    if is_empty(diagnosis) {
        return empty::write(screen, &diagnosis.subject);
    }
    budget::write(screen, diagnosis)?;
    facts::write(screen, diagnosis, options.verbosity > 0)?;
    screen.blank()?;
    if options.verbosity > 0 && !diagnosis.settings.is_empty() {
        for outcome in &diagnosis.settings {
            settings::line(screen, outcome)?;
        }
        screen.blank()?;
    }
    for shown in &selection.shown {
        finding::write(screen, shown, diagnosis.budget.run_time, options.verbosity)?;
        screen.blank()?;
    }
    checks::write(screen, &selection, diagnosis)?;
    if options.verbosity > 1 {
        screen.blank()?;
        checks::write_table(screen, &selection)?;
    }
    Ok(())
}

/// Returns true if nothing was recorded.
pub(crate) fn is_empty(diagnosis: &Diagnosis) -> bool {
    diagnosis.verdict.outcome == Outcome::NotJudgeable && diagnosis.subject.is_traced.is_none()
}
