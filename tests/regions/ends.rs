//! The profile is there, however the program ends.

use std::fs;
use std::os::unix::fs::FileTypeExt;

use ioglass_profile::{Ending, State};

use super::seen::{read, scene, scenes, see, see_with};
use crate::lifecycle::recording::log_path;
use crate::lifecycle::room::{Room, wait_for_the_end};
use crate::support::ioglass;

#[test]
fn open_visits_count_until_the_end() {
    let room = Room::new("regions-ends");
    for (how, ending) in [
        ("kill", Ending::Killed),
        ("abort", Ending::Abort),
        ("_exit", Ending::QuickExit),
        ("exit", Ending::Exit),
    ] {
        let seen = see(&room, &["dies", how]);
        assert_eq!(
            seen.tree(),
            ["main 1 +1", "main > quick 1", "main > step 2 +1", "main > step > long 1 +1"],
            "{how}"
        );
        let long = seen.row("main > step > long");
        assert!(long.time_ns >= 20_000_000 && long.max_ns == long.time_ns, "{how}: {long:?}");
        let step = seen.row("main > step");
        let series = step.series.as_ref().unwrap();
        assert_eq!((series.iterations, series.time_ns.len()), (2, 2), "{how}");
        assert!(step.max_ns >= 20_000_000 && step.min_ns >= 1_000_000, "{how}: {step:?}");
        assert_eq!(seen.profile.processes[0].ending, ending, "{how}");
        assert_eq!(seen.profile.head.state, State::Complete);
        room.check_nothing_left();
    }
}

#[test]
fn without_regions_there_is_no_profile() {
    let room = Room::new("regions-none");
    let profile = log_path(&room).with_extension("ioprof");
    for (options, words) in [(&[][..], &["active"][..]), (&["--no-regions"], &["nest"])] {
        assert!(scene(&room, options, words).status().unwrap().success());
        assert!(!profile.exists(), "{options:?}");
    }
    for (setting, active) in [("1", "1"), ("on", "1"), ("0", "0"), ("off", "0"), ("maybe", "1")] {
        let mut command = scene(&room, &[], &["active"]);
        let output = command.env("IOGLASS_REGIONS", setting).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), active, "{setting}");
    }
    let seen = see_with(&room, &[], &[("IOGLASS_REGIONS", "maybe")], &["nest"]);
    assert_eq!(seen.notices(), ["setting IOGLASS_REGIONS in -: 1"]);
}

#[test]
fn the_profile_goes_where_it_is_asked_for() {
    let room = Room::new("regions-places");
    assert!(scene(&room, &["--profile", "other.ioprof"], &["nest"]).status().unwrap().success());
    read(&room.folder.join("other.ioprof"));
    assert!(!log_path(&room).with_extension("ioprof").exists());
    // A pipe that nobody reads stays one, and nobody waits.
    assert!(room.command("mkfifo").arg("pipe").status().unwrap().success());
    assert!(scene(&room, &["--profile", "pipe"], &["nest"]).status().unwrap().success());
    assert!(fs::metadata(room.folder.join("pipe")).unwrap().file_type().is_fifo());
    let mut command = room.command(ioglass());
    command.args(["run", "--no-report", "--"]).arg(scenes()).arg("metrics");
    assert!(command.status().unwrap().success());
    let names = fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(names.iter().any(|name| name.starts_with("my_profile_")), "{names:?}");
    let log =
        names.iter().any(|name| name.starts_with("regions-scenes") && name.ends_with("darshan"));
    assert!(log, "{names:?}");
}

#[test]
fn recover_makes_the_profile() {
    let room = Room::new("regions-recover");
    // The command dies with its program.
    let program = scenes();
    let dies = format!("{} dies exit", program.display());
    let script = format!("echo $$ > shell; {dies}; kill -9 $PPID; kill -9 $$");
    let mut command = room.command(ioglass());
    let log = log_path(&room);
    command.args(["run", "--no-report", "-o"]).arg(&log).args(["--", "sh", "-c", &script]);
    assert!(!command.status().unwrap().success());
    // The shell may live a moment longer.
    wait_for_the_end(fs::read_to_string(room.folder.join("shell")).unwrap().trim());
    let profile = log.with_extension("ioprof");
    assert!(!profile.exists());
    assert!(room.command(ioglass()).arg("recover").status().unwrap().success());
    let profile = read(&profile);
    assert_eq!(profile.head.state, State::Recovered);
    assert_eq!(profile.regions[0].name, b"main");
    room.check_nothing_left();
}
