//! Two profiles of a program on the terminal.

use std::io::{self, Write};

use ioglass_insight::profile::{Change, Changes, Judgement, Overview, WORTH, name};
use ioglass_profile::Set;

use super::time::{plural, spoken};
use super::{Options, head, short};
use crate::number::{bytes, counted, digits, fixed, seconds, signed_percent, thousands};
use crate::terminal::screen::{BOLD, COMMAND, COST, DIM, GOOD, PLAIN, Screen, WARN};
use crate::text;

/// Columns of what stands beside the name of a file.
const FACTS: usize = 48;
/// Columns before a value.
const LABEL: usize = 10;
/// Columns of figures.
const NUMBER: usize = 9;
const CHANGE: usize = 12;
const SHARE: usize = 9;
const WORD: usize = 8;

/// Writes the difference between two profiles. With `fail_on` the regions that are slower by more than
/// this share are named at the end.
pub fn compare(
    out: &mut impl Write,
    sets: [&Set; 2],
    changes: &Changes,
    fail_on: Option<f64>,
    options: &Options,
) -> io::Result<()> {
    let screen = &mut options.screen(out);
    for ((label, set), overview) in
        ["before", "after"].into_iter().zip(sets).zip(&changes.overviews)
    {
        let file = set.named().first().map(|path| path.to_string_lossy().into_owned());
        let file =
            screen.path(&file.unwrap_or_default(), screen.width.saturating_sub(FACTS).max(12));
        let mut facts = vec![file, head::ranks(set), seconds(overview.seconds)];
        if set.profile().head.started_ns > 0 {
            let second = (set.profile().head.started_ns / 1_000_000_000) as i64;
            facts.push(text::date(second, "%Y-%m-%d %H:%M UTC"));
        }
        screen.line(&[(PLAIN, &format!("{label:<8}{}", facts.join("  ")))])?;
    }
    if !changes.differences.is_empty() {
        let mut text = format!("Not the same run: {}.", changes.differences.join(", "));
        if let Some((region, count)) = &changes.scaled {
            let count = thousands(*count);
            text += &format!(" Seconds of {region} before are those of {count} iterations.");
        }
        head::warn(screen, &text)?;
    }
    screen.blank()?;
    screen.paragraph(0, BOLD, &changes.sentence)?;
    screen.blank()?;
    rows(screen, changes, options.is_verbose)?;
    totals(screen, sets, changes)?;
    if let Some(path) = next(sets[1], changes) {
        screen.blank()?;
        let command = screen.text(&path);
        screen.line(&[(PLAIN, "next:  "), (COMMAND, &command)])?;
    }
    if let Some(limit) = fail_on {
        failures(screen, changes, limit)?;
    }
    Ok(())
}

fn rows<W: Write>(screen: &mut Screen<'_, W>, changes: &Changes, all: bool) -> io::Result<()> {
    let room = screen.width.saturating_sub(2 + 2 * NUMBER + CHANGE + SHARE + WORD).max(12);
    let title = format!(
        "  {:<room$}{:>NUMBER$}{:>NUMBER$}{:>CHANGE$}",
        screen.short("seconds per rank, own time", room),
        "before",
        "after",
        "change"
    );
    screen.line(&[(PLAIN, &title)])?;
    let least = changes.seconds[0].max(changes.seconds[1]) * WORTH;
    let is_shown = |change: &&Change| {
        all || change.expected().unwrap_or(0.0).max(change.after.unwrap_or(0.0)) >= least
    };
    for change in changes.regions.iter().filter(is_shown) {
        let (style, sign) = match change.judgement {
            Judgement::Faster => (GOOD, screen.sign('✓')),
            Judgement::Slower => (COST, screen.sign('▲')),
            Judgement::Same => (PLAIN, screen.sign('○')),
            Judgement::New | Judgement::Gone => (PLAIN, " ".into()),
        };
        let path = screen.region(&change.path, room);
        let fill = " ".repeat(room.saturating_sub(text::width(&path)));
        let word_style = match change.judgement {
            Judgement::Faster => GOOD,
            Judgement::Slower => COST,
            Judgement::Same => DIM,
            Judgement::New | Judgement::Gone => PLAIN,
        };
        let sign = format!("{sign:<2}");
        let word = format!("{:>WORD$}", change.judgement.word());
        screen.line(&[
            (style, &sign),
            (PLAIN, &format!("{path}{fill}{}", figures(change))),
            (word_style, &word),
        ])?;
    }
    let others: Vec<&Change> = changes.regions.iter().filter(|change| !is_shown(change)).collect();
    if !others.is_empty() {
        let sum = |value: &dyn Fn(&Change) -> Option<f64>| {
            others.iter().filter_map(|change| value(change)).sum::<f64>()
        };
        let together = Change {
            path: Vec::new(),
            before: Some(sum(&Change::expected)),
            after: Some(sum(&|change| change.after)),
            scale: 1.0,
            tolerance: 0.0,
            judgement: Judgement::Same,
        };
        let label = counted(others.len() as u64, "other region", "other regions");
        screen.line(&[(PLAIN, &format!("= {label:<room$}{}", figures(&together)))])?;
    }
    Ok(())
}

