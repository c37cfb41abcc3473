//! The later passes: calls of some files at a time, sorted and gone through.

use std::collections::BTreeMap;

use ioglass_log::{DxtHead, Operation, Segment};

use super::context::TraceContext;
use super::extents::{self, PerRank};
use super::facts::{FileFacts, RankFacts, Rounds, UnitSharing};
use super::measure::Ticks;
use super::op::Op;
use super::quality::Quality;
use super::{Layer, history, rounds, runs, sharing};

/// Parts of ranks in files without records that are kept.
const MOST_PARTS: usize = 1 << 20;

/// The calls of one file.
#[derive(Debug, Default)]
struct FileCalls {
    id: u64,
    reads: Vec<Op>,
    writes: Vec<Op>,
    asked_reads: Vec<Op>,
    asked_writes: Vec<Op>,
}

/// The calls of some files.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// By id.
    files: Vec<FileCalls>,
}

impl Batch {
    /// Room for the calls of these files, which are by id.
    pub(super) fn new<'f>(files: impl Iterator<Item = &'f FileFacts>) -> Self {
        let room = |requests: u64| Vec::with_capacity(requests as usize);
        let calls = |file: &FileFacts| {
            let asked = file.asked.as_deref();
            FileCalls {
                id: file.id,
                reads: room(file.reads.requests),
                writes: room(file.writes.requests),
                asked_reads: room(asked.map_or(0, |asked| asked.reads.requests)),
                asked_writes: room(asked.map_or(0, |asked| asked.writes.requests)),
            }
        };
        Self { files: files.map(calls).collect() }
    }

    /// Adds some segments, if they are of these files.
    pub(super) fn add(
        &mut self,
        layer: Layer,
        head: &DxtHead,
        operation: Operation,
        segments: &[Segment],
    ) {
        let place = self.files.binary_search_by_key(&head.base.id, |calls| calls.id);
        let (Ok(place), Ok(rank)) = (place, u32::try_from(head.base.rank)) else {
            return;
        };
        let calls = &mut self.files[place];
        let ops = match (layer, operation) {
            (Layer::Posix, Operation::Read) => &mut calls.reads,
            (Layer::Posix, Operation::Write) => &mut calls.writes,
            (Layer::MpiIo, Operation::Read) => &mut calls.asked_reads,
            (Layer::MpiIo, Operation::Write) => &mut calls.asked_writes,
        };
        ops.extend(segments.iter().filter_map(|segment| Op::new(rank, segment)));
    }

    /// Works out what needs all calls of a file.
    pub(super) fn sweep(self, sweeper: &mut Sweeper<'_>, files: &mut BTreeMap<u64, FileFacts>) {
        for calls in self.files {
            if let Some(file) = files.get_mut(&calls.id) {
                sweeper.sweep(calls, file);
            }
        }
    }
}

/// The state of a sweep beside the calls.
#[derive(Debug)]
pub(super) struct Sweeper<'a> {
    pub(super) about: &'a TraceContext,
    pub(super) ranks: &'a mut BTreeMap<u32, RankFacts>,
    pub(super) quality: &'a mut Quality,
    pub(super) scratch: PerRank,
    /// Parts of ranks kept so far.
    pub(super) parts: usize,
}

