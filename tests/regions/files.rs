//! The files of a profile: several of them, snapshots, and what is left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ioglass_profile::{Reader, Set, State};

use super::alone::{Stage, Way};
use super::seen::{Seen, annotated, read, tree};
use crate::launch::nodes::{node, on_nodes};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::{log_path, run, said};
use crate::lifecycle::room::{Room, is_root};
use crate::mpi::stack::OPEN_MPI;
use crate::support::{ioglass, missing};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);

/// Waits until `look` finds something.
#[track_caller]
fn wait<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < LONG, "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn profile_path(room: &Room) -> PathBuf {
    log_path(room).with_extension("ioprof")
}

/// The files of a room that end like profiles.
fn profiles(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".ioprof")).collect();
    names.sort();
    names
}

#[test]
fn ranks_share_files() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let room = Room::new("regions-files");
    let see = |options: &[&str], variable: Option<&str>| -> Set {
        let mut all = vec!["--no-report"];
        all.extend_from_slice(options);
        let program = OPEN_MPI.program(&source("regions/ranks.c")).unwrap();
        let mut command = run(&room, &all, OPEN_MPI.launcher(3).into_iter().chain(program));
        command.envs(variable.map(|value| ("IOGLASS_PROFILE_FILES", value)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let (mut sets, errors) = Set::open(&[profile_path(&room)]);
        assert!(errors.is_empty() && sets.len() == 1);
        sets.remove(0)
    };
    let expected = ["after 3", "main 3", "main > alone 1", "main > dump 3", "main > step 9"];
    let setting = |set: &Set| set.profile().notices.iter().any(|n| n.code.word() == "setting");
    for (options, variable, files, is_told) in [
        (&[][..], None, 1, false),
        (&["--profile-files", "2"], None, 2, false),
        (&[], Some("7"), 3, false),
        (&["--profile-files", "2"], Some("3"), 2, false),
        (&["--profile-files", "0"], None, 1, false),
        (&[], Some("2"), 2, false),
        (&[], Some("many"), 1, true),
        (&[], Some("0"), 1, true),
    ] {
        let set = see(options, variable);
        let whole = set.whole();
        assert!(set.take_problems().is_empty());
        assert_eq!(tree(&whole, |_| true), expected, "{options:?} {variable:?}");
        assert_eq!((set.paths().count(), setting(&set)), (files, is_told), "{variable:?}");
        assert_eq!(whole.processes.iter().map(|p| p.rank).collect::<Vec<_>>(), [0, 1, 2]);
        // Nothing of a run with more files is left.
        let mut names = vec!["job.ioprof".to_owned()];
        if files > 1 {
            names.extend((0..files).map(|number| format!("job.{number}.ioprof")));
        }
        names.sort();
        assert_eq!(profiles(&room.folder), names, "{options:?} {variable:?}");
    }
    // Each file is readable by itself.
    see(&["--profile-files", "2"], None);
    let second = read(&room.folder.join("job.1.ioprof"));
    assert_eq!(second.processes.iter().map(|p| p.rank).collect::<Vec<_>>(), [1, 2]);
    assert!(tree(&second, |_| true).contains(&"main > step 7".to_owned()));
    room.check_nothing_left();
}

/// A run whose program waits in a region.
fn waiting(room: &Room, options: &[&str]) -> Child {
    let mut all = vec!["--no-report"];
    all.extend_from_slice(options);
    let mut command = run(room, &all, [annotated("regions/waits.c")]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn snapshot(room: &Room) -> Seen {
    let profile = wait(|| {
        let (profile, problems) = Reader::open(&profile_path(room)).ok()?.whole();
        assert!(problems.is_empty(), "a file appears whole: {problems:?}");
        Some(profile).filter(|profile| profile.head.state == State::Running)
    });
    Seen { output: std::process::Command::new("true").output().unwrap(), profile }
}

#[test]
fn snapshots_show_a_run_that_goes_on() {
    for options in [&["--snapshot", "0.02"][..], &["--snapshot", "0.02", "--no-record"]] {
        let room = Room::new("regions-snapshots");
        let mut child = waiting(&room, options);
        let seen = snapshot(&room);
        assert_eq!(seen.tree(), ["main 1 +1", "main > waits 1 +1"]);
        let first = seen.row("main").time_ns;
        // It is replaced by a later one.
        wait(|| (snapshot(&room).row("main").time_ns > first).then_some(()));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        let profile = read(&profile_path(&room));
        assert_eq!(profile.head.state, State::Complete);
        assert_eq!(tree(&profile, |_| true), ["main 1", "main > waits 1"]);
        assert_eq!(profiles(&room.folder), ["job.ioprof"]);
        room.check_nothing_left();
    }
}

#[test]
fn a_snapshot_replaces_no_other_profile() {
    let room = Room::new("regions-snapshots-named");
    let program = annotated("regions/waits.c");
    let mut names = Vec::new();
    for round in 0..2 {
        let mut command = room.command(ioglass());
        command.args(["run", "--no-report", "--snapshot", "0.02", "--"]).arg(&program);
        command.env("SLURM_JOB_ID", "77").env_remove("SLURM_PROCID");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait(|| (profiles(&room.folder).len() > round).then_some(()));
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        names = profiles(&room.folder);
        assert_eq!(names.len(), round + 1, "{names:?}");
    }
    for name in names {
        assert_eq!(read(&room.folder.join(name)).head.state, State::Complete);
    }
}

#[test]
fn a_killed_run_has_a_profile() {
    let room = Room::new("regions-recovered");
    let mut child = waiting(&room, &["--snapshot", "0.02"]);
    snapshot(&room);
    // The command first, so that nobody makes a log; then its program ends.
    child.kill().unwrap();
    drop(child.stdin.take());
    child.wait().unwrap();
    wait(|| {
        let output = room.command(ioglass()).args(["profile", "recover"]).output();
        let profile = read(&profile_path(&room));
        let is_whole = profile.processes.iter().all(|p| p.ending.word() == "exit");
        assert_eq!(profile.head.state, State::Recovered, "{}", said(&output.unwrap()));
        is_whole.then_some(())
    });
    assert_eq!(tree(&read(&profile_path(&room)), |_| true), ["main 1", "main > waits 1"]);
    // The log can still be made.
    let recover = room.command(ioglass()).arg("recover").output().unwrap();
    assert!(recover.status.success() && log_path(&room).exists(), "{}", said(&recover));
    room.check_nothing_left();
}

#[test]
fn a_profile_is_written_through_links() {
    let room = Room::new("regions-links");
    fs::create_dir(room.folder.join("there")).unwrap();
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, room.folder.join(name)).unwrap();
    };
    link("there/real.ioprof", "direct.ioprof");
    link("direct.ioprof", "twice.ioprof");
    link("gone/real.ioprof", "nowhere.ioprof");
    link("loop.ioprof", "loop.ioprof");
    let see = |name: &str| {
        let program = annotated("regions/scenes.c").into_os_string();
        let words = [program, "iterations".into(), "3".into()];
        let output = run(&room, &["--no-report", "--profile", name], words).output().unwrap();
        let is_link = room.folder.join(name).symlink_metadata().unwrap().is_symlink();
        assert!(is_link, "{name}: {}", said(&output));
        (output.status.code(), said(&output))
    };
    let real = room.folder.join("there/real.ioprof");
    // The first time the links lead to no file.
    for name in ["twice.ioprof", "direct.ioprof", "twice.ioprof"] {
        let (code, words) = see(name);
        assert_eq!(code, Some(0), "{words}");
        assert_eq!(tree(&read(&real), |_| true), ["main 1", "main > step 3"]);
        fs::remove_file(&real).unwrap();
    }
    for (name, reason) in [("nowhere.ioprof", "gone does not exist"), ("loop.ioprof", "symbolic")] {
        let (code, words) = see(name);
        assert!(code != Some(0) && words.contains(reason), "{words}");
    }
    room.check_nothing_left();
}

#[test]
fn a_profile_that_is_elsewhere_is_called_one() {
    let room = Room::new("regions-elsewhere");
    fs::create_dir(room.folder.join("gone")).unwrap();
    let scenes = annotated("regions/scenes.c");
    let script = format!("rmdir gone; exec {} iterations 3", scenes.display());
    let options = ["--no-report", "--profile", "gone/x.ioprof"];
    let output = run(&room, &options, ["sh", "-c", &script]).output().unwrap();
    let words = said(&output);
    assert!(words.contains("; the profile is ") && !words.contains("the log is"), "{words}");
    assert_eq!(tree(&read(&profile_path(&room)), |_| true), ["main 1", "main > step 3"]);
}

#[test]
fn files_and_folders_are_recovered() {
    let room = Room::new("regions-recover-files");
    let mut child = waiting(&room, &[]);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let recover = |words: &[&str]| {
        let output = room.command(ioglass()).args(["profile", "recover"]).args(words).output();
        let output = output.unwrap();
        (output.status.code(), said(&output))
    };
    let (code, words) = recover(&["job.ioprof"]);
    assert_eq!(code, Some(3), "{words}");
    assert!(words.contains("is not damaged"), "{words}");
    let bytes = fs::read(profile_path(&room)).unwrap();
    fs::write(room.folder.join("cut.ioprof"), &bytes[..bytes.len() - 20]).unwrap();
    assert_eq!(recover(&["cut.ioprof"]).0, Some(0));
    let sound = read(&room.folder.join("cut_recovered.ioprof"));
    assert_eq!(sound.head.state, State::Recovered);
    assert!(sound.regions.iter().any(|region| region.name == b"waits"));
    // Rows are lost, their totals are not.
    assert!(sound.regions.iter().all(|region| region.rows.is_empty()));
    let totals = |path: &Path| Reader::open(path).unwrap().summaries().unwrap().to_vec();
    assert_eq!(totals(&room.folder.join("cut_recovered.ioprof")), totals(&profile_path(&room)));
    let folder = room.folder.join("job.snapshot");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("0.ioprof"), &bytes).unwrap();
    let (code, words) = recover(&["job.snapshot", "-o", "whole.ioprof"]);
    assert_eq!(code, Some(0), "{words}");
    let whole = read(&room.folder.join("whole.ioprof"));
    assert_eq!(tree(&whole, |_| true), ["main 1", "main > waits 1"]);
    // Beside it stands a profile, which is not replaced.
    assert_eq!(recover(&["job.snapshot"]).0, Some(0));
    assert!(room.folder.join("job_recovered.ioprof").exists());
    for (words, code) in [
        (&["nothing.ioprof"][..], 3),
        (&["job.darshan"], 3),
        (&["cut.ioprof", "job.snapshot", "-o", "one.ioprof"], 0),
        (&["cut.ioprof", "-o", "no/such/folder.ioprof"], 5),
    ] {
        let (found, said) = recover(words);
        assert_eq!(found, Some(code), "{words:?}: {said}");
    }
}

