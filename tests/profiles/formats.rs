//! Formats of other tools.

use std::process::Command;

use ioglass_profile::{
    Builder, Head, Kind, Measure, Metric, MetricSeries, Node, Process, Profile, RankKind, Region,
    Row,
};
use serde_json::{Value, json};

use super::made::{self, iterations, row};
use super::{run, saved, text, word};
use crate::report_json::validator::check;
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

/// A profile with a metric in each of three iterations, and names of metrics that columns have, too.
fn measured() -> Profile {
    let mut builder = Builder::new(Head { ranks: 1, ..Head::default() });
    let names = ["cells", "heat [K]", "path", "calls", "rank", "heat [K]:last", "metric:path"];
    let numbers = names.map(|name| builder.metric(name.as_bytes()).unwrap());
    let count = |calls, sum| Measure::Count { calls, sum };
    let mut step = iterations(&[0.5, 0.25, 1.0]);
    step.calls = 3;
    step.metrics = numbers.map(|metric| Metric { metric, measure: count(6, 30) }).to_vec();
    step.metrics[1].measure =
        Measure::Value { calls: 9, sum: 66.0, min: 5.0, max: 10.0, last: 7.0 };
    let series = step.series.as_mut().unwrap();
    series.metrics = vec![
        (numbers[0], MetricSeries::Count(vec![Some(5), None, Some(25)])),
        (numbers[1], MetricSeries::Value(vec![Some(7.0), Some(-0.5), None])),
    ];
    let nodes = vec![
        Node { name: b"main", rows: vec![row(1, 2.0)], ..Node::default() },
        Node {
            parent: Some(0),
            name: b"step",
            kind: Kind::Iteration,
            rows: vec![step],
            ..Node::default()
        },
    ];
    builder.process(Process { threads: 1, ..Process::default() }, nodes).unwrap();
    builder.finish().unwrap()
}

#[test]
fn a_row_of_an_iteration_claims_no_more_than_is_known() {
    let file = saved("measured", &measured());
    let show = |words: &[&str]| {
        let output = run(&[&["show", word(&file)], words].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        output.stdout
    };
    let document: Value = serde_json::from_slice(&show(&["--json", "--by", "iteration"])).unwrap();
    let rows = document["regions"][1]["rows"].as_array().unwrap();
    let count = |sum: u64| json!({"type": "count", "unit": null, "calls": null, "sum": sum});
    let value = |last: f64| json!({"type": "value", "unit": "K", "calls": null, "sum": null, "min": null, "max": null, "last": last});
    assert_eq!(rows[0]["metrics"], json!({"cells": count(5), "heat": value(7.0)}));
    assert_eq!(rows[1]["metrics"], json!({"heat": value(-0.5)}));
    assert_eq!(rows[2]["metrics"], json!({"cells": count(25)}));
    let total = &document["regions"][1]["total"]["metrics"];
    assert_eq!((&total["cells"]["calls"], &total["heat"]["sum"]), (&6.into(), &66.0.into()));
    let schema = ioglass_report::profile::json::schema();
    let mut complaints = Vec::new();
    check(&schema, &schema, &document, "", &mut complaints);
    assert!(complaints.is_empty(), "{complaints:?}");
    // In tables sum and last value have a column each, and no name is there twice.
    let table = text(&show(&["--csv", "--by", "iteration"]));
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let at =
        |name: &str| head.iter().position(|own| *own == name).unwrap_or_else(|| panic!("{name}"));
    let own = ["cells", "heat [K]", "heat [K]:last:last"].map(at);
    let cells: Vec<Vec<&str>> =
        lines.map(|line| own.iter().map(|column| line[*column]).collect()).collect();
    assert_eq!(cells[1..], [["5", "", "7"], ["", "", "-0.5"], ["25", "", ""]]);
    let mut names = head.clone();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), head.len(), "{head:?}");
    for name in
        ["path", "metric:path", "metric:metric:path", "calls", "metric:calls", "metric:rank"]
    {
        let has_rank = name != "metric:rank";
        assert_eq!(head.contains(&name), has_rank, "{head:?}");
    }
    let by_rank = text(&show(&["--csv", "--by", "rank"]));
    assert!(by_rank.lines().next().unwrap().contains(",metric:rank"), "{by_rank}");
    assert!(by_rank.lines().nth(2).unwrap().contains(",66,"), "{by_rank}");
}

/// A chain of so many regions.
fn chain(depth: u32) -> Profile {
    let mut builder = Builder::new(Head { ranks: 1, ..Head::default() });
    let names: Vec<String> = (0..depth).map(|number| format!("n{number}")).collect();
    let nodes = names.iter().zip(0..).map(|(name, number): (_, u32)| Node {
        parent: number.checked_sub(1),
        name: name.as_bytes(),
        rows: vec![row(1, 0.001)],
        ..Node::default()
    });
    builder.process(Process { threads: 1, ..Process::default() }, nodes.collect()).unwrap();
    builder.finish().unwrap()
}

