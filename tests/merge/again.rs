//! A process that outlives its job is in two logs, and counts once.

use std::fs;

use super::dump::{heat, table, trace};
use super::merged;
use crate::lifecycle::programs::program;
use crate::lifecycle::recording::{counted, log_path, record, said};
use crate::lifecycle::room::{Room, wait_for_the_end};
use crate::support::ioglass;

#[test]
fn what_two_logs_tell_of_one_process_counts_once() {
    let room = Room::new("merge-again");
    let recording = record(&room, [program("life/daemon.c")]);
    recording.check(&[("daemon", &[(3, 24)])]);
    fs::write(room.folder.join("go"), "").unwrap();
    let pid = fs::read_to_string(room.folder.join("ready")).unwrap();
    wait_for_the_end(pid.trim());
    let recover = room.command(ioglass()).arg("recover").output().unwrap();
    assert!(recover.status.success(), "{}", said(&recover));

    let logs = [log_path(&room), room.folder.join("job_rest.darshan")];
    let log = merged(&logs, &room.folder.join("whole.darshan"));
    let written = counted(&log, &room.folder.join("daemon"));
    assert_eq!(written.values().copied().collect::<Vec<_>>(), [(7, 56)]);
    let traced = trace(&log).into_iter().find(|((.., name), _)| name.ends_with("/daemon"));
    assert_eq!(traced.map(|(_, operations)| operations.len()), Some(7));
    let rows = table(&log, "processes", &["pid", "ending"]);
    let own: Vec<_> = rows.iter().filter(|row| row[0] == pid.trim()).collect();
    assert_eq!(own.len(), 1, "{rows:?}");
    assert_ne!(own[0][1], "running");
    let bytes: i64 = heat(&log)
        .into_iter()
        .filter(|((.., name), _)| name == "heatmap:POSIX")
        .map(|(_, (w, _))| w)
        .sum();
    assert!(bytes >= 56, "{bytes}");
    assert_eq!(log.job().metadata_value("whole"), None, "it is no longer one log of two");
}
