//! The library alone writes profiles: when a process exits, and where.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_profile::{Ending, Layer, Profile, State};

use super::seen::{annotated, io, read, tree};
use crate::lifecycle::programs::{compile, python, source};
use crate::lifecycle::room::{Room, is_root};
use crate::record::run::{library, without_settings};
use crate::support::{ioglass, root};

/// How a program meets the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The loader loads it first.
    Preloaded,
    /// The program loads it, because the environment says so.
    Loaded,
}

pub(super) const WAYS: [Way; 2] = [Way::Preloaded, Way::Loaded];
/// The regions of every act.
const USUAL: [&str; 2] = ["main 1", "main > step 3"];

/// A place for the runs of a program with the library alone.
pub(super) struct Stage {
    pub(super) room: Room,
    program: Vec<OsString>,
}

impl Stage {
    pub(super) fn new(name: &str) -> Self {
        Self::of(Room::new(name))
    }

    pub(super) fn of(room: Room) -> Self {
        Self { room, program: vec![annotated("regions/alone.c").into()] }
    }

    fn python(name: &str) -> Self {
        let words = [python().into(), source("regions/alone.py").into_os_string()];
        Self { room: Room::new(name), program: words.to_vec() }
    }

    /// The command for an act, with settings for the program alone.
    pub(super) fn command(&self, way: Option<Way>, settings: &[&str], words: &[&str]) -> Command {
        let mut command = self.room.command("env");
        without_settings(&mut command);
        command.env("PYTHONPATH", root().join("crates/region/python"));
        let variable = match way {
            Some(Way::Preloaded) => Some("LD_PRELOAD"),
            Some(Way::Loaded) => Some("IOGLASS_REGION_LIB"),
            None => None,
        };
        if let Some(variable) = variable {
            command.arg(format!("{variable}={}", library().display()));
        }
        let state = self.room.folder.join("state");
        fs::create_dir_all(&state).unwrap();
        command.arg(format!("XDG_STATE_HOME={}", state.display()));
        command.args(settings).args(&self.program).args(words);
        command
    }

    /// Runs an act with regions on. The program says nothing but what it is told to.
    #[track_caller]
    pub(super) fn act(&self, way: Way, settings: &[&str], words: &[&str]) -> Output {
        let all = [&["IOGLASS_REGIONS=1"], settings].concat();
        let output = self.command(Some(way), &all, words).output().unwrap();
        assert!(output.stderr.is_empty(), "{words:?}: {output:?}");
        output
    }

    /// The profiles in the folder, by name; they are removed.
    #[track_caller]
    pub(super) fn take(&self) -> BTreeMap<String, Profile> {
        let profiles: BTreeMap<_, _> = self.files(&self.room.folder, "ioprof").collect();
        for name in profiles.keys() {
            fs::remove_file(self.room.folder.join(name)).unwrap();
        }
        profiles
    }

    fn files(&self, folder: &Path, ending: &str) -> impl Iterator<Item = (String, Profile)> {
        names(folder, ending).into_iter().map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, read(&path))
        })
    }

    /// The only profile in the folder.
    #[track_caller]
    pub(super) fn only(&self) -> (String, Profile) {
        let profiles = self.take();
        assert_eq!(profiles.len(), 1, "{:?}", profiles.keys());
        profiles.into_iter().next().unwrap()
    }

    /// Makes the profile of what is left, and returns it.
    #[track_caller]
    pub(super) fn recover(&self) -> Profile {
        let output = self.room.command(ioglass()).arg("recover").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        self.room.check_nothing_left();
        for log in names(&self.room.folder, "darshan") {
            fs::remove_file(log).unwrap();
        }
        self.only().1
    }
}

/// Files of this kind in a folder, by name.
pub(super) fn names(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == ending)).collect();
    names.sort();
    names
}

pub(super) fn all(profile: &Profile) -> Vec<String> {
    tree(profile, |_| true)
}

pub(super) fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_profile_is_written_at_exit() {
    let stage = Stage::new("alone-ends");
    for way in WAYS {
        for (how, status, ending) in [
            ("return", 0, Ending::Exit),
            ("exit", 3, Ending::Exit),
            ("_exit", 3, Ending::QuickExit),
            ("quick_exit", 3, Ending::QuickExit),
        ] {
            let output = stage.act(way, &[], &["ends", how]);
            assert_eq!(output.status.code(), Some(status), "{way:?} {how}");
            // A program that loads the library itself does not tell it of these.
            let is_told = ending == Ending::Exit || way == Way::Preloaded;
            let (profile, state) = match is_told {
                true => (stage.only().1, State::Complete),
                false => (stage.recover(), State::Recovered),
            };
            let open = if how == "return" { "" } else { " +1" };
            assert_eq!(all(&profile), [format!("main 1{open}"), USUAL[1].into()], "{way:?} {how}");
            assert_eq!(profile.head.state, state, "{way:?} {how}");
            let ending = if is_told { ending } else { Ending::Killed };
            assert_eq!(profile.processes[0].ending, ending, "{way:?} {how}");
            assert!(!profile.head.has_io && profile.lost == Default::default());
            stage.room.check_nothing_left();
        }
        stage.act(way, &[], &["destructors"]);
        assert_eq!(all(&stage.only().1), ["at exit 1", USUAL[0], USUAL[1]], "{way:?}");
        assert!(names(&stage.room.folder, "darshan").is_empty());
    }
}

