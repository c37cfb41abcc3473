//! P09, P10, A04, A05: more bytes moved than the file has.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Advice, Confidence, Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::{Direction, File, Totals, Usage};
use crate::number;

const SEE: &str = "https://docs.nersc.gov/performance/io/";

pub(super) static REREAD: Detector = Detector {
    code: "P09",
    slug: "reread",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::Warn,
    what: "A file is read more than once.",
    condition: "The bytes read from a file are at least redundant_least times its size. \
                BYTES_READ is compared with the highest byte touched.",
    why: "The same bytes are read again.",
    fix: "Read once and keep what is needed, or let one rank read and broadcast.",
    see: SEE,
    applies_to: &[Feature::Posix(Direction::Read)],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Read, false),
};

pub(super) static REWRITTEN: Detector = Detector {
    code: "P10",
    slug: "rewritten",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::Warn,
    what: "A file is written more than once.",
    condition: "The bytes written to a file are at least redundant_least times its size. \
                BYTES_WRITTEN is compared with the highest byte touched.",
    why: "The same bytes are written again.",
    fix: "Write each byte once, when it is final.",
    see: SEE,
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Write, false),
};

pub(super) static REDUNDANT_READ: Detector = Detector {
    code: "A04",
    slug: "redundant-read",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Files are read several times over.",
    condition: "From counters: more than redundant_factor times the bytes of a file are read, \
                and at least redundant_bytes more than it has. With a trace: the bytes read are \
                at least redundant_traced times the different bytes read, and at least \
                redundant_bytes more. In a serial run a smaller file counts if it is read redundant_often times \
                over and that costs metadata_share of the run.",
    why: "The storage delivers the same bytes again, for example in each epoch of a training or \
          to every rank.",
    fix: "Keep the data in memory or on a local disk after the first pass. Let one rank read and \
          broadcast.",
    see: SEE,
    applies_to: &[Feature::Posix(Direction::Read)],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Read, true),
};

pub(super) static OVERLAPPING_WRITE: Detector = Detector {
    code: "A05",
    slug: "overlapping-write",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::High,
    what: "Files are written several times over.",
    condition: "From counters: more than redundant_factor times the bytes of a file are written, \
                and at least redundant_bytes more than it has. With a trace: the bytes written \
                are at least redundant_traced times the different bytes written, and at least \
                redundant_bytes more. In a serial run a smaller file counts if it is written redundant_often \
                times over and that costs metadata_share of the run.",
    why: "The storage takes the same bytes again. Where ranks overlap, the result may depend on \
          their order.",
    fix: "Write each byte once, when it is final. Give every rank a range of its own.",
    see: SEE,
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, Direction::Write, true),
};

/// The bytes of a file that are moved in one direction, and the different ones among them.
struct MovedBytes {
    bytes: u64,
    unique: u64,
    confidence: Confidence,
}

fn moved(cx: &Context<'_>, file: &File, direction: Direction) -> Option<MovedBytes> {
    let traced = cx.run.trace.as_ref().and_then(|trace| {
        let index = trace.files.binary_search_by_key(&file.id, |traced| traced.id).ok()?;
        trace.files.get(index)
    });
    // A trace has no streams.
    let streams = file.stdio.as_deref().map_or(0, |usage| usage.way(direction).bytes);
    if let Some(traced) = traced.filter(|traced| !traced.is_summed_only && streams == 0) {
        let flow = if direction == Direction::Read { &traced.reads } else { &traced.writes };
        if flow.placed > 0 {
            return Some(MovedBytes {
                bytes: flow.placed,
                unique: flow.unique,
                confidence: Confidence::Measured,
            });
        }
    }
    // Descriptors and streams may both be used on a file.
    let bytes = file.calls().map(|usage| usage.way(direction).bytes).fold(0, u64::saturating_add);
    let unique = file.calls().map(Usage::extent).max().unwrap_or(0);
    (bytes > 0 && unique > 0).then_some(MovedBytes {
        bytes,
        unique,
        confidence: Confidence::Derived,
    })
}

