//! The command as people meet it: what it prints, where, and with which exit status.

use std::process::{Command, Output};

use crate::support::{ioglass, root, scratch};

fn run(arguments: &[&str]) -> Output {
    Command::new(ioglass()).args(arguments).env("TZ", "UTC").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A small log made from one of our texts.
fn fixture(name: &str) -> String {
    let source = root().join("tests/fixtures").join(format!("{name}.txt"));
    let log = scratch(&format!("cli-{name}")).join(format!("{name}.darshan"));
    let log = log.to_str().unwrap().to_owned();
    let output = run(&["convert", "--from-text", "--force", source.to_str().unwrap(), &log]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    log
}

#[test]
fn help_has_two_examples() {
    for command in [
        "run",
        "recover",
        "doctor",
        "lib",
        "include",
        "info",
        "parse",
        "dxt",
        "convert",
        "completions",
        "man",
    ] {
        let output = run(&[command, "--help"]);
        assert!(output.status.success(), "{command}");
        let help = text(&output.stdout);
        let examples = help.split("Examples:").nth(1).unwrap_or_else(|| panic!("{command}"));
        assert!(examples.matches("  ioglass ").count() >= 2, "{command}: {help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{command}: {help}");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    for arguments in [&["parse"][..], &["parse", "--nonsense", "x"], &["nonsense"], &[]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn what_is_not_a_log_is_status_3_with_evidence() {
    let folder = scratch("cli-bad");
    let path = folder.join("notes.txt");
    std::fs::write(&path, "# Notes on the run\nnothing to see\n").unwrap();
    for command in ["info", "parse", "dxt"] {
        let output = run(&[command, path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(3), "{command}");
        let error = text(&output.stderr);
        assert!(error.starts_with("error: "), "{error}");
        assert!(error.contains("notes.txt is not a Darshan log"), "{error}");
        assert!(error.contains("starts with \"# Notes on the r\""), "{error}");
        assert!(!error.contains('\x1b'), "colours through a pipe: {error}");
    }
    let output = run(&["info", folder.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("help:  ioglass info"), "{}", text(&output.stderr));
    let output = run(&["info", folder.join("absent").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_cut_log_shows_what_is_there() {
    let log = fixture("posix-small");
    let bytes = std::fs::read(&log).unwrap();
    let cut = scratch("cli-cut").join("cut.darshan");
    std::fs::write(&cut, &bytes[..bytes.len() - 20]).unwrap();
    let output = run(&["parse", cut.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).starts_with("# darshan log version: 3.41\n"));
    let error = text(&output.stderr);
    assert!(error.contains("cut.darshan is truncated"), "{error}");
}

#[test]
fn good_logs_are_shown_beside_bad_ones() {
    let log = fixture("posix-small");
    let output = run(&["info", "/nonexistent.darshan", &log]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("posix-small.darshan"));
    assert!(text(&output.stderr).contains("/nonexistent.darshan"));
}

#[test]
fn incomplete_logs_need_a_word() {
    let log = fixture("partial");
    let output = run(&["parse", &log]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("--show-incomplete"), "{}", text(&output.stderr));
    for option in ["--show-incomplete", "--all"] {
        let output = run(&["parse", option, &log]);
        assert!(output.status.success(), "{option}: {}", text(&output.stderr));
        let listing = text(&output.stdout);
        assert!(listing.contains("# *WARNING*: The POSIX module contains incomplete data!"));
    }
    let info = text(&run(&["info", &log]).stdout);
    assert!(info.contains("! POSIX is incomplete"), "{info}");
}

#[test]
fn info_fits_one_screen() {
    let log = fixture("posix-small");
    let output = run(&["info", &log]);
    assert!(output.status.success());
    let info = text(&output.stdout);
    assert!(info.lines().count() <= 24, "{info}");
    for line in info.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(!info.contains('\x1b'));
    let coloured = run(&["--color", "always", "info", &log]);
    assert!(text(&coloured.stdout).contains('\x1b'));
    let plain = Command::new(ioglass()).args(["info", &log]).env("NO_COLOR", "1").output().unwrap();
    assert_eq!(text(&plain.stdout), info);
}

#[test]
fn json_is_json() {
    let log = fixture("posix-small");
    let output = run(&["info", "--json", &log]);
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(info["schema"], "ioglass.info/1");
    let output = run(&["info", "--json", &log, &log]);
    assert_eq!(text(&output.stdout).lines().count(), 2);
    for arguments in [&["parse", "--json", "--all"][..], &["dxt", "--json"]] {
        let output = run(&[arguments, &[log.as_str()]].concat());
        assert!(output.status.success(), "{arguments:?}");
        for line in text(&output.stdout).lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value.is_object(), "{line}");
        }
    }
}

/// The pipe has no reader before the command starts.
#[test]
fn nobody_reading_is_nobodys_fault() {
    let log = fixture("posix-small");
    let source = root().join("tests/fixtures/posix-small.txt");
    let folder = scratch("cli-nobody");
    let (made, merged) = (folder.join("made.darshan"), folder.join("merged.darshan"));
    let (made, merged) = (made.to_str().unwrap(), merged.to_str().unwrap());
    for arguments in [
        &["report", &log][..],
        &["report", "-v", &log],
        &["report", "-vv", &log],
        &["report", "--quiet", &log],
        &["report", "--codes", &log],
        &["report", "--codes", &log, &log],
        &["report", "--json", &log],
        &["report", "--json", &log, &log],
        &["report", "--html", &log],
        &["report", "--compat", "drishti-0.8", &log],
        &["report", "--thresholds"],
        &["report", "--fail-on", "info", &log],
        &["explain"],
        &["explain", "--json"],
        &["explain", "A01"],
        &["explain", "A01", &log],
        &["parse", &log],
        &["parse", "--json", &log],
        &["parse", "--all", &log],
        &["dxt", &log],
        &["dxt", "--json", &log],
        &["info", &log],
        &["info", "--json", &log],
        &["doctor"],
        &["doctor", "--json"],
        &["recover", "--json"],
        &["lib"],
        &["include"],
        &["include", "--python"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["--help"],
        &["--version"],
        &["report", "--help"],
        &["convert", "--json", "--force", "--from-text", source.to_str().unwrap(), made],
        &["merge", "--json", "-o", merged, &log],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(ioglass());
        // `recover` writes the logs of whatever died on this machine where it is called.
        command.args(arguments).current_dir(&folder);
        let output = command.stdout(writer).output().unwrap();
        let error = text(&output.stderr);
        // What other tests have killed meanwhile may be told of.
        if arguments[0] == "recover" {
            assert!(!error.contains("pipe"), "{arguments:?}: {error}");
            continue;
        }
        assert!(output.status.success(), "{arguments:?}: {:?} {error}", output.status);
        assert!(error.is_empty(), "{arguments:?}: {error}");
    }
}

/// As in `ioglass report LOG | head -1`: the reader takes a line and goes.
#[test]
fn a_reader_may_go_after_the_first_line() {
    let log = fixture("posix-small");
    for command in ["report -vv", "parse", "info"] {
        let line = format!("{{ \"$0\" {command} \"$1\"; echo $? >&2; }} | head -n 1");
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line]).arg(ioglass()).arg(&log).output().unwrap();
        assert_eq!(text(&output.stdout).lines().count(), 1, "{command}");
        assert_eq!(text(&output.stderr), "0\n", "{command}");
    }
}

/// The table in the documents and the help have every status, with the same words.
#[test]
fn every_exit_status_is_explained() {
    let help = text(&run(&["--help"]).stdout);
    let document = std::fs::read_to_string(root().join("docs/diagnosing.md")).unwrap();
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    for (status, words) in [
        (0, "success, also if the reader of the output closes it"),
        (1, "findings at or above"),
        (2, "wrong usage"),
        (3, "bad input"),
        (5, "a result could not be written, or ioglass itself failed; the message says which"),
    ] {
        assert!(help.contains(&format!("\n  {status}  {words}")), "{status}: {help}");
        assert!(document.contains(&format!("\n| {status} | {words}")), "{status}");
        assert!(readme.replace('\n', " ").contains(&format!("{status} ")), "{status}");
    }
    for status in ["128+n", "126", "127"] {
        assert!(document.contains(status) && help.contains(status), "{status}");
        assert!(text(&run(&["run", "--help"]).stdout).contains(status), "{status}");
    }
}

#[test]
fn a_log_can_come_through_a_pipe() {
    let log = fixture("posix-small");
    let direct = run(&["parse", &log]);
    let piped = Command::new(ioglass())
        .args(["parse", "-"])
        .env("TZ", "UTC")
        .stdin(std::fs::File::open(&log).unwrap())
        .output()
        .unwrap();
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    assert_eq!(text(&direct.stdout), text(&piped.stdout));
}

#[test]
fn convert_does_not_overwrite_unasked() {
    let log = fixture("posix-small");
    let before = std::fs::read(&log).unwrap();
    let source = root().join("tests/fixtures/partial.txt");
    let output = run(&["convert", "--from-text", source.to_str().unwrap(), &log]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--force"), "{}", text(&output.stderr));
    assert!(std::fs::read(&log).unwrap() == before);
}

/// Devices, links and the texts themselves are not replaced by a log.
#[test]
fn convert_writes_to_files_only() {
    let folder = scratch("cli-targets");
    let source = root().join("tests/fixtures/posix-small.txt");
    let source = source.to_str().unwrap();
    let text = folder.join("copy.txt");
    std::fs::copy(source, &text).unwrap();
    let (link, dangling) = (folder.join("link"), folder.join("dangling"));
    let real = folder.join("real.darshan");
    for path in [&link, &dangling, &real] {
        let _ = std::fs::remove_file(path);
    }
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    std::os::unix::fs::symlink(folder.join("nothing"), &dangling).unwrap();

    let copy = text.to_str().unwrap();
    for (from, to, status) in [
        (source, "/dev/null", 5),
        (copy, copy, 2),
        (source, dangling.to_str().unwrap(), 5),
        (source, "-", 2),
    ] {
        let output = run(&["convert", "--force", "--from-text", from, to]);
        assert_eq!(output.status.code(), Some(status), "{to}: {}", self::text(&output.stderr));
    }
    assert_eq!(std::fs::read(&text).unwrap(), std::fs::read(source).unwrap());

    let output = run(&["convert", "--force", "--from-text", source, link.to_str().unwrap()]);
    assert!(output.status.success(), "{}", self::text(&output.stderr));
    assert!(link.is_symlink(), "the link was replaced");
    assert!(std::fs::read(&real).unwrap().starts_with(b"3.41"));
}

#[test]
fn convert_says_what_a_log_has_no_room_for() {
    let folder = scratch("cli-room");
    let (source, log) = (folder.join("long.txt"), folder.join("long.darshan"));
    std::fs::write(&source, format!("# exe: {}\n", "x".repeat(5000))).unwrap();
    let output = run(&[
        "convert",
        "--force",
        "--from-text",
        source.to_str().unwrap(),
        log.to_str().unwrap(),
    ]);
    assert!(output.status.success());
    let notes = text(&output.stderr);
    assert!(notes.contains("cut from 5000 to 3015 bytes"), "{notes}");
    assert!(notes.contains("the log is empty"), "{notes}");
}

#[test]
fn bad_text_is_status_3_with_its_line_and_leaves_nothing() {
    let folder = scratch("cli-bad-text");
    let (source, log) = (folder.join("bad.txt"), folder.join("out.darshan"));
    let _ = std::fs::remove_file(&log);
    std::fs::write(&source, "# nprocs: 1\nPOSIX\t0\t1\tPOSIX_OPENS\tmany\t/tmp/x\n").unwrap();
    let output = run(&["convert", "--from-text", source.to_str().unwrap(), log.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    let error = text(&output.stderr);
    assert!(error.contains("bad.txt") && error.contains("line 2"), "{error}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "something was left behind");
}

#[test]
fn man_pages_and_completions_name_every_command() {
    let folder = scratch("cli-man");
    let output = run(&["man", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for command in ["info", "parse", "dxt", "convert"] {
        let page = std::fs::read_to_string(folder.join(format!("ioglass-{command}.1"))).unwrap();
        assert!(page.contains("Examples"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&run(&["completions", shell]).stdout);
        assert!(script.contains("show-incomplete"), "{shell}");
    }
}
