//! P11 to P14: random and sequential access.

use super::{Case, Check, Context, Detector, Feature, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::{Direction, Usage};
use crate::number;

const WHY: &str = "Each jump costs a trip to the storage: a disk moves its head, and a server \
                  can neither read ahead nor gather.";

pub(super) static RANDOM_READS: Detector = Detector {
    code: "P11",
    slug: "random-reads",
    dimension: Dimension::AccessPattern,
    highest: Level::High,
    what: "Reads go back and forth in files.",
    condition: "More than random_operations of all reads begin before the end of the last one. The first one after each open does not count. There are more than \
                random_operations_absolute reads. Seconds are those of all reads of such files, \
                less what the bytes take in order: at storage_rate if a read takes \
                storage_call_time on average, else at the rate of memory.",
    why: WHY,
    fix: "Read in the order of the file, or sort the requests first. Read larger pieces and pick \
          from memory.",
    see: "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
    applies_to: &[Feature::Posix(Direction::Read)],
    plots: &[Plot::Requests, Plot::Space],
    moment: Moment::FileUse,
    check: |cx| random(cx, Direction::Read),
};

pub(super) static RANDOM_WRITES: Detector = Detector {
    code: "P13",
    slug: "random-writes",
    dimension: Dimension::AccessPattern,
    highest: Level::High,
    what: "Writes go back and forth in files.",
    condition: "More than random_operations of all writes begin before the end of the last one. The first one after each open does not count. There are more than \
                random_operations_absolute writes. Seconds are those of all writes to such files, \
                less what the bytes take in order: at storage_rate if a write takes \
                storage_call_time on average, else at the rate of memory.",
    why: WHY,
    fix: "Write in the order of the file. Collect pieces in memory and sort them before writing.",
    see: "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
    applies_to: &[Feature::Posix(Direction::Write)],
    plots: &[Plot::Requests, Plot::Space],
    moment: Moment::FileUse,
    check: |cx| random(cx, Direction::Write),
};

pub(super) static SEQUENTIAL_READS: Detector = Detector {
    code: "P12",
    slug: "sequential-reads",
    dimension: Dimension::AccessPattern,
    highest: Level::Ok,
    what: "Reads step through files.",
    condition: "At least sequential_requests of the reads continue the last one or step forward.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
    applies_to: &[Feature::Posix(Direction::Read), Feature::GoodNews],
    plots: &[Plot::Requests, Plot::Space],
    moment: Moment::FileUse,
    check: |cx| sequential(cx, Direction::Read),
};

pub(super) static SEQUENTIAL_WRITES: Detector = Detector {
    code: "P14",
    slug: "sequential-writes",
    dimension: Dimension::AccessPattern,
    highest: Level::Ok,
    what: "Writes step through files.",
    condition: "At least sequential_requests of the writes continue the last one or step forward.",
    why: WHY,
    fix: "Nothing has to be done.",
    see: "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html",
    applies_to: &[Feature::Posix(Direction::Write), Feature::GoodNews],
    plots: &[Plot::Requests, Plot::Space],
    moment: Moment::FileUse,
    check: |cx| sequential(cx, Direction::Write),
};

fn random(cx: &Context<'_>, direction: Direction) -> Check {
    let run = cx.run;
    if run.posix.way(direction).calls == 0 {
        return Check::Senseless;
    }
    let (mut random, mut calls) = (0_u64, 0_u64);
    let (mut files, mut parts) = (Vec::new(), Vec::new());
    let mut most = (0, 0);
    for file in run.data() {
        let Some(usage) = file.posix.as_deref() else { continue };
        let own = usage.random(direction);
        calls = calls.saturating_add(usage.way(direction).calls);
        random = random.saturating_add(own);
        if own > 0 {
            let part = price(cx, usage, direction, own);
            files.push(cx.share_of(file, usage.slowest_part(part, run.ranks)));
            parts.push((usage, part));
            let size = usage.common_size().map_or(0, |(size, _)| size);
            most = most.max((own, size));
        }
    }
    files.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let share = random as f64 / calls as f64;
    let detail = format!(
        "{}{} of {} {} begin before the end of the last one ({}).",
        files.first().map_or(String::new(), |file: &FileShare| format!("{}: ", base(&file.path))),
        number::thousands(random),
        number::thousands(calls),
        direction.noun(),
        number::percent(share)
    );
    if share <= cx.limits.random_operations || calls as f64 <= cx.limits.random_operations_absolute
    {
        return Check::Fine(detail);
    }
    let seconds = cx.slowest_rank(parts).min(run.posix.slowest_way(direction));
    let title = format!("{} of {} go back in the file", number::percent(share), direction.noun());
    let setting = cx.setting(None);
    let advice = match direction {
        Direction::Read => advice::prefetch(&setting, most.1),
        Direction::Write => advice::sort_accesses(&setting, direction),
    };
    let pool = if direction == Direction::Read { Pool::Read } else { Pool::Write };
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("random requests", random as f64, Quantity::Count)
        .evidence("requests", calls as f64, Quantity::Count)
        .evidence("share", share, Quantity::Share)
        .files(top_files(files))
        .pool(pool)
        .advise(advice)
        .fired()
}

/// Seconds, all ranks together, that the order of the file saves. If a fifth or more of the requests
/// go back, the system cannot read ahead, so those that go forward by chance cost as much. In order,
/// the bytes come at the rate of storage, or at that of memory if they were there already.
fn price(cx: &Context<'_>, usage: &Usage, direction: Direction, random: u64) -> f64 {
    let way = usage.way(direction);
    let calls = way.calls.max(1) as f64;
    let share = random as f64 / calls;
    if share <= cx.limits.random_operations {
        return way.time * share;
    }
    let is_stored = way.time / calls >= cx.limits.storage_call_time;
    let rate = if is_stored { cx.limits.storage_rate } else { cx.rate(direction) };
    // What lies between requests is read ahead as well.
    let bytes = way.bytes.max(way.extent.min(way.bytes.saturating_mul(2)));
    (way.time - bytes as f64 / rate).max(0.0)
}

fn sequential(cx: &Context<'_>, direction: Direction) -> Check {
    let way = cx.run.posix.way(direction);
    if way.calls == 0 {
        return Check::Senseless;
    }
    let share = way.sequential as f64 / way.calls as f64;
    if share < cx.limits.sequential_requests {
        return Check::Senseless;
    }
    Check::Fine(format!(
        "{} of {} step forward, {} continue the last one.",
        number::percent(share),
        direction.noun(),
        number::percent(way.consecutive as f64 / way.calls as f64)
    ))
}
