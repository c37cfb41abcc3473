//! The first pass: sums that need no order, in memory that does not grow with the trace.

use std::collections::{BTreeMap, HashMap};

use ioglass_log::{DxtHead, Operation, Segment};

use super::Layer;
use super::context::TraceContext;
use super::facts::{Asked, FileFacts, Flow, RankFacts};
use super::measure::{Histogram, Ticks};
use super::op::Op;
use super::quality::Quality;
use super::targets::Targets;

/// Files that are looked at; those with the lowest ids if there are more.
const MOST_FILES: usize = 1 << 18;
/// Names of hosts that are kept.
const MOST_HOSTS: usize = 1 << 16;

/// Sums of the first pass.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    about: &'a TraceContext,
    pub(super) files: BTreeMap<u64, FileFacts>,
    pub(super) ranks: BTreeMap<u32, RankFacts>,
    hosts: HashMap<Vec<u8>, u32>,
    host_names: Vec<Vec<u8>>,
    pub(super) targets: Targets,
    pub(super) quality: Quality,
    durations: [Histogram; 2],
    spans: [(f64, f64); 2],
    ops: Vec<Op>,
}

impl<'a> Survey<'a> {
    pub(super) fn new(about: &'a TraceContext) -> Self {
        Self {
            about,
            files: BTreeMap::new(),
            ranks: BTreeMap::new(),
            hosts: HashMap::new(),
            host_names: Vec::new(),
            targets: Targets::default(),
            quality: Quality::default(),
            durations: [Histogram::of_seconds(), Histogram::of_seconds()],
            spans: [(f64::INFINITY, f64::NEG_INFINITY); 2],
            ops: Vec::new(),
        }
    }

    /// Adds some segments of one record.
    pub(super) fn add(
        &mut self,
        layer: Layer,
        head: &DxtHead,
        operation: Operation,
        segments: &[Segment],
    ) {
        let count = segments.len() as u64;
        self.quality.segments += count;
        let Ok(rank) = u32::try_from(head.base.rank) else {
            self.quality.unusable += count;
            return;
        };
        let mut ops = std::mem::take(&mut self.ops);
        ops.clear();
        ops.extend(segments.iter().filter_map(|segment| Op::new(rank, segment)));
        self.quality.unusable += count - ops.len() as u64;
        let is_backward = |segment: &&Segment| segment.end < segment.start;
        self.quality.backward += segments.iter().filter(is_backward).count() as u64;
        if !ops.is_empty() && self.make_room(head.base.id, ops.len() as u64) {
            self.add_ops(layer, head, operation, &ops);
        }
        self.ops = ops;
    }

    /// Returns true if the file is one of those that are looked at.
    fn make_room(&mut self, id: u64, segments: u64) -> bool {
        if self.files.contains_key(&id) || self.files.len() < MOST_FILES {
            return true;
        }
        match self.files.last_entry() {
            Some(last) if *last.key() > id => {
                self.quality.left_out += last.remove().requests();
                true
            }
            _ => {
                self.quality.left_out += segments;
                false
            }
        }
    }

    fn add_ops(&mut self, layer: Layer, head: &DxtHead, operation: Operation, ops: &[Op]) {
        let durations = &mut self.durations[layer as usize];
        ops.iter().for_each(|op| durations.add(op.seconds()));
        let (begin, end) = span(ops);
        let all = &mut self.spans[layer as usize];
        *all = (all.0.min(begin), all.1.max(end));

        let id = head.base.id;
        let is_read = operation == Operation::Read;
        let flow = sum_up(self.about, id, ops);
        let host = self.host(&head.hostname);
        let rank = ops[0].rank();
        let names = &self.host_names;
        let new = RankFacts { rank, host, last_end: end, ..RankFacts::default() };
        let own = self.ranks.entry(rank).or_insert(new);
        if names[host as usize] < names[own.host as usize] {
            own.host = host;
        }
        own.last_end = own.last_end.max(end);
        own.calls[layer as usize] += ops.len() as u64;

        let file = self.files.entry(id).or_insert_with(|| {
            let (unit, is_striped) = self.about.unit(id);
            FileFacts { id, unit, is_striped, ..FileFacts::default() }
        });
        match layer {
            Layer::Posix => {
                *if is_read { &mut own.read } else { &mut own.write } += flow.time;
                own.small += flow.small_time;
                if is_read {
                    own.empty += flow.empty_time;
                }
                file.flow_mut(operation).add(&flow);
                if let Some(layout) = self.about.layouts.get(&id) {
                    self.targets.add(layout, usize::from(!is_read), ops);
                }
            }
            Layer::MpiIo => {
                own.asked += flow.time;
                let asked = file.asked.get_or_insert_default();
                asked.flow_mut(operation).add(&flow);
            }
        }
    }

