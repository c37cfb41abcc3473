//! `--compat drishti-0.8`: what the original says about the same logs.

mod build;
mod failures;
mod faults;

use ioglass_insight::compat::{Compat, Trigger, TriggerDetail, drishti};
use ioglass_insight::threshold::Thresholds;
use ioglass_log::Log;
use serde_json::Value;

use crate::support::{logs_folder, missing};

#[test]
fn verdicts_are_those_of_the_original() {
    let logs = logs_folder();
    let oracle = logs.join("../reference/drishti/oracle.json");
    let Ok(text) = std::fs::read(&oracle) else {
        return missing("verdicts of Drishti", &oracle);
    };
    let oracle: Value = serde_json::from_slice(&text).unwrap();
    let oracle = oracle.as_array().unwrap();
    let mut wrong = Vec::new();
    for expected in oracle {
        let name = expected["log"].as_str().unwrap();
        let log = Log::open(logs.join(name)).unwrap();
        let ours = drishti(&log, &Thresholds::default()).unwrap();
        if let Err(difference) = agree(&ours, expected) {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(oracle.len() >= 67, "only {} verdicts to compare with", oracle.len());
    assert!(wrong.is_empty(), "{} verdicts differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn agree(ours: &Compat, expected: &Value) -> Result<(), String> {
    if !expected["ok"].as_bool().unwrap() {
        let said = ours.failed.is_some() && ours.triggers.is_empty();
        return if said { Ok(()) } else { Err("the original fails".into()) };
    }
    if let Some(reason) = &ours.failed {
        return Err(format!("the original does not fail: {reason}"));
    }
    // The original says P10 twice.
    let mut theirs: Vec<&Value> = expected["triggers"].as_array().unwrap().iter().collect();
    theirs.dedup_by_key(|trigger| (*trigger)["code"].as_str().unwrap());
    let codes: Vec<&str> = ours.triggers.iter().map(|trigger| trigger.code).collect();
    let expected_codes: Vec<&str> =
        theirs.iter().map(|trigger| trigger["code"].as_str().unwrap()).collect();
    if codes != expected_codes {
        return Err(format!("\n  ours   {codes:?}\n  theirs {expected_codes:?}"));
    }
    ours.triggers.iter().zip(theirs).try_for_each(|(ours, theirs)| {
        same(ours, theirs).map_err(|part| format!("{part} of\n  {ours:?}\n  {theirs}"))
    })
}

/// The part that differs, if any.
fn same(ours: &Trigger, theirs: &Value) -> Result<(), &'static str> {
    let expect = |holds, part| if holds { Ok(()) } else { Err(part) };
    expect(ours.level.word() == theirs["level"], "the level")?;
    let figures: Vec<f64> =
        theirs["figures_in_message"].as_array().unwrap().iter().map(number).collect();
    expect(ours.figures.len() == figures.len(), "the number of figures")?;
    expect(ours.figures.iter().zip(&figures).all(|(a, b)| close(*a, *b)), "a figure")?;
    let inputs = theirs["inputs"].as_object().unwrap();
    expect(ours.inputs.len() == inputs.len(), "the number of inputs")?;
    let is_input = |(name, value): &(&str, f64)| {
        inputs.get(*name).is_some_and(|theirs| close(*value, number(theirs)))
    };
    expect(ours.inputs.iter().all(is_input), "an input")?;
    let details = theirs["details"].as_array().unwrap();
    expect(ours.details.len() == details.len(), "the number of details")?;
    let is_detail = |(ours, theirs): (&TriggerDetail, &Value)| says(theirs.as_str().unwrap(), ours);
    expect(ours.details.iter().zip(details).all(is_detail), "a detail")
}

/// Whether the original's line has the numbers of a detail, in this order, and its path.
fn says(line: &str, detail: &TriggerDetail) -> bool {
    let (start, path) = line.split_once('"').unwrap();
    let numbers = start.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
    let numbers: Vec<f64> = numbers.filter_map(|word| word.parse().ok()).collect();
    let expected = detail.count.map(|count| count as f64).into_iter().chain([detail.percent]);
    path.trim_end_matches('"') == detail.path
        && numbers.len() == expected.clone().count()
        && numbers.into_iter().zip(expected).all(|(a, b)| close(a, b))
}

/// Truth values are 0 and 1.
fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_bool().map(|is| f64::from(u8::from(is)))).unwrap()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
