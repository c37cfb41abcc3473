//! Settings that were injected, and what became of them.

use std::collections::BTreeMap;

use ioglass_log::table::{Row, Table};
use ioglass_param::glob::matches_path;
use ioglass_param::{COLUMNS, Condition, Layer, State, find};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Recording;

/// Name of the log's section.
const SECTION: &str = "settings";

/// To what a setting applies.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// Pattern of files.
    pub file: Option<String>,
    /// Pattern of variables.
    pub variable: Option<String>,
    /// Pattern of programs.
    pub program: Option<String>,
}

impl Scope {
    /// A place is one of those that it is for, as far as the names of file and variable tell.
    fn holds(&self, place: &Place) -> bool {
        let matches = |pattern: &Option<String>, name: &Option<String>| match (pattern, name) {
            (None, _) => true,
            // The folder in front of a relative path is not known here.
            (Some(pattern), Some(name)) => {
                matches_path(pattern.as_bytes(), name.as_bytes())
                    || pattern.starts_with('*')
                        && matches_path(pattern.as_bytes(), format!("/{name}").as_bytes())
            }
            (Some(_), None) => false,
        };
        matches(&self.file, &place.file) && matches(&self.variable, &place.variable)
    }
}

/// A setting that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The full name of the parameter.
    pub name: String,
    /// The canonical value.
    pub value: String,
    /// To what it applies.
    pub scope: Scope,
}

/// A setting, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingOutcome {
    /// The setting.
    pub asked: Asked,
    /// The worst state of its places.
    pub state: State,
    /// The reason for that state.
    pub reason: Option<String>,
    /// Every place.
    pub places: Vec<Place>,
}

/// What became of a setting at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: Option<String>,
    /// The variable in it.
    pub variable: Option<String>,
    /// The value that was asked for.
    pub requested: String,
    /// What the program had asked for; null is the default.
    pub was: Option<String>,
    /// What the stack says.
    pub effective: Option<String>,
    /// The call by which it says so.
    pub by: Option<String>,
    /// The state: `applied`, `changed`, `not-applicable` or `unverifiable`.
    pub state: String,
    /// The reason for it.
    pub reason: Option<String>,
    /// Number of ranks on which it was so.
    pub ranks: u64,
}

/// What became of the settings of a run, in the order of layers.
pub fn of_recording(recording: &dyn Recording) -> Vec<SettingOutcome> {
    recording.table(SECTION).map(|text| of_table(&text)).unwrap_or_default()
}

/// The same of the text of the section; lines that are none are passed over.
pub fn of_table(text: &str) -> Vec<SettingOutcome> {
    let table = Table::new(text);
    let columns = COLUMNS.map(|name| table.column(name));
    let ranks = table.column("ranks");
    let mut found: BTreeMap<Asked, BTreeMap<usize, Place>> = BTreeMap::new();
    let mut same: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let read = |row: Row<'_>| {
        let texts = columns.map(|column| row.get(column).unwrap_or_default());
        let [name, value, file, variable, program, rest @ ..] = texts;
        let [at_file, at_variable, was, effective, by, state, reason] = rest;
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let scope = Scope { file: text(file), variable: text(variable), program: text(program) };
        let asked = Asked { name: text(name)?, value: value.to_owned(), scope };
        let place = Place {
            file: text(at_file),
            variable: text(at_variable),
            requested: asked.value.clone(),
            was: text(was),
            effective: text(effective),
            by: text(by),
            state: State::named(state)?.name().to_owned(),
            reason: text(reason),
            ranks: row.number(ranks)?,
        };
        Some((texts.map(str::to_owned).to_vec(), asked, place))
    };
    for (key, asked, place) in table.rows().filter_map(read) {
        let next = same.len();
        let at = *same.entry(key).or_insert(next);
        let places = found.entry(asked).or_default();
        let ranks = place.ranks;
        places.entry(at).and_modify(|known| known.ranks += ranks).or_insert(place);
    }
    let mut all: Vec<SettingOutcome> = found
        .into_iter()
        .map(|(asked, places)| SettingOutcome::new(asked, places.into_values().collect()))
        .collect();
    sort(&mut all);
    all
}

/// Adds settings that were asked for and had no place: no call of the run could take them.
pub fn add_missing(outcomes: &mut Vec<SettingOutcome>, asked: impl IntoIterator<Item = Asked>) {
    for asked in asked {
        if outcomes.iter().any(|outcome| outcome.asked == asked) {
            continue;
        }
        let winner = outcomes.iter().find(|outcome| {
            outcome.asked.name == asked.name
                && outcome.places.iter().any(|place| asked.scope.holds(place))
        });
        let reason = match winner {
            Some(winner) => format!("{}={} ranks higher there", asked.name, winner.asked.value),
            None => nothing_for(&asked),
        };
        let state = State::NotApplicable;
        outcomes.push(SettingOutcome { asked, state, reason: Some(reason), places: Vec::new() });
    }
    sort(outcomes);
}

