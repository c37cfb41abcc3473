//! F01: a storage target that is much slower than the others.

use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{
    Chart, Confidence, Dimension, FileShare, Level, Moment, Need, Plot, Quantity,
};
use crate::model::{Direction, File};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F01",
    slug: "slow-ost",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "A storage target is much slower than the others.",
    condition: "Among files with one stripe and at least ost_file_bytes, a target with at least \
                ost_files of them has a median rate below ost_slow of the median target, and \
                more than ost_spread median absolute deviations away from it. With a trace, \
                requests within one stripe count as well, at least ost_requests for each target. \
                The cost is the time of the longest file there, less that of the longest file \
                elsewhere.",
    why: "A job is done when its slowest file is done. One bad target holds up all ranks.",
    fix: "Tell your centre. Write elsewhere, or avoid the target, until it is repaired.",
    see: "https://doc.lustre.org/lustre_manual.xhtml",
    applies_to: &[Feature::Lustre],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// A file with all its bytes on one target.
struct Lone<'a> {
    file: &'a File,
    rate: f64,
    seconds: f64,
}

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.is_on_lustre {
        return Check::Senseless;
    }
    if !run.has_layouts {
        return Check::NotCheckable(Need::Lustre);
    }
    let mut targets: BTreeMap<i64, Vec<Lone<'_>>> = BTreeMap::new();
    for file in run.data() {
        let (Some(usage), Some(stripes)) = (file.posix.as_deref(), &file.stripes) else { continue };
        let Some(part) = stripes.main(usage.extent()) else { continue };
        let seconds = usage.data_time();
        if let [target] = part.targets[..]
            && part.count == 1
            && usage.bytes() as f64 >= limits.ost_file_bytes
            && seconds > 0.0
        {
            let longest = usage.slowest_part(seconds, run.ranks);
            let lone = Lone { file, rate: usage.bytes() as f64 / seconds, seconds: longest };
            targets.entry(target).or_default().push(lone);
        }
    }
    targets.retain(|_, files| files.len() as f64 >= limits.ost_files);
    if targets.len() < 3 {
        return by_requests(cx);
    }
    let medians: Vec<(i64, f64)> = targets
        .iter()
        .map(|(target, files)| (*target, median(files.iter().map(|file| file.rate))))
        .collect();
    let middle = median(medians.iter().map(|(_, rate)| *rate));
    let deviation = median(medians.iter().map(|(_, rate)| (rate - middle).abs()));
    let Some((slow, rate)) = medians.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Check::Senseless;
    };
    if rate >= limits.ost_slow * middle || middle - rate <= limits.ost_spread * deviation {
        return Check::Fine(format!(
            "The slowest of {} targets, OST {slow}, gives {}, the median {}.",
            targets.len(),
            number::rate(rate),
            number::rate(middle)
        ));
    }
    let longest =
        |of: &mut dyn Iterator<Item = &Lone<'_>>| of.map(|file| file.seconds).fold(0.0, f64::max);
    let there = longest(&mut targets[&slow].iter());
    let elsewhere = longest(
        &mut targets.iter().filter(|(target, _)| **target != slow).flat_map(|(_, files)| files),
    );
    let others: Vec<f64> =
        medians.iter().filter(|(target, _)| *target != slow).map(|(_, rate)| *rate).collect();
    let usual = median(others.iter().copied());
    let factor = usual / rate;
    let all: usize = targets.values().map(Vec::len).sum();
    let writes = run.posix.way(Direction::Write).bytes >= run.posix.way(Direction::Read).bytes;
    let verb = if writes { "writes" } else { "reads" };
    let title = format!(
        "OST {slow} {verb} {} slower than the other {}",
        number::ratio(factor),
        others.len()
    );
    let detail = format!(
        "{} of {} files lie on it, at {} each against {} elsewhere. Slowest file there {}, slowest anywhere else {}.",
        number::thousands(targets[&slow].len() as u64),
        number::thousands(all as u64),
        format_args!("{} MiB/s", three(rate)),
        three(usual),
        number::seconds(there),
        number::seconds(elsewhere)
    );
    let seconds = (there - elsewhere).clamp(0.0, run.run_time);
    let file = targets[&slow].first().map(|lone| lone.file);
    let mount = file.and_then(|file| file.mount).map(|mount| &run.mounts[mount]);
    let path = mount.map_or("", |mount| &mount.path);
    let others: Vec<&str> = run
        .mounts
        .iter()
        .filter(|other| other.fs_type == "lustre" && other.path != path)
        .map(|other| other.path.as_str())
        .collect();
    let files: Vec<FileShare> =
        targets[&slow].iter().map(|lone| cx.share_of(lone.file, lone.seconds)).collect();
    let setting = cx.setting(file);
    let mut case = Case::new(title, detail, seconds)
        .evidence("rate of this target", rate, Quantity::BytesPerSecond)
        .evidence("rate of the others", usual, Quantity::BytesPerSecond)
        .evidence("factor", factor, Quantity::Factor)
        .evidence("longest file there", there, Quantity::Seconds)
        .evidence("longest file elsewhere", elsewhere, Quantity::Seconds)
        .evidence("files there", files.len() as f64, Quantity::Count)
        .files(top_files(files))
        .pool(if writes { Pool::Write } else { Pool::Read })
        .basis("counters and stripes")
        .headline(format!("One slow storage target cost {}.", number::of(seconds, run.run_time)))
        .advise(advice::report_ost(&setting, slow.unsigned_abs(), path, &others));
    let (first, last) = (medians[0].0, medians[medians.len() - 1].0);
    let mib = |rate: f64| rate / 1_048_576.0;
    case.chart = Some(Chart {
        label: format!("MiB/s by OST, {first} to {last}"),
        values: medians.iter().map(|(_, rate)| mib(*rate)).collect(),
        words: format!("min {:.1} at {slow}, median {:.1}", mib(rate), mib(usual)),
    });
    case.fired()
}