    fn host(&mut self, name: &[u8]) -> u32 {
        // The last place is for all hosts that do not fit.
        let name = if self.hosts.len() < MOST_HOSTS { name } else { b"" };
        if let Some(host) = self.hosts.get(name) {
            return *host;
        }
        let host = self.host_names.len() as u32;
        self.host_names.push(name.to_vec());
        self.hosts.insert(name.to_vec(), host);
        host
    }

    /// Puts hosts in order of their names, and gives these.
    pub(super) fn sort_hosts(&mut self) -> Vec<String> {
        let mut order: Vec<usize> = (0..self.host_names.len()).collect();
        order.sort_by_key(|host| &self.host_names[*host]);
        let mut place = vec![0; order.len()];
        (0..).zip(&order).for_each(|(to, from)| place[*from] = to);
        self.ranks.values_mut().for_each(|rank| rank.host = place[rank.host as usize]);
        let name = |host: &usize| String::from_utf8_lossy(&self.host_names[*host]).into_owned();
        order.iter().map(name).collect()
    }

    /// Returns true if there are calls of this layer.
    pub(super) fn has(&self, layer: Layer) -> bool {
        self.durations[layer as usize].count() > 0
    }

    /// Seconds from the first to the last call, and the median seconds of a call.
    pub(super) fn times(&self, layer: Layer) -> (f64, f64) {
        let (begin, end) = self.spans[layer as usize];
        ((end - begin).max(0.0), self.durations[layer as usize].median())
    }
}

impl FileFacts {
    pub(super) fn flow_mut(&mut self, operation: Operation) -> &mut Flow {
        match operation {
            Operation::Read => &mut self.reads,
            Operation::Write => &mut self.writes,
        }
    }

    /// Requests of all kinds.
    pub(super) fn requests(&self) -> u64 {
        let asked = self.asked.as_deref();
        let asked = asked.map_or(0, |asked| asked.reads.requests + asked.writes.requests);
        self.reads.requests + self.writes.requests + asked
    }
}

impl Asked {
    pub(super) fn flow_mut(&mut self, operation: Operation) -> &mut Flow {
        match operation {
            Operation::Read => &mut self.reads,
            Operation::Write => &mut self.writes,
        }
    }
}

impl Flow {
    /// Adds the sums of some more requests of one rank.
    fn add(&mut self, more: &Self) {
        self.requests += more.requests;
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.time += more.time;
        self.small += more.small;
        self.small_time += more.small_time;
        self.empty += more.empty;
        self.empty_time += more.empty_time;
        self.misaligned_offsets += more.misaligned_offsets;
        self.misaligned_ends += more.misaligned_ends;
        self.misaligned += more.misaligned;
    }
}

fn span(ops: &[Op]) -> (f64, f64) {
    let widen = |(begin, end): (f64, f64), op: &Op| (begin.min(op.start), end.max(op.end));
    ops.iter().fold((f64::INFINITY, f64::NEG_INFINITY), widen)
}

fn sum_up(about: &TraceContext, id: u64, ops: &[Op]) -> Flow {
    let layout = about.layouts.get(&id);
    let (fixed, _) = about.unit(id);
    let mut flow = Flow { requests: ops.len() as u64, ..Flow::default() };
    for op in ops {
        let time = Ticks::of(op.seconds());
        flow.bytes = flow.bytes.saturating_add(op.length());
        flow.time += time;
        if op.length() < about.limits.small {
            flow.small += 1;
            flow.small_time += time;
        }
        if op.length() == 0 {
            flow.empty += 1;
            flow.empty_time += time;
        }
        let unit = layout.and_then(|layout| layout.part_at(op.offset)).map_or(fixed, |p| p.unit);
        if op.is_placed() && unit > 0 {
            let offset = op.offset % unit != 0;
            let end = op.stop() % unit != 0;
            flow.misaligned_offsets += u64::from(offset);
            flow.misaligned_ends += u64::from(end);
            flow.misaligned += u64::from(offset || end);
        }
    }
    flow
}
