//! H02: datasets that are written twice, first with fill values.

use super::datasets::{self, Amplified};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files, traced};
use crate::advice;
use crate::finding::{Confidence, Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Usage};
use crate::number;
use crate::trace::Round;

pub(super) static DETECTOR: Detector = Detector {
    code: "H02",
    slug: "hdf5-fill-values",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "HDF5 writes datasets twice: first fill values, then the data.",
    condition: "A file of at least fill_bytes gets more than fill_factor times the bytes that \
                were written to its datasets.",
    why: "HDF5 fills a dataset when it allocates it, unless the program says otherwise. In \
          parallel that happens at creation.",
    fix: "Set the fill time to never. In netCDF use no-fill mode.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_c_p_l.html",
    applies_to: &[Feature::Hdf5],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

/// Bytes that differ by at most this part are the same. A file has some metadata as well.
const ALIKE: f64 = 0.05;

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !datasets::are_known(cx) {
        return datasets::missing(cx);
    }
    // What the trace shows to be something else is not half data, half fill values.
    let other = super::hdf5_meta_rewrite::seconds(cx);
    let cost = |file: &File, usage: &Usage, factor: f64| {
        let all = usage.slowest_part(usage.way(Direction::Write).time, run.ranks);
        let part = (all - other).max(0.0) * (1.0 - 1.0 / factor.max(1.0));
        measured(cx, file, usage).unwrap_or(part)
    };
    let mut found = datasets::amplified(cx, Direction::Write, cost);
    found.retain(|one| one.below as f64 >= limits.fill_bytes && one.factor() > limits.fill_factor);
    let Some(worst) = datasets::worst(&found) else {
        return Check::Fine("HDF5 writes what it was asked for.".into());
    };
    let Amplified { file, asked, below, .. } = worst;
    let factor = worst.factor();
    let title = format!("HDF5 writes {} to store {}", number::bytes(below), number::bytes(asked));
    let is_measured = file.mpiio.as_deref().and_then(|usage| measured(cx, file, usage)).is_some();
    let twice = if (1.9..=2.1).contains(&factor) { ", as fill values make" } else { "" };
    let detail = format!("{}{twice}.", worst.detail("written"));
    let seconds: f64 = found.iter().map(|one| one.seconds).sum();
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes of datasets", asked as f64, Quantity::Bytes)
        .evidence("bytes below", below as f64, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .files(top_files(datasets::shares(cx, &found)))
        .pool(Pool::Write)
        .confidence(if is_measured { Confidence::Measured } else { Confidence::Derived })
        .advise(advice::hdf5_no_fill(&cx.setting(Some(file))))
        .fired()
}

/// Seconds of collective writes that are made while no dataset is written, if the trace has all of
/// them and they move the surplus. Fill values may be written more slowly than the data.
fn measured(cx: &Context<'_>, file: &File, usage: &Usage) -> Option<f64> {
    let (_, traced) = traced::files(cx).ok()?;
    let traced = traced.into_iter().find(|traced| traced.file.id == file.id)?;
    let (_, rounds) = traced.collective(Direction::Write)?;
    if rounds.longest.len() as u64 != rounds.count {
        return None;
    }
    let own = || cx.run.datasets.iter().filter(|dataset| dataset.file == Some(file.id));
    let is_of_data = |round: &Round| {
        let middle = f64::midpoint(round.complete, round.end);
        own().any(|dataset| {
            let way = dataset.usage.way(Direction::Write);
            (way.first..=way.last).contains(&middle)
        })
    };
    let is_fill = |round: &&Round| {
        !is_of_data(round) && !super::hdf5_meta_rewrite::is_rewrite(cx, &traced, round)
    };
    let fills: Vec<&Round> = rounds.longest.iter().filter(is_fill).collect();
    let filled = fills.iter().map(|round| round.asked).fold(0, u64::saturating_add) as f64;
    let asked = own().map(|dataset| dataset.usage.way(Direction::Write).bytes);
    let asked = asked.fold(0, u64::saturating_add);
    let surplus = usage.way(Direction::Write).bytes.saturating_sub(asked) as f64;
    let is_all = (filled - surplus).abs() <= ALIKE * surplus;
    is_all.then(|| fills.iter().map(|round| round.seconds()).sum())
}
