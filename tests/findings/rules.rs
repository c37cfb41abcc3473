//! Rules that a diagnosis of everyday programs keeps, each with the run that once broke it.

use ioglass_insight::memory::MemoryRecording;
use ioglass_insight::model::Exit;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, Finding, Level, Outcome, Role, Spent, State};
use ioglass_log::{Log, record_id};

use super::counters::{nothing, opens, read, write};
use super::recipe::{ALL, KIB, MIB, Recipe, log_of, only, run};
use super::{codes, of};
use crate::support::real_logs;

/// A run of one process that took so long.
fn one(seconds: f64) -> Recipe {
    run(1).time(seconds).line("# metadata: ranks = process").mount("/", "ext4")
}

/// The diagnosis of a run with tables of our recorder.
fn recorded(recipe: &Recipe, tables: &[(&str, &str)]) -> Diagnosis {
    let log = log_of(recipe.text().as_bytes());
    let mut recording = MemoryRecording::copy_of(&log).unwrap();
    tables.iter().for_each(|(name, text)| recording.set_table(name, (*text).to_owned()));
    Diagnosis::of(&recording, &Thresholds::default())
}

/// A line of the table `files` for the file at hand.
fn facts(
    path: &str,
    kind: &str,
    [sync, truncated]: [u64; 2],
    times: [f64; 3],
    mapped: u64,
) -> String {
    let [opened, closed, synced] = times;
    format!(
        "record\trank\ttype\tsync\tdirect\ttruncated\topened\tclosed\tsynced\tmapped\n\
         {}\t0\t{kind}\t{sync}\t0\t{truncated}\t{opened}\t{closed}\t{synced}\t{mapped}\n",
        record_id(path.as_bytes())
    )
}

const FILE: &str = "/data/file";

fn first(diagnosis: &Diagnosis) -> &Finding {
    diagnosis.findings.first().unwrap()
}

fn seconds_on(diagnosis: &Diagnosis, on: Spent) -> f64 {
    let part = diagnosis.budget.parts.iter().find(|part| part.on == on);
    part.map_or(0.0, |part| part.seconds)
}

fn is_about(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 0.05 * wanted
}

#[test]
fn rule_01_time_in_every_layer_is_io_time() {
    // Rows of a packed dataset are read one by one, and each time a whole chunk is unpacked.
    let rows = read(100.0, 2.0 * KIB, 3.4)
        .with("DATASPACE_NDIMS", 2.0)
        .with("DATATYPE_SIZE", 8.0)
        .with("CHUNK_SIZE_D1", 256.0)
        .with("CHUNK_SIZE_D2", 1000.0)
        .with("ACCESS1_COUNT", 100.0)
        .with("ACCESS1_LENGTH_D4", 256.0)
        .with("ACCESS1_LENGTH_D5", 1.0);
    let below = read(300.0, MIB, 0.28);
    let found =
        one(4.6).h5f(only(0), opens(100.0, 0.4)).posix(only(0), below).dataset(only(0), rows);
    let found = found.diagnose();
    assert!(is_about(seconds_on(&found, Spent::Hdf5), 3.52), "{:?}", found.budget);
    assert!(found.budget.io > 3.7, "{:?}", found.budget);
    let chunks = of(&found, "H04").unwrap();
    assert_eq!((chunks.state, chunks.role), (State::Fired, Some(Role::Primary)));
    assert!(chunks.seconds_net > 3.3, "{}", chunks.seconds_net);
    // Flushes cost what HDF5 spends on them.
    let flushed = nothing().opened(1.0).with("FLUSHES", 150.0).with("F_META_TIME", 2.0);
    let flushed = one(4.0).h5f(only(0), flushed).posix(only(0), write(600.0, 4.0 * KIB, 0.1));
    let storm = flushed.diagnose();
    assert!(is_about(of(&storm, "A06").unwrap().seconds_net, 2.0), "{:?}", codes(&storm));
    // One write goes through 40,000 tiny chunks.
    let tiny = write(1.0, 1250.0 * KIB, 0.7)
        .with("DATASPACE_NDIMS", 2.0)
        .with("DATATYPE_SIZE", 8.0)
        .with("CHUNK_SIZE_D1", 2.0)
        .with("CHUNK_SIZE_D2", 2.0)
        .with("ACCESS1_COUNT", 1.0);
    let below = write(40_000.0, 32.0, 0.08);
    let tiny = one(1.2).h5f(only(0), opens(1.0, 0.01)).posix(only(0), below).dataset(only(0), tiny);
    let tiny = tiny.diagnose();
    assert_eq!(first(&tiny).detector.code, "H04", "{:?}", codes(&tiny));
    assert!(is_about(first(&tiny).seconds_net, 0.7), "{}", first(&tiny).seconds_net);
    assert_eq!(of(&tiny, "A01").unwrap().caused_by, Some("H04"));
}

