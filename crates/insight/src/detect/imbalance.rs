//! P21, P22: ranks that differ in what they move.

use super::{Case, Check, Context, Detector, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Quantity};
use crate::model::Direction;
use crate::number;

macro_rules! detector {
    ($name:ident, $code:literal, $slug:literal, $direction:ident, $what:literal) => {
        pub(super) static $name: Detector = Detector {
            code: $code,
            slug: $slug,
            dimension: Dimension::ParallelismEfficiency,
            highest: Level::High,
            what: $what,
            condition: "On a file that several single ranks used without collective MPI-IO, the most and least \
                        bytes of a rank differ by more than imbalance_size of the most. It decides the verdict \
                        only as B01 or B02.",
            why: "All wait for the rank with the most.",
            fix: "Give every rank the same amount; where one rank writes for all, use collective calls.",
            see: "https://docs.nersc.gov/performance/io/",
            check: |cx| check(cx, Direction::$direction),
        };
    };
}

detector!(
    WRITE,
    "P21",
    "write-imbalance",
    Write,
    "Some ranks write much more to a file than others."
);
detector!(READ, "P22", "read-imbalance", Read, "Some ranks read much more of a file than others.");

fn check(cx: &Context<'_>, direction: Direction) -> Check {
    let run = cx.run;
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let mut files = Vec::new();
    let mut worst = (0.0, String::new(), 0, 0);
    let mut looked_at = 0_u64;
    for file in run.data() {
        let is_collective = file.mpiio.as_deref().is_some_and(crate::model::Usage::is_collective);
        let Some(usage) = file.posix.as_deref().filter(|_| !is_collective) else { continue };
        if usage.by_rank.len() < 2 {
            continue;
        }
        let bytes = usage.by_rank.iter().map(|rank| match direction {
            Direction::Read => rank.read,
            Direction::Write => rank.written,
        });
        let (most, least) =
            bytes.fold((0, u64::MAX), |(most, least), b| (b.max(most), b.min(least)));
        if most == 0 {
            continue;
        }
        looked_at += 1;
        let share = (most - least) as f64 / most as f64;
        if share <= cx.limits.imbalance_size {
            continue;
        }
        let mean = usage.time() / usage.by_rank.len() as f64;
        if share > worst.0 {
            worst = (share, base(&file.name).to_owned(), most, least);
        }
        files.push(cx.share_of(file, (usage.slowest_time(run.ranks) - mean).max(0.0)));
    }
    if looked_at == 0 {
        return Check::Senseless;
    }
    if files.is_empty() {
        return Check::Fine(format!(
            "Ranks are alike on {}.",
            number::counted(looked_at, "file", "files")
        ));
    }
    let (share, name, most, least) = worst;
    let title = format!(
        "Ranks {} between {} and {} of {name}",
        direction.verb(),
        number::bytes(least),
        number::bytes(most)
    );
    let detail = format!(
        "They differ by {} of the most{}.",
        number::percent(share),
        if files.len() > 1 {
            format!("; {} in all", number::counted(files.len() as u64, "file", "files"))
        } else {
            String::new()
        }
    );
    let seconds = files.iter().map(|file| file.seconds).fold(0.0, f64::max);
    let setting = cx.setting(None);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("most", most as f64, Quantity::Bytes)
        .evidence("least", least as f64, Quantity::Bytes)
        .evidence("difference", share, Quantity::Share)
        .files(top_files(files))
        .pool(if direction == Direction::Read { Pool::Read } else { Pool::Write })
        .advise(advice::balance(&setting, most, most.midpoint(least)))
        .cause_if(false)
        .fired()
}
