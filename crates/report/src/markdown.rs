//! The table of detectors as a document.

use std::fmt::Write;

use ioglass_insight::Dimension;
use ioglass_insight::detect::Detector;
use ioglass_insight::threshold::Threshold;

use crate::terminal::unit;

/// Returns `docs/detectors.md`: every check by dimension, then the limits.
pub fn detectors_markdown(detectors: &[&Detector], thresholds: &[Threshold]) -> String {
    let mut text = format!(
        "# Findings\n\n\
         What is checked, and when a check fires: {} checks by what they are about. This page is\n\
         made from the tables in `crates/insight/src/detect/` and `crates/insight/src/threshold.rs`;\n\
         a test keeps it fresh. `ioglass explain CODE [LOG]` says the same, and why a check fired\n\
         in a log. *Highest* is the highest level a finding may have; what is shown is the lower\n\
         of that and what is at stake: HIGH from 10 % of the run, WARN from 1 %, else INFO.\n",
        detectors.len()
    );
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
    put(text, format_args!("\n### {code} {slug}\n\n{what} {why}\n"));
    put(text, format_args!("- **Fires:** {}", linked(condition, thresholds)));
    put(text, format_args!("- **Helps:** {fix}"));
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
