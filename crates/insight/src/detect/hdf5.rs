//! H02 to H05, H08: what HDF5 does below the program.

use std::collections::{HashMap, HashSet};

use super::{Case, Check, Context, Detector, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Need, Quantity};
use crate::model::{Dataset, Direction, File};
use crate::number;

pub(super) static FILL: Detector = Detector {
    code: "H02",
    slug: "hdf5-fill-values",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "HDF5 writes datasets twice: first fill values, then the data.",
    condition: "Below HDF5 a file of at least fill_bytes is written more than fill_factor times what its datasets \
                were written.",
    why: "Unless told otherwise, HDF5 fills a dataset when it is allocated, and in parallel that is at creation.",
    fix: "Set the fill time to never; in netCDF use no-fill mode.",
    see: "https://docs.hdfgroup.org/documentation/hdf5/latest/group___d_c_p_l.html",
    check: |cx| amplified(cx, Direction::Write),
};

pub(super) static READ_AMPLIFICATION: Detector = Detector {
    code: "H03",
    slug: "hdf5-read-amplification",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "HDF5 reads more from the file than the program asked for.",
    condition: "Below HDF5 more than read_factor times the bytes of the datasets are read, and at least \
                amplification_bytes more.",
    why: "A chunk is read whole, again each time it has left the cache, whatever part of it is wanted.",
    fix: "Choose chunks that fit the access, or a chunk cache that holds those in use.",
    see: "https://docs.hdfgroup.org/documentation/hdf5/latest/group___d_a_p_l.html",
    check: |cx| amplified(cx, Direction::Read),
};

pub(super) static CHUNKS: Detector = Detector {
    code: "H04",
    slug: "hdf5-chunk-mismatch",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Chunks of a dataset do not fit how it is accessed.",
    condition: "Of the known accesses of a dataset with chunks, at least chunk_share are no multiple of the chunk \
                in some dimension, and the chunk is larger than the default cache of 1 MiB, or smaller than \
                chunk_small with more than 1,000 accesses; or point and irregular selections are at least \
                chunk_share of more than 1,000 accesses.",
    why: "Parts of chunks are read, changed and written back; tiny chunks each pay for themselves.",
    fix: "Make the chunk what is accessed at once, and the cache as large as the chunks in use.",
    see: "https://docs.hdfgroup.org/documentation/hdf5/latest/hdf5_chunking.html",
    check: chunks,
};

pub(super) static INDEPENDENT: Detector = Detector {
    code: "H05",
    slug: "hdf5-independent",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Ranks access HDF5 datasets of a shared file independently.",
    condition: "A file that HDF5 opened with MPI-IO has datasets that are never accessed collectively, in more than \
                collective_operations_absolute accesses together.",
    why: "Independent transfers cannot be merged across ranks.",
    fix: "Ask for collective transfers: H5Pset_dxpl_mpio(H5FD_MPIO_COLLECTIVE).",
    see: "https://docs.hdfgroup.org/documentation/hdf5/latest/group___d_x_p_l.html",
    check: independent,
};

pub(super) static DEPRECATED: Detector = Detector {
    code: "H08",
    slug: "hdf5-deprecated",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "Old functions of HDF5 are used.",
    condition: "A dataset was opened or created with a function of HDF5 1.6.",
    why: "They cannot take property lists, and with these most of what makes HDF5 fast.",
    fix: "Use the current functions, such as H5Dcreate2 and H5Dopen2.",
    see: "https://docs.hdfgroup.org/documentation/hdf5/latest/api-compat-macros.html",
    check: deprecated,
};

/// Bytes that datasets of each file moved.
fn by_file(cx: &Context<'_>, direction: Direction) -> HashMap<u64, u64> {
    let mut sums = HashMap::new();
    for dataset in cx.run.datasets.iter().filter(|dataset| !dataset.is_pnetcdf) {
        if let Some(file) = dataset.file {
            let sum = sums.entry(file).or_insert(0_u64);
            *sum = sum.saturating_add(dataset.usage.way(direction).bytes);
        }
    }
    sums
}

fn has_hdf5(cx: &Context<'_>) -> bool {
    cx.run.datasets.iter().any(|dataset| !dataset.is_pnetcdf)
}

