//! `ioglass report --compare` as people meet it: verdicts, findings, formats, bad input.

mod page;
mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_report::text::width;
use serde_json::{Value, json};

use crate::report_json::validator::check;
use crate::support::{ioglass, scratch};

/// Runs the command, in a directory.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(ioglass()).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A run that writes one file.
#[derive(Clone, Copy)]
struct Made {
    seconds: f64,
    /// Requests, and bytes of each.
    requests: (u64, u64),
    /// Seconds in writes.
    writing: f64,
    ranks: u64,
    command: &'static str,
}

/// Small writes, which hold the run back.
const SMALL: Made = Made {
    seconds: 40.0,
    requests: (262_144, 1024),
    writing: 34.0,
    ranks: 1,
    command: "./writer -b 1k",
};
/// The same bytes in large writes.
const LARGE: Made = Made {
    seconds: 12.0,
    requests: (64, 4 << 20),
    writing: 5.0,
    ranks: 1,
    command: "./writer -b 4M",
};

impl Made {
    fn taking(self, seconds: f64) -> Self {
        Self { seconds, writing: self.writing * seconds / self.seconds, ..self }
    }

    /// Makes the log. The text is read by the command itself.
    fn write(&self, log: &Path) {
        let (count, size) = self.requests;
        let bytes = count * size;
        let class = if size > 1 << 20 { "4M_10M" } else { "100_1K" };
        let mut lines = format!(
            "# exe: {}\n# nprocs: {}\n# run time: {:.6}\n",
            self.command, self.ranks, self.seconds
        );
        for (counter, value) in [
            ("OPENS".to_owned(), 1.0),
            ("WRITES".to_owned(), count as f64),
            ("BYTES_WRITTEN".to_owned(), bytes as f64),
            ("MAX_BYTE_WRITTEN".to_owned(), bytes as f64 - 1.0),
            ("SEQ_WRITES".to_owned(), count as f64 - 1.0),
            ("CONSEC_WRITES".to_owned(), count as f64 - 1.0),
            (format!("SIZE_WRITE_{class}"), count as f64),
            ("ACCESS1_ACCESS".to_owned(), size as f64),
            ("ACCESS1_COUNT".to_owned(), count as f64),
            ("F_WRITE_TIME".to_owned(), self.writing),
        ] {
            lines += &format!("POSIX\t0\t7\tPOSIX_{counter}\t{value}\t/data/out\t/\text4\n");
        }
        let source = log.with_extension("txt");
        fs::write(&source, lines).unwrap();
        let texts = [source.to_str().unwrap(), log.to_str().unwrap()];
        let output =
            run(Path::new("/"), &["convert", "--from-text", "--force", texts[0], texts[1]]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::remove_file(source).unwrap();
    }
}

/// An empty directory with logs in `before` and `after`.
fn sides(name: &str, before: &[Made], after: &[Made]) -> PathBuf {
    let folder = scratch(&format!("compare-{name}"));
    for (side, runs) in [("before", before), ("after", after)] {
        let side = folder.join(side);
        if side.exists() {
            fs::remove_dir_all(&side).unwrap();
        }
        fs::create_dir(&side).unwrap();
        for (made, number) in runs.iter().zip(1..) {
            made.write(&side.join(format!("run{number}.darshan")));
        }
    }
    folder
}

fn times(made: Made, seconds: &[f64]) -> Vec<Made> {
    seconds.iter().map(|seconds| made.taking(*seconds)).collect()
}

/// The JSON of the comparison of both directories.
fn compared(folder: &Path, more: &[&str]) -> Value {
    let arguments = [&["report", "--compare", "before", "after", "--json"], more].concat();
    let output = run(folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn state<'v>(comparison: &'v Value, part: &str) -> &'v str {
    comparison[part]["state"].as_str().unwrap()
}

/// What became of a finding; nothing if it is not listed.
fn change<'v>(comparison: &'v Value, code: &str) -> &'v str {
    let mut findings = comparison["findings"].as_array().unwrap().iter();
    let found = findings.find(|finding| finding["code"] == code);
    found.map_or("", |finding| finding["change"].as_str().unwrap())
}

fn quantity<'v>(comparison: &'v Value, name: &str) -> &'v Value {
    let mut quantities = comparison["quantities"].as_array().unwrap().iter();
    quantities.find(|quantity| quantity["name"] == name).unwrap()
}

