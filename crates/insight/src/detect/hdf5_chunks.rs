//! H04: chunks that do not fit the access to a dataset.

use std::collections::HashMap;

use super::{Case, Check, Context, Detector, Feature, Pool, base, datasets, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{Dataset, File};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "H04",
    slug: "hdf5-chunk-mismatch",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "The chunks of a dataset do not fit the way it is accessed.",
    condition: "At least chunk_share of the known accesses to a chunked dataset are no multiple \
                of the chunk in some dimension, and the chunk is larger than the default cache \
                of 1 MiB, or smaller than chunk_small with more than chunk_accesses accesses. Or \
                more than chunk_accesses chunks smaller than chunk_tiny hold the data of larger \
                accesses. Or at least chunk_share of more than chunk_accesses accesses select \
                points or irregular shapes.",
    why: "HDF5 reads parts of chunks, changes them and writes them back. Tiny chunks each pay \
          for a request.",
    fix: "Give the chunk the shape of one access. Make the cache as large as the chunks in use.",
    see: "https://support.hdfgroup.org/documentation/hdf5/latest/hdf5_chunking.html",
    applies_to: &[Feature::Hdf5],
    plots: &[Plot::Requests, Plot::Time],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    const DEFAULT_CACHE: u64 = 1 << 20;
    let (run, limits) = (cx.run, cx.limits);
    if !datasets::are_known(cx) {
        return datasets::missing(cx);
    }
    let by_id: HashMap<u64, &File> = run.files.iter().map(|file| (file.id, file)).collect();
    let mut worst: Option<(f64, &Dataset, u64)> = None;
    let mut files = Vec::new();
    let mut looked_at = 0_u64;
    for dataset in run.datasets.iter().filter(|dataset| !dataset.is_pnetcdf) {
        let all = dataset.usage.calls();
        let is_often = all as f64 > limits.chunk_accesses;
        let odd = dataset.point_selections.saturating_add(dataset.irregular_selections);
        let scattered = is_often && odd as f64 >= limits.chunk_share * all as f64;
        let Some(chunk) = dataset.chunk_bytes() else {
            if !scattered {
                continue;
            }
            looked_at += 1;
            let own = dataset.usage.slowest_time(run.ranks);
            if worst.is_none_or(|(most, ..)| own > most) {
                worst = Some((own, dataset, 0));
            }
            continue;
        };
        looked_at += 1;
        let told: u64 = dataset.accesses.iter().map(|(_, times)| times).sum();
        let partial = |lengths: &[u64]| {
            lengths
                .iter()
                .zip(&dataset.chunk)
                .any(|(length, side)| *side > 0 && *length > 0 && length % side != 0)
        };
        let parts: u64 = dataset
            .accesses
            .iter()
            .filter(|(lengths, _)| partial(lengths))
            .map(|(_, times)| times)
            .sum();
        let misfits = told > 0 && parts as f64 >= limits.chunk_share * told as f64;
        let used = dataset.usage.bytes() / all.max(1);
        // Each access goes through many chunks, each of which costs a search and a request.
        let are_tiny = (chunk as f64) < limits.chunk_tiny
            && chunk.saturating_mul(2) <= used
            && (dataset.usage.bytes() / chunk.max(1)) as f64 > limits.chunk_accesses;
        let fires = scattered
            || are_tiny
            || misfits
                && (chunk > DEFAULT_CACHE || ((chunk as f64) < limits.chunk_small && is_often))
            || chunk > 4 << 30;
        if !fires {
            continue;
        }
        // An access that takes a part of a chunk pays for all of it.
        let wasted = 1.0 - (used as f64 / chunk.max(1) as f64).min(1.0);
        let time = dataset.usage.data_time();
        let part = match (are_tiny, misfits) {
            (true, _) => (time - datasets::move_time(cx, dataset)).max(0.0),
            (false, true) => time * wasted,
            (false, false) => time,
        };
        let own = dataset.usage.slowest_part(part, run.ranks);
        if worst.is_none_or(|(most, ..)| own > most) {
            worst = Some((own, dataset, chunk));
        }
        if let Some(file) = dataset.file.and_then(|id| by_id.get(&id)) {
            files.push(cx.share_of(file, own));
        }
    }
    if looked_at == 0 {
        return Check::Senseless;
    }
    let Some((seconds, dataset, chunk)) = worst else {
        return Check::Fine(format!(
            "{} fit their accesses.",
            number::counted(looked_at, "chunked dataset", "chunked datasets")
        ));
    };
    let sides = |sides: &[u64]| sides.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
    let chunk_sides: Vec<u64> = dataset.chunk.iter().copied().filter(|side| *side > 0).collect();
    let wanted = datasets::fitting_chunk(dataset);
    let name = base(&dataset.name);
    let accessed = dataset.sides();
    let title = if chunk == 0 {
        format!("{name} is accessed by single points")
    } else if accessed.is_empty() {
        format!("{name} has chunks of {}, {} each", sides(&chunk_sides), number::bytes(chunk))
    } else {
        format!(
            "{name} has chunks of {}, and is accessed by {}",
            sides(&chunk_sides),
            sides(&accessed)
        )
    };
    let detail = format!(
        "{}, a chunk is {}, {} by points or irregular selections.",
        number::counted(dataset.usage.calls(), "access", "accesses"),
        number::bytes(chunk),
        number::thousands(dataset.point_selections.saturating_add(dataset.irregular_selections))
    );
    let setting = cx.setting(dataset.file.and_then(|id| by_id.get(&id)).copied());
    let cache = chunk.saturating_mul(4).max(1 << 20);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes of a chunk", chunk as f64, Quantity::Bytes)
        .evidence("accesses", dataset.usage.calls() as f64, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Library)
        .advise(advice::hdf5_chunk(&setting, &wanted, cache, dataset.known_name()))
        .fired()
}
