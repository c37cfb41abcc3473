//! A validator for the part of JSON Schema that ours is written in.

use serde_json::{Value, json};

/// Holds a value against the part of JSON Schema that ours is written in.
pub(crate) fn check(
    root: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    complaints: &mut Vec<String>,
) {
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
            "const" | "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) {
                    complaints.push(format!("{place}: {value} is below {rule}"));
                }
            }
            "maximum" => {
                if value.as_f64().is_some_and(|number| number > rule.as_f64().unwrap()) {
                    complaints.push(format!("{place}: {value} is above {rule}"));
                }
            }
            "pattern" => {
                if value.as_str().is_some_and(|text| !matches(rule.as_str().unwrap(), text)) {
                    complaints.push(format!("{place}: {value} is not like {rule}"));
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |option: &&Value| {
                    let mut complaints = Vec::new();
                    check(root, option, value, at, &mut complaints);
                    complaints.is_empty()
                };
                let fitting = rule.as_array().unwrap().iter().filter(fits).count();
                if fitting == 0 || keyword == "oneOf" && fitting > 1 {
                    complaints.push(format!("{place}: {value} fits {fitting} of {rule}"));
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}/{i}"), complaints);
                }
            }
            "prefixItems" => {
                let rules = rule.as_array().unwrap().iter().enumerate();
                for ((i, rule), item) in rules.zip(value.as_array().into_iter().flatten()) {
                    check(root, rule, item, &format!("{at}/{i}"), complaints);
                }
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map(Vec::len), rule.as_u64().unwrap());
                let is_off = |count: usize| match keyword.as_str() {
                    "minItems" => (count as u64) < limit,
                    _ => count as u64 > limit,
                };
                if count.is_some_and(is_off) {
                    complaints.push(format!("{place}: {value} breaks {keyword} {limit}"));
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
            // Of a map; a structure has no others.
            "additionalProperties" if rule.is_object() => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    check(root, rule, value, &format!("{at}/{key}"), complaints);
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
