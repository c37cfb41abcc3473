//! N04: every rank loads the same code from a file system they share.

use super::{Case, Check, Context, Detector, Feature, Pool, context::kind_of, top_files};
use crate::advice::{self, FileSystem};
use crate::finding::{Dimension, Level, Moment, Plot, Quantity};
use crate::model::{File, FileKind};
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N04",
    slug: "import-storm",
    dimension: Dimension::Information,
    highest: Level::Warn,
    what: "Many ranks load the same program code from a shared file system when they start.",
    condition: "At least import_ranks ranks open files of code (.py, .pyc, .so …) on a file \
                system that nodes share, more than import_opens times in all.",
    why: "Thousands of small opens queue up at one metadata server at the same moment.",
    fix: "Put the environment into a container image or on a local disk, or broadcast it.",
    see: "https://docs.nersc.gov/development/languages/python/",
    applies_to: &[Feature::Ranks],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

fn check(cx: &Context<'_>) -> Check {
    let (run, limits) = (cx.run, cx.limits);
    if !run.ranks_mean_something {
        return Check::Senseless;
    }
    let is_code = |file: &&File| {
        let local = matches!(kind_of(run.fs_type(file)), FileSystem::Local | FileSystem::Unknown);
        file.kind == FileKind::Startup && !local && file.posix.is_some()
    };
    let code: Vec<&File> = run.files.iter().filter(is_code).collect();
    let opens: u64 = code
        .iter()
        .filter_map(|f| f.posix.as_deref())
        .map(|u| u.opens)
        .fold(0, u64::saturating_add);
    let ranks = code.iter().map(|file| file.ranks(run.ranks)).max().unwrap_or(0);
    let detail = format!(
        "{} opens of {} files of code on shared file systems by {}.",
        number::thousands(opens),
        number::thousands(code.len() as u64),
        number::counted(ranks, "rank", "ranks")
    );
    if opens as f64 <= limits.import_opens || (ranks as f64) < limits.import_ranks {
        return Check::Fine(detail);
    }
    let time = |file: &File| file.posix.as_deref().map_or(0.0, |u| u.time() / run.ranks as f64);
    let seconds: f64 = code.iter().map(|file| time(file)).sum();
    let title = format!(
        "{} ranks load {} files of code each",
        number::thousands(ranks),
        number::thousands(code.len() as u64)
    );
    let files = code.iter().map(|file| cx.share_of(file, time(file)));
    let setting = cx.setting(code.first().copied());
    Case::new(title, detail, seconds.min(run.run_time))
        .evidence("opens", opens as f64, Quantity::Count)
        .evidence("files", code.len() as f64, Quantity::Count)
        .evidence("ranks", ranks as f64, Quantity::Count)
        .files(top_files(files))
        .pool(Pool::Metadata)
        .advise(advice::import_storm(&setting, ranks, code.len() as u64))
        .fired()
}
