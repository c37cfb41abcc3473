//! Hints to the MPI library, in the environment if it reads them there, and in the program.

use ioglass_param::find;

use super::template::{Template, template};
use super::{IoLibrary, MpiKind, Setting, see, words};
use crate::finding::Advice;

const HINTS: Template = template!("hints": C "c", Fortran "f90", Python "py");
const HDF5_HINTS: Template = template!("hdf5_hints": C "c", Fortran "f90", Python "py");

const READ_HINTS: Template = template!("read_hints": C "c", Fortran "f90", Python "py");
const HDF5_READ_HINTS: Template = template!("hdf5_read_hints": C "c", Fortran "f90", Python "py");

type Hint = (&'static str, String);

/// Do not move bytes that nobody asked for.
pub fn disable_data_sieving(setting: &Setting) -> Advice {
    if setting.is_parallel && setting.mostly_reads {
        let text = "Turn data sieving off for reads, so that only what is asked for is read.";
        return hinted(setting, text.into(), &[("romio_ds_read", "disable".into())]);
    }
    let text = "Turn data sieving off for writes, so that nothing is read to be written back.";
    if !setting.is_parallel {
        let text = "Write whole blocks, so that nothing is read to be written back.";
        return super::align_requests(setting, 4096).said(text);
    }
    hinted(setting, text.into(), &[("romio_ds_write", "disable".into())])
}

/// Let a few ranks write for all: `nodes` of them.
pub fn collective_buffering(setting: &Setting, nodes: u64, buffer: u64) -> Advice {
    let nodes = nodes.max(1);
    let text = format!(
        "Turn collective buffering on, with {} and buffers of {}.",
        words::many(nodes, "aggregator"),
        words::bytes(buffer)
    );
    let sizes = [("cb_nodes", nodes.to_string()), ("cb_buffer_size", buffer.to_string())];
    // OMPIO always buffers. It reads only these two hints.
    if setting.mpi == Some(MpiKind::OpenMpi) {
        return hinted(setting, text, &sizes);
    }
    let [nodes, buffer] = sizes;
    let on = |key| (key, "enable".to_owned());
    hinted(setting, text, &[on("romio_cb_write"), on("romio_cb_read"), nodes, buffer])
}

/// Set the number of ranks that write for all.
pub fn aggregators(setting: &Setting, count: u64) -> Advice {
    let count = count.max(1);
    let text = format!("Use {}.", words::many(count, "aggregator"));
    hinted(setting, text, &[("cb_nodes", count.to_string())])
}

/// Advice to give these hints, in the way that the MPI at hand understands.
pub(super) fn hinted(setting: &Setting, text: String, hints: &[Hint]) -> Advice {
    if !setting.is_parallel {
        let larger = if setting.mostly_reads { super::larger_reads } else { super::buffer_writes };
        return larger(setting, super::LARGE);
    }
    let see = if setting.mpi == Some(MpiKind::OpenMpi) { see::OMPIO } else { see::ROMIO_HINTS };
    let advice = in_code(setting, by_environment(setting, Advice::of(text, see), hints), hints);
    set(setting, advice, hints)
}

/// Adds the same hints as settings.
pub(super) fn set(setting: &Setting, advice: Advice, hints: &[Hint]) -> Advice {
    hints.iter().fold(advice, |advice, (key, value)| {
        let [hint, layout] = ["mpiio", "fs"].map(|layer| format!("{layer}.{key}"));
        let row = find(&hint).or_else(|| find(&layout)).map(|(param, _)| param);
        match (*key, value.parse(), row) {
            ("cb_nodes", Ok(nodes), _) => advice.set_aggregators(setting, nodes),
            (_, _, Some(param)) => advice.set(setting, param, value),
            _ => advice,
        }
    })
}

/// Adds the program's way of giving these hints.
pub(super) fn in_code(setting: &Setting, advice: Advice, hints: &[Hint]) -> Advice {
    let is_read = setting.mostly_reads && !hints.iter().any(|(key, _)| key.starts_with("striping"));
    let template = match (setting.library() == IoLibrary::Hdf5, is_read) {
        (true, true) => &HDF5_READ_HINTS,
        (true, false) => &HDF5_HINTS,
        (false, true) => &READ_HINTS,
        (false, false) => &HINTS,
    };
    let lines = |before: &str, between: &str, after: &str| {
        let lines =
            hints.iter().map(|(key, value)| format!("{before}{key}{between}{value}{after}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let values = [
        ("c_hints", lines("MPI_Info_set(info, \"", "\", \"", "\");")),
        ("fortran_hints", lines("call MPI_Info_set(info, '", "', '", "', ierr)")),
        ("python_hints", lines("info.Set(\"", "\", \"", "\")")),
    ];
    advice.snippet(setting, template, &values)
}

fn by_environment(setting: &Setting, advice: Advice, hints: &[Hint]) -> Advice {
    let is_ompio = |hint: &Hint| matches!(hint.0, "cb_nodes" | "cb_buffer_size");
    match setting.mpi {
        Some(MpiKind::CrayMpich) => {
            let hints: Vec<String> =
                hints.iter().map(|(key, value)| format!("{key}={value}")).collect();
            advice
                .command(format!("export MPICH_MPIIO_HINTS='*:{}'", hints.join(":")), "all files")
                .command("export MPICH_MPIIO_HINTS_DISPLAY=1", "prints which hints are in force")
        }
        // Its own layer knows some of them by other names. Only ROMIO knows the rest.
        Some(MpiKind::OpenMpi) if hints.iter().all(is_ompio) => {
            hints.iter().fold(advice, |advice, (key, value)| match *key {
                "cb_nodes" => advice.command(
                    format!("export OMPI_MCA_io_ompio_num_aggregators={value}"),
                    "for OMPIO, the default of Open MPI",
                ),
                _ => advice.command(
                    format!("export OMPI_MCA_io_ompio_bytes_per_agg={value}"),
                    "for OMPIO, the default of Open MPI",
                ),
            })
        }
        Some(MpiKind::OpenMpi) => romio_file(
            advice.command(
                "export OMPI_MCA_io='^ompio'",
                "ROMIO instead of OMPIO, which ignores these hints",
            ),
            hints,
            "",
        ),
        Some(MpiKind::Mpich | MpiKind::IntelMpi) => romio_file(advice, hints, ""),
        None => romio_file(advice, hints, "with Open MPI also: export OMPI_MCA_io='^ompio'"),
    }
}

/// ROMIO reads hints from a file, one on each line. They are appended, because other advice may
/// have put some there.
fn romio_file(advice: Advice, hints: &[Hint], comment: &str) -> Advice {
    let lines: Vec<String> = hints.iter().map(|(key, value)| format!("'{key} {value}'")).collect();
    advice
        .command(format!("printf '%s\\n' {} >> romio-hints", lines.join(" ")), "")
        .command("export ROMIO_HINTS=\"$PWD/romio-hints\"", comment)
}
