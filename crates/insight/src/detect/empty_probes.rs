//! N05: reads and lookups that find nothing.

use std::collections::BTreeMap;

use super::{Case, Check, Context, Detector, Feature, Pool, top_files, traced};
use crate::advice;
use crate::finding::{Confidence, Dimension, FileShare, Level, Moment, Plot, Quantity};
use crate::model::File;
use crate::number;

pub(super) static DETECTOR: Detector = Detector {
    code: "N05",
    slug: "empty-probes",
    dimension: Dimension::MetadataIntensity,
    highest: Level::High,
    what: "Reads return nothing, or names are looked up that do not exist or are never opened.",
    condition: "Reads that return no byte are at least empty_probes and more than \
                empty_probes_share of all reads. One for each open does not count, because it \
                finds the end of the file. Or at least empty_probes calls ask for names that do \
                not exist. Or files that are never opened are looked up at least empty_probes \
                times. Below empty_probes_time of the run it does not decide the \
                verdict.",
    why: "Each costs a call, often a round trip to the server, and moves nothing.",
    fix: "Remember the size of a file and the names that do not exist. Open files and handle the \
          error instead of asking first.",
    see: "https://man7.org/linux/man-pages/man2/stat.2.html",
    applies_to: &[Feature::Calls],
    plots: &[Plot::Files],
    moment: Moment::WholeRun,
    check,
};

/// Calls that find nothing, and their cost for the slowest rank.
#[derive(Default)]
struct Probes {
    count: u64,
    seconds: f64,
    files: Vec<FileShare>,
}

fn check(cx: &Context<'_>) -> Check {
    let run = cx.run;
    let failed = failed(cx);
    if run.posix.sum.ways[0].calls == 0 && run.posix.sum.stats == 0 && failed.count == 0 {
        return Check::Senseless;
    }
    let asked = asked_in_vain(cx);
    if failed.count as f64 >= cx.limits.empty_probes && failed.seconds >= asked.seconds {
        return not_there(cx, &failed);
    }
    let is_asked = asked.count as f64 >= cx.limits.empty_probes;
    match traced::files(cx) {
        Ok((trace, files)) => {
            let most = trace.ranks.iter().map(|rank| rank.empty).max().unwrap_or_default();
            let mut empty = Probes::default();
            let mut reads = 0_u64;
            for traced in &files {
                let flow = traced.facts.reads;
                reads = reads.saturating_add(flow.requests);
                let opens = traced.file.posix.as_deref().map_or(0, |usage| usage.opens);
                let vain = flow.empty.saturating_sub(opens.max(flow.ranks));
                if vain > 0 {
                    let seconds = flow.empty_time.seconds() * vain as f64 / flow.empty as f64;
                    let seconds = seconds.min(flow.slowest.seconds());
                    empty.count = empty.count.saturating_add(vain);
                    empty.seconds += seconds;
                    empty.files.push(traced.share(seconds));
                }
            }
            empty.seconds = empty.seconds.min(most.seconds());
            let is_much = empty.count as f64 >= cx.limits.empty_probes
                && empty.count as f64 > cx.limits.empty_probes_share * reads as f64;
            match (is_much, is_asked) {
                (true, _) if empty.seconds >= asked.seconds || !is_asked => {
                    empty_reads(cx, empty, reads)
                }
                (_, true) => questions(cx, asked),
                _ => Check::Fine(format!(
                    "{} of {} reads return nothing, {} lookups are of files that are never opened.",
                    number::thousands(empty.count),
                    number::thousands(reads),
                    number::thousands(asked.count)
                )),
            }
        }
        Err(_) if is_asked => questions(cx, asked),
        Err(check) if run.posix.sum.ways[0].calls > 0 => check,
        Err(_) => Check::Fine(format!(
            "{} lookups are of files that are never opened.",
            number::thousands(asked.count)
        )),
    }
}

/// Calls that asked for something that is not there.
#[derive(Default)]
struct Failed<'a> {
    count: u64,
    seconds: f64,
    operation: &'a str,
    directory: &'a str,
}

/// Calls that failed, as our recorder counts them by directory.
fn failed<'a>(cx: &Context<'a>) -> Failed<'a> {
    let mut found = Failed::default();
    let mut ranks: BTreeMap<Option<i64>, f64> = BTreeMap::new();
    let (mut most, mut kinds) = (0.0, BTreeMap::<&str, u64>::new());
    for calls in &cx.run.metadata {
        let seconds = calls.failed_seconds();
        found.count = found.count.saturating_add(calls.failed);
        *ranks.entry(calls.rank).or_default() += seconds;
        *kinds.entry(&calls.operation).or_default() += calls.failed;
        if seconds > most && !calls.directory.is_empty() {
            (most, found.directory) = (seconds, &calls.directory);
        }
    }
    found.seconds = ranks.into_values().fold(0.0, f64::max);
    found.operation =
        kinds.into_iter().max_by_key(|(_, count)| *count).map_or("", |(kind, _)| kind);
    found
}

