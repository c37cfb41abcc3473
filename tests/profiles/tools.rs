//! Exports, read by the tools that they are for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::formats::{HOSTILE, convert, hostile};
use super::made;
use super::text;
use crate::support::{missing, root, scratch};

/// Exports with endings as `tests/peers/profiles.py` wants them.
const EXPORTS: [(&str, &str); 6] = [
    ("hatchet", "hatchet"),
    ("hatchet-literal", "literal"),
    ("caliper-json", "split.json"),
    ("cali", "cali"),
    ("speedscope", "speedscope"),
    ("pprof", "pprof"),
];

/// A folder with all exports of two runs and of one with hostile names.
fn exports(name: &str) -> PathBuf {
    let folder = scratch(&format!("profiles-tools-{name}"));
    let runs = [
        ("before", made::climate(4, 103.0)),
        ("after", made::climate(4, 35.7)),
        ("hostile", hostile()),
    ];
    for (run, profile) in &runs {
        for (format, ending) in EXPORTS {
            let bytes = convert(&format!("tools-{name}-{run}"), profile, &[format]);
            fs::write(folder.join(format!("{run}.{ending}")), bytes).unwrap();
        }
    }
    folder
}

/// What a tool in Python sees; `None` if it is missing.
fn seen(tool: &str, module: &str, folder: &Path) -> Option<Value> {
    let python = root().join("target/peers/bin/python");
    let has = Command::new(&python).args(["-c", &format!("import {module}")]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        missing(module, &python);
        return None;
    }
    let script = crate::peer::script("profiles.py");
    let output = Command::new(python).arg(script).arg(tool).arg(folder).output().unwrap();
    assert!(output.status.success(), "{tool}: {}", text(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Text that no terminal takes for a command, as exports write it.
fn has_hostile(names: &Value) -> bool {
    let names = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    // Up to the first letter that is not shown as it is.
    names.into_iter().any(|name| name.starts_with("a,b;c|d-e+f>g<h\"i\\j/k"))
}

#[test]
fn hatchet_does_what_people_do() {
    let folder = exports("hatchet");
    let Some(seen) = seen("hatchet", "hatchet", &folder) else { return };
    for (kind, ranks) in [("hatchet", 1.0), ("literal", 4.0), ("caliper", 1.0)] {
        let own = &seen[kind];
        let number = |key: &str| own[key].as_f64().unwrap();
        assert_eq!((&own["regions"], &own["is_tree"]), (&18.into(), &true.into()), "{kind}: {own}");
        assert!((number("inclusive") - 411.0 * ranks).abs() < 1e-6, "{kind}: {own}");
        // All own times are that of main; made-up children may take a little more. Without
        // ranks they are means.
        assert!((number("all") / (ranks * 411.0) - 1.0).abs() < 0.02, "{kind}: {own}");
        let large = own["filtered"].as_array().unwrap();
        assert!(large.contains(&"write_fields".into()) && !large.contains(&"grid".into()), "{own}");
        assert_eq!(own["squashed"].as_u64().unwrap(), large.len() as u64, "{kind}: {own}");
        assert!((number("saved") - 67.3 * ranks).abs() < 1e-6, "{kind}: {own}");
        assert!(has_hostile(&own["names"]), "{kind}: {own}");
    }
}

#[test]
fn caliper_reader_reads_cali() {
    let folder = exports("cali");
    let Some(seen) = seen("cali", "caliperreader", &folder) else { return };
    let paths = seen["before"]["paths"].as_array().unwrap();
    let wanted = Value::from(vec!["main", "step", "output", "write_fields"]);
    assert!(paths.contains(&wanted), "{seen}");
    let last = |path: &Value| path.as_array().unwrap().last().unwrap().clone();
    let names: Value = seen["hostile"]["paths"].as_array().unwrap().iter().map(last).collect();
    assert!(has_hostile(&names), "{names}");
}

#[test]
fn speedscope_reads_it() {
    let folder = exports("speedscope");
    let schema = root().join("target/peers/share/speedscope.schema.json");
    if !schema.exists() {
        return missing("the schema of speedscope", &schema);
    }
    fs::copy(schema, folder.join("schema.json")).unwrap();
    let Some(seen) = seen("speedscope", "jsonschema", &folder) else { return };
    assert!(seen["before"].as_array().unwrap().contains(&"write_fields".into()), "{seen}");
    assert!(has_hostile(&seen["hostile"]), "{seen}");
}

/// What `go tool pprof` says of a profile.
fn pprof(arguments: &[&str], file: &Path) -> Option<String> {
    let output = Command::new("go").args(["tool", "pprof"]).args(arguments).arg(file).output();
    let Ok(output) = output else {
        missing("pprof", Path::new("go"));
        return None;
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout))
}

#[test]
fn go_reads_pprof() {
    let folder = exports("pprof");
    let file = folder.join("before.pprof");
    let Some(top) = pprof(&["-top", "-cum", "-unit=s"], &file) else { return };
    let main = top.lines().find(|line| line.ends_with(" main")).unwrap_or_else(|| panic!("{top}"));
    // 411 s on each of four ranks, but for what made-up children take more.
    let cumulative = main.split_whitespace().nth(3).unwrap().trim_end_matches('s');
    let cumulative: f64 = cumulative.parse().unwrap_or_else(|_| panic!("{top}"));
    assert!((cumulative / (4.0 * 411.0) - 1.0).abs() < 0.02, "{top}");
    let raw = pprof(&["-raw"], &file).unwrap();
    assert!(raw.contains("write_fields") && raw.contains("rank:[3]"), "{raw}");
    let raw = pprof(&["-raw"], &folder.join("hostile.pprof")).unwrap();
    assert!(raw.contains(&HOSTILE[..20]), "{raw}");
}

#[test]
fn chrome_events_are_in_their_parents() {
    let profile = made::climate(2, 103.0);
    for profile in [&profile, &hostile()] {
        let document: Value =
            serde_json::from_slice(&convert("tools-chrome", profile, &["chrome"])).unwrap();
        let events = document["traceEvents"].as_array().unwrap();
        let mut complete: Vec<(u64, u64, f64, f64)> = Vec::new();
        for event in events.iter().filter(|event| event["ph"] == "X") {
            let [pid, tid] = ["pid", "tid"].map(|key| event[key].as_u64().unwrap());
            let [begin, time] = ["ts", "dur"].map(|key| event[key].as_f64().unwrap());
            complete.push((pid, tid, begin, begin + time));
        }
        assert!(complete.len() >= profile.regions.len());
        // By begin, and what is around before what is in it.
        complete.sort_by(|a, b| {
            (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(b.3.total_cmp(&a.3))
        });
        let mut open: Vec<(u64, u64, f64, f64)> = Vec::new();
        for event in complete {
            let is_around = |around: &(u64, u64, f64, f64)| {
                (around.0, around.1) == (event.0, event.1) && around.3 > event.2 + 1e-3
            };
            open.retain(is_around);
            assert!(open.iter().all(|around| event.3 <= around.3 + 1e-3), "{event:?} in {open:?}");
            open.push(event);
        }
    }
}
