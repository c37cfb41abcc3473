//! The preload library alone: what turns it on, where its logs go, what it leaves out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::programs;
use super::run::{ioglass_run, library, without_settings};
use super::seen::{self, Record, Seen};
use crate::support::scratch;

/// One run of a program in a directory of its own, where its logs go too.
struct Trial {
    folder: PathBuf,
    logs: PathBuf,
}

impl Trial {
    fn new(name: &str) -> Self {
        let place = scratch("record-library").canonicalize().unwrap().join(name);
        let _ = fs::remove_dir_all(&place);
        let (folder, logs) = (place.join("folder"), place.join("logs"));
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(&logs).unwrap();
        Self { folder, logs }
    }

    fn log(&self) -> PathBuf {
        self.logs.join("log.darshan")
    }

    /// Runs with the library and these settings only.
    fn run(&self, program: &str, settings: &[(&str, &str)]) {
        let mut command = Command::new(programs::compiled(program));
        without_settings(&mut command);
        command.env("LD_PRELOAD", library()).envs(settings.iter().copied());
        command.arg(&self.folder).current_dir(&self.logs);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {} {stderr}", output.status);
        assert!(output.stderr.is_empty(), "{program} with {settings:?} says {stderr}");
    }

    /// Runs with these settings, and that the log is `log()`.
    fn record(&self, program: &str, settings: &[(&str, &str)]) -> Option<Seen> {
        let log = self.log();
        let mut all = vec![("DARSHAN_LOGFILE", log.to_str().unwrap())];
        all.extend(settings);
        self.run(program, &all);
        log.exists().then(|| seen::read(&[log]).remove(0).unwrap())
    }

    /// All logs below the directory of logs.
    fn logs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        find(&self.logs, &mut found);
        found.sort();
        found
    }
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            find(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn records<'a>(seen: &'a Seen, module: &str) -> Vec<&'a Record> {
    seen.records.iter().filter(|record| record.module == module).collect()
}

const ON: (&str, &str) = ("IOGLASS_ENABLE", "1");

#[test]
fn is_off_unless_asked_for() {
    let rw = "posix/rw.c";
    assert!(Trial::new("off").record(rw, &[]).is_none());
    assert!(Trial::new("on").record(rw, &[ON]).is_some());
    assert!(Trial::new("nonmpi").record(rw, &[("DARSHAN_ENABLE_NONMPI", "1")]).is_some());
    assert!(Trial::new("disabled").record(rw, &[ON, ("DARSHAN_DISABLE", "1")]).is_none());
    assert!(Trial::new("excluded").record(rw, &[ON, ("DARSHAN_APP_EXCLUDE", "rw$")]).is_none());
    assert!(Trial::new("other").record(rw, &[ON, ("DARSHAN_APP_EXCLUDE", "rx$")]).is_some());
}

#[test]
fn modules_are_chosen() {
    let program = "stdio/descriptors.c";
    let seen = Trial::new("both").record(program, &[ON]).unwrap();
    assert_eq!((records(&seen, "POSIX").len(), records(&seen, "STDIO").len()), (2, 2));
    assert!(seen.traces.is_empty());
    let settings = [ON, ("DARSHAN_MOD_DISABLE", "POSIX")];
    let seen = Trial::new("no-posix").record(program, &settings).unwrap();
    assert_eq!((records(&seen, "POSIX").len(), records(&seen, "STDIO").len()), (0, 2));
    let settings = [ON, ("DARSHAN_MOD_DISABLE", "*"), ("DARSHAN_MOD_ENABLE", "POSIX")];
    let seen = Trial::new("only-posix").record(program, &settings).unwrap();
    assert_eq!((records(&seen, "POSIX").len(), records(&seen, "STDIO").len()), (2, 0));
    for setting in [("DXT_ENABLE_IO_TRACE", "1"), ("DARSHAN_MOD_ENABLE", "DXT_POSIX")] {
        let seen = Trial::new(setting.0).record(program, &[ON, setting]).unwrap();
        assert_eq!(seen.traces.len(), 2, "{setting:?}");
    }
}

