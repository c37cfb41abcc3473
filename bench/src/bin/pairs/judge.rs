//! Judges diagnoses and writes the rows that show them.

use std::path::Path;

use ioglass_insight::{Level, Outcome, Role, State};
use ioglass_report::json::{Finding, Report};

use crate::advice;
use crate::run::{Seen, promised};
use crate::table::{Healthy, Pair};

/// A promise may differ from what is achieved by this part of it,
const PROMISE: f64 = 0.35;
/// or by this part of the slow run.
const PROMISE_OF_RUN: f64 = 0.15;
/// A program without a fault may be promised this part of its run.
const NOTHING: f64 = 0.25;

/// A row of a table.
#[derive(Debug)]
pub(crate) struct Row {
    /// As Markdown.
    pub(crate) line: String,
    /// Faults of the diagnosis.
    pub(crate) wrong: Vec<String>,
}

/// Judges both programs of a pair.
pub(crate) fn pair(pair: &Pair, slow: &Seen, fixed: &Seen) -> Row {
    // The speed of a disk changes from run to run, so both are parts of the run they belong to.
    let achieved = (slow.seconds - fixed.seconds) / slow.seconds;
    let promise = part(slow.report());
    let mut wrong = Vec::new();
    let off = (promise - achieved).abs();
    if off > PROMISE * achieved && off > PROMISE_OF_RUN {
        wrong.push("promise".to_owned());
    }
    let mut held = |what: &str, is_right: &dyn Fn(&Report) -> bool| {
        let right = slow.reports.iter().filter(|report| is_right(report)).count();
        match slow.reports.len() {
            all if right == all => {}
            _ if right == 0 => wrong.push(what.to_owned()),
            all => wrong.push(format!("{what} ({right} of {all})")),
        }
    };
    held("code", &|report| {
        cause(report).is_some_and(|cause| pair.codes.contains(&cause.code.as_str()))
    });
    held("file", &|report| {
        pair.file.is_none_or(|file| cause(report).and_then(file_of) == Some(file))
    });
    held("dimension", &|report| {
        let mut named = report.verdict.dimensions.iter();
        let is_named = named.any(|named| pair.dimensions.contains(&named.word()));
        report.verdict.state == Outcome::HeldBack && is_named
    });
    wrong.extend(about_advice(slow, pair.keeps));
    let of_fixed = faultless(fixed, pair.keeps);
    wrong.extend(of_fixed.iter().map(|what| format!("fixed: {what}")));
    let line = format!(
        "| {} ({}) | {} | {:.2} | {:.2} | {:.2} s, {:.0} % | {:.2} s, {:.0} % | {} | {} | {} |",
        pair.name,
        pair.language,
        pair.about,
        slow.seconds,
        fixed.seconds,
        slow.seconds - fixed.seconds,
        100.0 * achieved,
        promised(slow.report()),
        100.0 * promise,
        shown(slow.report()),
        share(fixed.report()),
        verdict(&wrong)
    );
    Row { line, wrong }
}

/// Judges a program that has no fault.
pub(crate) fn healthy(healthy: &Healthy, seen: &Seen) -> Row {
    let wrong = faultless(seen, healthy.keeps);
    let line = format!(
        "| {} | {} | {:.2} | {} | {} | {} |",
        healthy.name,
        healthy.about.replace('|', "\\|"),
        seen.seconds,
        share(seen.report()),
        shown(seen.report()),
        verdict(&wrong)
    );
    Row { line, wrong }
}

/// Faults of the diagnosis of a program that has no fault itself.
fn faultless(seen: &Seen, keeps: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for report in &seen.reports {
        let is_cause = |finding: &&Finding| finding.role != Some(Role::Secondary);
        let fired = report.findings.iter().filter(|finding| finding.state == State::Fired);
        let high = fired.filter(is_cause).filter(|finding| finding.level == Some(Level::High));
        wrong.extend(high.map(|finding| format!("HIGH {}", finding.code)));
    }
    wrong.sort();
    wrong.dedup();
    if part(seen.report()) > NOTHING {
        wrong.push("promise".to_owned());
    }
    wrong.extend(about_advice(seen, keeps));
    wrong
}

fn about_advice(seen: &Seen, keeps: bool) -> Vec<String> {
    let mut faults: Vec<_> =
        seen.reports.iter().flat_map(|report| advice::faults(report, keeps)).collect();
    faults.sort();
    faults.dedup();
    faults
}

/// The first finding that is a cause.
fn cause(report: &Report) -> Option<&Finding> {
    report.findings.iter().find(|finding| finding.role == Some(Role::Primary))
}

/// The name of a finding's first file.
fn file_of(finding: &Finding) -> Option<&str> {
    Path::new(&finding.files.first()?.path).file_name()?.to_str()
}

/// The promise as a part of the recorded run.
fn part(report: &Report) -> f64 {
    let run = report.job.run_seconds.filter(|seconds| *seconds > 0.0);
    run.map_or(0.0, |run| promised(report) / run)
}

fn share(report: &Report) -> String {
    format!("{:.0} %", 100.0 * part(report))
}

fn shown(report: &Report) -> String {
    let Some(cause) = cause(report) else { return "none".to_owned() };
    let file = file_of(cause).unwrap_or("no file");
    let level = cause.level.map_or("", Level::word);
    format!("{level} {} `{}`", cause.code, file.replace('|', "\\|"))
}

fn verdict(wrong: &[String]) -> String {
    if wrong.is_empty() { "yes".to_owned() } else { format!("no: {}", wrong.join(", ")) }
}
