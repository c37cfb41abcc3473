//! The text of TinyProf, written and read.
//!
//! The first line has names and their numbers, the second the columns. Each further line is a path: its
//! numbers joined by `>`, its tag, whether it is a loop (0 no, 1 each iteration, 2 accumulated), and its
//! seconds: `|` between ranks, `-` between executions, `+` between iterations. A rank that was not there
//! has an empty place.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use ioglass_insight::profile::{path, tag};
use ioglass_profile::{Builder, Head, Kind, Node, Process, Profile, RankKind, Row, Series, Set};

use super::lossy;
use crate::profile::deep;
use crate::profile::table::quoted;

/// Writes the text.
pub fn tinyprof(out: &mut impl Write, set: &Set) -> io::Result<()> {
    let profile = set.profile();
    let mut names: BTreeMap<&[u8], usize> = BTreeMap::new();
    for region in &profile.regions {
        let next = names.len() + 1;
        names.entry(&region.name).or_insert(next);
    }
    let mut by_number: Vec<(&usize, &[u8])> =
        names.iter().map(|(name, number)| (number, *name)).collect();
    by_number.sort();
    let digits = names.len().to_string().len();
    deep::check(set, 0..profile.regions.len(), |_| digits, |_| 1)?;
    let pairs: Vec<String> = by_number
        .iter()
        .map(|(number, name)| format!("{},{number}", quoted(&lossy(name))))
        .collect();
    writeln!(out, "{}\nid,tag,is_loop,times", pairs.join(","))?;
    for (region, number) in profile.regions.iter().zip(0..) {
        let ids: Vec<String> = path(&profile.regions, number)
            .iter()
            .map(|region| names[&profile.regions[*region as usize].name[..]].to_string())
            .collect();
        let text = tag(region, b"tag").or_else(|| tag(region, b"kind")).unwrap_or_default();
        let rows = set.rows(number, region.kind == Kind::Iteration);
        let mode = match region.kind {
            Kind::Iteration => 1,
            _ if rows.iter().any(|row| row.calls > 1) => 2,
            _ => 0,
        };
        let text = quoted(&lossy(text));
        writeln!(out, "{},{text},{mode},{}", ids.join(">"), times(set, &rows))?;
    }
    Ok(())
}

/// The seconds of all ranks.
fn times(set: &Set, rows: &[Row]) -> String {
    let profile = set.profile();
    let mut ranks: Vec<BTreeMap<u32, Vec<u64>>> =
        vec![BTreeMap::new(); profile.head.ranks as usize];
    for row in rows {
        let rank = profile.processes.get(row.process as usize).map_or(0, |process| process.rank);
        let Some(executions) = ranks.get_mut(rank as usize) else { continue };
        let own = match &row.series {
            Some(series) if !series.time_ns.is_empty() => &series.time_ns[..],
            _ => &[row.time_ns],
        };
        // Threads and processes of a rank are added up.
        let sums = executions.entry(row.execution).or_default();
        sums.resize(sums.len().max(own.len()), 0);
        sums.iter_mut().zip(own).for_each(|(sum, time)| *sum = sum.saturating_add(*time));
    }
    let seconds = |ns: &u64| format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let execution = |times: &Vec<u64>| times.iter().map(seconds).collect::<Vec<_>>().join("+");
    let rank = |executions: &BTreeMap<u32, Vec<u64>>| {
        executions.values().map(execution).collect::<Vec<_>>().join("-")
    };
    ranks.iter().map(rank).collect::<Vec<_>>().join("|")
}

/// Why a text is not one of TinyProf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub reason: &'static str,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ParseError {}

/// A path of the text.
struct Line {
    names: Vec<String>,
    tag: String,
    is_loop: bool,
    /// Nanoseconds of iterations by execution and rank.
    ranks: Vec<Vec<Vec<u64>>>,
}

/// Reads the text; `None` if it has not the first lines of one.
pub fn parse_tinyprof(text: &str) -> Option<Result<Profile, ParseError>> {
    let records = records(text);
    let head = records.iter().take(2).position(|(_, cells)| {
        cells.first().is_some_and(|cell| cell == "id") && cells.iter().any(|cell| cell == "times")
    })?;
    Some(parse(&records, head))
}

