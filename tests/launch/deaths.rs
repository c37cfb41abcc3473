//! Ranks that are killed together with their `ioglass run`.

use std::time::Duration;

use ioglass_log::Log;

use super::{mpirun, ranks, run_ranks, shared, together};
use crate::lifecycle::recording::said;
use crate::lifecycle::room::Room;
use crate::support::ioglass;

/// Nobody else is killed here, and the last one to end has all of them in its log.
#[test]
fn one_of_several_is_killed() {
    for victim in 0..3 {
        let room = Room::new(&format!("launch-killed-{victim}"));
        let variables = ["RANK={}", "WORLD_SIZE=3", "MASTER_PORT=29500"];
        // The others live until the victim is dead.
        let command = format!(
            "sh -c '{}; [ $RANK = {victim} ] || sleep 0.3'",
            run_ranks(&format!("kill {victim}"))
        );
        let output = together(&room, &variables, &[0, 1, 2], &command);
        let recover = room.command(ioglass()).arg("recover").output().unwrap();
        assert!(recover.status.success(), "{}", said(&recover));
        let log = Log::open(room.folder.join("job.darshan"))
            .unwrap_or_else(|problem| panic!("{problem}\n{}\n{}", said(&output), said(&recover)));
        assert_eq!(shared(&log, &room), super::of_all(3), "{}", said(&output));
        room.check_nothing_left();
    }
}

/// Launchers kill the others then, some at once and without warning: `ioglass recover` has what
/// they did, also those that were never started.
#[test]
fn a_launcher_that_kills_the_rest() {
    for launcher in ["mpirun.openmpi", "mpirun.mpich"] {
        for victim in 0..4 {
            let room = Room::new(&format!("launch-{launcher}-killed-{victim}"));
            let Some(mut command) = mpirun(&room, launcher, 4) else { continue };
            command.arg(ioglass()).args(["run", "-o", "job.darshan", "--"]).arg(ranks());
            let output = command.args(["kill", &victim.to_string()]).output().unwrap();
            assert!(!output.status.success(), "{}", said(&output));
            // Some of them may still be at it.
            let mut first = room.command(ioglass()).arg("recover").output().unwrap();
            for _ in 0..200 {
                if room.captures().is_empty() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(25));
                first = room.command(ioglass()).arg("recover").output().unwrap();
            }
            // Ranks that never came to be leave their launch incomplete.
            let parts = room.folder.join("job.darshan.parts");
            if parts.exists() {
                room.command(ioglass()).arg("recover").arg(parts).output().unwrap();
            }
            let log = Log::open(room.folder.join("job.darshan"))
                .unwrap_or_else(|problem| panic!("{problem}\n{}\n{}", said(&output), said(&first)));
            let found = shared(&log, &room);
            // What is on disk was written by ranks that the log must have.
            for rank in 0..4 {
                let is_there = room.folder.join(format!("own.{rank}")).exists();
                let expected = is_there.then_some((rank + 1, 1000 * (rank + 1)));
                if is_there {
                    assert_eq!(
                        found.get(&rank).copied(),
                        expected,
                        "rank {rank}\n{}",
                        said(&output)
                    );
                }
            }
            assert!(found.contains_key(&victim), "{}", said(&output));
            room.check_nothing_left();
        }
    }
}
