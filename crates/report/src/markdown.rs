//! The table of detectors as a document.

use std::fmt::Write;

use ioglass_insight::Dimension;
use ioglass_insight::detect::Detector;
use ioglass_insight::threshold::Threshold;

use crate::terminal::unit;
use crate::text::wrap;

/// Columns of a line of prose. Table rows and links may be longer.
const COLUMNS: usize = 100;

/// Returns `docs/detectors.md`: every check by dimension, then the limits.
pub fn detectors_markdown(detectors: &[&Detector], thresholds: &[Threshold]) -> String {
    let mut text = String::from("# Checks\n\n");
    let about = format!(
        "This page lists the {} checks by dimension. It says when each fires, why that costs time \
         and what helps. `ioglass explain CODE [LOG]` says the same, and why a check fired in a \
         log. *Highest* is the highest level that a finding of the check can have. The share of \
         the run that is at stake can lower it: HIGH needs 10 % of the run and WARN needs 1 %; \
         below that a finding is INFO. This page is made from the tables in \
         `crates/insight/src/detect/` and `crates/insight/src/threshold.rs`; a test keeps it fresh.",
        detectors.len()
    );
    paragraph(&mut text, &about);
    for dimension in Dimension::JUDGED.into_iter().chain([Dimension::Information]) {
        let about = |detector: &&&Detector| detector.dimension == dimension;
        let mut group: Vec<&&Detector> = detectors.iter().filter(about).collect();
        group.sort_by_key(|detector| detector.code);
        if !group.is_empty() {
            put(&mut text, format_args!("\n## {}\n", dimension.word()));
            table(&mut text, &group);
            group.iter().for_each(|detector| section(&mut text, detector, thresholds));
        }
    }
    limits(&mut text, thresholds, detectors);
    text
}

fn table(text: &mut String, detectors: &[&&Detector]) {
    put(text, format_args!("| code | name | highest | what |\n|---|---|---|---|"));
    for Detector { code, slug, highest, what, .. } in detectors {
        let (anchor, level, what) = (anchor(code, slug), highest.word(), cell(what));
        put(text, format_args!("| [{code}](#{anchor}) | {slug} | {level} | {what} |"));
    }
}

fn section(text: &mut String, detector: &Detector, thresholds: &[Threshold]) {
    let Detector { code, slug, what, why, condition, fix, see, .. } = detector;
    put(text, format_args!("\n### {code} {slug}\n"));
    paragraph(text, &format!("{what} {why}"));
    put(text, format_args!(""));
    item(text, &format!("**Fires:** {}", linked(condition, thresholds)));
    item(text, &format!("**Helps:** {fix}"));
    if !see.is_empty() {
        put(text, format_args!("- **See:** <{see}>"));
    }
}

fn limits(text: &mut String, thresholds: &[Threshold], detectors: &[&Detector]) {
    put(
        text,
        format_args!(
            "\n## Limits\n\n`ioglass report --thresholds` prints them as a file for `--config`.\n\n\
             | name | default | range | in | meaning |\n|---|---|---|---|---|"
        ),
    );
    for limit in thresholds {
        let Threshold { name, default, min, max, measure, .. } = limit;
        let (unit, meaning) = (unit(*measure), cell(&limit.used_by(detectors)));
        put(text, format_args!("| `{name}` | {default} | {min} to {max} | {unit} | {meaning} |"));
    }
}

/// Sets the names of limits in code style.
fn linked(condition: &str, thresholds: &[Threshold]) -> String {
    let words = condition.split(' ').map(|word| {
        let name = word.trim_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        match thresholds.iter().any(|limit| limit.name == name) {
            true => word.replacen(name, &format!("`{name}`"), 1),
            false => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the anchor that Markdown sites give to a heading.
fn anchor(code: &str, slug: &str) -> String {
    format!("{}-{slug}", code.to_lowercase())
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Adds prose, wrapped.
fn paragraph(text: &mut String, prose: &str) {
    put(text, format_args!("{}", wrap(prose, COLUMNS).join("\n")));
}

/// Adds an item of a list, wrapped and indented below its dash.
fn item(text: &mut String, prose: &str) {
    put(text, format_args!("- {}", wrap(prose, COLUMNS - 2).join("\n  ")));
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DETECTORS;
    use ioglass_insight::threshold::LimitUnit;

    #[test]
    fn every_check_has_a_row_and_a_section() {
        let limit = Threshold {
            name: "slow_target",
            default: 0.5,
            min: 0.0,
            max: 1.0,
            measure: LimitUnit::Share,
            meaning: "A target is slow below this part of the others' rate",
        };
        let text = detectors_markdown(&DETECTORS, &[limit]);
        for detector in DETECTORS {
            let (code, slug) = (detector.code, detector.slug);
            assert!(text.contains(&format!("| [{code}](#{}-{slug}) |", code.to_lowercase())));
            assert_eq!(text.matches(&format!("\n### {code} {slug}\n")).count(), 1);
        }
        let storage = text.find("## throughput_utilization").unwrap();
        assert!(text.find("### F02").unwrap() > storage && text.find("### P06").unwrap() < storage);
        assert!(text.contains("is below `slow_target` of the others' median."), "{text}");
        assert!(text.contains("| `slow_target` | 0.5 | 0 to 1 | a part of 1 |"), "{text}");
    }
}
