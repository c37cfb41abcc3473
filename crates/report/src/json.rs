//! A diagnosis for programs. `docs/json.md` describes it, `docs/report.schema.json` checks it.

mod escape;

use std::path::Path;

use ioglass_insight::{
    Advice, Budget, Diagnosis, FileShare, Finding, Level, Moved, Need, Role, State, Subject,
    Verdict, Where,
};
use serde_json::{Value, json};

use crate::text;

pub use escape::{line, page};

/// What the output is called. The number changes when a field goes or changes its meaning.
pub const SCHEMA: &str = "ioglass.report/1";

/// All that is said about the run of this log.
pub fn json(diagnosis: &Diagnosis, log: &Path) -> Value {
    let warnings = diagnosis.warnings.iter();
    let warnings: Vec<Value> =
        warnings.map(|w| json!({"text": w.text, "marks_findings": w.marks})).collect();
    json!({
        "schema": SCHEMA,
        "log": log.to_string_lossy(),
        "job": job(&diagnosis.subject),
        "warnings": warnings,
        "verdict": verdict(&diagnosis.verdict),
        "budget": budget(&diagnosis.budget),
        "moved": moved(&diagnosis.moved),
        "where": place(&diagnosis.place),
        "findings": diagnosis.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn job(subject: &Subject) -> Value {
    let start = (subject.start != 0).then(|| text::date(subject.start, "%Y-%m-%dT%H:%M:%SZ"));
    json!({
        "program": subject.program,
        "command": subject.command,
        "ranks": subject.ranks,
        "rank_kind": subject.rank_kind.word(),
        "run_seconds": number(subject.run_time),
        "id": subject.jobid,
        "start": start,
        "recorder": subject.recorder,
        "complete": subject.is_complete,
        "traced": subject.is_traced,
    })
}

fn verdict(verdict: &Verdict) -> Value {
    let dimensions: Vec<&str> = verdict.dimensions.iter().map(|d| d.word()).collect();
    json!({
        "state": verdict.outcome.word(),
        "dimensions": dimensions,
        "sentence": verdict.sentence,
        "avoidable_seconds": number(verdict.avoidable),
    })
}

fn budget(budget: &Budget) -> Value {
    let parts = budget.parts.iter();
    let parts: Vec<Value> =
        parts.map(|p| json!({"on": p.on.key(), "seconds": number(p.seconds)})).collect();
    json!({
        "run_seconds": number(budget.run_time),
        "io_seconds": number(budget.io),
        "clamped": budget.is_clamped,
        "parts": parts,
    })
}

fn moved(moved: &Moved) -> Value {
    json!({
        "by": some(moved.by),
        "bytes_written": moved.written,
        "bytes_read": moved.read,
        "bytes_per_second": moved.rate.map(number),
        "requests": moved.requests,
        "common_size": moved.common_size,
    })
}

fn place(place: &Where) -> Value {
    let systems = place.systems.iter();
    let systems: Vec<Value> =
        systems.map(|(kind, mount)| json!({"type": kind, "mount": some(mount)})).collect();
    json!({
        "systems": systems,
        "files": place.files,
        "shared_files": place.shared,
        "one_per_rank": place.one_per_rank,
        "stripes": place.stripes,
        "targets": place.targets,
        "folder": some(&place.folder),
    })
}

/// One check, as it stands in a report. Fields that only make sense for what fired are null
/// otherwise.
pub fn finding(finding: &Finding) -> Value {
    let has_fired = finding.state == State::Fired;
    let is_checked = has_fired || finding.state == State::Fine;
    let level = finding.level.filter(|_| is_checked);
    let evidence = finding.evidence.iter().map(|evidence| {
        let unit = evidence.quantity.unit();
        json!({"name": evidence.name, "value": number(evidence.value), "unit": unit})
    });
    let chart = finding.chart.as_ref().map(|chart| {
        let values: Vec<Value> = chart.values.iter().copied().map(number).collect();
        json!({"label": chart.label, "values": values, "words": chart.words})
    });
    json!({
        "code": finding.detector.code,
        "name": finding.detector.slug,
        "title": some(&finding.title),
        "detail": some(&finding.detail),
        "level": level.map(Level::word),
        "state": finding.state.word(),
        "needs": finding.need.map(Need::word),
        "dimension": finding.detector.dimension.word(),
        "role": finding.role.map(Role::word),
        "caused_by": finding.caused_by,
        "seconds_at_stake": number(finding.seconds_at_stake),
        "seconds_net": number(finding.seconds_net),
        "share": number(finding.share),
        "confidence": has_fired.then(|| finding.confidence.word()),
        "basis": some(finding.basis),
        "incomplete_data": finding.is_incomplete,
        "evidence": evidence.collect::<Vec<_>>(),
        "files": finding.files.list.iter().map(file).collect::<Vec<_>>(),
        "more_files": finding.files.more,
        "ranks": finding.ranks.list,
        "more_ranks": finding.ranks.more,
        "advice": finding.advice.iter().map(advice).collect::<Vec<_>>(),
        "chart": chart,
    })
}

fn file(file: &FileShare) -> Value {
    json!({
        "path": *file.path,
        "seconds": number(file.seconds),
        "bytes": file.bytes,
        "ranks": file.ranks,
    })
}

fn advice(advice: &Advice) -> Value {
    let commands = advice.commands.iter();
    let commands: Vec<Value> =
        commands.map(|c| json!({"line": c.line, "comment": some(&c.comment)})).collect();
    let snippets = advice.snippets.iter();
    let snippets: Vec<Value> =
        snippets.map(|s| json!({"language": s.language.word(), "code": s.code})).collect();
    json!({
        "text": some(&advice.text),
        "commands": commands,
        "snippets": snippets,
        "see": some(advice.see),
    })
}

/// Nothing is null, not an empty text.
fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// JSON has no infinity: what is not known is null.
fn number(value: f64) -> Value {
    if value.is_finite() { value.into() } else { Value::Null }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{empty, slow_ost};

    #[test]
    fn the_contract_is_kept() {
        let value = json(&slow_ost(), Path::new("logs/a.darshan"));
        assert_eq!(value["schema"], "ioglass.report/1");
        assert_eq!(value["log"], "logs/a.darshan");
        assert_eq!(value["job"]["start"], "2017-06-20T17:49:15Z");
        assert_eq!(value["verdict"]["state"], "held-back");
        assert_eq!(value["verdict"]["dimensions"], json!(["throughput_utilization"]));
        assert_eq!(value["budget"]["parts"][0], json!({"on": "write", "seconds": 777.94}));
        let findings = value["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 44, "every check is listed");
        let first = &findings[0];
        assert_eq!(first["code"], "F01");
        assert_eq!(first["name"], "slow-ost");
        assert_eq!(first["level"], "HIGH");
        assert_eq!(first["role"], "primary");
        assert_eq!(first["confidence"], "derived");
        assert_eq!(first["ranks"], json!([1507, 83, 611]));
        assert_eq!(first["more_files"], 83);
        assert_eq!(
            first["evidence"][2],
            json!({"name": "times slower", "value": 45.86, "unit": "factor"})
        );
        assert_eq!(first["advice"][0]["commands"][0]["line"], "lfs df /scratch1 | grep OST:14");
        let last = &findings[43];
        assert_eq!(last["state"], "not-checkable");
        assert_eq!(last["level"], Value::Null);
        assert_eq!(last["needs"], "trace");
    }

    #[test]
    fn what_is_not_finite_is_null() {
        let mut diagnosis = empty();
        diagnosis.subject.run_time = f64::NAN;
        diagnosis.budget.io = f64::INFINITY;
        let value = json(&diagnosis, Path::new("a"));
        assert_eq!(value["job"]["run_seconds"], Value::Null);
        assert_eq!(value["budget"]["io_seconds"], Value::Null);
        assert_eq!(value["job"]["traced"], Value::Null);
    }
}
