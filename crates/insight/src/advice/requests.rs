//! Size, order and alignment of requests, and data that is moved more than once.

use ioglass_param::libc;

use super::template::{Template, template};
use super::{IoLibrary, Setting, see, tools, words};
use crate::finding::{Advice, Language};
use crate::model::Direction;

const BUFFER_WRITES: Template = template!(
    "buffer_writes": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl", Shell "sh"
);
const LARGER_READS: Template = template!(
    "larger_reads": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl", Shell "sh"
);
const SORT_READS: Template = template!("sort_reads": C "c", Python "py");
const SORT_WRITES: Template = template!("sort_writes": C "c", Python "py");
const PREFETCH: Template = template!("prefetch": C "c", Python "py");
const ALIGN_READS: Template = template!("align_reads": C "c", Fortran "f90", Python "py");
const ALIGN_WRITES: Template = template!("align_writes": C "c", Fortran "f90", Python "py");
const MEMORY: Template = template!("memory_align": C "c", Python "py");
const SYNC: Template = template!(
    "sync_once": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl"
);
const MPI_SYNC: Template = template!("mpi_sync_once": C "c", Fortran "f90", Python "py");
const HDF5_FLUSH: Template = template!("hdf5_flush": C "c", Fortran "f90", Python "py");
const VISIBLE: Template = template!("write_then_read": C "c", Fortran "f90", Python "py");
const CACHE: Template = template!(
    "cache_data": C "c", Fortran "f90", Python "py", Cpp "cpp", JavaScript "js", Perl "pl"
);

/// The document about the buffer of the language, which only needs to be larger.
fn buffer_see(setting: &Setting) -> &'static str {
    match setting.language {
        Language::Python => see::PYTHON_IO,
        Language::Cpp => see::CPP_BUFFER,
        Language::JavaScript => see::NODE_FS,
        Language::Perl => see::PERL_IO,
        _ => see::SETVBUF,
    }
}

/// Gather small writes. `bytes` is the size to aim for.
pub fn buffer_writes(setting: &Setting, bytes: u64) -> Advice {
    let bytes = bytes.max(4096);
    if let Some(advice) = instead(setting, Direction::Write, bytes) {
        return advice;
    }
    let how = match setting.language {
        Language::Python => ", without flush() or buffering=0",
        Language::Perl => ", without $| = 1 or autoflush",
        Language::Cpp => ", without std::endl or std::flush after each",
        Language::Fortran => ", without a flush after each",
        Language::C => ", without fflush after each",
        _ => "",
    };
    let text = format!("Gather small writes in a buffer of {}{how}.", words::bytes(bytes));
    let advice = Advice::of(text, buffer_see(setting));
    with_options(setting, advice, bytes)
        .snippet(setting, &BUFFER_WRITES, &[("bytes", bytes.to_string())])
        .set_buffers(setting)
}

/// Read more at a time. `bytes` is the size to aim for.
pub fn larger_reads(setting: &Setting, bytes: u64) -> Advice {
    let bytes = bytes.max(4096);
    if let Some(advice) = instead(setting, Direction::Read, bytes) {
        return advice;
    }
    let text = format!("Read {} at a time.", words::bytes(bytes));
    let advice = Advice::of(text, buffer_see(setting));
    with_options(setting, advice, bytes)
        .snippet(setting, &LARGER_READS, &[("bytes", bytes.to_string())])
        .set_buffers(setting)
        .set(setting, &libc::READ_ADVICE, "sequential")
}

/// The advice on larger requests for a file whose requests the program does not make itself.
fn instead(setting: &Setting, direction: Direction, bytes: u64) -> Option<Advice> {
    let target = &setting.target;
    let is_read = direction == Direction::Read;
    if target.is_database {
        let advice = if is_read { super::page_cache } else { super::one_transaction };
        Some(advice(setting))
    } else if setting.is_tool {
        Some(tools::larger_requests(setting, bytes))
    } else if setting.is_parallel && target.is_mpi_io {
        let collective = if is_read { super::collective_read } else { super::collective_write };
        Some(collective(setting, setting.library()))
    } else {
        target.is_hdf5.then(|| super::hdf5_whole(setting, direction))
    }
}

