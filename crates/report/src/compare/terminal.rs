//! A comparison on the terminal: one screen with the verdict and what it rests on.

use std::io::{self, Write};
use std::path::Path;

use ioglass_insight::Level;
use ioglass_insight::compare::{
    ChangeKind, Comparison, FindingChange, Meaning, Side, State, WorkState,
};
use ioglass_insight::estimate::Certainty;

use super::words;
use crate::number::{counted, thousands};
use crate::terminal::screen::{BOLD, COMMAND, COST, DIM, GOOD, PLAIN, Screen, WARN, mark};
use crate::{glyphs, terminal, text};

/// Settings of a comparison on the terminal.
#[derive(Debug, Clone)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// True to show all rows and findings.
    pub is_verbose: bool,
    /// True if the terminal shows ASCII only.
    pub is_ascii: bool,
    /// The arguments of the command that made the comparison, as they can be typed again.
    pub arguments: String,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, is_verbose: false, is_ascii: false, arguments: String::new() }
    }
}

/// Columns of the head's labels.
const LABEL: usize = 8;
/// Columns that a program's name may take.
const NAME: usize = 40;
/// Columns of before, after and change in the table; a narrow terminal has less, and a very narrow one
/// shows the change alone.
const COLUMNS: [usize; 3] = [12, 14, 20];
const NARROW: [usize; 3] = [11, 12, 17];
const CHANGE_ALONE: [usize; 3] = [0, 0, 19];
/// Columns of a title, at least and at most.
const TITLE: (usize, usize) = (16, 28);
/// Columns that a line of the table leaves free at the right.
const MARGIN: usize = 6;
/// Columns of what became of a finding, with its sign.
const KIND: usize = 11;
/// Columns of code and name of a finding.
const CODE: usize = 23;
/// Runs of each side that give an interval of 97 %.
const ENOUGH: usize = 4;
/// Unchanged findings that are listed.
const MOST_SAME: usize = 5;

/// Writes a comparison.
pub fn write(out: &mut impl Write, comparison: &Comparison, options: &Options) -> io::Result<()> {
    let screen_options = terminal::Options {
        width: options.width,
        is_ascii: options.is_ascii,
        rank_kind: comparison.sides[1].first().subject.rank_kind,
        ..terminal::Options::new(Path::new(""))
    };
    let screen = &mut Screen::new(out, &screen_options);
    head(screen, comparison)?;
    screen.blank()?;
    screen.paragraph(0, BOLD, &comparison.verdict.sentence)?;
    screen.blank()?;
    table(screen, comparison, options)?;
    screen.blank()?;
    findings(screen, comparison, options)?;
    if let Some((command, why)) = next(comparison, options) {
        screen.blank()?;
        let command = screen.text(&command);
        let why = match why {
            "" => String::new(),
            why if text::width(&command) + text::width(why) + 12 <= screen.width => {
                format!("    # {why}")
            }
            _ => String::new(),
        };
        screen.line(&[(PLAIN, "next:  "), (COMMAND, &command), (DIM, &why)])?;
    }
    Ok(())
}

/// The verdict in one line, without a newline.
pub fn summary_line(comparison: &Comparison, is_ascii: bool) -> String {
    let (sign, style) = match comparison.verdict.state {
        State::Fixed | State::Faster => ('✓', GOOD),
        State::Slower => ('▲', COST),
        State::NoChange => ('=', PLAIN),
        State::Inconclusive | State::NotComparable => ('!', WARN),
    };
    let line = format!("{style}{sign}{style:#} {}", text::clean(&comparison.verdict.sentence));
    if is_ascii { glyphs::plain(&line).into_owned() } else { line }
}

fn head<W: Write>(screen: &mut Screen<'_, W>, comparison: &Comparison) -> io::Result<()> {
    for (label, side) in ["before", "after"].into_iter().zip(&comparison.sides) {
        let items = about(screen, side);
        let room = screen.width.saturating_sub(LABEL);
        for (line, at) in Screen::<W>::flow(&items, 2, room).iter().zip(0..) {
            let label = if at == 0 { label } else { "" };
            screen.line(&[(PLAIN, &format!("{label:<LABEL$}{line}"))])?;
        }
    }
    let ranks = screen.ranks(comparison.sides[1].first().subject.ranks);
    let work = words::work(&comparison.same_work, &ranks);
    match comparison.same_work.state {
        WorkState::Same => screen.paragraph(0, PLAIN, &work)?,
        WorkState::Different | WorkState::Assumed => warn(screen, &work)?,
    }
    for left_out in comparison.sides.iter().flat_map(|side| &side.left_out) {
        let name = left_out.log.file_name().unwrap_or(left_out.log.as_os_str()).to_string_lossy();
        warn(screen, &format!("Left out: {name}: {}.", left_out.reason))?;
    }
    comparison.warnings.iter().try_for_each(|warning| warn(screen, warning))
}

