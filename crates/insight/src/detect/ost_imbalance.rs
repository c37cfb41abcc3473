//! F03: storage targets that get much more than others.

use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, slow_ost::median, top_files};
use crate::advice;
use crate::finding::{Chart, Confidence, Dimension, Level, Moment, Need, Plot, Quantity};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F03",
    slug: "ost-imbalance",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Some storage targets get much more data than others.",
    condition: "At least two targets get at least ost_bytes together, and the one with the most \
                bytes gets at least ost_factor times the mean. Or at least ost_files files of \
                single ranks all lie on one target. With a trace, requests are split at stripe \
                borders. Otherwise the bytes of a file are shared out evenly.",
    why: "The target with the most data decides when the job is done.",
    fix: "Stripe large files over more targets. Let Lustre choose where files begin (-i -1).",
    see: "https://doc.lustre.org/lustre_manual.xhtml",
    applies_to: &[Feature::Lustre],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.is_on_lustre {
        return Check::Senseless;
    }
    if !run.has_layouts {
        return Check::NotCheckable(Need::Lustre);
    }
    let mut targets: BTreeMap<i64, f64> = BTreeMap::new();
    let mut confidence = Confidence::Derived;
    let traced =
        run.trace.as_ref().map(|trace| &trace.targets).filter(|targets| !targets.is_empty());
    if let Some(traced) = traced {
        confidence = Confidence::Measured;
        for target in traced {
            targets.insert(
                i64::from(target.target),
                (target.read.saturating_add(target.written)) as f64,
            );
        }
    } else {
        for file in run.data() {
            let (Some(usage), Some(stripes)) = (file.posix.as_deref(), &file.stripes) else {
                continue;
            };
            let Some(part) = stripes.main(usage.extent()) else { continue };
            for target in &part.targets {
                *targets.entry(*target).or_default() +=
                    usage.bytes() as f64 / part.targets.len() as f64;
            }
        }
    }
    let all: f64 = targets.values().sum();
    if all < cx.limits.ost_bytes {
        return Check::Senseless;
    }
    if targets.len() < 2 {
        return on_one(cx, &targets, all);
    }
    let mean = all / targets.len() as f64;
    let Some((fullest, most)) = targets.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)))
    else {
        return Check::Senseless;
    };
    let factor = most / mean;
    let detail = format!(
        "OST {fullest} gets {}, the mean of {} targets is {}.",
        number::bytes(*most as u64),
        targets.len(),
        number::bytes(mean as u64)
    );
    if factor < limits.ost_factor {
        return Check::Fine(detail);
    }
    let data = run.posix.slowest_read + run.posix.slowest_write;
    let title =
        format!("OST {fullest} gets {} as much as the average target", number::ratio(factor));
    let there = run.data().filter(|file| {
        file.stripes
            .as_ref()
            .is_some_and(|s| s.components.iter().any(|part| part.targets.contains(fullest)))
    });
    let there: Vec<_> = there.collect();
    let largest = there.iter().copied().max_by_key(|file| file.bytes());
    let count = advice::stripe_count(largest.map_or(0, crate::model::File::bytes), run.ranks, None);
    let setting = cx.setting(largest);
    let files = there.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let place = largest.map_or("", |file| cx.folder_of(file));
    let mut case = Case::new(title, detail, (data * (1.0 - 1.0 / factor)).min(run.run_time))
        .evidence("most bytes of a target", *most, Quantity::Bytes)
        .evidence("mean bytes of a target", mean, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .evidence("targets", targets.len() as f64, Quantity::Count)
        .files(top_files(files))
        .confidence(confidence)
        .advise(advice::stripe(&setting, count.max(2), 16 << 20, place));
    if targets.len() <= 60 {
        let values: Vec<f64> = targets.values().map(|bytes| bytes / 1_048_576.0).collect();
        let words = format!("most at {fullest}, median {:.0} MiB", median(values.iter().copied()));
        case.chart =
            Some(Chart { label: format!("MiB by OST, {} targets", targets.len()), values, words });
    }
    case.fired()
}

/// Several files that all lie on the same target.
fn on_one(cx: &Context<'_>, targets: &BTreeMap<i64, f64>, bytes: f64) -> Check {
    let run = cx.run;
    let own: Vec<_> = run
        .data()
        .filter(|file| file.stripes.is_some() && file.bytes() > 0 && file.ranks(run.ranks) == 1)
        .collect();
    let (Some(target), Some(first)) = (targets.keys().next(), own.first()) else {
        return Check::Senseless;
    };
    if (own.len() as f64) < cx.limits.ost_files || run.active_ranks < 2 {
        return Check::Senseless;
    }
    let count = own.len() as u64;
    let title =
        format!("{} files of different ranks all lie on OST {target}", number::thousands(count));
    let detail = format!("{} go to one storage target.", number::bytes(bytes as u64));
    let data = run.posix.slowest_read + run.posix.slowest_write;
    let setting = cx.setting(Some(first));
    let files = own.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    Case::new(title, detail, (data * (1.0 - 1.0 / count as f64)).min(run.run_time))
        .evidence("files", count as f64, Quantity::Count)
        .evidence("bytes", bytes, Quantity::Bytes)
        .files(top_files(files))
        .advise(advice::stripe(&setting, 1, 16 << 20, cx.folder_of(first)))
        .fired()
}