/// Adds settings that make requests larger without a change of the source.
fn with_options(setting: &Setting, advice: Advice, bytes: u64) -> Advice {
    match setting.language {
        Language::Fortran => advice
            .command(format!("export GFORTRAN_FORMATTED_BUFFER_SIZE={bytes}"), "gfortran; text")
            .command(format!("export GFORTRAN_UNFORMATTED_BUFFER_SIZE={bytes}"), "gfortran; binary")
            .command("export FORT_BUFFERED=TRUE", "Intel's compilers"),
        _ => advice,
    }
}

/// Access a file from front to back.
pub fn sort_accesses(setting: &Setting, direction: Direction) -> Advice {
    let is_read = direction == Direction::Read;
    if setting.is_tool || setting.target.is_database {
        return if is_read { larger_reads } else { buffer_writes }(setting, super::LARGE);
    }
    if setting.is_parallel && setting.has_mpi_io {
        let text = "Hand all offsets to one collective call, which sorts and merges them.";
        let collective = if is_read { super::collective_read } else { super::collective_write };
        return collective(setting, setting.library()).said(text);
    }
    if is_read {
        let text = "Sort the offsets before the reads, so that they go from front to back.";
        return Advice::of(text, see::FADVISE).snippet(setting, &SORT_READS, &[]);
    }
    let text = "Collect the pieces and write them in the order of their offsets.";
    Advice::of(text, see::PWRITE).snippet(setting, &SORT_WRITES, &[])
}

/// Announce the next read to the system, `bytes` at a time if that is known.
pub fn prefetch(setting: &Setting, bytes: u64) -> Advice {
    const PAGE: u64 = 4096;
    if setting.is_tool || setting.target.is_database {
        return larger_reads(setting, super::LARGE);
    }
    let bytes = if bytes > 0 { bytes } else { PAGE };
    let text = format!(
        "Announce each piece of {} before it is needed, so that it is read meanwhile; or sort them.",
        words::bytes(bytes)
    );
    Advice::of(text, see::FADVISE).snippet(setting, &PREFETCH, &[("bytes", bytes.to_string())]).set(
        setting,
        &libc::READ_ADVICE,
        "random",
    )
}

/// Start and end requests at the borders of blocks.
pub fn align_requests(setting: &Setting, block: u64) -> Advice {
    let block = block.max(1);
    let text = format!("Start and end requests at multiples of {}.", words::bytes(block));
    if !setting.is_parallel {
        // A buffer of whole blocks is emptied in whole blocks.
        let buffer = super::LARGE.next_multiple_of(block.min(super::LARGE)).max(block);
        let larger = if setting.mostly_reads { larger_reads } else { buffer_writes };
        let advice = larger(setting, buffer);
        return if setting.target.is_database { advice } else { advice.said(text) };
    }
    let template = if setting.mostly_reads { &ALIGN_READS } else { &ALIGN_WRITES };
    Advice::of(text, see::OPEN).snippet(setting, template, &[("block", block.to_string())])
}

/// Align buffers in memory, which matters for direct I/O only.
pub fn memory_align(setting: &Setting, alignment: u64) -> Advice {
    // posix_memalign takes powers of two, not less than a pointer.
    if setting.is_tool {
        return Advice::default();
    }
    let alignment = alignment.clamp(512, 1 << 30).next_power_of_two();
    let text = format!(
        "Align buffers to {} where files are opened with O_DIRECT, and leave all others as they are.",
        words::bytes(alignment)
    );
    Advice::of(text, see::OPEN).snippet(setting, &MEMORY, &[("alignment", alignment.to_string())])
}

/// Wait for the disk once. `syncs` is the number of syncs now, `bytes` is written between them.
pub fn sync_once(setting: &Setting, syncs: u64, bytes: u64) -> Advice {
    if setting.target.is_database {
        return super::one_transaction(setting);
    }
    let text = format!(
        "Sync once per checkpoint, not {} ({} each): a crash then loses all since the last sync.",
        words::times(syncs),
        words::bytes(bytes)
    );
    if setting.is_tool {
        return tools::sync_once(setting, text, super::LARGE);
    }
    let advice = Advice::of(text, see::FSYNC);
    match setting.library() {
        IoLibrary::Hdf5 if setting.target.is_hdf5 => advice.snippet(setting, &HDF5_FLUSH, &[]),
        IoLibrary::Mpi if setting.target.is_mpi_io => advice.snippet(setting, &MPI_SYNC, &[]),
        IoLibrary::Mpi => advice.snippet(setting, &SYNC, &[]),
        _ => advice,
    }
}

