//! Searches on the model: whole searches in a second, the same on every machine.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{command, empty, journal, json, run, tune};

/// The arguments of a search on the model.
const MODEL: [&str; 6] = ["--runner", "model:hopper-2048", "--quiet", "--", "ioglass", "kernel"];

/// A search of `vpic` on the model, with more options.
fn search<'a>(options: &[&'a str]) -> Vec<&'a str> {
    let kernel = MODEL.iter().copied().chain(["vpic"]);
    options.iter().copied().chain(kernel).collect()
}

#[test]
fn a_search_ends_with_a_proven_gain_and_its_settings() {
    let folder = empty("model-gain");
    let report = json(&tune(&folder, &search(&[])));
    assert_eq!(report["schema"], "ioglass.tune/1");
    assert_eq!(report["state"], "gain");
    let model = &report["model"];
    assert_eq!((&model["platform"], &model["ranks"]), (&"hopper".into(), &2048.into()));
    assert_eq!(model["kernel"], "vpic");
    assert!(report["speedup"]["low"].as_f64().unwrap() > 10.0, "{:#}", report["speedup"]);
    assert_eq!(report["speedup"]["confirmed"], true);
    assert_eq!((&report["best"], &report["search"]["runs"]), (&"best.toml".into(), &30.into()));
    let best = fs::read_to_string(folder.join("best.toml")).unwrap();
    assert!(
        best.contains("confirmed = true") && best.contains("model = \"hopper-2048\""),
        "{best}"
    );
    let (status, checked, problem) = run(command(&folder, "apply", &["--check", "best.toml"]));
    assert_eq!(status, 0, "{problem}");
    for (name, value) in report["tuned"]["settings"].as_object().unwrap() {
        let value = value.as_str().unwrap();
        assert!(checked.contains(name) && checked.contains(value), "{name}: {checked}");
    }
}

#[test]
fn every_line_says_that_it_is_a_model() {
    let folder = empty("model-lines");
    let arguments: Vec<&str> =
        search(&["--budget", "5"]).into_iter().filter(|word| *word != "--quiet").collect();
    let (status, out, aside) = run(tune(&folder, &arguments));
    assert_eq!(status, 0, "{aside}");
    assert!(out.starts_with("model result:"), "{out}");
    assert!(aside.lines().count() >= 7, "{aside}");
    for line in aside.lines() {
        assert!(line.starts_with("model "), "{line}");
    }
}

/// The search of which every test below has a copy: small, and of a searcher with much state.
const SMALL: [&str; 6] = ["--budget", "9", "--confirm", "8", "--seed", "3"];

fn without_places(mut report: Value) -> Value {
    report.as_object_mut().unwrap().remove("journal");
    report
}

#[test]
fn c4_5_a_journal_cut_at_every_line_leads_to_the_same_result() {
    let folder = empty("model-cut");
    let whole = without_places(json(&tune(&folder, &search(&SMALL))));
    let lines = fs::read_to_string(folder.join("ioglass.tune.jsonl")).unwrap();
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    assert!(lines.len() > 20, "{}", lines.len());
    for kept in 1..=lines.len() {
        // What a crash has left of the line after it is dropped.
        let half = lines.get(kept).map_or("", |line| &line[..line.len() / 2]);
        let path = folder.join("cut.jsonl");
        fs::write(&path, lines[..kept].concat() + half).unwrap();
        let options = [&SMALL[..], &["--resume", "--journal", "cut.jsonl"]].concat();
        let resumed = without_places(json(&tune(&folder, &search(&options))));
        assert_eq!(resumed, whole, "after line {kept}");
        let again = fs::read_to_string(&path).unwrap();
        assert_eq!(again.lines().count(), lines.len(), "after line {kept}");
    }
}

#[test]
fn a_replay_tells_the_same_again() {
    let folder = empty("model-replay");
    let whole = json(&tune(&folder, &search(&SMALL)));
    fs::remove_file(folder.join("best.toml")).unwrap();
    let mut again = json(&tune(&folder, &["--replay", "ioglass.tune.jsonl"]));
    again["best"] = whole["best"].clone();
    assert_eq!(again, whole);
    assert!(!folder.join("best.toml").exists(), "it writes nothing");
}

