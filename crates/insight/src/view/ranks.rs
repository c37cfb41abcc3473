//! The cost of I/O for each rank.

use crate::model::{Run, Totals};

/// Bars of a chart.
const MOST_BARS: usize = 512;
/// Interfaces that cost less than this part of the costliest one are left out.
const WORTH: f64 = 0.01;

/// Cost of one interface for each rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankCosts {
    /// The interface.
    pub name: &'static str,
    /// Ranks, or the slowest of some that follow each other.
    pub bars: Vec<RankCost>,
    /// Ranks that a bar stands for.
    pub per_bar: u64,
    /// It is seen in the trace, which knows nothing of metadata calls.
    pub is_traced: bool,
}

/// One rank.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankCost {
    /// The rank.
    pub rank: u32,
    /// Seconds in reads and writes.
    pub data: f64,
    /// Seconds in metadata calls.
    pub meta: f64,
}

impl RankCost {
    /// All seconds.
    pub fn seconds(&self) -> f64 {
        self.data + self.meta
    }
}

/// By interface, as far as ranks can be told apart.
pub(super) fn of(run: &Run) -> Vec<RankCosts> {
    let layers = [("MPI-IO", &run.all_mpiio), ("POSIX", &run.all_posix), ("STDIO", &run.all_stdio)];
    let mut found = Vec::new();
    for (name, totals) in layers {
        let (costs, is_traced) = match (totals.hides_ranks, &run.trace, name) {
            (false, ..) => (by_counters(totals), false),
            (true, Some(trace), "POSIX" | "MPI-IO") => {
                let layer = usize::from(name == "MPI-IO");
                let used = trace.ranks.iter().filter(|rank| rank.calls[layer] > 0);
                let cost = used.map(|facts| {
                    let data = match name {
                        "POSIX" => facts.read.seconds() + facts.write.seconds(),
                        _ => facts.asked.seconds(),
                    };
                    RankCost { rank: facts.rank, data, meta: 0.0 }
                });
                (cost.collect(), true)
            }
            (true, ..) => (Vec::new(), false),
        };
        if costs.iter().any(|cost| cost.seconds() > 0.0) {
            found.push(RankCosts::new(name, &costs, is_traced));
        }
    }
    // What costs next to nothing beside the others is not worth a chart.
    let most = found.iter().map(RankCosts::highest).fold(0.0, f64::max);
    found.retain(|costs| costs.highest() >= WORTH * most);
    found
}

fn by_counters(totals: &Totals) -> Vec<RankCost> {
    let costs = totals.by_rank.values().map(|own| RankCost {
        rank: u32::try_from(own.rank).unwrap_or(u32::MAX),
        data: own.data_time,
        meta: own.meta_time,
    });
    costs.collect()
}

impl RankCosts {
    fn highest(&self) -> f64 {
        self.bars.iter().map(RankCost::seconds).fold(0.0, f64::max)
    }

    fn new(name: &'static str, costs: &[RankCost], is_traced: bool) -> Self {
        let per_bar = costs.len().div_ceil(MOST_BARS).max(1);
        let slowest = |some: &[RankCost]| {
            some.iter().copied().max_by(|a, b| a.seconds().total_cmp(&b.seconds()))
        };
        let bars = costs.chunks(per_bar).filter_map(slowest).collect();
        Self { name, bars, per_bar: per_bar as u64, is_traced }
    }
}