fn not_there(cx: &Context<'_>, found: &Failed<'_>) -> Check {
    let (count, operation) = (number::thousands(found.count), found.operation);
    let title = format!("{count} {operation} calls ask for names that do not exist");
    let place = match found.directory {
        "" => String::new(),
        directory => format!(", most in {directory}"),
    };
    let detail = format!(
        "{count} calls fail{place}. They take up to {}{}.",
        number::seconds(found.seconds),
        if cx.run.ranks_mean_something { " of a rank's time" } else { "" }
    );
    Case::new(title, detail, found.seconds.min(cx.run.run_time))
        .evidence("failed calls", found.count as f64, Quantity::Count)
        .in_directories(cx.run.metadata.iter().map(|c| (&*c.directory, c.failed_seconds())))
        .cause_if(cx.run.share(found.seconds) >= cx.limits.empty_probes_time)
        .pool(Pool::Metadata)
        .confidence(Confidence::Measured)
        .advise(advice::skip_probes(&cx.setting(None), found.count, false))
        .fired()
}

/// Lookups of files that no layer opens.
fn asked_in_vain(cx: &Context<'_>) -> Probes {
    let mut found = Probes::default();
    let is_opened = |file: &File| file.layers().any(|usage| usage.opens > 0);
    for file in cx.run.data().filter(|file| !is_opened(file)) {
        let Some(usage) = file.posix.as_deref().filter(|usage| usage.stats > 0) else {
            continue;
        };
        let seconds = usage.slowest_part(usage.meta_time, cx.run.ranks);
        found.count = found.count.saturating_add(usage.stats);
        found.seconds += seconds;
        found.files.push(cx.share_of(file, seconds));
    }
    // Ranks ask side by side. None spends more than the slowest rank on metadata.
    found.seconds = found.seconds.min(cx.run.posix.slowest_meta);
    found
}

fn empty_reads(cx: &Context<'_>, found: Probes, reads: u64) -> Check {
    let share = found.count as f64 / reads.max(1) as f64;
    let title = format!("{} reads return nothing", number::thousands(found.count));
    let detail = format!(
        "They are {} of all reads, in {}. Reads that find the end of a file after an open do not count.",
        number::percent(share),
        number::counted(found.files.len() as u64, "file", "files")
    );
    Case::new(title, detail, found.seconds.min(cx.run.run_time))
        .evidence("reads of nothing", found.count as f64, Quantity::Count)
        .evidence("share of reads", share, Quantity::Share)
        .files(top_files(found.files))
        .cause_if(cx.run.share(found.seconds) >= cx.limits.empty_probes_time)
        .pool(Pool::Read)
        .confidence(Confidence::Measured)
        .advise(advice::skip_probes(&cx.setting(None), found.count, false))
        .fired()
}

fn questions(cx: &Context<'_>, found: Probes) -> Check {
    let imports = found.files.iter().filter(|file| is_import(&file.path)).count();
    let are_imports = imports * 2 > found.files.len();
    let files = number::counted(found.files.len() as u64, "file", "files");
    let title =
        format!("{} stat calls ask about files never opened", number::thousands(found.count));
    let detail = format!(
        "{files} are looked up and never opened, which takes up to {}{}.",
        number::seconds(found.seconds),
        if cx.run.ranks_mean_something { " of a rank's time" } else { "" }
    );
    Case::new(title, detail, found.seconds.min(cx.run.run_time))
        .evidence("stat calls", found.count as f64, Quantity::Count)
        .evidence("files never opened", found.files.len() as f64, Quantity::Count)
        .files(top_files(found.files))
        .cause_if(cx.run.share(found.seconds) >= cx.limits.empty_probes_time)
        .pool(Pool::Metadata)
        .confidence(Confidence::Derived)
        .advise(advice::skip_probes(&cx.setting(None), found.count, are_imports))
        .fired()
}

/// True for a name that an import looks for: a package of a language, or a module of one.
fn is_import(name: &str) -> bool {
    let folders = ["site-packages", "dist-packages", "__pycache__", "/lib/python"];
    [".py", ".pyc", ".so"].iter().any(|ending| name.ends_with(ending))
        || folders.iter().any(|folder| name.contains(folder))
}
