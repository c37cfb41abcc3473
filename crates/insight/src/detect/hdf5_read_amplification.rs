//! H03: HDF5 reads more than the program wants.

use super::datasets::{self, Amplified};
use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Dataset, Direction, File, Usage};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H03",
    slug: "hdf5-read-amplification",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "HDF5 reads more from the file than the program asked for.",
    condition: "More than read_factor times the bytes of the datasets are read from the file, \
                and at least amplification_bytes more.",
    why: "HDF5 reads a chunk as a whole, and again each time it has left the cache, even if the \
          program wants a part of it.",
    fix: "Choose chunks that fit the access, or a chunk cache that holds the chunks in use.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_a_p_l.html",
    applies_to: &[Feature::Hdf5],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !datasets::are_known(cx) {
        return datasets::missing(cx);
    }
    // What HDF5 does with the surplus, such as decompress it, goes as well.
    let above = |file: &File| {
        let own = run.datasets.iter().filter(|dataset| dataset.file == Some(file.id));
        own.map(|own| own.usage.slowest_part(own.usage.way(Direction::Read).time, run.ranks))
            .sum::<f64>()
    };
    let cost = |file: &File, usage: &Usage, factor: f64| {
        let below = usage.slowest_part(usage.way(Direction::Read).time, run.ranks);
        below.max(above(file)) * (1.0 - 1.0 / factor.max(1.0))
    };
    let mut found = datasets::amplified(cx, Direction::Read, cost);
    found.retain(|one| {
        one.factor() > limits.read_factor
            && one.below.saturating_sub(one.asked) as f64 >= limits.amplification_bytes
    });
    let Some(worst) = datasets::worst(&found) else {
        return Check::Fine("HDF5 reads what it was asked for.".into());
    };
    let Amplified { file, asked, below, .. } = worst;
    let title = format!("HDF5 reads {} to get {}", number::bytes(below), number::bytes(asked));
    let detail = format!("{}.", worst.detail("read"));
    let seconds: f64 = found.iter().map(|one| one.seconds).sum();
    let own = run.datasets.iter().filter(|dataset| dataset.file == Some(file.id));
    let dataset = own.max_by_key(|dataset| dataset.usage.bytes());
    let sides = dataset.map(Dataset::sides).unwrap_or_default();
    let name = dataset.map_or("", |dataset| &dataset.name);
    let cache = dataset.and_then(Dataset::chunk_bytes).unwrap_or(1 << 20).saturating_mul(4);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes of datasets", asked as f64, Quantity::Bytes)
        .evidence("bytes below", below as f64, Quantity::Bytes)
        .evidence("factor", worst.factor(), Quantity::Factor)
        .files(top_files(datasets::shares(cx, &found)))
        .pool(Pool::Library)
        .advise(advice::hdf5_chunk(&cx.setting(Some(file)), &sides, cache, name))
        .fired()
}