#[test]
fn regions_and_recording_are_switched_apart() {
    let stage = Stage::new("alone-switches");
    for (settings, has_log) in [
        (&[][..], false),
        (&["DARSHAN_DISABLE=1", "IOGLASS_ENABLE=1"], false),
        (&["IOGLASS_DISABLE=1"], false),
        (&["IOGLASS_ENABLE=1"], true),
        (&["DARSHAN_ENABLE_NONMPI="], true),
    ] {
        let mut settings = settings.to_vec();
        settings.push("DARSHAN_LOGFILE=log.darshan");
        stage.act(Way::Preloaded, &settings, &["writes"]);
        let (_, profile) = stage.only();
        assert_eq!(profile.head.has_io, has_log, "{settings:?}");
        let dump = profile.regions.iter().position(|region| region.name == b"dump").unwrap();
        let counted = if has_log { [1, 0, 1, 0, 5, 1] } else { [0; 6] };
        assert_eq!(io(&profile.regions[dump].rows[0].io, Layer::Posix), counted, "{settings:?}");
        let log = stage.room.folder.join("log.darshan");
        assert_eq!(log.exists(), has_log, "{settings:?}");
        let _ = fs::remove_file(log);
        stage.room.check_nothing_left();
        // A program that loads the library itself interposes nothing.
        stage.act(Way::Loaded, &settings, &["writes"]);
        assert!(!stage.only().1.head.has_io && names(&stage.room.folder, "darshan").is_empty());
        stage.room.check_nothing_left();
    }
}

#[test]
fn without_regions_nothing_changes() {
    for stage in [Stage::new("alone-same"), Stage::python("alone-same-python")] {
        let runs = [(None, "0"), (Some(Way::Preloaded), "1"), (Some(Way::Loaded), "1")];
        let off =
            WAYS.into_iter().flat_map(|way| ["0", "off", "", "maybe"].map(|on| (Some(way), on)));
        for (way, on) in runs.into_iter().chain(off) {
            let setting = format!("IOGLASS_REGIONS={on}");
            let output = stage.command(way, &[&setting], &["writes"]).output().unwrap();
            assert_eq!(
                (output.status.code(), &*said(&output)),
                (Some(5), "done\n"),
                "{way:?} {on}"
            );
            assert!(output.stderr.is_empty(), "{output:?}");
            assert_eq!(fs::read(stage.room.folder.join("out")).unwrap(), b"hello");
            assert_eq!(stage.take().len(), usize::from(on == "1"), "{way:?} {on}");
            stage.room.check_nothing_left();
        }
        // A library that cannot be loaded is no library.
        let missing = ["IOGLASS_REGIONS=1", "IOGLASS_REGION_LIB=/nowhere/lib.so"];
        let output = stage.command(None, &missing, &["writes"]).output().unwrap();
        assert!(output.status.code() == Some(5) && output.stderr.is_empty(), "{output:?}");
        assert!(stage.take().is_empty());
    }
}

#[test]
fn children_have_profiles_of_their_own() {
    let stage = Stage::new("alone-forks");
    for way in WAYS {
        for how in ["exit", "_exit"] {
            for settings in [&[][..], &["IOGLASS_PROFILE=p.ioprof"]] {
                let output = stage.act(way, settings, &["forks", how]);
                let pid = said(&output).trim().to_owned();
                let mut profiles = stage.take();
                if how == "_exit" && way == Way::Loaded {
                    // Nobody tells the library of it.
                    profiles.insert("child".into(), stage.recover());
                }
                let own = match (settings.is_empty(), profiles.contains_key("child")) {
                    (true, _) => format!("_{pid}-{pid}.ioprof"),
                    (false, true) => "p.ioprof".into(),
                    // The child was there first.
                    (false, false) => format!("p-{pid}.ioprof"),
                };
                let parent = profiles.keys().find(|name| name.ends_with(&own)).cloned();
                let parent = parent.unwrap_or_else(|| panic!("{own} in {:?}", profiles.keys()));
                assert_eq!(all(&profiles.remove(&parent).unwrap()), USUAL, "{way:?} {how}");
                let (name, child) = profiles.pop_first().unwrap();
                assert!(profiles.is_empty(), "{profiles:?}");
                assert_eq!(all(&child), ["main > child 1 +1"], "{way:?} {how} {name}");
                stage.room.check_nothing_left();
            }
        }
    }
}