impl Sweeper<'_> {
    fn sweep(&mut self, mut calls: FileCalls, file: &mut FileFacts) {
        self.by_time(&mut calls, file);
        self.by_place(&mut calls, file);
    }

    fn by_time(&mut self, calls: &mut FileCalls, file: &mut FileFacts) {
        let FileCalls { reads, writes, asked_reads, asked_writes, .. } = calls;
        for ops in [&mut *reads, writes, asked_reads, asked_writes] {
            ops.sort_unstable_by(Op::by_time);
        }
        let host_of = |rank| self.ranks.get(&rank).map_or(0, |facts| facts.host);
        runs::who(reads, host_of, &mut file.reads);
        runs::who(writes, host_of, &mut file.writes);
        if !self.about.alignments.contains_key(&file.id) && self.parts < MOST_PARTS {
            file.by_rank = runs::parts(reads, writes);
            self.parts += file.by_rank.len();
        }
        if let Some(asked) = &mut file.asked {
            runs::who(asked_reads, host_of, &mut asked.reads);
            runs::who(asked_writes, host_of, &mut asked.writes);
            let mut rounds = |calls: &[Op]| {
                rounds::find(calls, reads, writes).unwrap_or_else(|| {
                    self.quality.calls_given_up += 1;
                    Rounds::default()
                })
            };
            asked.read_rounds = rounds(asked_reads);
            asked.write_rounds = rounds(asked_writes);
        }
        for (ops, flow) in [(reads, &mut file.reads), (writes, &mut file.writes)] {
            flow.runs = runs::find(ops, &self.about.limits, |rank, time| {
                if let Some(own) = self.ranks.get_mut(&rank) {
                    own.in_runs += time;
                }
            });
        }
    }

    fn by_place(&mut self, calls: &mut FileCalls, file: &mut FileFacts) {
        let FileCalls { reads, writes, .. } = calls;
        reads.sort_unstable_by(Op::by_place);
        writes.sort_unstable_by(Op::by_place);
        extents::count(reads, &mut self.scratch, &mut file.reads);
        extents::count(writes, &mut self.scratch, &mut file.writes);
        file.sharing = self.sharing(writes, file);

        let active = self.ranks.len() as u64;
        let mut slowest = Slowest::new(&mut self.scratch);
        file.common = extents::common(reads, active, &self.about.limits, |op| {
            slowest.add(op);
            if let Some(own) = self.ranks.get_mut(&op.rank()) {
                own.in_common += Ticks::of(op.seconds());
            }
        });
        file.common.slowest = slowest.finish(reads);

        let is_alone = file.reads.ranks <= 1 && file.writes.ranks <= 1 && {
            let first = |ops: &[Op]| ops.first().map(Op::rank);
            first(reads) == first(writes)
        };
        if !is_alone && !reads.is_empty() && !writes.is_empty() {
            let mut slowest = Slowest::new(&mut self.scratch);
            let found = history::trace_back(reads, writes, |op| slowest.add(op));
            let slowest = slowest.finish(reads);
            match found {
                Some(found) => {
                    file.handed_over = found;
                    file.handed_over.slowest = slowest;
                }
                None => self.quality.histories_given_up += 1,
            }
        }
    }

    fn sharing(&mut self, writes: &[Op], file: &FileFacts) -> UnitSharing {
        let parts = self.about.layouts.get(&file.id).map(|layout| &layout.parts[..]);
        let whole = [(0, u64::MAX, file.unit)];
        let parts: Vec<_> = match parts {
            Some(parts) if file.is_striped => {
                parts.iter().map(|part| (part.start, part.stop, part.unit)).collect()
            }
            _ => whole.into(),
        };
        let mut all = UnitSharing::default();
        for part in parts.into_iter().filter(|(_, _, unit)| *unit > 0) {
            let found = sharing::count(writes, part, &mut self.scratch);
            all.units = all.units.saturating_add(found.units);
            all.shared = all.shared.saturating_add(found.shared);
            all.most_ranks = all.most_ranks.max(found.most_ranks);
        }
        all
    }
}

/// Seconds of the rank that spent most on something.
struct Slowest<'a> {
    /// As bits of the sums.
    times: &'a mut PerRank,
    most: Ticks,
}

impl<'a> Slowest<'a> {
    fn new(times: &'a mut PerRank) -> Self {
        Self { times, most: Ticks::default() }
    }

    fn add(&mut self, op: &Op) {
        let sum = self.times.at(op.rank());
        let mut time = Ticks::from_raw(*sum);
        time += Ticks::of(op.seconds());
        *sum = time.raw();
        self.most = self.most.max(time);
    }

    /// The most, after setting all sums back; `ops` has every rank that was added.
    fn finish(self, ops: &[Op]) -> Ticks {
        self.times.clear(ops);
        self.most
    }
}
