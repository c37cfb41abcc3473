//! `ioglass run` and what belongs to it, as people meet them. What exactly is recorded is another
//! topic's.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{DEFAULT_SIGNALS, ioglass, missing, scratch};

/// A directory that is empty.
fn fresh(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// The command, to be run in `folder`, as if no scheduler had started it.
fn command(folder: &Path) -> Command {
    command_behind(&["env", DEFAULT_SIGNALS], folder)
}

/// The command, started by another one.
fn command_behind(launcher: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(launcher[0]);
    command.args(&launcher[1..]).arg(ioglass());
    command.current_dir(folder).stdin(Stdio::null());
    for name in ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "LD_PRELOAD", "IOGLASS_JOB"] {
        command.env_remove(name);
    }
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn last_line(output: &Output) -> String {
    text(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

fn info(log: &Path) -> Value {
    let output = run(log.parent().unwrap(), &["info", "--json", log.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Names of the files in a directory that end so.
fn ending(folder: &Path, end: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(end)).collect();
    names.sort();
    names
}

/// Directories of jobs whose log belongs into `folder`.
fn jobs_of(folder: &Path) -> Vec<PathBuf> {
    let mark = format!("log={}/", folder.display());
    let roots = ["/dev/shm", "/tmp"].map(Path::new);
    let users = roots.iter().flat_map(|root| fs::read_dir(root).into_iter().flatten().flatten());
    let users = users.filter(|entry| entry.file_name().to_string_lossy().starts_with("ioglass-"));
    let jobs = users.flat_map(|user| fs::read_dir(user.path()).into_iter().flatten().flatten());
    let jobs = jobs.map(|job| job.path());
    jobs.filter(|job| fs::read_to_string(job.join("job")).is_ok_and(|file| file.contains(&mark)))
        .collect()
}

/// Waits until something is so; a test that waits in vain is ended by whoever runs it.
fn wait_until(so: impl Fn() -> bool) {
    while !so() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_program_is_run_as_it_is() {
    let folder = fresh("run-untouched");
    let script = "cat; echo error >&2; exit 7";
    let mut child = command(&folder)
        .args(["run", "--no-report", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"to and fro\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stdout), "to and fro\n");
    let log = ending(&folder, ".darshan");
    assert_eq!(log.len(), 1);
    assert!(log[0].starts_with("sh_"), "{log:?}");
    assert_eq!(text(&output.stderr), format!("error\n{}\n", log[0]));
    assert_eq!(jobs_of(&folder), [] as [PathBuf; 0], "nothing is left behind");
}

#[test]
fn statuses_are_those_of_a_shell() {
    let folder = fresh("run-status");
    fs::write(folder.join("text"), "no program").unwrap();
    for (words, status) in [
        (&["sh", "-c", "kill -9 $$"][..], 137),
        (&["sh", "-c", "kill -15 $$"], 143),
        (&["./absent"], 127),
        (&["./text"], 126),
        (&["false"], 1),
    ] {
        let arguments = [&["run", "--quiet", "--"], words].concat();
        assert_eq!(run(&folder, &arguments).status.code(), Some(status), "{words:?}");
    }
    assert_eq!(jobs_of(&folder), [] as [PathBuf; 0]);
    assert_eq!(run(&folder, &["run"]).status.code(), Some(2));
}

#[test]
fn signals_reach_the_program() {
    let folder = fresh("run-signal");
    let script = "trap 'exit 5' TERM; : > ready; while :; do sleep 0.01; done";
    let mut child =
        command(&folder).args(["run", "--quiet", "--", "sh", "-c", script]).spawn().unwrap();
    wait_until(|| folder.join("ready").exists());
    let status = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[test]
fn a_signal_after_the_program_does_not_cost_the_log() {
    let folder = fresh("run-late-signal");
    for signal in ["TERM", "HUP", "INT"] {
        // The second one comes while the end of the subshell is waited for.
        let script = format!(
            "trap 'exit 5' {signal}; (: > begun; sleep 0.05; kill -{signal} $PPID; : > {signal}) & \
             kill -{signal} $PPID; for i in $(seq 1000); do sleep 0.01; done"
        );
        let output = run(&folder, &["run", "--quiet", "--", "sh", "-c", &script]);
        assert_eq!(output.status.code(), Some(5), "{signal}: {output:?}");
        assert!(last_line(&output).contains("ioglass report -v"), "{signal}: {output:?}");
    }
}

#[test]
fn logs_are_never_overwritten_by_chance() {
    let folder = fresh("run-names");
    let job = |arguments: &[&str]| {
        let arguments = [&["run", "--quiet"], arguments, &["--", "cp", "/dev/null", "x"]].concat();
        command(&folder).args(arguments).env("SLURM_JOB_ID", "77").output().unwrap()
    };
    for name in ["cp_77.darshan", "cp_77_2.darshan", "cp_77_3.darshan"] {
        let output = job(&[]);
        assert!(output.status.success());
        assert!(last_line(&output).ends_with(&format!("ioglass report -v {name}")), "{output:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1);
    }
    // A name that was asked for is used, and a log there replaced; anything else is not.
    for _ in 0..2 {
        assert!(last_line(&job(&["-o", "mine.darshan"])).ends_with(" mine.darshan"));
    }
    fs::create_dir(folder.join("logs")).unwrap();
    assert!(last_line(&job(&["-o", "logs"])).ends_with(" logs/cp_77.darshan"));
    fs::write(folder.join("notes.txt"), "keep me").unwrap();
    for output in ["notes.txt", "absent/x.darshan"] {
        let refused = job(&["-o", output]);
        assert_eq!(refused.status.code(), Some(5), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "keep me");
    assert_eq!(ending(&folder, ".darshan").len(), 4);
}

#[test]
fn a_log_that_cannot_be_written_here_is_written_elsewhere() {
    let folder = fresh("run-elsewhere");
    fs::create_dir(folder.join("gone")).unwrap();
    // Nobody can write to a directory that is no more, not even root.
    let output = command(&folder.join("gone"))
        .args(["run", "--no-report", "--", "rmdir", "../gone"])
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = PathBuf::from(last_line(&output));
    assert!(log.starts_with(folder.join("state/ioglass")), "{output:?}");
    assert!(info(&log)["job"]["metadata"]["meant_for"].is_string());
    fs::create_dir(folder.join("gone")).unwrap();
    let output = command(&folder.join("gone"))
        .args(["run", "--no-report", "--", "rmdir", "../gone"])
        .env("XDG_STATE_HOME", "/proc/absent")
        .output()
        .unwrap();
    let log = PathBuf::from(last_line(&output));
    assert!(log.starts_with("/tmp") && log.exists(), "{output:?}");
    fs::remove_file(&log).unwrap();
    let output = run(&folder, &["run", "-o", "-", "--", "true"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// Places that take no file, not even of root.
const NOWHERE: [(&str, &str); 4] = [
    ("missing/x", "the directory missing does not exist"),
    ("notes.txt/x", "not a directory"),
    ("/proc/ioglass/x", "the directory /proc/ioglass does not exist"),
    ("/proc/x", "No such file"),
];

/// Fails unless the command said that it cannot write, where, why and what to do, and made nothing.
#[track_caller]
fn check_not_written(output: &Output, path: &str, why: &str) {
    assert_eq!(output.status.code(), Some(5), "{path}: {output:?}");
    let error = text(&output.stderr);
    assert!(error.starts_with(&format!("error: cannot write {path}\n")), "{error}");
    assert!(error.contains(why), "{error}");
    assert!(error.contains("  help:  ") || error.contains("  Name a"), "{error}");
    assert!(output.stdout.is_empty(), "{output:?}");
}

#[test]
fn outputs_that_cannot_be_written_are_said_before_the_program_starts() {
    let folder = fresh("run-nowhere");
    fs::write(folder.join("notes.txt"), "keep me").unwrap();
    let program = ["--", "touch", "started"];
    for (path, why) in NOWHERE.into_iter().chain([("notes.txt", "it exists and is not a log")]) {
        let output = run(&folder, &[&["run", "-o", path][..], &program].concat());
        check_not_written(&output, path, why);
        assert!(text(&output.stderr).contains("The program was not started."), "{output:?}");
    }
    for (path, why) in NOWHERE.into_iter().chain([(".", "it exists and is not a file")]) {
        for option in ["html", "json"] {
            let option = format!("--{option}={path}");
            let output = run(&folder, &[&["run", &option][..], &program].concat());
            check_not_written(&output, path, why);
            assert!(text(&output.stderr).contains("The program was not started."), "{output:?}");
        }
    }
    assert_eq!(ending(&folder, ""), ["notes.txt"], "nothing was started or made");
    assert_eq!(fs::read_to_string(folder.join("notes.txt")).unwrap(), "keep me");
    assert_eq!(jobs_of(&folder), [] as [PathBuf; 0]);
}

#[test]
fn a_protected_log_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = fresh("run-protected");
    assert!(run(&folder, &["run", "-q", "-o", "x.darshan", "--", "true"]).status.success());
    let before = fs::read(folder.join("x.darshan")).unwrap();
    fs::set_permissions(folder.join("x.darshan"), fs::Permissions::from_mode(0o400)).unwrap();
    // Root may write any file unless it gives up that capability.
    let root = fs::OpenOptions::new().append(true).open(folder.join("x.darshan")).is_ok();
    let obedient: &[&str] = &["setpriv", "--bounding-set=-dac_override", "env", DEFAULT_SIGNALS];
    let mut command = if root { command_behind(obedient, &folder) } else { command(&folder) };
    let output =
        command.args(["run", "-o", "x.darshan", "--", "touch", "started"]).output().unwrap();
    check_not_written(&output, "x.darshan", "it exists and cannot be written");
    assert!(!folder.join("started").exists());
    assert_eq!(fs::read(folder.join("x.darshan")).unwrap(), before);
}

#[test]
fn all_commands_say_in_the_same_words_what_they_cannot_write() {
    let folder = fresh("run-same-words");
    fs::write(folder.join("notes.txt"), "keep me").unwrap();
    assert!(
        run(&folder, &["run", "-q", "-o", "x.darshan", "--", "cp", "notes.txt", "b"])
            .status
            .success()
    );
    fs::write(folder.join("x.txt"), run(&folder, &["parse", "x.darshan"]).stdout).unwrap();
    let log = fs::read(folder.join("x.darshan")).unwrap();
    fs::write(folder.join("cut"), &log[..log.len() - 20]).unwrap();
    let before = ending(&folder, "");
    for (path, why) in NOWHERE {
        let (html, json) = (format!("--html={path}"), format!("--json={path}"));
        for arguments in [
            &["report", &html, "x.darshan"][..],
            &["report", &json, "x.darshan"],
            &["merge", "-o", path, "x.darshan"],
            &["convert", "--from-text", "x.txt", path],
            &["recover", "cut", "-o", path],
        ] {
            check_not_written(&run(&folder, arguments), path, why);
        }
    }
    assert_eq!(ending(&folder, ""), before, "nothing is left behind");
}

/// The directory is there when the program starts, and gone when it ends.
#[test]
fn a_log_that_is_elsewhere_is_said_to_be_there() {
    let folder = fresh("run-said-elsewhere");
    for option in ["--quiet", "--no-report", "-v"] {
        fs::create_dir(folder.join("gone")).unwrap();
        let output = command(&folder)
            .args(["run", option, "-o", "gone/x.darshan", "--", "rmdir", "gone"])
            .env("XDG_STATE_HOME", folder.join("state"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let error = text(&output.stderr);
        let line = error.lines().find(|line| line.starts_with("ioglass: ")).unwrap_or_default();
        let rest = line.strip_prefix("ioglass: cannot write gone/x.darshan: No such file");
        let log = rest
            .and_then(|rest| rest.split_once("; the log is "))
            .unwrap_or_else(|| panic!("{error}"));
        assert!(Path::new(log.1).starts_with(folder.join("state/ioglass")), "{error}");
        assert_eq!(info(Path::new(log.1))["job"]["metadata"]["meant_for"], "gone/x.darshan");
    }
}

#[test]
fn an_existing_log_survives_a_program_that_cannot_be_started() {
    let folder = fresh("run-survives");
    assert!(run(&folder, &["run", "-q", "-o", "x.darshan", "--", "true"]).status.success());
    let before = fs::read(folder.join("x.darshan")).unwrap();
    assert_eq!(
        run(&folder, &["run", "-o", "x.darshan", "--", "./absent"]).status.code(),
        Some(127)
    );
    assert_eq!(fs::read(folder.join("x.darshan")).unwrap(), before);
    assert_eq!(ending(&folder, ""), ["x.darshan"]);
}

#[test]
fn all_processes_are_in_one_log() {
    let folder = fresh("run-tree");
    fs::write(folder.join("a"), "some bytes").unwrap();
    let script = "cat a > b; cp b c; mkdir d; exec cat c > e";
    let output = run(
        &folder,
        &[
            "run",
            "--trace",
            "--keep-per-process",
            "--json",
            "-o",
            "t.darshan",
            "--",
            "sh",
            "-c",
            script,
        ],
    );
    assert!(output.status.success());
    let printed = text(&output.stderr);
    assert!(printed.starts_with("sh  3 processes  "), "{printed}");
    assert!(printed.contains("\n  time    "), "{printed}");
    assert!(printed.contains("\n  moved   "), "{printed}");
    assert!(printed.contains(" checks fine "), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert!(!printed.contains('\x1b'), "colours through a pipe: {printed}");

    let info = info(&folder.join("t.darshan"));
    // A process that has only made a directory is no rank.
    assert_eq!(info["job"]["nprocs"], 3);
    assert_eq!(info["job"]["command"], format!("sh -c {script}"));
    assert_eq!(info["job"]["metadata"]["ranks"], "process");
    let calls = info["metadata_calls"].as_array().unwrap();
    let made = calls.iter().find(|call| call["operation"] == "mkdir").unwrap();
    assert_eq!((made["calls"].as_u64(), made["failed"].as_u64()), (Some(1), Some(0)));
    assert_eq!(info["exit_status"], 0);
    let modules = info["modules"].as_array().unwrap();
    assert!(modules.iter().any(|module| module["name"] == "DXT_POSIX"), "{modules:?}");
    let ends: Vec<&str> = info["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| process["ending"].as_str().unwrap())
        .collect();
    assert!(ends.contains(&"exec") && ends.contains(&"exit 0"), "{ends:?}");

    let summary: Value = serde_json::from_slice(&fs::read(folder.join("t.json")).unwrap()).unwrap();
    assert_eq!(summary["schema"], "ioglass.report/1");
    assert_eq!(summary["job"]["ranks"], 3);
    let own = ["t.darshan", "t_p0.darshan", "t_p1.darshan", "t_p2.darshan"];
    assert_eq!(ending(&folder, ".darshan"), own);
}

#[test]
fn a_run_inside_a_run_is_in_both_logs() {
    let folder = fresh("run-nested");
    fs::write(folder.join("a"), "some bytes").unwrap();
    let script = r#""$0" run --quiet -o inner.darshan -- cp a b; cp b c"#;
    let binary = ioglass().to_str().unwrap();
    let output =
        run(&folder, &["run", "-q", "-o", "outer.darshan", "--", "sh", "-c", script, binary]);
    assert!(output.status.success(), "{output:?}");
    let commands = |log: &str| -> Vec<String> {
        let info = info(&folder.join(log));
        let processes = info["processes"].as_array().unwrap().clone();
        let with_io = processes.iter().filter(|process| process["rank"].is_number());
        with_io.map(|process| process["command"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(commands("inner.darshan"), ["cp a b"]);
    assert_eq!(commands("outer.darshan"), ["cp a b", "cp b c"], "ioglass itself is not recorded");
    assert_eq!(jobs_of(&folder), [] as [PathBuf; 0]);
}

#[test]
fn why_nothing_was_recorded_is_said() {
    let folder = fresh("run-silent");
    fs::write(folder.join("main.c"), "int main(void) { return 3; }").unwrap();
    let built = Command::new("cc")
        .current_dir(&folder)
        .args(["-static", "main.c", "-o", "static"])
        .output();
    if !built.is_ok_and(|output| output.status.success()) {
        missing("static programs", Path::new("cc -static"));
        return;
    }
    fs::write(folder.join("script"), "#!./static\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.join("script"), mode).unwrap();
    for program in ["./static", "./script"] {
        let output = run(&folder, &["run", "--", program]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let printed = text(&output.stderr);
        assert!(printed.contains("No I/O was recorded."), "{printed}");
        assert!(printed.contains("linked statically"), "{printed}");
        assert!(printed.contains("do this:  link it without -static"), "{printed}");
        let last = last_line(&output);
        assert!(last.starts_with("▲ nothing was recorded: it is linked statically "), "{last}");
        let log = folder.join(last.rsplit(' ').next().unwrap());
        assert_eq!(info(&log)["modules"], Value::Array(Vec::new()), "an empty log is a log");
        let doctor = run(&folder, &["doctor", "--json", program]);
        assert_eq!(doctor.status.code(), Some(3));
        let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
        assert_eq!(doctor["program"]["obstacles"][0]["obstacle"], "static");
    }
}

#[test]
fn what_is_left_out_is_counted_even_if_it_is_all() {
    let folder = fresh("run-left-out");
    for words in [&["cat", "/etc/passwd"][..], &["sh", "-c", "exec cat /etc/passwd"]] {
        let log = folder.join(format!("{}.darshan", words[0]));
        let log = log.to_str().unwrap();
        let arguments = [&["run", "-o", log, "--exclude", "^/", "--"], words].concat();
        let output = run(&folder, &arguments);
        let printed = text(&output.stderr);
        assert!(printed.contains("It opened only excluded files"), "{printed}");
        let opens = printed.lines().any(|line| line.trim_start().starts_with("1 open."));
        assert!(opens, "{words:?}: {printed}");
    }
    let output = run(&folder, &["run", "-q", "-o", "it's.darshan", "--", "true"]);
    assert!(last_line(&output).ends_with(r"ioglass report -v 'it'\''s.darshan'"), "{output:?}");
}

#[test]
fn the_doctor_finds_this_machine_fit() {
    let folder = fresh("run-doctor");
    let output = run(&folder, &["doctor", "sh"]);
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    assert!(printed.contains("✓ recording     works"), "{printed}");
    assert!(printed.contains("/sh can be recorded"), "{printed}");
    let output = run(&folder, &["doctor", "no-such-program"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("there is no such program"));
}

#[test]
fn the_library_is_laid_down_once_and_again_if_it_was_spoilt() {
    let folder = fresh("run-lib");
    let lib = || {
        let output = command(&folder)
            .arg("lib")
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        PathBuf::from(text(&output.stdout).trim_end())
    };
    let path = lib();
    assert!(path.starts_with(folder.join("cache/ioglass")));
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x7fELF"));
    fs::write(&path, "spoilt").unwrap();
    assert_eq!(lib(), path);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_killed_run_is_recovered() {
    let folder = fresh("run-killed");
    fs::write(folder.join("a"), "some bytes").unwrap();
    let script = "cp a b; : > ready; read x";
    let mut child = command(&folder)
        .args(["run", "--quiet", "-o", "k.darshan", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| folder.join("ready").exists());
    let jobs = jobs_of(&folder);
    assert_eq!(jobs.len(), 1);
    let job = jobs[0].to_str().unwrap();
    let refused = run(&folder, &["recover", job]);
    assert_eq!(refused.status.code(), Some(3), "it still runs: {refused:?}");
    let error = text(&refused.stderr);
    assert!(error.contains(" still runs\n  process "), "{error}");
    assert!(error.contains(": sh -c cp a b; : > ready; read x\n"), "{error}");

    child.kill().unwrap();
    child.wait().unwrap();
    // Its standard input is closed now, so the shell ends too.
    drop(child.stdin.take());
    let output = run(&folder, &["recover", job]);
    assert!(output.status.success(), "{output:?}");
    let log = folder.join("k.darshan");
    assert!(text(&output.stdout).starts_with(&format!("wrote {}", log.display())), "{output:?}");
    let info = info(&log);
    assert_eq!(info["job"]["metadata"]["recovered"], "yes");
    assert_eq!(info["job"]["command"], format!("sh -c {script}"));
    let processes = info["processes"].as_array().unwrap();
    assert!(processes.iter().any(|process| process["command"] == "cp a b"), "{processes:?}");
}

#[test]
fn recover_names_what_still_runs() {
    let folder = fresh("run-still");
    let script = "echo $$ > pid; : > ready; read x";
    let mut child = command(&folder)
        .args(["run", "--quiet", "-o", "s.darshan", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| folder.join("ready").exists());
    let pid = fs::read_to_string(folder.join("pid")).unwrap();
    let pid = pid.trim();
    let job = jobs_of(&folder)[0].to_str().unwrap().to_owned();
    let all = text(&run(&folder, &["recover"]).stderr);
    let running = format!("note: process {pid} still runs: sh -c {script}\n");
    let later = format!("  {}/s.darshan is written when it ends.\n", folder.display());
    assert!(all.contains(&format!("{running}{later}")), "{all}");

    // The command is dead, its program waits for input.
    let input = child.stdin.take();
    child.kill().unwrap();
    child.wait().unwrap();
    let so_far = format!("  What it did so far is in {}/s.darshan; ", folder.display());
    let output = run(&folder, &["recover", &job]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).starts_with("wrote "), "{output:?}");
    assert_eq!(
        text(&output.stderr).matches(&format!("{running}{so_far}")).count(),
        1,
        "{output:?}"
    );
    // There is nothing new, which is said as well.
    let again = run(&folder, &["recover", &job]);
    assert!(again.status.success() && again.stdout.is_empty(), "{again:?}");
    assert!(text(&again.stderr).starts_with(&format!("{running}{so_far}")), "{again:?}");
    let json = run(&folder, &["recover", "--json", &job]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["running"][0]["pid"].to_string(), pid);
    drop(input);
    // Whoever comes next collects it, be it another test's run.
    wait_until(|| {
        run(&folder, &["recover", &job]);
        jobs_of(&folder).is_empty()
    });
}

#[test]
fn what_lives_on_is_harvested_twice() {
    let folder = fresh("run-lives-on");
    fs::write(folder.join("a"), "some bytes").unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("go")).status().unwrap().success());
    // The shell in the background has written once when its parent ends.
    let script = "(echo 1 > first; : > ready; read x < go; cat a > late) > /dev/null 2>&1 & \
                  while [ ! -e ready ]; do sleep 0.01; done";
    let output = run(&folder, &["run", "-o", "l.darshan", "--", "sh", "-c", script]);
    assert!(output.status.success());
    let printed = text(&output.stderr);
    assert!(printed.contains("is still running"), "{printed}");
    let first = info(&folder.join("l.darshan"));
    let endings = |info: &Value| -> Vec<String> {
        let processes = info["processes"].as_array().unwrap();
        processes.iter().map(|process| process["ending"].as_str().unwrap().to_owned()).collect()
    };
    assert!(endings(&first).contains(&"running".into()), "{first}");
    let jobs = jobs_of(&folder);
    assert_eq!(jobs.len(), 1, "its capture stays");

    fs::write(folder.join("go"), "\n").unwrap();
    // Whoever comes next collects it, be it another test's run.
    wait_until(|| {
        run(&folder, &["run", "--quiet", "-o", "next.darshan", "--", "true"]);
        !jobs[0].exists()
    });
    let rest = info(&folder.join("l_rest.darshan"));
    assert!(!endings(&rest).contains(&"running".into()), "{rest}");
    assert_eq!(fs::read_to_string(folder.join("late")).unwrap(), "some bytes");
}

#[test]
fn a_cut_log_becomes_a_sound_one() {
    let folder = fresh("run-cut");
    fs::write(folder.join("a"), "some bytes").unwrap();
    let output = run(&folder, &["run", "-q", "--trace", "-o", "w.darshan", "--", "cp", "a", "b"]);
    assert!(output.status.success());
    let whole = fs::read(folder.join("w.darshan")).unwrap();
    let refused = run(&folder, &["recover", "w.darshan"]);
    assert_eq!(refused.status.code(), Some(3), "it is whole");
    let records = |log: &str| info(&folder.join(log))["modules"][0]["records"].as_u64();
    // The trace is the last but one module; behind it all is lost, before it nothing.
    let modules = info(&folder.join("w.darshan"));
    assert_eq!(modules["modules"][1]["name"], "DXT_POSIX");
    let heat = modules["modules"][2]["size"].as_u64().unwrap() as usize;
    let block: u64 = modules["ioglass"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["size"].as_u64().unwrap() + 40)
        .sum();
    let cut = whole.len() - block as usize - 24 - heat - 8;
    fs::write(folder.join("c.darshan"), &whole[..cut]).unwrap();
    let output = run(&folder, &["recover", "c.darshan", "-o", "s.darshan"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(records("s.darshan"), records("w.darshan"));
    let parsed = run(&folder, &["parse", "--show-incomplete", "s.darshan"]);
    assert!(parsed.status.success(), "{parsed:?}");
    let traced = run(&folder, &["dxt", "--show-incomplete", "s.darshan"]);
    assert!(traced.status.success(), "{traced:?}");
}

#[test]
fn signs_are_plain_where_others_cannot_be_shown() {
    let folder = scratch("run-ascii");
    let run = |arguments: &[&str], locale: &str| {
        let mut command = Command::new(ioglass());
        command.current_dir(&folder).env("LC_ALL", locale).args(arguments);
        String::from_utf8(command.args(["--", "cp", "/bin/true", "copy"]).output().unwrap().stderr)
            .unwrap()
    };
    assert!(!run(&["run"], "en_US.UTF-8").is_ascii());
    assert!(run(&["run"], "C").is_ascii());
    let asked = run(&["run", "--ascii"], "en_US.UTF-8");
    assert!(asked.is_ascii() && asked.contains("\nok I/O "), "{asked}");
}

/// A launcher is not what the user wants to read about.
#[test]
fn the_program_behind_a_launcher_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = fresh("run-launcher");
    let script = "#!/bin/bash\n./work in > out.1 & ./work in > out.2 & wait\n";
    fs::write(folder.join("mpirun"), script).unwrap();
    fs::set_permissions(folder.join("mpirun"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy("/bin/cat", folder.join("work")).unwrap();
    fs::write(folder.join("in"), [7; 9000]).unwrap();
    let output = run(&folder, &["run", "--", "./mpirun", "-n", "2", "./work"]);
    assert!(output.status.success());
    let report = text(&output.stderr);
    assert!(report.starts_with("mpirun work  "), "{report}");
    assert!(report.contains("\n! Ranks were not identified"), "{report}");
}
