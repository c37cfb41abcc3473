//! Reports written and read back.

use ioglass_insight::{Confidence, Dimension, Language, Level, Need, State};
use serde::Serialize;
use serde_json::{Value, json, to_value};

use super::*;
use crate::samples::{empty, slow_ost};

fn value(diagnosis: &ioglass_insight::Diagnosis, log: &str) -> Value {
    to_value(Report::new(diagnosis, log.as_ref())).unwrap()
}

#[test]
fn the_contract_is_kept() {
    let value = value(&slow_ost(), "logs/a.darshan");
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
    let value = value(&diagnosis, "a");
    assert_eq!(value["job"]["run_seconds"], Value::Null);
    assert_eq!(value["budget"]["io_seconds"], Value::Null);
    assert_eq!(value["job"]["traced"], Value::Null);
}

/// Screens and JSON use the same words.
#[test]
fn words_are_those_of_screens() {
    fn check<T: Serialize + Copy>(all: &[T], word: fn(T) -> &'static str) {
        for one in all {
            assert_eq!(to_value(one).unwrap(), word(*one));
        }
    }
    check(&[Level::Ok, Level::Info, Level::Warn, Level::High], Level::word);
    check(&Dimension::JUDGED, Dimension::word);
    check(&[Dimension::Information], Dimension::word);
    check(&[Confidence::Assumed, Confidence::Derived, Confidence::Measured], Confidence::word);
}

#[test]
fn a_report_is_read_back() {
    let report = Report::new(&slow_ost(), "logs/a.darshan".as_ref());
    let text = pretty(&report).to_string();
    assert_eq!(read(&text).unwrap(), report);
    assert_eq!(read_from(text.as_bytes()).unwrap(), report);
    let one = line(&report);
    let lines = format!("{one}\n\n{{}}\n{one}");
    let read: Vec<_> = read_lines(lines.as_bytes()).collect();
    assert!(matches!(&read[..], [Ok(_), Err(ReadError::Json(_)), Ok(last)] if *last == report));
}

/// A check that does not apply is one that could not be made, as far as JSON tells.
#[test]
fn states_that_json_does_not_tell_apart_become_one() {
    let mut diagnosis = empty();
    diagnosis.findings.truncate(1);
    diagnosis.findings.iter_mut().for_each(|finding| finding.state = State::Senseless);
    let text = line(&Report::new(&diagnosis, "a".as_ref())).to_string();
    let report = read(&text).unwrap();
    assert!(report.findings.iter().all(|finding| finding.state == State::NotCheckable));
    assert_eq!(line(&report).to_string(), text);
}

#[test]
fn newer_reports_are_read() {
    let mut newer = value(&slow_ost(), "a");
    newer["added"] = json!([{"deep": [1, {}]}]);
    newer["findings"][0]["added"] = json!(1);
    newer["findings"][0]["needs"] = json!("moonlight");
    newer["findings"][1]["needs"] = json!("trace");
    let report = read(&newer.to_string()).unwrap();
    assert_eq!(report.findings[0].needs, Some(Needs::Other("moonlight".into())));
    assert_eq!(report.findings[1].needs, Some(Needs::Known(Need::Trace)));
    assert!(line(&report).to_string().contains(r#""needs":"moonlight""#));
}

#[test]
fn reports_with_newer_languages_are_read() {
    let mut newer = value(&slow_ost(), "a");
    let snippet = json!({"language": "esperanto", "code": "nenio"});
    newer["findings"][0]["advice"] =
        json!([{"text": "Do.", "commands": [], "snippets": [snippet], "see": null}]);
    let report = read(&newer.to_string()).unwrap();
    let language = &report.findings[0].advice[0].snippets[0].language;
    assert_eq!(*language, Languages::Other("esperanto".into()));
    assert_eq!(Languages::from("cpp".to_owned()), Languages::Known(Language::Cpp));
}

#[test]
fn bad_reports_are_refused() {
    let mut other = value(&slow_ost(), "a");
    other["schema"] = json!("ioglass.report/2");
    let error = read(&other.to_string()).unwrap_err();
    assert!(matches!(&error, ReadError::OtherSchema { found } if found == "ioglass.report/2"));
    assert_eq!(error.to_string(), "the schema is ioglass.report/2, not ioglass.report/1");
    let error = read(r#"{"schema": "ioglass.report/1", "log": "a"}"#).unwrap_err();
    assert!(error.to_string().starts_with("not a report: missing field `job`"), "{error}");
    let evil = format!(
        r#"{{"schema": "ioglass.report/1", "log": {{"\u001b[2J{}": 1}}}}"#,
        "x".repeat(9999)
    );
    let error = read(&evil).unwrap_err().to_string();
    assert!(error.len() < 300 && !error.contains('\x1b'), "{error}");
    for text in ["", "{", "[]", "null", "\u{feff}{}", &"[".repeat(100_000)] {
        assert!(matches!(read(text), Err(ReadError::Json(_))), "{text}");
    }
    assert!(matches!(read_from(std::io::repeat(b' ')), Err(ReadError::TooLarge)));
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let read: Vec<_> = read_lines(endless).collect();
    assert!(matches!(&read[..], [Err(ReadError::TooLarge)]));
}
