//! Settings on the terminal, one line each.

use std::io::{self, Write};

use anstyle::Style;
use ioglass_insight::settings::SettingOutcome;
use ioglass_param::State;

use crate::number::counted;
use crate::terminal::Options;
use crate::terminal::screen::{COST, DIM, GOOD, PLAIN, Screen, WARN};
use crate::text;

/// Columns of the state, the name, the value and the number of places.
const STATE: usize = 16;
const NAME: usize = 22;
const VALUE: usize = 14;
const PLACES: usize = 9;
const INDENT: usize = 2;

/// Writes a line for each setting, and a summary. `strict` says why the status will be 1.
pub fn write(
    out: &mut impl Write,
    outcomes: &[SettingOutcome],
    strict: Option<&str>,
    options: &Options<'_>,
) -> io::Result<()> {
    let screen = &mut Screen::new(out, options);
    for outcome in outcomes {
        line(screen, outcome)?;
    }
    let is_good = outcomes.iter().all(|outcome| outcome.state == State::Applied);
    let (sign, style) = match strict {
        Some(_) => ('▲', COST),
        None if is_good => ('✓', GOOD),
        None => ('◆', WARN),
    };
    let sign = screen.sign(sign);
    let words = match strict {
        Some(reason) => format!(" strict: {reason} (exit 1)"),
        None if outcomes.is_empty() => " no setting".to_owned(),
        None => format!(" {}", super::counts(outcomes)),
    };
    screen.line(&[(style, &sign), (PLAIN, &words)])
}

/// What a line says of a setting.
pub(crate) struct Row<'a> {
    pub(crate) state: State,
    pub(crate) name: &'a str,
    /// What was asked for, and what became of it.
    pub(crate) value: String,
    /// Where: `3 files`.
    pub(crate) places: String,
    /// The call by which the stack says so.
    pub(crate) by: &'a str,
    /// To what it applies, and reasons.
    pub(crate) notes: Vec<String>,
}

/// Writes the line of a setting.
pub(crate) fn line<W: Write>(
    screen: &mut Screen<'_, W>,
    outcome: &SettingOutcome,
) -> io::Result<()> {
    let asked = &outcome.asked;
    let (count, sets) = outcome.where_so();
    let places = match (count, sets) {
        (0, _) => String::new(),
        (count, false) => counted(count as u64, "file", "files"),
        (count, true) => counted(count as u64, "set", "sets"),
    };
    let by = outcome.places.iter().filter(|place| place.state == outcome.state.name());
    let scope = &asked.scope;
    let scopes =
        [("file", &scope.file), ("variable", &scope.variable), ("program", &scope.program)];
    let scopes = scopes.iter().filter_map(|(word, pattern)| {
        pattern.as_ref().map(|pattern| format!("{word} = {pattern}"))
    });
    let scopes: Vec<String> = scopes.collect();
    let scopes = (!scopes.is_empty()).then(|| scopes.join(", "));
    let row = Row {
        state: outcome.state,
        name: &asked.name,
        value: changed(outcome.state, &asked.value, outcome.effective()),
        places,
        by: by.filter_map(|place| place.by.as_deref()).next().unwrap_or_default(),
        notes: [scopes, outcome.reason.clone()].into_iter().flatten().collect(),
    };
    write_row(screen, &row)
}

/// A value, and what the stack made of it: `32 → 1`.
pub(crate) fn changed(state: State, value: &str, effective: Option<&str>) -> String {
    match effective {
        Some(effective) if state == State::Changed => format!("{value} → {effective}"),
        _ => value.to_owned(),
    }
}

/// Writes a row; notes are on the lines below.
pub(crate) fn write_row<W: Write>(screen: &mut Screen<'_, W>, row: &Row<'_>) -> io::Result<()> {
    let state = format!("{:INDENT$}{:<STATE$}", "", row.state.name());
    let rest = screen.width.saturating_sub(INDENT + STATE);
    let name = padded(&screen.short(row.name, rest), NAME);
    let value = padded(&screen.short(&row.value, rest.saturating_sub(NAME).max(VALUE)), VALUE);
    let mut line = format!("{state}{name}{value}{}", padded(&row.places, PLACES));
    let has_room = text::width(&line) + text::width(row.by) <= screen.width;
    if has_room {
        line += row.by;
    }
    let (head, tail) = line.trim_end().split_at(state.len());
    screen.line(&[(style(row.state), head), (PLAIN, tail)])?;
    let below = (!has_room).then_some(row.by).into_iter().filter(|by| !by.is_empty());
    for note in below.chain(row.notes.iter().map(String::as_str)) {
        for part in screen.wrap(note, screen.room(INDENT + STATE)) {
            screen.line(&[(DIM, &format!("{:1$}{part}", "", INDENT + STATE))])?;
        }
    }
    Ok(())
}

/// Text that fills a column, with a blank behind it.
fn padded(text: &str, width: usize) -> String {
    let fill = width.saturating_sub(text::width(text)).max(1);
    format!("{text}{:fill$}", "")
}

fn style(state: State) -> Style {
    match state {
        State::Applied => GOOD,
        State::Changed => WARN,
        State::NotApplicable | State::Unverifiable => PLAIN,
    }
}
