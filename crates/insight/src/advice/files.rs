//! The number of files, and of opens and lookups.

use super::template::{Template, template};
use super::{IoLibrary, Setting, see, tools, words};
use crate::finding::{Advice, Language};

const APPEND: Template = template!("open_once_write": C "c", Fortran "f90", Python "py");
const GO_ON: Template = template!("open_once_read": C "c", Fortran "f90", Python "py");
const PACK: Template = template!("pack_files": C "c", Python "py");
const ONE_FILE: Template = template!("one_file": C "c", Fortran "f90", Python "py");
const PROBES: Template = template!("skip_probes": C "c", Fortran "f90", Python "py");

/// Open a file once. `opens` is the number of opens by a rank now.
pub fn open_once(setting: &Setting, opens: u64) -> Advice {
    let text = format!("Open each file once and keep it open, not {}.", words::times(opens));
    let template = if setting.mostly_reads { &GO_ON } else { &APPEND };
    Advice::of(text, see::OPEN).snippet(setting, template, &[])
}

/// Ask about files less often.
pub fn ask_less(setting: &Setting, stats: u64, files: u64) -> Advice {
    let asked = format!("{} on {}", words::many(stats, "stat call"), words::many(files, "file"));
    let text = format!(
        "Ask once and remember the answer, or take it from the directory listing: {asked}."
    );
    let line = super::again("strace -f -e trace=%stat ", setting);
    Advice::of(text, see::STAT).command_if(line, "lists every question")
}

/// Pack small files into large ones.
pub fn many_small_files(setting: &Setting, files: u64, bytes: u64, folder: &str) -> Advice {
    if tools::packs(&setting.program) {
        // It makes or opens an archive already.
        let text = format!(
            "Leave the {} packed until they are needed: each costs an open.",
            words::many(files, "file")
        );
        return Advice::of(text, see::PYTHON_TAR);
    }
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

/// Write one file instead of one per rank.
pub fn aggregate_files(setting: &Setting, files: u64) -> Advice {
    let text = format!(
        "Write one shared file, or one per node, instead of {}.",
        words::many(files, "file")
    );
    if !setting.is_parallel {
        return Advice::of(text, see::PYTHON_TAR).snippet(setting, &PACK, &[]);
    }
    match setting.library() {
        IoLibrary::Mpi => Advice::of(text, see::MPI_STANDARD).snippet(setting, &ONE_FILE, &[]),
        library => Advice { text, ..super::collective_write(setting, library) },
    }
}

/// Load programs and libraries once per node.
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
        // How its ranks were started is not known, so no line that starts it again can be true.
        advice
    }
}

/// Do not look for what is not there.
/// `are_imports`: they are looked for by an interpreter that imports.
pub fn skip_probes(setting: &Setting, probes: u64, are_imports: bool) -> Advice {
    let text = format!(
        "Open what is needed and handle the error, instead of looking {} first.",
        words::times(probes)
    );
    let advice = Advice::of(text, see::STAT);
    let advice = if setting.language == Language::Python && are_imports {
        let line = words::command(&setting.command).filter(|_| !setting.is_parallel);
        let line = line.and_then(|line| tools::with_option(&line, "-X importtime"));
        advice.command_if(line, "which imports search many directories")
    } else {
        let line = super::again("strace -f -e trace=%file ", setting);
        advice.command_if(line, "lists every name that is looked for")
    };
    advice.snippet(setting, &PROBES, &[])
}

/// Look at one rank in the trace that there is.
pub fn look_at_rank(rank: i64) -> Advice {
    let text = format!(
        "Compare the requests of rank {rank} with those of others in the trace, which `ioglass dxt` lists."
    );
    Advice::of(text, see::DARSHAN)
}

/// Record a trace (whatever only a trace can tell).
pub fn trace_on(setting: &Setting) -> Advice {
    let advice = Advice::of("Record a trace, which shows each request.", see::DARSHAN);
    match super::again("ioglass run --trace -- ", setting) {
        Some(line) => advice.command(line, ""),
        None => {
            advice.command("export DXT_ENABLE_IO_TRACE=1", "with Darshan; or ioglass run --trace")
        }
    }
}
