//! The tree of regions.

use std::io::{self, Write};

use anstyle::Style;
use ioglass_insight::profile::{Line, Overview, UNEVEN, WORTH, name};
use ioglass_profile::Set;

use super::{Options, short};
use crate::number::{bytes, percent, thousands};
use crate::terminal::screen::{BOLD, DIM, PLAIN, Screen, WARN};
use crate::text;

/// Columns of figures, each with its usual width, from the left.
const COLUMNS: [(&str, usize); 7] = [
    ("calls", 8),
    ("seconds", 8),
    ("itself", 7),
    ("share", 9),
    ("uneven", 8),
    ("I/O", 6),
    ("moved", 9),
];
/// Columns that go on narrow terminals, in this order.
const GO: [usize; 6] = [6, 4, 3, 5, 0, 2];
/// Columns that a name needs.
const NAME: usize = 24;
/// Regions that are shown even if they are small.
const ENOUGH: usize = 10;
/// Regions with this share of the run are bold.
const LARGE: f64 = 0.1;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    options: &Options,
) -> io::Result<()> {
    let regions = options.selection.regions(set);
    let top = regions.first().map_or(0, |region| overview.regions[*region as usize].depth);
    let least = least(overview, &regions);
    let is_hidden = |region: &u32| {
        let line = &overview.regions[*region as usize];
        !options.is_verbose && line.seconds < least && line.depth > top
    };
    let (hidden, regions): (Vec<u32>, Vec<u32>) = regions.into_iter().partition(is_hidden);
    let columns = Columns::of(screen.width, set, overview, &regions);
    let titles: String = columns
        .shown
        .iter()
        .map(|(column, width)| format!("{:>1$}", COLUMNS[*column].0, *width))
        .collect();
    screen.line(&[(PLAIN, &format!("{:<1$}{titles}", "  region", columns.room))])?;
    for region in regions {
        let depth = overview.regions[region as usize].depth - top;
        row(screen, set, overview, region, depth, &columns)?;
        if options.is_verbose {
            place(screen, set, region, depth)?;
        }
    }
    if !hidden.is_empty() {
        let seconds = hidden.iter().map(|region| overview.regions[*region as usize].itself).sum();
        let together = super::time::spoken(seconds);
        let limit = percent(if overview.seconds > 0.0 { least / overview.seconds } else { 0.0 });
        let limit = limit.replace("1.0 %", "1 %");
        let hidden = thousands(hidden.len() as u64);
        let text = format!("+ {hidden} more below {limit} of the run, {together} together (-v)");
        screen.paragraph(2, PLAIN, &text)?;
    }
    Ok(())
}

/// The columns of figures that there is room for.
struct Columns {
    /// Their numbers and widths.
    shown: Vec<(usize, usize)>,
    /// Room for names.
    room: usize,
}

impl Columns {
    /// As wide as these regions need.
    fn of(width: usize, set: &Set, overview: &Overview, regions: &[u32]) -> Self {
        let mut shown: Vec<(usize, usize)> =
            COLUMNS.iter().map(|(_, width)| *width).enumerate().collect();
        for region in regions {
            for (column, width) in &mut shown {
                // A blank stands before each.
                let needed = text::width(&cell(overview, set, *region, *column)) + 1;
                *width = needed.max(*width);
            }
        }
        let taken = |shown: &[(usize, usize)]| shown.iter().map(|(_, width)| *width).sum::<usize>();
        for column in GO {
            if taken(&shown) + NAME > width {
                shown.retain(|(other, _)| *other != column);
            }
        }
        let room = width.saturating_sub(taken(&shown)).max(8);
        Self { shown, room }
    }
}

/// Seconds from which a region is shown: 1 % of the run, or less if hardly any has so many.
fn least(overview: &Overview, regions: &[u32]) -> f64 {
    let mut seconds: Vec<f64> =
        regions.iter().map(|region| overview.regions[*region as usize].seconds).collect();
    seconds.sort_by(|one, other| other.total_cmp(one));
    let enough = seconds.get(ENOUGH).copied().unwrap_or(0.0);
    enough.min(overview.seconds * WORTH)
}

fn row<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    region: u32,
    depth: usize,
    columns: &Columns,
) -> io::Result<()> {
    let line = &overview.regions[region as usize];
    let room = columns.room;
    // Very deep trees are not indented further.
    let indent = 2 + 2 * depth.min(room / 6);
    let mut marks = String::new();
    if let Some(iterations) = line.iterations {
        marks += &format!(" {}{}", screen.sign('×'), thousands(iterations));
    }
    let on_ranks = line.on_ranks.map(|ranks| format!(" {}{ranks}", screen.sign('†')));
    let on_ranks = on_ranks.unwrap_or_default();
    let used = indent + text::width(&marks) + text::width(&on_ranks);
    let called = name(&set.profile().regions[region as usize]);
    let called = if called.is_empty() { "(unnamed)".into() } else { called };
    let called = screen.short(&called, room.saturating_sub(used).max(4));
    let style: Style = if share(line, overview) >= LARGE { BOLD } else { PLAIN };
    let filled = used + text::width(&called);
    let cells: String = columns
        .shown
        .iter()
        .map(|(column, width)| format!("{:>1$}", cell(overview, set, region, *column), *width))
        .collect();
    let fill = " ".repeat(room.saturating_sub(filled));
    let cells = format!("{fill}{cells}");
    screen.line(&[
        (PLAIN, &" ".repeat(indent)),
        (style, &called),
        (PLAIN, &marks),
        (WARN, &on_ranks),
        (PLAIN, cells.trim_end()),
    ])
}

fn share(line: &Line, overview: &Overview) -> f64 {
    if overview.seconds > 0.0 { line.itself / overview.seconds } else { 0.0 }
}

fn cell(overview: &Overview, set: &Set, region: u32, column: usize) -> String {
    let line = &overview.regions[region as usize];
    match column {
        0 => thousands(set.summaries()[region as usize].total.calls),
        1 => short(line.seconds),
        2 => short(line.itself),
        3 => percent(share(line, overview)),
        4 => line.uneven.filter(|uneven| *uneven >= UNEVEN).map_or(String::new(), percent),
        5 if line.io > 0.0 => short(line.io),
        6 => match line.moved.0.saturating_add(line.moved.1) {
            0 => String::new(),
            moved => bytes(moved),
        },
        _ => String::new(),
    }
}

/// Where a region is in the code, and how its ranks differ.
fn place<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    region: u32,
    depth: usize,
) -> io::Result<()> {
    let own = &set.profile().regions[region as usize];
    let ranks = &set.summaries()[region as usize].ranks;
    let mut facts = Vec::new();
    if !own.file.is_empty() {
        facts.push(format!("{}:{}", String::from_utf8_lossy(&own.file), own.line));
    }
    if ranks.count > 1 {
        let seconds = |ns: f64| super::time::spoken(ns / 1e9);
        facts.push(format!(
            "fastest {}, mean {}, slowest {} (rank {})",
            seconds(ranks.min_ns as f64),
            seconds(ranks.mean_ns()),
            seconds(ranks.max_ns as f64),
            ranks.slowest
        ));
    }
    for tag in own.tags.iter().take(4) {
        let (key, text) = (String::from_utf8_lossy(&tag.key), String::from_utf8_lossy(&tag.text));
        facts.push(format!("{key}={text}"));
    }
    if facts.is_empty() {
        return Ok(());
    }
    let indent = 4 + 2 * depth.min(10);
    let facts = screen.short(&facts.join("  "), screen.width - indent);
    screen.line(&[(PLAIN, &" ".repeat(indent)), (DIM, &facts)])
}
