//! P07, P08: requests that do not begin at borders of memory or file blocks.

use super::{Case, Check, Context, Detector, Feature};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::number;

pub(super) static MEMORY: Detector = Detector {
    code: "P07",
    slug: "misaligned-memory",
    dimension: Dimension::Information,
    highest: Level::Info,
    what: "Buffers in memory are not aligned.",
    condition: "More than misaligned_requests of the requests use memory that is not aligned.",
    why: "Alignment matters only where the page cache is bypassed (O_DIRECT). There the kernel \
          copies the data or refuses the request.",
    fix: "Do nothing, unless files are opened with O_DIRECT. Then allocate with posix_memalign.",
    see: "https://man7.org/linux/man-pages/man2/open.2.html",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Requests, Plot::Space],
    moment: Moment::FileUse,
    check: |cx| check(cx, true),
};

pub(super) static FILE: Detector = Detector {
    code: "P08",
    slug: "misaligned-file",
    dimension: Dimension::AccessGranularity,
    highest: Level::High,
    what: "Requests do not begin at multiples of the file system's block.",
    condition: "More than misaligned_requests of the requests have an offset that is no multiple \
                of the alignment. It does not decide the verdict.",
    why: "The file system has to read a block, change a part and write it back. Two ranks can \
          want the same block.",
    fix: "Let every rank begin at a multiple of the block or stripe.",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Space, Plot::Time],
    moment: Moment::FileUse,
    check: |cx| check(cx, false),
};

fn check(cx: &Context<'_>, memory: bool) -> Check {
    let sum = &cx.run.posix.sum;
    let all = sum.calls();
    if all == 0 {
        return Check::Senseless;
    }
    let bad = if memory { sum.memory_misaligned } else { sum.file_misaligned }.min(all);
    let share = bad as f64 / all as f64;
    let detail = format!(
        "{} of {} requests ({}).",
        number::thousands(bad),
        number::thousands(all),
        number::percent(share)
    );
    if share <= cx.limits.misaligned_requests {
        return Check::Fine(detail);
    }
    let setting = cx.setting(None);
    if memory {
        let title =
            format!("{} of requests use memory that is not aligned", number::percent(share));
        return Case::new(title, detail, 0.0)
            .evidence("misaligned requests", bad as f64, Quantity::Count)
            .evidence("share", share, Quantity::Share)
            .advise(advice::memory_align(&setting, 4096))
            .fired();
    }
    let block = sum.alignment;
    let title = format!(
        "{} of requests begin between blocks of {}",
        number::percent(share),
        number::bytes(block)
    );
    let advice = if setting.has_hdf5 {
        advice::hdf5_alignment(&setting, block.max(1 << 20))
    } else {
        advice::align_requests(&setting, block.max(4096))
    };
    let seconds = (cx.run.posix.slowest_read + cx.run.posix.slowest_write)
        * lost(bad, all, sum.bytes(), block);
    Case::new(title, detail, seconds.min(cx.run.run_time))
        .evidence("misaligned requests", bad as f64, Quantity::Count)
        .evidence("share", share, Quantity::Share)
        .evidence("block", block as f64, Quantity::Bytes)
        .advise(advice)
        .cause_if(false)
        .fired()
}

/// The part of the time at stake: at most the units at the ends of each misaligned request.
pub(super) fn lost(misaligned: u64, requests: u64, bytes: u64, unit: u64) -> f64 {
    let requests = requests.max(1) as f64;
    let mean = (bytes as f64 / requests).max(1.0);
    misaligned as f64 / requests * (2.0 * unit as f64 / mean).min(1.0)
}
