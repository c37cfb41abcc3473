//! Profiles as tables: CSV with a line per row, Markdown with a line per region.

use std::collections::HashSet;
use std::io::{self, Write};

use ioglass_insight::profile::{Overview, UNEVEN};
use ioglass_profile::{Layer, Measure, Set};

use super::json::{lossy, path};
use super::{By, Selection, deep, rows};
use crate::number::{bytes, percent, thousands};

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    /// Nothing is known, or it makes no sense.
    None,
    Text(String),
    Number(u64),
    /// The sum of a count.
    Sum(i64),
    /// The sum of values, or the last of them.
    Real(f64),
}

/// A column of a table.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
}

/// The kind of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Text,
    Integer,
    Real,
}

/// The rows of a profile as a table: the path, the dimensions of `by`, the figures.
pub(super) struct Rows<'s> {
    set: &'s Set,
    selection: &'s Selection,
    columns: Vec<Column>,
    /// For each metric, whether it is a value.
    values: Vec<bool>,
}

/// What stands before the name of a metric that would be a second column of a name.
const METRIC: &str = "metric:";
/// What stands after the name of a value in the column of its last one.
const LAST: &str = ":last";

/// The figures of a layer.
const IO: [&str; 9] = [
    "opens",
    "reads",
    "writes",
    "bytes_read",
    "bytes_written",
    "other",
    "read_ns",
    "write_ns",
    "metadata_ns",
];

impl<'s> Rows<'s> {
    pub(super) fn of(set: &'s Set, selection: &'s Selection) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        let mut add = |name: String, kind: ColumnKind| columns.push(Column { name, kind });
        for name in ["path", "name", "kind", "file"] {
            add(name.into(), ColumnKind::Text);
        }
        add("line".into(), ColumnKind::Integer);
        for by in &selection.by {
            add(by.word().into(), ColumnKind::Integer);
        }
        for name in ["calls", "open", "time_ns", "exclusive_ns", "min_ns", "max_ns"] {
            add(name.into(), ColumnKind::Integer);
        }
        for layer in Layer::ALL {
            IO.iter().for_each(|part| {
                add(format!("{}_{part}", layer.word()), ColumnKind::Integer);
            });
        }
        let mut values = vec![false; set.profile().metrics.len()];
        for own in set.summaries().iter().flat_map(|summary| &summary.total.metrics) {
            if let Some(is_value) = values.get_mut(own.metric as usize) {
                *is_value |= matches!(own.measure, Measure::Value { .. });
            }
        }
        let mut taken: HashSet<String> = columns.iter().map(|own| own.name.clone()).collect();
        let mut names = Vec::new();
        for name in &set.profile().metrics {
            let mut name = lossy(name);
            while !taken.insert(name.clone()) {
                name.insert_str(0, METRIC);
            }
            names.push(name);
        }
        for (name, is_value) in names.into_iter().zip(&values) {
            let kind = if *is_value { ColumnKind::Real } else { ColumnKind::Integer };
            let mut last = name.clone();
            columns.push(Column { name, kind });
            if *is_value && selection.has(By::Iteration) {
                last.push_str(LAST);
                while !taken.insert(last.clone()) {
                    last.push_str(LAST);
                }
                columns.push(Column { name: last, kind });
            }
        }
        Self { set, selection, columns, values }
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Calls `act` with the cells of each row.
    pub(super) fn each(&self, mut act: impl FnMut(&[Cell]) -> io::Result<()>) -> io::Result<()> {
        let profile = self.set.profile();
        let regions = self.selection.regions(self.set);
        deep::TooWide::check(regions.len(), self.values.len())?;
        let name = |region: usize| profile.regions[region].name.len();
        let rows = |region: usize| rows::of(self.set, region as u32, self.selection).len();
        deep::check(self.set, regions.iter().map(|region| *region as usize), name, rows)?;
        for region in regions {
            let names = ioglass_insight::profile::joined(&path(profile, region));
            for (key, sums) in rows::of(self.set, region, self.selection) {
                act(&self.cells(region, &names, &key, &sums))?;
            }
        }
        Ok(())
    }

