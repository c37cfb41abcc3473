//! Logs as text and back.

use ioglass_log::posix::{self, Posix};
use ioglass_log::text::{ListOptions, TextBuilder, TraceOptions, list, trace};
use ioglass_log::{
    Base, Compression, CopyError, DxtHead, Error, Heatmap, Job, Log, LogWriter, ModuleId, Segment,
};
use ioglass_log::{bgq, dxt, lustre, record_id};

use crate::support::{real_logs, root};

fn listed(log: &Log) -> Vec<u8> {
    let options = ListOptions { base: true, show_incomplete: true, ..ListOptions::default() };
    let mut text = Vec::new();
    list(log, options, &mut text).unwrap();
    text
}

fn traced(log: &Log) -> Vec<u8> {
    let mut text = Vec::new();
    trace(log, TraceOptions { show_incomplete: true }, &mut text).unwrap();
    text
}

fn log_of(texts: &[&[u8]]) -> Log {
    let mut builder = TextBuilder::new();
    texts.iter().for_each(|text| builder.read(*text).unwrap());
    Log::from_bytes(builder.write(Vec::new(), Compression::Zlib).unwrap()).unwrap()
}

/// Lines of a listing that must survive. What describes the file they came from does not.
fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let dropped = |line: &str| {
        let passing =
            ["# darshan log version", "# compression method", "# job data", "# record table"];
        passing.iter().any(|start| line.starts_with(start))
            || line.contains(" bytes (compressed)")
            || line.starts_with("#   ") // explanations, which name the module's version
            || line.contains("*WARNING*: the library that wrote format 3.20")
    };
    text.lines().filter(|line| !line.is_empty() && !dropped(line)).map(str::to_owned).collect()
}

fn assert_same(what: &str, before: &[u8], after: &[u8]) {
    let (before, after) = (lines(before), lines(after));
    let differs = before.iter().zip(&after).position(|(before, after)| before != after);
    if let Some(at) = differs {
        panic!("{what}: line {at}\n  was {}\n  is  {}", before[at], after[at]);
    }
    assert_eq!(before.len(), after.len(), "{what}");
}

#[test]
fn real_logs_survive() {
    for real in real_logs() {
        let log = Log::from_bytes(real.bytes).unwrap();
        let name = real.name;
        let (listing, trace) = (listed(&log), traced(&log));

        let from_listing = log_of(&[&listing]);
        assert_same(&format!("list {name}"), &listing, &listed(&from_listing));
        let from_trace = log_of(&[&trace]);
        assert_same(&format!("trace {name}"), &trace, &traced(&from_trace));

        let from_both = log_of(&[&listing, &trace]);
        assert_same(&format!("list of both {name}"), &listing, &listed(&from_both));
        assert_same(&format!("trace of both {name}"), &trace, &traced(&from_both));
        let joined = [&trace[..], &listing].concat();
        let from_joined = log_of(&[&joined]);
        assert_same(&format!("list of joined {name}"), &listing, &listed(&from_joined));
        assert_same(&format!("trace of joined {name}"), &trace, &traced(&from_joined));
    }
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(root().join("tests/fixtures").join(name)).unwrap()
}

/// Whether `text` has this line, blanks and tabs at its ends aside.
fn has_line(text: &[u8], line: &str) -> bool {
    String::from_utf8_lossy(text).lines().any(|found| found.trim() == line.trim())
}

/// The reason why a text is refused, and the line.
fn refused(text: impl AsRef<[u8]>) -> (u64, String) {
    match TextBuilder::new().read(text.as_ref()) {
        Err(Error::Text { line, reason }) => (line, reason),
        other => panic!("{:?}: {other:?}", text.as_ref().escape_ascii().to_string()),
    }
}

