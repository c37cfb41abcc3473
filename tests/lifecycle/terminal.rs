//! On a terminal: the command has it as its own, and job control goes on.

use std::fs;

use super::programs::python;
use super::room::Room;
use crate::support::ioglass;

/// Runs a shell command on a terminal of its own, types `keys` when it has said `ready`, and returns
/// what the terminal showed.
fn on_a_terminal(room: &Room, shell: &str, keys: &str) -> String {
    let script = super::programs::source("life/terminal.py");
    let mut command = room.command(python());
    let output = command.arg(script).arg(keys).args(["bash", "-c", shell]).arg(ioglass()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", super::recording::said(&output));
    String::from_utf8(output.stdout).unwrap().replace('\r', "")
}

#[test]
fn the_command_sees_a_terminal() {
    let room = Room::new("terminal-sees");
    let shell = r#"
        "$0" run --quiet -- sh -c '
            for fd in 0 1 2; do test -t $fd && echo $fd is a terminal; done
            stty size
            echo ready
            read line; echo "got $line"'"#;
    let shown = on_a_terminal(&room, shell, "typed\n");
    for expected in ["0 is a terminal", "1 is a terminal", "2 is a terminal", "24 80", "got typed"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
}

#[test]
fn control_c_reaches_the_command_once() {
    let room = Room::new("terminal-interrupt");
    let shell = r#"
        "$0" run --quiet -- bash -c '
            trap "echo interrupted; exit 41" INT
            echo x > file; echo ready
            for i in $(seq 200); do sleep 0.1; done'
        echo status $?"#;
    let shown = on_a_terminal(&room, shell, "\u{3}");
    // Both the terminal and `run` could deliver it; the program must see one.
    assert_eq!(shown.matches("interrupted").count(), 1, "{shown}");
    let logs = fs::read_dir(&room.folder).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "darshan")
    });
    assert_eq!(logs.count(), 1, "{shown}");
}

#[test]
fn control_z_stops_and_fg_goes_on() {
    let room = Room::new("terminal-stop");
    // An interactive shell has job control: the keys are typed at its prompt.
    let shell = r#"
        set -m
        "$0" run --quiet -- bash -c 'echo ready; sleep 0.5; echo went on'
        echo stopped with $?
        fg >/dev/null
        echo ended with $?"#;
    let shown = on_a_terminal(&room, shell, "\u{1a}");
    assert!(shown.contains("stopped with 148"), "{shown}");
    assert!(shown.contains("went on"), "{shown}");
    assert!(shown.contains("ended with 0"), "{shown}");
}

#[test]
fn a_command_in_the_background_does_not_hold_the_terminal() {
    let room = Room::new("terminal-background");
    let shell = r#"
        set -m
        "$0" run --quiet -- sh -c 'sleep 0.2; echo from behind' &
        echo ready
        read line; echo "the shell got $line"
        wait; echo all done"#;
    let shown = on_a_terminal(&room, shell, "typed\n");
    for expected in ["from behind", "the shell got typed", "all done"] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
}