#[test]
fn another_searcher_is_replayed() {
    let folder = empty("model-other");
    json(&tune(&folder, &search(&["--budget", "40", "--search", "random"])));
    let other = json(&tune(&folder, &["--replay", "ioglass.tune.jsonl", "--search", "tpe"]));
    assert_eq!(other["search"]["method"], "tpe");
    let known = journal(&folder.join("ioglass.tune.jsonl"));
    let known: Vec<&Value> = known.iter().map(|line| &line["settings"]).collect();
    for trial in other["trials"].as_array().unwrap() {
        assert!(known.contains(&&trial["settings"]), "{trial}");
    }
}

#[test]
fn what_changed_is_named_with_both_values() {
    let folder = empty("model-changed");
    json(&tune(&folder, &search(&SMALL)));
    let resumed = |options: &[&str]| {
        let options = [&SMALL[..4], options, &["--resume"]].concat();
        run(tune(&folder, &search(&options)))
    };
    for (options, expected) in [
        (&["--seed", "4"][..], "seed: 3 in the journal, now 4"),
        (&["--seed", "3", "--search", "tpe"], "searcher: gp in the journal, now tpe"),
        (&["--seed", "3", "--cut", "3"], "cut: 2.0 in the journal, now 3.0"),
        (&["--seed", "3", "--only", "fs"], "space: "),
        (&["--seed", "3", "--objective", "time"], "objective: io min in the journal, now time min"),
    ] {
        let (status, _, aside) = resumed(options);
        assert_eq!(status, 3, "{aside}");
        assert!(aside.contains(expected), "{options:?}: {aside}");
    }
    let other = [&SMALL[..], &["--resume"]].concat();
    let mut other = search(&other);
    other.pop();
    other.push("gcrm");
    let (status, _, aside) = run(tune(&folder, &other));
    assert_eq!(status, 3, "{aside}");
    let expected = "command: ioglass kernel vpic in the journal, now ioglass kernel gcrm";
    assert!(aside.contains(expected), "{aside}");
    let (status, _, aside) = resumed(&["--seed", "3"]);
    assert_eq!(status, 0, "{aside}");
}

#[test]
fn a_journal_that_exists_is_not_overwritten() {
    let folder = empty("model-exists");
    json(&tune(&folder, &search(&SMALL)));
    let (status, _, aside) = run(tune(&folder, &search(&SMALL)));
    assert_eq!(status, 3);
    assert!(aside.contains("--resume") && aside.contains("--restart"), "{aside}");
    json(&tune(&folder, &search(&[&SMALL[..], &["--restart"]].concat())));
    let old = journal(&folder.join("ioglass.tune.jsonl.1"));
    let new = journal(&folder.join("ioglass.tune.jsonl"));
    assert_eq!(old.len(), new.len());
}

#[test]
fn more_rounds_decide_what_was_not_decided() {
    let folder = empty("model-more");
    let arguments = |rounds: &'static str, more: &'static [&'static str]| {
        let options =
            [&["--budget", "4", "--only", "hdf5", "--confirm", rounds][..], more].concat();
        search(&options)
    };
    let first = json(&tune(&folder, &arguments("0", &[])));
    assert_eq!(first["state"], "undecided");
    assert_eq!(first["speedup"]["confirmed"], false);
    assert_eq!(first["speedup"]["low"], Value::Null);
    let best = fs::read_to_string(folder.join("best.toml")).unwrap();
    assert!(best.contains("confirmed = false"), "{best}");
    let then = json(&tune(&folder, &arguments("8", &["--resume"])));
    assert_eq!(then["rounds"].as_array().unwrap().len(), 8);
    assert_eq!(then["search"]["runs"], first["search"]["runs"], "the search is not made again");
}

#[test]
fn an_expectation_that_is_not_met_is_a_status() {
    let folder = empty("model-expect");
    let expecting = |expected: &'static str, journal: &'static str| {
        let options = ["--expect", expected, "--journal", journal];
        run(tune(&folder, &search(&[&SMALL[..], &options].concat()))).0
    };
    assert_eq!(expecting("1000", "a.jsonl"), 1);
    assert_eq!(expecting("1.5", "b.jsonl"), 0);
}