#[test]
fn fixtures_say_in_a_log_what_they_say() {
    for name in ["posix-small.txt", "lustre.txt", "hdf5.txt", "partial.txt"] {
        let text = fixture(name);
        let log = log_of(&[&text]);
        let listing = listed(&log);
        for line in String::from_utf8(text).unwrap().lines() {
            let mut columns: Vec<&str> = line.split('\t').collect();
            if columns.len() == 8 && columns[2] == "-" {
                let id = record_id(columns[5].as_bytes()).to_string();
                columns[2] = &id;
                assert!(has_line(&listing, &columns.join("\t")), "{name}: {line}");
            } else if line.starts_with("# mount") || line.starts_with("# run time") {
                assert!(has_line(&listing, line), "{name}: {line}");
            }
        }
        let again = log_of(&[&listing]);
        assert_same(name, &listing, &listed(&again));
    }
}

#[test]
fn counters_that_are_not_named_are_zero() {
    let log = log_of(&[&fixture("posix-small.txt")]);
    let records: Vec<Posix> = log.records_of::<Posix>().unwrap().map(Result::unwrap).collect();
    assert_eq!(records.iter().map(|r| r.base.rank).collect::<Vec<_>>(), [-1, 0, 1, 2, 3]);
    assert_eq!(records[0].int[posix::WRITES], 11408);
    assert_eq!(records[0].int[posix::READS], 0);
    assert_eq!((log.job().nprocs, log.job().jobid), (4, 48213));
}

#[test]
fn a_trace_alone_has_layouts_and_threads() {
    let text = fixture("dxt.txt");
    let printed = traced(&log_of(&[&text]));
    let segments = String::from_utf8(text).unwrap();
    for line in segments.lines().filter(|line| line.starts_with(" X_") || line.contains("DXT, ")) {
        assert!(has_line(&printed, line), "{line}");
    }
}

#[test]
fn incomplete_modules_are_marked() {
    let log = log_of(&[&fixture("partial.txt")]);
    let partial: Vec<u8> =
        log.modules().filter(|info| info.partial).map(|info| info.id.0).collect();
    assert_eq!(partial, [posix::MODULE.id.0, lustre::MODULE.id.0, dxt::MPIIO.id.0]);
    for warning in [
        "*WARNING*: The BG/Q module contains incomplete data",
        "#*WARNING*: The BG/Q module contains incomplete data!",
        "  # *WARNING*: The BG/Q module contains incomplete data!\r",
    ] {
        let log = log_of(&[warning.as_bytes()]);
        assert!(log.module_info(bgq::MODULE.id).partial, "{warning}");
    }
    assert!(
        log_of(&[b"# *WARNING*: The NULL module contains incomplete data!"])
            .module_info(ModuleId(0))
            .partial
    );
}

