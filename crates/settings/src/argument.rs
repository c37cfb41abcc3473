//! Settings of the command line.

use ioglass_param::{Layer, find, nearest};

use crate::rule::{Origin, Rule, Setting, Settings};

/// The setting of an argument `NAME=VALUE`.
///
/// # Errors
/// The problem, as a sentence.
pub fn argument(text: &str) -> Result<Setting, String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("'{text}' is not NAME=VALUE"))?;
    checked(name.trim(), value, Origin::Argument)
}

/// A setting whose name and value are those of the table.
pub(crate) fn checked(name: &str, value: &str, origin: Origin) -> Result<Setting, String> {
    let (param, rest) = find(name).ok_or_else(|| unknown(name))?;
    if param.layer == Layer::Env {
        variable(if rest.is_empty() { param.name } else { rest })?;
    }
    let value = param.kind.parse(value).map_err(|error| {
        let shown: String = value.chars().take(60).collect();
        format!("{name} = '{}': {error}", shown.escape_debug())
    })?;
    Ok(Setting { name: name.to_owned(), value: value.to_string(), origin })
}

/// The sentence about an unknown parameter.
fn unknown(name: &str) -> String {
    let shown: String = name.chars().take(60).collect();
    let mut text = match shown.split_once('.') {
        Some((layer, short)) if Layer::named(layer).is_some() => {
            format!("no parameter '{}' in [{layer}]", short.escape_debug())
        }
        _ => format!("no parameter '{}'", shown.escape_debug()),
    };
    if let Some(near) = nearest(name) {
        let same_layer = name.split('.').next() == Some(near.layer.name());
        let near = if same_layer { near.name.to_owned() } else { near.to_string() };
        text.push_str(&format!("; did you mean {near}?"));
    }
    text
}

/// Refuses what is no name of a variable.
fn variable(name: &str) -> Result<(), String> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if name.is_empty() || !letters || name.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err(format!("'{}' is no name of a variable", name.escape_debug()));
    }
    Ok(())
}

impl Settings {
    /// Settings of the command line alone.
    pub fn of_arguments(arguments: Vec<Setting>) -> Settings {
        Settings::default().with_arguments(arguments)
    }

    /// The same settings with those of the command line before them. Words that hold for all rules of the
    /// file hold for these, too.
    pub fn with_arguments(mut self, arguments: Vec<Setting>) -> Settings {
        let all = |flag: fn(&Rule) -> bool| !self.rules.is_empty() && self.rules.iter().all(flag);
        let mut rule = Rule {
            force: all(|rule| rule.force),
            serial: all(|rule| rule.serial),
            respect: all(|rule| rule.respect),
            ..Rule::default()
        };
        for argument in arguments {
            // Of an argument that is given twice the later one wins.
            rule.settings.retain(|earlier| earlier.name != argument.name);
            rule.settings.push(argument);
        }
        if !rule.settings.is_empty() {
            self.rules.insert(0, rule);
        }
        self
    }
}