fn figures(change: &Change) -> String {
    let seconds = |value: Option<f64>| value.map_or(String::new(), short);
    let difference = change.seconds();
    let decimals = if difference.abs() >= 99.95 {
        0
    } else if difference.abs() >= 0.095 {
        1
    } else {
        3
    };
    let sign = if difference < 0.0 { '-' } else { '+' };
    let is_none = difference.abs() < 0.000_5;
    let difference = match is_none {
        true => "0 s".into(),
        false => format!("{sign}{} s", fixed(difference.abs(), decimals)),
    };
    let share = match is_none {
        true => String::new(),
        false => change.share().map_or(String::new(), |share| signed_percent(1.0 + share)),
    };
    format!(
        "{:>NUMBER$}{:>NUMBER$}{difference:>CHANGE$}{share:>SHARE$}",
        seconds(change.expected()),
        seconds(change.after)
    )
}

fn totals<W: Write>(
    screen: &mut Screen<'_, W>,
    sets: [&Set; 2],
    changes: &Changes,
) -> io::Result<()> {
    let [before, after] = &changes.overviews;
    let moved = |overview: &Overview| {
        overview.regions.iter().fold((0_u64, 0_u64), |(read, written), line| {
            (read.saturating_add(line.moved.0), written.saturating_add(line.moved.1))
        })
    };
    let (one, other) = (moved(before), moved(after));
    let files = [before.budget.files, after.budget.files];
    let mut lines: Vec<(String, String)> = Vec::new();
    if files[0] > 0.0 || files[1] > 0.0 {
        let mut text = format!("{} → {}", digits(files[0]), seconds(files[1]));
        if one.1 > 0 || other.1 > 0 {
            text += &format!("; written {} → {}", bytes(one.1), bytes(other.1));
        }
        if one.0 > 0 || other.0 > 0 {
            text += &format!("; read {} → {}", bytes(one.0), bytes(other.0));
        }
        lines.push(("I/O".into(), text));
    }
    if let (Some(one), Some(other)) = (before.steps.first(), after.steps.first()) {
        let label = plural(&name(&sets[0].profile().regions[one.region as usize]));
        let label = screen.short(&label, LABEL - 3);
        let tail = match (one.tail, other.tail) {
            (Some((_, one)), Some((_, other))) => {
                format!("; slow ones {}", became(one, other))
            }
            _ => String::new(),
        };
        let text = format!(
            "median {}{tail}; slowest {}",
            became(one.median, other.median),
            became(one.slowest.1, other.slowest.1)
        );
        lines.push((label, text));
    }
    if !lines.is_empty() {
        screen.blank()?;
    }
    lines.iter().try_for_each(|(label, text)| labelled(screen, label, text))
}

/// Two times; a unit that they have in common stands once.
fn became(one: f64, other: f64) -> String {
    let (one, other) = (spoken(one), spoken(other));
    let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_owned());
    let digits = match unit(&one) == unit(&other) {
        true => one.split(' ').next().unwrap_or(&one),
        false => &one,
    };
    format!("{digits} → {other}")
}

/// Writes running text with a label before it.
fn labelled<W: Write>(screen: &mut Screen<'_, W>, label: &str, text: &str) -> io::Result<()> {
    for (line, number) in screen.wrap(text, screen.room(LABEL)).into_iter().zip(0..) {
        let label = if number == 0 { label } else { "" };
        let fill = " ".repeat((LABEL - 2).saturating_sub(text::width(label)));
        screen.line(&[(PLAIN, &format!("  {label}{fill}{line}"))])?;
    }
    Ok(())
}

/// A command that shows what became slower, or else the new profile.
fn next(after: &Set, changes: &Changes) -> Option<String> {
    let file = text::quoted(&after.named().first()?.to_string_lossy());
    Some(match changes.first(Judgement::Slower) {
        Some(change) => {
            let path = text::quoted(&ioglass_insight::profile::joined(&change.path));
            format!("ioglass profile show {file} --only {path}")
        }
        None => format!("ioglass profile show {file}"),
    })
}

fn failures<W: Write>(screen: &mut Screen<'_, W>, changes: &Changes, limit: f64) -> io::Result<()> {
    let slower: Vec<&Change> = changes.slower_than(limit).collect();
    let percent = digits(100.0 * limit);
    let Some(first) = slower.first() else {
        let sign = screen.sign('✓');
        return screen.line(&[
            (GOOD, &sign),
            (PLAIN, &format!(" no region slower by more than {percent} %")),
        ]);
    };
    let text = format!(
        " {} slower by more than {percent} %: {} {}",
        counted(slower.len() as u64, "region", "regions"),
        text::region_path(&first.path),
        first.share().map_or("new".into(), |share| signed_percent(1.0 + share))
    );
    let text = screen.short(&text, screen.width - 2);
    let sign = screen.sign('▲');
    screen.line(&[(COST, &sign), (WARN, ""), (PLAIN, &text)])
}
