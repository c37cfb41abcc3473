//! The surface of a report: columns, colours and signs.

use std::io::{self, Write};

use anstyle::{AnsiColor, Effects, Style};
use ioglass_insight::{Level, RankKind};

use super::Options;
use crate::number::counted;
use crate::{glyphs, text};

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().effects(Effects::BOLD);
pub(crate) const DIM: Style = Style::new().effects(Effects::DIMMED);
pub(crate) const COST: Style = AnsiColor::Red.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const COMMAND: Style = AnsiColor::Cyan.on_default();

/// Widest running text; wider lines are hard to read.
const WIDEST_TEXT: usize = 100;
/// Columns that running text keeps free at the right.
const MARGIN: usize = 2;
/// Narrowest terminal that is respected.
const NARROWEST: usize = 24;

/// Column in which a finding's text begins.
pub(crate) const INDENT: usize = 8;

/// A terminal of a given width.
pub(crate) struct Screen<'a, W> {
    out: &'a mut W,
    pub(crate) width: usize,
    pub(crate) is_ascii: bool,
    pub(crate) rank_kind: RankKind,
}

impl<'a, W: Write> Screen<'a, W> {
    pub(crate) fn new(out: &'a mut W, options: &Options<'_>) -> Self {
        let Options { is_ascii, rank_kind, .. } = *options;
        Self { out, width: options.width.max(NARROWEST), is_ascii, rank_kind }
    }

    /// Returns `3 ranks`, or `3 processes`.
    pub(crate) fn ranks(&self, count: u64) -> String {
        match self.rank_kind {
            RankKind::Process => counted(count, "process", "processes"),
            _ => counted(count, "rank", "ranks"),
        }
    }

    /// Returns text as this terminal can show it, on one line.
    pub(crate) fn text(&self, text: &str) -> String {
        let clean = text::clean(text);
        if self.is_ascii { glyphs::plain(&clean).into_owned() } else { clean }
    }

    /// Returns text of at most `room` columns.
    pub(crate) fn short(&self, text: &str, room: usize) -> String {
        // The sign for what is cut out takes one column more in ASCII.
        let room = room.saturating_sub(usize::from(self.is_ascii));
        self.text(&text::shorten(&self.text(text), room))
    }

    /// Returns a path of at most `room` columns.
    pub(crate) fn path(&self, path: &str, room: usize) -> String {
        let room = room.saturating_sub(usize::from(self.is_ascii));
        self.text(&text::shorten_path(&self.text(path), room))
    }

    /// Returns the path of a region in at most `room` columns.
    pub(crate) fn region(&self, names: &[String], room: usize) -> String {
        let names: Vec<String> = names.iter().map(|name| self.text(name)).collect();
        let room = room.saturating_sub(usize::from(self.is_ascii));
        self.text(&text::shorten_region(&names, room))
    }

    /// Returns the columns for running text after `indent`.
    pub(crate) fn room(&self, indent: usize) -> usize {
        (self.width.min(WIDEST_TEXT) - MARGIN).saturating_sub(indent).max(NARROWEST / 2)
    }

    /// Breaks text at blanks into lines of at most `room` columns.
    pub(crate) fn wrap(&self, text: &str, room: usize) -> Vec<String> {
        let text = self.text(text);
        let words = text.split(' ').map(|word| match text::width(word) <= room {
            true => word.into(),
            false => self.short(word, room),
        });
        text::wrap(&words.collect::<Vec<String>>().join(" "), room)
    }

    /// Puts items side by side, `gap` columns apart, on as many lines as needed.
    pub(crate) fn flow(items: &[String], gap: usize, room: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for item in items {
            match lines.last_mut() {
                Some(line) if text::width(line) + gap + text::width(item) <= room => {
                    line.extend(std::iter::repeat_n(' ', gap));
                    line.push_str(item);
                }
                _ => lines.push(item.clone()),
            }
        }
        lines
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// Writes a line of pieces, each in its style.
    pub(crate) fn line(&mut self, pieces: &[(Style, &str)]) -> io::Result<()> {
        for (style, text) in pieces {
            write!(self.out, "{style}{text}{style:#}")?;
        }
        writeln!(self.out)
    }

    /// Writes running text after `indent` columns.
    pub(crate) fn paragraph(&mut self, indent: usize, style: Style, text: &str) -> io::Result<()> {
        for line in self.wrap(text, self.room(indent)) {
            self.line(&[(PLAIN, &" ".repeat(indent)), (style, &line)])?;
        }
        Ok(())
    }

    /// Writes running text with a label before its first line.
    pub(crate) fn labelled(&mut self, at: usize, label: &str, text: &str) -> io::Result<()> {
        let indent = at + LABEL;
        for (i, line) in self.wrap(text, self.room(indent)).iter().enumerate() {
            let label = if i == 0 { label } else { "" };
            self.line(&[(PLAIN, &format!("{:at$}{label:<LABEL$}{line}", ""))])?;
        }
        Ok(())
    }

    /// Returns a sign as this terminal can show it.
    pub(crate) fn sign(&self, sign: char) -> String {
        self.text(sign.encode_utf8(&mut [0; 4]))
    }

    /// Returns sign and word of a level, together as wide as the indent. An ASCII sign has two columns.
    pub(crate) fn level(&self, level: Level) -> (Style, String, String) {
        let (sign, style) = mark(Some(level));
        let (sign, word) = (self.sign(sign), level.word());
        match self.is_ascii {
            true => (style, format!("{sign:<2} "), format!("{word:<5}")),
            false => (style, format!("{sign} "), format!("{word:<6}")),
        }
    }
}

/// Columns of a label such as `do this:`.
pub(crate) const LABEL: usize = 10;

/// Returns sign and colour of a level, or of a check that could not be made.
pub(crate) fn mark(level: Option<Level>) -> (char, Style) {
    match level {
        Some(Level::High) => ('▲', COST),
        Some(Level::Warn) => ('◆', WARN),
        Some(Level::Info) | None => ('○', PLAIN),
        Some(Level::Ok) => ('✓', GOOD),
    }
}
