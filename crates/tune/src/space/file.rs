//! Files with spaces: TOML with the schema `ioglass.space/1`.

use std::collections::BTreeMap;
use std::path::Path;

use ioglass_settings::{Problems, argument, load};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{DEFAULT, Needs, Parameter};

/// The schema of files with spaces.
const SCHEMA: &str = "ioglass.space/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Option<Spanned<String>>,
    #[serde(default)]
    param: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: Spanned<String>,
    values: Spanned<Vec<Spanned<Value>>>,
    default: Option<Spanned<Value>>,
    #[serde(default)]
    when: BTreeMap<Spanned<String>, Spanned<Value>>,
    #[serde(default)]
    tie: Vec<String>,
}

/// Reads the parameters of a file.
///
/// # Errors
/// All problems found, with their lines.
pub fn read(path: &Path) -> Result<Vec<Parameter>, Problems> {
    let mut problems = Problems::default();
    let text = match load(path) {
        Ok(text) => text,
        Err(problem) => {
            problems.add(path, None, problem);
            return Err(problems);
        }
    };
    let line = |offset: usize| 1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
    let file: File = match toml::from_str(&text) {
        Ok(file) => file,
        Err(error) => {
            let place = error.span().map(|span| line(span.start));
            problems.add(path, place, error.message().trim());
            return Err(problems);
        }
    };
    let mut add = |offset: usize, text: String| problems.add(path, Some(line(offset)), text);
    if let Some(schema) = file.schema.filter(|schema| schema.get_ref() != SCHEMA) {
        add(schema.span().start, format!("schema is not \"{SCHEMA}\""));
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    for row in file.param {
        let place = row.name.span().start;
        let name = row.name.get_ref();
        if parameters.iter().any(|earlier| earlier.name == *name) {
            add(place, format!("{name} is given twice"));
        }
        let parameter = row.parameter(&mut add);
        if parameter.values.len() < 2 && parameter.searches_default() {
            add(place, format!("{} has one value; two are the least", parameter.name));
        }
        if let Err(error) = parameter.check() {
            add(place, error.to_string());
        }
        parameters.push(parameter);
    }
    if problems.is_empty() { Ok(parameters) } else { Err(problems) }
}

impl Row {
    fn parameter(&self, add: &mut impl FnMut(usize, String)) -> Parameter {
        let name = self.name.get_ref();
        if ioglass_param::find(name).is_none() {
            // Said once, not for each value.
            if let Err(problem) = argument(&format!("{name}=")) {
                add(self.name.span().start, problem);
            }
            return Parameter { default: DEFAULT.into(), ..Parameter::plain(name, &[]) };
        }
        let mut canonical = |value: &Spanned<Value>| {
            let place = value.span().start;
            let Some(text) = text(value.get_ref()) else {
                add(place, format!("a value of {name} is a number, a text, true, false or a list"));
                return None;
            };
            if text == DEFAULT {
                return Some(text);
            }
            match argument(&format!("{name}={text}")) {
                Ok(setting) => Some(setting.value),
                Err(problem) => {
                    add(place, problem);
                    None
                }
            }
        };
        let values: Vec<String> = self.values.get_ref().iter().filter_map(&mut canonical).collect();
        let default = self.default.as_ref().and_then(&mut canonical);
        if self.values.get_ref().is_empty() {
            add(self.values.span().start, format!("{name} has no values"));
        }
        let when = self.when.iter().filter_map(|(other, needs)| {
            let place = needs.span().start;
            let values = match needs.get_ref() {
                Value::String(word) if word == "set" => {
                    return Some((other.get_ref().clone(), Needs::SET));
                }
                Value::Array(values) => values.iter().map(text).collect::<Option<Vec<_>>>(),
                single => text(single).map(|value| vec![value]),
            };
            let Some(values) = values else {
                add(place, format!("{} is a list of values, or \"set\"", other.get_ref()));
                return None;
            };
            let canonical = |value: String| {
                argument(&format!("{}={value}", other.get_ref())).map_or(value, |one| one.value)
            };
            Some((
                other.get_ref().clone(),
                Needs::Values(values.into_iter().map(canonical).collect()),
            ))
        });
        let when = when.collect();
        // Who names no default wants the stack's own.
        let default = default.unwrap_or_else(|| DEFAULT.into());
        Parameter { name: name.clone(), values, default, when, tie: self.tie.clone() }
    }
}

/// A value as text; a list has commas.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        Value::Array(list) if list.iter().all(|item| !item.is_array()) => {
            let items: Option<Vec<String>> = list.iter().map(text).collect();
            items.filter(|items| !items.is_empty()).map(|items| items.join(","))
        }
        _ => None,
    }
}
