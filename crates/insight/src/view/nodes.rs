//! Nodes that ranks ran on.

use crate::model::Run;

/// Most nodes that are told apart: rows of more nodes would say little.
const MOST_NODES: usize = 1 << 12;
/// Most ranks whose nodes are listed.
const MOST_RANKS: usize = 1 << 18;

/// The nodes of a run, if there are several and the trace names them.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes<'r> {
    /// Their names; not to be trusted.
    pub names: &'r [String],
    /// Ranks by number, each with the place of its node.
    pub of_rank: Vec<(u32, u32)>,
}

pub(super) fn of(run: &Run) -> Option<Nodes<'_>> {
    let trace = run.trace.as_ref()?;
    let is_told = (2..=MOST_NODES).contains(&trace.hosts.len());
    if !is_told || trace.ranks.len() > MOST_RANKS || trace.hosts.iter().any(String::is_empty) {
        return None;
    }
    let of_rank = trace.ranks.iter().map(|facts| (facts.rank, facts.host)).collect();
    Some(Nodes { names: &trace.hosts, of_rank })
}
