//! Settings that an advice gives: only parameters of the table, and only where the log proves that they
//! do no harm.

use std::fs;
use std::path::Path;
use std::process::Command;

use ioglass_insight::Diagnosis;
use ioglass_insight::model::Run;
use ioglass_insight::motif::Motif;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::tunable::{Known, Tunable};
use ioglass_log::Log;
use ioglass_param::{fs as fs_layer, hdf5, libc, mpiio};

use crate::findings::counters::{nothing, read, write, write_all};
use crate::findings::recipe::{ALL, MIB, Recipe, log_of, only, run};
use crate::record::run::{finish, ioglass_run};
use crate::support::{missing, real_logs, scratch};

/// Code of the finding, name, value and file of every setting that a diagnosis advises.
fn advised(diagnosis: &Diagnosis) -> Vec<(&str, String, String, Option<String>)> {
    let all = diagnosis.findings.iter().flat_map(|finding| {
        let settings = finding.advice.iter().flat_map(|advice| &advice.settings);
        settings.map(|one| {
            (finding.detector.code, one.name.clone(), one.value.clone(), one.file.clone())
        })
    });
    all.collect()
}

/// Names, values and files of what a check advises.
fn of(diagnosis: &Diagnosis, code: &str) -> Vec<(String, String, Option<String>)> {
    let own = advised(diagnosis).into_iter().filter(|(of, ..)| *of == code);
    own.map(|(_, name, value, file)| (name, value, file)).collect()
}

fn names(settings: &[(String, String, Option<String>)]) -> Vec<&str> {
    settings.iter().map(|(name, ..)| name.as_str()).collect()
}

/// Every advised value is one that `ioglass apply` takes, in the form in which it is stored.
fn assert_known(name: &str, diagnosis: &Diagnosis) -> usize {
    let all = advised(diagnosis);
    for (code, parameter, value, file) in &all {
        let what = format!("{name}: {code}: {parameter}={value}");
        let (param, _) = ioglass_param::find(parameter).unwrap_or_else(|| panic!("{what}"));
        let parsed = param.kind.parse(value).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(parsed.to_string(), *value, "{what}");
        assert!(file.as_ref().is_none_or(|file| !file.is_empty()), "{what}");
    }
    all.len()
}

#[test]
fn every_advised_value_is_in_the_table() {
    let mut advised = 0;
    for real in real_logs() {
        let log = Log::from_bytes(real.bytes).unwrap();
        advised += assert_known(&real.name, &Diagnosis::of(&log, &Thresholds::default()));
    }
    for (number, diagnosis) in crate::findings::diagnoses().enumerate() {
        advised += assert_known(&format!("row {number}"), &diagnosis);
    }
    assert!(advised > 20, "{advised}");
}

/// Four ranks write parts of two dimensions of a dataset together; rank 0 alone goes to the storage.
/// The dataset has `points` elements of 8 bytes, and all ranks together write 800 MiB.
fn scattered(points: f64) -> Recipe {
    let part = write(40.0, 20.0 * MIB, 60.0)
        .with("DATASPACE_NDIMS", 2.0)
        .with("DATASPACE_NPOINTS", points)
        .with("DATATYPE_SIZE", 8.0)
        .with("ACCESS1_LENGTH_D4", 20.0)
        .with("ACCESS1_LENGTH_D5", MIB / 8.0);
    run(4)
        .file("/scratch/out.h5")
        .h5f(ALL, nothing().with("USE_MPIIO", 4.0))
        .dataset(ALL, part)
        .mpiio(ALL, write_all(40.0, 20.0 * MIB, 240.0))
        .posix(only(0), write(40.0, 20.0 * MIB, 10.0))
}

const WHOLE: f64 = 800.0 * MIB / 8.0;

#[test]
fn chunks_are_advised_only_where_every_element_is_written() {
    let found = of(&scattered(WHOLE).diagnose(), "H11");
    let expected = [
        ("hdf5.fill_time", "never"),
        ("hdf5.chunk_bytes", "16777216"),
        ("hdf5.transfer", "independent"),
    ];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned(), None));
    assert_eq!(found, expected);
    // One element more than was written: it would be undefined without fill values.
    let found = of(&scattered(WHOLE + 1.0).diagnose(), "H11");
    assert_eq!(names(&found), ["hdf5.transfer"]);
}

