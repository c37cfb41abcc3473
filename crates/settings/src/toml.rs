//! Settings as TOML.

use std::path::Path;

use ioglass_param::{Layer, nearest_word};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::argument::checked;
use crate::problem::Problems;
use crate::read::Content;
use crate::rule::{Origin, Rule};

/// The schema of settings files.
pub(crate) const SCHEMA: &str = "ioglass.settings/1";

/// What a file can have at its top level, and what only a rule can.
const WORDS: [&str; 16] = [
    "hdf5",
    "mpiio",
    "fs",
    "env",
    "libc",
    "cmd",
    "force",
    "serial",
    "respect",
    "program",
    "schema",
    "include",
    "provenance",
    "for",
    "file",
    "variable",
];
/// The number of those at the top level.
const OF_ALL: usize = 14;

/// Reads a text.
pub(crate) fn parse(text: &str, path: &Path, problems: &mut Problems) -> Content {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut parser = Parser { path, lines: Lines::of(text), problems, content: Content::default() };
    for error in &errors {
        let line = error.span().map(|span| parser.lines.at(span.start));
        parser.problems.add(path, line, error.message().trim());
    }
    // What is left of a damaged text would only lead to problems that follow from the first.
    if errors.is_empty() {
        parser.document(document.get_ref());
    }
    parser.content
}

struct Parser<'a> {
    path: &'a Path,
    lines: Lines,
    problems: &'a mut Problems,
    content: Content,
}

type Entry<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

impl Parser<'_> {
    fn problem(&mut self, offset: usize, text: impl Into<String>) {
        let line = self.lines.at(offset);
        self.problems.add(self.path, Some(line), text);
    }

    fn document(&mut self, document: &DeTable<'_>) {
        let mut general = Rule::default();
        let mut rules = Vec::new();
        for entry in in_order(document) {
            let (key, value) = entry;
            match key.get_ref().as_ref() {
                "schema" => self.schema(value),
                "include" => self.include(value),
                "provenance" => {}
                "for" => rules.push(value),
                _ => self.entry(entry, &mut general, false),
            }
        }
        // The general part comes first: between equals, the later one wins.
        self.content.rules.push(general.clone());
        for value in rules {
            let DeValue::Array(tables) = value.get_ref() else {
                self.problem(value.span().start, "'for' is a list of tables: [[for]]");
                continue;
            };
            for table in tables {
                self.rule(table, &general);
            }
        }
    }

    fn rule(&mut self, value: &Spanned<DeValue<'_>>, general: &Rule) {
        let DeValue::Table(table) = value.get_ref() else {
            self.problem(value.span().start, "'for' is a list of tables: [[for]]");
            return;
        };
        let mut rule = Rule { settings: Vec::new(), ..general.clone() };
        for entry in in_order(table) {
            self.entry(entry, &mut rule, true);
        }
        self.content.rules.push(rule);
    }

    /// A word that holds for the rule, or a table of settings of a layer.
    fn entry(&mut self, (key, value): Entry<'_, '_>, rule: &mut Rule, in_for: bool) {
        let name = key.get_ref().as_ref();
        let flag = match name {
            "force" => Some(&mut rule.force),
            "serial" => Some(&mut rule.serial),
            "respect" => Some(&mut rule.respect),
            _ => None,
        };
        if let Some(flag) = flag {
            match boolean(value.get_ref()) {
                Some(said) => *flag = said,
                None => self.problem(value.span().start, format!("{name} is true or false")),
            }
            return;
        }
        let pattern = match name {
            "program" => Some(&mut rule.program),
            "file" if in_for => Some(&mut rule.file),
            "variable" if in_for => Some(&mut rule.variable),
            _ => None,
        };
        if let Some(pattern) = pattern {
            match value.get_ref() {
                DeValue::String(text) if !text.is_empty() && !text.contains('\0') => {
                    *pattern = Some(text.to_string());
                }
                _ => self.problem(value.span().start, format!("{name} is a text with a pattern")),
            }
            return;
        }
        match (Layer::named(name), value.get_ref()) {
            (Some(layer), DeValue::Table(table)) => self.settings(layer.name(), table, rule),
            (Some(_), _) => {
                self.problem(value.span().start, format!("{name} is a table of parameters"));
            }
            (None, _) => {
                let shown: String = name.chars().take(60).collect();
                let words = if in_for { &WORDS[..] } else { &WORDS[..OF_ALL] };
                let text = match nearest_word(name, words.iter().copied()) {
                    Some(near) => format!("did you mean {near}?"),
                    None => "layers are hdf5, mpiio, fs, env, libc and cmd".into(),
                };
                self.problem(
                    key.span().start,
                    format!("no layer '{}'; {text}", shown.escape_debug()),
                );
            }
        }
    }

    fn settings(&mut self, prefix: &str, table: &DeTable<'_>, rule: &mut Rule) {
        for (key, value) in in_order(table) {
            let name = format!("{prefix}.{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if prefix == "mpiio" && key.get_ref() == "hint" => {
                    self.settings(&name, inner, rule);
                }
                inner => {
                    let offset = key.span().start;
                    let origin = Origin::File(self.path.to_owned(), self.lines.at(offset));
                    let setting = match scalar(inner) {
                        Some(text) => checked(&name, &text, origin),
                        // The name may be what is wrong.
                        None => checked(&name, "", origin.clone()).and_then(|_| {
                            Err(format!("{name} is a number, a text, true, false or a list"))
                        }),
                    };
                    match setting {
                        Ok(setting) => rule.settings.push(setting),
                        Err(text) => self.problem(offset, text),
                    }
                }
            }
        }
    }

    fn schema(&mut self, value: &Spanned<DeValue<'_>>) {
        if !matches!(value.get_ref(), DeValue::String(text) if text == SCHEMA) {
            self.problem(value.span().start, format!("schema is not \"{SCHEMA}\""));
        }
    }

    fn include(&mut self, value: &Spanned<DeValue<'_>>) {
        let line = self.lines.at(value.span().start);
        let mut add = |value: &DeValue<'_>| match value {
            DeValue::String(text) if !text.is_empty() => {
                self.content.includes.push((text.as_ref().into(), line));
                true
            }
            _ => false,
        };
        let sound = match value.get_ref() {
            DeValue::Array(list) => list.iter().all(|item| add(item.get_ref())),
            single => add(single),
        };
        if !sound {
            self.problem(value.span().start, "include is a list of files");
        }
    }
}

/// The entries of a table in the order of the text.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn boolean(value: &DeValue<'_>) -> Option<bool> {
    match value {
        DeValue::Boolean(flag) => Some(*flag),
        DeValue::String(text) if text == "true" => Some(true),
        DeValue::String(text) if text == "false" => Some(false),
        _ => None,
    }
}

/// A value as the text of its canonical form, or near it.
fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Integer(number) => {
            let value = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(value.to_string())
        }
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Array(list) if !list.is_empty() => {
            let items: Option<Vec<_>> = list
                .iter()
                .map(|item| match item.get_ref() {
                    DeValue::Array(_) => None,
                    item => scalar(item),
                })
                .collect();
            items.map(|items| items.join(","))
        }
        _ => None,
    }
}

/// The lines of a text.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines { starts: breaks.map(|(place, _)| place + 1).collect() }
    }

    /// The line of an offset, from 1.
    fn at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) + 1
    }
}
