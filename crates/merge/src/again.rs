//! Processes that two logs tell of from their beginning.
//!
//! A process that outlives its job is in the job's log as it stood then, and whole in a log that was
//! made of it later, which says so. What the first has of it would count twice.

use std::collections::{BTreeMap, HashMap, HashSet};

use ioglass_harvest::process::Process;

use crate::input::Input;
use crate::ranks::SAME_BEGIN_NS;

/// Ranks whose records are left out of a log, because another has them whole.
#[derive(Debug, Default)]
pub(crate) struct Again {
    ranks: HashSet<(usize, i64)>,
    /// Processes that could not be told apart, in words.
    pub(crate) notes: Vec<String>,
}

impl Again {
    pub(crate) fn new(inputs: &[Input]) -> Self {
        let mut whole: HashMap<(&str, u64), Vec<i64>> = HashMap::new();
        for input in inputs.iter().filter(|input| input.is_whole()) {
            for process in &input.processes {
                let begins = whole.entry((&process.host, process.pid)).or_default();
                begins.push(input.begin_ns(process));
            }
        }
        let mut again = Self::default();
        for (log, input) in inputs.iter().enumerate().filter(|(_, input)| !input.is_whole()) {
            let is_again = |process: &Process| {
                let begins = whole.get(&(&*process.host, process.pid));
                let begin = input.begin_ns(process);
                let same = |other: &i64| other.abs_diff(begin) < SAME_BEGIN_NS;
                process.ending == "running" && begins.is_some_and(|all| all.iter().any(same))
            };
            let mut by_rank: BTreeMap<i64, Vec<&Process>> = BTreeMap::new();
            for process in &input.processes {
                by_rank.entry(process.rank.unwrap_or(-1)).or_default().push(process);
            }
            for (rank, processes) in by_rank {
                again.look_at(log, rank, &processes, is_again);
            }
        }
        again
    }

    fn look_at(
        &mut self,
        log: usize,
        rank: i64,
        processes: &[&Process],
        is_again: impl Fn(&Process) -> bool,
    ) {
        let (running, others): (Vec<&Process>, Vec<&Process>) =
            processes.iter().partition(|process| is_again(process));
        let Some(first) = running.first().filter(|_| rank >= 0) else { return };
        let command = &first.command;
        let before = |other: &&Process| (&other.host, other.pid) == (&first.host, first.pid);
        if !others.iter().all(before) {
            self.notes.push(format!("the second account of {command}: its rank has others, too"));
            return;
        }
        self.ranks.insert((log, rank));
        if !others.is_empty() {
            self.notes.push(format!("what {command} was before it became that"));
        }
    }

    /// Returns true if another log has this rank of a log whole.
    pub(crate) fn has(&self, log: usize, rank: i64) -> bool {
        self.ranks.contains(&(log, rank))
    }
}
