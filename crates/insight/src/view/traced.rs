//! The view of a trace, gathered in one pass over it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use ioglass_log::{DxtHead, Operation, Segment};

use super::timeline::{self, Lane, nanoseconds};
use super::{HeatMap, Room, heat, space, space::Space};
use crate::model::{File, FileKind, Run, Usage};
use crate::recording::Recording;
use crate::trace::{self, FileFacts, FileLayout, Layer, LayoutPart, Op, Phase, Round, TraceFacts};

/// Files of a trace that are named.
const MOST_FILES: usize = 1000;
/// Storage targets that are named, of all files together.
const MOST_TARGETS: usize = 1 << 13;
/// Rounds of collective calls that are shown.
const MOST_ROUNDS: usize = 100;

/// A trace.
#[derive(Debug)]
pub struct TraceView<'r> {
    /// Calls by interface, MPI-IO above POSIX.
    pub lanes: Vec<Lane>,
    /// Files: data before programs and libraries, those with most bytes first. Calls of further
    /// files have the number of these files as their place.
    pub files: Vec<TracedFile<'r>>,
    /// Offsets of calls in files, if calls are not shown one by one.
    pub spaces: Vec<Space>,
    /// Times of I/O.
    pub phases: &'r [Phase],
    /// Calls that all ranks made together, the longest, in order of time.
    pub rounds: Vec<Together>,
    /// Such calls that are not among them.
    pub more_rounds: u64,
    /// Calls are shown one by one.
    pub is_whole: bool,
    /// Reason for missing calls, if some are missing.
    pub cut: Option<Cut>,
}

/// Reason for which a trace does not have all calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Its recorder ran out of room: behind this second of the run there is nothing.
    Full(f64),
    /// A part of the log cannot be read.
    Damaged,
}

/// A file of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedFile<'r> {
    /// Its name; not to be trusted.
    pub name: &'r str,
    /// Its stripe, or what it should be aligned to; 0 if not known.
    pub unit: u64,
    /// The unit is a stripe of Lustre.
    pub is_striped: bool,
    /// End of the highest byte that a call reached.
    pub extent: u64,
    /// Bytes moved through POSIX, or, if nothing was, asked of MPI-IO.
    pub bytes: u64,
    /// Its layout on storage targets, if that is known and there is room for it.
    pub parts: Vec<LayoutPart>,
    pub(super) id: u64,
}

/// A round of collective calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Together {
    /// Its file, a place in the list of files.
    pub file: u32,
    /// It read.
    pub is_read: bool,
    /// The round.
    pub round: Round,
}

/// The trace of a run, and maps of it.
pub(super) fn of<'r>(
    recording: &dyn Recording,
    run: &'r Run,
    span: f64,
    room: &Room,
) -> Option<(TraceView<'r>, Vec<HeatMap>)> {
    let facts = run.trace.as_ref()?;
    let files = files(run, facts);
    let places: HashMap<u64, u32> = (0..).zip(&files).map(|(at, file)| (file.id, at)).collect();
    let is_whole = facts.quality.segments <= room.calls;
    let cells = (!is_whole).then_some(room.cells);
    let end = nanoseconds(span).max(1).unsigned_abs();
    let first = facts.phases.first().map_or(0.0, |phase| phase.begin);
    let last = facts.ranks.iter().map(|rank| rank.last_end).fold(first, f64::max);
    let within = (
        nanoseconds(first).max(0).unsigned_abs(),
        nanoseconds(last).max(0).unsigned_abs().saturating_add(1),
    );

    let (mut lanes, mut maps, mut spaces) = (Vec::new(), Vec::new(), Vec::new());
    for (layer, name) in [(Layer::MpiIo, "MPI-IO"), (Layer::Posix, "POSIX")] {
        let active = facts.ranks.iter().filter(|rank| rank.calls[layer as usize] > 0);
        let ranks: Vec<u32> = active.map(|rank| rank.rank).collect();
        if ranks.is_empty() {
            continue;
        }
        let mut lane = timeline::LaneBuilder::new(name, &ranks, within, cells);
        let mut map = heat::HeatBuilder::new(name, &ranks, end, room);
        let mut own_spaces: Vec<space::SpaceBuilder> = Vec::new();
        if !is_whole {
            let largest = (0..).zip(&files).filter(|(_, file)| file.extent > 0);
            own_spaces.extend(largest.take(space::MOST_FILES).map(|(at, file)| {
                space::SpaceBuilder::new(name, at, &ranks, file.extent, within, room)
            }));
        }
        let mut each = |head: &DxtHead, operation, segments: &[Segment]| {
            let Ok(rank) = u32::try_from(head.base.rank) else { return };
            let is_read = operation == Operation::Read;
            let file = places.get(&head.base.id).copied().unwrap_or(files.len() as u32);
            let mut space = own_spaces.iter_mut().find(|space| space.file() == file);
            for op in segments.iter().filter_map(|segment| Op::new(rank, segment)) {
                lane.add(&op, file, is_read);
                map.add(&op, is_read);
                space.iter_mut().for_each(|space| space.add(&op, is_read));
            }
        };
        // The run has a warning already if the trace is damaged.
        let _ = trace::visit(recording, layer, &mut each);
        lanes.push(lane.finish());
        maps.extend(map.finish());
        let found = own_spaces.into_iter().map(space::SpaceBuilder::finish);
        spaces.extend(found.filter(|space| space.rows.count() > 0));
    }
    let (rounds, more_rounds) = rounds(facts, &places, files.len() as u32);
    let quality = &facts.quality;
    let cut = match (quality.damage.is_some(), quality.partial.is_empty()) {
        (true, _) => Some(Cut::Damaged),
        (_, false) => Some(Cut::Full(last)),
        _ => None,
    };
    let phases = &facts.phases;
    let traced = TraceView { lanes, files, spaces, phases, rounds, more_rounds, is_whole, cut };
    Some((traced, maps))
}

