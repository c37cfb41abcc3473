//! `ioglass run` as a command: arguments, status, streams, environment, and where the log goes.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ioglass_log::Log;

use super::programs::{program, python};
use super::recording::{counted, log_path, record, run, said};
use super::room::Room;
use crate::support::{ioglass, missing};

/// `ioglass run ARGUMENTS`, in the room.
fn run_with(room: &Room, arguments: &[&str]) -> Output {
    room.command(ioglass()).arg("run").args(arguments).output().unwrap()
}

fn logs_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "darshan")).collect()
}

#[test]
fn the_status_is_the_commands() {
    let room = Room::new("run-status");
    for (script, status) in [
        ("true", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -INT $$", 130),
        ("kill -USR1 $$", 138),
    ] {
        let output = run_with(&room, &["--quiet", "--", "sh", "-c", script]);
        assert_eq!(output.status.code(), Some(status), "{script}: {}", said(&output));
    }
}

#[test]
fn what_cannot_be_started() {
    let room = Room::new("run-cannot-start");
    fs::write(room.folder.join("no-program"), "data\n").unwrap();
    for (command, status) in
        [("nonexistent-program", 127), ("./nonexistent", 127), ("./no-program", 126), (".", 126)]
    {
        let output = run_with(&room, &["--", command]);
        assert_eq!(output.status.code(), Some(status), "{command}: {}", said(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains(command), "{}", said(&output));
        assert!(output.stdout.is_empty(), "{command}");
        assert!(logs_in(&room.folder).is_empty(), "{command} leaves no log");
        room.check_nothing_left();
    }
}

#[test]
fn usage() {
    let room = Room::new("run-usage");
    for arguments in
        [&[][..], &["--"], &["--nonsense", "--", "true"], &["--exclude", "(", "--", "true"]]
    {
        let output = run_with(&room, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
    }
    let help = run_with(&room, &["--help"]);
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.matches("  ioglass run").count() >= 2, "two examples: {help}");
    // The command's own options are the command's.
    let output = run_with(&room, &["--quiet", "--", "echo", "--trace", "-o", "x", "--"]);
    assert_eq!(output.stdout, b"--trace -o x --\n");
}

#[test]
fn standard_input_is_passed_on() {
    let room = Room::new("run-stdin");
    let mut command = run(&room, &["--quiet"], ["sh", "-c", "read line; echo got $line; cat"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\nthree").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"got one\ntwo\nthree");
}

#[test]
fn arguments_are_passed_byte_for_byte() {
    let room = Room::new("run-arguments");
    let arguments: [&[u8]; 8] =
        [b"", b" ", b"a b", b"new\nline", b"\xff\xfe", b"$HOME `id` \"'\\", b"--", "ü".as_bytes()];
    let mut command = run(&room, &["--quiet"], ["sh", "-c", r#"printf '<%s>' "$@""#, "sh"]);
    command.args(arguments.map(OsStr::from_bytes));
    let output = command.output().unwrap();
    let mut expected = Vec::new();
    for argument in arguments {
        expected.extend_from_slice(&[b"<", argument, b">"].concat());
    }
    assert_eq!(output.stdout, expected, "{}", said(&output));
}

#[test]
fn names_that_are_no_text() {
    let room = Room::new("run-names");
    let name = OsStr::from_bytes(b"bad-\xff-name");
    let mut command = run(&room, &["--quiet"], [program("life/ends.c"), "return".into()]);
    let output = command.arg(name).arg("3").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let log = Log::open(log_path(&room)).unwrap();
    let written = room.folder.join("bad-%FF-name");
    let found = log.names().iter().any(|(_, name)| name == written.as_os_str().as_bytes());
    assert!(found, "{:?}", log.names().iter().collect::<Vec<_>>());
}

#[test]
fn the_environment_is_otherwise_unchanged() {
    let room = Room::new("run-environment");
    let environment = |mut command: Command| {
        command.env("ODD", "a\nb \u{fc}=").env("EMPTY", "").env("LANG", "C");
        let output = command.output().unwrap();
        let mut lines: Vec<Vec<u8>> =
            output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        let ours: [&[u8]; 4] = [b"LD_PRELOAD=", b"IOGLASS_", b"DARSHAN_", b"DXT_"];
        lines.retain(|line| !ours.iter().any(|prefix| line.starts_with(prefix)));
        lines
    };
    let mut bare = room.command("env");
    bare.arg("-0");
    let bare = environment(bare);
    assert!(bare.len() > 4);
    assert_eq!(environment(run(&room, &["--quiet"], ["env", "-0"])), bare);
}

#[test]
fn a_preload_of_the_users_stays() {
    let room = Room::new("run-preload");
    let library = super::programs::compile("disturb/wraps.c", &["-shared", "-fPIC"]);
    let mut command = run(&room, &["--quiet"], ["sh", "-c", "echo $LD_PRELOAD"]);
    let output = command.env("LD_PRELOAD", &library).output().unwrap();
    let preload = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(preload.contains(library.to_str().unwrap()), "{}", said(&output));
    assert!(preload.contains("ioglass"), "{}", said(&output));
}

#[test]
fn standard_output_is_the_commands_alone() {
    let room = Room::new("run-stdout");
    for options in [&[][..], &["--quiet"], &["--no-report"], &["--trace"]] {
        // All bytes there are, and no end of line.
        let script = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 100)";
        let command = [python(), "-c".into(), script.into()];
        let output = run(&room, options, command).output().unwrap();
        let expected: Vec<u8> = (0..=255).cycle().take(25_600).collect();
        assert_eq!(output.stdout, expected, "{options:?}");
    }
}

/// The last line on standard error names the log.
fn named_log(output: &Output) -> PathBuf {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    let line = stderr.lines().last().unwrap_or_default();
    PathBuf::from(line.rsplit(' ').next().unwrap_or_default())
}

#[test]
fn the_log_has_a_default_name() {
    let room = Room::new("run-default-name");
    let output = run_with(&room, &["--", "sh", "-c", "echo x > file"]);
    let logs = logs_in(&room.folder);
    assert_eq!(logs.len(), 1, "{}", said(&output));
    let jobid = Log::open(&logs[0]).unwrap().job().jobid;
    assert_eq!(logs[0].file_name().unwrap(), format!("sh_{jobid}.darshan").as_str());
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    let last = stderr.lines().last().unwrap();
    assert!(last.contains(logs[0].file_name().unwrap().to_str().unwrap()), "{}", said(&output));
    assert!(stderr.lines().count() > 1, "a summary: {}", said(&output));

    // Another run does not overwrite it.
    run_with(&room, &["--", "sh", "-c", "echo x > file"]);
    assert_eq!(logs_in(&room.folder).len(), 2);
}

#[test]
fn two_runs_in_one_job_of_a_scheduler() {
    let room = Room::new("run-scheduler");
    for file in ["first", "second"] {
        let mut command = room.command(ioglass());
        command.args(["run", "--", "sh", "-c", "echo x > $0", file]).env("SLURM_JOB_ID", "4711");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
    let logs = logs_in(&room.folder);
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert!(logs.iter().all(|log| Log::open(log).unwrap().job().jobid == 4711));
}

#[test]
fn closed_streams_stay_closed() {
    let room = Room::new("run-closed");
    let show = "ls -l /proc/self/fd > shown; ls /proc/self/fd | wc -l >> shown";
    let shown = |script: &str| {
        let status = room.command("bash").args(["-c", script]).arg(ioglass()).status().unwrap();
        assert!(status.success());
        let text = fs::read_to_string(room.folder.join("shown")).unwrap();
        let name = |line: &str| line.split_whitespace().nth(8).unwrap_or(line).to_string();
        text.lines().skip(1).map(name).collect::<Vec<_>>()
    };
    for closed in ["0<&-", "1>&-", "2>&-", "0<&- 2>&-"] {
        let bare = shown(&format!("exec {closed}; exec sh -c '{show}'"));
        let recorded = shown(&format!(
            r#"exec {closed}; exec "$0" run --no-report -o x.darshan -- sh -c '{show}'"#
        ));
        assert_eq!(recorded, bare, "{closed}");
    }
}

#[test]
fn a_broken_pipe_ends_the_command() {
    let room = Room::new("run-pipe");
    let script = r#""$0" run --quiet -- yes | head -1; echo ${PIPESTATUS[0]}"#;
    let output = room.command("bash").args(["-c", script]).arg(ioglass()).output().unwrap();
    assert_eq!(output.stdout, b"y\n141\n", "{}", said(&output));
}

#[test]
fn quiet_and_no_report() {
    let room = Room::new("run-quiet");
    let quiet = run(&room, &["--quiet"], ["sh", "-c", "echo x > file"]).output().unwrap();
    let lines = String::from_utf8(quiet.stderr.clone()).unwrap();
    assert!(lines.lines().count() <= 1, "{}", said(&quiet));
    let no_report = run(&room, &["--no-report"], ["sh", "-c", "echo x > file"]).output().unwrap();
    assert_eq!(named_log(&no_report), log_path(&room), "{}", said(&no_report));
}

#[test]
fn a_folder_that_cannot_be_written() {
    let room = Room::new("run-unwritable");
    let (state, locked) = (room.folder.join("state"), room.folder.join("locked"));
    fs::create_dir(&locked).unwrap();
    // Root can write anywhere but on a read-only file system.
    let script = r#"
        mount -t tmpfs -o ro tmpfs "$1" && cd "$1" && exec "$0" run --quiet -- sh -c 'exit 4'"#;
    let mut command = room.command("unshare");
    command.args(["--mount", "sh", "-c", script]).arg(ioglass()).arg(&locked);
    if !room.is_private() {
        return missing(
            "a directory nobody can write",
            Path::new("the right to unshare(1) mounts"),
        );
    }
    let output = command.env("XDG_STATE_HOME", &state).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let logs = logs_in(&state.join("ioglass"));
    assert_eq!(logs.len(), 1, "{}", said(&output));
    assert_eq!(named_log(&output), logs[0], "{}", said(&output));
}

#[test]
fn a_log_that_can_never_be_written_is_said_before_the_command_runs() {
    let room = Room::new("run-no-log");
    let output = run_with(&room, &["-o", "no/such/folder/x.darshan", "--", "touch", "ran"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("no/such/folder"),
        "{}",
        said(&output)
    );
    assert!(!room.folder.join("ran").exists());
}

#[test]
fn a_log_that_cannot_be_written_in_the_end_leaves_the_status() {
    let room = Room::new("run-no-folder");
    fs::create_dir(room.folder.join("out")).unwrap();
    let mut command = room.command(ioglass());
    command.args([
        "run",
        "-o",
        "out/x.darshan",
        "--",
        "sh",
        "-c",
        "echo x > file; rm -r out; exit 4",
    ]);
    let output = command.env("XDG_STATE_HOME", room.folder.join("state")).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let logs = logs_in(&room.folder.join("state/ioglass"));
    assert_eq!(logs.len(), 1, "what was recorded is kept elsewhere: {}", said(&output));
}

#[test]
fn a_log_per_process() {
    let room = Room::new("run-per-process");
    let ends = program("life/ends.c");
    let script = r#""$0" return a 3; "$0" return b 4"#;
    let command = ["sh".into(), "-c".into(), script.into(), ends];
    let output = run(&room, &["--keep-per-process", "--quiet"], command).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let mut found = Vec::new();
    find_logs(&room.folder, &mut found);
    for (file, written) in [("a", (3, 24)), ("b", (4, 32))] {
        let path = room.folder.join(file);
        // The job's log, and the log of the one process that did it.
        let holding: Vec<usize> = found
            .iter()
            .map(|log| Log::open(log).unwrap())
            .filter(|log| counted(log, &path).values().eq([&written]))
            .map(|log| log.names().iter().filter(|(_, name)| is_file_of(&room, name)).count())
            .collect();
        assert_eq!(holding.len(), 2, "{file}: {found:?}");
        assert!(holding.contains(&1) && holding.contains(&2), "{file}: {holding:?}");
    }
}

fn is_file_of(room: &Room, name: &[u8]) -> bool {
    ["a", "b"].iter().any(|file| name == room.folder.join(file).as_os_str().as_bytes())
}

fn find_logs(folder: &Path, found: &mut Vec<PathBuf>) {
    found.extend(logs_in(folder));
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_logs(&path, found);
        }
    }
}

#[test]
fn exclude_and_include() {
    let room = Room::new("run-exclude");
    let ends = program("life/ends.c");
    let script = r#"for file in keep.dat drop.tmp drop.dat; do "$0" return $file 3; done"#;
    let command = ["sh".into(), "-c".into(), script.into(), ends];
    let names = |options: &[&str]| -> Vec<String> {
        let options = [&["--quiet"], options].concat();
        let output = run(&room, &options, &command).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let log = Log::open(log_path(&room)).unwrap();
        let files = ["keep.dat", "drop.tmp", "drop.dat"];
        let is_there = |file: &&str| !counted(&log, &room.folder.join(file)).is_empty();
        files.iter().filter(|file| is_there(file)).map(ToString::to_string).collect()
    };
    assert_eq!(names(&[]), ["keep.dat", "drop.tmp", "drop.dat"]);
    assert_eq!(names(&["--exclude", r"\.tmp$"]), ["keep.dat", "drop.dat"]);
    assert_eq!(names(&["--exclude", r"\.tmp$", "--exclude", "/drop"]), ["keep.dat"]);
    assert_eq!(names(&["--exclude", "/drop", "--include", r"\.tmp$"]), ["keep.dat", "drop.tmp"]);
}

#[test]
fn include_beats_the_default_exclusions() {
    let room = Room::new("run-include");
    let place = Path::new("/dev/shm/included");
    if !room.is_private() {
        return;
    }
    let command = [program("life/ends.c"), "return".into(), place.into(), "3".into()];
    let written = |options: &[&str]| {
        let output = run(&room, &[&["--quiet"], options].concat(), &command).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        counted(&Log::open(log_path(&room)).unwrap(), place).into_values().collect::<Vec<_>>()
    };
    assert_eq!(written(&[]), []);
    assert_eq!(written(&["--include", "^/dev/shm/included"]), [(3, 24)]);
}

#[test]
fn run_inside_run() {
    let room = Room::new("run-nested");
    let script = r#"
        "$1" return before 3
        "$0" run --quiet -o inner.darshan -- "$1" return inside 4
        "$1" return after 5"#;
    let command =
        ["sh".into(), "-c".into(), script.into(), ioglass().into(), program("life/ends.c")];
    let outer = record(&room, command);
    assert_eq!(outer.status(), Some(0), "{}", outer.stderr());
    outer.check(&[("before", &[(3, 24)]), ("after", &[(5, 40)])]);
    let inner = Log::open(room.folder.join("inner.darshan")).unwrap();
    let inside = counted(&inner, &room.folder.join("inside"));
    assert_eq!(inside.into_values().collect::<Vec<_>>(), [(4, 32)]);
    room.check_nothing_left();
}

#[test]
fn the_job_is_described() {
    let room = Room::new("run-job");
    let recording =
        record(&room, [program("life/ends.c"), "exit".into(), "file".into(), "10".into()]);
    let job = recording.log.job();
    let command = String::from_utf8_lossy(job.command()).into_owned();
    assert!(command.ends_with("exit file 10"), "{command}");
    assert!(!command.contains("ioglass run"), "{command}");
    assert!(!job.mounts().is_empty());
    assert!(recording.log.run_time() > 0.0 && recording.log.run_time() < 600.0);
}