/// A few counters of every module that has lines, with everything that is special about each.
const EVERY_MODULE: &str = "\
POSIX\t0\t7\tPOSIX_RENAMED_FROM\t18446744073709551615\t/a\t/\text4
POSIX\t0\t7\tPOSIX_F_READ_TIME\t-nan\t/a\t/\text4
POSIX\t0\t7\tPOSIX_F_WRITE_TIME\tinf\t/a\t/\text4
STDIO\t0\t8\tSTDIO_OPENS\t-1\t<STDOUT>\tUNKNOWN\tUNKNOWN
MPI-IO\t-1\t7\tMPIIO_COLL_OPENS\t2\t/a\t/\text4
H5F\t0\t7\tH5F_OPENS\t1\t/a\t/\text4
H5D\t0\t9\tH5D_FILE_REC_ID\t7\t/a:/d\t/\text4
PNETCDF_FILE\t0\t10\tPNETCDF_FILE_OPENS\t1\t/nc\t/\text4
PNETCDF_VAR\t0\t11\tPNETCDF_VAR_FILE_REC_ID\t10\t/nc:v\t/\text4
BG/Q\t-1\t12\tBGQ_NNODES\t32\tdarshan-bgq-record\tUNKNOWN\tUNKNOWN
LUSTRE\t0\t7\tLUSTRE_COMP2_OST_ID_1\t5\t/a\t/\text4
LUSTRE\t0\t7\tLUSTRE_COMP2_STRIPE_PATTERN\traid0,overstriped\t/a\t/\text4
LUSTRE\t0\t7\tLUSTRE_COMP1_FLAGS\tstale,neg\t/a\t/\text4
LUSTRE\t0\t7\tLUSTRE_COMP1_POOL_NAME\tsixteen-letters-\t/a\t/\text4
MDHIM\t0\t13\tMDHIM_PUTS\t4\ttotal-mdhim-obj-stats\tUNKNOWN\tUNKNOWN
MDHIM\t0\t13\tMDHIM_SERVER_2\t4\ttotal-mdhim-obj-stats\tUNKNOWN\tUNKNOWN
APMPI\t0\t14\tMPI_TOTAL_COMM_SYNC_TIME_VARIANCE\t0.250000\t\t\t
APMPI\t0\t15\tMPI_PROCESSOR_NAME\tnode 1\t\t\t
APMPI\t0\t15\tMPI_BARRIER_TOTAL_SYNC_TIME\t1.500000\t\t\t
APMPI\t1\t15\tMPI_SEND_CALL_COUNT\t18446744073709551615\t\t\t
HEATMAP\t0\t16\tHEATMAP_F_BIN_WIDTH_SECONDS\t0.100000\theatmap:POSIX\tUNKNOWN\tUNKNOWN
HEATMAP\t0\t16\tHEATMAP_WRITE_BIN_3\t4096\theatmap:POSIX\tUNKNOWN\tUNKNOWN
DFS\t0\t17\tDFS_OPENS\t1\t\td0e93d4c-fc99-4657-96a8-fb9fa4f43073:15a24825-f921-47b9-a097-594e1ca4e86e\tN/A
DFS\t0\t18\tDFS_OPENS\t1\t/f\tUNKNOWN\tN/A
DAOS\t0\t19\tDAOS_OBJ_OPENS\t1\t281474976710656.3\td0e93d4c-fc99-4657-96a8-fb9fa4f43073:15a24825-f921-47b9-a097-594e1ca4e86e\tN/A
H5F\t3\t20\tH5F_OPENS\t1\t(null)\tUNKNOWN\tUNKNOWN
";

#[test]
fn every_module() {
    let listing = listed(&log_of(&[EVERY_MODULE.as_bytes()]));
    for line in EVERY_MODULE.lines() {
        assert!(has_line(&listing, line), "{line}");
    }
    for line in [
        "LUSTRE\t0\t7\tLUSTRE_NUM_COMPONENTS\t2\t/a\t/\text4",
        "LUSTRE\t0\t7\tLUSTRE_NUM_STRIPES\t2\t/a\t/\text4",
        "LUSTRE\t0\t7\tLUSTRE_COMP2_OST_ID_0\t0\t/a\t/\text4",
        "HEATMAP\t0\t16\tHEATMAP_READ_BIN_3\t0\theatmap:POSIX\tUNKNOWN\tUNKNOWN",
        "MDHIM\t0\t13\tMDHIM_SERVERS\t3\ttotal-mdhim-obj-stats\tUNKNOWN\tUNKNOWN",
        "# mount entry:\t/\text4",
        "# nprocs: 4",
    ] {
        assert!(has_line(&listing, line), "{line}");
    }
    let again = listed(&log_of(&[&listing]));
    assert_same("every module", &listing, &again);
    // The same text twice is still one log.
    let twice = listed(&log_of(&[&listing, &listing]));
    assert_same("every module, twice", &listing, &twice);
}

#[test]
fn columns_may_be_retyped() {
    let tabs = log_of(&[b"POSIX\t2\t\tPOSIX_OPENS\t3\t/a\t/\text4\r\n"]);
    let blanks = log_of(&[b"  POSIX  2 ?  POSIX_OPENS   3 /a  / ext4"]);
    assert_same("columns", &listed(&tabs), &listed(&blanks));
    assert_eq!(tabs.names().get(record_id(b"/a")), Some(b"/a".as_slice()));
}

