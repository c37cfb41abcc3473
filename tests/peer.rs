//! Logs we write are read by the real PyDarshan.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_log::text::TextBuilder;
use ioglass_log::{
    Base, Compression, DxtHead, Encode, FixedRecord, Heatmap, Job, Log, LogWriter, Mount, Segment,
    copy, dxt, heatmap,
    posix::{self, Posix},
    record_id,
    stdio::{self, Stdio},
};
use serde_json::Value;

use crate::support::{missing, real_logs, root, scratch};

/// The Python with PyDarshan in it: `IOGLASS_PYDARSHAN`, else where `scripts/test` puts it.
pub(crate) fn python() -> Option<PathBuf> {
    let given = std::env::var_os("IOGLASS_PYDARSHAN").map(PathBuf::from);
    let python = given.unwrap_or_else(|| root().join("target/peers/bin/python"));
    if !python.exists() {
        missing("PyDarshan", &python);
        return None;
    }
    Some(python)
}

pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

fn succeed(output: &Output, what: &str) {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
}

#[test]
fn pydarshan_reads_the_same_from_a_log_and_its_copy() {
    let Some(python) = python() else { return };
    let folder = scratch("pydarshan-copies");
    let mut command = Command::new(python);
    command.arg(script("compare.py"));
    let mut pairs = 0;
    for real in real_logs() {
        let (original, copied) =
            (folder.join(&real.name), folder.join(format!("copy-{}", real.name)));
        std::fs::write(&original, &real.bytes).unwrap();
        let log = Log::from_bytes(real.bytes).unwrap();
        std::fs::write(&copied, copy(&log, Vec::new(), Compression::Zlib).unwrap()).unwrap();
        command.arg(original).arg(copied);
        pairs += 1;
    }
    if pairs == 0 {
        return;
    }
    let output = command.output().unwrap();
    succeed(&output, "compare.py");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.ends_with(&format!("{pairs} pairs\n")), "{out}");
}

/// A log with counters, a trace and heat maps, all of known values.
fn known_log() -> Vec<u8> {
    let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
    let mut job = Job::default();
    job.uid = 1000;
    job.jobid = 4242;
    job.nprocs = 3;
    job.start_sec = 1_700_000_000;
    job.start_nsec = 250_000_000;
    job.end_sec = 1_700_000_012;
    job.end_nsec = 750_000_000;
    job.metadata = b"lib_ver=3.5.0\n".into();
    let root = Mount { path: b"/".into(), fs_type: b"ext4".into() };
    let scratch = Mount { path: b"/scratch".into(), fs_type: b"lustre".into() };
    job.set_command(b"./solver --steps 10", &[scratch, root]);
    writer.job(&job).unwrap();

    let paths: Vec<String> = (0..3).map(|rank| format!("/scratch/out.{rank}")).collect();
    let ids: Vec<u64> = paths.iter().map(|path| record_id(path.as_bytes())).collect();
    let heat = record_id(b"heatmap:POSIX");
    let console = record_id(b"<STDOUT>");
    let mut names: Vec<(u64, &[u8])> =
        ids.iter().zip(&paths).map(|(id, path)| (*id, path.as_bytes())).collect();
    names.push((heat, b"heatmap:POSIX"));
    names.push((console, b"<STDOUT>"));
    writer.names(names).unwrap();

    let mut out = writer.module(&posix::MODULE).unwrap();
    for (rank, id) in (0..).zip(&ids) {
        let mut record = Posix::new(*id, rank);
        record.int[posix::OPENS] = 1;
        record.int[posix::WRITES] = 100 + rank;
        record.int[posix::BYTES_WRITTEN] = (100 + rank) * 1_048_576;
        record.int[posix::RENAMED_FROM] = -1;
        record.float[posix::f::WRITE_TIME] = 1.5 * (rank + 1) as f64;
        record.float[posix::f::WRITE_START_TIMESTAMP] = 0.125;
        record.float[posix::f::WRITE_END_TIMESTAMP] = 11.5;
        out.record(&record.view()).unwrap();
    }
    out.finish().unwrap();

    let mut out = writer.module(&stdio::MODULE).unwrap();
    let mut record = Stdio::new(console, 0);
    record.int[stdio::WRITES] = 7;
    record.int[stdio::BYTES_WRITTEN] = 70;
    out.record(&record.view()).unwrap();
    out.finish().unwrap();
    writer.set_partial(stdio::MODULE.id);

    let mut out = writer.module(&dxt::POSIX).unwrap();
    for (rank, id) in (0..).zip(&ids) {
        let base = Base { id: *id, rank };
        let hostname = format!("node{rank}").into_bytes();
        out.record(&DxtHead { base, hostname, writes: 2, reads: 1, shared: 0 }).unwrap();
        let mut bytes = Vec::new();
        for i in 0..3 {
            let start = 0.5 * i as f64;
            Segment { offset: i * 4096, length: 4096, start, end: start + 0.25 }.encode(&mut bytes);
        }
        out.bytes(&bytes).unwrap();
    }
    out.finish().unwrap();

    let mut out = writer.module(&heatmap::MODULE).unwrap();
    for rank in 0..3 {
        let map = Heatmap {
            base: Base { id: heat, rank },
            bin_width: 0.5,
            writes: (0..25).map(|bin| bin * (rank + 1)).collect(),
            reads: vec![0; 25],
        };
        out.record(&map).unwrap();
    }
    out.finish().unwrap();
    writer.finish().unwrap()
}

