//! Settings that were injected, and what became of them: text and JSON.

mod params;
mod terminal;
mod verify;

pub use params::{json as params_json, markdown as params_markdown, terminal as params_terminal};
pub use terminal::write;
pub(crate) use terminal::{Row, changed, line, write_row};
#[cfg(feature = "schema")]
pub use verify::schema;
pub use verify::{Schema, Setting, Stack, Verify};

use std::collections::BTreeMap;

use ioglass_insight::settings::SettingOutcome;
use ioglass_param::State;

/// How many settings are in each state, such as `6 applied, 1 changed`.
pub fn counts(outcomes: &[SettingOutcome]) -> String {
    let mut counts: BTreeMap<State, usize> = BTreeMap::new();
    for outcome in outcomes {
        *counts.entry(outcome.state).or_default() += 1;
    }
    let order = [State::Applied, State::Changed, State::NotApplicable, State::Unverifiable];
    let words = order
        .into_iter()
        .filter_map(|state| counts.get(&state).map(|count| format!("{count} {}", state.name())));
    words.collect::<Vec<_>>().join(", ")
}