#[test]
fn a_repeated_counter_begins_a_record() {
    let text = "POSIX 0 1 POSIX_OPENS 1\nPOSIX 0 2 POSIX_OPENS 1\n\
                POSIX 0 1 POSIX_OPENS 5\nPOSIX 0 1 POSIX_READS 6\nPOSIX 0 2 POSIX_OPENS 1\n";
    let log = log_of(&[text.as_bytes()]);
    let records = log.records_of::<Posix>().unwrap().map(Result::unwrap);
    let found: Vec<_> =
        records.map(|r| (r.base.id, r.int[posix::OPENS], r.int[posix::READS])).collect();
    assert_eq!(found, [(1, 1, 0), (2, 1, 0), (1, 5, 6)]);
}

#[test]
fn names_need_not_be_utf8() {
    let text = b"POSIX\t0\t1\tPOSIX_OPENS\t1\t\nPOSIX\t0\t1\tPOSIX_READS\t1\t/a\xff\tb\t/\text4\n\
                 POSIX\t0\t1\tPOSIX_WRITES\t1\t/later\t/\text4\n";
    let log = log_of(&[text]);
    // PyDarshan would refuse the whole log for the raw byte.
    assert_eq!(log.names().get(1), Some(b"/a%FF\tb".as_slice()));
    let again = log_of(&[&listed(&log)]);
    assert_eq!(again.names().get(1), Some(b"/a%FF\tb".as_slice()));
}

/// What a text leaves out must not leave readers without what they need.
#[test]
fn missing_headers_get_sensible_values() {
    let log = log_of(&[b"HEATMAP\t2\t-\tHEATMAP_READ_BIN_3\t7\theatmap:POSIX\n"]);
    assert_eq!(log.job().metadata_value("lib_ver").as_deref(), Some("3.5.0"));
    assert_eq!(log.job().nprocs, 3);
    let map = log.special::<Heatmap>().unwrap().next().unwrap().unwrap();
    assert_eq!(map.bin_width, 0.1);
    let log = log_of(&[b"X_POSIX 0 write 0 0 4096 99.0 99.25"]);
    assert_eq!(log.run_time(), 99.25);
    let log = log_of(&[b"STDIO 0 - STDIO_F_WRITE_END_TIMESTAMP 12.5 /a"]);
    assert_eq!(log.run_time(), 12.5);
    let log = log_of(&["\u{feff}# exe: ./app\n".as_bytes()]);
    assert_eq!(log.job().command(), b"./app");
}

#[test]
fn what_is_not_data_is_passed_over() {
    let text = "\n# total: 3 4 5\ntotal_POSIX_OPENS: 4\n# agg_perf_by_slowest: 1.5 # MiB/s\n\
                #\n# start_time_asci: whenever\n# anything else\n\t \n# no module data available.\n";
    let log = log_of(&[text.as_bytes()]);
    assert_eq!(log.modules().count(), 0);
    assert_eq!((log.job().nprocs, log.names().len()), (1, 0));
}

/// A trace as the newest library writes it, with a thread id in every segment.
fn threaded_log() -> Log {
    let mut writer = LogWriter::new(Vec::new(), Compression::None).unwrap();
    let mut job = Job::default();
    job.metadata = b"lib_ver=3.5.0\n".into();
    writer.job(&job).unwrap();
    let name = b"/scratch/threads".as_slice();
    writer.names([(record_id(name), name)]).unwrap();
    let mut out = writer.raw_module(dxt::POSIX.id, dxt::POSIX.newest).unwrap();
    for (rank, threads) in [(0, [11_u64, 12, u64::MAX]), (5, [21, 21, 0])] {
        let base = Base { id: record_id(name), rank };
        let head = DxtHead { base, shared: 0, hostname: b"node".into(), writes: 2, reads: 1 };
        out.record(&head).unwrap();
        for (offset, thread) in (-1_i64..).zip(threads) {
            out.record(&Segment { offset, length: 10, start: 0.25, end: 0.5 }).unwrap();
            out.bytes(&thread.to_le_bytes()).unwrap();
        }
    }
    out.finish().unwrap();
    Log::from_bytes(writer.finish().unwrap()).unwrap()
}