#[test]
fn pydarshan_finds_what_was_written() {
    let Some(python) = python() else { return };
    let log = scratch("pydarshan-known").join("known.darshan");
    std::fs::write(&log, known_log()).unwrap();
    let output = Command::new(python).arg(script("dump.py")).arg(&log).output().unwrap();
    succeed(&output, "dump.py");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!(found["log_ver"], "3.41");
    assert_eq!(found["nprocs"], 3);
    assert_eq!(found["exe"], "./solver --steps 10");
    assert_eq!(found["run_time"], 12.5);
    assert_eq!(found["modules"]["STDIO"]["partial"], true);
    assert_eq!(found["modules"]["POSIX"]["partial"], false);
    assert_eq!(found["modules"]["DXT_POSIX"]["version"], 1);
    let names: Vec<&Value> = found["names"].as_object().unwrap().values().collect();
    assert!(names.contains(&&Value::from("/scratch/out.2")), "{names:?}");

    let posix = found["counters"]["POSIX"].as_array().unwrap();
    assert_eq!(posix.len(), 3);
    assert_eq!(posix[2]["rank"], 2);
    assert_eq!(posix[2]["POSIX_WRITES"], 102);
    assert_eq!(posix[2]["POSIX_F_WRITE_TIME"], 4.5);
    assert_eq!(posix[0]["id"], record_id(b"/scratch/out.0").to_string());
    assert_eq!(found["counters"]["STDIO"][0]["STDIO_BYTES_WRITTEN"], 70);

    let trace = found["segments"]["DXT_POSIX"].as_array().unwrap();
    assert_eq!(trace.len(), 3);
    assert_eq!(trace[1]["hostname"], "node1");
    assert_eq!(trace[1]["write"].as_array().unwrap().len(), 2);
    assert_eq!(trace[1]["read"], serde_json::json!([[8192.0, 4096.0, 1.0, 1.25]]));
    let heat = found["heatmaps"].as_object().unwrap();
    assert_eq!(heat.len(), 1);
    let rows = heat.values().next().unwrap().as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2][24], 72);
}

#[test]
fn pydarshan_summarises_our_logs() {
    let Some(python) = python() else { return };
    let folder = scratch("pydarshan-summary");
    let mut logs = vec![("known".to_owned(), known_log())];
    for fixture in std::fs::read_dir(root().join("tests/fixtures")).unwrap() {
        let path = fixture.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let mut builder = TextBuilder::new();
        builder.read(&std::fs::read(&path).unwrap()[..]).unwrap();
        let log = builder.write(Vec::new(), Compression::Zlib).unwrap();
        logs.push((path.file_stem().unwrap().to_string_lossy().into_owned(), log));
    }
    for real in real_logs() {
        if ["sample-dxt-simple.darshan", "ior_hdf5_example.darshan"].contains(&real.name.as_str()) {
            let log = Log::from_bytes(real.bytes).unwrap();
            logs.push((real.name, copy(&log, Vec::new(), Compression::Zlib).unwrap()));
        }
    }
    for (name, bytes) in logs {
        let (log, page) = (folder.join(format!("{name}.darshan")), folder.join("page.html"));
        std::fs::write(&log, bytes).unwrap();
        let _ = std::fs::remove_file(&page);
        let output = Command::new(&python)
            .args(["-m", "darshan", "summary"])
            .arg(&log)
            .arg("--output")
            .arg(&page)
            .output()
            .unwrap();
        succeed(&output, &name);
        let page = std::fs::read_to_string(&page).unwrap();
        assert!(page.contains("Darshan Summary Report"), "{name}: this is no summary");
    }
}
