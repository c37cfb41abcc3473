//! Tests that logs are of one job.
//!
//! Certain facts decide: the user, the scheduler's number, the size of an MPI job and its program.
//! Without a scheduler every process has a number of its own; such logs belong together if
//! one's process started another's, or if they ran at the same time.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use crate::input::{Input, Numbered};

/// Two logs that are not of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The logs.
    pub logs: [PathBuf; 2],
    /// The name of the fact that differs.
    pub what: &'static str,
    /// Its value in each.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([one, other], [value, another]) = (&self.logs, &self.values);
        let (one, other) = (one.display(), other.display());
        write!(f, "{one} and {other} differ in their {}: {value}, {another}", self.what)
    }
}

/// Two of these logs that are not of one job, if there are such.
pub(crate) fn difference(inputs: &[Input]) -> Option<Difference> {
    let all: Vec<&Input> = inputs.iter().collect();
    let fixed: Vec<&Input> = inputs.iter().filter(|input| input.has_fixed_ranks()).collect();
    let is_mpi = |input: &&&Input| input.numbered == Numbered::Mpi;
    let mpi: Vec<&Input> = fixed.iter().filter(is_mpi).copied().collect();
    let scheduled: Vec<&Input> =
        inputs.iter().filter(|input| input.scheduled().is_some()).collect();
    differ(&all, "user", |input| input.job.uid.to_string())
        .or_else(|| differ(&fixed, "number of ranks", |input| input.nprocs.to_string()))
        .or_else(|| differ(&mpi, "program", |input| input.job.exe().into_owned()))
        .or_else(|| differ(&scheduled, "job", |input| input.job.jobid.to_string()))
        .or_else(|| stranger(inputs))
}

fn differ(
    inputs: &[&Input],
    what: &'static str,
    value: impl Fn(&Input) -> String,
) -> Option<Difference> {
    let (first, rest) = inputs.split_first()?;
    let own = value(first);
    let other = rest.iter().find(|input| value(input) != own)?;
    let logs = [first.path.clone(), other.path.clone()];
    Some(Difference { logs, what, values: [own, value(other)] })
}

/// A log of another number that has nothing to do with the first, not even through others.
fn stranger(inputs: &[Input]) -> Option<Difference> {
    let mut groups = Groups::new(inputs.len());
    let mut by_job: HashMap<i64, usize> = HashMap::new();
    let mut by_process: HashMap<(&str, u64), usize> = HashMap::new();
    let mut last: Option<usize> = None;
    // Logs are in the order in which they began.
    for (i, input) in inputs.iter().enumerate() {
        groups.unite(i, *by_job.entry(input.job.jobid).or_insert(i));
        for process in &input.processes {
            // The first process of a machine adopts everybody.
            for number in [process.pid, process.ppid].into_iter().filter(|number| *number > 1) {
                groups.unite(i, *by_process.entry((&process.host, number)).or_insert(i));
            }
        }
        let end_ns = |last: usize| inputs[last].end_ns;
        if let Some(last) = last.filter(|last| input.start_ns <= end_ns(*last)) {
            groups.unite(i, last);
        }
        last = last.filter(|last| end_ns(*last) > input.end_ns).or(Some(i));
    }
    let first = inputs.first()?;
    let other = (0..inputs.len()).find(|i| groups.of(*i) != groups.of(0))?;
    let other = &inputs[other];
    let logs = [first.path.clone(), other.path.clone()];
    let values = [first, other].map(|input| input.job.jobid.to_string());
    Some(Difference { logs, what: "job, and in their time", values })
}

/// Sets of logs that belong together: each points to one before it, or to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn of(&mut self, mut log: usize) -> usize {
        while self.0[log] != log {
            self.0[log] = self.0[self.0[log]];
            log = self.0[log];
        }
        log
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        self.0[one.max(other)] = one.min(other);
    }
}