#[test]
fn thread_ids_survive() {
    let text = traced(&threaded_log());
    let log = log_of(&[&text]);
    assert_same("threads", &text, &traced(&log));
    assert_eq!(log.dxt_columns(&dxt::POSIX).unwrap().thread, [11, 12, u64::MAX, 21, 21, 0]);
}

#[test]
fn segments_of_old_releases_and_of_nobody() {
    let text = " X_MPIIO  3  read  0  -1  80  0.1  0.2\n X_MPIIO  4  write  9  0  1  0.3  0.4  N/A\n\
                 X_MPIIO  3  write  0  5  1  0.3  0.4 [ 79] 8\n\
                # DXT, file_id: 77, file_name: (null)\n\
                # DXT, Lustre stripe_size: 10, Lustre stripe_count: 1\n\
                # DXT, Lustre OST obdidx: 46\n X_POSIX 0 write 0 0 9 0 1 [ 46]\n";
    let log = log_of(&[text.as_bytes()]);
    let trace = log.dxt_columns(&dxt::MPIIO).unwrap();
    let heads: Vec<_> = trace.heads.iter().map(|h| (h.base.rank, h.writes, h.reads)).collect();
    assert_eq!(heads, [(3, 1, 1), (4, 1, 0)]);
    assert_eq!(log.names().lookup(trace.heads[0].base.id), "dxt-unknown");
    assert_eq!((trace.offset, trace.thread), (vec![5, -1, 0], vec![8, 0, 0]));
    assert_eq!(log.names().get(77), None);
    assert!(has_line(
        &traced(&log),
        "X_POSIX       0  write        0               0               9      0.0000      1.0000   [46]   N/A"
    ));
}

