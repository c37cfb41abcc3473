//! The number of files, and of opens and lookups.

use super::template::{Template, template};
use super::{IoLibrary, Setting, see, tools, words};
use crate::finding::{Advice, Language};

const APPEND: Template = template!(
    "open_once_write": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl", Shell "sh"
);
const GO_ON: Template = template!(
    "open_once_read": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl", Shell "sh"
);
const PACK: Template = template!("pack_files": C "c", Python "py");
const ONE_FILE: Template = template!("one_file": C "c", Fortran "f90", Python "py");
const PROBES: Template = template!("skip_probes": C "c", Fortran "f90", Python "py", Cpp "cpp");
const LIST: Template =
    template!("list_once": C "c", Python "py", Cpp "cpp", JavaScript "js", Perl "pl");
const HDF5_OPEN: Template = template!("hdf5_open_once": C "c", Fortran "f90", Python "py");

/// Open a file once. `opens` is the number of opens by a rank now.
pub fn open_once(setting: &Setting, opens: u64) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let keep = if setting.mostly_reads { "it open, or its contents in memory" } else { "it open" };
    let text = format!("Open each file once and keep {keep}, not {}.", words::times(opens));
    if setting.target.is_database {
        // Its journal is opened for each transaction.
        let text = format!(
            "Keep one connection open and make all changes in one transaction, not in {}.",
            crate::number::thousands(opens)
        );
        return super::one_transaction(setting).said(text);
    }
    if setting.target.is_hdf5 {
        return Advice::of(text, see::HDF5_FILE_ACCESS).snippet(setting, &HDF5_OPEN, &[]);
    }
    let template = if setting.mostly_reads { &GO_ON } else { &APPEND };
    Advice::of(text, see::OPEN).snippet(setting, template, &[])
}

/// Calls that only ask.
const ASKS: [&str; 5] = ["stat", "access", "readlink", "opendir", "readdir"];

/// Make and remove fewer files and directories. `kinds` are the calls, such as `mkdir`.
pub fn fewer_changes(setting: &Setting, kinds: &[&str], calls: u64) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let calls = format!("{} of {}", words::many(calls, "call"), kinds.join(" and "));
    let text = if kinds.iter().all(|kind| ASKS.contains(kind)) {
        let lists = kinds.iter().any(|kind| matches!(*kind, "opendir" | "readdir"));
        let how = if lists {
            "List the directory once and keep the names"
        } else {
            "Ask once and remember the answer"
        };
        format!("{how}: {calls} each ask the file system.")
    } else if kinds == ["rename"] {
        format!("Save less often: {calls} each wait until what was written is on the disk.")
    } else {
        format!(
            "Make each file and directory once and use it again: {calls} each wait for the disk."
        )
    };
    Advice::of(text, see::STAT)
}

/// Ask about files less often.
pub fn ask_less(setting: &Setting, stats: u64, files: u64) -> Advice {
    if setting.is_tool {
        return tools::fewer_questions(setting);
    }
    let asked = format!("{} on {}", words::many(stats, "stat call"), words::many(files, "file"));
    let text = format!(
        "Ask once and remember the answer, or take it from the directory listing: {asked}."
    );
    Advice::of(text, see::STAT).snippet(setting, &LIST, &[])
}

/// Pack small files into large ones.
pub fn many_small_files(setting: &Setting, files: u64, bytes: u64, folder: &str) -> Advice {
    if setting.is_tool {
        return tools::fewer_files(setting, files, folder);
    }
    let mean = bytes / files.max(1);
    let text = format!(
        "Pack the {} of {} each into a few archives, or into one file of a format with an index.",
        words::many(files, "file"),
        words::bytes(mean)
    );
    let name = folder.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let archive = words::path(name).and_then(|_| words::path(&format!("{name}.packed.tar")));
    let line = words::path(folder).zip(archive);
    let line = line.map(|(folder, archive)| format!("tar -cf {archive} -C {folder} ."));
    Advice::of(text, see::PYTHON_TAR)
        .command_if(line, "then read the archive from front to back")
        .snippet(setting, &PACK, &[])
}

/// Write one file instead of one per rank.
pub fn aggregate_files(setting: &Setting, files: u64) -> Advice {
    let text = format!(
        "Write one shared file, or one per node, instead of {}.",
        words::many(files, "file")
    );
    if setting.is_tool {
        return Advice::default();
    }
    if !setting.is_parallel {
        return Advice::of(text, see::PYTHON_TAR).snippet(setting, &PACK, &[]);
    }
    match setting.library() {
        IoLibrary::Mpi => Advice::of(text, see::MPI_STANDARD).snippet(setting, &ONE_FILE, &[]),
        library => super::collective_write(setting, library).said(text),
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
            .command("tar -cf env.packed.tar -C \"${CONDA_PREFIX:-$VIRTUAL_ENV}\" .", "once")
            .command("sbcast env.packed.tar /tmp/env.packed.tar", "in the job; with Slurm")
            .command(
                "srun --ntasks-per-node=1 sh -c 'mkdir /tmp/env && tar -xf /tmp/env.packed.tar -C /tmp/env'",
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
    if setting.is_tool {
        return Advice::default();
    }
    let text = format!(
        "Open what is needed and handle the error, instead of looking {} first.",
        words::times(probes)
    );
    let advice = Advice::of(text, see::STAT);
    let advice = if setting.language == Language::Python && are_imports {
        let line = words::command(&setting.own_command).filter(|_| !setting.is_parallel);
        let line = line.and_then(|line| tools::with_option(&line, "-X importtime"));
        advice.command_if(line, "which imports search many directories")
    } else {
        let line = super::again("strace -f -e trace=%file ", setting);
        advice.command_if(line, "lists every name that is looked for")
    };
    let has_list = matches!(setting.language, Language::JavaScript | Language::Perl);
    advice.snippet(setting, if has_list { &LIST } else { &PROBES }, &[])
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
