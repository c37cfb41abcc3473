//! The figures of regions by rank, thread, execution or iteration.

use std::io::{self, Write};

use ioglass_profile::Set;

use super::super::json::path;
use super::super::rows::{self, Key, Sums};
use super::super::{By, Selection};
use super::short;
use crate::number::{digits, thousands};
use crate::terminal::screen::{BOLD, PLAIN, Screen};

/// From this number of rows on, quartiles and the slowest are shown instead.
const MANY: usize = 64;
/// The slowest that are shown then.
const SLOWEST: usize = 8;

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
    let keys: String = selection.by.iter().map(|by| format!("{:>11}", by.word())).collect();
    let titles = format!("{keys}{:>12}{:>11}{:>11}{:>11}", "calls", "seconds", "itself", "I/O");
    screen.line(&[(PLAIN, &titles)])?;
    if list.len() <= MANY {
        return list.iter().try_for_each(|(key, sums)| row(screen, key, sums, selection));
    }
    let mut sorted: Vec<&(Key, Sums)> = list.iter().collect();
    sorted.sort_by_key(|(key, sums)| (std::cmp::Reverse(sums.figures.time_ns), *key));
    for (key, sums) in sorted.iter().take(SLOWEST) {
        row(screen, key, sums, selection)?;
    }
    let at = |quarter: usize| {
        let (_, sums) = sorted[(4 - quarter) * (sorted.len() - 1) / 4];
        digits(sums.figures.time_ns as f64 / 1e9)
    };
    let text = format!(
        "  {} rows; seconds: least {}, quartiles {}, {}, {}, most {}",
        thousands(list.len() as u64),
        at(0),
        at(1),
        at(2),
        at(3),
        at(4)
    );
    screen.line(&[(PLAIN, &text)])
}

fn row<W: Write>(
    screen: &mut Screen<'_, W>,
    key: &Key,
    sums: &Sums,
    selection: &Selection,
) -> io::Result<()> {
    let part = |by: &By| match by {
        By::Rank => key.rank.map(u64::from),
        By::Thread => key.thread.map(u64::from),
        By::Execution => key.execution.map(u64::from),
        By::Iteration => key.iteration,
    };
    let number = |by: &By| part(by).map_or("-".into(), |number| number.to_string());
    let keys: String = selection.by.iter().map(|by| format!("{:>11}", number(by))).collect();
    let seconds = |ns: u64| short(ns as f64 / 1e9);
    let (itself, io) = match sums.io_total {
        Some(io) => (String::new(), io.time_ns),
        None => (seconds(sums.figures.exclusive_ns), sums.figures.io_ns()),
    };
    let io = if io > 0 { seconds(io) } else { String::new() };
    let (calls, time) = (thousands(sums.figures.calls), seconds(sums.figures.time_ns));
    let line = format!("{keys}{calls:>12}{time:>11}{itself:>11}{io:>11}");
    screen.line(&[(PLAIN, line.trim_end())])
}
