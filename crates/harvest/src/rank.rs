//! Ranks: the processes that are one, and the captures of each.
//!
//! A process that becomes another program leaves several captures and stays one rank. Where MPI or a
//! launcher has numbered processes, that counts ([`family`](crate::family)).

use alloc::vec::Vec;

use ioglass_shm::Ending;

use crate::capture::Capture;
use crate::family::{self, Numbered};
use crate::{NoMemory, push};

/// A rank: its number, and its captures by the time they began.
#[derive(Debug)]
pub(crate) struct Rank {
    pub(crate) number: i64,
    pub(crate) members: Vec<usize>,
}

/// All ranks of a job, by number.
#[derive(Debug)]
pub(crate) struct Ranks {
    pub(crate) list: Vec<Rank>,
    /// Number of ranks of the job, those without I/O included where a launcher knows them.
    pub(crate) count: i64,
    /// Number of ranks of MPI; they come first.
    pub(crate) of_mpi: i64,
    /// The system that numbered them, for the log's metadata.
    pub(crate) numbered_by: &'static str,
}

impl Ranks {
    /// Numbers the processes. Captures are in the order in which they began.
    pub(crate) fn new(captures: &[Capture<'_>]) -> Result<Self, NoMemory> {
        let mut list = processes(captures)?;
        let does_io = |member: &usize| captures.get(*member).is_some_and(Capture::is_rank);
        let numbered = [Numbered::ByMpi, Numbered::ByLauncher].into_iter();
        let numbered = numbered.filter_map(|by| Some((by, by.ranks(captures)?))).next();
        if let Some((by, ranks)) = numbered
            && family::number(&mut list, captures, by, ranks)?
        {
            list.retain(|process| process.members.iter().any(does_io));
            let list = merge(list)?;
            let of_mpi = if by == Numbered::ByMpi { ranks } else { 0 };
            return Ok(Self { list, count: ranks, of_mpi, numbered_by: by.name() });
        }
        list.retain(|process| process.members.iter().any(does_io));
        for (number, process) in list.iter_mut().enumerate() {
            process.number = number as i64;
        }
        let count = list.len() as i64;
        Ok(Self { list, count, of_mpi: 0, numbered_by: "process" })
    }

    /// Returns true if MPI knows this rank; others are beside it.
    pub(crate) fn is_of_mpi(&self, rank: &Rank) -> bool {
        rank.number < self.of_mpi
    }

    /// The rank of each of so many captures, if it has one.
    pub(crate) fn of_captures(&self, captures: usize) -> Result<Vec<Option<i64>>, NoMemory> {
        let mut ranks = Vec::new();
        for _ in 0..captures {
            push(&mut ranks, None)?;
        }
        for rank in &self.list {
            for member in &rank.members {
                if let Some(place) = ranks.get_mut(*member) {
                    *place = Some(rank.number);
                }
            }
        }
        Ok(ranks)
    }
}

/// Captures put together by process, in the order in which the processes began.
fn processes(captures: &[Capture<'_>]) -> Result<Vec<Rank>, NoMemory> {
    let key = |i: &usize| {
        captures.get(*i).map(|capture| {
            let header = &capture.header;
            (header.host, header.pid_namespace, header.pid, *i)
        })
    };
    let mut order = Vec::new();
    for i in 0..captures.len() {
        push(&mut order, i)?;
    }
    order.sort_unstable_by_key(key);

    let mut list: Vec<Rank> = Vec::new();
    for i in order {
        // A process number is used again; only "exec" says that it is still the same process.
        let goes_on = |rank: &&mut Rank| {
            let before = rank.members.last().and_then(|before| captures.get(*before));
            before.zip(captures.get(i)).is_some_and(|(before, now)| {
                let (b, n) = (&before.header, &now.header);
                before.ending() == Ending::Exec
                    && (b.host, b.pid_namespace, b.pid) == (n.host, n.pid_namespace, n.pid)
            })
        };
        match list.last_mut().filter(goes_on) {
            Some(process) => push(&mut process.members, i)?,
            None => {
                let mut members = Vec::new();
                push(&mut members, i)?;
                push(&mut list, Rank { number: 0, members })?;
            }
        }
    }
    list.sort_unstable_by_key(|process| process.members.first().copied());
    Ok(list)
}

/// Processes with the same number become one rank.
fn merge(mut processes: Vec<Rank>) -> Result<Vec<Rank>, NoMemory> {
    processes.sort_by_key(|process| process.number);
    let mut list: Vec<Rank> = Vec::new();
    for process in processes {
        match list.last_mut().filter(|rank| rank.number == process.number) {
            Some(rank) => {
                for member in process.members {
                    push(&mut rank.members, member)?;
                }
                rank.members.sort_unstable();
            }
            None => push(&mut list, process)?,
        }
    }
    Ok(list)
}