#[test]
fn rule_02_streams_are_files() {
    let again = one(2.0).stdio(only(0), read(14.0, 64.0 * MIB, 1.4).opened(14.0));
    let again = recorded(&again_of(again), &[]);
    assert_eq!(first(&again).detector.code, "A04", "{:?}", codes(&again));
    assert!(is_about(first(&again).seconds_net, 1.3), "{}", first(&again).seconds_net);
    // A seek before each read throws the buffer away.
    let sought = read(400_000.0, 16.0, 1.2).with("SEEKS", 400_000.0).with("F_META_TIME", 0.4);
    let sought = one(2.0).stdio(only(0), sought).diagnose();
    assert_eq!(first(&sought).detector.code, "X01", "{:?}", codes(&sought));
    assert_eq!(first(&sought).level, Some(Level::High));
    // Calls that only fill the buffer compute, and nothing about the file would save that.
    let lines = one(0.4).stdio(only(0), write(1_000_000.0, 25.0, 0.28)).diagnose();
    assert_eq!((lines.verdict.outcome, lines.verdict.avoidable), (Outcome::Healthy, 0.0));
    let lines = one(0.4).stdio(only(0), read(1_000_000.0, 25.0, 0.28)).diagnose();
    assert_eq!(lines.verdict.outcome, Outcome::Healthy, "{}", lines.verdict.sentence);
    // So is standard output, once the shell has put a file in its place.
    let lines = write(600_000.0, 10.0, 1.2).with("FLUSHES", 600_000.0);
    let lines = one(1.4).file("<STDOUT>").stdio(only(0), lines);
    let processes = "rank\tlibraries\tcommand\n0\tstdc++\t./app\n";
    let found = recorded(&lines, &[("processes", processes)]);
    assert_eq!(found.moved.written, 6_000_000);
    assert_eq!(first(&found).level, Some(Level::High), "{:?}", codes(&found));
    assert!(first(&found).advice[0].snippets[0].code.contains("std::endl"));
}

/// A file of 64 MiB, however often it is read.
fn again_of(recipe: Recipe) -> Recipe {
    let mut recipe = recipe;
    for record in &mut recipe.records {
        let lines: Vec<String> = record
            .lines()
            .map(|line| match line.contains("MAX_BYTE_READ") {
                true => {
                    let mut columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
                    columns[4] = (64 * 1024 * 1024 - 1).to_string();
                    columns.join("\t")
                }
                false => line.to_owned(),
            })
            .collect();
        *record = lines.join("\n") + "\n";
    }
    recipe
}

#[test]
fn rule_03_all_metadata_is_timed() {
    let head = "rank\tdirectory\toperation\tcalls\tfailed\tseconds\n";
    let probes = format!("{head}0\t/data\tstat\t150000\t150000\t0.6\n");
    let found = recorded(&one(0.7).posix(only(0), opens(1.0, 0.001)), &[("metadata", &probes)]);
    assert_eq!(first(&found).detector.code, "N05", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_net, 0.6) && first(&found).level == Some(Level::High));
    assert!(is_about(seconds_on(&found, Spent::Metadata), 0.6), "{:?}", found.budget);
    // Nothing but directories, and no file at all.
    let changes = format!("{head}0\t/data\tmkdir\t700\t0\t1.2\n0\t/data\trmdir\t700\t0\t0.7\n");
    let found = recorded(&one(2.0), &[("metadata", &changes)]);
    assert_eq!(found.verdict.outcome, Outcome::HeldBack, "{}", found.verdict.sentence);
    assert_eq!(first(&found).detector.code, "N01");
    assert!(first(&found).title.contains("mkdir and rmdir in /data"), "{}", first(&found).title);
}

