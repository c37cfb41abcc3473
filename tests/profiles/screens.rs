//! `ioglass profile` as people and programs meet it.

use ioglass_profile::{Builder, Head, Io, Kind, Layer, Node, Process, Profile, RankKind};
use serde_json::Value;

use super::made::{self, row};
use super::{run, saved, text, word};
use crate::report_json::validator::check;
use crate::support::scratch;

#[test]
fn a_screen_shows_where_the_time_went() {
    let file = saved("climate", &made::climate(64, 103.0));
    let output = run(&["show", word(&file)]);
    let screen = text(&output.stdout);
    assert!(output.status.success());
    for line in [
        "climate_model  64 ranks  414 s  job 48213  2026-11-19 22:41 UTC",
        "! 12 notices: stray-leave 12 (-v)",
        "Files take 106 of 414 s, 99.9 of them in one region: write_fields.",
        "          median 1.17 s, one in 20 takes 8.92 s, slowest 139 with 23.6 s",
        "  region                    calls seconds itself    share  uneven   I/O    moved",
        "    step ×240              15,360     388   1.54    0.4 %",
        "        write_fields ×12      768     103    103     25 %          99.9  238 GiB",
        "        clouds             15,360    60.4   60.4     15 %    56 %",
        "        surface †53        12,720    6.88   6.88    1.7 %",
        "  Ranks 24 to 39 take 1.9× as long as the others in clouds        34.1 s   8.2 %",
    ] {
        assert!(screen.lines().any(|own| own == line), "{line}\n{screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    for width in ["24", "40", "59", "120", "200"] {
        let narrow = text(&run(&["show", "--width", width, word(&file)]).stdout);
        assert!(narrow.contains("advect"), "{narrow}");
    }
    let ascii = run(&["show", "-v", "--ascii", word(&file)]);
    assert!(ascii.stdout.is_ascii(), "{}", text(&ascii.stdout));
    let coloured = text(&run(&["show", "--color", "always", word(&file)]).stdout);
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), screen);
}

/// Numbers that need more room than usual, and very short times.
fn crowded() -> Profile {
    let mut builder = Builder::new(Head { ranks: 3, rank_kind: RankKind::Mpi, ..Head::default() });
    for rank in 0..3 {
        let mut nodes = vec![Node { name: b"main", rows: vec![row(1, 0.4)], ..Node::default() }];
        for number in 0..8 {
            let io = Io { writes: 1, bytes_written: 900, write_ns: 30_000, ..Io::default() };
            let mut row = row(12_345_678 * (1 + number), 0.000_5);
            row.io.push((Layer::Posix, io));
            let is_alone = rank == 1 && number > 4;
            let name: &[u8] = if is_alone { "alone 中".as_bytes() } else { b"w" };
            nodes.push(Node { parent: Some(0), name, rows: vec![row], ..Node::default() });
        }
        nodes.push(Node {
            parent: Some(0),
            name: b"step",
            kind: Kind::Iteration,
            rows: vec![made::iterations(&[0.001; 200])],
            ..Node::default()
        });
        builder.process(Process { rank, threads: 1, ..Process::default() }, nodes).unwrap();
    }
    builder.finish().unwrap()
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let files = [saved("crowded", &crowded()), saved("wide", &made::climate(64, 103.0))];
    for file in &files {
        for width in [40, 60, 80, 81, 132] {
            for options in
                [&[][..], &["-v"], &["--by", "all"], &["--by", "rank"], &["--depth", "1"]]
            {
                for ascii in [&[][..], &["--ascii"]] {
                    let number = width.to_string();
                    let words =
                        [&["show", "--width", &number], options, ascii, &[word(file)]].concat();
                    let screen = text(&run(&words).stdout);
                    // Commands are for pasting.
                    let lines = screen.lines().filter(|line| !line.contains("ioglass "));
                    for line in lines {
                        let columns = ioglass_report::text::width(line);
                        assert!(columns <= width, "{words:?}: {columns} columns: {line}");
                    }
                }
            }
        }
    }
}