/// The runs of a side: `4 runs of ./writer`, ranks, run time, day.
fn about<W: Write>(screen: &Screen<'_, W>, side: &Side) -> Vec<String> {
    let subject = &side.first().subject;
    let name = match side.runs.as_slice() {
        [run] => run.log.file_name().unwrap_or(run.log.as_os_str()).to_string_lossy().into_owned(),
        runs => format!("{} runs of {}", thousands(runs.len() as u64), subject.program),
    };
    let name = screen.short(&name, NAME.min(screen.width.saturating_sub(LABEL)));
    let mut items =
        vec![name, screen.ranks(subject.ranks), words::run_time(side), words::day(side)];
    items.retain(|item| !item.is_empty());
    items
}

fn warn<W: Write>(screen: &mut Screen<'_, W>, text: &str) -> io::Result<()> {
    for (line, at) in screen.wrap(text, screen.room(2)).iter().zip(0..) {
        screen.line(&[(WARN, if at == 0 { "! " } else { "  " }), (PLAIN, line)])?;
    }
    Ok(())
}

fn table<W: Write>(
    screen: &mut Screen<'_, W>,
    comparison: &Comparison,
    options: &Options,
) -> io::Result<()> {
    let (least, most) = TITLE;
    let fits = |columns: &[usize; 3]| least + columns.iter().sum::<usize>() <= screen.width;
    let columns = [COLUMNS, NARROW].into_iter().find(fits).unwrap_or(CHANGE_ALONE);
    let rest = screen.width.saturating_sub(columns.iter().sum::<usize>());
    let room = rest.saturating_sub(MARGIN).max(least.min(rest)).min(most);
    let cell = |text: &str, columns: usize| match columns {
        0 => String::new(),
        _ => format!("{}{text}", " ".repeat(columns.saturating_sub(text::width(text)))),
    };
    let heads = ["before", "after", "change"];
    let heads: String =
        heads.iter().zip(columns).map(|(head, columns)| cell(head, columns)).collect();
    screen.line(&[(PLAIN, &format!("{:room$}{heads}", ""))])?;
    for measured in &comparison.measures {
        let is_shown = match options.is_verbose {
            true => words::is_known(measured, comparison),
            false => words::is_main(measured, comparison),
        };
        if !is_shown {
            continue;
        }
        let title = screen.short(words::title(measured, comparison), room.saturating_sub(2));
        let title =
            format!("  {title}{}", " ".repeat(room.saturating_sub(text::width(&title) + 2)));
        let [before, after] = [0, 1].map(|side| screen.text(&words::value(measured, side)));
        let change = screen.text(&words::change(measured));
        let style = match measured.meaning {
            Some(Meaning::Better) => GOOD,
            Some(Meaning::Worse) => COST,
            _ => PLAIN,
        };
        screen.line(&[
            (PLAIN, &title),
            (PLAIN, &cell(&before, columns[0])),
            (PLAIN, &cell(&after, columns[1])),
            (style, &cell(&change, columns[2])),
        ])?;
    }
    Ok(())
}