#[test]
fn rule_04_waiting_is_not_file_io() {
    let pipe = one(1.1).posix(only(0), opens(1.0, 1.0).reads(2.0, 100.0, 0.05));
    let found = recorded(&pipe, &[("files", &facts(FILE, "fifo", [0, 0], [1.0, 0.0, 0.0], 0))]);
    assert!(is_about(seconds_on(&found, Spent::Waiting), 1.05), "{:?}", found.budget);
    assert_eq!((found.budget.io, found.verdict.avoidable), (0.0, 0.0));
    assert_eq!(found.verdict.outcome, Outcome::Healthy, "{}", found.verdict.sentence);
    // Where types are not known, calls of ten seconds and more tell.
    let long = one(1500.0).posix(only(0), opens(3.0, 700.0)).diagnose();
    assert!(is_about(seconds_on(&long, Spent::Waiting), 700.0), "{:?}", long.budget);
    assert!(of(&long, "P17").is_none_or(|finding| finding.state != State::Fired));
    // So is a pipe that a program prints to.
    let printed = one(1.1).file("<STDOUT>").stdio(only(0), write(9000.0, 80.0, 1.0));
    let table = facts("<STDOUT>", "fifo", [0, 0], [0.0; 3], 0);
    let found = recorded(&printed, &[("files", &table), ("processes", "rank\tcommand\n0\tseq\n")]);
    assert!(is_about(seconds_on(&found, Spent::Waiting), 1.0), "{:?}", found.budget);
    let input = one(2.0).posix(only(0), opens(1.0, 0.001));
    let found = recorded(&input, &[("waiting", "rank\tseconds\n0\t1.5\n")]);
    assert!(is_about(seconds_on(&found, Spent::Waiting), 1.5), "{:?}", found.budget);
}

#[test]
fn rule_06_mapped_files_are_named_and_not_healthy() {
    let mapped = one(10.0).posix(only(0), nothing().opened(1.0).with("MMAPS", 1.0));
    let bytes = 3 << 30;
    let found = recorded(&mapped, &[("files", &facts(FILE, "-", [0, 0], [0.0; 3], bytes))]);
    assert_eq!(found.verdict.outcome, Outcome::NotJudgeable);
    assert!(found.verdict.sentence.contains("file (3 GiB)"), "{}", found.verdict.sentence);
    // A few bytes do not matter.
    let found = recorded(&mapped, &[("files", &facts(FILE, "-", [0, 0], [0.0; 3], 4096))]);
    assert_eq!(found.verdict.outcome, Outcome::Healthy);
}

#[test]
fn rule_07_a_cause_is_never_worth_less_than_what_it_hides() {
    // Tiny files are read at once, then a journal is synced 200 times.
    let files = (0..1200).fold(one(0.97), |run, i| {
        run.file(format!("/data/tiny/{i}"))
            .posix(only(0), read(1.0, 6.0, 5e-6).with("F_META_TIME", 1e-6))
    });
    let synced = write(200.0, 64.0, 0.94).with("FDSYNCS", 200.0);
    let found = recorded(
        &files.file("/data/db").posix(only(0), synced),
        &[("files", &facts("/data/db", "-", [0, 0], [0.0, 0.0, 0.93], 0))],
    );
    assert_eq!(first(&found).detector.code, "A06", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_net, 0.93), "{}", first(&found).seconds_net);
    // Many small writes and a few reads in any order.
    let mixed = write(60_000.0, 4.0 * KIB, 0.7).reads(3000.0, 4.0 * KIB, 0.009);
    let found = one(0.75).posix(only(0), mixed.with("SEQ_READS", 1500.0)).diagnose();
    assert_eq!(first(&found).detector.code, "A01", "{:?}", codes(&found));
    assert_eq!(first(&found).role, Some(Role::Primary));
}