/// The reason why a setting had no place.
fn nothing_for(asked: &Asked) -> String {
    let param = find(&asked.name).map(|(param, _)| param);
    if param.is_some_and(|param| param.conditions.contains(&Condition::Never)) {
        return Condition::Never.text().to_owned();
    }
    let what = match param.map(|param| param.layer) {
        Some(Layer::Hdf5) => "HDF5 file or dataset",
        Some(Layer::Mpiio | Layer::Fs) => "file opened through MPI-IO",
        _ => "file",
    };
    let scope = &asked.scope;
    let pattern = scope.variable.as_ref().or(scope.file.as_ref()).or(scope.program.as_ref());
    match pattern {
        Some(pattern) => format!("no {what} of this run matches {pattern}"),
        None => format!("the run has no {what} for it"),
    }
}

fn sort(outcomes: &mut [SettingOutcome]) {
    outcomes.sort_by_key(|outcome| (order(&outcome.asked.name), outcome.asked.clone()));
}

/// Layers in the order of reports: from the file system up.
fn order(name: &str) -> usize {
    const ORDER: [Layer; 6] =
        [Layer::Fs, Layer::Mpiio, Layer::Hdf5, Layer::Env, Layer::Libc, Layer::Cmd];
    let layer = find(name).map(|(param, _)| param.layer);
    ORDER.iter().position(|other| Some(*other) == layer).unwrap_or(ORDER.len())
}

impl SettingOutcome {
    /// The outcome of a setting with these places; without any, the run had no use for it.
    pub fn new(asked: Asked, places: Vec<Place>) -> Self {
        let states = places.iter().filter_map(|place| State::named(&place.state));
        let state = states.reduce(State::and).unwrap_or(State::NotApplicable);
        let reason = places
            .iter()
            .filter(|place| place.state == state.name())
            .find_map(|place| place.reason.clone());
        Self { asked, state, reason, places }
    }

    /// What the stack says instead, if that is the same everywhere.
    pub fn effective(&self) -> Option<&str> {
        let changed = State::Changed.name();
        let mut told = self.places.iter().filter(|place| place.state == changed);
        let first = told.next()?.effective.as_deref();
        told.all(|place| place.effective.as_deref() == first).then_some(first)?
    }

    /// Places that share the state: their number, and whether they are datasets.
    pub fn where_so(&self) -> (usize, bool) {
        let so = self.places.iter().filter(|place| place.state == self.state.name());
        let (count, sets) = so.fold((0, 0), |(count, sets), place| {
            (count + 1, sets + usize::from(place.variable.is_some()))
        });
        (count, sets > 0)
    }

    /// It has a place where it is in force, as far as can be told.
    pub fn is_in_force(&self) -> bool {
        let so = [State::Applied.name(), State::Unverifiable.name()];
        self.places.iter().any(|place| so.contains(&place.state.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 12]]) -> String {
        let mut text = COLUMNS.join("\t") + "\tranks\ttimes\n";
        for row in rows {
            text += &(row.join("\t") + "\t2\t7\n");
        }
        text
    }

    #[test]
    fn places_of_a_setting_have_one_state() {
        let row = |file, effective, state, reason| {
            let name = "mpiio.cb_nodes";
            [name, "32", "", "", "", file, "", "", effective, "MPI_File_get_info", state, reason]
        };
        let text = table(&[
            row("a", "1", "changed", "1 per node"),
            row("a", "1", "changed", "1 per node"),
            row("b", "32", "applied", ""),
            row("c", "32", "nonsense", ""),
            ["hdf5.fill_time", "never", "*.h5", "", "", "a", "x", "", "", "", "applied", ""],
        ]);
        let found = of_table(&text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].asked.name, "mpiio.cb_nodes");
        assert_eq!((found[0].state, found[0].effective()), (State::Changed, Some("1")));
        assert_eq!(found[0].reason.as_deref(), Some("1 per node"));
        assert_eq!(found[0].places.len(), 2, "the same place of several parts is one");
        assert_eq!(found[0].places[0].ranks, 4);
        assert_eq!(found[1].where_so(), (1, true));
        assert_eq!(found[1].asked.scope.file.as_deref(), Some("*.h5"));
    }

    #[test]
    fn a_setting_without_a_place_says_why() {
        let mut found = Vec::new();
        let scope = Scope { file: Some("*.nc".into()), ..Scope::default() };
        let asked = Asked { name: "hdf5.chunk".into(), value: "1".into(), scope };
        add_missing(&mut found, [asked.clone(), asked]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].state, State::NotApplicable);
        let reason = found[0].reason.as_deref();
        assert_eq!(reason, Some("no HDF5 file or dataset of this run matches *.nc"));
        assert!(!found[0].is_in_force());
        // One that loses to another is not told to match nothing.
        let row = [
            "libc.stdio_buffer",
            "65536",
            "o.dat",
            "",
            "",
            "/x/o.dat",
            "",
            "",
            "",
            "",
            "applied",
            "",
        ];
        let text = table(&[row]);
        let mut found = of_table(&text);
        let scope = Scope { file: Some("*.dat".into()), ..Scope::default() };
        add_missing(
            &mut found,
            [Asked { name: "libc.stdio_buffer".into(), value: "4096".into(), scope }],
        );
        let reason = found.iter().find(|one| one.asked.value == "4096").unwrap().reason.as_deref();
        assert_eq!(reason, Some("libc.stdio_buffer=65536 ranks higher there"));
    }

    #[test]
    fn any_text_is_a_table() {
        for text in ["", "\n\n", "setting\nx", "setting\tstate\tranks\nx\tapplied\t-1\n"] {
            assert!(of_table(text).is_empty());
        }
    }
}