/// What a check of datasets says where there are none.
fn without_datasets(cx: &Context<'_>) -> Check {
    let uses = cx.run.data().any(|file| {
        file.h5f.is_some() || file.name.ends_with(".h5") || file.name.ends_with(".hdf5")
    });
    if uses { Check::NotCheckable(Need::Hdf5) } else { Check::Senseless }
}

fn amplified(cx: &Context<'_>, direction: Direction) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !has_hdf5(cx) {
        return without_datasets(cx);
    }
    let asked = by_file(cx, direction);
    let (limit, least) = match direction {
        Direction::Write => (limits.fill_factor, 0.0),
        Direction::Read => (limits.read_factor, limits.amplification_bytes),
    };
    let mut files = Vec::new();
    let mut worst: Option<(f64, &File, u64, u64)> = None;
    let mut seconds = 0.0;
    for file in run.data() {
        let Some(asked) = asked.get(&file.id).copied().filter(|bytes| *bytes > 0) else { continue };
        let layer = file.mpiio.as_deref().or(file.posix.as_deref());
        let Some(usage) = layer else { continue };
        let below = usage.way(direction).bytes;
        let factor = below as f64 / asked as f64;
        let is_large = direction == Direction::Read || below as f64 >= limits.fill_bytes;
        if factor <= limit || !is_large || (below.saturating_sub(asked) as f64) < least {
            continue;
        }
        // What the trace shows to be something else is not half data, half fill values.
        let is_write = direction == Direction::Write;
        let other = if is_write { super::hdf5_meta_rewrite::seconds(cx) } else { 0.0 };
        let all = usage.slowest_part(usage.way(direction).time, run.ranks);
        let own = (all - other).max(0.0) * (1.0 - 1.0 / factor);
        seconds += own;
        if worst.is_none_or(|(most, ..)| own > most) {
            worst = Some((own, file, below, asked));
        }
        files.push(cx.share_of(file, own));
    }
    let Some((_, file, below, asked)) = worst else {
        return Check::Fine(format!(
            "HDF5 {} what it was asked for.",
            if direction == Direction::Read { "reads" } else { "writes" }
        ));
    };
    let factor = below as f64 / asked as f64;
    let setting = cx.setting(Some(file));
    let (title, pool, advice) = match direction {
        Direction::Write => (
            format!("HDF5 writes {} to store {}", number::bytes(below), number::bytes(asked)),
            Pool::Write,
            advice::hdf5_no_fill(&setting),
        ),
        Direction::Read => {
            let dataset = run
                .datasets
                .iter()
                .filter(|d| d.file == Some(file.id))
                .max_by_key(|d| d.usage.bytes());
            let dims: Vec<u64> = dataset.map(access).unwrap_or_default();
            let cache = dataset.and_then(Dataset::chunk_bytes).unwrap_or(1 << 20).saturating_mul(4);
            (
                format!("HDF5 reads {} to get {}", number::bytes(below), number::bytes(asked)),
                Pool::Read,
                advice::hdf5_chunk(&setting, &dims, cache),
            )
        }
    };
    let detail = format!(
        "{}: datasets were {} {}, the file below {}: a factor of {:.3}{}.",
        base(&file.name),
        if direction == Direction::Read { "read" } else { "written" },
        number::bytes(asked),
        number::bytes(below),
        factor,
        if direction == Direction::Write && (1.9..=2.1).contains(&factor) {
            ", as fill values make"
        } else {
            ""
        }
    );
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes of datasets", asked as f64, Quantity::Bytes)
        .evidence("bytes below", below as f64, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .files(top_files(files))
        .pool(pool)
        .advise(advice)
        .fired()
}

/// The commonest access of a dataset, without dimensions it does not have.
fn access(dataset: &Dataset) -> Vec<u64> {
    let sides = dataset.accesses.first().map(|(lengths, _)| *lengths).unwrap_or_default();
    sides.into_iter().filter(|side| *side > 0).collect()
}