/// Write mapped files back once. `syncs` is the number of calls of `msync` now.
pub fn sync_mapped(setting: &Setting, syncs: u64) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = format!(
        "Call msync once per checkpoint, not {}: a crash then loses all since the last one.",
        words::times(syncs)
    );
    Advice::of(text, see::MMAP)
}

/// Open a file without `O_SYNC` and wait for the disk once. `writes` wait now, of `bytes` each.
pub fn open_without_sync(setting: &Setting, writes: u64, bytes: u64) -> Advice {
    let advice = sync_once(setting, writes, bytes);
    if setting.is_tool || setting.target.is_database {
        return advice;
    }
    advice.said(format!(
        "Open it without O_SYNC or O_DSYNC and sync once per checkpoint, not in each of {} of {}: \
         a crash then loses all since the last sync.",
        words::many(writes, "write"),
        words::bytes(bytes)
    ))
}

/// Do not write the same bytes again.
pub fn write_once(setting: &Setting, written: u64, unique: u64) -> Advice {
    let text = format!(
        "Write each byte once: {} were written to {} of the files.",
        words::bytes(written),
        words::bytes(unique)
    );
    let advice = buffer_writes(setting, super::LARGE);
    if setting.target.is_database { advice } else { advice.said(text) }
}

/// Save a file less often. It has `bytes` and was emptied and written `times` times.
pub fn save_less(setting: &Setting, times: u64, bytes: u64) -> Advice {
    if setting.is_tool || setting.target.is_database {
        return write_once(setting, bytes.saturating_mul(times), bytes);
    }
    let text = format!(
        "Save the {} once at the end, or every so many steps, not {}.",
        words::bytes(bytes),
        words::times(times)
    );
    Advice::of(text, see::OPEN)
}

/// More files than this are not named one by one in a command.
const FEW_FILES: usize = 4;

/// Keep what is read again and again. `bytes` is the data, `times` how often it is read,
/// `files` what to copy; should these be too many to name, their `folder` is copied.
pub fn cache_data(
    setting: &Setting,
    bytes: u64,
    times: u64,
    files: &[&str],
    folder: &str,
) -> Advice {
    let text = format!(
        "Read the {} once and keep them in memory or on a disk of the node; they are read {} now.",
        words::bytes(bytes),
        words::times(times)
    );
    let names: Option<Vec<String>> = files.iter().map(|file| words::path(file)).collect();
    let names = names.filter(|names| (1..=FEW_FILES).contains(&names.len()));
    // A new directory, so that nothing there is overwritten.
    let copy = |what: String| format!("dir=$(mktemp -d) && cp {what} \"$dir\"/ && echo \"$dir\"");
    let line = match names {
        Some(names) => Some(copy(names.join(" "))),
        None => words::path(folder).map(|folder| copy(format!("-r {folder}"))),
    };
    Advice::of(text, see::TMPFS)
        .command("df -h /dev/shm \"${TMPDIR:-/tmp}\"", "is there room on the node?")
        .command_if(line, "once per job, then read there")
        .snippet(setting, &CACHE, &[])
        .set(setting, &libc::READ_ADVICE, "sequential")
}

/// Pass on data in memory that goes through a file now.
pub fn keep_in_memory(setting: &Setting, bytes: u64) -> Advice {
    if setting.target.is_database {
        return super::page_cache(setting);
    }
    if setting.is_tool {
        return Advice::default();
    }
    let text = if setting.is_parallel {
        format!(
            "Send the {} to the ranks that read them, or close the file and wait for all ranks between.",
            words::bytes(bytes)
        )
    } else {
        format!("Keep the {} in memory instead of reading them again.", words::bytes(bytes))
    };
    if setting.is_parallel && setting.has_mpi_io {
        Advice::of(text, see::MPI_STANDARD).snippet(setting, &VISIBLE, &[])
    } else {
        Advice::of(text, see::TMPFS).set(setting, &libc::READ_ADVICE, "sequential")
    }
}

/// See what is moved through mapped memory.
pub fn mmap_note(setting: &Setting) -> Advice {
    let text = "Count page faults to see how much is read through mapped files.";
    let line = super::again("perf stat -e page-faults,major-faults ", setting);
    Advice::of(text, see::MMAP).command_if(line, "each major fault is a read")
}
