//! C06: too few or too many ranks write for all, as measured.

use super::traced::{self, FileTrace};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Confidence, Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::{Direction, HeatLayer, RankUse};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C06",
    slug: "aggregators",
    dimension: Dimension::InterfaceChoice,
    highest: Level::Warn,
    what: "The ranks that move data for all are too few for the nodes, or too many on one node.",
    condition: "A file with collective calls moves at least aggregators_bytes, and at most half \
                of its ranks go to the storage. These are fewer than aggregators_few for each \
                node, or more than aggregators_many on one node. One on each node is never a \
                finding. Without a trace the nodes are not known; then the heat maps must have \
                at least aggregators_ranks ranks of MPI-IO for each rank of POSIX.",
    why: "One aggregator cannot use the network of all nodes. Many on one node get in each \
          other's way.",
    fix: "Set cb_nodes to the number of nodes, or to the stripe count on Lustre.",
    see: "https://ftp.mcs.anl.gov/pub/romio/users-guide/node6.html",
    applies_to: &[Feature::Ranks, Feature::MpiIo, Feature::CollectiveCalls],
    plots: &[Plot::Time, Plot::Space],
    moment: Moment::FileUse,
    check,
};

/// The aggregators of a file, which are too few or too many.
#[derive(Debug)]
struct Aggregation {
    aggregators: u64,
    ranks: u64,
    nodes: u64,
    most_on_a_node: u64,
    file: FileShare,
}

fn check(cx: &Context<'_>) -> Check {
    if !traced::is_collective(cx) {
        return Check::Senseless;
    }
    match traced::files(cx) {
        Ok((_, files)) => {
            let found = files.iter().filter_map(|traced| measured(cx, traced)).collect();
            judge(cx, found, Confidence::Measured)
        }
        Err(check) => {
            let (Some(posix), Some(mpiio)) = (&cx.run.heat.posix, &cx.run.heat.mpiio) else {
                return check;
            };
            judge(cx, derived(cx, posix, mpiio).into_iter().collect(), Confidence::Derived)
        }
    }
}

fn measured(cx: &Context<'_>, traced: &FileTrace<'_>) -> Option<Aggregation> {
    let limits = cx.limits;
    let one = |direction| {
        let (asked, _) = traced.collective(direction)?;
        let flow = traced.flow(direction);
        let is_gathered = flow.ranks > 0 && 2 * flow.ranks <= asked.ranks;
        if !is_gathered || (flow.bytes as f64) < limits.aggregators_bytes {
            return None;
        }
        let (aggregators, nodes) = (flow.ranks as f64, asked.hosts as f64);
        let is_few = aggregators < limits.aggregators_few * nodes;
        let is_many = flow.most_on_a_host as f64 > limits.aggregators_many;
        // With one on each node, the slowest would have its fair part of the bytes.
        let fair = if is_few { aggregators / nodes } else { nodes / aggregators };
        let seconds = flow.slowest.seconds() * (1.0 - fair.min(1.0));
        (is_few || is_many).then(|| Aggregation {
            aggregators: flow.ranks,
            ranks: asked.ranks,
            nodes: asked.hosts,
            most_on_a_node: flow.most_on_a_host,
            file: traced.share(seconds),
        })
    };
    let both = Direction::BOTH.into_iter().filter_map(one);
    both.max_by(|a, b| a.file.seconds.total_cmp(&b.file.seconds))
}

fn derived(cx: &Context<'_>, posix: &HeatLayer, mpiio: &HeatLayer) -> Option<Aggregation> {
    let moves = |rank: &&RankUse| rank.bytes() > 0;
    let rows = |layer: &HeatLayer| layer.ranks.values().filter(moves).count() as u64;
    let (aggregators, ranks) = (rows(posix), rows(mpiio));
    let moved = cx.run.mpiio.sum.bytes() as f64;
    let is_few = aggregators > 0
        && moved >= cx.limits.aggregators_bytes
        && ranks as f64 >= cx.limits.aggregators_ranks * aggregators as f64;
    if !is_few {
        return None;
    }
    let collective = cx.run.data().filter(|file| file.mpiio.is_some());
    let file = collective.max_by_key(|file| file.bytes())?;
    let wanted = ranks as f64 / cx.limits.aggregators_ranks;
    let slowest = file.posix.as_deref().map_or(0.0, |usage| usage.slowest_time(cx.run.ranks));
    let seconds = slowest * (1.0 - aggregators as f64 / wanted.max(aggregators as f64));
    let file = cx.share_of(file, seconds);
    Some(Aggregation { aggregators, ranks, nodes: 0, most_on_a_node: 0, file })
}

fn judge(cx: &Context<'_>, found: Vec<Aggregation>, confidence: Confidence) -> Check {
    let Some(worst) = found.iter().max_by(|a, b| a.file.seconds.total_cmp(&b.file.seconds)) else {
        return Check::Fine(
            "The ranks that move data for all are as many as the nodes need.".into(),
        );
    };
    let aggregators = number::counted(worst.aggregators, "rank moves", "ranks move");
    let (title, detail, wanted) = if worst.nodes == 0 {
        let wanted = worst.ranks.div_ceil(cx.limits.aggregators_ranks.max(1.0) as u64);
        let title = format!("{aggregators} the data of {}", number::thousands(worst.ranks));
        let detail = "All others hand their data to them and wait.".to_owned();
        (title, detail, wanted)
    } else {
        let nodes = number::counted(worst.nodes, "node", "nodes");
        let title =
            format!("{aggregators} the data of {} on {nodes}", number::thousands(worst.ranks));
        let detail = format!(
            "{}: {} on the node that has most of them; one on each node uses the network of all.",
            super::base(&worst.file.path),
            number::thousands(worst.most_on_a_node)
        );
        (title, detail, worst.nodes)
    };
    let seconds: f64 = found.iter().map(|found| found.file.seconds).sum();
    let file = cx.run.data().find(|file| file.name == worst.file.path);
    let advice = advice::aggregators(&cx.setting(file), wanted);
    Case::new(title, detail, seconds.min(cx.run.run_time))
        .evidence("ranks that move data", worst.aggregators as f64, Quantity::Count)
        .evidence("ranks that use MPI-IO", worst.ranks as f64, Quantity::Count)
        .evidence("nodes", worst.nodes as f64, Quantity::Count)
        .evidence("most on a node", worst.most_on_a_node as f64, Quantity::Count)
        .files(top_files(found.into_iter().map(|found| found.file)))
        .pool(Pool::Data)
        .confidence(confidence)
        .advise(advice)
        .fired()
}
