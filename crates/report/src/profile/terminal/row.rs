//! The figures of regions by rank, thread, execution or iteration.

use std::io::{self, Write};

use ioglass_profile::Set;

use super::super::json::path;
use super::super::rows::{self, Key, Sums};
use super::super::{By, Selection};
use super::short;
use crate::number::{digits, thousands};
use crate::terminal::screen::{BOLD, PLAIN, Screen};
use crate::text;

/// From this number of rows on, quartiles and the slowest are shown instead.
const MANY: usize = 64;
/// The slowest that are shown then.
const SLOWEST: usize = 8;
/// Usual width of the column of a dimension.
const WIDE: usize = 11;
/// Columns of figures, each with its usual width, from the left.
const FIGURES: [(&str, usize); 4] = [("calls", 12), ("seconds", 11), ("itself", 11), ("I/O", 11)];
/// Columns of figures that go on narrow terminals, in this order.
const GO: [usize; 3] = [3, 2, 0];

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    selection: &Selection,
) -> io::Result<()> {
    for (number, region) in selection.regions(set).into_iter().enumerate() {
        if number > 0 {
            screen.blank()?;
        }
        let title = screen.short(&path(set.profile(), region).join(" › "), screen.width);
        screen.line(&[(BOLD, &title)])?;
        let list: Vec<(Key, Sums)> = rows::of(set, region, selection).into_iter().collect();
        table(screen, &list, selection)?;
    }
    Ok(())
}

fn table<W: Write>(
    screen: &mut Screen<'_, W>,
    list: &[(Key, Sums)],
    selection: &Selection,
) -> io::Result<()> {
    let mut sorted: Vec<&(Key, Sums)> = list.iter().collect();
    if list.len() > MANY {
        sorted.sort_by_key(|(key, sums)| (std::cmp::Reverse(sums.figures.time_ns), *key));
    }
    let shown = if list.len() > MANY { SLOWEST } else { MANY };
    let keys = selection.by.iter().map(|by| (by.word(), WIDE));
    let mut lines: Vec<Vec<String>> =
        vec![keys.chain(FIGURES).map(|(title, _)| title.to_owned()).collect()];
    lines.extend(sorted.iter().take(shown).map(|(key, sums)| cells(key, sums, selection)));
    let widths = widths(&lines, selection.by.len(), screen.width);
    for line in &lines {
        let cells = line.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let line: String = cells.map(|(cell, width)| format!("{cell:>width$}")).collect();
        screen.line(&[(PLAIN, line.trim_end())])?;
    }
    if list.len() <= MANY {
        return Ok(());
    }
    let at = |quarter: usize| {
        let (_, sums) = sorted[(4 - quarter) * (sorted.len() - 1) / 4];
        digits(sums.figures.time_ns as f64 / 1e9)
    };
    let text = format!(
        "{} rows; seconds: least {}, quartiles {}, {}, {}, most {}",
        thousands(list.len() as u64),
        at(0),
        at(1),
        at(2),
        at(3),
        at(4)
    );
    screen.paragraph(2, PLAIN, &text)
}

/// The widths of the columns, the first of which are `keys`; 0 for those that there is no room for.
fn widths(lines: &[Vec<String>], keys: usize, room: usize) -> Vec<usize> {
    let needed = |column: usize| {
        lines.iter().map(|line| text::width(&line[column])).max().unwrap_or_default()
    };
    let usual = std::iter::repeat_n(WIDE, keys).chain(FIGURES.map(|(_, width)| width));
    let needed: Vec<usize> = usual.clone().enumerate().map(|(column, _)| needed(column)).collect();
    let wide = usual.zip(&needed).map(|(usual, needed)| usual.max(needed + 1)).collect();
    let with_gap = |gap: usize| needed.iter().map(|needed| needed + gap).collect::<Vec<_>>();
    let fits = |widths: &Vec<usize>| widths.iter().sum::<usize>() <= room;
    let all = [wide, with_gap(2), with_gap(1)];
    if let Some(widths) = all.iter().find(|widths| fits(widths)) {
        return widths.clone();
    }
    let mut narrow = with_gap(1);
    for figure in GO {
        if !fits(&narrow) {
            narrow[keys + figure] = 0;
        }
    }
    narrow
}

/// The cells of a row.
fn cells(key: &Key, sums: &Sums, selection: &Selection) -> Vec<String> {
    let part = |by: &By| match by {
        By::Rank => key.rank.map(u64::from),
        By::Thread => key.thread.map(u64::from),
        By::Execution => key.execution.map(u64::from),
        By::Iteration => key.iteration,
    };
    let number = |by: &By| part(by).map_or("-".into(), |number| number.to_string());
    let seconds = |ns: u64| short(ns as f64 / 1e9);
    let (itself, io) = match sums.io_total {
        Some(io) => (String::new(), io.time_ns),
        None => (seconds(sums.figures.exclusive_ns), sums.figures.io_ns()),
    };
    let io = if io > 0 { seconds(io) } else { String::new() };
    let (calls, time) = (thousands(sums.figures.calls), seconds(sums.figures.time_ns));
    selection.by.iter().map(number).chain([calls, time, itself, io]).collect()
}
