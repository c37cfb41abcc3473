//! Signals sent to `ioglass run`: the command gets them, and the log is written all the same.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::programs::{program, python};
use super::recording::{Recording, run};
use super::room::Room;

/// Writes with `$0`, says so, and waits for a signal; the trap decides the status.
const WAITING: &str = r#"
    trap 'echo interrupted; exit 41' INT
    trap 'echo terminated; exit 42' TERM
    trap 'echo hung up; exit 43' HUP
    trap 'echo user; exit 44' USR1
    "$0" return file 10
    echo ready
    for i in $(seq 200); do sleep 0.1; done"#;

/// Starts the script and returns when it has said `ready`.
fn start(room: &Room, script: &str) -> (Child, BufReader<ChildStdout>) {
    let command = ["sh".into(), "-c".into(), script.into(), program("life/ends.c")];
    start_words(room, &command)
}

/// As [`start`], of any command.
fn start_words(room: &Room, words: &[PathBuf]) -> (Child, BufReader<ChildStdout>) {
    let mut command = run(room, &["--no-report"], words);
    let mut child =
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, stdout)
}

fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[track_caller]
fn passed_on(signal: &str, answer: &str, status: i32) {
    let room = Room::new(&format!("signal{signal}"));
    let (child, mut stdout) = start(&room, WAITING);
    send(signal, child.id());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, answer);
    let recording = Recording::read(&room, child.wait_with_output().unwrap(), false);
    assert_eq!(recording.status(), Some(status), "{}", recording.stderr());
    recording.check(&[("file", &[(10, 80)])]);
    room.check_nothing_left();
}

#[test]
fn sigint() {
    passed_on("-INT", "interrupted\n", 41);
}

#[test]
fn sigterm() {
    passed_on("-TERM", "terminated\n", 42);
}

#[test]
fn sighup() {
    passed_on("-HUP", "hung up\n", 43);
}

#[test]
fn sigusr1() {
    passed_on("-USR1", "user\n", 44);
}

/// Writes with its argument, and tells for three seconds what it gets.
const TELLING: &str = r#"
import signal, subprocess, sys, time
def tell(number, frame):
    print("got", number, flush=True)
signal.signal(signal.SIGINT, tell)
signal.signal(signal.SIGTERM, tell)
subprocess.run([sys.argv[1], "return", "file", "10"])
print("ready", flush=True)
time.sleep(3)
"#;

/// What is sent to the group reaches the program by itself; what is sent to the command alone is passed on;
/// and what is sent to each, as `timeout` does it, comes once.
#[test]
fn a_signal_to_all_comes_once() {
    for signal in ["-INT", "-TERM"] {
        let room = Room::new(&format!("signal-group{signal}"));
        let (child, stdout) =
            start_words(&room, &[python(), "-c".into(), TELLING.into(), program("life/ends.c")]);
        let group = format!("-{}", child.id());
        let kill = |target: &str| Command::new("kill").args([signal, "--", target]).status();
        assert!(kill(&group).unwrap().success());
        std::thread::sleep(Duration::from_millis(200));
        assert!(kill(&child.id().to_string()).unwrap().success());
        std::thread::sleep(Duration::from_millis(200));
        let both = format!("kill {signal} {0}; kill {signal} -- -{0}", child.id());
        assert!(Command::new("bash").args(["-c", &both]).status().unwrap().success());
        let answers: Vec<String> = stdout.lines().map(Result::unwrap).collect();
        let recording = Recording::read(&room, child.wait_with_output().unwrap(), false);
        assert_eq!(answers.len(), 3, "{signal}: {answers:?}");
        recording.check(&[("file", &[(10, 80)])]);
    }
}

#[test]
fn a_signal_that_kills_the_command() {
    let room = Room::new("signal-kills");
    let script = r#""$0" return file 10; echo ready; exec sleep 20"#;
    let (child, _stdout) = start(&room, script);
    send("-TERM", child.id());
    let recording = Recording::read(&room, child.wait_with_output().unwrap(), false);
    assert_eq!(recording.status(), Some(143), "{}", recording.stderr());
    recording.check(&[("file", &[(10, 80)])]);
}

#[test]
fn the_command_has_the_signals_its_parent_gave_it() {
    let room = Room::new("signal-masks");
    let show = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status";
    // SIGHUP (1) is ignored as under nohup(1); nothing else may be.
    let script = format!("trap '' HUP; {show}");
    let bare = room.command("sh").args(["-c", &script]).output().unwrap();
    let nested = format!(r#"trap '' HUP; exec "$0" run --quiet -o x.darshan -- {show}"#);
    let ours =
        room.command("sh").args(["-c", &nested]).arg(crate::support::ioglass()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&ours.stdout), text(&bare.stdout), "{}", text(&ours.stderr));
    assert!(fs::exists(room.folder.join("x.darshan")).unwrap());
}
