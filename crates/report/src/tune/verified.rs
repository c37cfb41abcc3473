//! What became of settings in a run, as a result has it.

use std::collections::BTreeSet;

use ioglass_insight::settings::SettingOutcome;
use ioglass_param::State;
use ioglass_tune::report::Verified;

/// What became of the settings of a run.
pub fn verified(outcomes: &[SettingOutcome]) -> Vec<Verified> {
    outcomes.iter().map(one).collect()
}

fn one(outcome: &SettingOutcome) -> Verified {
    let state = outcome.state.name();
    let places = || outcome.places.iter().filter(|place| place.state == state);
    let files: BTreeSet<&str> = places().filter_map(|place| place.file.as_deref()).collect();
    let variables = places().filter(|place| place.variable.is_some()).count() as u64;
    let effective = outcome.effective().filter(|_| outcome.state == State::Changed);
    Verified {
        name: outcome.asked.name.clone(),
        state: state.to_owned(),
        requested: outcome.asked.value.clone(),
        effective: effective.map(str::to_owned),
        reason: outcome.reason.clone(),
        files: files.len() as u64,
        variables,
        by: places().find_map(|place| place.by.clone()),
    }
}
