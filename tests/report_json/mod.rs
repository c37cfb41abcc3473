//! Reports as JSON: as the schema says, and the same when they are read back.

pub(crate) mod validator;

use std::path::Path;

use ioglass_insight::Diagnosis;
use ioglass_insight::threshold::Thresholds;
use ioglass_log::Log;
use ioglass_report::json::{self, Json, ReadError, Report};
use serde_json::{Value, json};

use crate::findings::{self, recipe::log_of};
use crate::support::{Rng, real_logs, root};
use validator::check;

/// Reports of all real logs, of all fixtures, and of logs on which each check fires or does not.
fn reports() -> impl Iterator<Item = Report> {
    let real =
        real_logs().into_iter().map(|real| (real.name, Log::from_bytes(real.bytes).unwrap()));
    let texts = ["", "patterns"].into_iter().flat_map(|directory| {
        let directory = root().join("tests/fixtures").join(directory);
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path())
    });
    let texts = texts
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), log_of(&std::fs::read(&path).unwrap())));
    let of_logs = real.chain(texts).flat_map(|(name, log)| {
        let own = Diagnosis::of(&log, &Thresholds::default());
        let compat = Diagnosis::compat(&log, &Thresholds::default()).ok();
        [Some(own), compat].into_iter().flatten().map(move |found| (name.clone(), found))
    });
    let of_logs = of_logs.map(|(name, diagnosis)| Report::new(&diagnosis, Path::new(&name)));
    let of_rows = findings::diagnoses();
    of_logs.chain(of_rows.map(|diagnosis| Report::new(&diagnosis, Path::new("row"))))
}

#[test]
fn reports_are_as_the_schema_says() {
    let schema = json::schema();
    for report in reports() {
        let value = serde_json::to_value(&report).unwrap();
        let mut complaints = Vec::new();
        check(&schema, &schema, &value, "", &mut complaints);
        assert!(complaints.is_empty(), "{}: {complaints:#?}", report.log);
    }
}

#[test]
fn reports_are_the_same_after_they_were_read() {
    for report in reports() {
        let shown: [fn(&Report) -> Json<'_, Report>; 2] = [json::line, json::pretty];
        for shown in shown {
            let text = shown(&report).to_string();
            let again = json::read(&text).unwrap();
            assert_eq!(shown(&again).to_string(), text, "{}", report.log);
        }
    }
}

/// What the command prints of many logs.
#[test]
fn lines_are_read_one_by_one() {
    let written: Vec<Report> = reports().take(20).collect();
    let lines: Vec<String> = written.iter().map(|report| json::line(report).to_string()).collect();
    let read: Result<Vec<Report>, ReadError> =
        json::read_lines(lines.join("\n").as_bytes()).collect();
    let again: Vec<String> =
        read.unwrap().iter().map(|report| json::line(report).to_string()).collect();
    assert_eq!(lines, again);
}

/// The text is cut off, bytes change, and pieces stand in other places.
#[test]
fn damaged_reports_are_errors() {
    let mut rng = Rng::new();
    let reports: Vec<Report> = reports().take(4).collect();
    for report in reports {
        let text = json::line(&report).to_string().into_bytes();
        for _ in 0..500 {
            let mut damaged = text.clone();
            match rng.below(3) {
                0 => damaged.truncate(rng.below(text.len())),
                1 => damaged[rng.below(text.len())] = b"\"{}[],:0-e\\\xff"[rng.below(12)],
                _ => {
                    let (from, to) = (rng.below(text.len()), rng.below(text.len()));
                    let piece = text[from..text.len().min(from + 100)].to_vec();
                    damaged.splice(to..to, piece);
                }
            }
            // Some are still reports, with other words in them.
            if let Err(error) = json::read_from(&damaged[..]) {
                assert!(matches!(error, ReadError::Json(_) | ReadError::OtherSchema { .. }));
                assert!(!error.to_string().contains(char::is_control), "{error}");
            }
        }
    }
}

/// The validator can fail.
#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = json::schema();
    let right = json!({"text": "POSIX is incomplete", "marks_findings": true});
    for (wrong, complaint) in [
        (json!({"text": "POSIX is incomplete"}), "/: marks_findings is missing"),
        (json!({"text": 1, "marks_findings": true}), "/text: 1 is no string"),
        (json!({"text": "", "marks_findings": true, "x": 0}), "/: x is not known"),
    ] {
        let warning = &schema["$defs"]["DataWarning"];
        let mut complaints = Vec::new();
        check(&schema, warning, &right, "", &mut complaints);
        assert!(complaints.is_empty(), "{complaints:?}");
        check(&schema, warning, &wrong, "", &mut complaints);
        assert_eq!(complaints, [complaint]);
    }
    let wrong: [(&str, &str, Value); 4] = [
        ("Finding", "level", json!("high")),
        ("Finding", "code", json!("f1")),
        ("BudgetPart", "seconds", json!(-1)),
        ("Evidence", "unit", json!("MiB")),
    ];
    for (part, field, value) in wrong {
        let mut complaints = Vec::new();
        let rule = &schema["$defs"][part]["properties"][field];
        check(&schema, rule, &value, "", &mut complaints);
        assert_eq!(complaints.len(), 1, "{part}.{field}: {complaints:?}");
    }
}
