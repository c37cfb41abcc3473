//! The rank of the job that each rank of each log becomes.

use std::collections::{BTreeMap, HashMap};

use ioglass_harvest::process::Process;

use crate::input::{Input, Numbered};

/// Begins of one process that two logs tell differ by less than this.
pub(crate) const SAME_BEGIN_NS: u64 = 1_000_000;

/// A log that says nothing of its processes has one; one that claims more than this lies.
const MOST_UNSAID: i64 = 1 << 16;

/// The ranks of the new log.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// By log.
    of_log: Vec<OfLog>,
    /// Number of ranks of the job.
    pub(crate) count: i64,
    /// Number of ranks of an MPI job that have to know a file for it to be shared; 0 if no file is.
    pub(crate) of_mpi: i64,
    /// The system that numbered them, for the log's metadata.
    pub(crate) numbered_by: &'static str,
}

#[derive(Debug, Default)]
struct OfLog {
    /// Numbers below this hold in the whole job, after so many others.
    fixed: i64,
    after: i64,
    /// The others.
    own: BTreeMap<i64, i64>,
}

impl Ranks {
    pub(crate) fn new(inputs: &[Input]) -> Self {
        // Several jobs that were forced into one log have their ranks one after the other.
        let mut jobs: Vec<(Option<i64>, i64, i64)> = Vec::new();
        let mut count: i64 = 0;
        let mut of_log: Vec<OfLog> = Vec::new();
        for input in inputs {
            let mut own = OfLog::default();
            if input.has_fixed_ranks() {
                own.fixed = input.nprocs;
                let key = (input.scheduled(), input.nprocs);
                own.after = match jobs.iter().find(|(job, ranks, _)| (*job, *ranks) == key) {
                    Some((.., after)) => *after,
                    None => {
                        jobs.push((key.0, key.1, count));
                        count += input.nprocs;
                        count - input.nprocs
                    }
                };
            }
            of_log.push(own);
        }
        let numbered = |by| inputs.iter().any(|input| input.numbered == by);
        let numbered_by = match () {
            () if numbered(Numbered::Mpi) => "mpi",
            () if numbered(Numbered::Launcher) => "launcher",
            () => "process",
        };
        let is_one_mpi_job = jobs.len() == 1 && numbered_by == "mpi" && count > 1;
        let of_mpi = if is_one_mpi_job { count } else { 0 };
        let mut next = count;
        for process in processes(inputs) {
            for (log, rank) in process.places {
                if let Some(of_log) = of_log.get_mut(log) {
                    of_log.own.insert(rank, next);
                }
            }
            next += 1;
        }
        // Helpers beside numbered ranks are no ranks of the job.
        let count = if count > 0 { count } else { next.max(1) };
        Self { of_log, count, of_mpi, numbered_by }
    }

    /// The rank of the job that is `rank` in this log; −1 stays all.
    pub(crate) fn of(&self, log: usize, rank: i64) -> i64 {
        let Some(of_log) = self.of_log.get(log).filter(|_| rank >= 0) else { return rank };
        if rank < of_log.fixed {
            return of_log.after + rank;
        }
        of_log.own.get(&rank).copied().unwrap_or(rank)
    }
}

/// A process that nobody numbered.
#[derive(Debug)]
struct Unnumbered {
    start_ns: i64,
    pid: u64,
    /// In which logs it is, and as which rank.
    places: Vec<(usize, i64)>,
}

/// The processes that nobody numbered, by the time they began.
fn processes(inputs: &[Input]) -> Vec<Unnumbered> {
    let mut parts: Vec<ProcessPart<'_>> = Vec::new();
    for (log, input) in inputs.iter().enumerate() {
        let fixed = if input.has_fixed_ranks() { input.nprocs } else { 0 };
        let mut seen = BTreeMap::new();
        for process in &input.processes {
            if let Some(rank) = process.rank.filter(|rank| *rank >= fixed) {
                seen.insert(rank, ());
                let start_ns = input.begin_ns(process);
                parts.push(ProcessPart { start_ns, log, rank, process: Some(process) });
            }
        }
        // Where nothing is said of processes there is one for each rank.
        let unsaid = if fixed > 0 { 0 } else { input.nprocs.min(MOST_UNSAID) };
        for rank in (0..unsaid).filter(|rank| !seen.contains_key(rank)) {
            parts.push(ProcessPart { start_ns: input.start_ns, log, rank, process: None });
        }
    }
    parts.sort_by_key(|part| (part.start_ns, part.process.map(|process| process.pid), part.rank));
    join(&parts)
}

/// A line in a log's table of processes.
struct ProcessPart<'i> {
    start_ns: i64,
    log: usize,
    rank: i64,
    process: Option<&'i Process>,
}

/// Parts of one process become one: those that a log has as one rank, those that `exec` divides, and
/// what two logs tell of the same process.
fn join(parts: &[ProcessPart<'_>]) -> Vec<Unnumbered> {
    let mut found: Vec<Unnumbered> = Vec::new();
    let mut by_place: HashMap<(usize, i64), usize> = HashMap::new();
    let mut by_number: HashMap<(&str, u64), (usize, &ProcessPart<'_>)> = HashMap::new();
    for part in parts {
        let place = (part.log, part.rank);
        let number = part.process.map(|process| (&*process.host, process.pid));
        let before = number.and_then(|number| by_number.get(&number)).filter(|(_, before)| {
            let became_another = before.process.is_some_and(|process| process.ending == "exec");
            became_another || part.start_ns.abs_diff(before.start_ns) < SAME_BEGIN_NS
        });
        let index = by_place.get(&place).copied().or(before.map(|(index, _)| *index));
        let index = index.unwrap_or_else(|| {
            let pid = part.process.map_or(0, |process| process.pid);
            found.push(Unnumbered { start_ns: part.start_ns, pid, places: Vec::new() });
            found.len() - 1
        });
        if by_place.insert(place, index).is_none() {
            found[index].places.push(place);
        }
        if let Some(number) = number {
            by_number.insert(number, (index, part));
        }
    }
    found.sort_by_key(|process| (process.start_ns, process.pid));
    found
}