#[test]
fn rule_08_much_io_time_is_explained_or_its_cause_is_unknown() {
    let slow = one(100.0).posix(only(0), read(100.0, 200.0 * KIB, 80.0)).diagnose();
    assert_eq!(slow.verdict.outcome, Outcome::CauseUnknown, "{}", slow.verdict.sentence);
    let sentence = &slow.verdict.sentence;
    assert!(sentence.contains("100 reads of 200 KiB on file, about 0.80 s each"), "{sentence}");
    assert!(sentence.contains("ioglass run --trace"), "{sentence}");
    // Large pieces at a good rate take the time they take.
    let large = one(100.0).posix(only(0), read(1000.0, 4.0 * MIB, 80.0)).diagnose();
    assert_eq!(large.verdict.outcome, Outcome::Healthy, "{}", large.verdict.sentence);
    // So do packed datasets.
    let packed = write(60.0, 234.0 * KIB, 0.3).with("DATATYPE_SIZE", 4.0);
    let packed = one(0.42)
        .h5f(only(0), opens(1.0, 0.005))
        .posix(only(0), write(63.0, 202.0 * KIB, 0.003))
        .dataset(only(0), packed)
        .diagnose();
    assert_eq!(packed.verdict.outcome, Outcome::Healthy, "{}", packed.verdict.sentence);
    // What was not recorded may be the cause.
    let partial = one(100.0).partial("STDIO").stdio(only(0), write(90.0, 200.0 * KIB, 36.0));
    let partial = partial.diagnose();
    assert_eq!(partial.verdict.outcome, Outcome::NotJudgeable, "{}", partial.verdict.sentence);
    assert!(partial.verdict.sentence.contains("records of STDIO are missing"));
}

#[test]
fn rule_08_collective_reads_that_nobody_explains() {
    // A missing directory of logs is reported by `real_logs`.
    for log in real_logs().into_iter().filter(|log| log.name == "skew-autobench-ior.darshan") {
        let found = Diagnosis::of(&Log::from_bytes(log.bytes).unwrap(), &Thresholds::default());
        assert_eq!(found.verdict.outcome, Outcome::CauseUnknown, "{}", found.verdict.sentence);
    }
}

#[test]
fn rule_09_small_is_small_whatever_the_sizes() {
    // No size is common, and the library asks the stream for its descriptor at each write.
    let lines = (2..42).fold(nothing(), |all, size| all.writes(12_500.0, f64::from(size), 0.03));
    let lines = lines.opened(500_001.0).with("FILENOS", 500_000.0);
    let found = one(1.3).posix(only(0), lines).diagnose();
    assert_eq!(first(&found).detector.code, "A01", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_net, 1.2), "{}", first(&found).seconds_net);
}

#[test]
fn rule_10_seconds_belong_to_the_files_that_took_them() {
    // One log is appended to, cheaply; many files are written, at a price.
    let files = (0..1200).fold(one(0.7), |run, i| {
        let own = write(1.0, 100.0, 1e-4).with("F_META_TIME", 3.6e-4);
        run.file(format!("/data/out/{i}")).posix(only(0), own)
    });
    let log = write(3000.0, 20.0, 0.004).opened(3000.0).with("F_META_TIME", 0.004);
    let found = files.file("/data/log").posix(only(0), log).diagnose();
    let about_log = |finding: &&Finding| {
        finding.state == State::Fired && finding.title.contains("log is opened")
    };
    assert!(!found.findings.iter().any(|f| about_log(&f)), "{:?}", codes(&found));
    assert!(found.verdict.avoidable > 0.3, "{}", found.verdict.sentence);
    // A stream that is opened for each line costs opens.
    let lines = write(60_000.0, 10.0, 0.02).opened(60_000.0).with("F_META_TIME", 0.73);
    let found = one(0.87).stdio(only(0), lines).diagnose();
    assert_eq!(first(&found).detector.code, "N01", "{:?}", codes(&found));
    assert_eq!(first(&found).title, "file is opened 60,000 times");
    // A small file that is opened and read again and again: the reads go as well.
    let inputs = read(1_200_000.0, 8.0, 0.3).opened(60_000.0).with("F_META_TIME", 0.5);
    let inputs = one(1.0).stdio(only(0), inputs.with("MAX_BYTE_READ", 159.0)).diagnose();
    assert_eq!(first(&inputs).detector.code, "N01", "{:?}", codes(&inputs));
    assert!(is_about(first(&inputs).seconds_net, 0.8), "{}", first(&inputs).seconds_net);
    assert!(first(&inputs).advice[0].text.contains("contents in memory"));
    // So is a file that MPI-IO opens, of which POSIX shows little.
    let opened = nothing().with("COLL_OPENS", 3000.0).with("F_META_TIME", 2.6);
    let below = write(3000.0, 8.0, 0.01).opened(3000.0).with("F_META_TIME", 0.02);
    let opened = run(2).time(1.9).mpiio(ALL, opened).posix(ALL, below).diagnose();
    assert_eq!(first(&opened).detector.code, "N01", "{:?}", codes(&opened));
    // A small file that is saved 200 times is written too often, though its bytes are few.
    let small = write(200.0, 50.0 * KIB, 0.02).opened(200.0).with("F_META_TIME", 0.12);
    let small = one(1.2).posix(only(0), small.with("MAX_BYTE_WRITTEN", 50.0 * KIB - 1.0));
    let table = facts(FILE, "-", [0, 200], [0.06, 0.06, 0.0], 0);
    let found = recorded(&small, &[("files", &table)]);
    assert_eq!(first(&found).detector.code, "A05", "{:?}", codes(&found));
    assert!(first(&found).advice[0].text.contains("once at the end"), "{:?}", first(&found).advice);
    // Emptying a file and writing it back is part of writing it again.
    let saved = write(24.0, 8.0 * MIB, 0.2).opened(24.0).with("F_META_TIME", 0.3);
    let saved = saved.with("MAX_BYTE_WRITTEN", 8.0 * MIB - 1.0);
    let table = facts(FILE, "-", [0, 24], [0.1, 0.2, 0.0], 0);
    let found = recorded(&one(0.6).posix(only(0), saved), &[("files", &table)]);
    assert_eq!(first(&found).detector.code, "A05", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_at_stake, 0.48), "{}", first(&found).seconds_at_stake);
}