fn chunks(cx: &Context<'_>) -> Check {
    const DEFAULT_CACHE: u64 = 1 << 20;
    const FEW: u64 = 1000;
    let (run, limits) = (cx.run, cx.limits);
    if !has_hdf5(cx) {
        return without_datasets(cx);
    }
    let by_id: HashMap<u64, &File> = run.files.iter().map(|file| (file.id, file)).collect();
    let mut worst: Option<(f64, &Dataset, u64)> = None;
    let mut files = Vec::new();
    let mut looked_at = 0_u64;
    for dataset in run.datasets.iter().filter(|dataset| !dataset.is_pnetcdf) {
        let all = dataset.usage.calls();
        let odd = dataset.point_selections.saturating_add(dataset.irregular_selections);
        let scattered = all > FEW && odd as f64 >= limits.chunk_share * all as f64;
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
        let fires = scattered
            || misfits
                && (chunk > DEFAULT_CACHE || ((chunk as f64) < limits.chunk_small && all > FEW))
            || chunk > 4 << 30;
        if !fires {
            continue;
        }
        let own = dataset.usage.slowest_time(run.ranks);
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
    let wanted = access(dataset);
    let name = base(&dataset.name);
    let title = if chunk == 0 {
        format!("{name} is accessed by single points")
    } else {
        format!(
            "{name} has chunks of {}, and is accessed by {}",
            sides(&chunk_sides),
            sides(&wanted)
        )
    };
    let detail = format!(
        "{} accesses, a chunk is {}, {} by points or irregular selections.",
        number::thousands(dataset.usage.calls()),
        number::bytes(chunk),
        number::thousands(dataset.point_selections.saturating_add(dataset.irregular_selections))
    );
    let setting = cx.setting(None);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes of a chunk", chunk as f64, Quantity::Bytes)
        .evidence("accesses", dataset.usage.calls() as f64, Quantity::Count)
        .files(top_files(files))
        .advise(advice::hdf5_chunk(&setting, &wanted, chunk.saturating_mul(4).max(1 << 20)))
        .fired()
}

fn independent(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let parallel: Vec<&File> = run.data().filter(|file| file.h5f_uses_mpiio).collect();
    if parallel.is_empty() || !run.ranks_mean_something {
        return Check::Senseless;
    }
    if !has_hdf5(cx) {
        return Check::NotCheckable(Need::Hdf5);
    }
    let ids: HashSet<u64> = parallel.iter().map(|file| file.id).collect();
    let (mut alone, mut together) = (0_u64, 0_u64);
    for dataset in
        run.datasets.iter().filter(|d| !d.is_pnetcdf && d.file.is_some_and(|id| ids.contains(&id)))
    {
        let calls = dataset.usage.calls();
        if dataset.is_collective { together += calls } else { alone = alone.saturating_add(calls) }
    }
    let detail = format!(
        "{} accesses of datasets are independent, {} collective.",
        number::thousands(alone),
        number::thousands(together)
    );
    if together > 0 || alone as f64 <= cx.limits.collective_operations_absolute {
        return Check::Fine(detail);
    }
    let seconds =
        parallel.iter().map(|file| file.slowest_time(run.ranks)).sum::<f64>().min(run.io_time());
    let files =
        parallel.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks))).collect();
    let setting = cx.setting(parallel.first().copied());
    let writes = run.posix.slowest_write >= run.posix.slowest_read;
    let advice = if writes {
        advice::collective_write(&setting, advice::Library::Hdf5)
    } else {
        advice::collective_read(&setting, advice::Library::Hdf5)
    };
    Case::new(
        format!("{} HDF5 accesses are all independent", number::thousands(alone)),
        detail,
        seconds.min(run.run_time),
    )
    .evidence("independent accesses", alone as f64, Quantity::Count)
    .files(top_files(files))
    .advise(advice)
    .fired()
}

fn deprecated(cx: &Context<'_>) -> Check {
    if !has_hdf5(cx) {
        return Check::Senseless;
    }
    let old: Vec<&Dataset> =
        cx.run.datasets.iter().filter(|dataset| dataset.is_deprecated).collect();
    let Some(first) = old.first() else {
        return Check::Fine("Only current functions are used.".into());
    };
    let title = format!(
        "{} opened with functions of HDF5 1.6",
        number::counted(old.len() as u64, "dataset is", "datasets are")
    );
    Case::new(title, format!("One of them is {}.", base(&first.name)), 0.0)
        .evidence("datasets", old.len() as f64, Quantity::Count)
        .advise(advice::hdf5_current_calls(&cx.setting(None)))
        .fired()
}
