//! Searches that end before their end: signals, kills, full disks.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::command::wait_for;
use super::{empty, journal, json, names, run, script, tune};
use crate::support::DEFAULT_SIGNALS;

/// A program that waits in its third run.
const WAITS: &str = "#!/bin/sh\necho run >> runs\ntest $(wc -l < runs) -lt 4 || { setsid sh -c 'echo $$ > \
                     new; mv new pid; exec sleep 1000' & touch \"$1/file\" waits; while :; do sleep 0.02; done; }\n\
                     echo took ${#2}\n";

const SEARCH: [&str; 14] = [
    "--quiet",
    "--cut",
    "0",
    "--objective",
    "output:took (.)",
    "--check",
    "off",
    "--confirm",
    "6",
    "--param",
    "v=aaaa,bbb,cc,d",
    "--",
    "./program",
    "{trial_dir}",
];

/// Starts a search and waits until its fourth run has begun.
fn begun(folder: &Path) -> Child {
    script(folder, "program", WAITS);
    let search = tune(folder, &[&SEARCH[..], &["{v}"]].concat());
    // The signals of the test may be ignored, as under nohup.
    let mut command = Command::new("env");
    command.arg(DEFAULT_SIGNALS).arg(search.get_program()).args(search.get_args());
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    wait_for(&folder.join("waits"));
    wait_for(&folder.join("pid"));
    child
}

pub(super) fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap().success());
}

/// Waits until the process that the program left behind has ended.
#[track_caller]
pub(super) fn nothing_lives(folder: &Path) {
    let pid = fs::read_to_string(folder.join("pid")).unwrap();
    let stat = Path::new("/proc").join(pid.trim()).join("stat");
    let begin = Instant::now();
    let lives = || {
        let stat = fs::read_to_string(&stat).unwrap_or_default();
        stat.contains("(sleep)") && !stat.contains(") Z ")
    };
    while lives() {
        assert!(begin.elapsed() < Duration::from_secs(20), "process {pid} lives");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Goes on with a search, whose program does not wait any more.
fn resumed(folder: &Path) -> serde_json::Value {
    script(folder, "program", "#!/bin/sh\necho took ${#2}\n");
    json(&tune(folder, &[&["--resume"][..], &SEARCH, &["{v}"]].concat()))
}

/// The result of a search that was never stopped.
fn undisturbed(name: &str) -> serde_json::Value {
    let folder = empty(name);
    script(&folder, "program", "#!/bin/sh\necho took ${#2}\n");
    json(&tune(&folder, &[&SEARCH[..], &["{v}"]].concat()))
}

/// What of a result does not depend on times.
fn essence(report: &serde_json::Value) -> serde_json::Value {
    let trials: Vec<_> = report["trials"].as_array().unwrap().iter().collect();
    let of = |trial: &serde_json::Value| {
        serde_json::json!([trial["n"], trial["settings"], trial["outcome"], trial["value"]])
    };
    let trials: Vec<_> = trials.into_iter().map(of).collect();
    let tuned = &report["tuned"]["settings"];
    serde_json::json!([report["state"], report["speedup"], tuned, trials])
}

#[test]
fn a_signal_ends_it_with_the_best_so_far() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let folder = empty(&format!("signal{signal}"));
        let child = begun(&folder);
        send(signal, child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains("not proven"), "{out}");
        nothing_lives(&folder);
        let best = fs::read_to_string(folder.join("best.toml")).unwrap();
        assert!(best.contains("[cmd]") && best.contains("confirmed = false"), "{best}");
        let lines = journal(&folder.join("program.tune.jsonl"));
        assert_eq!(lines.last().unwrap()["state"], "interrupted");
        assert!(!names(&folder).contains(&".ioglass-tune".to_owned()));
        let report = resumed(&folder);
        assert_eq!(essence(&report), essence(&undisturbed(&format!("whole{signal}"))));
    }
}

#[test]
fn a_second_ctrl_c_ends_it_at_once() {
    let folder = empty("twice");
    // It does not end when it is asked to.
    script(&folder, "program", &WAITS.replacen("touch", "trap '' TERM; touch", 1));
    let text = fs::read_to_string(folder.join("program")).unwrap();
    let child = begun(&folder);
    fs::write(folder.join("program"), text).unwrap();
    send("-INT", child.id());
    std::thread::sleep(Duration::from_millis(50));
    send("-INT", child.id());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    nothing_lives(&folder);
}

#[test]
fn a_kill_leaves_no_process_and_no_file_of_a_run() {
    let folder = empty("kill");
    let mut child = begun(&folder);
    send("-KILL", child.id());
    child.wait().unwrap();
    nothing_lives(&folder);
    let begin = Instant::now();
    let work = folder.join(".ioglass-tune");
    while work.exists() && !names(&work).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", names(&work));
        std::thread::sleep(Duration::from_millis(10));
    }
    let report = resumed(&folder);
    assert_eq!(essence(&report), essence(&undisturbed("kill-whole")));
}

