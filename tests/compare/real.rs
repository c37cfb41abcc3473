//! Programs that are recorded, with small writes and with large ones.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{compared, quantity, state};
use crate::support::{DEFAULT_SIGNALS, ioglass, scratch};

/// Records dd(1), which writes 4 MiB in pieces of this size.
fn record(folder: &Path, side: &str, size: u64, number: u32) {
    let (log, target) =
        (folder.join(side).join(format!("{number}.darshan")), folder.join("out.bin"));
    let output = Command::new("env")
        .arg(DEFAULT_SIGNALS)
        .arg(ioglass())
        .args(["run", "--no-report", "-o"])
        .arg(&log)
        .args(["--", "dd", "if=/dev/zero"])
        .arg(format!("of={}", target.display()))
        .args([format!("bs={size}"), format!("count={}", (4 << 20) / size)])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(log.exists());
}

#[test]
fn recorded_runs_are_compared() {
    let folder = scratch("compare-real");
    for side in ["before", "after"] {
        let side = folder.join(side);
        if side.exists() {
            fs::remove_dir_all(&side).unwrap();
        }
        fs::create_dir(side).unwrap();
    }
    for number in 1..=3 {
        record(&folder, "before", 512, number);
        record(&folder, "after", 1 << 20, number);
    }
    let found = compared(&folder, &[]);
    assert_eq!(state(&found, "same_work"), "same", "{}", found["same_work"]);
    assert_eq!(found["same_work"]["interface"], "POSIX");
    // How long they took is for the machine to say; that it can be compared is not.
    assert_ne!(state(&found, "verdict"), "not-comparable");
    assert_eq!(found["verdict"]["certainty"], "interval");
    assert_eq!(found["verdict"]["coverage"], 0.9);
    for (side, size) in [("before", 512.0), ("after", 1_048_576.0)] {
        assert_eq!(found[side]["program"], "dd");
        assert_eq!(found[side]["run_seconds"].as_array().unwrap().len(), 3);
        assert_eq!(quantity(&found, "common_size")[side], size);
        assert_eq!(quantity(&found, "bytes_written")[side], 4_194_304.0);
    }
    let requests = |side: &str| quantity(&found, "requests")[side].as_f64().unwrap();
    assert_eq!(requests("before") / requests("after"), 2048.0);
    assert_eq!(quantity(&found, "common_size")["meaning"], "changed");
    let arguments = found["same_work"]["differences"].as_array().unwrap();
    let arguments = arguments.iter().find(|it| it["what"] == "arguments").unwrap();
    assert_eq!(arguments["decides"], json!(false));
    assert!(arguments["before"].as_str().unwrap().contains("bs=512"), "{arguments}");
    // The same logs on both sides are no change, whatever they are.
    let output = Command::new(ioglass())
        .current_dir(&folder)
        .args(["report", "--json", "--compare", "before/1.darshan", "before/1.darshan"])
        .output()
        .unwrap();
    let same: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(state(&same, "verdict"), "no-change");
    assert_eq!(same["verdict"]["ratio"], 1.0);
}
