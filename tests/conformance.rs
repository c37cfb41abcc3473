//! What programs read of our listings is what the reference prints, byte for byte, except where
//! the reference is known to be wrong. Each such line is named here.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{ioglass, logs_folder, missing};

/// A big-endian log's POSIX records before version 4: the reference does not swap three times.
const SWAPPED: &str = "POSIX_F_META_TIME POSIX_F_MAX_READ_TIME POSIX_F_MAX_WRITE_TIME";
/// The same in totals.
const SWAPPED_TOTALS: &str =
    "total_POSIX_F_META_TIME: total_POSIX_F_MAX_READ_TIME: total_POSIX_F_MAX_WRITE_TIME:";
/// The size that belongs to a time which the reference took for negative.
const SIZE_OF_SLOWEST: &str = "total_POSIX_MAX_READ_TIME_SIZE:";
/// POSIX version 3: the reference loses the last two doubles of a record.
const VARIANCE_OF_TIME: &str = "POSIX_F_VARIANCE_RANK_TIME";
/// Likewise; in most logs all ranks moved the same number of bytes and the truth is 0.
const VARIANCE_OF_BYTES: &str = "POSIX_F_VARIANCE_RANK_BYTES";

/// Logs of which the reference prints wrong lines: listing, counters, each in one line.
const REFERENCE_FAULTS: &[(&str, &str, &[&str])] = &[
    ("example", "parser", &[VARIANCE_OF_TIME, VARIANCE_OF_BYTES]),
    ("mpi-io-test-ppc64-3.0.0", "parser", &[SWAPPED]),
    ("mpi-io-test-ppc64-3.0.0", "summary", &[SWAPPED_TOTALS]),
    ("mpi-io-test-ppc64-3.1.0", "parser", &[SWAPPED, VARIANCE_OF_TIME]),
    ("mpi-io-test-ppc64-3.1.0", "summary", &[SWAPPED_TOTALS, SIZE_OF_SLOWEST]),
    ("mpi-io-test-ppc64-3.1.1", "parser", &[SWAPPED, VARIANCE_OF_TIME]),
    ("mpi-io-test-ppc64-3.1.1", "summary", &[SWAPPED_TOTALS, SIZE_OF_SLOWEST]),
    ("mpi-io-test-ppc64-3.1.3", "parser", &[SWAPPED, VARIANCE_OF_TIME]),
    ("mpi-io-test-ppc64-3.1.3", "summary", &[SWAPPED_TOTALS, SIZE_OF_SLOWEST]),
    ("mpi-io-test-ppc64-3.1.5", "parser", &[SWAPPED, VARIANCE_OF_TIME]),
    ("mpi-io-test-ppc64-3.1.5", "summary", &[SWAPPED_TOTALS, SIZE_OF_SLOWEST]),
    ("mpi-io-test-ppc64-3.1.6", "parser", &[SWAPPED, VARIANCE_OF_TIME]),
    ("mpi-io-test-ppc64-3.1.6", "summary", &[SWAPPED_TOTALS]),
    ("mpi-io-test-x86_64-3.1.0", "parser", &[VARIANCE_OF_TIME]),
    ("mpi-io-test-x86_64-3.1.1", "parser", &[VARIANCE_OF_TIME]),
    ("mpi-io-test-x86_64-3.1.2", "parser", &[VARIANCE_OF_TIME]),
    ("mpi-io-test-x86_64-3.1.3", "parser", &[VARIANCE_OF_TIME]),
    ("mpi-io-test-x86_64-3.1.5", "parser", &[VARIANCE_OF_TIME]),
];

const LISTINGS: &[(&str, &[&str])] = &[
    ("parser", &["parse", "--show-incomplete"]),
    ("summary", &["parse", "--show-incomplete", "--total", "--perf", "--file"]),
    ("dxt", &["dxt", "--show-incomplete"]),
];

#[test]
fn listings_agree_with_the_reference() {
    let logs = logs_folder();
    let Ok(entries) = std::fs::read_dir(logs.join("expected")) else {
        return missing("expected listings", &logs.join("expected"));
    };
    let mut expected: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    expected.sort();
    let mut wrong = Vec::new();
    for path in &expected {
        let file = path.file_name().unwrap().to_str().unwrap();
        let stem = file.strip_suffix(".txt.xz").unwrap();
        let (name, kind) = stem.rsplit_once('.').unwrap();
        let (_, arguments) = LISTINGS.iter().find(|(listing, _)| *listing == kind).unwrap();
        let log = logs.join(format!("{name}.darshan"));
        let ours = machine_lines(&logs, &listing(arguments, &log));
        let theirs = decompress(path);
        if let Err(difference) = agree(name, kind, &ours, &theirs) {
            wrong.push(format!("{name} {kind}: {difference}"));
        }
    }
    assert!(expected.len() >= 148, "only {} listings to compare with", expected.len());
    assert!(wrong.is_empty(), "{} listings differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Compares two listings. Lines the reference gets wrong must differ, all others must not.
fn agree(name: &str, kind: &str, ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    let faults = REFERENCE_FAULTS.iter().find(|(log, listing, _)| *log == name && *listing == kind);
    let mut faults: Vec<&str> = faults
        .map(|(_, _, keys)| keys.iter().flat_map(|keys| keys.split(' ')).collect())
        .unwrap_or_default();
    if faults.is_empty() && ours == theirs {
        return Ok(());
    }
    let lines = |text: &[u8]| -> Vec<String> {
        text.split(|byte| *byte == b'\n').map(|line| line.escape_ascii().to_string()).collect()
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    if ours.len() != theirs.len() {
        return Err(format!("{} lines instead of {}", ours.len(), theirs.len()));
    }
    for (our, their) in ours.iter().zip(&theirs) {
        if our == their {
            continue;
        }
        let known = faults.iter().position(|key| {
            let mut words = our.split([' ']).flat_map(|word| word.split("\\t"));
            words.any(|word| word == *key)
        });
        match known {
            Some(index) => drop(faults.remove(index)),
            None => return Err(format!("\n  ours   {our}\n  theirs {their}")),
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!("the reference has these right after all: {faults:?}"))
}

fn listing(arguments: &[&str], log: &Path) -> Vec<u8> {
    let output = Command::new(ioglass())
        .args(arguments)
        .arg(log)
        .env("TZ", "UTC")
        .output()
        .expect("ioglass runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {errors}", log.display());
    assert!(errors.is_empty(), "{}: {errors}", log.display());
    output.stdout
}

/// The filter that comes with the expected listings.
fn machine_lines(logs: &Path, text: &[u8]) -> Vec<u8> {
    let mut filter = Command::new("sh")
        .arg(logs.join("machine-lines"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh runs");
    let mut stdin = filter.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(text).unwrap());
        filter.wait_with_output().unwrap().stdout
    })
}

fn decompress(path: &Path) -> Vec<u8> {
    let output = Command::new("xz").arg("-dc").arg(path).output().expect("xz is installed");
    assert!(output.status.success(), "xz -dc {}", path.display());
    output.stdout
}