#[test]
fn a_cure_is_proved() {
    let before = times(SMALL, &[39.8, 40.9, 41.5, 43.0]);
    let after = times(LARGE, &[12.1, 12.4, 12.8, 13.4]);
    let folder = sides("fixed", &before, &after);
    let found = compared(&folder, &[]);
    assert_eq!(state(&found, "verdict"), "fixed");
    assert_eq!(state(&found, "same_work"), "same");
    let verdict = &found["verdict"];
    assert_eq!(verdict["certainty"], "interval");
    // The 16 ratios, their middle and their ends: k is 1 with 4 and 4 runs.
    let mut ratios: Vec<f64> = [12.1, 12.4, 12.8, 13.4]
        .iter()
        .flat_map(|after| [39.8, 40.9, 41.5, 43.0].map(|before| after / before))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let is = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(is(&verdict["ratio"], f64::midpoint(ratios[7], ratios[8])), "{verdict}");
    assert!(is(&verdict["low"], ratios[0]) && is(&verdict["high"], ratios[15]), "{verdict}");
    assert!(is(&verdict["coverage"], 1.0 - 2.0 / 70.0), "{verdict}");
    let promise = &found["promise"];
    assert!(is(&promise["saved_seconds"], 41.2 - 12.6), "{promise}");
    let kept =
        promise["saved_seconds"].as_f64().unwrap() / promise["promised_seconds"].as_f64().unwrap();
    assert!(is(&promise["kept"], kept), "{promise}");
    assert_eq!(change(&found, "A01"), "gone");
    let arguments =
        json!({"what": "arguments", "before": "-b 1k", "after": "-b 4M", "decides": false});
    assert_eq!(found["same_work"]["differences"], json!([arguments]));
    assert_eq!(quantity(&found, "requests")["before"], 262_144.0);
    assert_eq!(quantity(&found, "requests")["after"], 64.0);
    assert_eq!(quantity(&found, "requests")["meaning"], "better");
    assert_eq!(quantity(&found, "read_seconds")["before"], Value::Null);
    assert_eq!(found["before"]["reports"], Value::Null);
    let detailed = compared(&folder, &["-v"]);
    assert_eq!(detailed["before"]["reports"].as_array().unwrap().len(), 4);
}

/// The state, the certainty and the exit status with --fail-on for each verdict.
#[test]
fn every_verdict() {
    type Row = (&'static str, &'static str, Vec<Made>, Vec<Made>, i32);
    let spread = [40.0, 41.0, 39.0, 60.0];
    let wide = [44.0, 45.0, 46.0, 30.0];
    let rows: [Row; 8] = [
        ("fixed", "single", vec![SMALL], vec![LARGE], 0),
        (
            "faster",
            "interval",
            times(SMALL, &[40.0, 41.0, 42.0]),
            times(SMALL, &[20.0, 21.0, 22.0]),
            0,
        ),
        ("faster", "weak", times(LARGE, &[40.0, 41.0]), times(LARGE, &[20.0, 21.0]), 0),
        (
            "slower",
            "interval",
            times(SMALL, &[20.0, 21.0, 22.0]),
            times(SMALL, &[40.0, 41.0, 42.0]),
            1,
        ),
        ("slower", "single", vec![LARGE], vec![SMALL], 1),
        (
            "no-change",
            "interval",
            times(SMALL, &[40.0, 41.0, 42.0]),
            times(SMALL, &[40.1, 41.1, 42.1]),
            0,
        ),
        ("inconclusive", "interval", times(SMALL, &spread), times(SMALL, &wide), 0),
        ("inconclusive", "single", vec![SMALL], vec![SMALL.taking(35.0)], 0),
    ];
    for ((expected, certainty, before, after, status), number) in rows.into_iter().zip(1..) {
        let folder = sides(&format!("verdict-{number}"), &before, &after);
        let found = compared(&folder, &[]);
        assert_eq!(state(&found, "verdict"), expected, "{number}: {}", found["verdict"]);
        assert_eq!(found["verdict"]["certainty"], certainty, "{number}");
        let output =
            run(&folder, &["report", "--compare", "before", "after", "--fail-on", "slower"]);
        assert_eq!(output.status.code(), Some(status), "{number}");
        let shown = text(&output.stdout);
        let sentence = found["verdict"]["sentence"].as_str().unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&shown).contains(&words(sentence)), "{shown}");
    }
}