/// As ranks of one launch: their profiles would have one name.
#[test]
fn killed_processes_with_one_number_keep_their_profiles() {
    let stage = Stage::new("regions-recover-same");
    if !stage.room.is_private() {
        return missing("captures of one's own", Path::new("the right to unshare(1) mounts"));
    }
    let folder = &stage.room.folder;
    let kill = || stage.act(Way::Preloaded, &["SLURM_JOB_ID=77"], &["ends", "kill"]);
    let recover = |command: &[&str], words: &[&str]| {
        let output = stage.room.command(ioglass()).args(command).args(words).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    };
    // The processes whose profiles are in a folder, each once.
    let pids = |folder: &Path| {
        let names = profiles(folder);
        let profiles = names.iter().map(|name| read(&folder.join(name)));
        let mut pids: Vec<u64> = profiles.map(|profile| profile.processes[0].pid).collect();
        pids.sort_unstable();
        pids.dedup();
        assert_eq!(pids.len(), names.len(), "{names:?}");
        pids
    };
    kill();
    kill();
    let recover_profiles = |words: &[&str]| recover(&["profile", "recover"], words);
    recover_profiles(&[]);
    let both = pids(folder);
    assert_eq!(both.len(), 2);
    // Once more they are the same files.
    recover_profiles(&[]);
    assert_eq!(pids(folder), both);
    // A third process comes later, and one by one into a folder.
    kill();
    recover_profiles(&[]);
    let all = pids(folder);
    assert_eq!(all.len(), 3);
    fs::create_dir(folder.join("rec")).unwrap();
    let memory =
        |path: &Path| path.to_str().unwrap().rsplit_once("/root/dev/shm").unwrap().1.into();
    let captures = stage.room.captures();
    let is_capture = |path: &&PathBuf| path.extension().is_some_and(|end| end == "capture");
    let captures: Vec<String> =
        captures.iter().filter(is_capture).map(|path| memory(path)).collect();
    assert_eq!(captures.len(), 3);
    for capture in &captures {
        recover_profiles(&[&format!("/dev/shm{capture}"), "-o", "rec"]);
    }
    assert_eq!(pids(&folder.join("rec")), all);
    // A file that is named is replaced, any other is not.
    let name = &profiles(folder)[0];
    fs::write(folder.join(name), "precious").unwrap();
    recover_profiles(&[&format!("/dev/shm{}", captures[0]), "-o", "rec/one.ioprof"]);
    recover_profiles(&[&format!("/dev/shm{}", captures[1]), "-o", "rec/one.ioprof"]);
    recover(&["recover"], &[]);
    assert_eq!(fs::read(folder.join(name)).unwrap(), b"precious");
    fs::remove_file(folder.join(name)).unwrap();
    assert_eq!(pids(folder), all);
    stage.room.check_nothing_left();
}