fn parse(records: &[(usize, Vec<String>)], head: usize) -> Result<Profile, ParseError> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    if head == 1 {
        for pair in records[0].1.chunks_exact(2) {
            names.insert(&pair[1], &pair[0]);
        }
    }
    let columns = &records[head].1;
    let column = |name: &str| columns.iter().position(|column| column == name);
    let (tag, is_loop, times) = (column("tag"), column("is_loop"), column("times"));
    let mut lines = Vec::new();
    for (line, cells) in &records[head + 1..] {
        let line = *line;
        let bad = |reason| ParseError { line, reason };
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map_or("", String::as_str);
        let ids =
            cells.first().filter(|id| !id.is_empty()).ok_or_else(|| bad("there is no path"))?;
        let path = ids.split('>').map(|id| names.get(id).copied().unwrap_or(id).to_owned());
        let ranks = values(cell(times)).ok_or_else(|| bad("a time is not a number"))?;
        lines.push(Line {
            names: path.collect(),
            tag: cell(tag).into(),
            is_loop: cell(is_loop) == "1",
            ranks,
        });
    }
    build(&lines).map_err(|_| ParseError { line: 1, reason: "memory was refused" })
}

/// Times by rank, execution and iteration.
fn values(cell: &str) -> Option<Vec<Vec<Vec<u64>>>> {
    let value = |text: &str| {
        let seconds: f64 = text.trim().parse().ok()?;
        (seconds.is_finite() && (0.0..1e10).contains(&seconds))
            .then(|| (seconds * 1e9).round() as u64)
    };
    let execution = |text: &str| text.split('+').map(value).collect::<Option<Vec<u64>>>();
    let rank = |text: &str| {
        let executions = text.split('-').filter(|text| !text.trim().is_empty());
        executions.map(execution).collect::<Option<Vec<Vec<u64>>>>()
    };
    cell.split('|').map(rank).collect()
}

fn build(lines: &[Line]) -> Result<Profile, ioglass_profile::NoMemory> {
    let ranks = lines.iter().map(|line| line.ranks.len()).max().unwrap_or(0);
    let executions = lines.iter().flat_map(|line| &line.ranks).map(Vec::len).max().unwrap_or(0);
    let time = |line: &Line, rank: usize| {
        line.ranks
            .get(rank)
            .into_iter()
            .flatten()
            .flatten()
            .fold(0_u64, |sum, time| sum.saturating_add(*time))
    };
    let outermost = |rank: usize| {
        lines.iter().filter(|line| line.names.len() == 1).map(|line| time(line, rank)).sum::<u64>()
    };
    let head = Head {
        name: b"tinyprof".to_vec(),
        rank_kind: RankKind::Mpi,
        ranks: ranks as u32,
        executions: executions as u32,
        duration_ns: (0..ranks).map(outermost).max().unwrap_or(0),
        ..Head::default()
    };
    let mut builder = Builder::new(head);
    for rank in 0..ranks {
        let mut nodes: Vec<Node<'_>> = Vec::new();
        let mut places: BTreeMap<&[String], u32> = BTreeMap::new();
        for line in lines {
            // Paths whose parents have no line of their own still have them.
            for depth in 1..=line.names.len() {
                let path = &line.names[..depth];
                if !places.contains_key(path) {
                    let parent = places.get(&path[..depth - 1]).copied();
                    places.insert(path, nodes.len() as u32);
                    nodes.push(Node {
                        parent,
                        name: line.names[depth - 1].as_bytes(),
                        ..Node::default()
                    });
                }
            }
            let Some(node) = places.get(&line.names[..]).and_then(|at| nodes.get_mut(*at as usize))
            else {
                continue;
            };
            if line.is_loop {
                node.kind = Kind::Iteration;
            }
            if !line.tag.is_empty() {
                node.tags.push((b"tag", line.tag.as_bytes()));
            }
            for (execution, times) in line.ranks.get(rank).into_iter().flatten().enumerate() {
                node.rows.push(row(execution as u32, times, line.is_loop));
            }
        }
        let process = Process { rank: rank as u32, threads: 1, ..Process::default() };
        builder.process(process, nodes)?;
    }
    builder.finish()
}

fn row(execution: u32, times: &[u64], is_loop: bool) -> Row {
    let series = is_loop.then(|| {
        let iterations = times.len() as u64;
        Box::new(Series { each: 1, iterations, time_ns: times.to_vec(), ..Series::default() })
    });
    Row {
        execution,
        calls: times.len() as u64,
        time_ns: times.iter().fold(0, |sum, time| sum.saturating_add(*time)),
        min_ns: times.iter().copied().min().unwrap_or(0),
        max_ns: times.iter().copied().max().unwrap_or(0),
        series,
        ..Row::default()
    }
}

/// Splits CSV into lines of cells, with the number of each line.
fn records(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut records = Vec::new();
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let (mut line, mut begin) = (1, 1);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' if is_quoted || cell.is_empty() => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                cells.push(std::mem::take(&mut cell));
                if cells.iter().any(|cell| !cell.is_empty()) {
                    records.push((begin, std::mem::take(&mut cells)));
                }
                cells.clear();
                begin = line;
            }
            '\r' if !is_quoted => {}
            letter => cell.push(letter),
        }
    }
    cells.push(cell);
    if cells.iter().any(|cell| !cell.is_empty()) {
        records.push((begin, cells));
    }
    records
}
