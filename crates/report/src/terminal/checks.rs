//! The checks: a line that counts them, or a table.

use std::io::{self, Write};

use anstyle::Style;
use ioglass_insight::{Diagnosis, Finding, Need, Outcome, State};

use super::screen::{DIM, GOOD, PLAIN, Screen, mark};
use super::select::Selection;
use crate::number::{counted, seconds, thousands};

/// The remedy for checks that need a trace, in ever fewer words.
const TRACE: [&str; 3] = [
    ", most need a trace: ioglass run --trace, or DXT_ENABLE_IO_TRACE=1",
    ", most need ioglass run --trace",
    "",
];

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    selection: &Selection<'_>,
    diagnosis: &Diagnosis,
) -> io::Result<()> {
    if !selection.more.is_empty() {
        let together: f64 = selection.more.iter().map(|finding| finding.seconds_net).sum();
        let more = thousands(selection.more.len() as u64);
        // Some kinds of findings have no seconds.
        let cost = match together {
            0.0 => String::new(),
            _ => format!(", {} together", seconds(together)),
        };
        screen.line(&[(PLAIN, &format!("+ {more} more{cost} (-v)"))])?;
    }
    let in_state = |state| selection.all.iter().filter(move |finding| finding.state == state);
    let fine = in_state(State::Fine).count() as u64;
    let unknown = in_state(State::NotCheckable).count();
    let need_trace = in_state(State::NotCheckable).filter(|f| f.need == Some(Need::Trace)).count();
    let hints = if 2 * need_trace > unknown { &TRACE[..] } else { &TRACE[2..] };

    let mut lines = Vec::new();
    for hint in hints {
        let mut items = Vec::new();
        if fine > 0 {
            items.push(format!("{} {} fine", screen.sign('✓'), counted(fine, "check", "checks")));
        }
        if unknown > 0 {
            let hint =
                if unknown == 1 { hint.replace("most need", "needs") } else { (*hint).into() };
            let unknown = thousands(unknown as u64);
            items.push(format!("{} {unknown} not checkable{hint}", screen.sign('○')));
        }
        items.extend(notes(selection, diagnosis));
        lines = Screen::<W>::flow(&items, 3, screen.width);
        if lines.len() < 2 {
            break;
        }
    }
    for line in lines {
        let good = screen.sign('✓');
        match line.strip_prefix(&good) {
            Some(rest) => screen.line(&[(GOOD, &good), (PLAIN, rest)])?,
            None => screen.line(&[(PLAIN, &line)])?,
        }
    }
    Ok(())
}

/// Returns the number of findings that are too small to be shown.
fn notes(selection: &Selection<'_>, diagnosis: &Diagnosis) -> Option<String> {
    let notes = &selection.notes;
    let count = counted(notes.len() as u64, "note", "notes");
    // In a run with little I/O, everything is a note.
    let is_little = diagnosis.verdict.outcome == Outcome::Healthy;
    let below = match !is_little && notes.iter().all(|note| note.share < 0.01) {
        true => " below 1 % of the run",
        false => "",
    };
    (!notes.is_empty()).then(|| format!("+ {count}{below} (-v)"))
}

/// Writes the table of checks: code, name, state, reason.
pub(super) fn write_table<W: Write>(
    screen: &mut Screen<'_, W>,
    selection: &Selection<'_>,
) -> io::Result<()> {
    const STATE: usize = "not checkable".len();
    let slugs = selection.all.iter().map(|finding| finding.detector.slug.len());
    let slug = slugs.max().unwrap_or(0).max("name".len());
    let sign = screen.sign('✓').chars().count();
    let why = sign + 1 + 6 + slug + 2 + STATE + 2;
    // Where there is no room beside the table, the reason has a line of its own.
    let is_narrow = screen.width < why + 24;
    let title = if is_narrow { "" } else { "  why" };
    let head = format!("{:1$} code  {2:<slug$}  {3:<STATE$}{title}", "", sign, "name", "state");
    screen.line(&[(DIM, head.trim_end())])?;
    for finding in &selection.all {
        let (glyph, style) = sign_of(finding);
        let glyph = screen.sign(glyph);
        let state = match (finding.state, finding.level) {
            (State::Fired, Some(level)) => level.word(),
            (State::Fired, None) => "fired",
            (State::Fine, _) => "fine",
            (State::NotCheckable | State::Senseless, _) => "not checkable",
        };
        let (code, name) = (finding.detector.code, finding.detector.slug);
        let row = format!(" {code:<4}  {name:<slug$}  {state:<STATE$}");
        let glyph = format!("{glyph:<sign$}");
        if is_narrow {
            screen.line(&[(style, &glyph), (PLAIN, row.trim_end())])?;
            screen.paragraph(sign + 7, PLAIN, &reason(finding))?;
            continue;
        }
        let mut reasons = screen.wrap(&reason(finding), screen.width - why).into_iter();
        let first = reasons.next().unwrap_or_default();
        screen.line(&[(style, &glyph), (PLAIN, format!("{row}  {first}").trim_end())])?;
        for line in reasons {
            screen.line(&[(PLAIN, &format!("{:why$}{line}", ""))])?;
        }
    }
    Ok(())
}

fn sign_of(finding: &Finding) -> (char, Style) {
    match finding.state {
        State::Fired => mark(finding.level),
        State::Fine => ('✓', GOOD),
        State::NotCheckable | State::Senseless => mark(None),
    }
}

/// Returns the reason for the state of a check.
pub(crate) fn reason(finding: &Finding) -> String {
    match finding.state {
        State::Fired if finding.seconds_at_stake > 0.0 => {
            format!("{}, {}", finding.title, seconds(finding.seconds_at_stake))
        }
        State::Fired => finding.title.clone(),
        State::Fine | State::Senseless => finding.detail.clone(),
        State::NotCheckable => match (finding.detail.as_str(), finding.need) {
            ("", Some(need)) => need.remedy().into(),
            ("", None) => "?".into(),
            (detail, _) => detail.into(),
        },
    }
}
