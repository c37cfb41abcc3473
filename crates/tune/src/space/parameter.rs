//! A parameter of a space, and what must hold among several.

use std::collections::{BTreeMap, BTreeSet};

use ioglass_param::{find, nearest, tied_name};
use serde::{Deserialize, Serialize};

use super::{Axis, MOST_VALUES, SpaceError};

/// The word that leaves a parameter alone.
pub const DEFAULT: &str = "default";

/// A parameter: its values, its default and what it depends on. Journals hold it in this form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Parameter {
    /// The full name.
    pub name: String,
    /// Values to search, in canonical form; the word `default` leaves the parameter alone.
    pub values: Vec<String>,
    /// What the default run has. It need not be searched.
    pub default: String,
    /// Other parameters, and the values with which this one is searched.
    #[serde(default)]
    pub when: BTreeMap<String, Needs>,
    /// Parameters that get the same value, or one made of it: see [`tied_name`].
    #[serde(default)]
    pub tie: Vec<String>,
}

/// What another parameter must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Needs {
    /// The word `set`: anything but its default.
    Set(Word),
    /// One of these values.
    Values(Vec<String>),
}

/// The word `set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Anything but the default.
    Set,
}

impl Needs {
    /// Anything but the default.
    pub const SET: Needs = Needs::Set(Word::Set);
}

impl Parameter {
    /// A parameter that depends on nothing, whose first value is its default.
    pub fn plain(name: &str, values: &[&str]) -> Parameter {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let default = values.first().cloned().unwrap_or_else(|| DEFAULT.into());
        Parameter { name: name.into(), values, default, when: BTreeMap::new(), tie: Vec::new() }
    }

    /// The layer: the first part of the name.
    pub fn layer(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// The default is one of the values to search.
    pub fn searches_default(&self) -> bool {
        self.values.contains(&self.default)
    }

    /// What is tied to a value: names and values. To be left alone is nothing to hand on.
    pub fn tied<'a>(&'a self, value: &'a str) -> impl Iterator<Item = (String, String)> + 'a {
        self.tie.iter().filter(move |_| value != DEFAULT).map(move |tie| {
            let (name, made_of) = tied_name(tie);
            (name.to_owned(), made_of.replace("{}", value))
        })
    }

    pub(super) fn check(&self) -> Result<(), SpaceError> {
        if self.values.len() > MOST_VALUES {
            return Err(SpaceError::Values(self.name.clone(), self.values.len()));
        }
        let mut seen = BTreeSet::new();
        for value in &self.values {
            if !seen.insert(value) {
                return Err(SpaceError::ValueTwice(self.name.clone(), value.clone()));
            }
        }
        for (name, value) in self.values.iter().flat_map(|value| self.tied(value)) {
            let bad = |text: String| SpaceError::BadTie(name.clone(), self.name.clone(), text);
            let (param, _) = find(&name).ok_or_else(|| {
                let near = nearest(&name).map(|near| format!("; did you mean {near}?"));
                bad(format!("there is no such parameter{}", near.unwrap_or_default()))
            })?;
            param.kind.parse(&value).map_err(|error| bad(format!("'{value}': {error}")))?;
        }
        Ok(())
    }
}

/// Checks that each parameter gets its value from one place.
pub(super) fn check_ties(parameters: &[Parameter]) -> Result<(), SpaceError> {
    let mut given: BTreeSet<&str> =
        parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    for parameter in parameters {
        for tie in &parameter.tie {
            let (name, _) = tied_name(tie);
            if !given.insert(name) {
                return Err(SpaceError::TiedTwice(name.to_owned(), parameter.name.clone()));
            }
        }
    }
    Ok(())
}

/// Other parameters, and the places of their values with which a parameter is searched.
pub(super) type Dependencies = Vec<(usize, Vec<u16>)>;

/// For each parameter: the others that it depends on, and the places of their values.
pub(super) fn needs(
    parameters: &[Parameter],
    axes: &[Axis],
) -> Result<Vec<Dependencies>, SpaceError> {
    let one = |parameter: &Parameter, other: &String, needs: &Needs| {
        let place = parameters.iter().position(|one| one.name == *other).ok_or_else(|| {
            let near = parameters
                .iter()
                .map(|one| &one.name)
                .find(|name| name.ends_with(other.as_str()) || other.ends_with(name.as_str()))
                .cloned()
                .or_else(|| nearest(other).map(ToString::to_string));
            SpaceError::UnknownNeed(
                parameter.name.clone(),
                other.clone(),
                near.filter(|near| near != other),
            )
        })?;
        let axis = &axes[place];
        let values = match needs {
            Needs::Set(_) => {
                (0..axis.values.len() as u16).filter(|value| *value != axis.default).collect()
            }
            Needs::Values(wanted) => wanted
                .iter()
                .map(|value| {
                    let found = axis.values.iter().position(|one| one == value);
                    found.map(|value| value as u16).ok_or_else(|| {
                        SpaceError::UnknownNeedValue(
                            parameter.name.clone(),
                            other.clone(),
                            value.clone(),
                        )
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        Ok((place, values))
    };
    parameters
        .iter()
        .map(|parameter| {
            parameter.when.iter().map(|(other, needs)| one(parameter, other, needs)).collect()
        })
        .collect()
}

/// An order in which each parameter comes after those that it depends on.
pub(super) fn order(
    parameters: &[Parameter],
    needs: &[Dependencies],
) -> Result<Vec<usize>, SpaceError> {
    let mut order = Vec::new();
    while order.len() < parameters.len() {
        let before = order.len();
        for (parameter, needs) in needs.iter().enumerate() {
            let ready = needs.iter().all(|(other, _)| order.contains(other));
            if ready && !order.contains(&parameter) {
                order.push(parameter);
            }
        }
        if order.len() == before {
            let circle = (0..parameters.len()).filter(|parameter| !order.contains(parameter));
            return Err(SpaceError::Circle(
                circle.map(|parameter| parameters[parameter].name.clone()).collect(),
            ));
        }
    }
    Ok(order)
}