#[test]
fn hints_of_romio_need_romio() {
    let with = |mpi: &str, mpiio: &str| {
        let lines = format!("# metadata: mpi = {mpi}");
        scattered(WHOLE).line(&lines).line(&format!("# metadata: mpiio = {mpiio}"))
    };
    let tunable = |recipe: &Recipe| Run::of(&log_of(recipe.text().as_bytes())).tunable;
    let romio = tunable(&with("MPICH 4.0.2", "ROMIO"));
    assert!(romio.allows(&mpiio::ROMIO_CB_WRITE, "disable").is_ok());
    assert!(romio.allows(&fs_layer::STRIPING_UNIT, "65536").is_ok(), "it aligns file domains");
    assert!(romio.allows(&fs_layer::STRIPING_FACTOR, "4").is_err(), "no Lustre");
    let ompio = tunable(&with("Open MPI 4.1.4", "OMPIO"));
    assert_eq!(ompio.allows(&mpiio::ROMIO_CB_WRITE, "disable"), Err("OMPIO ignores it"));
    assert!(ompio.allows(&mpiio::CB_NODES, "2").is_ok());
    let unknown = tunable(&scattered(WHOLE));
    assert!(unknown.allows(&mpiio::ROMIO_CB_WRITE, "disable").is_err());
    assert!(unknown.allows(&hdf5::ALIGNMENT, "4096,65536").is_ok());
    assert!(unknown.allows(&libc::STDIO_BUFFER, "65536").is_err(), "no stream");
}

#[test]
fn collective_transfers_need_the_same_calls_on_all_ranks() {
    let tunable = |variance: f64, calls: f64, other: f64| {
        let accesses = write(calls - other, MIB, 40.0).writes(other, MIB / 2.0, 1.0);
        let recipe = run(4)
            .file("/scratch/out.h5")
            .h5f(ALL, nothing().with("USE_MPIIO", 4.0).with("OPENS", 4.0))
            .dataset(ALL, accesses.with("F_VARIANCE_RANK_BYTES", variance))
            .mpiio(ALL, write_all(calls, MIB, 40.0))
            .posix(ALL, write(calls, MIB, 40.0));
        Run::of(&log_of(recipe.text().as_bytes())).tunable
    };
    let allows = |tunable: Tunable| tunable.allows(&hdf5::TRANSFER, "collective").is_ok();
    let same = tunable(0.0, 4000.0, 0.0);
    assert_eq!(same.has_same_transfers, Known::Yes);
    assert!(allows(same));
    assert_eq!(tunable(0.0, 4001.0, 0.0).has_same_transfers, Known::No);
    assert!(!allows(tunable(1e9, 4000.0, 0.0)), "ranks move different amounts");
    assert!(!allows(tunable(0.0, 4000.0, 400.0)), "of two sizes, ranks may make different numbers");
    assert!(tunable(1e9, 4000.0, 0.0).allows(&hdf5::TRANSFER, "independent").is_ok());
}

#[test]
fn a_stream_that_seeks_keeps_its_buffer() {
    let stream = |path: &str, seeks: f64| {
        run(1).file(path).stdio(only(0), read(100_000.0, 64.0, 50.0).with("SEEKS", seeks))
    };
    let found = of(&stream("/data/in", 0.0).diagnose(), "X01");
    assert!(names(&found).contains(&"libc.stdio_buffer"), "{found:?}");
    assert_eq!(found[0].2, None, "for all files");
    let found = of(&stream("/data/in", 5001.0).diagnose(), "X01");
    assert_eq!(names(&found), [""; 0], "more than 5 % of the reads");
    // Only one of two streams seeks: the advice is for the other one.
    let both = stream("/data/in", 0.0)
        .file("/data/index")
        .stdio(only(0), read(1000.0, 64.0, 0.001).with("SEEKS", 900.0));
    let found = of(&both.diagnose(), "X01");
    let buffer = found.iter().find(|(name, ..)| name == "libc.stdio_buffer").unwrap();
    assert_eq!(buffer.2.as_deref(), Some("/data/in"));
}

