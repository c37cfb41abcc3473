//! Settings written as files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use ioglass_param::{Kind, Layer, find};

use crate::precedence::rank;
use crate::rule::{Rule, Setting, Settings};
use crate::{toml, xml};

/// Settings that one file of this form cannot say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{form} cannot say {}", .names.join(", "))]
pub struct Unsayable {
    /// The form: TOML or XML.
    pub form: &'static str,
    /// The names of the settings.
    pub names: Vec<String>,
}

impl Settings {
    /// A settings file with the same settings.
    ///
    /// # Errors
    /// Names settings whose precedence comes from several files and cannot be said in one.
    pub fn to_toml(&self) -> Result<String, Unsayable> {
        let told = self.without_shadowed();
        told.checked("TOML", told.as_toml())
    }

    fn as_toml(&self) -> String {
        let mut text = format!("schema = \"{}\"\n", toml::SCHEMA);
        // The general part stands before the others, whose order is that of precedence: between equals the
        // later one would win.
        let (mut general, others): (Vec<&Rule>, Vec<&Rule>) =
            self.rules.iter().partition(|rule| rule.is_general() && rule.program.is_none());
        let flags = general.first().map(|rule| (rule.force, rule.serial, rule.respect));
        let one_kind = |rule: &&Rule| Some((rule.force, rule.serial, rule.respect)) == flags;
        let later: Vec<&Rule> = general.iter().filter(|rule| !one_kind(rule)).copied().collect();
        general.retain(|rule| one_kind(rule));
        if let Some(first) = general.first() {
            words(&mut text, first, (false, false, false));
            let mut layers: BTreeMap<Layer, Vec<&Setting>> = BTreeMap::new();
            let mut seen = Vec::new();
            for setting in general.iter().flat_map(|rule| &rule.settings) {
                if !seen.contains(&&setting.name) {
                    seen.push(&setting.name);
                    layers.entry(setting.param().0.layer).or_default().push(setting);
                }
            }
            for (layer, settings) in layers {
                let _ = writeln!(text, "\n[{}]", layer.name());
                for setting in settings {
                    let short = &setting.name[layer.name().len() + 1..];
                    let _ = writeln!(text, "{} = {}", key(short), value(setting));
                }
            }
        }
        let inherited = flags.unwrap_or_default();
        for rule in later.into_iter().chain(others).rev() {
            text.push_str("\n[[for]]\n");
            for (word, pattern) in
                [("file", &rule.file), ("variable", &rule.variable), ("program", &rule.program)]
            {
                if let Some(pattern) = pattern {
                    let _ = writeln!(text, "{word} = {}", quoted(pattern));
                }
            }
            words(&mut text, rule, inherited);
            for setting in &rule.settings {
                let (layer, short) = setting.name.split_once('.').unwrap_or_default();
                let _ = writeln!(text, "{layer}.{} = {}", key(short), value(setting));
            }
        }
        text
    }

    /// The same settings in the form of the SC13 paper.
    ///
    /// # Errors
    /// Names what XML cannot say.
    pub fn to_xml(&self) -> Result<String, Unsayable> {
        let told = self.without_shadowed();
        told.checked("XML", told.as_xml()?)
    }

    fn as_xml(&self) -> Result<String, Unsayable> {
        let mut unsayable = Vec::new();
        let mut sections: BTreeMap<Layer, Vec<(&Rule, &Setting)>> = BTreeMap::new();
        for (rule, setting) in self.all() {
            let (param, _) = setting.param();
            let plain = rule.program.is_none() && !rule.force && !rule.serial && !rule.respect;
            if xml::section(param).is_none() || !plain {
                unsayable.push(setting.name.clone());
            }
            sections.entry(param.layer).or_default().push((rule, setting));
        }
        if !unsayable.is_empty() {
            unsayable.dedup();
            return Err(Unsayable { form: "XML", names: unsayable });
        }
        let mut text = format!("<{}>\n", xml::ROOT);
        for (section, layer) in xml::SECTIONS {
            let _ = writeln!(text, "  <{section}>");
            // Between equals the later one wins.
            for (rule, setting) in sections.get(&layer).into_iter().flatten().rev() {
                let name = &setting.name[layer.name().len() + 1..];
                let _ = write!(text, "    <{name}");
                for (attribute, pattern) in
                    [(xml::FILE, &rule.file), (xml::VARIABLE, &rule.variable)]
                {
                    if let Some(pattern) = pattern {
                        let _ = write!(text, " {attribute}=\"{}\"", escaped(pattern));
                    }
                }
                let _ = writeln!(text, ">{}</{name}>", escaped(&setting.value));
            }
            let _ = writeln!(text, "  </{section}>");
        }
        let _ = writeln!(text, "</{}>", xml::ROOT);
        Ok(text)
    }
}