#[test]
fn the_profile_is_where_it_is_asked_for() {
    let stage = Stage::new("alone-places");
    let folder = stage.room.folder.join("deep");
    fs::create_dir_all(&folder).unwrap();
    for way in WAYS {
        // The program names it, unless the environment does.
        stage.act(way, &["SLURM_JOB_ID=77"], &["names"]);
        let (name, profile) = stage.only();
        assert!(name.starts_with("my_run_77-") && profile.head.name == b"my/run", "{name}");
        assert_eq!(profile.head.job, 77);
        stage.act(way, &["IOGLASS_PROFILE=deep"], &["names"]);
        let file = names(&folder, "ioprof").pop().unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        assert!(name.starts_with("regions-alone-c") && name.contains('_'), "{name}");
        fs::remove_file(file).unwrap();
        stage.act(way, &["IOGLASS_PROFILE=deep/p"], &["names"]);
        read(&folder.join("p"));
        fs::remove_file(folder.join("p")).unwrap();
        // The program has left its folder.
        for setting in [&[][..], &["IOGLASS_PROFILE=p.ioprof"]] {
            assert_eq!(said(&stage.act(way, setting, &["moves"])), "0\n");
            assert_eq!(all(&stage.only().1), USUAL);
        }
        // There is no such folder: a fallback.
        stage.act(way, &["IOGLASS_PROFILE=missing/p.ioprof"], &["ends"]);
        let state = stage.room.folder.join("state/ioglass");
        let file = names(&state, "ioprof").pop().unwrap();
        assert_eq!(all(&read(&file)), USUAL);
        fs::remove_file(file).unwrap();
        // A file of another process is not touched.
        fs::write(stage.room.folder.join("mine"), "precious").unwrap();
        stage.act(way, &["IOGLASS_PROFILE=mine"], &["flushes"]);
        assert_eq!(fs::read(stage.room.folder.join("mine")).unwrap(), b"precious");
        let (name, profile) = stage.only();
        assert!(name.starts_with("mine-"), "{name}");
        assert_eq!(all(&profile)[1], "main > after 1");
        stage.room.check_nothing_left();
    }
}

/// What is no file stays what it is, and nothing is made beside it.
#[test]
fn the_profile_goes_through_links_and_into_devices_and_pipes() {
    let stage = Stage::new("alone-special");
    let folder = &stage.room.folder;
    let here = || {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    // A device of our own, as beside that of the system others could be at work.
    let device = folder.join("null");
    let is_made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).output().unwrap();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
    fs::create_dir(folder.join("there")).unwrap();
    link("there/second", "first");
    link("real.ioprof", "there/second");
    link("loop", "loop");
    fs::create_dir_all(folder.join("state/ioglass")).unwrap();
    let state = || names(&folder.join("state/ioglass"), "ioprof");
    let before = here();
    for way in WAYS {
        if is_made.status.success() {
            stage.act(way, &["IOGLASS_PROFILE=null", "IOGLASS_SNAPSHOT=0.01"], &["busy", "30"]);
            stage.act(way, &["IOGLASS_PROFILE=null"], &["flushes"]);
            assert_eq!((here(), state().len()), (before.clone(), 0), "{way:?}");
        }
        // Without a reader the profile is elsewhere.
        stage.act(way, &["IOGLASS_PROFILE=pipe"], &["ends"]);
        let elsewhere = state();
        assert_eq!((here(), elsewhere.len()), (before.clone(), 1), "{way:?}");
        fs::remove_file(&elsewhere[0]).unwrap();
        let mut reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        stage.act(way, &["IOGLASS_PROFILE=pipe"], &["ends"]);
        let mut bytes = vec![0; 1 << 16];
        let count = std::io::Read::read(&mut reader, &mut bytes).unwrap();
        bytes.truncate(count);
        let poured = folder.join("state/poured");
        fs::write(&poured, &bytes).unwrap();
        assert_eq!(all(&read(&poured)), USUAL, "{way:?}");
        fs::remove_file(poured).unwrap();
        assert_eq!((here(), state().len()), (before.clone(), 0), "{way:?}");
        // The first time the links lead to no file.
        stage.act(way, &["IOGLASS_PROFILE=first"], &["flushes"]);
        let real = folder.join("there/real.ioprof");
        assert_eq!(all(&read(&real))[1], "main > after 1", "{way:?}");
        fs::write(&real, "precious").unwrap();
        stage.act(way, &["IOGLASS_PROFILE=first"], &["ends"]);
        assert_eq!(fs::read(&real).unwrap(), b"precious");
        fs::remove_file(&real).unwrap();
        let (name, _) = stage.only();
        assert!(name.starts_with("first-"), "{name}");
        stage.act(way, &["IOGLASS_PROFILE=loop"], &["ends"]);
        let elsewhere = state();
        assert_eq!((here(), elsewhere.len()), (before.clone(), 1), "{way:?}");
        fs::remove_file(&elsewhere[0]).unwrap();
        stage.room.check_nothing_left();
    }
}

