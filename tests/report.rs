//! Reports of real logs: every check is in them, and screens fit.

use std::collections::BTreeSet;
use std::path::Path;

use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, detect};
use ioglass_log::Log;
use ioglass_report::json::Report;
use ioglass_report::terminal::{Options, write};
use serde_json::Value;

use crate::support::real_logs;

fn diagnoses() -> impl Iterator<Item = (String, Diagnosis)> {
    real_logs().into_iter().map(|real| {
        let log = Log::from_bytes(real.bytes).unwrap();
        (real.name, Diagnosis::of(&log, &Thresholds::default()))
    })
}

/// Programs need not know the list of checks; people are shown what makes sense.
#[test]
fn every_check_is_in_every_report() {
    let mut senseless = 0;
    for (name, diagnosis) in diagnoses() {
        let value = serde_json::to_value(Report::new(&diagnosis, Path::new(&name))).unwrap();
        let findings = value["findings"].as_array().unwrap();
        let codes: BTreeSet<&str> = findings.iter().filter_map(|f| f["code"].as_str()).collect();
        let all: BTreeSet<&str> = detect::ALL.iter().map(|detector| detector.code).collect();
        assert_eq!(codes, all, "{name}");
        assert_eq!(findings.len(), all.len(), "{name}");
        let mut out = Vec::new();
        let options = Options { verbosity: 2, width: 120, ..Options::new(Path::new(&name)) };
        write(&mut out, &diagnosis, &options).unwrap();
        let out = without_colours(&String::from_utf8(out).unwrap());
        for finding in findings.iter().filter(|finding| finding["state"] == "not-checkable") {
            assert_eq!(finding["level"], Value::Null, "{name}");
            let why = finding["detail"].as_str().unwrap_or_default();
            assert!(!why.is_empty(), "{name}: {finding}");
            if finding["needs"].is_null() {
                senseless += 1;
                let slug = finding["name"].as_str().unwrap();
                assert!(!out.contains(&format!("  {slug} ")), "{name} shows {slug}:\n{out}");
            }
        }
    }
    assert!(senseless > 0 || real_logs().is_empty());
}

/// What is to be pasted may be longer; nothing else is, and nothing controls the terminal.
#[test]
fn screens_fit_the_terminal() {
    for (name, diagnosis) in diagnoses() {
        let commands: BTreeSet<&str> = diagnosis
            .findings
            .iter()
            .flat_map(|finding| &finding.advice)
            .flat_map(|advice| {
                let lines = advice.snippets.iter().flat_map(|snippet| snippet.code.lines());
                let commands = advice.commands.iter().map(|command| command.line.as_str());
                commands.chain(lines.map(str::trim_start)).chain([advice.see])
            })
            .collect();
        for (width, is_ascii) in [(60, false), (80, true), (120, false)] {
            let log = Path::new(&name);
            let options = Options { width, is_ascii, verbosity: 2, ..Options::new(log) };
            let mut out = Vec::new();
            write(&mut out, &diagnosis, &options).unwrap();
            let out = without_colours(&String::from_utf8(out).unwrap());
            assert!(!out.chars().any(|c| c.is_control() && c != '\n'), "{name}\n{out}");
            assert!(!is_ascii || out.is_ascii(), "{name}\n{out}");
            for line in out.lines().filter(|line| ioglass_report::text::width(line) > width) {
                let line = line.trim_start().trim_start_matches("do this:").trim_start();
                let line = line.trim_start_matches("see ");
                assert!(commands.contains(line), "{name} in {width} columns: {line}");
            }
        }
    }
}

/// Text without the escapes that begin and end a colour.
fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |out, piece| out + piece.split_once('m').map_or(piece, |(_, rest)| rest))
}
