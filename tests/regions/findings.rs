//! The log tells which region used which file, and findings name the regions behind their seconds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ioglass_log::Log;
use ioglass_log::table::Table;
use ioglass_profile::Layer;
use serde_json::Value;

use super::seen::{annotated, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::{log_path, run, said};
use crate::lifecycle::room::{Room, wait_for_the_end};
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::{ioglass, missing};

/// Opens, reads, writes, bytes read, bytes written and other calls.
type Counts = [u64; 6];

/// The I/O of regions on files in the room of a test: path, file and layer.
fn contexts(log: &Path, files: &[&str]) -> BTreeMap<(String, String, String), Counts> {
    let log = Log::open(log).unwrap();
    let text = log.block_section("contexts", 1 << 20).unwrap().expect("contexts");
    let text = String::from_utf8(text).unwrap();
    let table = Table::new(&text);
    let mut found: BTreeMap<_, Counts> = BTreeMap::new();
    for row in table.rows() {
        let get = |name: &str| row.get(table.column(name)).unwrap();
        let name = log.names().lookup(get("record").parse().unwrap()).into_owned();
        let name = name.rsplit('/').next().unwrap().to_owned();
        if !files.contains(&name.as_str()) {
            continue;
        }
        assert_eq!(get("kind"), "region");
        let key = (get("path").to_owned(), name, get("layer").to_owned());
        let sums = found.entry(key).or_default();
        let counts = ["opens", "reads", "writes", "bytes_read", "bytes_written", "other"];
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += get(count).parse::<u64>().unwrap();
        }
        let times = ["read", "write", "metadata"].map(|name| get(name).parse::<f64>().unwrap());
        assert!(times.iter().all(|time| *time >= 0.0), "{times:?}");
    }
    found
}

/// The report on a log, whose regions are sound.
#[track_caller]
fn report(log: &Path) -> Value {
    let output = Command::new(ioglass()).args(["report", "--json"]).arg(log).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for finding in report["findings"].as_array().unwrap() {
        let regions = finding["regions"].as_array().expect("always there");
        let number = |region: &Value, name: &str| region[name].as_f64().unwrap();
        let shares: Vec<f64> = regions.iter().map(|region| number(region, "share")).collect();
        assert!(shares.iter().sum::<f64>() <= 1.0 + 1e-9, "{finding}");
        assert!(shares.is_sorted_by(|a, b| a >= b), "{finding}");
        let stake = finding["seconds_at_stake"].as_f64().unwrap();
        for region in regions {
            let off = number(region, "seconds") - stake * number(region, "share");
            assert!(off.abs() < 1e-9, "{finding}");
        }
    }
    report
}