#[test]
fn other_work_is_not_compared_in_seconds() {
    let other_bytes = Made { requests: (32, 4 << 20), ..LARGE };
    let rows = [
        ("program", Made { command: "./other", ..LARGE }),
        ("ranks", Made { ranks: 2, ..LARGE }),
        ("bytes", other_bytes),
    ];
    for (what, after) in rows {
        let folder = sides(&format!("other-{what}"), &[SMALL], &[after]);
        let found = compared(&folder, &[]);
        assert_eq!(state(&found, "verdict"), "not-comparable", "{what}");
        assert_eq!(state(&found, "same_work"), "different", "{what}");
        let differences = found["same_work"]["differences"].as_array().unwrap();
        assert!(differences.iter().any(|it| it["what"] == what && it["decides"] == true), "{what}");
        for quantity in found["quantities"].as_array().unwrap() {
            assert!(quantity["unit"] != "s" || quantity["ratio"].is_null(), "{what}: {quantity}");
        }
        assert!(found["promise"].is_null() && found["verdict"]["ratio"].is_null(), "{what}");
        let shown = text(&run(&folder, &["report", "--compare", "before", "after"]).stdout);
        assert!(shown.contains("\n! Not the same work: "), "{shown}");
        assert!(!shown.contains("run time"), "no second is claimed: {shown}");
        assert!(shown.contains("--compare before after --same-work"), "{shown}");
        let assumed = compared(&folder, &["--same-work"]);
        assert_eq!(state(&assumed, "same_work"), "assumed", "{what}");
        assert_eq!(assumed["verdict"]["state"], "fixed", "{what}");
    }
}

#[test]
fn what_became_of_findings() {
    let spread = [1.0, 1.01, 1.02, 1.03];
    let runs = |made: Made, factor: f64| times(made, &spread.map(|it| it * factor * made.seconds));
    let rows = [
        ("gone", runs(SMALL, 1.0), runs(LARGE, 1.0)),
        ("new", runs(LARGE, 1.0), runs(SMALL, 1.0)),
        ("better", runs(SMALL, 1.0), runs(SMALL, 0.5)),
        ("worse", runs(SMALL, 0.5), runs(SMALL, 1.0)),
        ("same", runs(SMALL, 1.0), runs(SMALL, 1.0)),
    ];
    for (expected, before, after) in rows {
        let folder = sides(&format!("finding-{expected}"), &before, &after);
        let found = compared(&folder, &[]);
        assert_eq!(change(&found, "A01"), expected, "{}", found["findings"]);
        let output = run(&folder, &["report", "--compare", "before", "after", "--fail-on", "new"]);
        assert_eq!(output.status.code(), Some(i32::from(expected == "new")), "{expected}");
        let shown = text(&output.stdout);
        let line = shown.lines().find(|line| line.contains("A01 small-requests")).unwrap();
        assert!(line.contains(expected), "{shown}");
        assert_eq!(expected != "new", shown.contains("\n  new      none\n"), "{shown}");
    }
    // One run each cannot tell that it costs less.
    let folder = sides("finding-single", &[SMALL], &[SMALL.taking(20.0)]);
    assert_eq!(change(&compared(&folder, &[]), "A01"), "same");
}