#[test]
fn rule_11_synchronous_files_are_a_flush_storm() {
    let written = one(0.6).posix(only(0), write(160.0, 16.0 * KIB, 0.55));
    let found = recorded(&written, &[("files", &facts(FILE, "-", [1, 0], [0.0; 3], 0))]);
    assert_eq!(first(&found).detector.code, "A06", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_net, 0.545), "{}", first(&found).seconds_net);
    // Small requests past the cache are small requests that nothing joins, and no syncs.
    let direct = facts(FILE, "-", [0, 0], [0.0; 3], 0).replace("\t0\t0\t0\t0", "\t0\t1\t0\t0");
    let read = one(1.2).posix(only(0), read(16_384.0, 4.0 * KIB, 1.1));
    let found = recorded(&read, &[("files", &direct)]);
    assert_eq!(first(&found).detector.code, "A01", "{:?}", codes(&found));
    assert!(first(&found).seconds_net > 1.0, "{}", first(&found).seconds_net);
    let plain = recorded(&written, &[]);
    assert!(of(&plain, "A06").unwrap().state == State::Fine);
    // Mapped files are synced by another call.
    let syncs =
        "rank\tdirectory\toperation\tcalls\tfailed\tseconds\n0\t/data\tmsync\t2000\t0\t0.4\n";
    let mapped = one(0.45).posix(only(0), nothing().opened(1.0).with("MMAPS", 1.0));
    let found = recorded(&mapped, &[("metadata", syncs)]);
    assert_eq!(first(&found).detector.code, "A06", "{:?}", codes(&found));
    assert!(is_about(first(&found).seconds_net, 0.4), "{}", first(&found).seconds_net);
    assert_eq!(&*first(&found).files.list[0].path, FILE);
    // Their seconds go with the flag, whatever the size.
    let tiny = one(2.2).posix(only(0), write(1500.0, 512.0, 2.1));
    let found = recorded(&tiny, &[("files", &facts(FILE, "-", [1, 0], [0.0; 3], 0))]);
    assert_eq!(first(&found).detector.code, "A06", "{:?}", codes(&found));
    assert!(first(&found).advice[0].text.contains("without O_SYNC"), "{:?}", first(&found).advice);
    assert!(of(&found, "A01").unwrap().level <= Some(Level::Info));
}

#[test]
fn rule_12_promised_seconds_are_what_a_run_without_the_fault_saves() {
    // From the cache, 16 KiB at a time: larger pieces would save nothing.
    let lines = one(0.03).posix(only(0), read(8000.0, 16.0 * KIB, 0.023)).diagnose();
    assert!(lines.verdict.avoidable < 0.25 * 0.03, "{}", lines.verdict.sentence);
    // Below a tenth of a second nothing is HIGH.
    let short = one(0.05).posix(only(0), write(40_000.0, 10.0, 0.045)).diagnose();
    let levels = short.findings.iter().filter_map(|finding| finding.level);
    assert!(levels.max() < Some(Level::High), "{:?}", codes(&short));
    // Half go forward by chance, but the order of the file would save most of all.
    let pages = read(12_000.0, 4.0 * KIB, 1.0).with("SEQ_READS", 6000.0);
    let pages = pages.with("MAX_BYTE_READ", 64.0 * MIB - 1.0);
    let found = one(1.05).posix(only(0), pages).diagnose();
    assert_eq!(first(&found).detector.code, "P11", "{:?}", codes(&found));
    assert!((0.65..0.95).contains(&first(&found).seconds_net), "{}", first(&found).seconds_net);
    // One sync stays.
    let synced = one(1.0).posix(only(0), write(200.0, MIB, 0.9).with("FSYNCS", 200.0));
    let found = recorded(&synced, &[("files", &facts(FILE, "-", [0, 0], [0.0, 0.0, 0.6], 0))]);
    assert!((of(&found, "A06").unwrap().seconds_at_stake - 0.597).abs() < 1e-6);
}

