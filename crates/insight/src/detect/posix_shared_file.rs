//! C08: many ranks on one file, through POSIX only.

use super::{Case, Check, Context, Detector, Feature, base, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "C08",
    slug: "posix-shared-file",
    dimension: Dimension::InterfaceChoice,
    highest: Level::High,
    what: "Many ranks read or write one file through POSIX alone.",
    condition: "At least posix_shared_ranks ranks that do I/O use a file through POSIX and not \
                through MPI-IO. The file has more than one request for each of them and at least \
                small_file_bytes.",
    why: "Nothing coordinates the ranks. Their requests reach the storage in any order, and they \
          compete for locks.",
    fix: "Use MPI-IO with collective calls, or HDF5 or PnetCDF above it.",
    see: "https://docs.nersc.gov/performance/io/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Time, Plot::Interfaces],
    moment: Moment::FileUse,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let mut shared = 0_u64;
    let mut files = Vec::new();
    let mut worst: Option<(f64, &File)> = None;
    for file in run.data() {
        let Some(usage) = file.posix.as_deref() else { continue };
        let ranks = usage.ranks(run.ranks).min(run.active_ranks.max(1));
        shared += u64::from(ranks >= 2 && usage.bytes() > 0);
        // A small settings file that all ranks read does not hold a run back.
        let is_tiny = usage.extent() > 0 && (usage.extent() as f64) < limits.small_file_bytes;
        let is_bare = file.mpiio.is_none() && !file.h5f_uses_mpiio && file.pnetcdf.is_none();
        if (ranks as f64) < limits.posix_shared_ranks
            || usage.calls() <= ranks
            || !is_bare
            || is_tiny
        {
            continue;
        }
        let seconds = usage.slowest_time(run.ranks);
        files.push(cx.share_of(file, seconds));
        if worst.is_none_or(|(most, _)| seconds > most) {
            worst = Some((seconds, file));
        }
    }
    let Some((_, file)) = worst else {
        return match shared {
            0 => Check::Senseless,
            _ => Check::Fine("No file is used by many ranks through POSIX alone.".into()),
        };
    };
    let ranks = file.ranks(run.ranks);
    let usage = file.posix.as_deref();
    let calls = usage.map_or(0, crate::model::Usage::calls);
    let title =
        format!("{} ranks use {} through POSIX alone", number::thousands(ranks), base(&file.name));
    let detail = format!(
        "{} requests, {}{}.",
        number::thousands(calls),
        number::bytes(file.bytes()),
        if files.len() > 1 {
            format!("; {} in all", number::counted(files.len() as u64, "such file", "such files"))
        } else {
            String::new()
        }
    );
    let seconds = files.iter().map(|file| file.seconds).sum::<f64>();
    let setting = cx.setting(Some(file));
    let writes = run.posix.slowest_write >= run.posix.slowest_read;
    let advice = if writes {
        advice::collective_write(&setting, setting.library())
    } else {
        advice::collective_read(&setting, setting.library())
    };
    Case::new(title, detail, seconds.min(run.posix.slowest).min(run.run_time))
        .evidence("ranks", ranks as f64, Quantity::Count)
        .evidence("requests", calls as f64, Quantity::Count)
        .evidence("bytes", file.bytes() as f64, Quantity::Bytes)
        .evidence("files", files.len() as f64, Quantity::Count)
        .files(top_files(files))
        .advise(advice)
        .phrase("one file shared without MPI-IO")
        .fired()
}
