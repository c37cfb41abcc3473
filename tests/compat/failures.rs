//! Logs that the original gives no report on.

use ioglass_log::posix::{self, Posix};
use ioglass_log::{Encode, FixedRecord, Lustre, LustreComponent, ModuleId, lustre, mdhim};

use super::build::{Build, judge};

fn with_mpi_io() -> Build {
    Build::new().mpiio("/a", -1, &[])
}

#[test]
fn hints_that_are_no_pairs() {
    for hints in ["no", "no;cb_nodes=4", "cb_nodes=4=5", "romio", "cb_nodes=4;", ";"] {
        let metadata = format!("lib_ver=3.4.7\nh={hints}\n");
        let reason = with_mpi_io().metadata(metadata.as_bytes()).failure();
        assert!(reason.contains("hint"), "{hints}: {reason}");
        // Without MPI-IO nobody looks at them.
        assert_eq!(Build::new().metadata(metadata.as_bytes()).codes(), ["M01"], "{hints}");
    }
    for metadata in ["h=cb_nodes=4;no\n", "h=\n", "", "h=no", "h=no\nh=a=b\n", "h= =no\n"] {
        assert_eq!(with_mpi_io().metadata(metadata.as_bytes()).codes(), ["M06", "M07"]);
    }
}

#[test]
fn metadata_that_is_no_text() {
    for metadata in [&b"a line\nh=a=b\n"[..], b"a=b\n\nh=a=b\n", b"a=\xFF\n", b"\n"] {
        let reason = Build::new().metadata(metadata).failure();
        assert!(reason.contains("metadata"), "{reason}");
    }
}

#[test]
fn no_command_line() {
    let mount = || Build::new().job.mounts().to_vec();
    for command in [&b""[..], b" \t ", b"\x1C\x1F", "\u{2003}\u{A0}".as_bytes()] {
        let mut log = Build::new();
        log.job.set_command(command, &mount());
        assert!(log.failure().contains("command line"), "{command:?}");
    }
    // No mounts leave it without the line break that ends it.
    let mut log = Build::new();
    log.job.set_command(b"./app", &[]);
    assert!(log.failure().contains("command line"));
    log.job.set_command(b"./app-\xFF", &mount());
    assert!(log.failure().contains("UTF-8"));
    log.job.set_command("\u{200B}".as_bytes(), &mount());
    assert_eq!(log.codes(), ["M01"]);
}

#[test]
fn times_that_are_no_dates() {
    let mut log = Build::new();
    for (seconds, is_date) in [
        (253_402_300_799, true),
        (253_402_300_800, false),
        (-62_135_510_400, true),
        (-62_135_510_401, false),
        (i64::MIN, false),
    ] {
        log.job.end_sec = seconds;
        assert_eq!(log.judge().failed.is_none(), is_date, "{seconds}");
    }
}

#[test]
fn modules_without_a_record() {
    // Records without a name are no records.
    let logs = [
        ("POSIX", Build::new().posix("/a", 0, &[])),
        ("MPI-IO", Build::new().mpiio("/a", 0, &[])),
        ("STDIO", Build::new().stdio("/a", 1)),
        ("LUSTRE", with_layout(&[LustreComponent::default()])),
    ];
    for (module, log) in logs {
        assert_eq!(log.judge().failed, None, "{module}");
        let reason = log.names(Vec::clear).failure();
        assert!(reason.contains(module), "{reason}");
    }
    let mut named = Build::new().posix("/a", 0, &[(posix::READS, 5)]);
    named = named.posix("/b", 0, &[(posix::READS, 7)]).names(|names| names.truncate(1));
    assert!(named.trigger("P12").unwrap().inputs.contains(&("total_reads", 5.0)));
}

#[test]
fn names_that_are_no_text() {
    let mut log = Build::new().posix("/spoil", 0, &[]).bytes();
    let at = log.windows(6).position(|window| window == b"/spoil").unwrap();
    log[at] = 0xFF;
    assert!(judge(log).failed.unwrap().contains("UTF-8"));
    let empty = Build::new().posix("/a", 0, &[]).names(|names| names[0].1.clear());
    assert_eq!(empty.codes(), ["M01"]);
}

#[test]
fn modules_that_are_not_read() {
    assert!(Build::new().raw(mdhim::MODULE.id, 1, vec![0; 200]).failure().contains("MDHIM"));
    assert!(Build::new().raw(ModuleId(40), 1, vec![0; 8]).failure().contains("module 40"));
    let mut newer = Build::new();
    let record = Posix::new(newer.name("/a"), 0);
    let mut bytes = Vec::new();
    record.view().encode(&mut bytes);
    assert!(newer.raw(posix::MODULE.id, 5, bytes).failure().contains("version 5"));
}

#[test]
fn layouts_without_components() {
    assert!(with_layout(&[]).failure().contains("Lustre"));
    let negative = LustreComponent { stripe_count: -1, ..LustreComponent::default() };
    assert!(with_layout(&[negative]).failure().contains("Lustre"));
}

fn with_layout(components: &[LustreComponent]) -> Build {
    let mut log = Build::new();
    let mut layout = Lustre { components: components.into(), ..Lustre::default() };
    layout.base.id = log.name("/a");
    let mut bytes = Vec::new();
    layout.encode(&mut bytes);
    log.raw(lustre::MODULE.id, lustre::MODULE.version, bytes)
}

#[test]
fn fewer_bytes_than_none() {
    let log = |bytes| Build::new().posix("/a", 0, &[(posix::BYTES_READ, bytes)]);
    assert!(log(-1).failure().contains("fewer than none"));
    assert!(log(i64::MAX).posix("/b", 0, &[(posix::BYTES_READ, 1)]).failure().contains("fewer"));
    assert_eq!(log(0).codes(), ["M01"]);
}