#[test]
fn the_kernel_is_told_in_which_order_a_file_is_read() {
    let of_reads = |sequential: f64| {
        let reads = read(2560.0, 4.0 * 1024.0, 60.0).with("SEQ_READS", sequential);
        let recipe = run(1).file("/data/in").posix(only(0), reads);
        Run::of(&log_of(recipe.text().as_bytes())).tunable
    };
    let allows = |tunable: Tunable, value| tunable.allows(&libc::READ_ADVICE, value).is_ok();
    let in_order = of_reads(2559.0);
    assert!(allows(in_order, "sequential") && !allows(in_order, "random"));
    let in_no_order = of_reads(1000.0);
    assert!(!allows(in_no_order, "sequential") && allows(in_no_order, "random"));
    let written = run(1).file("/data/in").posix(only(0), write(10.0, MIB, 1.0));
    let written = Run::of(&log_of(written.text().as_bytes())).tunable;
    assert!(!allows(written, "sequential"));
}

/// Compiles a program of tests/programs/advised and records it.
fn recorded(name: &str, arguments: &[&str]) -> Option<Log> {
    let folder = scratch("advised");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/advised").join(name);
    let program = folder.join(name.replace('.', "-"));
    let compiled = Command::new("cc").arg("-O1").arg("-o").arg(&program).arg(source).status();
    if compiled.is_err() {
        missing("a C compiler", Path::new("cc"));
        return None;
    }
    assert!(compiled.unwrap().success(), "{name}");
    let log = folder.join(format!("{name}.darshan"));
    let mut command = ioglass_run(&[], &log);
    command.arg(&program).args(arguments).current_dir(&folder);
    let status = finish(command).unwrap();
    assert!(status.success(), "{name}: {status}");
    let bytes = fs::read(&log).unwrap();
    Some(Log::from_bytes(bytes).unwrap())
}

#[test]
fn recorded_programs_prove_their_conditions() {
    let Some(log) = recorded("small_writes.c", &["out.bin", "400000"]) else { return };
    let tunable = Run::of(&log).tunable;
    assert!(tunable.allows(&libc::STDIO_BUFFER, "262144").is_ok());
    assert!(tunable.allows(&libc::READ_ADVICE, "sequential").is_err(), "nothing is read");
    assert!(tunable.allows(&libc::BLOCK_SIZE, "65536").is_err(), "no interpreter");
    // Its calls fill a buffer: whatever they cost, a larger one is what can be tried.
    for (_, name, value, file) in advised(&Diagnosis::of(&log, &Thresholds::default())) {
        assert_eq!((name.as_str(), value.as_str(), file), ("libc.stdio_buffer", "262144", None));
    }
    let Some(log) = recorded("seeking_reads.c", &["out.bin", "5000"]) else { return };
    let tunable = Run::of(&log).tunable;
    assert!(tunable.allows(&libc::STDIO_BUFFER, "262144").is_err());
    assert!(tunable.allows(&libc::READ_ADVICE, "random").is_ok());
    let advised = advised_names(&log);
    assert!(!advised.contains(&"libc.stdio_buffer".to_owned()), "{advised:?}");
}

fn advised_names(log: &Log) -> Vec<String> {
    let diagnosis = Diagnosis::of(log, &Thresholds::default());
    advised(&diagnosis).into_iter().map(|(_, name, ..)| name).collect()
}

#[test]
fn real_logs_have_motifs() {
    let mut motifs = Vec::new();
    for real in real_logs() {
        let run = Run::of(&Log::from_bytes(real.bytes).unwrap());
        let moved = run.data().any(|file| file.bytes() > 0);
        let motif = Motif::of(&run);
        assert_eq!(motif.is_some(), moved, "{}", real.name);
        let Some(motif) = motif else { continue };
        assert_eq!(motif.distance(&motif), 0.0, "{}", real.name);
        let shares = [motif.contiguous, motif.collective, motif.read, motif.metadata];
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{motif:?}");
        motifs.push((real.name, motif));
    }
    let named = |part: &'static str| motifs.iter().filter(move |(name, _)| name.starts_with(part));
    // Versions of one test program are like each other on the same file system, and unlike readers in
    // Python.
    let tests: Vec<_> = named("mpi-io-test-x86_64-3.4.").collect();
    for (name, motif) in &tests {
        for (other, theirs) in &tests {
            let same = motif.file_system == theirs.file_system;
            assert_eq!(motif.is_close(theirs), same, "{name}, {other}: {}", motif.distance(theirs));
        }
        assert!(named("snyder_python3").all(|(_, other)| !motif.is_close(other)), "{name}");
    }
}
