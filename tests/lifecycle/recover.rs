//! `ioglass recover`: what a killed job left behind, and the sound part of a cut log.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ioglass_log::Log;

use super::programs::program;
use super::recording::{counted, log_path, record, said, traced};
use super::room::{Room, wait_for_the_end};
use crate::record::run::library;
use crate::support::{ioglass, missing};

/// Starts `ioglass run` over an endless program, and kills both without warning.
fn kill_everything(room: &Room, file: &str) {
    let path = room.folder.join(file);
    // The program notes its own number, so that nobody else's process is killed.
    let script = r#"echo $$ > "$1.pid"; exec "$0" "$1" 0"#;
    let mut command = room.command(ioglass());
    command.args(["run", "--trace", "--", "sh", "-c", script]).arg(program("life/append.c"));
    let mut run = command.arg(file).stderr(Stdio::null()).spawn().unwrap();
    while fs::metadata(&path).map_or(0, |metadata| metadata.len()) < 1000 {
        assert!(run.try_wait().unwrap().is_none(), "run ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let pid = fs::read_to_string(room.folder.join(format!("{file}.pid"))).unwrap();
    assert!(Command::new("kill").args(["-KILL", pid.trim()]).status().unwrap().success());
    wait_for_the_end(pid.trim());
}

fn logs(room: &Room) -> Vec<PathBuf> {
    let entries = fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "darshan")).collect()
}

#[test]
fn all_dead_jobs() {
    let room = Room::new("recover-all");
    kill_everything(&room, "first");
    kill_everything(&room, "second");
    let output = room.command(ioglass()).args(["recover", "--all"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let logs: Vec<Log> = logs(&room).iter().map(|path| Log::open(path).unwrap()).collect();
    for file in ["first", "second"] {
        let path = room.folder.join(file);
        let size = fs::metadata(&path).unwrap().len() as i64;
        let found = logs.iter().find(|log| !counted(log, &path).is_empty());
        let log = found.unwrap_or_else(|| panic!("{file} is in no log\n{}", said(&output)));
        for (calls, bytes) in [counted(log, &path)[&0], traced(log, &path)[&0]] {
            assert!((size - 1..=size).contains(&calls), "{file}: {calls} of {size}");
            assert!((size - 1..=size).contains(&bytes), "{file}: {bytes} of {size}");
        }
    }
    room.check_nothing_left();
    // Nothing is left to recover, which is no failure.
    let again = room.command(ioglass()).args(["recover", "--all"]).output().unwrap();
    assert!(again.status.success(), "{}", said(&again));
}

#[test]
fn a_cut_log() {
    let room = Room::new("recover-cut");
    let script = r#"for i in $(seq 20); do "$0" return file-$i $i; done"#;
    let command = ["sh".into(), "-c".into(), script.into(), program("life/ends.c")];
    let whole = record(&room, command);
    let bytes = fs::read(log_path(&room)).unwrap();
    let (cut, sound) = (room.folder.join("cut"), room.folder.join("sound.darshan"));
    for percent in [95, 80, 60] {
        fs::write(&cut, &bytes[..bytes.len() * percent / 100]).unwrap();
        let _ = fs::remove_file(&sound);
        let mut recover = room.command(ioglass());
        let output = recover.arg("recover").arg(&cut).arg("-o").arg(&sound).output().unwrap();
        assert!(output.status.success(), "{percent} %: {}", said(&output));
        let log = Log::open(&sound).unwrap();
        assert_eq!(log.claimed_size(), log.claimed_size().min(log.size()), "{percent} %");
        assert_eq!(log.job().jobid, whole.log.job().jobid);
        assert_eq!(log.job().command(), whole.log.job().command());
        assert_eq!(log.names().len(), whole.log.names().len(), "{percent} %");
        assert_eq!(log.warnings().count(), 0, "{percent} %");
        // Whatever it still says must be what the whole log said.
        for (id, name) in log.names().iter() {
            assert_eq!(whole.log.names().get(id), Some(name));
            let path = PathBuf::from(String::from_utf8_lossy(name).into_owned());
            let (part, all) = (counted(&log, &path), counted(&whole.log, &path));
            assert!(part.iter().all(|(rank, written)| all[rank] == *written), "{part:?} {all:?}");
        }
    }
}

/// A process that is killed after its log was complete, and before its capture was gone.
#[test]
fn a_capture_whose_log_is_there_is_not_made_a_log_again() {
    let room = Room::new("recover-logged");
    if !room.is_private() {
        return missing("a capture of one's own", Path::new("the right to unshare(1) mounts"));
    }
    let logs_folder = room.folder.join("logs");
    fs::create_dir(&logs_folder).unwrap();
    let mut command = room.command("env");
    command.arg(format!("LD_PRELOAD={}", library().display())).arg("IOGLASS_ENABLE=1");
    command.arg("DARSHAN_LOGPATH=logs").args(["sh", "-c", "echo some > file; read end"]);
    let mut program = command.stdin(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    let capture = loop {
        assert!(program.try_wait().unwrap().is_none(), "the program ended by itself");
        assert!(begin.elapsed() < Duration::from_secs(20), "there is no capture");
        match (room.folder.join("file").exists(), room.captures().pop()) {
            (true, Some(capture)) => break capture,
            // Until it has written, which nobody tells.
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    // The process removes one of three names.
    let memory = PathBuf::from(capture.to_str().unwrap().split("/dev/shm/").next().unwrap());
    for name in ["first", "second"] {
        fs::hard_link(&capture, memory.join("dev/shm").join(name)).unwrap();
    }
    drop(program.stdin.take());
    program.wait().unwrap();
    assert!(!capture.exists());
    let logs = || fs::read_dir(&logs_folder).unwrap().map(|log| log.unwrap().path());
    let log = logs().next().expect("a log");

    let recover = |name: &str| {
        let mut recover = room.command(ioglass());
        let output = recover.args(["recover", &format!("/dev/shm/{name}"), "-o", "logs"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert!(!memory.join("dev/shm").join(name).exists());
    };
    recover("first");
    assert!(logs().eq([log.clone()]));
    // Without the log the capture is what there is.
    fs::remove_file(&log).unwrap();
    recover("second");
    let log = Log::open(logs().next().expect("another log")).unwrap();
    assert_eq!(counted(&log, &room.folder.join("file"))[&0], (1, 5));
    room.check_nothing_left();
}

#[test]
fn what_is_no_log_is_said_to_be_none() {
    let room = Room::new("recover-none");
    fs::write(room.folder.join("notes"), "no log\n").unwrap();
    let output = room.command(ioglass()).args(["recover", "notes", "-o", "out"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(!room.folder.join("out").exists());
}
