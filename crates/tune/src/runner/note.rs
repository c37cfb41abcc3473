//! What a runner notes of a run beside its numbers. The journal keeps it, so that a search that goes on
//! knows it.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::report::{Check, Verified};

/// What a runner notes of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// What became of its settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<Verified>,
    /// How far its result was compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// Of a default run: the files that it wrote, and digests of what they contain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl Note {
    /// What a line of a journal has of it.
    pub fn of(rest: &Map<String, Value>) -> Note {
        fn part<T: DeserializeOwned + Default>(rest: &Map<String, Value>, name: &str) -> T {
            let value = rest.get(name).cloned();
            value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
        }
        Note {
            verified: part(rest, "verified"),
            check: part(rest, "check"),
            files: part(rest, "files"),
        }
    }

    /// The same for a line of a journal.
    pub fn rest(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(rest)) => rest,
            _ => Map::new(),
        }
    }
}