#[test]
fn the_configuration_file_is_read() {
    let trial = Trial::new("config");
    let config = trial.folder.with_file_name("config");
    fs::write(
        &config,
        "# names\nNAME_EXCLUDE  /gaps$,/back  POSIX\nMEM_ALIGNMENT 64\nMOD_ENABLE DXT_POSIX\n",
    )
    .unwrap();
    let settings = [ON, ("DARSHAN_CONFIG_PATH", config.to_str().unwrap())];
    let seen = trial.record("posix/order.c", &settings).unwrap();
    let names: Vec<&str> =
        seen.records.iter().map(|record| record.name.rsplit_once('/').unwrap().1).collect();
    assert!(!names.contains(&"gaps") && !names.contains(&"backward"), "{names:?}");
    assert_eq!(names.len(), 8, "{names:?}");
    assert_eq!(seen.traces.len(), 8);
    assert!(seen.records.iter().all(|record| record.counter("POSIX_MEM_ALIGNMENT") == 64));
    // The environment wins.
    let trial = Trial::new("config-and-environment");
    let settings = [settings[0], settings[1], ("DARSHAN_MEMALIGN", "16")];
    let seen = trial.record("posix/order.c", &settings).unwrap();
    assert!(seen.records.iter().all(|record| record.counter("POSIX_MEM_ALIGNMENT") == 16));
}

#[test]
fn logs_lie_in_a_folder_per_day() {
    let trial = Trial::new("logpath");
    for day in ["now", "tomorrow"] {
        let output = Command::new("date").args(["-d", day, "+%-Y/%-m/%-d"]).output().unwrap();
        let day = String::from_utf8(output.stdout).unwrap();
        fs::create_dir_all(trial.logs.join(day.trim())).unwrap();
    }
    let settings = [ON, ("DARSHAN_LOGPATH", trial.logs.to_str().unwrap()), ("LOGNAME", "ada")];
    trial.run("posix/rw.c", &settings);
    let logs = trial.logs();
    assert_eq!(logs.len(), 1, "{logs:?}");
    let name = logs[0].file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("ada_rw_id") && name.ends_with(".darshan"), "{name}");
    assert!(seen::read(&logs)[0].is_ok());
    // Each process that did something has its own.
    trial.run("trees/fork.c", &settings);
    assert_eq!(trial.logs().len(), 3, "{:?}", trial.logs());
}

#[test]
fn a_log_that_is_there_is_not_overwritten() {
    let trial = Trial::new("existing");
    fs::write(trial.log(), "precious").unwrap();
    trial.run("posix/rw.c", &[ON, ("DARSHAN_LOGFILE", trial.log().to_str().unwrap())]);
    assert_eq!(fs::read(trial.log()).unwrap(), b"precious");
}

#[test]
fn paths_are_excluded_and_included() {
    let trial = Trial::new("paths");
    let record = |options: &[&str], folder: &Path| {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
        let mut command = ioglass_run(options, &trial.log());
        command.arg(programs::compiled("posix/order.c")).arg(folder);
        assert!(command.stderr(Stdio::null()).status().unwrap().success());
        seen::read(&[trial.log()]).remove(0).unwrap().records.len()
    };
    assert_eq!(record(&[], &trial.folder), 10);
    assert_eq!(record(&["--exclude", "/gaps$"], &trial.folder), 9);
    assert_eq!(record(&["--exclude", "/[ab]", "--include", "/both$"], &trial.folder), 7);
    // System directories are left out unless they are asked for.
    let system = PathBuf::from(format!("/var/tmp/ioglass-test-{}", std::process::id()));
    assert_eq!(record(&[], &system), 0);
    assert_eq!(record(&["--include", "^/var/tmp/"], &system), 10);
    fs::remove_dir_all(&system).unwrap();
}
