//! P17: a rank that spends its time on metadata.

use super::{Case, Check, Context, Detector, Feature, Pool, top_files};
use crate::advice;
use crate::finding::{Dimension, Level, Moment, Plot, Quantity, Top};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "P17",
    slug: "metadata-time",
    dimension: Dimension::MetadataIntensity,
    highest: Level::High,
    what: "Ranks spend much time on opening, looking up and closing files.",
    condition: "A rank spends more than metadata_time_rank in metadata calls: in its own records \
                and in its part of records that stand for all ranks.",
    why: "Metadata calls go to one server, or a few, that all jobs share. No data moves while a \
          rank waits for the answer.",
    fix: "Open fewer files, each once. Let one rank ask and tell the others. With HDF5, use \
          collective metadata.",
    see: "https://docs.nersc.gov/performance/io/lustre/",
    applies_to: &[Feature::PosixCalls],
    plots: &[Plot::Interfaces, Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// Seconds in metadata calls of the ranks that spend most, and the number of ranks beyond a limit.
fn by_rank(cx: &Context<'_>) -> (f64, Vec<(i64, f64)>) {
    let posix = &cx.run.all_posix;
    let shared = posix.meta_of_each;
    let ranks = posix.by_rank.values();
    let mut list: Vec<(i64, f64)> =
        ranks.map(|rank| (rank.rank, rank.meta_time + shared)).collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let most = list.first().map_or(shared, |(_, time)| *time);
    (most, list)
}

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    if run.all_posix.files == 0 {
        return Check::Senseless;
    }
    let limit = cx.limits.metadata_time_rank;
    let (most, ranks) = by_rank(cx);
    let whose = if run.ranks_mean_something { "The slowest rank" } else { "The program" };
    let detail = format!("{whose} spends {} in metadata calls.", number::seconds(most));
    if most <= limit {
        return Check::Fine(detail);
    }
    let beyond: Vec<i64> =
        ranks.iter().filter(|(_, time)| *time > limit).map(|(rank, _)| *rank).collect();
    let count = if beyond.is_empty() { run.ranks } else { beyond.len() as u64 };
    let title = if run.ranks_mean_something {
        format!(
            "{} over {} on metadata",
            number::counted(count, "rank spends", "ranks spend"),
            number::seconds(limit)
        )
    } else {
        format!("Metadata takes {}", number::seconds(most))
    };
    let files = run.files.iter().filter_map(|file| {
        let usage = file.posix.as_deref().filter(|usage| usage.meta_time > 0.0)?;
        Some(cx.share_of(file, usage.slowest_part(usage.meta_time, run.ranks)))
    });
    let setting = cx.setting(None);
    let advice = if setting.has_hdf5 && setting.is_parallel {
        advice::hdf5_collective_metadata(&setting)
    } else {
        super::heavy_metadata::fewer_questions(cx)
    };
    let more = beyond.len().saturating_sub(3) as u64;
    Case::new(title, detail, most.min(run.run_time))
        .evidence("seconds of the slowest rank", most, Quantity::Seconds)
        .evidence("ranks", count as f64, Quantity::Count)
        .evidence("opens", run.all_posix.sum.opens as f64, Quantity::Count)
        .files(top_files(files))
        .ranks(Top { list: beyond.into_iter().take(3).collect(), more })
        .pool(Pool::Metadata)
        .advise(advice)
        .fired()
}