/// Path, line and bytes of the regions of a finding that fired, by path.
#[track_caller]
fn regions_of(report: &Value, code: &str) -> Vec<(String, u64, u64)> {
    let findings = report["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["code"] == code).unwrap();
    assert_eq!(finding["state"], "fired", "{finding}");
    let region = |region: &Value| {
        assert!(region["file"].as_str().unwrap().contains("files"), "{region}");
        let names: Vec<&str> =
            region["path"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let number = |name: &str| region[name].as_u64().unwrap();
        (names.join(" > "), number("line"), number("bytes"))
    };
    let mut list: Vec<_> = finding["regions"].as_array().unwrap().iter().map(region).collect();
    list.sort();
    list
}

/// The line of the source on which a text is.
fn line_of(program: &str, text: &str) -> u64 {
    let source = fs::read_to_string(source(program)).unwrap();
    1 + source.lines().position(|line| line.contains(text)).unwrap() as u64
}

fn key(path: &str, file: &str, layer: &str) -> (String, String, String) {
    (path.into(), file.into(), layer.into())
}

/// What `files.c` does in regions, through a layer.
fn of_files(layer: &str) -> BTreeMap<(String, String, String), Counts> {
    let counts = |opens: u64, writes: u64| [opens, 0, writes, 0, 64 * writes, opens];
    BTreeMap::from([
        (key("main/init", "a.data", layer), counts(1, 1000)),
        (key("main/init", "b.data", layer), counts(1, 10)),
        (key("main/dump", "a.data", layer), counts(3, 9000)),
        (key("main/dump", "b.data", layer), counts(3, 60)),
    ])
}

const FILES: [&str; 2] = ["a.data", "b.data"];

/// The regions of the finding about small writes in `files.c`.
fn small_writes() -> Vec<(String, u64, u64)> {
    let line = |name: &str| line_of("regions/files.c", name);
    vec![
        ("main > dump".into(), line("IOGLASS_ITERATION(\"dump\")"), 64 * 9060),
        ("main > init".into(), line("IOGLASS_ENTER(\"init\")"), 64 * 1010),
    ]
}

#[test]
fn findings_name_regions_of_descriptors() {
    let room = Room::new("regions-findings");
    let output = run(&room, &["--no-report"], [annotated("regions/files.c")]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let log = log_path(&room);
    assert_eq!(contexts(&log, &FILES), of_files("posix"));
    // From the log alone.
    fs::remove_file(log.with_extension("ioprof")).unwrap();
    let told = report(&log);
    assert_eq!(regions_of(&told, "A01"), small_writes());
    room.check_nothing_left();
}

#[test]
fn findings_name_regions_of_streams() {
    let room = Room::new("regions-findings-stdio");
    let words = [annotated("regions/files.c").into_os_string(), "stdio".into()];
    let output = run(&room, &["--no-report"], words).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(contexts(&log_path(&room), &FILES), of_files("stdio"));
    report(&log_path(&room));
}

#[test]
fn a_program_without_regions_has_none() {
    let room = Room::new("regions-findings-none");
    let words = [annotated("regions/files.c")];
    let output = run(&room, &["--no-report", "--no-regions"], words).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let told = report(&log_path(&room));
    assert_eq!(regions_of(&told, "A01"), []);
    let log = Log::open(log_path(&room)).unwrap();
    assert_eq!(log.block_section("contexts", 1 << 20).unwrap(), None);
}

#[test]
fn recovered_logs_have_regions() {
    let room = Room::new("regions-findings-recover");
    let program = annotated("regions/files.c");
    // The command dies with its program.
    let script = format!("echo $$ > shell; {}; kill -9 $PPID; kill -9 $$", program.display());
    assert!(!run(&room, &["--no-report"], ["sh", "-c", &script]).status().unwrap().success());
    wait_for_the_end(fs::read_to_string(room.folder.join("shell")).unwrap().trim());
    assert!(room.command(ioglass()).arg("recover").status().unwrap().success());
    assert_eq!(contexts(&log_path(&room), &FILES), of_files("posix"));
    assert_eq!(regions_of(&report(&log_path(&room)), "A01"), small_writes());
    room.check_nothing_left();
}

#[test]
fn little_memory_counts_for_the_region_without_a_file() {
    let room = Room::new("regions-findings-memory");
    let script = r#"
import os
from ioglass import region
with region("many"):
    for i in range(8000):
        os.close(os.open(f"f{i}", os.O_CREAT | os.O_WRONLY))
with region("later"):
    with open("last", "w"):
        pass
"#;
    let mut command = run(&room, &["--no-report"], ["/usr/bin/python3", "-c", script]);
    let package = crate::support::root().join("crates/region/python");
    command.env("PYTHONPATH", package).env("IOGLASS_REGION_MEMORY", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let log = Log::open(log_path(&room)).unwrap();
    let text = log.block_section("contexts", 1 << 22).unwrap().expect("contexts");
    let text = String::from_utf8(text).unwrap();
    let table = Table::new(&text);
    let column = |name| table.column(name);
    let of = |path: &str, with_file: bool| {
        let rows = table.rows().filter(|row| {
            row.get(column("path")) == Some(path)
                && (row.get(column("record")) != Some("0")) == with_file
        });
        let opens = |row: ioglass_log::table::Row<'_>| row.number::<u64>(column("opens")).unwrap();
        rows.map(opens).fold((0, 0), |(rows, sum), opens| (rows + 1, sum + opens))
    };
    let ((named, own), (rest, others)) = (of("many", true), of("many", false));
    assert_eq!((own + others, rest), (8000, 1));
    assert!((100..2000).contains(&named), "{named}");
    // Regions that come later are there.
    assert_eq!(of("later", false).1 + of("later", true).1, 1);
}

#[test]
fn a_child_has_contexts_of_its_own() {
    let room = Room::new("regions-findings-fork");
    let script = r#"
import os
from ioglass import region
with region("main"):
    with region("both"):
        f = os.open("shared", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        [os.write(f, b"0123456789") for _ in range(3)]
        if os.fork() == 0:
            [os.write(f, b"0123456789") for _ in range(5)]
            with region("inner"):
                [os.write(f, b"0123456789") for _ in range(7)]
            [os.write(f, b"0123456789") for _ in range(11)]
            os._exit(0)
        os.wait()
        [os.write(f, b"0123456789") for _ in range(13)]
"#;
    let mut command = run(&room, &["--no-report"], ["/usr/bin/python3", "-c", script]);
    command.env("PYTHONPATH", crate::support::root().join("crates/region/python"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let found = contexts(&log_path(&room), &["shared"]);
    let expected = BTreeMap::from([
        (key("main/both", "shared", "posix"), [1, 0, 32, 0, 320, 0]),
        (key("main/both/inner", "shared", "posix"), [0, 0, 7, 0, 70, 0]),
    ]);
    assert_eq!(found, expected);
}

#[test]
fn the_screen_and_the_page_name_regions() {
    let room = Room::new("regions-findings-screen");
    let mut command = run(&room, &["-v"], [annotated("regions/files.c")]);
    let output = command.env("COLUMNS", "80").env("LC_ALL", "C.UTF-8").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    // Which of them comes first is a matter of time.
    let [dump, init] = [small_writes()[0].1, small_writes()[1].1];
    let places = [format!("dump (files.c:{dump})"), format!("init (files.c:{init})")];
    let line = lines.iter().find(|line| line.starts_with("        region:   ")).expect(&said);
    assert!(places.iter().any(|place| line[18..].starts_with(place.as_str())), "{said}");
    assert!(line.ends_with(" %") && line.chars().count() == 79, "{said}");
    // The regions that took the time come last, but for one line.
    let at = lines.iter().position(|line| line.starts_with("  regions ")).expect(&said);
    assert!(lines[at].starts_with("  regions 3 regions on 1 process; files took "), "{said}");
    let title = "          where the time went                   seconds   in I/O  uneven   share";
    assert_eq!(lines[at + 1], title);
    let mut names: Vec<&str> =
        lines[at + 2..at + 5].iter().map(|line| line[10..].split(' ').next().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["dump", "init", "main"], "{said}");
    assert!(lines[at + 5].starts_with("          slowest dump "), "{said}");
    let profile = log_path(&room).with_extension("ioprof");
    assert_eq!(lines[at + 6], format!("          ioglass profile show {}", profile.display()));
    assert_eq!(lines.len(), at + 8, "{said}");
    let page = room.folder.join("page.html");
    let status = Command::new(ioglass())
        .args(["report", &format!("--html={}", page.display())])
        .arg(log_path(&room))
        .status();
    assert!(status.unwrap().success());
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("In region <code>dump</code>") || page.contains("<code>init</code>"));
}

#[test]
fn a_run_without_regions_does_not_speak_of_them() {
    let room = Room::new("regions-findings-silent");
    let mut command = run(&room, &["--no-regions"], [annotated("regions/files.c")]);
    let output = command.env("LC_ALL", "C.UTF-8").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("checks fine"), "{said}");
    assert!(!said.contains("region:") && !said.contains("  regions "), "{said}");
}

/// What `files_mpi.c` does in regions on three ranks.
fn of_ranks() -> BTreeMap<(String, String, String), Counts> {
    let file = "shared.data";
    BTreeMap::from([
        (key("main", file, "mpiio"), [3, 0, 0, 0, 0, 3]),
        (key("main/head", file, "mpiio"), [0, 0, 100, 0, 6400, 0]),
        (key("main/dump", file, "mpiio"), [0, 0, 6000, 0, 384_000, 0]),
        (key("main/head", file, "posix"), [0, 0, 100, 0, 6400, 0]),
        (key("main/dump", file, "posix"), [0, 0, 6000, 0, 384_000, 0]),
    ])
}

fn check_ranks(log: &Path, case: &str) {
    let mut found = contexts(log, &["shared.data"]);
    // What an MPI does to open and close a file is its own affair.
    found.remove(&key("main", "shared.data", "posix"));
    assert_eq!(found, of_ranks(), "{case}");
    let told = report(log);
    let regions = regions_of(&told, "A01");
    let bytes: Vec<_> = regions.iter().map(|(path, _, bytes)| (path.as_str(), *bytes)).collect();
    assert_eq!(bytes, [("main > dump", 384_000), ("main > head", 6400)], "{case}");
}

/// A region that is tagged as one of all ranks, and is not.
fn check_hint(profile: &Path) {
    let mut command = Command::new(ioglass());
    let output = command.args(["profile", "show", "--json"]).arg(profile).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hint = serde_json::json!(
        [{"code": "hint-wrong", "count": 1, "name": "ranks", "path": ["main", "head"]}]
    );
    assert_eq!(told["notices"], hint);
}

/// An iteration has the time of MPI-IO, in which that of descriptors is.
fn check_iterations(profile: &Path) {
    let profile = read(profile);
    let dump = profile.regions.iter().find(|region| region.name == b"dump").unwrap();
    for row in &dump.rows {
        let (_, io) = row.io.iter().find(|(layer, _)| *layer == Layer::Mpiio).unwrap();
        let series = row.series.as_ref().unwrap();
        assert!(series.io_ns[0].abs_diff(io.write_ns) <= 10, "{series:?} {io:?}");
        assert_eq!(series.bytes_written, [io.bytes_written]);
    }
    assert_eq!(dump.rows.len(), 3);
}

/// A library keeps data and writes it when it likes; its own calls are where the program made them.
#[test]
fn the_log_has_regions_of_hdf5() {
    let compiler = Path::new("/usr/bin/h5cc");
    if !compiler.exists() {
        missing("h5cc", compiler);
        return;
    }
    let room = Room::new("regions-findings-hdf5");
    // A library that is linked statically cannot be seen.
    let mut command = Command::new(compiler);
    command.current_dir(&room.folder).args(["-shlib", "-o", "app"]);
    let output = command.arg(source("regions/files_h5.c")).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let output = run(&room, &["--no-report"], [room.folder.join("app")]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let mut found = contexts(&log_path(&room), &["data.h5", "numbers"]);
    found.retain(|(_, _, layer), _| layer == "hdf5");
    let expected = BTreeMap::from([
        (key("main", "data.h5", "hdf5"), [1, 0, 0, 0, 0, 1]),
        (key("main", "numbers", "hdf5"), [1, 0, 0, 0, 0, 1]),
        (key("main/init", "numbers", "hdf5"), [0, 0, 3, 0, 24_000, 0]),
        (key("main/check", "numbers", "hdf5"), [0, 5, 0, 40_000, 0, 0]),
    ]);
    assert_eq!(found, expected);
    report(&log_path(&room));
}

fn program_of(stack: &Stack) -> Vec<OsString> {
    stack.program(&source("regions/files_mpi.c")).unwrap()
}

#[test]
fn findings_name_regions_of_ranks() {
    for stack in [&OPEN_MPI, &MPICH] {
        if !stack.is_here() {
            continue;
        }
        let (launcher, program) = (stack.launcher(3), program_of(stack));
        let room = Room::new("regions-findings-mpi");
        let words = launcher.iter().chain(&program);
        let output = run(&room, &["--no-report"], words).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        check_ranks(&log_path(&room), stack.name);
        check_hint(&log_path(&room).with_extension("ioprof"));
        check_iterations(&log_path(&room).with_extension("ioprof"));
        room.check_nothing_left();
        // Each rank by itself, and then merged.
        let room = Room::new("regions-findings-merge");
        let folder = room.folder.join("logs");
        fs::create_dir(&folder).unwrap();
        let mut command = room.command(&launcher[0]);
        command.args(&launcher[1..]).arg(ioglass());
        command.args(["run", "--alone", "--no-report", "-o"]).arg(&folder).arg("--").args(&program);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let logs = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let logs: Vec<PathBuf> =
            logs.filter(|path| path.extension().is_some_and(|it| it == "darshan")).collect();
        assert_eq!(logs.len(), 3);
        let mut command = room.command(ioglass());
        let output =
            command.arg("merge").args(&logs).arg("-o").arg(log_path(&room)).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        check_ranks(&log_path(&room), stack.name);
    }
}