fn check(cx: &Context<'_>, direction: Direction, much: bool) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    let moves = |totals: &Totals| totals.way(direction).bytes > 0;
    if run.trace.is_none() && !moves(&run.posix) && !moves(&run.stdio) {
        return Check::Senseless;
    }
    let (mut bytes, mut unique, mut parts) = (0_u64, 0_u64, Vec::new());
    let mut confidence = Confidence::Measured;
    let mut files: Vec<FileShare> = Vec::new();
    let mut looked_at = 0_u64;
    let mut worst: Option<(f64, &File)> = None;
    let mut shared = 0_u64;
    for file in run.data() {
        let Some(found) = moved(cx, file, direction) else { continue };
        looked_at += 1;
        let factor = found.bytes as f64 / found.unique.max(1) as f64;
        let fires = match (much, found.confidence) {
            (false, _) => factor >= limits.redundant_least,
            (true, Confidence::Measured) => factor >= limits.redundant_traced,
            (true, _) => factor > limits.redundant_factor,
        };
        if !fires {
            continue;
        }
        let (mut seconds, mut own) = (0.0, Vec::new());
        for usage in file.calls() {
            // An open that empties a file frees its blocks, and the close writes it back.
            let facts = file.facts();
            let is_emptied = direction == Direction::Write && facts.truncations > 0;
            let around = (facts.opened + facts.closed).min(usage.meta_time);
            let around = if is_emptied { around } else { 0.0 };
            let part = (usage.way(direction).time + around) * (1.0 - 1.0 / factor);
            seconds += usage.slowest_part(part, run.ranks);
            own.push((usage, part));
        }
        // A small file counts if it is moved very often and that takes time.
        let surplus = (found.bytes - found.unique.min(found.bytes)) as f64;
        let is_costly = !run.ranks_mean_something
            && factor >= limits.redundant_often
            && run.share(seconds) >= limits.metadata_share;
        if much && surplus < limits.redundant_bytes && !is_costly {
            continue;
        }
        bytes = bytes.saturating_add(found.bytes);
        unique = unique.saturating_add(found.unique);
        parts.extend(own);
        confidence = confidence.min(found.confidence);
        shared += u64::from(file.ranks(run.ranks) > 1);
        if worst.is_none_or(|(most, _)| factor > most) {
            worst = Some((factor, file));
        }
        files.push(cx.share_of(file, seconds));
    }
    if looked_at == 0 {
        return Check::Senseless;
    }
    let Some((_, file)) = worst else {
        return Check::Fine(fine(cx, direction, much));
    };
    let count = files.len() as u64;
    let factor = bytes as f64 / unique.max(1) as f64;
    let (what, whose) = match count {
        1 => (base(&file.name).to_owned(), "it has"),
        _ => (number::counted(count, "file", "files"), "they have"),
    };
    let verb = if count == 1 { "is" } else { "are" };
    let over = if factor < 1.05 { "a little more than once".into() } else { number::ratio(factor) };
    let title = format!("{what} {verb} {} {over} over", done(direction));
    let detail = format!(
        "{} {}, {whose} {}.{}",
        number::bytes(bytes),
        done(direction),
        number::bytes(unique),
        if shared > 0 && run.ranks_mean_something { " Several ranks do it." } else { "" }
    );
    let seconds = cx.slowest_rank(parts);
    let surplus = bytes.saturating_sub(unique) as f64;
    let is_grave = factor >= limits.redundant_traced && surplus >= limits.redundant_bytes;
    let is_of_streams = run.stdio.way(direction).bytes > run.posix.way(direction).bytes;
    let pool = match direction {
        _ if is_of_streams => Pool::Text,
        Direction::Read => Pool::Read,
        Direction::Write => Pool::Write,
    };
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("bytes moved", bytes as f64, Quantity::Bytes)
        .evidence("different bytes", unique as f64, Quantity::Bytes)
        .evidence("factor", factor, Quantity::Factor)
        .evidence("files", count as f64, Quantity::Count)
        .advise(advise(cx, file, direction, (bytes, unique), &files, shared == count))
        .files(top_files(files))
        .confidence(confidence)
        .pool(pool)
        .phrase(match direction {
            Direction::Read => "files read several times",
            Direction::Write => "files written several times",
        })
        .seen_again()
        // A little more than once may be a header. Half as much again is not.
        .cause_if(much || is_grave)
        .fired()
}

/// The sentence of a check that found nothing, with its limits.
fn fine(cx: &Context<'_>, direction: Direction, much: bool) -> String {
    let limits = cx.limits;
    let done = done(direction);
    if !much {
        return format!("No file is {done} more than once.");
    }
    let factor =
        if cx.run.trace.is_some() { limits.redundant_traced } else { limits.redundant_factor };
    let surplus = number::bytes(limits.redundant_bytes as u64);
    format!("No file has {} its bytes {done}, and {surplus} more.", number::ratio(factor))
}

fn done(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "written",
    }
}

fn advise(
    cx: &Context<'_>,
    file: &File,
    direction: Direction,
    moved: (u64, u64),
    files: &[FileShare],
    shared: bool,
) -> Advice {
    let setting = cx.setting(Some(file));
    let (bytes, unique) = moved;
    match direction {
        Direction::Write if file.facts().truncations > 1 => {
            advice::save_less(&setting, file.facts().truncations, unique)
        }
        Direction::Write => advice::write_once(&setting, bytes, unique),
        Direction::Read if shared && setting.is_parallel => {
            advice::read_once_and_broadcast(&setting, cx.run.ranks, unique)
        }
        Direction::Read if setting.file_system == advice::FileSystem::Local => {
            advice::keep_in_memory(&setting, bytes.saturating_sub(unique).min(unique))
        }
        Direction::Read => {
            let times = (bytes as f64 / unique.max(1) as f64).round() as u64;
            // Anonymised names are no paths.
            let names = files.iter().map(|file| &*file.path).filter(|path| path.starts_with('/'));
            let names: Vec<&str> = names.collect();
            let names = if names.len() == files.len() { &names[..] } else { &[] };
            advice::cache_data(&setting, unique, times, names, cx.folder_of(file))
        }
    }
}