    fn cells(&self, region: u32, names: &str, key: &rows::Key, sums: &rows::Sums) -> Vec<Cell> {
        let profile = self.set.profile();
        let own = &profile.regions[region as usize];
        let number = |number: Option<u64>| number.map_or(Cell::None, Cell::Number);
        let text = |bytes: &[u8]| match bytes {
            b"" => Cell::None,
            bytes => Cell::Text(lossy(bytes)),
        };
        let mut cells = vec![
            Cell::Text(names.into()),
            Cell::Text(lossy(&own.name)),
            Cell::Text(own.kind.word().into()),
            text(&own.file),
            number((own.line > 0).then_some(own.line.into())),
        ];
        cells.extend(self.selection.by.iter().map(|by| {
            number(match by {
                By::Rank => key.rank.map(u64::from),
                By::Thread => key.thread.map(u64::from),
                By::Execution => key.execution.map(u64::from),
                By::Iteration => key.iteration,
            })
        }));
        let figures = &sums.figures;
        let exclusive = sums.io_total.is_none().then_some(figures.exclusive_ns);
        let single = |ns: u64| (figures.calls > 0 && !sums.is_joined).then_some(ns);
        cells.extend([
            Cell::Number(figures.calls),
            Cell::Number(figures.open),
            Cell::Number(figures.time_ns),
            number(exclusive),
            number(single(figures.min_ns)),
            number(single(figures.max_ns)),
        ]);
        for layer in Layer::ALL {
            match figures.io.iter().find(|(own, _)| own == layer) {
                Some((_, io)) => cells.extend(io.numbers().map(Cell::Number)),
                None => cells.extend(IO.map(|_| Cell::None)),
            }
        }
        for (is_value, metric) in self.values.iter().zip(0..) {
            let own = figures.metrics.iter().find(|own| own.metric == metric);
            let (sum, last) = match own.map(|own| own.measure) {
                None => (Cell::None, Cell::None),
                Some(Measure::Count { sum, .. }) => (Cell::Sum(sum), Cell::None),
                // Of an iteration only the last one is known.
                Some(Measure::Value { last, .. }) if sums.io_total.is_some() => {
                    (Cell::None, Cell::real(last))
                }
                Some(Measure::Value { sum, last, .. }) => (Cell::Real(sum), Cell::real(last)),
            };
            cells.push(sum);
            if *is_value && self.selection.has(By::Iteration) {
                cells.push(last);
            }
        }
        cells
    }
}

/// Writes a line for each row: the path, the dimensions of `by`, the figures.
pub fn csv(out: &mut impl Write, set: &Set, selection: &Selection) -> io::Result<()> {
    let rows = Rows::of(set, selection);
    let head: Vec<String> = rows.columns.iter().map(|column| column.name.clone()).collect();
    line(out, &head)?;
    rows.each(|cells| {
        let cells: Vec<String> = cells.iter().map(Cell::words).collect();
        line(out, &cells)
    })
}

impl Cell {
    /// A number, unless it is none.
    fn real(value: f64) -> Self {
        if value.is_finite() { Self::Real(value) } else { Self::None }
    }

    /// Bytes of its text.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::None | Self::Number(_) | Self::Sum(_) | Self::Real(_) => 0,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::None => String::new(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Sum(sum) => sum.to_string(),
            Self::Real(value) => value.to_string(),
        }
    }
}

/// Writes a line of CSV, as RFC 4180 has it but for the end of the line.
pub(crate) fn line(out: &mut impl Write, cells: &[String]) -> io::Result<()> {
    for (number, cell) in cells.iter().enumerate() {
        if number > 0 {
            out.write_all(b",")?;
        }
        out.write_all(quoted(cell).as_bytes())?;
    }
    out.write_all(b"\n")
}

/// A cell, quoted where it must be.
pub(super) fn quoted(cell: &str) -> String {
    if cell.contains(|c: char| matches!(c, '"' | ',') || c.is_control()) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}

/// Writes a table of the regions in Markdown.
pub fn markdown(out: &mut impl Write, set: &Set, selection: &Selection) -> io::Result<()> {
    let overview = Overview::of(set);
    let cell = |text: &str| {
        let text = crate::text::clean(text);
        text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('`', "\\`")
    };
    writeln!(out, "{}\n", cell(&overview.verdict))?;
    writeln!(out, "| region | calls | seconds | itself | share | uneven | I/O | moved |")?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|")?;
    for region in selection.regions(set) {
        let shown = &overview.regions[region as usize];
        let name = cell(&lossy(&set.profile().regions[region as usize].name));
        let indent = "&emsp;".repeat(shown.depth.min(20));
        let calls = thousands(set.summaries()[region as usize].total.calls);
        let share = if overview.seconds > 0.0 { shown.itself / overview.seconds } else { 0.0 };
        let uneven = shown.uneven.filter(|uneven| *uneven >= UNEVEN).map_or(String::new(), percent);
        let io = if shown.io > 0.0 { super::terminal::short(shown.io) } else { String::new() };
        let moved = match shown.moved.0.saturating_add(shown.moved.1) {
            0 => String::new(),
            moved => bytes(moved),
        };
        let (seconds, itself) =
            (super::terminal::short(shown.seconds), super::terminal::short(shown.itself));
        let share = percent(share);
        writeln!(
            out,
            "| {indent}{name} | {calls} | {seconds} | {itself} | {share} | {uneven} | {io} | {moved} |"
        )?;
    }
    for out_of in &overview.stands_out {
        writeln!(out, "\n- {}", cell(&out_of.sentence))?;
    }
    Ok(())
}