const WHOLE_PATHS: [&str; 6] = ["folded", "speedscope", "pprof", "tinyprof", "csv", "parquet"];

/// A table has a column for each metric, so it may be too wide.
#[test]
fn many_regions_and_metrics_are_read_and_a_table_of_them_is_refused() {
    const REGIONS: u32 = 60_000;
    let region = |number: u32| {
        let measure = Measure::Count { calls: 1, sum: 1 };
        let metrics = vec![Metric { metric: number, measure }];
        let visit =
            Row { calls: 1, time_ns: 7, exclusive_ns: 7, min_ns: 7, max_ns: 7, ..Row::default() };
        let name = format!("n{number:05}").into_bytes();
        Region { name, rows: vec![Row { metrics, ..visit }], ..Region::default() }
    };
    let profile = Profile {
        processes: vec![Process::default()],
        metrics: (0..REGIONS).map(|number| format!("m{number:05}").into_bytes()).collect(),
        regions: (0..REGIONS).map(region).collect(),
        ..Profile::default()
    };
    let file = saved("wide", &profile);
    let written = scratch("profiles").join("wide.out");
    for format in ["csv", "parquet"] {
        let output = run(&["convert", "--to", format, "-o", word(&written), word(&file)]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{format}: {said}");
        assert!(said.contains("too many metrics for a table"), "{format}: {said}");
    }
    let output = run(&["show", "--json", word(&file)]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("n59999"));
}

#[test]
fn what_is_too_deep_for_a_format_is_refused() {
    let file = saved("chain", &chain(20_000));
    let written = scratch("profiles").join("chain.out");
    for format in WHOLE_PATHS {
        std::fs::write(&written, "before").unwrap();
        let output = run(&["convert", "--to", format, "-o", word(&written), word(&file)]);
        let said = text(&output.stderr);
        // Numbers are shorter than names, and some formats have one byte for most of them.
        if output.status.success() {
            assert!(["pprof", "tinyprof"].contains(&format), "{format}");
            continue;
        }
        assert_eq!(output.status.code(), Some(3), "{format}: {said}");
        assert!(said.contains("is too deep") && said.contains("--to hatchet"), "{format}: {said}");
        assert_eq!(std::fs::read(&written).unwrap(), b"before", "{format}");
    }
    for format in ["hatchet", "caliper-json", "cali"] {
        let output = run(&["convert", "--to", format, "-o", word(&written), word(&file)]);
        assert!(output.status.success(), "{format}: {}", text(&output.stderr));
        assert!(text(&std::fs::read(&written).unwrap()).contains("n19999"), "{format}");
    }
    let output = run(&["show", "--csv", word(&file)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("--depth 1000"), "{}", text(&output.stderr));
    let output = run(&["show", "--csv", "--depth", "1000", word(&file)]);
    assert_eq!(text(&output.stdout).lines().count(), 1001);
    // What is deep and not too deep is written.
    let file = saved("short-chain", &chain(1500));
    for format in WHOLE_PATHS {
        let output = run(&["convert", "--to", format, word(&file)]);
        assert!(output.status.success(), "{format}: {}", text(&output.stderr));
    }
}

#[test]
fn folded_names_stay_apart() {
    let names =
        ["a;b", "a:b", "a\\u003bb", "tab\tx", "tab x", "tab\\tx", "\x1b", "\\u001b", "a\nb", "a\\"];
    let mut builder = Builder::new(Head { ranks: 1, ..Head::default() });
    let nodes = names.iter().map(|name| Node {
        name: name.as_bytes(),
        rows: vec![row(1, 0.001)],
        ..Node::default()
    });
    builder.process(Process::default(), nodes.collect()).unwrap();
    let folded = text(&convert("folded-names", &builder.finish().unwrap(), &["folded"]));
    let mut stacks: Vec<&str> =
        folded.lines().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    stacks.sort_unstable();
    let mut expected = vec![
        r"a\u003bb",
        r"a:b",
        r"a\\u003bb",
        r"tab\tx",
        "tab x",
        r"tab\\tx",
        r"\u001b",
        r"\\u001b",
        r"a\nb",
        r"a\\",
    ];
    expected.sort_unstable();
    assert_eq!(stacks, expected);
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
            let mut profile = made::climate(16, 103.0);
            // Columns have these names, too.
            let metrics = &mut profile.metrics;
            metrics.iter_mut().zip(["path", "posix_opens"]).for_each(|(own, name)| {
                *own = name.as_bytes().to_vec();
            });
            metrics.sort_unstable();
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
