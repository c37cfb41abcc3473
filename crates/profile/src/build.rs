//! Makes a profile of what processes recorded, or of other profiles.

mod index;
mod order;
pub(crate) mod rows;
pub(crate) mod series;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use crate::model::{
    Head, Io, Kind, Layer, Lost, Notice, NoticeCode, Overhead, Process, Profile, RankKind, Region,
    Row, Tag,
};
use crate::{NoMemory, copy, push};
use index::Index;

/// A path in one thread of a process.
#[derive(Debug, Clone, Default)]
pub struct Node<'n> {
    /// The node above it, as a position in the list of nodes, where it comes first. One of another
    /// thread is the region to which this thread was attached.
    pub parent: Option<u32>,
    /// Its name.
    pub name: &'n [u8],
    /// Its kind.
    pub kind: Kind,
    /// File of the annotation; empty if it is not known.
    pub file: &'n [u8],
    /// Line of the annotation.
    pub line: u32,
    /// The thread.
    pub thread: u32,
    /// Its texts: key, text.
    pub tags: Vec<(&'n [u8], &'n [u8])>,
    /// Its figures, one row for each execution, in order. Process, thread and exclusive time are
    /// filled in; rows in which nothing was counted are left out.
    pub rows: Vec<Row>,
}

/// New positions of what had others.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "only sets of files need them"))]
pub(crate) struct Places {
    pub(crate) regions: Vec<u32>,
    pub(crate) processes: Vec<u32>,
    pub(crate) metrics: Vec<u32>,
}

/// Puts processes, or whole profiles, together. The order in which they come does not matter.
#[derive(Debug, Default)]
pub struct Builder {
    profile: Profile,
    /// Regions by parent and name.
    regions: Index,
    metrics: Index,
    processes: Index,
    /// For each process the input that had it first.
    origins: Vec<u32>,
    inputs: u32,
}

impl Builder {
    /// A profile of this job.
    pub fn new(head: Head) -> Self {
        Self { profile: Profile { head, ..Profile::default() }, ..Self::default() }
    }

    /// The number of a metric, for [`Metric`](crate::Metric) and [`Series`](crate::Series).
    pub fn metric(&mut self, name: &[u8]) -> Result<u32, NoMemory> {
        let list = &mut self.profile.metrics;
        if let Some(found) = self.metrics.find(0, name, |at| list[at as usize] == name) {
            return Ok(found);
        }
        let number = list.len() as u32;
        push(list, copy(name)?)?;
        self.metrics.insert(0, name, number, |at| (0, &list[at as usize]))?;
        Ok(number)
    }

    /// Adds a process with its nodes. Returns the region of each node.
    pub fn process(
        &mut self,
        process: Process,
        mut nodes: Vec<Node<'_>>,
    ) -> Result<Vec<u32>, NoMemory> {
        rows::subtract_children(&mut nodes)?;
        let rank = process.rank;
        let number = self.add_process(process)?;
        let mut regions: Vec<u32> = Vec::new();
        regions.try_reserve_exact(nodes.len()).map_err(|_| NoMemory)?;
        for node in nodes {
            // One that is not before it is none.
            let parent = node.parent.and_then(|parent| regions.get(parent as usize)).copied();
            let region = self.region(parent, node.name, node.kind)?;
            regions.push(region);
            self.describe(region, node.kind, node.file, node.line)?;
            for (key, text) in node.tags {
                let (key, text) = (copy(key)?, copy(text)?);
                self.add_tag(region, Tag { key, rank, text, processes: 1 })?;
            }
            let rows = &mut self.profile.regions[region as usize].rows;
            for mut row in node.rows {
                if !row.is_empty() {
                    row.process = number;
                    row.thread = node.thread;
                    push(rows, row)?;
                }
            }
        }
        Ok(regions)
    }

    /// Counts a mistake, in one of the regions that [`Builder::process`] returned.
    pub fn notice(
        &mut self,
        code: NoticeCode,
        name: &[u8],
        region: Option<u32>,
        count: u64,
    ) -> Result<(), NoMemory> {
        let known = self.profile.regions.len() as u32;
        let region = region.filter(|region| *region < known);
        push(&mut self.profile.notices, Notice { code, name: copy(name)?, region, count })
    }

    /// Adds I/O in no region.
    pub fn outside(&mut self, layer: Layer, io: &Io) -> Result<(), NoMemory> {
        rows::add_io(&mut self.profile.outside, layer, io)
    }

    /// Adds the cost of measuring.
    pub fn overhead(&mut self, overhead: &Overhead) {
        self.profile.overhead.add(overhead);
    }

    /// Adds what could not be kept.
    pub fn lost(&mut self, lost: &Lost) {
        self.profile.lost.add(lost);
    }

    /// Adds a profile: another part of the same job.
    pub fn profile(&mut self, other: Profile) -> Result<(), NoMemory> {
        self.add_profile(other).map(drop)
    }

