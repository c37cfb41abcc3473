//! Formats of other tools.

use std::process::Command;

use ioglass_profile::{Builder, Head, Node, Process, Profile, RankKind};
use serde_json::Value;

use super::made::{self, iterations, row};
use super::{run, saved, text, word};
use crate::support::{missing, root, scratch};

/// Names with everything that separates something somewhere.
pub(super) const HOSTILE: &str = "a,b;c|d-e+f>g<h\"i\\j/k\nl=m\u{1b}[31mn\u{202e}o";

/// A profile with such names, some of them on one rank alone.
pub(super) fn hostile() -> Profile {
    let mut builder = Builder::new(Head { ranks: 2, rank_kind: RankKind::Mpi, ..Head::default() });
    for rank in 0..2 {
        let mut nodes = vec![
            Node { name: b"main", rows: vec![row(1, 3.0)], ..Node::default() },
            Node {
                parent: Some(0),
                name: HOSTILE.as_bytes(),
                rows: vec![row(2, 1.0)],
                ..Node::default()
            },
            Node { parent: Some(0), name: b"\xFF\xFE", rows: vec![row(2, 0.5)], ..Node::default() },
        ];
        if rank == 1 {
            nodes.push(Node {
                parent: Some(0),
                name: b"only1",
                rows: vec![row(1, 0.25)],
                ..Node::default()
            });
        }
        builder.process(Process { rank, ..Process::default() }, nodes).unwrap();
    }
    builder.finish().unwrap()
}

/// A profile in another format.
pub(super) fn convert(name: &str, profile: &Profile, arguments: &[&str]) -> Vec<u8> {
    let file = saved(name, profile);
    let output = run(&[&["convert", word(&file), "--to"], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    output.stdout
}

#[test]
fn hostile_names_are_harmless_everywhere() {
    let profile = hostile();
    let file = saved("hostile", &profile);
    let is_harmless = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}'))
    };
    for format in ["hatchet", "hatchet-literal", "caliper-json", "speedscope", "chrome"] {
        let output = convert("hostile", &profile, &[format]);
        assert!(is_harmless(&output), "{format}");
        let json: Value = serde_json::from_slice(&output).unwrap();
        assert!(has_text(&json, HOSTILE), "{format}: {json}");
    }
    // These have no escapes.
    for format in ["folded", "cali"] {
        let written = convert("hostile", &profile, &[format]);
        assert!(is_harmless(&written), "{format}");
        assert!(text(&written).contains(r"u001b[31mn"), "{format}: {}", text(&written));
    }
    for arguments in [&["-v"][..], &["--md"], &["--json"], &["--by", "rank"]] {
        let output = run(&[&["show", word(&file)], arguments].concat());
        assert!(output.status.success());
        assert!(is_harmless(&output.stdout), "{arguments:?}: {}", text(&output.stdout));
    }
    let folded = text(&convert("hostile", &profile, &["folded"]));
    assert!(folded.lines().all(|line| line.split(';').count() <= 2), "{folded}");
    let json: Value =
        serde_json::from_slice(&run(&["show", "--json", word(&file)]).stdout).unwrap();
    let names: Vec<&str> = json["regions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|region| region["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&HOSTILE));
    let bad =
        json["regions"].as_array().unwrap().iter().find(|region| region["name_hex"] != Value::Null);
    assert_eq!(bad.unwrap()["name_hex"], "fffe");
    // A path with what separates names is found again.
    let only = "main/a,b;c|d-e+f>g<h\"i\\\\j\\/k\nl=m\u{1b}[31mn\u{202e}o";
    let output = run(&["show", "--json", "--only", only, word(&file)]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["regions"].as_array().unwrap().len(), 1);
}

/// Returns true if a value has this text somewhere.
fn has_text(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text == wanted,
        Value::Array(list) => list.iter().any(|value| has_text(value, wanted)),
        Value::Object(fields) => fields.values().any(|value| has_text(value, wanted)),
        _ => false,
    }
}

/// Files and pipes have names as they are; a terminal gets nothing that it would obey.
#[test]
fn names_are_exact_where_no_terminal_is() {
    let file = saved("exact", &hostile());
    let quoted = format!("\"{}\"", HOSTILE.replace('"', "\"\""));
    let all =
        [&["convert", "--to", "csv"][..], &["convert", "--to", "tinyprof"], &["show", "--csv"]];
    for words in all {
        let words = [words, &[word(&file)]].concat();
        let piped = run(&words);
        assert!(piped.status.success(), "{}", text(&piped.stderr));
        assert!(text(&piped.stdout).contains(&quoted), "{words:?}: {}", text(&piped.stdout));
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))";
        let mut command = Command::new("python3");
        command.args(["-c", script]).arg(crate::support::ioglass()).arg("profile").args(&words);
        let shown = command.stdin(std::process::Stdio::null()).output().unwrap();
        let shown = text(&shown.stdout);
        assert!(shown.contains("main") && shown.contains("[31mn"), "{words:?}: {shown}");
        assert!(!shown.contains(['\x1b', '\u{202e}']), "{words:?}: {shown:?}");
    }
    // What was written is read again.
    let written = scratch("profiles").join("exact.csv");
    std::fs::write(&written, run(&["convert", "--to", "tinyprof", word(&file)]).stdout).unwrap();
    let read = run(&["show", "--json", word(&written)]);
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert!(has_text(&read, HOSTILE), "{read}");
    // Protocol buffers and Parquet have any text.
    let mut pprof = Vec::new();
    let packed = run(&["convert", "--to", "pprof", word(&file)]).stdout;
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut pprof).unwrap();
    assert!(pprof.windows(HOSTILE.len()).any(|bytes| bytes == HOSTILE.as_bytes()));
    let parquet = run(&["convert", "--to", "parquet", word(&file)]).stdout;
    assert!(parquet.windows(HOSTILE.len()).any(|bytes| bytes == HOSTILE.as_bytes()));
}

