//! Everyday programs: what they do besides reading and writing files is in the log's `IOGLASS` block.

use std::fs;
use std::process::Stdio;

use ioglass_log::record_id;
use ioglass_log::table::Table;

use super::recording::{Recording, record_counters, run};
use super::room::Room;

/// The rows of a section, of each only the columns named.
fn rows(recording: &Recording, section: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let bytes = recording.log.block_section(section, 1 << 20).unwrap().unwrap_or_default();
    let text = String::from_utf8(bytes).unwrap();
    let table = Table::new(&text);
    let cells = columns.iter().map(|name| table.column(name));
    let cells: Vec<_> = cells.collect();
    let row = |row: ioglass_log::table::Row<'_>| {
        cells.iter().map(|column| row.get(*column).unwrap().to_owned()).collect()
    };
    table.rows().map(row).collect()
}

/// Metadata calls of one kind in a directory below the room: rank, calls, failed calls.
fn calls(recording: &Recording, room: &Room, directory: &str, operation: &str) -> Vec<[String; 3]> {
    let directory = room.folder.join(directory).canonicalize();
    let directory = directory.unwrap_or_else(|_| room.folder.join("gone"));
    let columns = ["directory", "operation", "rank", "calls", "failed"];
    let found = rows(recording, "metadata", &columns)
        .into_iter()
        .filter(|row| row[0] == directory.to_str().unwrap() && row[1] == operation);
    found.map(|row| [row[2].clone(), row[3].clone(), row[4].clone()]).collect()
}

fn texts<const N: usize>(row: [&str; N]) -> [String; N] {
    row.map(str::to_owned)
}

#[test]
fn files_that_are_removed() {
    let room = Room::new("everyday-rm");
    let gone = room.folder.join("gone");
    fs::create_dir(&gone).unwrap();
    (0..2000).for_each(|i| fs::write(gone.join(i.to_string()), "").unwrap());
    let recording = record_counters(&room, ["rm", "-rf", "gone"]);
    assert!(!gone.exists());
    assert_eq!(calls(&recording, &room, "gone", "unlink"), [texts(["0", "2000", "0"])]);
    assert_eq!(calls(&recording, &room, ".", "rmdir"), [texts(["0", "1", "0"])]);
    assert_eq!(recording.log.job().nprocs, 1);
    recording.check_end(0);
}

#[test]
fn directories_that_come_and_go() {
    let room = Room::new("everyday-mkdir");
    let recording = record_counters(&room, ["perl", "-e", "for(1..700){mkdir 'd'; rmdir 'd'}"]);
    assert_eq!(calls(&recording, &room, ".", "mkdir"), [texts(["0", "700", "0"])]);
    assert_eq!(calls(&recording, &room, ".", "rmdir"), [texts(["0", "700", "0"])]);
}

#[test]
fn files_that_are_not_there() {
    let room = Room::new("everyday-stat");
    let recording = record_counters(&room, ["perl", "-e", "for(1..20000){-e \"no-$_\"}; exit 7"]);
    assert_eq!(calls(&recording, &room, ".", "stat"), [texts(["0", "20000", "20000"])]);
    recording.check_end(7);
    let libraries = rows(&recording, "processes", &["libraries"]);
    assert!(libraries[0][0].contains("perl"), "{libraries:?}");
}

#[test]
fn a_few_calls_make_no_rank() {
    let room = Room::new("everyday-few");
    let recording = record_counters(&room, ["rm", "-f", "none"]);
    assert_eq!(calls(&recording, &room, ".", "unlink"), [texts(["-", "1", "1"])]);
    assert_eq!(rows(&recording, "processes", &["rank"]), [["-"]]);
}

#[test]
fn only_some_directories_are_named() {
    let room = Room::new("everyday-many");
    let script = "for $d (1..100){mkdir \"d$d\"; for(1..4){-e \"d$d/no\"}}";
    let recording = record_counters(&room, ["perl", "-e", script]);
    let stats = rows(&recording, "metadata", &["operation", "directory", "calls"]);
    let stats: Vec<_> = stats.into_iter().filter(|row| row[0] == "stat").collect();
    let sum: u64 = stats.iter().map(|row| row[2].parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 400);
    assert_eq!(stats.iter().filter(|row| row[1] == "-").count(), 1);
    // The room itself is one of the 64, for 100 calls that made directories.
    assert_eq!(stats.len(), 64, "{stats:?}");
}

#[test]
fn a_process_that_waits_for_its_input() {
    let room = Room::new("everyday-waiting");
    let mut command = run(&room, &["--no-report"], ["sh", "-c", "read line; echo $line > file"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"line\n").unwrap();
    let recording = Recording::read(&room, child.wait_with_output().unwrap(), false);
    recording.check(&[("file", &[(1, 5)])]);
    let waiting = rows(&recording, "waiting", &["rank", "seconds"]);
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0][0], "0");
    assert!(waiting[0][1].parse::<f64>().unwrap() > 0.0, "{waiting:?}");
}

#[test]
fn streams_that_are_pipes() {
    let room = Room::new("everyday-pipes");
    let mut command = run(&room, &["--no-report"], ["sort"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"b\na\n").unwrap();
    let recording = Recording::read(&room, child.wait_with_output().unwrap(), false);
    assert_eq!(recording.output.stdout, b"a\nb\n");
    let mut types = rows(&recording, "files", &["record", "type"]);
    types.sort();
    let of = |name: &str| vec![record_id(name.as_bytes()).to_string(), "fifo".to_owned()];
    let mut expected = vec![of("<STDIN>"), of("<STDOUT>")];
    expected.sort();
    assert_eq!(types, expected);
}

#[test]
fn redirections_of_bash_and_dash() {
    let room = Room::new("everyday-redirections");
    let script = "i=0; while [ $i -lt 100 ]; do echo line >> $0.txt; i=$((i+1)); done";
    for shell in ["bash", "dash"] {
        let recording = record_counters(&room, [shell, "-c", script, shell]);
        let path = room.folder.join(format!("{shell}.txt"));
        assert_eq!(fs::metadata(&path).unwrap().len(), 500);
        let id = record_id(path.to_str().unwrap().as_bytes());
        let log = &recording.log;
        let streams = log.records_of::<ioglass_log::stdio::Stdio>().unwrap().map(Result::unwrap);
        let streams: Vec<_> = streams.collect();
        assert!(streams.iter().all(|record| record.base.id == id), "{shell}: {streams:?}");
        let by_streams: i64 =
            streams.iter().map(|r| r.int[ioglass_log::stdio::BYTES_WRITTEN]).sum();
        let written = recording.writes(&format!("{shell}.txt"));
        let by_descriptors: i64 = written.iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(by_streams + by_descriptors, 500, "{shell}");
    }
}
