//! HDF5, and netCDF, which writes HDF5 files.

use ioglass_param::hdf5;

use super::template::{Template, template};
use super::{Setting, see, words};
use crate::finding::Advice;
use crate::model::Direction;

const ALIGNMENT: Template = template!("hdf5_alignment": C "c", Fortran "f90", Python "py");
const NETCDF_ALIGNMENT: Template = template!("netcdf_alignment": C "c");
const NO_FILL: Template = template!("hdf5_no_fill": C "c", Fortran "f90", Python "py");
const NETCDF_NO_FILL: Template = template!("netcdf_no_fill": C "c", Fortran "f90", Python "py");
const CHUNK: Template = template!("hdf5_chunk": C "c", Fortran "f90", Python "py");
const PARTS: Template = template!("hdf5_parts": C "c", Fortran "f90", Python "py");
const NETCDF_CHUNK: Template = template!("netcdf_chunk": C "c", Fortran "f90", Python "py");
const WHOLE_WRITE: Template = template!("hdf5_whole_write": C "c", Fortran "f90", Python "py");
const WHOLE_READ: Template = template!("hdf5_whole_read": C "c", Fortran "f90", Python "py");
const COLLECTIVE_METADATA: Template = template!("hdf5_collective_metadata": C "c", Fortran "f90");
const META_BLOCK: Template = template!("hdf5_meta_block": C "c", Fortran "f90", Python "py");
const LATEST: Template = template!("hdf5_latest_format": C "c", Fortran "f90", Python "py");
const THREADS: Template = template!("thread_multiple": C "c", Fortran "f90");

/// netCDF stands between the program and HDF5.
fn is_netcdf(setting: &Setting) -> bool {
    setting.has_netcdf
}

/// Start large objects at the borders of blocks or stripes.
pub fn hdf5_alignment(setting: &Setting, bytes: u64) -> Advice {
    let bytes = bytes.max(1);
    let text = format!("Align the objects of the file to {}.", words::bytes(bytes));
    // Small objects would each waste a block.
    let threshold = bytes.min(1 << 20);
    let values = [("bytes", bytes.to_string()), ("threshold", threshold.to_string())];
    let template = if is_netcdf(setting) { &NETCDF_ALIGNMENT } else { &ALIGNMENT };
    Advice::of(text, see::HDF5_FILE_ACCESS).snippet(setting, template, &values).set(
        setting,
        &hdf5::ALIGNMENT,
        format!("{threshold},{bytes}"),
    )
}

/// Do not write fill values that data then overwrites.
pub fn hdf5_no_fill(setting: &Setting) -> Advice {
    let text = "Turn fill values off for datasets that are written in full.";
    let advice = if is_netcdf(setting) {
        Advice::of(text, see::NETCDF_VARIABLES).snippet(setting, &NETCDF_NO_FILL, &[])
    } else {
        Advice::of(text, see::HDF5_CREATION).snippet(setting, &NO_FILL, &[])
    };
    advice.set(setting, &hdf5::FILL_TIME, "never")
}

/// Move whole arrays, which the library hands on in large pieces.
pub fn hdf5_whole(setting: &Setting, direction: Direction) -> Advice {
    let is_read = direction == Direction::Read;
    let text = format!(
        "{} whole arrays or slices in one call, not one element after the other.",
        if is_read { "Read" } else { "Write" }
    );
    if is_netcdf(setting) {
        return Advice::of(text, see::NETCDF_VARIABLES);
    }
    let template = if is_read { &WHOLE_READ } else { &WHOLE_WRITE };
    Advice::of(text, see::HDF5_TRANSFER).snippet(setting, template, &[])
}

/// Choose chunks as they are accessed, and a cache that holds them. `dims` in the order
/// of C, slowest first. `dataset` is its name in the log: the path of the file, a colon, and the
/// path inside; empty if it is not known.
pub fn hdf5_chunk(setting: &Setting, dims: &[u64], cache: u64, dataset: &str) -> Advice {
    // Never less than the default.
    let cache = cache.max(1 << 20);
    if dims.is_empty() {
        let text = format!(
            "Use chunks of some 100 KiB, of the shape of an access, and a chunk cache of {}.",
            words::bytes(cache)
        );
        return Advice::of(text, see::HDF5_CREATION);
    }
    let joined = |between: &str| dims.iter().map(u64::to_string).collect::<Vec<_>>().join(between);
    let reversed = dims.iter().rev().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let text = format!(
        "Use chunks of {}, the shape of an access, and a chunk cache of {}.",
        joined(" × "),
        words::bytes(cache)
    );
    // In Python a tuple of one needs its comma.
    let tuple = if dims.len() == 1 { joined("") + "," } else { joined(", ") };
    let values = [
        ("rank", dims.len().to_string()),
        ("c_dims", joined(", ")),
        ("fortran_dims", reversed),
        ("python_dims", tuple),
        ("cache", cache.to_string()),
    ];
    // Chunks of the program's own stay as they are.
    let cached = |advice: Advice| advice.set(setting, &hdf5::CHUNK_CACHE, cache.min(4 << 30));
    if is_netcdf(setting) {
        let advice = Advice::of(text, see::NETCDF_VARIABLES);
        return cached(advice.snippet(setting, &NETCDF_CHUNK, &values));
    }
    cached(Advice::of(text, see::HDF5_CREATION))
        .command_if(repack(&setting.target.path, dataset, &joined("x")), "a copy of this file")
        .snippet(setting, &CHUNK, &values)
}