#[test]
fn senseless_settings_are_told() {
    let stage = Stage::new("alone-settings");
    for settings in [
        ["IOGLASS_MPI_TIMEOUT=zz", "IOGLASS_PROFILE_FILES=x", "IOGLASS_SNAPSHOT=abc"],
        ["IOGLASS_ITERATIONS=0", "IOGLASS_PROFILE_FILES=0", "IOGLASS_REGION_MEMORY=0"],
        ["IOGLASS_ITERATIONS=few", "IOGLASS_MPI_TIMEOUT=-1", "IOGLASS_REGION_MEMORY=-"],
    ] {
        stage.act(Way::Preloaded, &settings, &["ends"]);
        let (_, profile) = stage.only();
        assert_eq!(all(&profile), USUAL, "{settings:?}");
        let told: Vec<_> = profile.notices.iter().map(|notice| notice.code.word()).collect();
        let names = settings.map(|setting| setting.split_once('=').unwrap().0);
        assert_eq!(told, ["setting"; 3], "{settings:?}");
        let told = profile.notices.iter().map(|n| String::from_utf8(n.name.clone()).unwrap());
        assert_eq!(told.collect::<Vec<_>>(), names);
    }
}

#[test]
fn little_room_for_thread_local_variables_is_enough() {
    let stage = Stage::new("alone-tls");
    let plugin = compile("regions/tls.c", &["-shared", "-fPIC"]);
    let output = stage.act(Way::Loaded, &[], &["tls", plugin.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(all(&stage.only().1), USUAL);
}

#[test]
fn python_programs_have_profiles() {
    let stage = Stage::python("alone-python");
    for way in WAYS {
        stage.act(way, &[], &["names"]);
        let (name, profile) = stage.only();
        assert!(name.starts_with("from python_"), "{name}");
        assert_eq!(all(&profile), USUAL);
        stage.act(way, &[], &["forks"]);
        let trees: Vec<_> = stage.take().values().map(all).collect();
        assert_eq!(trees.len(), 2, "{trees:?}");
        assert!(trees.contains(&USUAL.map(String::from).to_vec()), "{trees:?}");
        assert!(trees.contains(&vec!["main > child 1".into()]), "{trees:?}");
        let output = stage.command(Some(way), &["IOGLASS_REGIONS=1"], &["fails"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(all(&stage.only().1), USUAL);
        assert_eq!(said(&stage.act(way, &[], &["flushes"])), "0\n");
        let (_, profile) = stage.only();
        assert_eq!(profile.head.state, State::Running);
        assert_eq!(all(&stage.recover()), ["main 1 +1", USUAL[1]]);
        stage.room.check_nothing_left();
    }
}

/// A program with more rights than its user has no regions.
#[test]
fn a_privileged_program_has_no_profile() {
    if !is_root() {
        return;
    }
    let room = Room::new("alone-secure");
    let plain = compile("regions/secure_load.c", &["-ldl"]);
    // The folder of tests may be closed to others.
    let program = PathBuf::from(format!("/tmp/ioglass-test-secure-{}", std::process::id()));
    fs::copy(plain, &program).unwrap();
    let library_copy = program.with_extension("so");
    fs::copy(library(), &library_copy).unwrap();
    for (owner, expected) in [("0", "0 1\n"), ("65534", "1 0\n")] {
        for (tool, word) in [("chown", owner), ("chmod", "u+s,a+rx")] {
            assert!(Command::new(tool).arg(word).arg(&program).status().unwrap().success());
        }
        let mut command = room.command(&program);
        without_settings(&mut command);
        command.arg(&library_copy).env("IOGLASS_REGIONS", "1");
        assert_eq!(said(&command.output().unwrap()), expected);
    }
    fs::remove_file(program).unwrap();
    fs::remove_file(library_copy).unwrap();
    assert!(names(&room.folder, "ioprof").is_empty());
}
