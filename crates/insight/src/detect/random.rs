//! P11 to P14: random and sequential access.

use super::top::TopFiles;
use super::{Case, Check, Context, Detector, Feature, Pool};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::Direction;
use crate::number;

const WHY: &str = "Each jump costs a trip to the storage: a disk moves its head, and a server \
                  can neither read ahead nor gather.";

pub(super) static RANDOM_READS: Detector = Detector {
    code: "P11",
    slug: "random-reads",
    dimension: Dimension::AccessPattern,
    highest: Level::High,
    what: "Reads jump about in files.",
    condition: "More than random_operations of all reads neither continue the last one nor step \
                forward. The first one after each open does not count. There are more than \
                random_operations_absolute reads.",
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
    what: "Writes jump about in files.",
    condition: "More than random_operations of all writes neither continue the last one nor step \
                forward. The first one after each open does not count. There are more than \
                random_operations_absolute writes.",
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
    let mut files = TopFiles::default();
    let mut most = (0, 0);
    for file in run.data() {
        let Some(usage) = file.posix.as_deref() else { continue };
        let own = usage.random(direction);
        calls = calls.saturating_add(usage.way(direction).calls);
        random = random.saturating_add(own);
        if own > 0 {
            let part = usage.way(direction).time * own as f64 / usage.way(direction).calls as f64;
            files.push(cx.share_of(file, usage.slowest_part(part, run.ranks)));
            let size = usage.common_size().map_or(0, |(size, _)| size);
            most = most.max((own, size));
        }
    }
    let share = random as f64 / calls as f64;
    let detail = format!(
        "{} of {} {} neither continue the last one nor step forward ({}).",
        number::thousands(random),
        number::thousands(calls),
        direction.noun(),
        number::percent(share)
    );
    if share <= cx.limits.random_operations || calls as f64 <= cx.limits.random_operations_absolute
    {
        return Check::Fine(detail);
    }
    let seconds = run.posix.slowest_way(direction) * share;
    let title = format!("{} of {} jump about", number::percent(share), direction.noun());
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
        .files(files.into())
        .pool(pool)
        .advise(advice)
        .fired()
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
