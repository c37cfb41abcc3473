//! Programs that no preloaded library can see: the command says so, and why.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::programs::{compile, program};
use super::recording::{run, said};
use super::room::{Room, is_root};
use crate::support::{ioglass, missing};

#[test]
fn statically_linked() {
    let room = Room::new("unseen-linked");
    // The reason must not be found in a path.
    let program = room.folder.join("program");
    fs::copy(compile("life/ends.c", &["-static"]), &program).unwrap();
    let command = [program.clone(), "exit".into(), "file".into(), "10".into()];
    let output = run(&room, &[], &command).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert_eq!(fs::metadata(room.folder.join("file")).unwrap().len(), 80);
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(stderr.contains("static"), "{}", said(&output));

    let doctor = Command::new(ioglass()).arg("doctor").arg(&program).output().unwrap();
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("static"), "{}", said(&doctor));
}

#[test]
fn a_static_child_is_told() {
    let room = Room::new("unseen-child");
    let program = room.folder.join("program");
    fs::copy(compile("life/ends.c", &["-static"]), &program).unwrap();
    let script = r#"echo seen > seen; "$0" return file 4; true"#;
    let command = ["sh".into(), "-c".into(), script.into(), program];
    let recording = super::recording::record_and_report(&room, &command);
    assert!(recording.stderr().contains("1 process was started but not recorded"));
}

#[test]
fn setuid() {
    if !is_root() {
        return missing("a setuid program", Path::new("root"));
    }
    let room = Room::new("unseen-other-user");
    // Outside of a root-only directory, for another user to reach it.
    let place = std::env::temp_dir().join(format!("ioglass-other-user-{}", std::process::id()));
    fs::create_dir_all(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
    let (program_copy, ioglass_copy) = (place.join("ends"), place.join("ioglass"));
    fs::copy(program("life/ends.c"), &program_copy).unwrap();
    fs::copy(ioglass(), &ioglass_copy).unwrap();
    fs::set_permissions(&program_copy, fs::Permissions::from_mode(0o4755)).unwrap();
    let mut command = room.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "env", "-C"]).arg(&place);
    command.arg("HOME=/nonexistent").arg(&ioglass_copy).args(["run", "--"]).arg(&program_copy);
    let output = command.args(["exit", "file", "10"]).output().unwrap();
    let written = fs::metadata(place.join("file")).map_or(0, |metadata| metadata.len());
    fs::remove_dir_all(&place).unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert_eq!(written, 80);
    assert!(String::from_utf8_lossy(&output.stderr).contains("setuid"), "{}", said(&output));
}

#[test]
fn a_child_with_an_emptied_environment_does_not_harm_the_rest() {
    let room = Room::new("unseen-environment");
    let script = r#""$0" return before 3; env -i "$0" return unseen 4; "$0" return after 5"#;
    let command = ["sh".into(), "-c".into(), script.into(), program("life/ends.c")];
    let recording = super::recording::record(&room, command);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    recording.check(&[("before", &[(3, 24)]), ("after", &[(5, 40)])]);
    assert_eq!(fs::metadata(room.folder.join("unseen")).unwrap().len(), 32);
}

#[test]
fn a_program_without_io_gives_a_log_without_records() {
    let room = Room::new("unseen-nothing");
    let recording = super::recording::record_counters(&room, ["true"]);
    assert_eq!(recording.status(), Some(0), "{}", recording.stderr());
    assert_eq!(recording.log.records_of::<ioglass_log::posix::Posix>().unwrap().count(), 0);
    room.check_nothing_left();
}