fn findings<W: Write>(
    screen: &mut Screen<'_, W>,
    comparison: &Comparison,
    options: &Options,
) -> io::Result<()> {
    let is_shown = |change: &&FindingChange| match change.change {
        _ if options.is_verbose => true,
        ChangeKind::Same => words::is_worth(change, comparison),
        ChangeKind::Unclear => change.has_fired() && !change.is_consequence(),
        _ => !change.is_consequence(),
    };
    let shown: Vec<&FindingChange> = comparison.findings.iter().filter(is_shown).collect();
    let is_same = |change: &&&FindingChange| change.change == ChangeKind::Same;
    let same = shown.iter().filter(is_same).count();
    let most = if options.is_verbose { usize::MAX } else { MOST_SAME };
    let hidden = |kind: ChangeKind| {
        comparison.findings.iter().filter(|it| it.change == kind && !is_shown(it)).count() as u64
    };
    for change in shown.iter().filter(|change| !is_same(change)) {
        finding(screen, change)?;
    }
    for (kind, sign) in [
        (ChangeKind::New, ('▲', PLAIN)),
        (ChangeKind::Worse, ('▲', PLAIN)),
        (ChangeKind::Gone, ('✓', GOOD)),
        (ChangeKind::Better, (' ', PLAIN)),
        (ChangeKind::Unclear, ('○', PLAIN)),
    ] {
        let text = match hidden(kind) {
            0 => continue,
            count if kind == ChangeKind::Unclear => {
                format!("{} ran on one side only (-v)", counted(count, "check", "checks"))
            }
            count => {
                let consequences = counted(count, "consequence", "consequences");
                let is_told = shown.iter().any(|change| change.change == kind);
                format!("{consequences} of {} (-v)", if is_told { "these" } else { "others" })
            }
        };
        line(screen, sign, kind.word(), &text)?;
    }
    for change in shown.iter().filter(is_same).take(most) {
        finding(screen, change)?;
    }
    if !comparison.findings.iter().any(|change| change.change == ChangeKind::New) {
        line(screen, (' ', PLAIN), "new", "none")?;
    }
    let notes = hidden(ChangeKind::Same) + same.saturating_sub(most) as u64;
    let others = match (notes, same) {
        (0, 0) => "all other checks".to_owned(),
        (0, _) => return Ok(()),
        (notes, _) => format!("{} more (-v), and all other checks", thousands(notes)),
    };
    line(screen, ('=', PLAIN), "same", &others)
}

fn finding<W: Write>(screen: &mut Screen<'_, W>, change: &FindingChange) -> io::Result<()> {
    let level = change.sides[1].level;
    let sign = match change.change {
        ChangeKind::Gone => ('✓', GOOD),
        ChangeKind::New | ChangeKind::Worse => mark(level),
        ChangeKind::Better => (' ', GOOD),
        ChangeKind::Same => ('=', PLAIN),
        ChangeKind::Unclear => mark(None::<Level>),
    };
    let name = format!("{} {}", change.detector.code, change.detector.slug);
    let text = format!("{name:<0$} {1}", CODE - 1, words::outcome(change));
    line(screen, sign, change.change.word(), &text)
}

/// A line about findings, in the columns of all of them.
fn line<W: Write>(
    screen: &mut Screen<'_, W>,
    (sign, style): (char, anstyle::Style),
    word: &str,
    text: &str,
) -> io::Result<()> {
    // An ASCII sign has two columns.
    let columns = if screen.is_ascii { 3 } else { 2 };
    let sign = screen.sign(sign);
    let kind = format!("{sign:<columns$}{word:<0$}", KIND - columns);
    let text = screen.text(text);
    for (text, at) in wrapped(&text, screen.width.saturating_sub(KIND)).iter().zip(0..) {
        let kind = if at == 0 { &kind } else { &" ".repeat(KIND) };
        screen.line(&[(style, kind), (PLAIN, text.trim_end())])?;
    }
    Ok(())
}

/// Lines of at most `room` columns; columns of blanks are kept on one that fits.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    match text::width(text) <= room {
        true => vec![text.to_owned()],
        false => text::wrap(&text.split_whitespace().collect::<Vec<_>>().join(" "), room),
    }
}

/// A command that helps on, and why.
fn next(comparison: &Comparison, options: &Options) -> Option<(String, &'static str)> {
    let certainty = comparison.verdict.estimate.map(|estimate| estimate.certainty());
    let is_odd = comparison.sides.iter().any(|side| side.disagreement.is_some());
    match (comparison.verdict.state, certainty) {
        (State::NotComparable, _) if !is_odd && !options.arguments.is_empty() => {
            let command = format!("ioglass report {} --same-work", options.arguments);
            return Some((command, "if it is the same work all the same"));
        }
        (State::NotComparable, _) => return None,
        (_, Some(Certainty::Single | Certainty::Weak)) | (State::Inconclusive, _) => {
            let command = "ioglass run -o after/ -- CMD".into();
            let fewest = comparison.sides.iter().map(|side| side.runs.len()).min();
            let why = match fewest {
                Some(ENOUGH..) => "more runs of each narrow it",
                _ => "four runs each give 97 %",
            };
            return Some((command, why));
        }
        _ => {}
    }
    let after = comparison.sides[1].runs.first()?;
    let is_left = comparison.verdict.state == State::Slower
        || after.diagnosis.verdict.avoidable >= after.diagnosis.subject.run_time / 100.0;
    let log = text::quoted(&after.log.to_string_lossy());
    is_left.then(|| (format!("ioglass report {log}"), "what costs time now"))
}
