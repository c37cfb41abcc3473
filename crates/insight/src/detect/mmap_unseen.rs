//! A08: files that are mapped into memory, where no recorder sees accesses.

use super::{Case, Check, Context, Detector, Feature, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::Usage;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "A08",
    slug: "mmap-unseen",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "Files are mapped into memory. No recorder sees the accesses there.",
    condition: "A data file is mapped and not read.",
    why: "Page faults are no calls. No counter has their bytes and seconds.",
    fix: "Nothing has to be done. Remember that the figures leave this out.",
    see: "https://man7.org/linux/man-pages/man2/mmap.2.html",
    applies_to: &[Feature::MappedFiles],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// True for a file through which processes of an MPI job communicate. It holds no data.
fn is_shared_memory(name: &str) -> bool {
    let is_session = |part: &str| ["ompi.", "prte.", "pmix"].iter().any(|it| part.starts_with(it));
    name.starts_with("/dev/shm/") || name.split('/').any(is_session)
}

/// A file and the bytes of it that are mapped, if they are known.
fn sized(name: &str, bytes: u64) -> String {
    if bytes == 0 { name.to_owned() } else { format!("{name} ({})", number::bytes(bytes)) }
}

fn check(cx: &Context<'_>) -> Check {
    if cx.run.posix.sum.rare().mmaps == 0 {
        return Check::Senseless;
    }
    let is_mapped = |usage: &Usage| usage.rare().mmaps > 0 && usage.ways[0].calls == 0;
    let mapped: Vec<_> = cx
        .run
        .data()
        .filter(|file| file.posix.as_deref().is_some_and(is_mapped))
        .filter(|file| !is_shared_memory(&file.name))
        .collect();
    if mapped.is_empty() {
        return Check::Senseless;
    }
    let count = mapped.len() as u64;
    let files = mapped.iter().map(|file| cx.share_of(file, 0.0));
    let are_mapped =
        format!("{} mapped into memory", number::counted(count, "file is", "files are"));
    let title = format!("{are_mapped}; accesses there are not seen");
    let mut largest: Vec<(u64, &str)> =
        mapped.iter().map(|file| (file.facts().mapped, base(&file.name))).collect();
    largest.sort_by(|a, b| b.cmp(a));
    let named: Vec<String> =
        largest.iter().take(3).map(|(bytes, name)| sized(name, *bytes)).collect();
    let detail = format!(
        "No counter has what is read and written there: {}{}.",
        named.join(", "),
        if largest.len() > named.len() { " and others" } else { "" }
    );
    let first = named.first().cloned().unwrap_or_default();
    let unseen = match count {
        1 => format!("{first} is mapped into memory and used unseen"),
        _ => format!(
            "{first} and {} are mapped into memory and used unseen",
            number::counted(count - 1, "other file", "other files")
        ),
    };
    // What is small or unused cannot hold a run back.
    let bytes = largest.iter().map(|(bytes, _)| *bytes).fold(0, u64::saturating_add);
    let is_much = bytes as f64 >= cx.limits.small_file_bytes || largest.iter().any(|it| it.0 == 0);
    let case = Case::new(title, detail, 0.0)
        .evidence("files", count as f64, Quantity::Count)
        .files(top_files(files))
        .advise(advice::mmap_note(&cx.setting(None)))
        .warning(format!("{are_mapped}: no figure includes accesses there (A08)."));
    if is_much { case.caveat(unseen) } else { case }.fired()
}