#[test]
fn c13_the_space_is_a_list_of_values_and_the_result_the_best_of_them() {
    let folder = empty("model-space");
    let space = "schema = \"ioglass.space/1\"\n[[param]]\nname = \"fs.striping_factor\"\n\
                 values = [4, 64, 156]\n[[param]]\nname = \"mpiio.cb_nodes\"\nvalues = [\"256\"]\n\
                 default = \"default\"\nwhen = { \"fs.striping_factor\" = [\"156\"] }\n";
    fs::write(folder.join("space.toml"), space).unwrap();
    let options = ["--space", "space.toml", "--model-noise", "0", "--model-interference", "0"];
    let report = json(&tune(&folder, &search(&options)));
    assert_eq!(report["search"]["space"], 3);
    let settings = &report["tuned"]["settings"];
    assert_eq!(settings["fs.striping_factor"], "156");
    let allowed = ["4", "64", "156"];
    for trial in report["trials"].as_array().unwrap() {
        let settings = trial["settings"].as_object().unwrap();
        let stripes = settings.get("fs.striping_factor").and_then(Value::as_str);
        assert!(stripes.is_none_or(|stripes| allowed.contains(&stripes)), "{trial}");
        assert!(settings.get("mpiio.cb_nodes").is_none() || stripes == Some("156"), "{trial}");
    }
}

#[test]
fn c14_c16_the_genetic_algorithm_of_the_paper_makes_600_individuals() {
    let folder = empty("model-ga");
    let report = json(&tune(&folder, &search(&["--search", "ga", "--confirm", "0"])));
    assert_eq!(report["search"]["asks"], 602, "the two default runs are extra");
    let lines = journal(&folder.join("ioglass.tune.jsonl"));
    assert_eq!(lines[0]["options"]["population"]["size"], 15);
    assert_eq!(lines[0]["options"]["population"]["generations"], 40);
    let born: Vec<&Value> =
        lines.iter().map(|line| &line["from"]).filter(|from| from["how"] == "ga").collect();
    assert_eq!(born.len(), 600);
    assert_eq!(born[599]["generation"], 40);
    let second = born.iter().find(|from| from["generation"] == 2).unwrap();
    assert!(second["parents"].as_array().is_some_and(|parents| !parents.is_empty()), "{second}");
    // Repeats are answered from the run before, unless that is not wanted.
    let cached = report["search"]["cached"].as_u64().unwrap();
    assert!(cached > 0);
    let all = ["--search", "ga", "--confirm", "0", "--no-cache", "--journal", "all.jsonl"];
    let all = json(&tune(&folder, &search(&all)));
    assert_eq!((&all["search"]["cached"], &all["search"]["runs"]), (&0.into(), &602.into()));
}

#[test]
fn c17_the_best_settings_are_stored_and_c22_the_space_can_be_edited() {
    let folder = empty("model-only");
    let options = ["--only", "fs.striping_factor,mpiio", "--xml", "best.xml", "-o", "my.toml"];
    let report = json(&tune(&folder, &search(&options)));
    let settings = report["tuned"]["settings"].as_object().unwrap();
    assert!(settings.keys().all(|name| !name.starts_with("hdf5")), "{settings:?}");
    assert_eq!(report["best"], "my.toml");
    let (status, out, aside) = run(command(&folder, "apply", &["--to", "xml", "my.toml"]));
    assert_eq!(status, 0, "{aside}");
    assert_eq!(out, fs::read_to_string(folder.join("best.xml")).unwrap());
}

#[test]
fn c24_each_layer_is_run_alone() {
    let folder = empty("model-layers");
    let report = json(&tune(&folder, &search(&[])));
    let layers = report["layers"].as_array().unwrap();
    assert!(layers.len() >= 2, "{layers:?}");
    let all = report["speedup"]["median"].as_f64().unwrap();
    for layer in layers {
        assert_eq!(layer["rounds"], 2);
        assert!(layer["speedup"].as_f64().unwrap() < 1.5 * all, "{layer}");
    }
}

#[test]
fn c25_marginal_effects_come_from_the_journal() {
    let folder = empty("model-effects");
    let report = json(&tune(&folder, &search(&[])));
    let effects = report["effects"].as_array().unwrap();
    assert!(effects.iter().any(|effect| effect["name"] == "fs.striping_factor"), "{effects:?}");
    assert!(effects.iter().all(|effect| effect["trials"].as_u64().unwrap() > 0));
}

#[test]
fn a_model_runs_nothing_but_its_kernels() {
    let folder = empty("model-kernels");
    for words in [
        &["true"][..],
        &["ioglass", "kernel", "other"],
        &["ioglass", "kernel"],
        &["ioglass", "run", "vpic"],
        &["ioglass", "kernel", "vpic", "--steps", "3"],
    ] {
        let arguments = [&["--runner", "model:hopper-128", "--"][..], words].concat();
        let (status, _, aside) = run(tune(&folder, &arguments));
        assert_eq!(status, 2, "{words:?}: {aside}");
    }
    assert_eq!(super::names(&folder), Vec::<String>::new());
    assert!(!Path::new("best.toml").exists());
}
