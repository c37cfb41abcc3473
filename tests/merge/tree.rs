//! Logs that the library writes alone, one for each process of a tree, become what `ioglass run`
//! would have written.

use std::fs;
use std::path::PathBuf;

use ioglass_log::Log;

use super::dump::{counters, heat, table, trace};
use super::merged;
use crate::lifecycle::programs::program;
use crate::lifecycle::recording::{run, said};
use crate::lifecycle::room::Room;
use crate::support::ioglass;

/// Processes that fork, become others and end, one after the other, so that each run numbers them
/// alike.
const TREE: &str = r#"head -c 100000 /dev/zero > data; cat data > one; cp data two
mkdir new; rmdir new; rm one
"$0" fork
(cat two > three; echo done >> three)
exec cat two three"#;

#[test]
fn processes_alone_make_the_log_of_the_tree() {
    let room = Room::new("merge-tree");
    if !room.is_private() {
        // Others' leftovers would be taken for the tree's.
        return;
    }
    let family = program("life/family.c");
    let (work, logs) = (room.folder.join("work"), room.folder.join("logs"));
    let fresh = || {
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).unwrap();
    };
    fs::create_dir_all(&logs).unwrap();
    let script = format!("cd work; {TREE}");

    fresh();
    let library = room.command(ioglass()).arg("lib").output().unwrap();
    let library = String::from_utf8(library.stdout).unwrap();
    let mut alone = room.command("env");
    alone.arg(format!("LD_PRELOAD={}", library.trim())).arg("IOGLASS_ENABLE=1");
    alone.args(["IOGLASS_TRACE=1", "IOGLASS_LOGPATH_BY_ENV=LOGS"]);
    alone.arg(format!("LOGS={}", logs.display())).args(["sh", "-c", &script]).arg(&family);
    let output = alone.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    // A process that became another program could not write what it had done before.
    let recover = room.command(ioglass()).arg("recover").arg("-o").arg(&logs).output().unwrap();
    assert!(recover.status.success(), "{}", said(&recover));

    fresh();
    let options = ["--trace", "--no-report"];
    let words = ["sh", "-c", &script, family.to_str().unwrap()];
    let together = run(&room, &options, words).output().unwrap();
    assert!(together.status.success(), "{}", said(&together));
    let expected = Log::open(room.folder.join("job.darshan")).unwrap();

    let entries = fs::read_dir(&logs).unwrap().map(|entry| entry.unwrap().path());
    let parts: Vec<PathBuf> = entries.collect();
    assert!(parts.len() > 6, "{parts:?}");
    let log = merged(&parts, &room.folder.join("merged.darshan"));

    assert_eq!(counters(&log), counters(&expected));
    assert_eq!(trace(&log), trace(&expected));
    assert_eq!(heat(&log), heat(&expected));
    assert_eq!(log.job().nprocs, expected.job().nprocs);
    // Alone, a process that is no rank has no log.
    let rows = |log: &Log, section: &str, columns: &[&str]| {
        let mut rows = table(log, section, columns);
        rows.retain(|row| row[0] != "-");
        rows
    };
    let sorted = |log: &Log, section: &str, columns: &[&str]| {
        let mut rows = rows(log, section, columns);
        // A file may have a row for nothing but a slow open.
        rows.retain(|row| {
            section != "files" || row[2..].iter().any(|v| !["-", "0"].contains(&&**v))
        });
        rows.sort();
        rows
    };
    for (section, columns) in [
        ("metadata", &["rank", "directory", "operation", "calls", "failed"][..]),
        ("files", &["rank", "record", "type", "sync", "direct", "truncated", "mapped"]),
        ("job", &["key", "value"]),
    ] {
        let found = sorted(&log, section, columns);
        assert_eq!(found, sorted(&expected, section, columns), "{section}");
        assert!(!found.is_empty(), "{section}");
    }
    let processes = |log: &Log| rows(log, "processes", &["rank", "ending", "command"]);
    assert_eq!(processes(&log), processes(&expected));
    assert!(log.dxt(&ioglass_log::dxt::POSIX).unwrap().has_threads());
    room.check_nothing_left();
}