/// Store datasets so that the part of each rank is one piece of the file. `dims` is such a part, slowest
/// dimension first; empty if it is not known.
pub fn hdf5_parts(setting: &Setting, dims: &[u64]) -> Advice {
    let joined = |between: &str| dims.iter().map(u64::to_string).collect::<Vec<_>>().join(between);
    let shape = if dims.is_empty() { "of the part of a rank".into() } else { joined(" × ") };
    let text = format!(
        "Store the datasets in chunks of {shape}, the part of a rank, without fill values."
    );
    let reversed = dims.iter().rev().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let values = [
        ("rank", dims.len().to_string()),
        ("c_dims", joined(", ")),
        ("fortran_dims", reversed),
        ("python_dims", joined(", ")),
    ];
    let advice = Advice::of(text, see::HDF5_CREATION);
    let advice = match (dims.len(), is_netcdf(setting)) {
        (..2, _) => advice,
        (_, true) => advice.snippet(setting, &NETCDF_NO_FILL, &[]),
        _ => advice.snippet(setting, &PARTS, &values),
    };
    advice.set_chunks(setting).set(setting, &hdf5::TRANSFER, "independent")
}

/// A line that copies a file with other chunks for one dataset.
fn repack(file: &str, dataset: &str, chunk: &str) -> Option<String> {
    let own = dataset.strip_prefix(file).and_then(|rest| rest.strip_prefix(':'));
    let inside = own.or(dataset.rsplit_once(':').map(|(_, inside)| inside))?;
    let inside = inside.trim_start_matches('/');
    // These separate datasets and their options.
    if file.is_empty() || inside.is_empty() || inside.contains([',', ':']) {
        return None;
    }
    let layout = format!("/{inside}:CHUNK={chunk}");
    let is_plain = inside.chars().all(words::is_plain);
    let layout = if is_plain { layout } else { words::path(&layout)? };
    let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, "h5"));
    let slash = if file.contains('/') { "/" } else { "" };
    let copy = format!("{folder}{slash}{stem}.rechunked.{ending}");
    Some(format!("h5repack -l {layout} {} {}", words::path(file)?, words::path(&copy)?))
}

/// Let one rank read metadata for all.
pub fn hdf5_collective_metadata(setting: &Setting) -> Advice {
    if !setting.is_parallel {
        return hdf5_latest_format(setting);
    }
    let text = "Read and write metadata collectively: one rank reads it and tells the others.";
    Advice::of(text, see::HDF5_FILE_ACCESS)
        .snippet(setting, &COLLECTIVE_METADATA, &[])
        .set(setting, &hdf5::COLL_METADATA_WRITE, true)
        .set(setting, &hdf5::ALL_COLL_METADATA_OPS, true)
}

/// Keep metadata together in large blocks.
pub fn hdf5_meta_block(setting: &Setting, bytes: u64) -> Advice {
    let text = format!("Keep metadata together in blocks of {}.", words::bytes(bytes));
    Advice::of(text, see::HDF5_FILE_ACCESS)
        .snippet(setting, &META_BLOCK, &[("bytes", bytes.to_string())])
        .set(setting, &hdf5::META_BLOCK_SIZE, bytes.min(1 << 30))
}

/// Use the newest file format, whose metadata is smaller.
pub fn hdf5_latest_format(setting: &Setting) -> Advice {
    let text = "Write the newest file format, whose metadata is smaller and written less often.";
    Advice::of(text, see::HDF5_FILE_ACCESS).snippet(setting, &LATEST, &[])
}

/// Read or write in the background.
pub fn hdf5_async(setting: &Setting, direction: Direction) -> Advice {
    let verb = direction.verb();
    let text = format!(
        "Load the asynchronous connector of HDF5, which {verb}s while the program computes."
    );
    let advice = Advice::of(text, see::HDF5_ASYNC)
        .command(
            "export HDF5_PLUGIN_PATH=\"${VOL_ASYNC:?is not set: where vol-async is installed}/lib\"",
            "",
        )
        .command(
            "export HDF5_VOL_CONNECTOR='async under_vol=0;under_info={}'",
            "HDF5 1.14 or newer",
        );
    if setting.is_parallel { advice.snippet(setting, &THREADS, &[]) } else { advice }
}

/// Find the calls that are deprecated.
pub fn hdf5_current_calls(_setting: &Setting) -> Advice {
    let text = "Replace the deprecated calls, which the compiler names when they are turned off.";
    Advice::of(text, see::HDF5_VERSIONS).command(
        "export CFLAGS=\"$CFLAGS -DH5_NO_DEPRECATED_SYMBOLS\"",
        "then build: errors say what to replace",
    )
}
