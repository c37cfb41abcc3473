//! `ioglass report` and `explain` as people meet them.

use std::path::PathBuf;
use std::process::{Command, Output};

use ioglass_log::{Log, posix};
use serde_json::Value;

use crate::support::{ioglass, scratch};

fn run(arguments: &[&str]) -> Output {
    Command::new(ioglass()).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A log of a process that writes this file in small pieces.
fn log(name: &str, file: &str) -> PathBuf {
    let folder = scratch(&format!("report-{name}"));
    let (source, log) = (folder.join("log.txt"), folder.join(format!("{name}.darshan")));
    let mut lines = "# exe: ./app\n# nprocs: 1\n# run time: 10.000000\n".to_owned();
    for (counter, value) in [
        ("POSIX_OPENS", "1"),
        ("POSIX_WRITES", "90000"),
        ("POSIX_BYTES_WRITTEN", "9000000"),
        ("POSIX_MAX_BYTE_WRITTEN", "8999999"),
        ("POSIX_SEQ_WRITES", "89999"),
        ("POSIX_CONSEC_WRITES", "89999"),
        ("POSIX_SIZE_WRITE_0_100", "90000"),
        ("POSIX_ACCESS1_ACCESS", "100"),
        ("POSIX_ACCESS1_COUNT", "90000"),
        ("POSIX_F_WRITE_TIME", "8.000000"),
    ] {
        lines += &format!("POSIX\t0\t7\t{counter}\t{value}\t{file}\t/\text4\n");
    }
    std::fs::write(&source, lines).unwrap();
    let texts = [source.to_str().unwrap(), log.to_str().unwrap()];
    let output = run(&["convert", "--from-text", "--force", texts[0], texts[1]]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    log
}

#[test]
fn names_in_json_cannot_control_a_terminal() {
    let name = "/data/\u{202e}fdp\u{2066}\u{200f}\u{2028}\u{85}\u{9b}2J\u{7f}x";
    let log = log("names", name);
    let log = log.to_str().unwrap();
    for arguments in [
        &["report", "--json", log][..],
        &["report", "--json", log, log],
        &["explain", "A01", "--json", log],
        &["info", "--json", log],
        &["parse", "--json", log],
    ] {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let shown = text(&output.stdout);
        let is_harmless = |c: char| {
            c == '\n' || !c.is_control() && !name[6..].contains(c) || c.is_ascii_alphanumeric()
        };
        assert!(shown.chars().all(is_harmless), "{arguments:?}: {shown:?}");
    }
    let report: Value = serde_json::from_slice(&run(&["report", "--json", log]).stdout).unwrap();
    let first = &report["findings"][0]["files"][0]["path"];
    assert_eq!(first, name, "a reader of JSON gets the name as it is");
}

#[test]
fn only_holds_for_json_as_well() {
    let log = log("only", "/data/a");
    let log = log.to_str().unwrap();
    let report = |only: &str| -> Value {
        serde_json::from_slice(&run(&["report", "--json", "--only", only, log]).stdout).unwrap()
    };
    let codes = |report: &Value| -> Vec<String> {
        let findings = report["findings"].as_array().unwrap().iter();
        let mut codes: Vec<String> =
            findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect();
        codes.sort();
        codes
    };
    let some = report("small-requests,P06");
    assert_eq!(codes(&some), ["A01", "P06"]);
    assert_eq!(some["verdict"]["state"], "held-back", "the verdict is that of the run");
    assert_eq!(run(&["report", "--json", "--only", "nonsense", log]).status.code(), Some(2));
}

#[test]
fn what_cannot_be_read_is_said_and_is_status_3() {
    let sound = log("sound", "/data/a");
    let mut bytes = std::fs::read(&sound).unwrap();
    let extent = {
        let log = Log::from_bytes(bytes.clone()).unwrap();
        log.module_info(posix::MODULE.id).extent
    };
    bytes[extent.offset as usize..extent.end() as usize].fill(0xFF);
    let path = sound.with_file_name("spoilt.darshan");
    std::fs::write(&path, &bytes).unwrap();
    let output = run(&["report", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("\n! POSIX could not be read whole: "), "{shown}");
    assert!(text(&output.stderr).contains("spoilt.darshan is damaged"), "{}", text(&output.stderr));
}

#[test]
fn a_check_that_makes_no_sense_is_explained_so() {
    let log = log("senseless", "/data/a");
    let shown = text(&run(&["explain", "M02", log.to_str().unwrap()]).stdout);
    assert!(shown.contains("does not apply to this run\n"), "{shown}");
    assert!(shown.contains("\n  This run has no ranks that work together.\n"), "{shown}");
}

#[test]
fn settings_reach_what_is_told_of_a_trace() {
    let folder = scratch("report-settings");
    let (log, settings) = (folder.join("dd.darshan"), folder.join("settings.toml"));
    let log = log.to_str().unwrap();
    let output = format!("of={}", folder.join("data").display());
    let command = ["run", "--trace", "--no-report", "-o", log, "--", "dd", "if=/dev/zero", &output];
    assert!(run(&[&command[..], &["bs=512", "count=20000"]].concat()).status.success());
    std::fs::write(&settings, "coalescable_bytes = 65536\n").unwrap();
    let instead = |arguments: &[&str]| {
        let report = run(&[&["report", "--json"], arguments, &[log]].concat());
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["code"] == "A02").unwrap();
        let evidence = finding["evidence"].as_array().unwrap();
        let instead = evidence.iter().find(|evidence| evidence["name"] == "requests instead");
        instead.unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(instead(&[]), 3.0);
    assert_eq!(instead(&["--config", settings.to_str().unwrap()]), 157.0);
}

#[test]
fn a_cut_log_is_explained_and_fails() {
    let log = log("cut", "/data/file");
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, &bytes[..bytes.len() - 10]).unwrap();
    for arguments in [&["report"][..], &["explain", "A01"], &["explain", "A01", "--json"]] {
        let output = run(&[arguments, &[log.to_str().unwrap()]].concat());
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
}

/// Streams are not traced, so such a log has no trace. A trace would not help.
#[test]
fn a_traced_run_is_never_told_to_record_a_trace() {
    let folder = scratch("report-traced");
    for (name, script) in [
        ("streams", "seq 100000 > numbers"),
        ("calls", "dd if=/dev/zero of=data bs=512 count=2000 2> errors"),
        ("nothing", ":"),
    ] {
        for traced in [true, false] {
            let log = folder.join(format!("{name}-{traced}.darshan"));
            let log = log.to_str().unwrap();
            let mut recorded = Command::new(ioglass());
            recorded.current_dir(&folder).arg("run").args(traced.then_some("--trace"));
            let done = recorded.args(["-o", log, "--", "sh", "-c", script]).output().unwrap();
            assert!(done.status.success(), "{}", text(&done.stderr));
            let mut all = text(&done.stderr);
            for arguments in [&["report", "-vv"][..], &["report", "--json"], &["report", "--html"]]
            {
                all += &text(&run(&[arguments, &[log]].concat()).stdout);
            }
            let asks = all.contains("run --trace") || all.contains("DXT_ENABLE_IO_TRACE");
            // A run without I/O has no checks that a trace would help.
            if name == "nothing" {
                assert!(!asks || !traced, "traced: {traced}");
                continue;
            }
            assert_eq!(asks, !traced, "{name}, traced: {traced}");
            let info = text(&run(&["info", log]).stdout);
            assert_eq!(info.contains("  traced\n"), traced, "{info}");
        }
    }
}

#[test]
fn a_trace_that_found_no_room_is_said_to_be_cut_off() {
    let folder = scratch("report-cut-off");
    let log = folder.join("cut.darshan");
    let log = log.to_str().unwrap();
    let mut recorded = Command::new(ioglass());
    recorded.current_dir(&folder).env("IOGLASS_TRACE_MEMORY", "0");
    recorded.args(["run", "--trace", "--no-report", "-o", log, "--"]);
    let done = recorded.args(["dd", "if=/dev/zero", "of=data", "bs=512", "count=2000"]).output();
    assert!(done.unwrap().status.success());
    let shown = text(&run(&["report", "-vv", "--width", "200", log]).stdout);
    assert!(shown.contains("the trace is cut off: give it more room with"), "{shown}");
    assert!(!shown.contains("run --trace"), "{shown}");
    let report: Value = serde_json::from_slice(&run(&["report", "--json", log]).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["needs"] == "whole-trace"), "{report}");
}
