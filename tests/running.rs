//! `ioglass report --job`: a report on a job that still runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Output, Stdio};

use ioglass_log::Log;
use serde_json::Value;

use crate::lifecycle::room::Room;
use crate::support::ioglass;

const STILL: &str = "The run is still going on. The report covers what it did so far.";

/// Starts a recorded shell; returns when it has written ten bytes and waits for its standard input.
fn start(room: &Room, log: &str, jobid: &str) -> Child {
    let script = "printf 0123456789 > first; echo ready; read x; printf 0123456789 > second";
    let mut child = room
        .command(ioglass())
        .args(["run", "--no-report", "-o", log, "--", "sh", "-c", script])
        .env("SLURM_JOB_ID", jobid)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    child
}

/// Lets the shell go on and waits for its end.
fn end(mut child: Child) {
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn report(room: &Room, arguments: &[&str]) -> Output {
    room.command(ioglass()).arg("report").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The names of running jobs with this number, as the message about an unknown one lists them.
fn listed(room: &Room, jobid: &str) -> Vec<String> {
    let refused = report(room, &["--job", "no-such-job"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let lines = text(&refused.stderr);
    let names = lines.lines().map(str::trim).filter(|line| line.starts_with(&format!("{jobid}-")));
    names.map(str::to_owned).collect()
}

#[test]
fn a_running_job_is_reported_like_a_log() {
    let room = Room::new("running-report");
    let child = start(&room, "j.darshan", "7701");
    let names = listed(&room, "7701");
    assert_eq!(names.len(), 1, "{names:?}");

    let shown = report(&room, &["--job", "7701"]);
    assert!(shown.status.success(), "{shown:?}");
    let screen = text(&shown.stdout);
    assert!(screen.contains(STILL) && screen.contains("job 7701"), "{screen}");
    assert!(screen.contains(&names[0]) && !screen.contains("still running"), "{screen}");
    let line = text(&report(&room, &["--quiet", "--job", &names[0]]).stdout);
    assert!(line.trim_end().ends_with(&format!("ioglass report -v --job {}", names[0])), "{line}");

    let json = report(&room, &["--json", "--job", &names[0]]);
    assert!(json.status.success(), "{json:?}");
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["log"], names[0]);
    assert_eq!(json["job"]["id"], 7701);
    assert_eq!(json["moved"]["bytes_written"], 10, "{json}");
    assert!(json["warnings"].to_string().contains(STILL), "{json}");
    let page = text(&report(&room, &["--html", "--job", "7701"]).stdout);
    assert!(page.contains(STILL) && page.contains(&names[0]));
    // The page was made of records in memory: nothing in it comes from a log.
    assert!(page.contains("in memory, recorded by") && page.contains("recorded until"));
    let files = std::fs::read_dir(&room.folder).unwrap().count();
    assert_eq!(files, 1, "the report leaves no file");

    // The job has not noticed.
    end(child);
    let log = Log::open(room.folder.join("j.darshan")).unwrap();
    assert_eq!(log.job().jobid, 7701);
    assert_eq!(log.names().iter().filter(|(_, name)| name.ends_with(b"second")).count(), 1);
    let ended = report(&room, &["--job", "7701"]);
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    room.check_nothing_left();
}

#[test]
fn a_number_of_two_jobs_is_refused() {
    let room = Room::new("running-two");
    let children = [start(&room, "a.darshan", "7702"), start(&room, "b.darshan", "7702")];
    let names = listed(&room, "7702");
    assert_eq!(names.len(), 2, "{names:?}");
    let refused = report(&room, &["--job", "7702"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let said = text(&refused.stderr);
    assert!(names.iter().all(|name| said.contains(name)), "{said}");
    for name in &names {
        let shown = report(&room, &["--job", name]);
        assert!(shown.status.success(), "{shown:?}");
    }
    children.into_iter().for_each(end);
}

#[test]
fn a_job_and_a_log_exclude_each_other() {
    let room = Room::new("running-usage");
    let refused = report(&room, &["--job", "1", "x.darshan"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}
