//! P18, P19: ranks that differ on a shared file.

use super::{Case, Check, Context, Detector, Pool, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Need, Quantity};
use crate::model::{RankUse, Usage};
use crate::number;

pub(super) static BYTES: Detector = Detector {
    code: "P18",
    slug: "shared-bytes-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "On a shared file some ranks move many more bytes than others.",
    condition: "On a file that several ranks use without collective MPI-IO, the most and least bytes of a rank \
                differ by more than imbalance_stragglers of the most. It decides the verdict only as B01.",
    why: "All wait for the rank with the most.",
    fix: "Give every rank the same amount.",
    see: "https://docs.nersc.gov/performance/io/",
    check: |cx| check(cx, true),
};

pub(super) static TIME: Detector = Detector {
    code: "P19",
    slug: "shared-time-imbalance",
    dimension: Dimension::ParallelismEfficiency,
    highest: Level::High,
    what: "On a shared file some ranks take much longer than others.",
    condition: "On a file that several ranks use without collective MPI-IO, the slowest and fastest rank differ \
                by more than imbalance_stragglers of the slowest. It decides the verdict only as B01.",
    why: "All wait for the slowest rank.",
    fix: "Give every rank the same amount; stripe the file over more targets; look at the node of the slowest.",
    see: "https://docs.nersc.gov/performance/io/",
    check: |cx| {
        if cx.run.cores_are_enough {
            check(cx, false)
        } else {
            Check::NotCheckable(Need::CoresForRanks)
        }
    },
};

/// The most and the least that a rank has.
fn spread(usage: &Usage, bytes: bool) -> Option<(f64, f64)> {
    let of = |rank: &RankUse| if bytes { rank.bytes() as f64 } else { rank.time() };
    if let Some(reduced) = &usage.reduced {
        return Some(if bytes {
            let (a, b) = (reduced.slowest_bytes as f64, reduced.fastest_bytes as f64);
            (a.max(b), a.min(b))
        } else {
            (reduced.slowest_time, reduced.fastest_time)
        });
    }
    if usage.by_rank.len() < 2 {
        return None;
    }
    let most = usage.by_rank.iter().map(of).fold(0.0, f64::max);
    let least = usage.by_rank.iter().map(of).fold(f64::INFINITY, f64::min);
    Some((most, least))
}

fn check(cx: &Context<'_>, bytes: bool) -> Check {
    let run = cx.run;
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let mut files = Vec::new();
    let mut worst = (0.0, String::new(), 0.0, 0.0);
    let mut shared = 0_u64;
    for file in run.data() {
        // With collective buffering only aggregators touch the file, which is as it should be.
        let is_collective = file.mpiio.as_deref().is_some_and(Usage::is_collective);
        let Some(usage) = file.posix.as_deref().filter(|_| !is_collective) else { continue };
        let Some((most, least)) = spread(usage, bytes) else { continue };
        shared += 1;
        if most <= 0.0 || (most - least) / most <= cx.limits.imbalance_stragglers {
            continue;
        }
        let ranks = usage.ranks(run.ranks).max(1) as f64;
        let slowest = usage.slowest_time(run.ranks);
        let seconds = (slowest - usage.time() / ranks).max(0.0);
        if (most - least) / most > worst.0 {
            worst = ((most - least) / most, base(&file.name).to_owned(), most, least);
        }
        files.push(cx.share_of(file, seconds));
    }
    if shared == 0 {
        return Check::Senseless;
    }
    if files.is_empty() {
        return Check::Fine(format!(
            "Ranks are alike on {}.",
            number::counted(shared, "shared file", "shared files")
        ));
    }
    let (share, name, most, least) = worst;
    let quantity = if bytes { Quantity::Bytes } else { Quantity::Seconds };
    let (least_text, most_text) =
        (number::quantity(least, quantity), number::quantity(most, quantity));
    let title = format!("Ranks differ by {} on {name}", number::percent(share));
    let detail = format!(
        "Between {least_text} and {most_text}{}.",
        if files.len() > 1 {
            format!("; {} in all", number::counted(files.len() as u64, "file", "files"))
        } else {
            String::new()
        }
    );
    let seconds = files.iter().map(|file| file.seconds).fold(0.0, f64::max);
    let setting = cx.setting(None);
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("most", most, quantity)
        .evidence("least", least, quantity)
        .evidence("difference", share, Quantity::Share)
        .evidence("files", files.len() as f64, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Data)
        .advise(advice::balance(&setting, most as u64, ((most + least) / 2.0) as u64))
        .cause_if(false)
        .fired()
}