fn bytes(facts: &FileFacts) -> u64 {
    let moved = facts.reads.bytes.saturating_add(facts.writes.bytes);
    let asked = facts.asked.as_deref();
    let asked = asked.map_or(0, |asked| asked.reads.bytes.saturating_add(asked.writes.bytes));
    if moved > 0 { moved } else { asked }
}

/// The files with most bytes; what a program is made of comes after its data.
fn files<'r>(run: &'r Run, facts: &TraceFacts) -> Vec<TracedFile<'r>> {
    let mut found: Vec<&FileFacts> = facts.files.iter().collect();
    let others = run.files.iter().filter(|file| file.kind != FileKind::Data);
    let others: HashSet<u64> = others.map(|file| file.id).collect();
    let rank = |file: &FileFacts| (others.contains(&file.id), Reverse(bytes(file)), file.id);
    found.sort_by_cached_key(|file| rank(file));
    found.truncate(MOST_FILES);
    let wanted: HashSet<u64> = found.iter().map(|file| file.id).collect();
    let known = run.files.iter().filter(|file| wanted.contains(&file.id));
    let known: HashMap<u64, _> = known.map(|file| (file.id, file)).collect();
    let mut room = MOST_TARGETS;
    let mut layout = |file: &File| {
        let parts =
            file.stripes.as_ref().map_or(Vec::new(), |stripes| FileLayout::of(stripes).parts);
        let targets = parts.iter().map(|part| part.targets.len().max(1)).sum();
        match room.checked_sub(targets) {
            Some(left) => {
                room = left;
                parts
            }
            None => Vec::new(),
        }
    };
    let file = |facts: &FileFacts| {
        let file = known.get(&facts.id);
        let usage = file.and_then(|file| file.posix.as_deref().or(file.mpiio.as_deref()));
        let asked = facts.asked.as_deref();
        let asked = asked.map_or(0, |asked| asked.reads.extent.max(asked.writes.extent));
        let seen = facts.reads.extent.max(facts.writes.extent).max(asked);
        TracedFile {
            name: file.map_or("", |file| &*file.name),
            unit: facts.unit,
            is_striped: facts.is_striped,
            // Files that were only summed up have no extent of their own.
            extent: if seen > 0 { seen } else { usage.map_or(0, Usage::extent) },
            bytes: bytes(facts),
            parts: file.map_or(Vec::new(), |file| layout(file)),
            id: facts.id,
        }
    };
    found.into_iter().map(file).collect()
}

/// The longest rounds of all files, in order of time, and how many more there are.
fn rounds(facts: &TraceFacts, places: &HashMap<u64, u32>, other: u32) -> (Vec<Together>, u64) {
    let mut all = Vec::new();
    let mut count = 0;
    for file in &facts.files {
        let Some(asked) = file.asked.as_deref() else { continue };
        for (is_read, rounds) in [(true, &asked.read_rounds), (false, &asked.write_rounds)] {
            count += rounds.count;
            let file = places.get(&file.id).copied().unwrap_or(other);
            all.extend(rounds.longest.iter().map(|round| Together {
                file,
                is_read,
                round: *round,
            }));
        }
    }
    let took = |together: &Together| together.round.end - together.round.begin;
    all.sort_by(|a, b| took(b).total_cmp(&took(a)).then(a.round.begin.total_cmp(&b.round.begin)));
    all.truncate(MOST_ROUNDS);
    all.sort_by(|a, b| a.round.begin.total_cmp(&b.round.begin).then(a.file.cmp(&b.file)));
    let more = count.saturating_sub(all.len() as u64);
    (all, more)
}
