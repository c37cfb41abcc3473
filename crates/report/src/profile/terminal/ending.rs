//! The regions that took the time, after the report of a run.

use std::io::{self, Write};

use ioglass_insight::profile::{Line, Overview, UNEVEN, name};
use ioglass_profile::Set;

use super::super::json::path;
use super::time::spoken;
use super::{Options, head};
use crate::number::{counted, of, percent, thousands};
use crate::terminal::screen::{BOLD, COMMAND, PLAIN, Screen};
use crate::text;

/// Columns before everything but the label.
const INDENT: usize = 10;
/// Rows.
const ROWS: usize = 5;
/// Columns of figures, each with its width, from the left.
const COLUMNS: [(&str, usize); 4] = [("seconds", 8), ("in I/O", 9), ("uneven", 8), ("share", 8)];
/// Columns that go on narrow terminals, in this order.
const GO: [usize; 3] = [2, 3, 1];
/// Columns between a path and its figures, at least.
const GAP: usize = 2;
/// Columns that a path needs.
const PATH: usize = 20;
/// Regions with this share of the run are bold.
const LARGE: f64 = 0.1;

/// Writes the regions with most own time, if there is any region.
pub fn ending(out: &mut impl Write, set: &Set, options: &Options) -> io::Result<()> {
    if set.profile().regions.is_empty() {
        return Ok(());
    }
    let overview = &Overview::of(set);
    let screen = &mut options.screen(out);
    head::notices(screen, set, overview, false)?;
    head::losses(screen, &set.profile().lost)?;
    let regions = counted(overview.regions.len() as u64, "region", "regions");
    let files = match set.profile().head.has_io {
        true => format!("; files took {}", of(overview.budget.files, overview.seconds)),
        false => String::new(),
    };
    let first = format!("{regions} on {}{files}", head::ranks(set));
    let room = screen.width.saturating_sub(INDENT);
    for (i, line) in screen.wrap(&first, room).iter().enumerate() {
        let label = if i == 0 { "  regions" } else { "" };
        screen.line(&[(PLAIN, &format!("{label:<INDENT$}{line}"))])?;
    }
    let mut order: Vec<u32> = (0..overview.regions.len() as u32).collect();
    let itself = |region: &u32| overview.regions[*region as usize].itself;
    // Equal ones stay in the order of the tree.
    order.sort_by(|one, other| itself(other).total_cmp(&itself(one)));
    let (shown, rest) = order.split_at(order.len().min(ROWS));
    table(screen, set, overview, shown)?;
    let mut facts = Vec::new();
    if !rest.is_empty() {
        let seconds: f64 = rest.iter().map(itself).sum();
        let together = spoken(seconds);
        facts.push(format!("+ {} more, {together} together", thousands(rest.len() as u64)));
    }
    if let Some(steps) = overview.steps.first() {
        let (number, seconds) = steps.slowest;
        let step = name(&set.profile().regions[steps.region as usize]);
        let (step, number) = (screen.short(&step, PATH), thousands(number));
        let [slowest, median] = of_one_unit(seconds, steps.median);
        facts.push(format!("slowest {step} {number}, {slowest} (median {median})"));
    }
    if !facts.is_empty() {
        for line in screen.wrap(&facts.join("; "), room) {
            screen.line(&[(PLAIN, &format!("{:INDENT$}{line}", ""))])?;
        }
    }
    if let Some(path) = set.named().first() {
        let path = text::quoted(&text::clean(&path.to_string_lossy()));
        let command = format!("ioglass profile show {path}");
        screen.line(&[(PLAIN, &" ".repeat(INDENT)), (COMMAND, &command)])?;
    }
    Ok(())
}

/// Two durations, of which the second has no unit if it is that of the first.
fn of_one_unit(first: f64, second: f64) -> [String; 2] {
    let [one, two] = [first, second].map(spoken);
    let unit = one.rsplit(' ').next().unwrap_or_default();
    let bare = two.strip_suffix(unit).filter(|_| !unit.is_empty()).map(str::trim_end);
    let two = bare.map(str::to_owned).unwrap_or(two);
    [one, two]
}

fn table<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    regions: &[u32],
) -> io::Result<()> {
    let mut columns: Vec<usize> = (0..COLUMNS.len()).collect();
    let taken = |columns: &[usize]| columns.iter().map(|at| COLUMNS[*at].1).sum::<usize>();
    for column in GO {
        if INDENT + PATH + taken(&columns) > screen.width {
            columns.retain(|other| *other != column);
        }
    }
    let room = screen.width.saturating_sub(INDENT + taken(&columns)).max(8);
    let title = |at: &usize| format!("{:>1$}", COLUMNS[*at].0, COLUMNS[*at].1);
    let titles: String = columns.iter().map(title).collect();
    let what = screen.short("where the time went", room);
    screen.line(&[(PLAIN, &format!("{:INDENT$}{what:<room$}{titles}", ""))])?;
    for region in regions {
        let line = &overview.regions[*region as usize];
        let share = if overview.seconds > 0.0 { line.itself / overview.seconds } else { 0.0 };
        let path = screen.region(&path(set.profile(), *region), room - GAP);
        let fill = room - text::width(&path).min(room);
        let cell = |at: &usize| format!("{:>1$}", cell(line, *at, share), COLUMNS[*at].1);
        let cells: String = columns.iter().map(cell).collect();
        let style = if share >= LARGE { BOLD } else { PLAIN };
        screen.line(&[
            (PLAIN, &" ".repeat(INDENT)),
            (style, &path),
            (PLAIN, format!("{:fill$}{cells}", "").trim_end()),
        ])?;
    }
    Ok(())
}

fn cell(line: &Line, column: usize, share: f64) -> String {
    match column {
        0 => spoken(line.itself),
        1 if line.io > 0.0 => spoken(line.io),
        2 => line.uneven.filter(|uneven| *uneven >= UNEVEN).map_or(String::new(), percent),
        3 => percent(share),
        _ => String::new(),
    }
}
