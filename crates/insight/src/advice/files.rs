//! How many files there are, and how often they are opened and looked up.

use super::template::{Template, template};
use super::{Library, Setting, see, words};
use crate::finding::{Advice, Language};

const OPEN_ONCE: Template = template!("open_once": C "c", Fortran "f90", Python "py");
const PACK: Template = template!("pack_files": C "c", Python "py");
const ONE_FILE: Template = template!("one_file": C "c", Fortran "f90", Python "py");
const PROBES: Template = template!("skip_probes": C "c", Fortran "f90", Python "py");

/// Open a file once (N01 P17). `opens` is how often it is opened now, by a rank.
pub fn open_once(setting: &Setting, opens: u64) -> Advice {
    let text = format!("Open each file once and keep it open, not {}.", words::times(opens));
    Advice::of(text, see::OPEN).snippet(setting, &OPEN_ONCE, &[])
}

/// Pack small files into large ones (N02).
pub fn many_small_files(setting: &Setting, files: u64, bytes: u64, folder: &str) -> Advice {
    let mean = bytes / files.max(1);
    let text = format!(
        "Pack the {} of {} each into a few archives, or into one file of a format with an index.",
        words::many(files, "file"),
        words::bytes(mean)
    );
    let folder = words::path(folder, "DIR");
    Advice::of(text, see::PYTHON_TAR)
        .command(format!("tar -cf data.tar -C {folder} ."), "then read data.tar from front to back")
        .snippet(setting, &PACK, &[])
}

/// Write one file instead of one per rank (N03).
pub fn aggregate_files(setting: &Setting, files: u64) -> Advice {
    let text = format!(
        "Write one shared file, or one per node, instead of {}.",
        words::many(files, "file")
    );
    if !setting.is_parallel {
        return Advice::of(text, see::PYTHON_TAR).snippet(setting, &PACK, &[]);
    }
    match setting.library() {
        Library::Mpi => Advice::of(text, see::MPI_STANDARD).snippet(setting, &ONE_FILE, &[]),
        library => Advice { text, ..super::collective_write(setting, library) },
    }
}

/// Load programs and libraries once per node (N04).
pub fn import_storm(setting: &Setting, ranks: u64, files: u64) -> Advice {
    let text = format!(
        "Unpack the program once per node: {} look for the same {}.",
        words::many(ranks, "rank"),
        words::many(files, "file")
    );
    let advice = Advice::of(text, see::SPINDLE);
    if setting.language == Language::Python {
        advice
            .command("tar -cf env.tar -C \"${CONDA_PREFIX:-$VIRTUAL_ENV}\" .", "once")
            .command("sbcast env.tar /tmp/env.tar", "in the job; with Slurm")
            .command(
                "srun --ntasks-per-node=1 sh -c 'mkdir -p /tmp/env && tar -xf /tmp/env.tar -C /tmp/env'",
                "then start /tmp/env/bin/python",
            )
    } else {
        let program = words::program(&setting.program);
        advice.command(format!("spindle srun {program}"), "libraries are read once and passed on")
    }
}

/// Do not look for what is not there (N05).
pub fn skip_probes(setting: &Setting, probes: u64) -> Advice {
    let text = format!(
        "Open what is needed and handle the error, instead of looking {} first.",
        words::times(probes)
    );
    let advice = Advice::of(text, see::STAT);
    let advice = if setting.language == Language::Python {
        advice.command("python3 -X importtime SCRIPT", "which imports search many folders")
    } else {
        let line = super::run("strace -f -e trace=%file ", setting);
        advice.command(line, "lists every name that is looked for")
    };
    advice.snippet(setting, &PROBES, &[])
}

/// Record a trace (whatever only a trace can tell).
pub fn trace_on(setting: &Setting) -> Advice {
    Advice::of("Record a trace, which shows each request.", see::DARSHAN)
        .command(super::run("ioglass run --trace -- ", setting), "with its arguments")
}
