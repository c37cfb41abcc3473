//! What cannot be merged is refused, says why, and leaves nothing behind.

use std::fs;
use std::path::PathBuf;

use ioglass_log::{Base, Compression, DxtHead, Heatmap, Segment, record_id};

use super::craft::{log, wrote};
use super::merge;
use crate::lifecycle::recording::said;
use crate::lifecycle::room::empty;
use crate::support::Rng;

#[test]
fn bad_logs_and_bad_names() {
    let folder = empty("merge-bad");
    let mut good = log(2);
    good.posix.push(wrote("/data/own", 0, 1000, 0.1));
    let good = good.write(&folder, "good.darshan");
    let bytes = fs::read(&good).unwrap();
    let file = |name: &str, bytes: &[u8]| -> PathBuf {
        fs::write(folder.join(name), bytes).unwrap();
        folder.join(name)
    };
    let mut flipped = bytes.clone();
    let last = flipped.len() - 20;
    flipped[last] ^= 0xFF;
    let out = folder.join("out.darshan");
    for (log, status, words) in [
        (file("text", b"no log"), 3, "is not a Darshan log"),
        (file("cut", &bytes[..bytes.len() - 40]), 3, "ioglass recover"),
        (file("flipped", &flipped), 3, "POSIX module"),
        (folder.join("absent"), 3, "cannot read"),
        (folder.clone(), 3, "is not a log"),
        (good.clone(), 2, "given twice"),
        (PathBuf::from("-"), 2, "standard input"),
    ] {
        let refused = merge(&[good.clone(), log], &out, &[]);
        assert_eq!(refused.status.code(), Some(status), "{}", said(&refused));
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(words), "{words}: {said}");
        let entries = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<_> =
            entries.filter(|name| name.to_string_lossy().contains("ioglass")).collect();
        assert!(!out.exists() && left.is_empty(), "{words}: {left:?}");
    }
    let refused = merge(std::slice::from_ref(&good), &good, &[]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(fs::read(&good).unwrap() == bytes);
}

#[test]
fn what_is_left_out_is_said() {
    let folder = empty("merge-left-out");
    let logs: Vec<PathBuf> = (0..2)
        .map(|rank| {
            let mut own = log(2);
            own.posix.push(wrote("/data/own", rank, 1000, 0.1));
            own.sections.push(("of-tomorrow", format!("what rank {rank} knows")));
            own.sections.push(("lost", "kind\tcount\ntrace\t5\n".into()));
            own.write(&folder, &format!("r{rank}.darshan"))
        })
        .collect();
    let out = folder.join("out.darshan");
    let told = merge(&logs, &out, &["--json"]);
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["schema"], "ioglass.merge/1");
    assert_eq!(
        (&told["logs"], &told["ranks"], &told["shared_records"]),
        (&2.into(), &2.into(), &1.into())
    );
    assert_eq!(told["left_out"], serde_json::json!(["section of-tomorrow"]));
    assert_eq!(told["size"].as_u64(), fs::metadata(&out).ok().map(|metadata| metadata.len()));
    let log = ioglass_log::Log::open(&out).unwrap();
    assert_eq!(super::dump::table(&log, "lost", &["kind", "count"]), [["trace", "10"]]);
}

/// Whatever bytes a log has, it is merged or refused.
#[test]
fn any_bytes_end_well() {
    let folder = empty("merge-flips");
    let columns = "rank\tpid\tppid\thost\tstart\tend\tending\texcluded\tlost\tcommand";
    let craft = |rank: i64| {
        let mut own = log(2);
        own.compression = Compression::None;
        own.posix.push(wrote("/data/all", rank, 1000, 0.1));
        let base = Base { id: record_id(b"heatmap:POSIX"), rank };
        let heat = Heatmap { base, bin_width: 0.1, writes: vec![1; 20], reads: vec![2; 20] };
        own.heat.push(heat);
        let head = DxtHead { base, writes: 1, reads: 1, ..DxtHead::default() };
        own.trace.push((head, vec![Segment::default(); 2]));
        let row = format!("{rank}\t7\t6\tn\t0.1\t0.2\trunning\t0\t-\tx\n");
        own.sections.push(("processes", format!("{columns}\n{row}")));
        own
    };
    let good = craft(0).write(&folder, "good.darshan");
    let bad = craft(1).write(&folder, "bad.darshan");
    let bytes = fs::read(&bad).unwrap();
    let out = folder.join("out.darshan");
    let mut rng = Rng::new();
    let mut merged = 0;
    for round in 0..200 {
        let mut bytes = bytes.clone();
        for _ in 0..=rng.below(3) {
            // The numbers of the job decide the most.
            let end = if round % 2 == 0 { 1328 + 64 } else { bytes.len() };
            let start = if round % 2 == 0 { 1328 } else { 24 };
            let at = start + rng.below(end - start);
            bytes[at] = [0, 0x7F, 0x80, 0xFF, rng.next() as u8][rng.below(5)];
        }
        fs::write(&bad, &bytes).unwrap();
        let output = merge(&[good.clone(), bad.clone()], &out, &["--force"]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "round {round}: {}", said(&output));
        if code == Some(0) {
            merged += 1;
            ioglass_log::Log::open(&out).unwrap();
        }
    }
    assert!(merged > 20, "{merged} of 200 were merged");
}