#[test]
fn sides_are_logs_directories_or_patterns_and_a_log_counts_once() {
    let folder = sides("sides", &times(SMALL, &[40.0, 41.0]), &times(LARGE, &[12.0, 13.0]));
    let json = |arguments: &[&str]| -> Value {
        let output = run(&folder, &[&["report", "--json"], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let expected = json(&["--compare", "before", "after"]);
    let ways: [&[&str]; 5] = [
        &["after", "--compare", "before"],
        &["--compare", "before/*.darshan", "after/*.darshan"],
        &["--compare", "**/before/run?.darshan", "after"],
        &["after", "--compare", "before/run1.darshan", "--compare", "before/run2.darshan"],
        &[
            "after",
            "after/run1.darshan",
            "--compare",
            "before",
            "--compare",
            "./before/run1.darshan",
        ],
    ];
    for way in ways {
        let found = json(way);
        assert_eq!(found["verdict"], expected["verdict"], "{way:?}");
        assert_eq!(found["after"]["run_seconds"], json!([12.0, 13.0]), "{way:?}");
    }
    // Patterns are for plain reports too.
    let output = run(&folder, &["report", "--quiet", "before/*.darshan"]);
    assert_eq!(text(&output.stdout).lines().count(), 2);
}

#[test]
fn what_cannot_be_compared_is_left_out_and_told() {
    let folder = sides("bad", &times(SMALL, &[40.0, 41.0, 42.0]), &[LARGE]);
    let sound = fs::read(folder.join("before/run1.darshan")).unwrap();
    fs::write(folder.join("before/cut.darshan"), &sound[..sound.len() - 20]).unwrap();
    fs::write(folder.join("before/empty.darshan"), "").unwrap();
    Made { ranks: 4, ..SMALL }.write(&folder.join("before/odd.darshan"));
    let arguments = ["report", "--compare", "before", "--compare", "missing", "after"];
    let output = run(&folder, &[&arguments[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["before"]["run_seconds"], json!([40.0, 41.0, 42.0]));
    let left_out = found["before"]["left_out"].as_array().unwrap();
    let reason = |name: &str| {
        let mut found = left_out.iter().filter(|it| it["log"].as_str().unwrap().ends_with(name));
        found.next().unwrap()["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(reason("odd.darshan"), "it has ranks 4, the others 1");
    assert_eq!(reason("cut.darshan"), "it is truncated");
    assert!(!reason("empty.darshan").is_empty());
    assert!(!reason("missing").is_empty());
    assert_eq!(left_out.len(), 4);
    let errors = text(&output.stderr);
    for name in ["cut.darshan is truncated", "empty.darshan", "missing"] {
        assert!(errors.contains(name), "{name}: {errors}");
    }
    assert!(errors.contains("It is left out of the comparison."), "{errors}");
    let shown = text(&run(&folder, &arguments).stdout);
    assert!(shown.contains("! Left out: odd.darshan: it has ranks 4, the others 1."), "{shown}");
}

#[test]
fn a_side_without_a_sound_log_is_status_3() {
    let folder = sides("empty", &[SMALL], &[]);
    let sound = fs::read(folder.join("before/run1.darshan")).unwrap();
    fs::write(folder.join("cut.darshan"), &sound[..sound.len() - 20]).unwrap();
    for side in ["after", "missing.darshan", "*.nothing", "cut.darshan", "[", "/dev/null"] {
        for arguments in
            [["report", "--compare", "before", side], ["report", "--compare", side, "before"]]
        {
            let output = run(&folder, &arguments);
            assert_eq!(output.status.code(), Some(3), "{arguments:?}");
            assert!(output.stdout.is_empty(), "{arguments:?}");
            let errors = text(&output.stderr);
            assert!(errors.contains("there is no sound log of "), "{errors}");
            assert!(errors.contains("help:  ioglass report --compare BEFORE AFTER"), "{errors}");
        }
    }
}

#[test]
fn arguments_that_make_no_sense_are_status_2() {
    let folder = sides("usage", &[SMALL], &[LARGE]);
    let rows: [&[&str]; 10] = [
        &["--compare", "before"],
        &["--compare", "before", "after", "--fail-on", "high"],
        &["--compare", "before", "after", "--fail-on", "nonsense"],
        &["before", "--fail-on", "slower"],
        &["before", "--fail-on", "high,new"],
        &["before", "--same-work"],
        &["before", "--csv"],
        &["--compare", "before", "after", "--codes"],
        &["--compare", "before", "after", "--only", "A01"],
        &["--compare", "before", "after", "--csv", "--md"],
    ];
    for arguments in rows {
        let output = run(&folder, &[&["report"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    let output = run(&folder, &["report", "--compare", "before", "after", "--json=no/such/file"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
}

#[test]
fn either_of_several_failures_is_one() {
    let folder = sides("fail", &[LARGE], &[SMALL.taking(11.9)]);
    let status = |fail_on: &str| {
        run(&folder, &["report", "--compare", "before", "after", "--fail-on", fail_on])
            .status
            .code()
    };
    assert_eq!(status("slower"), Some(0));
    assert_eq!(status("new"), Some(1));
    assert_eq!(status("slower,new"), Some(1));
}

#[test]
fn the_json_is_as_its_schema_says() {
    let schema = ioglass_report::compare::json::schema();
    let rows = [
        (vec![SMALL], vec![LARGE]),
        (times(SMALL, &[40.0, 41.0]), times(LARGE, &[12.0, 13.0])),
        (vec![SMALL], vec![Made { ranks: 2, ..LARGE }]),
    ];
    for ((before, after), number) in rows.into_iter().zip(1..) {
        let folder = sides(&format!("schema-{number}"), &before, &after);
        for more in [&[][..], &["-v"], &["--same-work"]] {
            let found = compared(&folder, more);
            let mut complaints = Vec::new();
            check(&schema, &schema, &found, "", &mut complaints);
            assert!(complaints.is_empty(), "{number} {more:?}: {complaints:#?}");
            let quantities = found["quantities"].as_array().unwrap().iter();
            let names: Vec<&str> = quantities.map(|it| it["name"].as_str().unwrap()).collect();
            let all = "run_seconds io_seconds io_share read_seconds write_seconds mpiio_seconds \
                       hdf5_seconds pnetcdf_seconds text_seconds metadata_seconds waiting_seconds \
                       bytes_read bytes_written bytes_per_second requests common_size files ranks \
                       avoidable_seconds";
            assert_eq!(names, all.split_whitespace().collect::<Vec<_>>());
        }
    }
}

#[test]
fn the_screen_fits_and_has_no_colour_through_a_pipe() {
    let hostile = Made {
        command: "./\u{1b}[31mw\u{202e}\u{85}é数数 -b 4M -o /a/very/long/path/that/never/ends",
        ..LARGE
    };
    for ((before, after), number) in
        [(vec![SMALL; 4], vec![LARGE; 4]), (vec![SMALL], vec![hostile])].into_iter().zip(1..)
    {
        let folder = sides(&format!("screen-{number}"), &before, &after);
        for (columns, ascii) in
            [("80", false), ("60", false), ("40", false), ("120", false), ("80", true)]
        {
            let mut arguments =
                vec!["report", "--compare", "before", "after", "-v", "--width", columns];
            if ascii {
                arguments.push("--ascii");
            }
            let shown = text(&run(&folder, &arguments).stdout);
            let room: usize = columns.parse().unwrap();
            for line in shown.lines().filter(|line| !line.starts_with("next:")) {
                assert!(width(line) <= room, "{columns}: {line}");
            }
            assert!(!ascii || shown.is_ascii(), "{shown}");
            assert!(
                shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
                "{shown:?}"
            );
        }
        let quiet =
            text(&run(&folder, &["report", "--compare", "before", "after", "--quiet"]).stdout);
        assert_eq!(quiet.lines().count(), 1, "{quiet}");
    }
}

#[test]
fn other_formats_have_the_same_numbers() {
    let folder = sides("formats", &times(SMALL, &[40.0, 41.0]), &times(LARGE, &[12.0, 13.0]));
    let found = compared(&folder, &[]);
    let shown = |format: &str| {
        text(&run(&folder, &["report", "--compare", "before", "after", format]).stdout)
    };
    let csv = shown("--csv");
    assert!(csv.starts_with("kind,name,title,unit,before,after,ratio,low,high,better,change\n"));
    let row = |name: &str| -> Vec<String> {
        let line = csv.lines().find(|line| line.split(',').nth(1) == Some(name)).unwrap();
        line.split(',').map(str::to_owned).collect()
    };
    assert_eq!(row("run_seconds")[4..6], ["40.5", "12.5"]);
    let ratio: f64 = row("run_seconds")[6].parse().unwrap();
    assert_eq!(Some(ratio), found["verdict"]["ratio"].as_f64());
    assert_eq!(row("A01")[10], "gone");
    let rows =
        found["quantities"].as_array().unwrap().len() + found["findings"].as_array().unwrap().len();
    assert_eq!(csv.lines().count(), rows + 1);
    let sentence = found["verdict"]["sentence"].as_str().unwrap();
    let markdown = shown("--md");
    assert!(markdown.starts_with(&format!("**{sentence}**\n")), "{markdown}");
    assert!(markdown.contains("\n| run time | 40.5 s | 12.5 s |"), "{markdown}");
    assert!(markdown.contains("\n- gone: A01 small-requests, "), "{markdown}");
    let svg = shown("--svg");
    assert!(svg.len() < 40_000 && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains(&format!("<desc id=\"d\">{sentence}</desc>")), "{svg}");
    assert!(!svg.contains("<script") && !svg.contains("href"), "{svg}");
    assert_eq!(svg, shown("--svg"), "the same logs give the same picture");
    // A file gets the same as standard output.
    let output = run(&folder, &["report", "--compare", "before", "after", "--md=made.md"]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(fs::read_to_string(folder.join("made.md")).unwrap(), markdown);
}
