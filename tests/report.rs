//! Reports of real logs: JSON as it is documented, screens that fit.

use std::collections::BTreeSet;
use std::path::Path;

use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, detect};
use ioglass_log::Log;
use ioglass_report::json::json;
use ioglass_report::terminal::{Options, write};
use serde_json::{Value, json};

use crate::support::{real_logs, root};

fn diagnoses() -> impl Iterator<Item = (String, Diagnosis)> {
    real_logs().into_iter().map(|real| {
        let log = Log::from_bytes(real.bytes).unwrap();
        (real.name, Diagnosis::of(&log, &Thresholds::default()))
    })
}

fn schema() -> Value {
    let text = std::fs::read_to_string(root().join("docs/report.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn json_is_as_the_schema_says() {
    let schema = schema();
    for (name, diagnosis) in diagnoses() {
        let value = json(&diagnosis, Path::new(&name));
        let mut complaints = Vec::new();
        check(&schema, &schema, &value, "", &mut complaints);
        assert!(complaints.is_empty(), "{name}: {complaints:#?}");
    }
}

/// Programs need not know the list of checks; people are shown what makes sense.
#[test]
fn every_check_is_in_every_report() {
    let mut senseless = 0;
    for (name, diagnosis) in diagnoses() {
        let value = json(&diagnosis, Path::new(&name));
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

/// The check above can fail.
#[test]
fn the_schema_refuses_what_is_wrong() {
    let schema = schema();
    let right = json!({"text": "POSIX is incomplete", "marks_findings": true});
    for (wrong, complaint) in [
        (json!({"text": "POSIX is incomplete"}), "/: marks_findings is missing"),
        (json!({"text": 1, "marks_findings": true}), "/text: 1 is no string"),
        (json!({"text": "", "marks_findings": true, "x": 0}), "/: x is not known"),
    ] {
        let warning = &schema["$defs"]["warning"];
        let mut complaints = Vec::new();
        check(&schema, warning, &right, "", &mut complaints);
        assert!(complaints.is_empty(), "{complaints:?}");
        check(&schema, warning, &wrong, "", &mut complaints);
        assert_eq!(complaints, [complaint]);
    }
    let mut complaints = Vec::new();
    let level = &schema["$defs"]["finding"]["properties"]["level"];
    check(&schema, level, &json!("high"), "", &mut complaints);
    check(
        &schema,
        &schema["$defs"]["part"]["properties"]["seconds"],
        &json!(-1),
        "",
        &mut complaints,
    );
    check(
        &schema,
        &schema["$defs"]["finding"]["properties"]["code"],
        &json!("f1"),
        "",
        &mut complaints,
    );
    assert_eq!(complaints.len(), 3, "{complaints:?}");
}

/// Holds a value against the part of JSON Schema that ours is written in.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, complaints: &mut Vec<String>) {
    let place = if at.is_empty() { "/" } else { at };
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$ref" => {
                let target = root.pointer(rule.as_str().unwrap().trim_start_matches('#')).unwrap();
                check(root, target, value, at, complaints);
            }
            "type" => {
                let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if !names.iter().any(|name| is_a(value, name.as_str().unwrap())) {
                    let name = names.first().and_then(Value::as_str).unwrap();
                    complaints.push(format!("{place}: {value} is no {name}"));
                }
            }
            "const" if value != rule => complaints.push(format!("{place}: {value} is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                complaints.push(format!("{place}: {value} is none of {rule}"));
            }
            "const" | "enum" | "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) {
                    complaints.push(format!("{place}: {value} is below {rule}"));
                }
            }
            "pattern" => {
                if value.as_str().is_some_and(|text| !matches(rule.as_str().unwrap(), text)) {
                    complaints.push(format!("{place}: {value} is not like {rule}"));
                }
            }
            "anyOf" => {
                let fits = |option: &Value| {
                    let mut complaints = Vec::new();
                    check(root, option, value, at, &mut complaints);
                    complaints.is_empty()
                };
                if !rule.as_array().unwrap().iter().any(fits) {
                    complaints.push(format!("{place}: {value} fits nothing"));
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}/{i}"), complaints);
                }
            }
            "required" => {
                let keys = rule.as_array().unwrap().iter().filter_map(Value::as_str);
                for key in keys.filter(|key| value.is_object() && value.get(key).is_none()) {
                    complaints.push(format!("{place}: {key} is missing"));
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    match rule.get(key) {
                        Some(rule) => check(root, rule, value, &format!("{at}/{key}"), complaints),
                        None => complaints.push(format!("{place}: {key} is not known")),
                    }
                }
            }
            "additionalProperties" => assert_eq!(*rule, json!(false)),
            other => panic!("the schema uses {other}, which this test does not know"),
        }
    }
}

fn is_a(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("{other} is no type"),
    }
}

/// The two patterns there are.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        "^[A-Z][0-9]{2}$" => match text.as_bytes() {
            [letter, tens, ones] => {
                letter.is_ascii_uppercase() && tens.is_ascii_digit() && ones.is_ascii_digit()
            }
            _ => false,
        },
        "^[a-z0-9-]+$" => {
            let is_fine = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
            !text.is_empty() && text.bytes().all(is_fine)
        }
        other => panic!("the schema uses {other}, which this test does not know"),
    }
}

/// Every field of the schema has a row in the document, and every row a field.
#[test]
fn the_document_names_every_field() {
    let text = std::fs::read_to_string(root().join("docs/json.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let documented: BTreeSet<String> = rows
        .flat_map(|cell| cell.split("`, `"))
        .filter_map(|name| name.trim_end_matches('`').rsplit('.').next())
        .map(str::to_owned)
        .collect();
    let schema = schema();
    let mut fields: BTreeSet<String> = BTreeSet::new();
    let parts = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    parts.for_each(|part| fields.extend(part["properties"].as_object().unwrap().keys().cloned()));
    assert_eq!(documented, fields);
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
