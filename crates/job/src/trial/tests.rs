use std::io::Read;
use std::path::Path;

use super::*;

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ioglass-trial-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a script, with what it prints.
fn run(name: &str, script: &str, limit: Option<Duration>, stop: &AtomicBool) -> (TrialEnd, String) {
    let folder = scratch(name);
    let output = File::create(folder.join("output")).unwrap();
    // The tests have several threads, so there is no guard.
    let trials = Trials::new(&format!("test-{name}-{}", std::process::id()), Vec::new());
    let words = ["sh", "-c", script].map(OsString::from);
    let variables = [(OsString::from("GIVEN"), OsString::from("yes"))];
    let trial =
        Trial { words: &words, variables: &variables, output: &output, errors: &output, limit };
    let end = trials.run(&trial, stop).unwrap();
    let mut text = String::new();
    File::open(folder.join("output")).unwrap().read_to_string(&mut text).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    (end, text)
}

#[test]
fn what_it_prints_and_how_it_ends_is_known() {
    let never = AtomicBool::new(false);
    let script = "echo $GIVEN; echo ${IOGLASS_TRIAL%-*}; cat; echo late >&2; exit 3";
    let (end, text) = run("plain", script, None, &never);
    assert_eq!((end.ended.how, end.over), (Ending::Status(3), None));
    assert_eq!(text, "yes\ntest-plain\nlate\n", "standard input is empty");
}

#[test]
fn what_takes_too_long_is_ended_with_all_it_started() {
    let never = AtomicBool::new(false);
    // The second one has a session of its own, as ranks have.
    let script = "setsid sh -c 'echo $$; sleep 600' & sleep 600";
    let (end, text) = run("long", script, Some(Duration::from_millis(300)), &never);
    assert_eq!((end.ended.how, end.over), (Ending::Signal(15), Some(Over::Limit)));
    assert!(end.wall >= Duration::from_millis(300));
    let other = text.trim();
    assert!(!other.is_empty() && !is_alive(other), "{other}");
}

fn is_alive(pid: &str) -> bool {
    let state = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    state.is_ok_and(|state| !state.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

#[test]
fn a_program_is_ended_when_all_is_to_end() {
    let stop = AtomicBool::new(true);
    let (end, _) = run("stop", "exec sleep 600", None, &stop);
    assert_eq!(end.over, Some(Over::Stopped));
}

#[test]
fn what_is_no_program_is_an_error() {
    let (output, never) = (File::open("/dev/null").unwrap(), AtomicBool::new(false));
    let trials = Trials::new("test-nothing", Vec::new());
    let words = [OsString::from("/nowhere/program")];
    let trial =
        Trial { words: &words, variables: &[], output: &output, errors: &output, limit: None };
    assert!(matches!(trials.run(&trial, &never), Err(Error::Start { .. })));
}