#[test]
fn what_a_killed_search_left_is_ended_by_the_next() {
    let folder = empty("orphan");
    script(&folder, "program", "#!/bin/sh\necho took ${#2}\n");
    json(&tune(&folder, &[&SEARCH[..], &["{v}"]].concat()));
    let id = journal(&folder.join("program.tune.jsonl"))[0]["trial"].as_str().unwrap().to_owned();
    let mut left = Command::new("sleep").arg("1000").env("IOGLASS_TRIAL", &id).spawn().unwrap();
    let mut other =
        Command::new("sleep").arg("1000").env("IOGLASS_TRIAL", "other").spawn().unwrap();
    resumed(&folder);
    let status = left.wait().unwrap();
    assert!(!status.success(), "it was killed");
    assert!(other.try_wait().unwrap().is_none(), "another one's is left alone");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_full_disk_ends_it_with_the_best_so_far() {
    let folder = empty("full");
    script(&folder, "program", "#!/bin/sh\necho took ${#2}\n");
    json(&tune(&folder, &[&SEARCH[..], &["{v}"]].concat()));
    let size = fs::metadata(folder.join("program.tune.jsonl")).unwrap().len();
    // A limit on the size of files stands for a full disk; it is one for the journal alone.
    let blocks = size / 2 / 512;
    let search = tune(&folder, &[&["--restart"][..], &SEARCH, &["{v}"]].concat());
    let words: Vec<String> = std::iter::once(search.get_program())
        .chain(search.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")))
        .collect();
    let mut command = Command::new("sh");
    command.current_dir(&folder).arg("-c");
    command.arg(format!("ulimit -f {blocks}; exec {}", words.join(" ")));
    let (status, out, aside) = run(command);
    assert_eq!(status, 5, "{out}{aside}");
    assert!(aside.contains("cannot write") && out.contains("not proven"), "{out}{aside}");
    // No half line stays.
    let lines = journal(&folder.join("program.tune.jsonl"));
    assert!(lines.len() > 2);
    let report = json(&tune(&folder, &[&["--resume"][..], &SEARCH, &["{v}"]].concat()));
    assert_eq!(essence(&report), essence(&undisturbed("full-whole")));
}

#[test]
fn a_folder_that_cannot_be_written_is_said_before_anything_runs() {
    let folder = empty("read-only");
    script(&folder, "program", "#!/bin/sh\ntouch ran\necho took ${#2}\n");
    let words = [&["--journal", "/proc/tune.jsonl"][..], &SEARCH, &["{v}"]].concat();
    let (status, _, aside) = run(tune(&folder, &words));
    assert_eq!(status, 5, "{aside}");
    assert!(aside.contains("cannot write /proc/tune.jsonl"), "{aside}");
}

#[test]
fn what_is_said_to_go_on_with_goes_on() {
    let folder = empty("typed");
    script(&folder, "program", "#!/bin/sh\necho took ${#2}\n");
    let own = ["--journal", "own name.jsonl", "-o", "own.toml", "--budget", "3", "--confirm", "0"];
    let words = [&own[..], &SEARCH[..7], &SEARCH[9..], &["{v}"]].concat();
    let (status, out, aside) = run(tune(&folder, &words));
    assert_eq!(status, 0, "{aside}");
    let next = out.lines().find_map(|line| line.strip_prefix("next:  ioglass ")).unwrap();
    assert!(next.contains("--resume --confirm 15"), "{next}");
    let mut typed = Command::new("sh");
    let ioglass = crate::support::ioglass();
    typed.arg("-c").arg(format!("'{}' {next}", ioglass.display())).current_dir(&folder);
    crate::record::run::without_settings(&mut typed);
    let (status, out, aside) = run(typed);
    assert_eq!(status, 0, "{next}: {aside}");
    assert!(out.starts_with("result: ") && out.contains("own.toml"), "{out}");
    assert!(!folder.join("program.tune.jsonl").exists(), "it is the same journal");
}

#[test]
fn a_result_that_cannot_be_written_is_told() {
    let folder = empty("unwritten");
    script(&folder, "program", "#!/bin/sh\necho took ${#2}\n");
    fs::create_dir(folder.join("gone")).unwrap();
    let own = ["-o", "gone/best.toml", "--cleanup", "rm -rf gone"];
    let (status, out, aside) = run(tune(&folder, &[&own[..], &SEARCH, &["{v}"]].concat()));
    assert_eq!(status, 5, "{out}{aside}");
    assert!(out.starts_with("result: ") && aside.contains("gone/best.toml"), "{out}{aside}");
}
