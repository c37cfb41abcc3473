//! Ranks that MPI or a launcher has numbered: whose they are, and which numbers the processes beside
//! them have.

use alloc::vec::Vec;

use ioglass_shm::{HOST_SIZE, Header};

use crate::capture::Capture;
use crate::rank::Rank;
use crate::{NoMemory, push};

/// The system that numbered processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbered {
    ByMpi,
    ByLauncher,
}

impl Numbered {
    /// Its name in the log's metadata.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ByMpi => "mpi",
            Self::ByLauncher => "launcher",
        }
    }

    /// Number of ranks that it announced, if any process with I/O is one.
    pub(crate) fn ranks(self, captures: &[Capture<'_>]) -> Option<i64> {
        let is_used = |capture: &&Capture<'_>| self == Self::ByMpi || capture.is_rank();
        let headers = captures.iter().filter(is_used).map(|capture| &capture.header);
        headers.filter(|header| self.is_rank(header)).map(|header| i64::from(header.ranks)).max()
    }

    fn is_rank(self, header: &Header) -> bool {
        (self == Self::ByLauncher || header.by_mpi == 1) && (0..header.ranks).contains(&header.rank)
    }
}

/// Numbers the processes: as they were numbered, or as the nearest ancestor that was, or, with MPI, as the
/// launcher has that has started the ranks. Others come behind all ranks, in the order in which they began.
///
/// Tells whether that makes sense. Several programs that are each the only rank of their MPI are processes
/// like others.
pub(crate) fn number(
    processes: &mut [Rank],
    captures: &[Capture<'_>],
    by: Numbered,
    ranks: i64,
) -> Result<bool, NoMemory> {
    let family = Family::new(processes, captures, by)?;
    if by == Numbered::ByMpi && ranks == 1 && family.eldest_ranks() > 1 {
        return Ok(false);
    }
    let mut next = ranks;
    for (i, process) in processes.iter_mut().enumerate() {
        let members = || process.members.iter().filter_map(|member| captures.get(*member));
        let by_launcher = || {
            let header = &members().next()?.header;
            (i64::from(header.ranks) == ranks && header.rank >= 0).then_some(header.rank.into())
        };
        process.number = family.rank_of(i).or_else(by_launcher).unwrap_or_else(|| {
            let number = next;
            next += i64::from(members().any(Capture::is_rank));
            number
        });
    }
    Ok(true)
}

/// Generations that are looked at; a capture may claim anything.
const MOST_ANCESTORS: usize = 64;

/// Parents of processes, and the ranks that processes have by themselves.
struct Family {
    /// Host, namespace and number of a process, its first capture, and its place in the list; sorted.
    known: Vec<(ProcessId, usize, usize)>,
    /// Of each process: its parent, its first capture, its own rank.
    processes: Vec<(ProcessId, usize, Option<i64>)>,
}

type ProcessId = ([u8; HOST_SIZE], u64, u32);

impl Family {
    fn new(list: &[Rank], captures: &[Capture<'_>], by: Numbered) -> Result<Self, NoMemory> {
        let mut family = Self { known: Vec::new(), processes: Vec::new() };
        for (place, process) in list.iter().enumerate() {
            let headers = || {
                let members = process.members.iter().filter_map(|member| captures.get(*member));
                members.map(|capture| &capture.header)
            };
            let own = headers().find(|header| by.is_rank(header)).map(|header| header.rank.into());
            let first = process.members.first().copied().unwrap_or_default();
            let id = |pid: fn(&Header) -> u32| {
                let header = headers().next();
                header.map_or(([0; HOST_SIZE], 0, 0), |h| (h.host, h.pid_namespace, pid(h)))
            };
            push(&mut family.known, (id(|header| header.pid), first, place))?;
            push(&mut family.processes, (id(|header| header.ppid), first, own))?;
        }
        family.known.sort_unstable();
        Ok(family)
    }

    /// The rank of a process or of its nearest ancestor that is one.
    fn rank_of(&self, place: usize) -> Option<i64> {
        let lineage = core::iter::successors(Some(place), |place| self.parent(*place));
        let mut ranks = lineage.take(MOST_ANCESTORS).map(|place| self.processes.get(place)?.2);
        ranks.find_map(|rank| rank)
    }

    /// Number of ranks without an ancestor that is one: forked children are what their parent is.
    fn eldest_ranks(&self) -> usize {
        let is_rank = |place: usize| self.processes.get(place).is_some_and(|own| own.2.is_some());
        let is_eldest = |place: &usize| {
            let above = self.parent(*place).filter(|parent| parent != place);
            is_rank(*place) && above.is_none_or(|parent| self.rank_of(parent).is_none())
        };
        (0..self.processes.len()).filter(is_eldest).count()
    }

    /// A number is used again, so the parent is the last that had it when the child began. But a capture
    /// begins with the first I/O, which may be later than the child's.
    fn parent(&self, place: usize) -> Option<usize> {
        let (parent, first, _) = self.processes.get(place)?;
        let from = self.known.partition_point(|known| known.0 < *parent);
        let same = self.known.get(from..)?;
        let same = same.get(..same.partition_point(|known| known.0 == *parent))?;
        let before = same.partition_point(|known| known.1 < *first);
        same.get(before.saturating_sub(1)).map(|known| known.2)
    }
}