#[test]
fn json_is_as_the_contract_says() {
    let file = saved("climate-json", &made::climate(8, 103.0));
    let json = |arguments: &[&str]| -> Value {
        let output = run(&[&["show", "--json", word(&file)], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let document = json(&[]);
    assert_eq!(document["schema"], "ioglass.profile/1");
    assert_eq!(document["by"], Value::from(vec!["rank"]));
    assert_eq!(document["profile"]["started"], "2026-11-19T22:41:00Z");
    assert_eq!(document["profile"]["processes"].as_array().unwrap().len(), 8);
    let regions = document["regions"].as_array().unwrap();
    for (id, region) in regions.iter().enumerate() {
        assert_eq!(region["id"], id);
        assert!(region["parent"].is_null() || region["parent"].as_u64().unwrap() < id as u64);
        let rows = region["rows"].as_array().unwrap();
        for field in ["calls", "open", "time_ns", "exclusive_ns"] {
            let sum: u64 = rows.iter().map(|row| row[field].as_u64().unwrap()).sum();
            assert_eq!(region["total"][field], sum, "{field}");
        }
        let ranks = &region["ranks"];
        assert_eq!(ranks["count"], rows.len());
        let (max, mean) = (ranks["max_ns"].as_f64().unwrap(), ranks["mean_ns"].as_f64().unwrap());
        assert!((ranks["imbalance"].as_f64().unwrap() - (max / mean - 1.0)).abs() < 1e-9);
    }
    let schema = ioglass_report::profile::json::schema();
    for document in [&document, &json(&["--by", "all"])] {
        let mut complaints = Vec::new();
        check(&schema, &schema, document, "", &mut complaints);
        assert!(complaints.is_empty(), "{:?}", &complaints[..complaints.len().min(3)]);
    }
    let solve = regions.iter().find(|region| region["name"] == "pressure_solve").unwrap();
    let metrics = &solve["total"]["metrics"];
    assert_eq!(metrics["cells"]["sum"], 8 * 24_000);
    assert_eq!(
        (&metrics["residual"]["unit"], &metrics["residual"]["type"]),
        (&"m/s".into(), &"value".into())
    );
    let io = &regions.iter().find(|region| region["name"] == "write_fields").unwrap()["total"]["io"]
        ["posix"];
    assert_eq!(io["bytes_written"], 8 * 3_992_977_408_u64);

    let document = json(&["--by", "iteration", "--only", "main/step", "--depth", "1"]);
    let regions = document["regions"].as_array().unwrap();
    assert_eq!((regions.len(), &regions[0]["parent"]), (1, &Value::Null));
    assert_eq!(regions[0]["path"], Value::from(vec!["main", "step"]));
    let rows = regions[0]["rows"].as_array().unwrap();
    assert_eq!(rows.len() as u64, made::STEPS);
    assert_eq!((&rows[7]["iteration"], &rows[7]["calls"]), (&7.into(), &8.into()));
    assert_eq!(rows[7]["exclusive_ns"], Value::Null);
    assert!(rows[7]["io_total"]["seconds"].is_number());
    let document = json(&["--by", "rank,iteration", "--rank", "3", "--depth", "1"]);
    let rows = document["regions"][0]["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["rank"], &rows[0]["iteration"]), (1, &3.into(), &Value::Null));
    assert_eq!(document["profile"]["ranks"], 8);
    let document = json(&["--sort", "calls"]);
    let dynamics: Vec<&Value> = document["regions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|region| region["path"].as_array().unwrap().len() == 4)
        .collect();
    assert_ne!(dynamics[0]["name"], "pressure_solve");
}

#[test]
fn wrong_usage_and_wrong_files_are_told() {
    let file = saved("usage", &made::climate(2, 103.0));
    let file = word(&file);
    for (arguments, status) in [
        (&["show", file, "--only", "nothing"][..], 2),
        (&["show", file, "--rank", "2"], 2),
        (&["show", file, "--sort", "nothing"], 2),
        (&["show", file, "--by", "colour"], 2),
        (&["show", file, "--depth", "0"], 2),
        (&["show"], 2),
        (&["show", "/nowhere.ioprof"], 3),
        (&["convert", file, "--to", "nothing"], 2),
        (&["compare", file, "/nowhere.ioprof"], 3),
        (&["show", file, "--json=/nowhere/x.json"], 5),
    ] {
        assert_eq!(run(arguments).status.code(), Some(status), "{arguments:?}");
    }
    // One of two can be read: it is shown.
    let output = run(&["show", file, "/nowhere.ioprof"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("write_fields"));
    let folder = scratch("profiles");
    let (source, log) = (folder.join("log.txt"), folder.join("usage.darshan"));
    std::fs::write(&source, "# exe: ./app\n# nprocs: 1\n").unwrap();
    let made = std::process::Command::new(crate::support::ioglass())
        .args(["convert", "--from-text", "--force", word(&source), word(&log)])
        .output();
    assert!(made.unwrap().status.success());
    let output = run(&["show", word(&log)]);
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output.stderr);
    assert!(said.contains("is a log, not a profile") && said.contains("ioglass report"), "{said}");
}

#[test]
fn changes_are_judged() {
    let before = saved("before", &made::climate(16, 103.0));
    let after = saved("after", &made::climate(16, 35.7));
    let (before, after) = (word(&before), word(&after));
    let output = run(&["compare", before, after, "--fail-on", "5"]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{screen}");
    assert!(screen.contains("Faster: 414 → 347 s. write_fields saves 67.3 s."), "{screen}");
    assert!(
        screen.lines().all(|line| line.chars().count() <= 80 || line.starts_with("next")),
        "{screen}"
    );
    let output = run(&["compare", after, before, "--fail-on", "5"]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{screen}");
    assert!(
        screen.contains("▲ 1 region slower by more than 5 %: step › output › write_fields +189 %"),
        "{screen}"
    );
    let output = run(&["compare", "--json", before, before, "--fail-on", "0"]);
    assert_eq!(output.status.code(), Some(0));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["verdict"], &json["schema"]),
        (&"same".into(), &"ioglass.profile-compare/1".into())
    );
    let fewer = saved("fewer", &made::climate(8, 103.0));
    let output = text(&run(&["compare", before, word(&fewer)]).stdout);
    assert!(output.contains("Not comparable") && output.contains("ranks 16 → 8"), "{output}");
}
