//! A profile on the terminal: one screen with the regions that took the time.

mod compare;
mod ending;
mod head;
mod notable;
mod row;
mod spark;
mod time;
mod tree;

use std::io::{self, Write};
use std::path::PathBuf;

use ioglass_insight::profile::Overview;
use ioglass_profile::Set;

use super::Selection;
use crate::terminal::Options as ScreenOptions;
use crate::terminal::screen::{BOLD, Screen};

pub use compare::compare;
pub use ending::ending;

/// Settings of a profile on the terminal.
#[derive(Debug, Clone)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// True to show all regions, with their places.
    pub is_verbose: bool,
    /// True if the terminal shows ASCII only.
    pub is_ascii: bool,
    /// True to show figures by rank, thread, execution or iteration instead of the tree.
    pub shows_rows: bool,
    /// What is shown.
    pub selection: Selection,
    /// The log of the same run, if there is one.
    pub log: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let selection = Selection::default();
        let (is_verbose, is_ascii, shows_rows) = (false, false, false);
        Self { width: 80, is_verbose, is_ascii, shows_rows, selection, log: None }
    }
}

impl Options {
    fn screen<'o, W: Write>(&self, out: &'o mut W) -> Screen<'o, W> {
        let options = ScreenOptions {
            width: self.width,
            is_ascii: self.is_ascii,
            ..ScreenOptions::new(std::path::Path::new(""))
        };
        Screen::new(out, &options)
    }
}

/// Writes a profile.
pub fn write(out: &mut impl Write, set: &Set, options: &Options) -> io::Result<()> {
    let overview = Overview::of(set);
    let screen = &mut options.screen(out);
    head::write(screen, set, &overview, options.is_verbose)?;
    screen.blank()?;
    if set.profile().regions.is_empty() {
        return head::empty(screen);
    }
    screen.paragraph(0, BOLD, &overview.verdict)?;
    screen.blank()?;
    if options.shows_rows {
        return row::write(screen, set, &options.selection);
    }
    time::write(screen, set, &overview, options.is_verbose)?;
    screen.blank()?;
    tree::write(screen, set, &overview, options)?;
    screen.blank()?;
    for out in &overview.stands_out {
        notable::write(screen, set, &overview, out, options)?;
        screen.blank()?;
    }
    head::last_line(screen, set, &overview)
}

/// Seconds for a column: three digits, or as many decimals as small ones need.
pub(super) fn short(seconds: f64) -> String {
    use crate::number::{fixed, seconds as spoken};
    match seconds {
        0.0 => "0".into(),
        _ if !seconds.is_finite() || seconds < 0.0 => "?".into(),
        _ if seconds >= 9_999.5 => spoken(seconds),
        _ if seconds >= 99.95 => fixed(seconds, 0),
        _ if seconds >= 9.995 => fixed(seconds, 1),
        _ if seconds >= 0.0995 => fixed(seconds, 2),
        _ if seconds >= 0.000_95 => fixed(seconds, 3),
        _ => "<0.001".into(),
    }
}
