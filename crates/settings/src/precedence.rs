//! The order of precedence.
//!
//! Of two rules that set the same parameter, the more specific one wins, wherever it stands: the command
//! line, then file and variable, variable, file, everything; a name before a pattern with `/`, that before
//! one without; a file before what it includes; of equals the later one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ioglass_param::PARAMS;
use ioglass_param::glob::is_exact;

use crate::rule::{Origin, Rule, Setting, Settings};

/// A rule with the place of its file: 0 for the command line, 1 for the file, more for what it includes.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) source: usize,
    pub(crate) rule: Rule,
}

/// Puts rules in order and notes settings that never apply.
pub(crate) fn order(mut placed: Vec<Placed>) -> Settings {
    // Reversed, and sorted without changing the order of equals: the later one comes first.
    placed.reverse();
    placed.sort_by_key(|placed| (placed.source, rank(&placed.rule)));
    let mut settings = Settings::default();
    // The settings so far, by what they apply to.
    let mut winners = HashMap::new();
    // Those that apply to everything.
    let mut general: HashMap<String, Origin> = HashMap::new();
    for Placed { mut rule, .. } in placed {
        let scope = (rule.file.clone(), rule.variable.clone(), rule.program.clone());
        let by_name: &mut HashMap<_, _> = winners.entry(scope).or_default();
        rule.settings.retain(|setting| match by_name.entry(setting.name.clone()) {
            Entry::Vacant(place) => {
                place.insert(setting.origin.clone());
                true
            }
            Entry::Occupied(winner) => {
                let (name, origin, winner) = (&setting.name, &setting.origin, winner.get());
                settings.notes.push(format!(
                    "{name} of {origin} never applies: {winner} sets it for the same things"
                ));
                false
            }
        });
        // What is more specific only loses to the general part of another file, or to the command line.
        for setting in &rule.settings {
            if rule.is_general() && rule.program.is_none() {
                general.entry(setting.name.clone()).or_insert_with(|| setting.origin.clone());
            } else if let Some(winner) = general.get(&setting.name) {
                let (name, origin) = (&setting.name, &setting.origin);
                settings.notes.push(format!(
                    "{name} of {origin} never applies: {winner} sets it for everything"
                ));
            }
        }
        // XML has a rule for each element.
        match settings.rules.last_mut() {
            _ if rule.settings.is_empty() => {}
            Some(last) if last.scope() == rule.scope() => last.settings.append(&mut rule.settings),
            _ => settings.rules.push(rule),
        }
    }
    // Inside a rule each parameter is set once, so the order is free: that of the table.
    for rule in &mut settings.rules {
        rule.settings.sort_by_cached_key(|setting| (place(setting), setting.name.clone()));
    }
    settings
}

/// The place of a setting's parameter in the table.
fn place(setting: &Setting) -> usize {
    let param = setting.param().0;
    PARAMS.iter().position(|other| std::ptr::eq(*other, param)).unwrap_or(PARAMS.len())
}

/// How specific a rule is: what is less wins.
pub(crate) fn rank(rule: &Rule) -> (u8, u8) {
    (class(rule), looseness(rule))
}

/// File and variable 0, variable 1, file 2, everything 3.
fn class(rule: &Rule) -> u8 {
    match (&rule.variable, &rule.file) {
        (Some(_), Some(_)) => 0,
        (Some(_), None) => 1,
        (None, Some(_)) => 2,
        (None, None) => 3,
    }
}

/// Names 0, patterns with `/` 1, other patterns 2; added up.
fn looseness(rule: &Rule) -> u8 {
    [&rule.variable, &rule.file]
        .into_iter()
        .flatten()
        .map(|pattern| match pattern {
            pattern if is_exact(pattern) => 0,
            pattern if pattern.contains('/') => 1,
            _ => 2,
        })
        .sum()
}
