//! Metadata calls, facts about files, waiting, libraries and the end of the program.

use super::*;
use crate::ProgramEnd;

fn section(log: &Log, name: &str) -> String {
    let bytes = log.block_section(name, 1 << 20).unwrap().unwrap_or_default();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn calls_are_told_by_rank_directory_and_operation() {
    let mut first = Builder::new(10, 1);
    first.posix("/data/a", 0, |_| {});
    first.metadata("/data", |cell| {
        (cell.of[3].calls, cell.of[3].failed, cell.of[3].ticks) = (5, 2, SECOND);
        cell.of[15].calls = 7;
    });
    first.metadata("", |cell| (cell.of[0].calls, cell.of[0].failed) = (1, 1));
    // Enough calls for a rank, and too few.
    let mut second = Builder::new(11, 2);
    second.metadata("/data", |cell| (cell.of[3].calls, cell.of[3].ticks) = (32, SECOND / 2));
    let mut third = Builder::new(12, 3);
    third.metadata("/tab\there", |cell| cell.of[1].calls = 31);
    let log = harvest(&gone(&[&first, &second, &third]), &run());
    assert_eq!(
        section(&log, "metadata"),
        "rank\tdirectory\toperation\tcalls\tfailed\tseconds\n\
         0\t/data\tunlink\t5\t2\t1.0000000\n\
         0\t/data\treaddir\t7\t0\t0.0000000\n\
         0\t-\topen\t1\t1\t0.0000000\n\
         1\t/data\tunlink\t32\t0\t0.5000000\n\
         -\t/tab here\tstat\t31\t0\t0.0000000\n"
    );
    let ranks: Vec<_> = processes(&log).iter().map(|process| process.rank).collect();
    assert_eq!(ranks, [Some(0), Some(1), None]);
    assert_eq!(log.job().nprocs, 2);
}

#[test]
fn the_costliest_directories_of_the_job_are_named() {
    let process = |pid: u32, directories: core::ops::Range<u64>| {
        let mut builder = Builder::new(pid, 1);
        for directory in directories {
            builder.metadata(&std::format!("/d{directory:02}"), |cell| {
                (cell.of[1].calls, cell.of[1].ticks) = (1, 1000 * (1 + directory));
            });
        }
        builder
    };
    // The first ten cost least, but together with those of the other process they do not.
    let log = harvest(&gone(&[&process(10, 0..70), &process(11, 0..60)]), &run());
    let text = section(&log, "metadata");
    let others: Vec<&str> = text.lines().filter(|line| line.contains("\t-\t")).collect();
    assert_eq!(others.len(), 2);
    assert_eq!(others[0].split('\t').nth(3), Some("6"));
    assert_eq!(others[1].split('\t').nth(3), Some("6"));
}

#[test]
fn facts_about_files_are_told_if_there_are_any() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/plain", 0, |cell| cell.facts.opened = SECOND / 10_000);
    builder.posix("/slow", 1, |cell| {
        (cell.facts.opened, cell.facts.closed) = (SECOND / 2, SECOND / 4);
    });
    builder.posix("/pipe", 2, |cell| cell.facts.kind = 1);
    builder.posix("/both", 3, |cell| {
        (cell.facts.sync, cell.facts.direct, cell.facts.mapped) = (2, 1, 4096);
    });
    builder.stdio("/both", |cell| {
        (cell.facts.truncated, cell.facts.synced, cell.facts.mapped) = (3, SECOND, 1);
    });
    builder.stdio("<STDOUT>", |cell| (cell.int[stdio::WRITES], cell.facts.kind) = (1, 99));
    builder.header.waited = SECOND / 4;
    let log = harvest(&gone(&[&builder]), &run());
    let row = |name: &str, rest: &str| std::format!("{}\t0\t{rest}\n", record_id(name.as_bytes()));
    let mut rows = [
        row("/slow", "-\t0\t0\t0\t0.5000000\t0.2500000\t0.0000000\t0"),
        row("/pipe", "fifo\t0\t0\t0\t0.0000000\t0.0000000\t0.0000000\t0"),
        row("/both", "-\t2\t1\t3\t0.0000000\t0.0000000\t1.0000000\t4096"),
        row("<STDOUT>", "other\t0\t0\t0\t0.0000000\t0.0000000\t0.0000000\t0"),
    ];
    let id = |row: &String| row.split('\t').next().unwrap().parse::<u64>().unwrap();
    rows.sort_by_key(id);
    let head = "record\trank\ttype\tsync\tdirect\ttruncated\topened\tclosed\tsynced\tmapped\n";
    assert_eq!(section(&log, "files"), [head, &rows.concat()].concat());
    assert_eq!(section(&log, "waiting"), "rank\tseconds\n0\t0.2500000\n");
}

#[test]
fn libraries_are_those_that_were_seen_and_the_program() {
    let mut builder = Builder::new(10, 1);
    builder.posix("/data/a", 0, |_| {});
    builder.header.libraries = 1 << 0 | 1 << 8;
    builder.entry(Kind::Command, &[b"/usr/bin/python3.11\0x.py\0"]);
    let mut plain = Builder::new(11, 2);
    plain.posix("/data/a", 0, |_| {});
    let log = harvest(&gone(&[&builder, &plain]), &run());
    let table = processes(&log);
    assert_eq!(table[0].libraries, ["stdc++", "python", "hdf5"]);
    assert!(table[1].libraries.is_empty());
    assert!(
        section(&log, "processes").contains("\t-\tstdc++,python,hdf5\t/usr/bin/python3.11 x.py\n")
    );
}

#[test]
fn older_tables_of_processes_are_read() {
    let text = "rank\tpid\tppid\thost\tstart\tend\tending\texcluded\tlost\tcommand\n\
                0\t10\t1\tnode1\t1.0\t2.0\texit 0\t3\ttrace=5\tcp a b\n";
    let table = process::parse(text);
    assert_eq!((table[0].pid, table[0].command.as_str()), (10, "cp a b"));
    assert_eq!(table[0].lost, [("trace".into(), 5)]);
    assert!(table[0].libraries.is_empty());
}

#[test]
fn the_end_of_the_program_is_told_if_it_is_known() {
    let builder = Builder::new(10, 1);
    let log = |end| harvest(&gone(&[&builder]), &Run { end, ..run() });
    let ended = |end| section(&log(end), "job");
    assert_eq!(ended(Some(ProgramEnd::Status(3))), "key\tvalue\nexit_status\t3\n");
    assert_eq!(ended(Some(ProgramEnd::Signal(9))), "key\tvalue\nsignal\t9\n");
    assert_eq!(ended(None), "");

    let end = |ending: Ending, fate| {
        let mut builder = Builder::new(10, 1);
        (builder.header.ending, builder.header.status) = (ending as u32, 3);
        ProgramEnd::of_capture(&builder.build(), fate)
    };
    assert_eq!(end(Ending::Exit, Fate::Gone), Some(ProgramEnd::Status(3)));
    assert_eq!(end(Ending::Exit, Fate::Signal(11)), Some(ProgramEnd::Signal(11)));
    assert_eq!(end(Ending::Abort, Fate::Gone), Some(ProgramEnd::Signal(6)));
    assert_eq!(end(Ending::None, Fate::Status(1)), Some(ProgramEnd::Status(1)));
    assert_eq!(end(Ending::None, Fate::Gone), None);
    assert_eq!(end(Ending::Exit, Fate::Running), None);
}