#[test]
fn hatchet_has_a_row_for_every_region_and_rank() {
    let json: Value =
        serde_json::from_slice(&convert("hostile", &hostile(), &["hatchet"])).unwrap();
    let rows = json["dataframe"].as_array().unwrap();
    assert_eq!(rows.len(), 4 * 2);
    let absent: Vec<&Value> = rows.iter().filter(|row| row["present"] == 0).collect();
    assert_eq!(absent.len(), 1);
    assert_eq!((&absent[0]["name"], &absent[0]["time"]), (&Value::from("only1"), &Value::Null));
    let main = rows.iter().find(|row| row["name"] == "main" && row["rank"] == 0).unwrap();
    assert_eq!((&main["time (inc)"], &main["time"]), (&Value::from(3.0), &Value::from(1.5)));
}

#[test]
fn folded_stacks_add_up() {
    let profile = made::climate(4, 103.0);
    let folded = text(&convert("folded", &profile, &["folded"]));
    let own = |line: &str| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap();
    let all: u64 = folded.lines().map(own).sum();
    let main: u64 = profile.regions[0].rows.iter().map(|row| row.time_ns).sum();
    // Made-up children may take a little more than their parents.
    assert!(all.abs_diff(main) < main / 50, "{all} {main}");
    let by_rank = text(&convert("folded", &profile, &["folded", "--ranks", "all"]));
    assert!(by_rank.lines().all(|line| line.starts_with("rank ")));
    let max = text(&convert("folded", &profile, &["folded", "--ranks", "max"]));
    assert_eq!(max.lines().count(), profile.regions.len());
}

#[test]
fn text_of_tinyprof_comes_back() {
    let mut builder =
        Builder::new(Head { ranks: 3, rank_kind: RankKind::Mpi, executions: 2, ..Head::default() });
    for rank in 0..3 {
        let second = ioglass_profile::Row { execution: 1, ..row(1, 2.5) };
        let mut nodes = vec![
            Node { name: b"main", rows: vec![row(1, 4.0), second], ..Node::default() },
            Node {
                parent: Some(0),
                name: b"st,ep",
                kind: ioglass_profile::Kind::Iteration,
                rows: vec![iterations(&[0.5, 0.25, 1.0])],
                ..Node::default()
            },
        ];
        if rank == 1 {
            nodes.push(Node {
                parent: Some(1),
                name: b"only1",
                rows: vec![row(1, 0.1)],
                ..Node::default()
            });
        }
        builder.process(Process { rank, threads: 1, ..Process::default() }, nodes).unwrap();
    }
    let profile = builder.finish().unwrap();
    let written = text(&convert("tinyprof", &profile, &["tinyprof"]));
    assert!(written.starts_with("main,1,\"st,ep\",2,only1,3\nid,tag,is_loop,times\n"), "{written}");
    assert!(written.contains("\n1>2,,1,0.500000000+0.250000000+1.000000000|"), "{written}");
    assert!(written.contains("\n1>2>3,,0,|0.100000000|\n"), "{written}");
    let file = scratch("profiles").join("tinyprof.csv");
    std::fs::write(&file, &written).unwrap();
    let rows = |path: &str| -> Value {
        let output = run(&["show", "--json", "--by", "all", path]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let regions = json["regions"].as_array().unwrap().iter();
        regions
            .map(|region| Value::from(vec![region["path"].clone(), region["rows"].clone()]))
            .collect()
    };
    let (read, original) = (rows(word(&file)), rows(word(&saved("tinyprof", &profile))));
    // Without a recorder there is no I/O of iterations; the rest is the same.
    assert_eq!(read, original);
    std::fs::write(&file, "id,tag,is_loop,times\nmain,,0,abc\n").unwrap();
    let output = run(&["show", word(&file)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("line 2"), "{}", text(&output.stderr));
}

/// Compares the cells of a table with those of CSV.
const COMPARE: &str = r#"
import csv, sys
import pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
with open(sys.argv[2], newline="") as file:
    head, *lines = csv.reader(file)
assert table.column_names == head, table.column_names
assert table.num_rows == len(lines) > 100, table.num_rows
for name, text in zip(head, zip(*lines)):
    for cell, other in zip(table[name].to_pylist(), text):
        same = other == "" if cell is None else type(cell)(other) == cell
        assert same, (name, cell, other)
types = {name: str(table.schema.field(name).type) for name in ("path", "rank", "time_ns")}
assert types == {"path": "string", "rank": "int64", "time_ns": "int64"}, types
"#;

#[test]
fn arrow_reads_parquet() {
    let python = root().join("target/peers/bin/python");
    let has = Command::new(&python).args(["-c", "import pyarrow"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        return missing("PyArrow", &python);
    }
    let folder = scratch("profiles-parquet");
    for (name, by) in [("rows", &[][..]), ("all", &["--by", "all"])] {
        let files = ["parquet", "csv"].map(|format| {
            let profile = made::climate(16, 103.0);
            let bytes = convert("for-arrow", &profile, &[&[format], by].concat());
            let file = folder.join(format!("{name}.{format}"));
            std::fs::write(&file, bytes).unwrap();
            file
        });
        let words = ["-c", COMPARE, word(&files[0]), word(&files[1])];
        let output = Command::new(&python).args(words).output().unwrap();
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    }
}