    /// Adds a profile. Returns where everything went, before all are put in order.
    pub(crate) fn add_profile(&mut self, other: Profile) -> Result<Places, NoMemory> {
        let Profile { head, processes, metrics, regions, outside, overhead, notices, lost } = other;
        order::join_heads(&mut self.profile.head, head, self.inputs == 0);
        self.inputs += 1;
        let mut numbers: Vec<u32> = Vec::new();
        for process in processes {
            push(&mut numbers, self.add_process(process)?)?;
        }
        let mut names: Vec<u32> = Vec::new();
        for name in &metrics {
            push(&mut names, self.metric(name)?)?;
        }
        let mut places: Vec<u32> = Vec::new();
        for Region { parent, name, kind, file, line, tags, rows } in regions {
            let parent = parent.and_then(|parent| places.get(parent as usize)).copied();
            let region = self.region(parent, &name, kind)?;
            push(&mut places, region)?;
            self.describe(region, kind, &file, line)?;
            for tag in tags {
                self.add_tag(region, tag)?;
            }
            let list = &mut self.profile.regions[region as usize].rows;
            list.try_reserve(rows.len()).map_err(|_| NoMemory)?;
            for mut row in rows {
                // A row of nobody is none.
                let Some(process) = numbers.get(row.process as usize) else { continue };
                row.process = *process;
                rows::rename_metrics(&mut row, &names);
                list.push(row);
            }
        }
        for (layer, io) in &outside {
            self.outside(*layer, io)?;
        }
        for mut notice in notices {
            notice.region = notice.region.and_then(|at| places.get(at as usize)).copied();
            push(&mut self.profile.notices, notice)?;
        }
        self.overhead(&overhead);
        self.lost(&lost);
        Ok(Places { regions: places, processes: numbers, metrics: names })
    }

    /// The whole.
    pub fn finish(self) -> Result<Profile, NoMemory> {
        self.finish_with_places().map(|(profile, _)| profile)
    }

    /// The whole, and where everything went.
    pub(crate) fn finish_with_places(mut self) -> Result<(Profile, Places), NoMemory> {
        if self.profile.head.rank_kind == RankKind::Process && self.inputs > 1 {
            order::number_ranks(&mut self.profile, &self.origins)?;
        }
        order::sort(self.profile)
    }

    /// The position of a process, which is added unless it is there.
    fn add_process(&mut self, process: Process) -> Result<u32, NoMemory> {
        let list = &mut self.profile.processes;
        let key = |process: &Process| u64::from(process.rank) << 32 ^ process.pid;
        let is_same = |other: &Process| {
            (other.rank, other.pid, other.started_ns)
                == (process.rank, process.pid, process.started_ns)
                && other.host == process.host
        };
        let hash = key(&process);
        if let Some(at) = self.processes.find(hash, &process.host, |at| is_same(&list[at as usize]))
        {
            let known = &mut list[at as usize];
            known.threads = known.threads.max(process.threads);
            known.ending = known.ending.min(process.ending);
            return Ok(at);
        }
        let number = list.len() as u32;
        push(list, process)?;
        let name = |at: u32| (key(&list[at as usize]), &list[at as usize].host[..]);
        self.processes.insert(hash, name(number).1, number, name)?;
        push(&mut self.origins, self.inputs)?;
        Ok(number)
    }

    /// The region with this name, which is added unless it is there. A span and a region of the same
    /// name are two: what a span took is not taken off its parent.
    fn region(&mut self, parent: Option<u32>, name: &[u8], kind: Kind) -> Result<u32, NoMemory> {
        let list = &mut self.profile.regions;
        let key = |parent: Option<u32>| parent.map_or(0, |parent| u64::from(parent) + 1);
        let is_same = |at: u32| {
            let other = &list[at as usize];
            let is_alike = (other.kind == Kind::Span) == (kind == Kind::Span);
            other.parent == parent && is_alike && other.name == name
        };
        if let Some(found) = self.regions.find(key(parent), name, is_same) {
            return Ok(found);
        }
        let number = list.len() as u32;
        push(list, Region { parent, name: copy(name)?, kind, ..Region::default() })?;
        let name_of = |at: u32| (key(list[at as usize].parent), &list[at as usize].name[..]);
        self.regions.insert(key(parent), name, number, name_of)?;
        Ok(number)
    }

    /// Adds what is known of a region: of two places in the code the first one by name counts.
    fn describe(
        &mut self,
        region: u32,
        kind: Kind,
        file: &[u8],
        line: u32,
    ) -> Result<(), NoMemory> {
        let region = &mut self.profile.regions[region as usize];
        region.kind = region.kind.max(kind);
        if !file.is_empty()
            && (region.file.is_empty() || (file, line) < (&region.file[..], region.line))
        {
            region.file = copy(file)?;
            region.line = line;
        }
        Ok(())
    }

    fn add_tag(&mut self, region: u32, tag: Tag) -> Result<(), NoMemory> {
        let tags = &mut self.profile.regions[region as usize].tags;
        match tags.iter_mut().find(|other| other.key == tag.key && other.text == tag.text) {
            Some(known) => {
                known.rank = known.rank.min(tag.rank);
                known.processes = known.processes.saturating_add(tag.processes);
                Ok(())
            }
            None => push(tags, tag),
        }
    }
}