/// Single requests, where files have several stripes.
fn by_requests(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let Some(trace) = &run.trace else { return Check::NotCheckable(Need::Trace) };
    let rates: Vec<(u32, f64, u64)> = trace
        .targets
        .iter()
        .map(|target| match target.lone_writes >= target.lone_reads {
            true => (target.target, target.write_rate, target.lone_writes),
            false => (target.target, target.read_rate, target.lone_reads),
        })
        .filter(|(_, rate, requests)| *requests as f64 >= limits.ost_requests && *rate > 0.0)
        .collect();
    if rates.len() < 3 {
        return Check::NotCheckable(Need::Trace);
    }
    let middle = median(rates.iter().map(|(_, rate, _)| *rate));
    let deviation = median(rates.iter().map(|(_, rate, _)| (rate - middle).abs()));
    let Some((slow, rate, requests)) = rates.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
    else {
        return Check::Senseless;
    };
    let detail = format!(
        "OST {slow} moves {} in requests of one stripe, the median target {}.",
        number::rate(rate),
        number::rate(middle)
    );
    if rate >= limits.ost_slow * middle || middle - rate <= limits.ost_spread * deviation {
        return Check::Fine(detail);
    }
    let seconds = (run.posix.slowest_read + run.posix.slowest_write) * (1.0 - rate / middle);
    let setting = cx.setting(None);
    let title = format!("OST {slow} is {} slower than the others", number::ratio(middle / rate));
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("rate of this target", rate, Quantity::BytesPerSecond)
        .evidence("rate of the others", middle, Quantity::BytesPerSecond)
        .evidence("requests there", requests as f64, Quantity::Count)
        .confidence(Confidence::Measured)
        .advise(advice::report_ost(&setting, u64::from(slow), "", &[]))
        .fired()
}

/// The median of some numbers; 0 if there are none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

/// Bytes per second in MiB with three digits, so that two rates side by side have one unit.
fn three(rate: f64) -> String {
    let mib = rate / 1_048_576.0;
    let decimals = if mib < 9.95 { 2 } else { usize::from(mib < 99.5) };
    number::fixed(mib, decimals)
}