impl Settings {
    /// The same without settings that never apply: a rule before them, which is less specific but of another
    /// file, sets the same for all that theirs is for.
    fn without_shadowed(&self) -> Settings {
        let mut told = Settings::default();
        let mut loosest = Loosest::default();
        for rule in &self.rules {
            let applies = |setting: &&Setting| {
                let is_winner = |before: &Rule| before.sets(&setting.name) && before.covers(rule);
                !loosest.is_before(rule, &setting.name) || !told.rules.iter().any(is_winner)
            };
            let settings: Vec<Setting> = rule.settings.iter().filter(applies).cloned().collect();
            if !settings.is_empty() {
                let rule = Rule { settings, ..rule.clone() };
                loosest.add(&rule);
                told.rules.push(rule);
            }
        }
        told
    }

    /// Text that was made of these settings, if reading it gives them the same precedence.
    fn checked(&self, form: &'static str, text: String) -> Result<String, Unsayable> {
        let mut names: Vec<String> = Vec::new();
        let mut loosest = Loosest::default();
        for (number, rule) in self.rules.iter().enumerate() {
            for setting in &rule.settings {
                let name = &setting.name;
                // In one file the more specific rule would win.
                let is_lost = loosest.is_before(rule, name)
                    && self.rules[..number].iter().any(|before| {
                        let would_lose = rank(before) > rank(rule)
                            || before.is_general() && before.program.is_none() && rule.is_general();
                        would_lose && before.sets(name) && !before.is_apart_from(rule)
                    });
                if is_lost && !names.contains(name) {
                    names.push(name.clone());
                }
            }
            loosest.add(rule);
        }
        if names.is_empty() { Ok(text) } else { Err(Unsayable { form, names }) }
    }
}

/// The least specific rule so far that sets a parameter.
#[derive(Default)]
struct Loosest(HashMap<String, (u8, u8)>);

impl Loosest {
    /// A rule that is less specific, or both are for everything, stands before this one.
    fn is_before(&self, rule: &Rule, name: &str) -> bool {
        let own = rank(rule);
        self.0.get(name).is_some_and(|loosest| *loosest > own || rule.is_general())
    }

    fn add(&mut self, rule: &Rule) {
        for setting in &rule.settings {
            let loosest = self.0.entry(setting.name.clone()).or_default();
            *loosest = rank(rule).max(*loosest);
        }
    }
}

/// The words of a rule that differ from what it inherits.
fn words(text: &mut String, rule: &Rule, (force, serial, respect): (bool, bool, bool)) {
    let words = [
        ("force", rule.force, force),
        ("serial", rule.serial, serial),
        ("respect", rule.respect, respect),
    ];
    for (word, said, inherited) in words {
        if said != inherited {
            let _ = writeln!(text, "{word} = {said}");
        }
    }
}

/// A value in TOML: numbers, pairs and shapes without quotes.
fn value(setting: &Setting) -> String {
    match find(&setting.name).map(|(param, _)| param.kind) {
        Some(Kind::Bytes { .. } | Kind::Count { .. } | Kind::Flag) => setting.value.clone(),
        Some(Kind::Alignment | Kind::Shape) => {
            format!("[{}]", setting.value.replace(',', ", "))
        }
        _ => quoted(&setting.value),
    }
}

/// A key: parts of plain letters, the rest of a family in quotes if need be.
fn key(name: &str) -> String {
    let plain = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    if plain(name) {
        return name.to_owned();
    }
    match name.split_once('.') {
        Some(("hint", rest)) if plain(rest) => name.to_owned(),
        Some(("hint", rest)) => format!("hint.{}", quoted(rest)),
        _ => quoted(name),
    }
}

/// A basic string of TOML.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", letter as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Text of XML, as content and as an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", letter as u32);
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
