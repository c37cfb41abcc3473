//! A comparison as CSV, with a row for each number and each finding, and as Markdown.

use std::fmt::Write as _;
use std::io::{self, Write};

use ioglass_insight::compare::{ChangeKind, Comparison, FindingChange};
use ioglass_insight::estimate::Estimate;
use ioglass_insight::{Level, Quantity};

use super::words;
use crate::profile::table::line;
use crate::text;

const COLUMNS: [&str; 11] = [
    "kind", "name", "title", "unit", "before", "after", "ratio", "low", "high", "better", "change",
];

/// Writes a row for each number and each finding.
pub fn csv(out: &mut impl Write, comparison: &Comparison) -> io::Result<()> {
    line(out, &COLUMNS.map(str::to_owned))?;
    for measured in &comparison.measures {
        let measure = measured.measure;
        let [ratio, low, high] = numbers(measured.estimate.as_ref());
        line(
            out,
            &[
                "quantity".into(),
                measure.name.into(),
                measure.title.into(),
                json_word(&measure.unit),
                number(measured.medians[0]),
                number(measured.medians[1]),
                ratio,
                low,
                high,
                measure.better.as_ref().map_or_else(String::new, json_word),
                measured.meaning.as_ref().map_or_else(String::new, json_word),
            ],
        )?;
    }
    for change in &comparison.findings {
        let [ratio, low, high] = numbers(change.estimate.as_ref());
        line(
            out,
            &[
                "finding".into(),
                change.detector.code.into(),
                change.detector.slug.into(),
                json_word(&Quantity::Seconds),
                number(change.sides[0].seconds),
                number(change.sides[1].seconds),
                ratio,
                low,
                high,
                "lower".into(),
                change.change.word().into(),
            ],
        )?;
    }
    Ok(())
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn numbers(estimate: Option<&Estimate>) -> [String; 3] {
    let interval = estimate.and_then(|estimate| estimate.interval);
    [
        estimate.map(|estimate| estimate.ratio),
        interval.map(|interval| interval.low),
        interval.map(|interval| interval.high),
    ]
    .map(number)
}

/// A word as JSON has it.
fn json_word<T: serde::Serialize>(word: &T) -> String {
    match serde_json::to_value(word) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns a comparison as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("**{}**\n\n", escaped(&comparison.verdict.sentence));
    for (label, side) in ["Before", "After"].into_iter().zip(&comparison.sides) {
        let subject = &side.first().subject;
        let runs = crate::number::counted(side.runs.len() as u64, "run", "runs");
        let ranks = crate::number::counted(subject.ranks, "rank", "ranks");
        let (program, time) = (escaped(&subject.program), words::run_time(side));
        put(&mut text, &format!("- {label}: {runs} of {program}, {ranks}, {time}"));
    }
    let ranks = comparison.sides[1].first().subject.ranks;
    let ranks = crate::number::counted(ranks, "rank", "ranks");
    let work = words::work(&comparison.same_work, &ranks);
    let mut letters = work.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    put(&mut text, &format!("- {}", escaped(&format!("{first}{}", letters.as_str()))));
    for left_out in comparison.sides.iter().flat_map(|side| &side.left_out) {
        let log = left_out.log.to_string_lossy();
        put(&mut text, &format!("- Left out: {}: {}", escaped(&log), escaped(&left_out.reason)));
    }
    for warning in &comparison.warnings {
        put(&mut text, &format!("- {}", escaped(warning)));
    }
    put(&mut text, "\n| | before | after | change |\n|---|--:|--:|--:|");
    for measured in comparison.measures.iter().filter(|it| words::is_main(it, comparison)) {
        let [before, after] = [0, 1].map(|side| words::value(measured, side));
        let (title, change) = (words::title(measured, comparison), words::change(measured));
        put(&mut text, &format!("| {title} | {before} | {after} | {change} |"));
    }
    put(&mut text, "");
    let is_shown = |change: &&FindingChange| match change.change {
        _ if change.is_consequence() => false,
        ChangeKind::Same => words::is_worth(change, comparison),
        ChangeKind::Unclear => change.has_fired(),
        ChangeKind::New => change.sides[1].level >= Some(Level::Info),
        _ => true,
    };
    for change in comparison.findings.iter().filter(is_shown) {
        let (code, slug) = (change.detector.code, change.detector.slug);
        let (word, outcome) = (change.change.word(), words::outcome(change));
        put(&mut text, &format!("- {word}: {code} {slug}, {outcome}"));
    }
    if !comparison.findings.iter().any(|change| change.change == ChangeKind::New) {
        put(&mut text, "- new: none");
    }
    text
}

fn put(text: &mut String, line: &str) {
    // A string takes everything.
    let _ = writeln!(text, "{line}");
}

/// Text that Markdown shows as it is.
fn escaped(words: &str) -> String {
    let mut escaped = String::new();
    for letter in text::clean(words).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                escaped.extend(['\\', letter]);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}