#[test]
fn nodes_have_one_profile() {
    if !is_root() {
        return missing("root", Path::new("unshare"));
    }
    for options in ["", "--no-record"] {
        let room = Room::new(&format!("regions-nodes{options}"));
        let program = annotated("regions/phase.c");
        let command = format!(
            "{} run --no-report {options} -o job.darshan -- {} out.$r",
            ioglass().display(),
            program.display()
        );
        let mut trees = Vec::new();
        for nodes in [&[("alpha", "0 1 2 3")][..], &[("alpha", "0 2"), ("beta", "3 1")]] {
            let shells: Vec<String> =
                nodes.iter().map(|(name, ranks)| node(name, ranks, &command)).collect();
            let output = on_nodes(&room, &shells);
            let profile = read(&profile_path(&room));
            assert_eq!(profiles(&room.folder), ["job.ioprof"], "{}", said(&output));
            assert!(!room.folder.join("job.darshan.parts").exists());
            assert_eq!(log_path(&room).exists(), options.is_empty(), "{}", said(&output));
            let ranks: Vec<u32> = profile.processes.iter().map(|p| p.rank).collect();
            let head = &profile.head;
            assert_eq!((head.ranks, head.state, head.job), (4, State::Complete, 77));
            let hosts = profile.processes.iter().map(|process| process.host.clone());
            let hosts: std::collections::BTreeSet<_> = hosts.collect();
            assert_eq!(hosts.len(), nodes.len());
            trees.push((tree(&profile, |_| true), ranks, head.rank_kind, profile.outside.len()));
            let _ = fs::remove_file(log_path(&room));
        }
        assert_eq!(trees[0], trees[1]);
        assert!(trees[0].0.contains(&"main 8".to_owned()), "{trees:?}");
    }
}

#[test]
fn parts_of_nodes_are_recovered() {
    if !is_root() {
        return missing("root", Path::new("unshare"));
    }
    let room = Room::new("regions-nodes-dead");
    let program = annotated("regions/phase.c");
    let command = format!(
        "{} run --no-report -o job.darshan -- {} out.$r",
        ioglass().display(),
        program.display()
    );
    on_nodes(&room, &[node("alpha", "0 1", &command)]);
    assert!(profiles(&room.folder).is_empty());
    let parts = room.folder.join("job.darshan.parts");
    let recover = room.command(ioglass()).arg("recover").arg(&parts).output().unwrap();
    assert!(recover.status.success() && log_path(&room).exists(), "{}", said(&recover));
    let profile = read(&profile_path(&room));
    assert_eq!((profile.head.ranks, profile.head.state), (4, State::Recovered));
    assert!(tree(&profile, |_| true).contains(&"main 4".to_owned()));
    assert!(!parts.exists());
}