#[test]
fn malformed_lines_are_named() {
    let good = "POSIX\t0\t1\tPOSIX_OPENS\t1\n# a comment\n";
    for (line, expected) in [
        ("POSIX", "found 1 column,"),
        ("POSIX\t0\t1", "found 3 columns"),
        ("POSIX 0 1 POSIX_OPENS 1 a b", "separate the columns with tabs"),
        ("POXIS\t0\t1\tPOSIX_OPENS\t1", "\"POXIS\" is not a module"),
        ("DXT_POSIX\t0\t1\tX\t1", "\"DXT_POSIX\" is not a module"),
        ("POSIX\t0\t1\tPOSIX_OPEN\t1", "is POSIX_OPENS meant?"),
        ("POSIX\t0\t1\t\t1", "has no counter \"\""),
        ("POSIX\t0\t1\tPOSIX_OPENS\t1e6", "POSIX_OPENS is \"1e6\", expected an integer"),
        ("POSIX\t0\t1\tPOSIX_BYTES_READ\t4KiB", "expected an integer"),
        ("POSIX\t0\t1\tPOSIX_OPENS\t9223372036854775808", "expected an integer"),
        ("POSIX\t0\t1\tPOSIX_RENAMED_FROM\t-1", "expected an unsigned integer"),
        ("POSIX\t0\t1\tPOSIX_F_READ_TIME\t1.2.3", "expected a number"),
        ("POSIX\tx\t1\tPOSIX_OPENS\t1", "rank is \"x\""),
        ("POSIX\t0\tx\tPOSIX_OPENS\t1", "record id is \"x\""),
        ("POSIX\t0\t-\tPOSIX_OPENS\t1", "needs an id or a name"),
        ("POSIX\t0\t1\tPOSIX_OPENS\t", "POSIX_OPENS is \"\""),
        ("HEATMAP\t0\t1\tHEATMAP_READ_BIN_99999999999\t1", "up to 131071"),
        ("LUSTRE\t0\t1\tLUSTRE_COMP1_OST_ID_4000000000\t1", "up to 262143"),
        ("LUSTRE\t0\t1\tLUSTRE_NUM_COMPONENTS\t-1", "expected 0 to 2047"),
        ("LUSTRE\t0\t1\tLUSTRE_COMP1_FLAGS\tfast", "expected some of stale"),
        ("LUSTRE\t0\t1\tLUSTRE_COMP1_STRIPE_PATTERN\traid9", "expected one of raid0"),
        ("LUSTRE\t0\t1\tLUSTRE_COMP1_POOL_NAME\tseventeen-letters", "longer than 16 bytes"),
        ("LUSTRE\t0\t1\tLUSTRE_COMP1_COLOUR\tred", "has no counter"),
        ("MDHIM\t0\t1\tMDHIM_SERVERS\t2000000", "expected 0 to 262144"),
        ("DAOS\t0\t1\tDAOS_NB_OPS\t1\t3\tUNKNOWN\tN/A", "expected an object"),
        ("DFS\t0\t1\tDFS_OPENS\t1\t/a\t/mnt\tN/A", "expected pool and container"),
        ("# uid: me", "uid is \"me\""),
        ("# run time: long", "run time is \"long\""),
        ("# run time: inf", "expected seconds"),
        ("# metadata: x", "expected key = value"),
        ("# mount entry:\t/a", "expected a path and a type"),
        ("# *WARNING*: The X module contains incomplete data!", "\"X\" is not a module"),
        ("# DXT, file_id: x, file_name: /a", "record id is \"x\""),
        ("# DXT, rank: x, hostname: h", "rank is \"x\""),
        ("#\t[Component 1] stripe_size: 3", "expected [Component <n>]"),
        (" X_POSIX 0 write 0 0 0 0.1", "found 7 columns"),
        (" X_POSIX 0 writ 0 0 0 0.1 0.2", "expected write or read"),
        (" X_POSIX 0 write 0 z 0 0.1 0.2", "offset is \"z\""),
        (" X_POSIX 0 write 0 0 0 0.1 z", "end is \"z\""),
        (" X_POSIX 0 write 0 0 0 0.1 0.2 z", "thread is \"z\""),
        (" X_POSIX 0 write 0 0 0 0.1 0.2 [3", "expected [OST]"),
        ("a\0b", "NUL"),
    ] {
        let (number, reason) = refused(format!("{good}{line}\n{good}"));
        assert_eq!(number, 3, "{line}");
        assert!(reason.contains(expected), "{line}\n{reason}");
    }
}

#[test]
fn long_lines_and_names_are_refused() {
    let long = format!("\n# {}\n", "x".repeat(1 << 20));
    assert_eq!(refused(long).0, 2);
    let name = format!("POSIX\t0\t1\tPOSIX_OPENS\t1\t{}\n", "x".repeat((64 << 10) + 1));
    assert!(refused(name).1.contains("longer than 65536 bytes"));
    let metadata = format!("# metadata: k = {}\n", "x".repeat(1100));
    assert!(refused(metadata).1.contains("1023 bytes"));
}

/// Each line stands for a record of megabytes.
#[test]
fn few_lines_do_not_make_a_large_log() {
    let lines = (0..400).map(|rank| format!("HEATMAP\t{rank}\t1\tHEATMAP_READ_BIN_100000\t1\n"));
    let mut builder = TextBuilder::new();
    builder.read(lines.collect::<String>().as_bytes()).unwrap();
    let error = builder.write(Vec::new(), Compression::Zlib).unwrap_err();
    assert!(matches!(error, CopyError::Read(Error::TooLarge { .. })), "{error}");

    let stripes = "LUSTRE 0 1 LUSTRE_COMP1_STRIPE_COUNT 4000000000000";
    let mut builder = TextBuilder::new();
    builder.read(stripes.as_bytes()).unwrap();
    assert!(builder.write(Vec::new(), Compression::Zlib).is_err());
}
