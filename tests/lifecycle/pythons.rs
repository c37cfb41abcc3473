//! Python's ways to start processes.

use super::programs::{python, source};
use super::recording::record;
use super::room::Room;

#[track_caller]
fn pool(method: &str, how: &str) {
    let room = Room::new(&format!("pool-{method}-{how}"));
    let command = [python(), source("life/pool.py"), method.into(), how.into()];
    let recording = record(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    assert_eq!(recording.output.stdout, b"15\n");
    for number in 0..6 {
        let calls = number + 1;
        recording.check(&[(&format!("file-{number}"), &[(calls, 8 * calls)])]);
    }
    // The resource tracker and the server of forkserver may outlive CMD for a moment.
}

#[test]
fn fork_pool_ended_by_with() {
    pool("fork", "with");
}

#[test]
fn fork_pool_closed_and_joined() {
    pool("fork", "close");
}

#[test]
fn spawn_pool_ended_by_with() {
    pool("spawn", "with");
}

#[test]
fn spawn_pool_closed_and_joined() {
    pool("spawn", "close");
}

#[test]
fn forkserver_pool_ended_by_with() {
    pool("forkserver", "with");
}

#[test]
fn forkserver_pool_closed_and_joined() {
    pool("forkserver", "close");
}

#[test]
fn concurrent_futures() {
    let room = Room::new("python-futures");
    let recording = record(&room, [python(), source("life/futures.py")]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    for kind in ["process", "thread"] {
        for number in 0..6 {
            recording.check(&[(&format!("{kind}-{number}"), &[(3, 24)])]);
        }
    }
}

#[test]
fn subprocess_with_redirected_output() {
    let room = Room::new("python-redirect");
    let script = r#"exec "$0" "$1" > printed"#;
    let command = ["sh".into(), "-c".into(), script.into(), python(), source("life/redirect.py")];
    let recording = record(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    // The children's dup2 must not send the parent's later prints to another record.
    recording.check(&[
        ("parent", &[(4, 32)]),
        ("printed", &[(3, 24)]),
        ("child-0", &[(2, 16)]),
        ("child-1", &[(2, 16)]),
        ("child-2", &[(2, 16)]),
    ]);
}
