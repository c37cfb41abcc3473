//! T01: I/O in many small phases.

use super::{Case, Check, Context, Detector, Feature, Pool, phases};
use crate::advice;
use crate::finding::{Chart, Confidence, Dimension, Level, Moment, Need, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "T01",
    slug: "many-phases",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::Warn,
    what: "The run reads or writes little, again and again.",
    condition: "There are at least many_phases phases of I/O. Half of them move less than \
                many_phases_bytes for each rank that does I/O. Together they take \
                many_phases_time of the run. A phase ends when nothing is read or written for 1 \
                % of the run or for ten times the median request. Without a trace, a phase is a \
                run of non-empty bins of the heat map.",
    why: "Each phase starts anew: files are opened, ranks wait for each other, caches are cold. \
          No phase is large enough to reach the bandwidth of the storage.",
    fix: "Keep the results of several steps in memory and write them together.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::IoTime],
    plots: &[Plot::Time],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.io_time() <= 0.0 {
        return Check::Senseless;
    }
    let Some((spans, confidence)) = phases::of(cx) else {
        return Check::NotCheckable(Need::Trace);
    };
    let count = spans.len();
    let mut bytes: Vec<f64> = spans.iter().map(|span| span.bytes).collect();
    bytes.sort_by(f64::total_cmp);
    let median = bytes.get(count / 2).copied().unwrap_or(0.0);
    // Bins of a heat map are coarse. The time of the slowest rank bounds them.
    let busy = spans.iter().map(phases::IoPhase::seconds).sum::<f64>().min(run.run_time);
    let busy = if confidence == Confidence::Measured { busy } else { busy.min(run.io_time()) };
    let detail = format!(
        "I/O comes in {}, the median with {}, and takes {} in all.",
        number::counted(count as u64, "phase", "phases"),
        number::bytes(median as u64),
        number::seconds(busy)
    );
    let is_many = count as f64 >= limits.many_phases
        && median < limits.many_phases_bytes * run.active_ranks as f64
        && run.share(busy) >= limits.many_phases_time;
    if !is_many {
        return Check::Fine(detail);
    }
    // At the rate of the best phase, all phases together would take this much less.
    let rate = |span: &phases::IoPhase| span.bytes / span.seconds().max(1e-9);
    let best = spans.iter().map(rate).fold(0.0, f64::max);
    let all: f64 = bytes.iter().sum();
    let seconds = (busy - all / best.max(1e-9)).clamp(0.0, busy);
    let title = format!("I/O comes in {} small phases", number::thousands(count as u64));
    let setting = cx.setting(None);
    let per_rank = (median / run.active_ranks.max(1) as f64) as u64;
    let mut case = Case::new(title, detail, seconds)
        .evidence("phases", count as f64, Quantity::Count)
        .evidence("median bytes of a phase", median, Quantity::Bytes)
        .evidence("seconds in phases", busy, Quantity::Seconds)
        .evidence("rate of the best phase", best, Quantity::BytesPerSecond)
        .pool(Pool::Data)
        .confidence(confidence)
        .advise(if setting.is_parallel && setting.has_mpi_io {
            advice::merge_calls(&setting, count as u64, per_rank)
        } else if setting.mostly_reads {
            advice::larger_reads(&setting, limits.many_phases_bytes as u64)
        } else {
            advice::buffer_writes(&setting, limits.many_phases_bytes as u64)
        });
    if count <= 60 {
        case.chart = Some(Chart {
            label: format!("bytes by phase, 1 to {count}"),
            values: spans.iter().map(|span| span.bytes).collect(),
            words: format!("median {}", number::bytes(median as u64)),
        });
    }
    case.fired()
}
