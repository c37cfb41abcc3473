//! F06: data on a file system that is not made for it.

use super::{Case, Check, Context, Detector, context::kind_of, top_files};
use crate::advice::{self, FileSystem};
use crate::finding::{Dimension, Level, Moment, Need, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "F06",
    slug: "wrong-file-system",
    dimension: Dimension::ThroughputUtilization,
    highest: Level::Warn,
    what: "A parallel program's data lies on NFS or an overlay while a parallel file system is mounted.",
    condition: "Lustre, GPFS or another parallel file system is mounted. Data files on NFS or an \
                overlay take at least wrong_system_share of the slowest rank's I/O time and \
                wrong_system_time of the run.",
    why: "One server answers all ranks. A parallel file system has many servers.",
    fix: "Write to the parallel file system.",
    see: "https://docs.nersc.gov/filesystems/",
    applies_to: &[],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

const PARALLEL: [&str; 7] = ["lustre", "gpfs", "beegfs", "pvfs2", "orangefs", "panfs", "wekafs"];

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if run.mounts.is_empty() {
        return if run.ranks_mean_something {
            Check::NotCheckable(Need::Mounts)
        } else {
            Check::Senseless
        };
    }
    let Some(scratch) = run.mounts.iter().find(|mount| PARALLEL.contains(&mount.fs_type.as_str()))
    else {
        return Check::Senseless;
    };
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let is_wrong = |file: &&File| {
        let fs_type = run.fs_type(file);
        let is_wrong =
            kind_of(fs_type) == FileSystem::Nfs || fs_type == "overlay" || fs_type == "9p";
        // Names that were made anonymous do not tell where a file is.
        let is_anonymous = super::base(&file.name).bytes().all(|byte| byte.is_ascii_digit());
        is_wrong && !is_anonymous && file.stripes.is_none()
    };
    let wrong: Vec<&File> = run.data().filter(is_wrong).collect();
    let time: f64 = wrong.iter().map(|file| file.slowest_time(run.ranks)).sum();
    let all = run.io_time();
    let time = time.min(all);
    let detail = format!(
        "{} {} of {} of I/O.",
        number::counted(
            wrong.len() as u64,
            "file on NFS or an overlay takes",
            "files on NFS or an overlay take"
        ),
        number::seconds(time),
        number::seconds(all)
    );
    if wrong.is_empty()
        || time < limits.wrong_system_share * all
        || run.share(time) < limits.wrong_system_time
    {
        return Check::Fine(detail);
    }
    let Some(worst) = wrong
        .iter()
        .copied()
        .max_by(|a, b| a.slowest_time(run.ranks).total_cmp(&b.slowest_time(run.ranks)))
    else {
        return Check::Senseless;
    };
    let title = format!("Data lies on {} though {} is there", run.fs_type(worst), scratch.path);
    let files = wrong.iter().map(|file| cx.share_of(file, file.slowest_time(run.ranks)));
    let setting = cx.setting(Some(worst));
    Case::new(title, detail, time.min(run.run_time))
        .evidence("seconds there", time, Quantity::Seconds)
        .evidence("seconds of I/O", all, Quantity::Seconds)
        .evidence("files there", wrong.len() as f64, Quantity::Count)
        .files(top_files(files))
        .advise(advice::move_to_scratch(&setting, cx.folder_of(worst), &scratch.path))
        .fired()
}
