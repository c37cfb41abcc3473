//! The placement of files.

use super::{Setting, hints, see, words};
use crate::finding::{Advice, Command};

/// Stripes of Lustre are multiples of this.
const STRIPE_UNIT: u64 = 64 << 10;

/// The number of storage targets for a file of so many bytes: the square root of its size in
/// pieces of 128 MiB, and no more than there are ranks or targets to use them.
pub fn stripe_count(bytes: u64, ranks: u64, targets: Option<u64>) -> u64 {
    let count = (bytes / (128 << 20)).isqrt() + 1;
    count.min(ranks.max(1)).min(targets.unwrap_or(u64::MAX).max(1))
}

/// Spread a file over storage targets.
pub fn stripe(setting: &Setting, count: u64, size: u64, folder: &str) -> Advice {
    let count = count.max(1);
    let size = size.clamp(STRIPE_UNIT, 1 << 31).next_multiple_of(STRIPE_UNIT);
    if !setting.is_lustre() {
        let text = format!(
            "Ask your centre to spread the files over {}.",
            words::many(count, "storage server")
        );
        return Advice::of(text, see::PARALLEL_IO);
    }
    let text = format!(
        "Stripe the directory over {} in pieces of {} before the file is created.",
        words::many(count, "OST"),
        words::bytes(size),
    );
    let size_option = words::size_option(size);
    let line = words::path(folder)
        .map(|folder| format!("lfs setstripe -c {count} -S {size_option} {folder}"));
    let advice = Advice::of(text, see::LUSTRE_MANUAL).command_if(line, "before creating the file");
    // A hint can create the file with these stripes.
    let by_hint = [("striping_factor", count.to_string()), ("striping_unit", size.to_string())];
    if !setting.has_mpi_io {
        return advice;
    }
    hints::set(setting, hints::in_code(setting, advice, &by_hint), &by_hint)
}

/// Look up the stripes of a file if the log does not have them, and stripe its directory.
pub fn check_stripe(setting: &Setting, file: &str, count: u64, size: u64) -> Advice {
    let folder = match file.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => "",
    };
    let mut advice = stripe(setting, count, size, folder);
    if setting.is_lustre() {
        advice.text = format!(
            "See over how many OSTs the file is striped, and use {}.",
            crate::number::thousands(count.max(1))
        );
        if let Some(file) = words::path(file) {
            let line = format!("lfs getstripe -c {file}");
            advice.commands.insert(0, Command::new(line, "1? then stripe its directory:"));
        }
    }
    advice
}

/// Report a storage target that is slower than the others.
pub fn report_ost(setting: &Setting, ost: u64, mount: &str, other_mounts: &[&str]) -> Advice {
    let other = other_mounts.iter().find_map(|mount| words::path(mount));
    let text = match other {
        Some(other) => {
            format!("Report OST {ost} to your centre and write to {other} until it is repaired.")
        }
        None => format!("Report OST {ost} to your centre and run again once it is repaired."),
    };
    let advice = Advice::of(text, see::LUSTRE_MANUAL);
    if !setting.is_lustre() {
        return advice;
    }
    let line = format!("{} | grep 'OST:{ost}]'", usage("lfs df", mount));
    advice.command(line, "full or degraded? then tell your centre")
}

/// The use of the targets of a file system; of all, where it is not known.
fn usage(command: &str, mount: &str) -> String {
    match words::path(mount) {
        Some(mount) => format!("{command} {mount}"),
        None => command.to_owned(),
    }
}

/// Run again when the file system is less busy.
pub fn repeat_later(setting: &Setting, mount: &str) -> Advice {
    let text = "Run again at another time and compare: the same phases took different times here.";
    if !setting.is_lustre() {
        return Advice::of(text, see::PARALLEL_IO);
    }
    let line = usage("lfs df -h", mount);
    Advice::of(text, see::LUSTRE_MANUAL).command(line, "is a target nearly full?")
}

/// Give each rank whole blocks of the file system, so that no two lock the same one.
pub fn align_domains(setting: &Setting, unit: u64) -> Advice {
    let text = format!(
        "Let each rank write whole blocks of {} that start at its multiples.",
        words::bytes(unit)
    );
    if setting.has_hdf5 || setting.has_netcdf {
        let aligned = super::hdf5_alignment(setting, unit);
        return aligned.said(text);
    }
    if setting.has_mpi_io && setting.is_lustre() {
        return hints::hinted(setting, text, &[("striping_unit", unit.to_string())]);
    }
    super::align_requests(setting, unit).said(text)
}

/// Put the files on the file system that is made for them.
pub fn move_to_scratch(_setting: &Setting, folder: &str, mount: &str) -> Advice {
    let Some(mount) = words::path(mount) else {
        let text = "Read and write on the file system that is made for large transfers.";
        return Advice::of(text, see::PARALLEL_IO);
    };
    let text = format!("Read and write in {mount}, which is made for large transfers.");
    let advice = Advice::of(text, see::PARALLEL_IO)
        .command(format!("mkdir -p {mount}/\"$USER\""), "or your own directory there");
    // Nothing there is overwritten.
    let name = words::path(folder.rsplit('/').next().unwrap_or(folder));
    let line = words::path(folder).zip(name).map(|(folder, name)| {
        let there = format!("{mount}/\"$USER\"/{name}");
        format!("test -e {there} || cp -r {folder} {there}")
    });
    advice.command_if(line, "then run there")
}

/// Keep what is used within the job on the node.
pub fn burst_buffer(_setting: &Setting, bytes: u64) -> Advice {
    let text = format!(
        "Keep these {} on storage of the node, and copy them once at the end.",
        words::bytes(bytes)
    );
    Advice::of(text, see::TMPFS)
        .command("df -h /dev/shm \"${TMPDIR:-/tmp}\"", "is there room on the node?")
}

/// Send larger requests to DAOS.
pub fn daos_size(_setting: &Setting, bytes: u64) -> Advice {
    let text = format!(
        "Gather requests of {} into one of at least 1 MiB, the size of a chunk of DAOS.",
        words::bytes(bytes)
    );
    Advice::of(text, see::DAOS)
}
