//! Many logs and long traces.

use std::fs;
use std::process::Command;

use ioglass_log::{Base, DxtHead, Segment, record_id};

use super::craft::{log, wrote};
use super::dump::trace;
use crate::lifecycle::programs::python;
use crate::lifecycle::room::empty;
use crate::support::{Rng, ioglass};

/// More logs than a process may have open.
#[test]
fn more_logs_than_descriptors() {
    let folder = empty("merge-many");
    for rank in 0..100 {
        let mut own = log(100);
        own.posix.push(wrote("/data/all", rank, 1000, 0.1));
        own.write(&folder, &format!("r{rank}.darshan"));
    }
    let script = r#"ulimit -n 32; exec "$0" merge -o out.darshan r*.darshan"#;
    let output =
        Command::new("sh").args(["-c", script]).arg(ioglass()).current_dir(&folder).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("100 ranks of 100 logs"),
        "{output:?}"
    );
}

/// A trace of sixteen times the length takes no more memory.
#[test]
fn memory_does_not_grow_with_traces() {
    let folder = empty("merge-memory");
    let mut rng = Rng::new();
    let mut peak = |segments: u64| {
        let logs: Vec<_> = (0..2)
            .map(|rank| {
                let mut own = log(2);
                let base = Base { id: record_id(b"/data/all"), rank };
                let head = DxtHead { base, writes: segments, ..DxtHead::default() };
                let mut segment = || Segment {
                    offset: rng.next().cast_signed() >> 20,
                    length: 4096,
                    start: 0.5,
                    end: 0.5 + rng.below(1000) as f64 * 1e-9,
                };
                own.trace.push((head, (0..segments).map(|_| segment()).collect()));
                own.write(&folder, &format!("{rank}.darshan"))
            })
            .collect();
        let out = folder.join("out.darshan");
        let mut command = Command::new(python());
        command.args(["-c", PEAK]).arg(ioglass()).arg("merge");
        let output = command.args(&logs).arg("-o").arg(&out).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let operations: usize =
            trace(&ioglass_log::Log::open(&out).unwrap()).values().map(Vec::len).sum();
        assert_eq!(operations as u64, 2 * segments);
        String::from_utf8(output.stdout).unwrap().trim().parse::<i64>().unwrap()
    };
    let (short, long) = (peak(50_000), peak(800_000));
    assert!(long - short < 8 << 10, "{short} KiB, then {long} KiB");
    fs::remove_dir_all(&folder).unwrap();
}

/// Runs a command and prints the most memory it had, in KiB.
const PEAK: &str = "import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)";
