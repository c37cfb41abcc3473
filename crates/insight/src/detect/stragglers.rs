//! T03: the same rank or node is last in most phases.

use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, Pool};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Need, Plot, Quantity, Top};
use crate::number;
use crate::trace::{Phase, TraceFacts};

pub(super) static DETECTOR: Detector = Detector {
    code: "T03",
    slug: "stragglers",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "The same rank, or ranks of the same node, finish last in most phases.",
    condition: "There are at least stragglers_phases phases with several ranks. The same rank, \
                or a rank of the same one of several hosts, is last in at least stragglers_share \
                of them, each time by stragglers_tail of the phase after the median rank.",
    why: "The others wait for it in every phase. The reason may be a slow node, a busy core or \
          an uneven share of the work.",
    fix: "Leave out the node, look at the placement of ranks, or give this rank less to do.",
    see: "https://slurm.schedmd.com/sbatch.html",
    applies_to: &[Feature::Ranks, Feature::IoTime],
    plots: &[Plot::Time, Plot::Ranks],
    moment: Moment::LongestTail,
    check,
};

/// A rank or node that is last, the number of phases, and the seconds it loses.
struct Straggler {
    rank: Option<u32>,
    host: String,
    phases: u64,
    seconds: f64,
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something || run.active_ranks < 2 {
        return Check::Senseless;
    }
    if !run.cores_are_enough {
        return Check::NotCheckable(Need::CoresForRanks);
    }
    let Some(trace) = &run.trace else {
        return Check::NotCheckable(Need::Trace);
    };
    let phases: Vec<&Phase> = trace.phases.iter().filter(|phase| phase.ranks >= 2).collect();
    let count = phases.len() as u64;
    if (count as f64) < limits.stragglers_phases {
        return Check::Fine(format!(
            "Only {} had several ranks, too few to tell.",
            number::counted(count, "phase", "phases")
        ));
    }
    let is_late = |phase: &&&Phase| phase.tail() >= limits.stragglers_tail * phase.seconds();
    let late: Vec<&Phase> = phases.iter().filter(is_late).copied().collect();
    let enough = |last: &Straggler| last.phases as f64 >= limits.stragglers_share * count as f64;
    let rank = most_often(&late, |phase| phase.last_rank).map(|(rank, phases, seconds)| {
        Straggler { rank: Some(rank), host: trace.host_of(rank).to_owned(), phases, seconds }
    });
    let host = || {
        let found = most_often(&late, |phase| trace.host_of(phase.last_rank).to_owned());
        let host = |(host, phases, seconds)| Straggler { rank: None, host, phases, seconds };
        found.map(host).filter(|last| trace.hosts.len() > 1 && !last.host.is_empty())
    };
    match rank.filter(enough).or_else(|| host().filter(enough)) {
        Some(last) => fired(cx, trace, &last, count),
        None => Check::Fine(format!(
            "In {} of {} phases a rank is late, but not the same one.",
            number::thousands(late.len() as u64),
            number::thousands(count)
        )),
    }
}

fn most_often<K: Ord>(phases: &[&Phase], key: impl Fn(&Phase) -> K) -> Option<(K, u64, f64)> {
    let mut counts: BTreeMap<K, (u64, f64)> = BTreeMap::new();
    for phase in phases {
        let (count, seconds) = counts.entry(key(phase)).or_default();
        *count += 1;
        *seconds += phase.tail();
    }
    // Among those that are last equally often, the first.
    let most = counts.into_iter().rev().max_by_key(|(_, (count, _))| *count);
    most.map(|(key, (count, seconds))| (key, count, seconds))
}

fn fired(cx: &Context<'_>, trace: &TraceFacts, last: &Straggler, count: u64) -> Check {
    let times = format!("{} of {}", number::thousands(last.phases), number::thousands(count));
    let title = match last.rank {
        Some(rank) => format!("Rank {rank} finishes last in {times} phases"),
        None => format!("A rank of the same node finishes last in {times} phases"),
    };
    // Names of hosts come from the log. The report escapes them like names of files.
    let whereabouts =
        if last.host.is_empty() { String::new() } else { format!(" on {}", last.host) };
    let detail = format!(
        "It{whereabouts} is done {} after the median rank, added up over these phases.",
        number::seconds(last.seconds)
    );
    let setting = cx.setting(None);
    let is_node = trace.hosts.len() > 1;
    let ranks = match last.rank {
        Some(rank) => vec![i64::from(rank)],
        None => Vec::new(),
    };
    // If it were as fast as the median rank, each phase would end that much earlier.
    Case::new(title, detail, last.seconds.min(cx.run.run_time))
        .evidence("phases in which it is last", last.phases as f64, Quantity::Count)
        .evidence("phases", count as f64, Quantity::Count)
        .evidence("seconds after the median rank", last.seconds, Quantity::Seconds)
        .ranks(Top { list: ranks, more: 0 })
        .pool(Pool::Data)
        .confidence(Confidence::Measured)
        .advise(advice::avoid_node(&setting, if is_node { &last.host } else { "" }))
        .fired()
}