#[test]
fn rule_13_tools_that_do_their_job_are_not_accused() {
    for command in ["cp -r a b", "tar cf a.tar a", "rsync -a a b", "grep -r x a", "zip -r a.zip a"]
    {
        let mut recipe = (0..2000).fold(one(0.5), |run, i| {
            let own = read(1.0, 500.0, 5e-5).with("F_META_TIME", 1.5e-4);
            run.file(format!("/data/{i}")).posix(only(0), own)
        });
        recipe.command(command);
        let found = recipe.diagnose();
        let highest = found.findings.iter().filter_map(|finding| finding.level).max();
        assert!(highest <= Some(Level::Info), "{command}: {:?}", codes(&found));
        assert_eq!((found.verdict.outcome, found.verdict.avoidable), (Outcome::Healthy, 0.0));
        let tool = command.split(' ').next().unwrap();
        assert!(found.verdict.sentence.contains(tool), "{}", found.verdict.sentence);
    }
    // What a tool is asked for by its options is another matter.
    let mut copy = one(0.5).posix(only(0), write(200_000.0, 512.0, 0.4));
    copy.command("dd if=/dev/zero of=file bs=512 count=200000");
    assert_eq!(first(&copy.diagnose()).level, Some(Level::High));
}

#[test]
fn a_run_of_many_short_processes_is_told_so() {
    let table: String = (0..1500).map(|rank| format!("{rank}\t-\texpr 1 + 1\n")).collect();
    let table = format!("rank\tlibraries\tcommand\n{table}");
    let script = one(5.0).posix(only(0), read(1.0, 100.0, 0.001));
    let found = recorded(&script, &[("processes", &table)]);
    let sentence = &found.verdict.sentence;
    assert!(sentence.contains("start of 1,500 processes, one every 3.33 ms"), "{sentence}");
}

#[test]
fn rule_14_failure_is_shown() {
    let recipe = one(1.0).posix(only(0), write(1.0, 100.0, 0.001));
    let ended = |line: &str| recorded(&recipe, &[("job", &format!("key\tvalue\n{line}\n"))]);
    let failed = ended("exit_status\t3");
    assert_eq!(failed.verdict.outcome, Outcome::NotJudgeable);
    assert_eq!(failed.subject.exit, Some(Exit::Status(3)));
    assert!(
        failed.verdict.sentence.contains("failed with status 3"),
        "{}",
        failed.verdict.sentence
    );
    assert_eq!(ended("signal\t9").verdict.outcome, Outcome::NotJudgeable);
    // Tools use status 1 to answer no.
    let no = ended("exit_status\t1");
    assert_eq!(no.verdict.outcome, Outcome::Healthy);
    assert!(no.warnings.iter().any(|it| it.text.contains("exit status 1")), "{:?}", no.warnings);
    assert!(ended("exit_status\t0").warnings.is_empty());
    // What holds a failed run back is still said.
    let slow = one(1.0).posix(only(0), write(500_000.0, 6.0, 0.9));
    let slow = recorded(&slow, &[("job", "key\tvalue\nexit_status\t3\n")]);
    assert_eq!(slow.verdict.outcome, Outcome::HeldBack);
}

#[test]
fn sums_over_many_ranks_keep_the_rules() {
    // Healthy at scale: large collective pieces.
    let run = run(64).time(100.0).mount("/scratch", "lustre").file("/scratch/out");
    let found = run.posix(ALL, write(64.0 * 100.0, 8.0 * MIB, 64.0 * 60.0)).diagnose();
    assert_ne!(found.verdict.outcome, Outcome::CauseUnknown, "{}", found.verdict.sentence);
}
