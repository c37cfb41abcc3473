//! First trials: the advice of findings, alone and together.

use ioglass_insight::{Diagnosis, State};
use ioglass_tune::journal::Start;
use ioglass_tune::search::{From, How};
use ioglass_tune::space::{Settings, Space};
use ioglass_tune::tuning::Seed;

/// The advice of a diagnosis as settings, of each finding that has some. What is said of one file is tried
/// on all: a search does not tell files apart.
pub(super) fn of(diagnosis: &Diagnosis) -> Vec<Seed> {
    let fired = diagnosis.findings.iter().filter(|finding| finding.state == State::Fired);
    let seed = |finding: &ioglass_insight::Finding| {
        let mut settings = Settings::new();
        for one in finding.advice.iter().flat_map(|advice| &advice.settings) {
            settings.entry(one.name.clone()).or_insert_with(|| one.value.clone());
        }
        let codes = vec![finding.detector.code.to_owned()];
        Seed { from: From { codes, ..From::how(How::Advice) }, settings }
    };
    fired.map(seed).filter(|seed| !seed.settings.is_empty()).collect()
}

/// The seeds as far as a space can say them, alone and then together, each once.
pub(super) fn in_space(seeds: &[Seed], space: &Space) -> Vec<Seed> {
    let mut all = seeds.to_vec();
    if seeds.len() > 1 {
        let mut together = Seed { from: From::how(How::Advice), settings: Settings::new() };
        for seed in seeds {
            together.from.codes.extend(seed.from.codes.iter().cloned());
            for (name, value) in &seed.settings {
                together.settings.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        all.push(together);
    }
    let mut sayable: Vec<Seed> = Vec::new();
    for mut seed in all {
        seed.settings = said(&seed.settings, space);
        let is_known = sayable.iter().any(|other| other.settings == seed.settings);
        if !seed.settings.is_empty() && !is_known {
            sayable.push(seed);
        }
    }
    sayable
}

/// The settings of the nearest point: what the space does not have is left out.
fn said(settings: &Settings, space: &Space) -> Settings {
    let mut point = space.default_point();
    for (name, value) in settings {
        let Some(place) = space.place(name) else { continue };
        let values = &space.axes()[place].values;
        if let Some(value) = values.iter().position(|one| one == value) {
            point[place] = value as u16;
        }
    }
    space.settings(&space.settle(point))
}

/// The seeds of a search that goes on, from the first line of its journal.
pub(super) fn of_start(start: &Start) -> Vec<Seed> {
    let seeds = start.options.get("seeds").and_then(|seeds| seeds.as_array());
    let seed = |seed: &serde_json::Value| {
        let how: How = serde_json::from_value(seed.get("how")?.clone()).ok()?;
        let codes: Vec<String> = serde_json::from_value(seed.get("codes")?.clone()).ok()?;
        let settings: Settings = serde_json::from_value(seed.get("settings")?.clone()).ok()?;
        Some(Seed { from: From { codes, ..From::how(how) }, settings })
    };
    seeds.into_iter().flatten().filter_map(seed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioglass_tune::space::{Parameter, argument};

    fn seed(code: &str, settings: &[(&str, &str)]) -> Seed {
        let settings = settings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        let from = From { codes: vec![code.into()], ..From::how(How::Advice) };
        Seed { from, settings: settings.collect() }
    }

    #[test]
    fn advice_is_tried_alone_and_together() {
        let parameters: Vec<Parameter> =
            ["a=0,1,2", "b=0,1"].iter().map(|text| argument(text).unwrap()).collect();
        let space = Space::new(parameters).unwrap();
        let seeds = [
            seed("X01", &[("cmd.a", "1")]),
            seed("X02", &[("cmd.b", "1"), ("cmd.c", "7")]),
            seed("X03", &[("cmd.a", "1")]),
            seed("X04", &[("cmd.a", "9")]),
        ];
        let found = in_space(&seeds, &space);
        let codes: Vec<String> = found.iter().map(|seed| seed.from.codes.join("+")).collect();
        assert_eq!(codes, ["X01", "X02", "X01+X02+X03+X04"], "{found:?}");
        let together = &found[2].settings;
        assert_eq!((together["cmd.a"].as_str(), together["cmd.b"].as_str()), ("1", "1"));
    }
}
