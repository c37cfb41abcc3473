//! Ranks that are looked at first: the slowest, and those that others wait for.

use std::cmp::Reverse;

use crate::model::Run;
use crate::trace::{Layer, Phase, RankFacts, Ticks};

/// Ranks of a kind: more would not be a quick look.
const MOST: usize = 8;

/// Ranks of a trace that stand out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notable {
    /// Those with most seconds in calls, by number; empty if all would be among them.
    pub slowest: Vec<u32>,
    /// Those that ended a phase after all others, by number: the longest others waited for.
    pub last: Vec<u32>,
}

pub(super) fn of(run: &Run) -> Notable {
    let Some(trace) = &run.trace else { return Notable::default() };
    Notable { slowest: slowest(&trace.ranks), last: last(&trace.phases) }
}

/// By the lowest layer there is: in collective calls all wait for the slowest, and seem equal.
fn slowest(ranks: &[RankFacts]) -> Vec<u32> {
    let layer = [Layer::Posix, Layer::MpiIo]
        .into_iter()
        .find(|layer| ranks.iter().any(|rank| rank.calls[*layer as usize] > 0));
    let Some(layer) = layer else { return Vec::new() };
    let took = |rank: &RankFacts| match layer {
        Layer::Posix => [rank.read, rank.write].into_iter().sum(),
        Layer::MpiIo => rank.asked,
    };
    let active = ranks.iter().filter(|rank| rank.calls[layer as usize] > 0);
    let mut found: Vec<(Reverse<Ticks>, u32)> =
        active.map(|rank| (Reverse(took(rank)), rank.rank)).collect();
    if found.len() <= MOST {
        return Vec::new();
    }
    found.sort_unstable();
    in_order(found.into_iter().map(|(_, rank)| rank).take(MOST))
}

fn last(phases: &[Phase]) -> Vec<u32> {
    let mut late: Vec<&Phase> =
        phases.iter().filter(|phase| phase.ranks > 1 && phase.tail() > 0.0).collect();
    late.sort_by(|a, b| b.tail().total_cmp(&a.tail()));
    let mut found: Vec<u32> = Vec::new();
    for phase in late {
        if !found.contains(&phase.last_rank) && found.len() < MOST {
            found.push(phase.last_rank);
        }
    }
    in_order(found)
}

fn in_order(ranks: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut ranks: Vec<u32> = ranks.into_iter().collect();
    ranks.sort_unstable();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_are_those_of_the_lowest_layer_and_only_if_there_are_others() {
        let rank = |rank: u32| RankFacts {
            rank,
            write: Ticks::of(f64::from(rank % 10)),
            asked: Ticks::of(f64::from(100 - rank)),
            calls: [1, 1],
            ..RankFacts::default()
        };
        let all: Vec<RankFacts> = (0..20).map(rank).collect();
        assert_eq!(slowest(&all), [6, 7, 8, 9, 16, 17, 18, 19]);
        assert_eq!(slowest(&all[..8]), [0_u32; 0]);
    }

    #[test]
    fn the_last_are_those_that_others_waited_for() {
        let phase = |last_rank, median_end, ranks| Phase {
            begin: 0.0,
            end: 1.0,
            median_end,
            ranks,
            last_rank,
            ..Phase::default()
        };
        let phases = [phase(7, 0.5, 4), phase(3, 0.2, 4), phase(7, 0.9, 4), phase(9, 0.5, 1)];
        assert_eq!(last(&phases), [3, 7]);
    }
}
