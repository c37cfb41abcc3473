//! Findings: each fires where it should and nowhere else.

mod byte_order;
mod cases;
pub(crate) mod counters;
mod faults;
mod hostile;
mod in_memory;
mod judgement;
mod parallel;
mod pasted;
mod patterns;
mod posix;
mod properties;
pub(crate) mod recipe;
mod rules;
mod table;
mod words;

use std::collections::BTreeMap;

use ioglass_insight::{Diagnosis, Finding, Level, Role, State, detect};

use table::{Else, Row};

fn rows() -> Vec<Row> {
    let mut rows = posix::rows();
    rows.extend(parallel::rows());
    rows
}

/// Diagnoses in which every check fires, or just does not.
pub(crate) fn diagnoses() -> impl Iterator<Item = Diagnosis> {
    rows()
        .into_iter()
        .flat_map(|row| [row.fires_at, row.not_at].map(|number| (row.log)(number).diagnose()))
}

/// What a diagnosis says about a code, if anything that makes sense.
fn of<'a>(diagnosis: &'a Diagnosis, code: &str) -> Option<&'a Finding> {
    let finding = diagnosis.findings.iter().find(|finding| finding.detector.code == code);
    finding.filter(|finding| finding.state != State::Senseless)
}

/// Codes that fired.
fn codes(diagnosis: &Diagnosis) -> Vec<&str> {
    let fired = diagnosis.findings.iter().filter(|finding| finding.state == State::Fired);
    fired.map(|finding| finding.detector.code).collect()
}

/// Codes of good news, which never fire: there they are, or not.
const GOOD_NEWS: [&str; 6] = ["P12", "P14", "M04", "M05", "M08", "M10"];
/// Codes of facts, with which nothing has to be done.
const FACTS: [&str; 4] = ["P01", "P02", "P03", "P04"];

#[test]
fn every_code_has_a_log_that_fires_and_one_that_does_not() {
    let rows = rows();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *known.entry(row.code).or_default() += 1);
    let codes: Vec<&str> = detect::ALL.iter().map(|detector| detector.code).collect();
    let missing: Vec<_> = codes.iter().filter(|code| !known.contains_key(**code)).collect();
    assert!(missing.is_empty(), "no fixtures for {missing:?}");
    let unknown: Vec<_> = known.keys().filter(|code| !codes.contains(code)).collect();
    assert!(unknown.is_empty(), "fixtures for nothing: {unknown:?}");
}

#[test]
fn one_number_decides() {
    let mut wrong = Vec::new();
    for row in rows() {
        let there = (row.log)(row.fires_at).diagnose();
        let not = (row.log)(row.not_at).diagnose();
        let what = |number: f64| format!("{}, {}: {number}", row.code, row.decides);
        wrong.extend(fires(&row, &there).map(|why| format!("{}: {why}", what(row.fires_at))));
        let found = match of(&not, row.code).map(|finding| finding.state) {
            Some(State::Fired) => None,
            Some(State::Fine) => Some(Else::Fine),
            Some(State::NotCheckable) => Some(Else::NotCheckable),
            Some(State::Senseless) | None => Some(Else::Absent),
        };
        if found != Some(row.otherwise) {
            wrong.push(format!("{}: {found:?} and not {:?}", what(row.not_at), row.otherwise));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is wrong with a finding that should be there.
fn fires(row: &Row, diagnosis: &Diagnosis) -> Option<String> {
    let Some(finding) = of(diagnosis, row.code) else { return Some("absent".into()) };
    if GOOD_NEWS.contains(&row.code) {
        let is_right = finding.state == State::Fine && finding.level == Some(Level::Ok);
        return (!is_right).then(|| format!("{:?}, {:?}", finding.state, finding.level));
    }
    if finding.state != State::Fired {
        return Some(format!("{:?}: {}", finding.state, finding.detail));
    }
    let run_time = diagnosis.subject.run_time;
    let seconds = finding.seconds_at_stake;
    let is_payable = (0.0..=run_time).contains(&seconds) && (seconds > 0.0) == row.costs;
    if !is_payable || finding.seconds_net > seconds {
        return Some(format!("{seconds} s at stake, net {}", finding.seconds_net));
    }
    if finding.confidence != row.confidence {
        return Some(format!("{:?}", finding.confidence));
    }
    if finding.title.is_empty() || finding.detail.is_empty() {
        return Some("says nothing".into());
    }
    let evidence = &finding.evidence;
    if evidence.is_empty() || evidence.iter().any(|number| !number.value.is_finite()) {
        return Some(format!("evidence {evidence:?}"));
    }
    level(diagnosis, finding).or_else(|| advice(row.code, finding))
}

/// The lower of what the table allows and what is at stake; little where I/O is little.
fn level(diagnosis: &Diagnosis, finding: &Finding) -> Option<String> {
    let run_time = diagnosis.subject.run_time;
    let share = finding.seconds_at_stake / run_time;
    let at_stake = match share {
        _ if diagnosis.budget.io < 0.05 * run_time => Level::Info,
        0.1.. => Level::High,
        0.01.. => Level::Warn,
        _ => Level::Info,
    };
    let mut expected = at_stake.min(finding.detector.highest);
    // What is no cause and has none is true of healthy runs too, and never an alarm.
    if finding.role == Some(Role::Secondary) && finding.caused_by.is_none() {
        expected = expected.min(Level::Warn);
    }
    (finding.level != Some(expected)).then(|| format!("{:?} at {share}", finding.level))
}

fn advice(code: &str, finding: &Finding) -> Option<String> {
    if finding.advice.is_empty() != FACTS.contains(&code) {
        return Some(format!("{} pieces of advice", finding.advice.len()));
    }
    let lines = finding.advice.iter().flat_map(|advice| {
        let commands = advice.commands.iter().flat_map(|command| [&command.line, &command.comment]);
        commands.chain([&advice.text])
    });
    // A brace may stay in a shell's or a program's own line, but not around a word of ours.
    let is_open = |line: &&String| {
        line.split('{').skip(1).any(|rest| {
            let name = rest.split('}').next().unwrap_or_default();
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
    };
    lines.clone().find(is_open).map(|line| format!("not filled in: {line}")).or_else(|| {
        let is_empty = finding.advice.iter().any(|advice| advice.text.is_empty());
        is_empty.then(|| "advice without words".into())
    })
}
