//! Several nodes that share nothing but the directory of the log: machines with names and shared
//! memory of their own, in namespaces.

use std::process::{Output, Stdio};

use ioglass_log::{Heatmap, Log};

use super::{check, clean, reports, run_ranks, shared};
use crate::lifecycle::recording::said;
use crate::lifecycle::room::{Room, is_root};
use crate::support::ioglass;

/// A shell that starts these ranks on a node of its own, as Slurm would.
pub(crate) fn node(name: &str, ranks: &str, command: &str) -> String {
    format!(
        "unshare --uts --mount sh -c 'hostname {name}; mount -t tmpfs tmpfs /dev/shm; \
         for r in {ranks}; do SLURM_PROCID=$r {command} & done; wait; \
         find /dev/shm -name \"*.capture\"' &\n"
    )
}

/// Runs nodes together, as one job of four ranks.
pub(crate) fn on_nodes(room: &Room, nodes: &[String]) -> Output {
    let mut shell = room.command("sh");
    clean(&mut shell);
    let job = "export SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_NTASKS=4\n";
    shell.arg("-c").arg(format!("{job}{}wait", nodes.concat()));
    shell.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn the_last_node_makes_the_log() {
    if !is_root() {
        return;
    }
    // Whichever node is last, and however ranks are spread.
    for (name, late, spread) in [
        ("first", "late 0", ["0 1", "2 3"]),
        ("second", "late 3", ["0 1", "2 3"]),
        ("mixed", "late 2", ["0 2", "3 1"]),
    ] {
        let room = Room::new(&format!("nodes-{name}"));
        let nodes =
            [node("alpha", spread[0], &run_ranks(late)), node("beta", spread[1], &run_ranks(late))];
        let output = on_nodes(&room, &nodes);
        check(&room.folder.join("job.darshan"), &room, 4, &output);
        assert_eq!(reports(&output), 1, "{}", said(&output));
        assert!(output.stdout.is_empty(), "left in shared memory: {}", said(&output));
        assert!(!room.folder.join("job.darshan.parts").exists(), "{}", said(&output));
        let log = Log::open(room.folder.join("job.darshan")).unwrap();
        assert_eq!(log.job().jobid, 77);
        let hosts: Vec<String> = crate::merge::hosts(&log).into_iter().collect();
        assert_eq!(hosts, ["alpha", "beta"], "{}", said(&output));
        let maps = log.special::<Heatmap>().unwrap().map(Result::unwrap);
        let bytes: i64 = maps.flat_map(|map| map.writes).sum();
        assert_eq!(bytes, 10_000 + 100);
    }
}

/// A node that dies leaves a job without a log; what the others did is in parts.
#[test]
fn a_node_that_never_ends() {
    if !is_root() {
        return;
    }
    let room = Room::new("nodes-dead");
    let output = on_nodes(&room, &[node("alpha", "0 1", &run_ranks(""))]);
    let parts = room.folder.join("job.darshan.parts");
    assert!(parts.exists() && !room.folder.join("job.darshan").exists(), "{}", said(&output));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("2 of 4 ranks") && words.contains("ioglass recover"), "{words}");
    assert_eq!(reports(&output), 0, "{words}");
    let recover = room.command(ioglass()).arg("recover").arg(&parts).output().unwrap();
    assert!(recover.status.success(), "{}", said(&recover));
    let log = Log::open(room.folder.join("job.darshan")).unwrap();
    assert_eq!(log.job().nprocs, 4, "as the launcher promised");
    assert_eq!(shared(&log, &room), super::of_all(2));
    assert!(!parts.exists());
}

/// Many nodes that end at the same moment: one of them merges, once.
#[test]
fn one_claims_the_parts() {
    if !is_root() {
        return;
    }
    for round in 0..5 {
        let room = Room::new(&format!("nodes-claim-{round}"));
        let nodes: Vec<String> =
            (0..4).map(|n| node(&format!("n{n}"), &n.to_string(), &run_ranks(""))).collect();
        let output = on_nodes(&room, &nodes);
        check(&room.folder.join("job.darshan"), &room, 4, &output);
        assert_eq!(reports(&output), 1, "{}", said(&output));
        let entries = std::fs::read_dir(&room.folder).unwrap().flatten();
        let logs = entries.filter(|e| e.file_name().to_string_lossy().contains("darshan")).count();
        assert_eq!(logs, 1, "{}", said(&output));
    }
}
