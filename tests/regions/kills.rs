//! Ranks are killed at random moments: what they had told before is in the profile.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use ioglass_profile::Profile;

use super::ranks::{Way, command};
use super::seen::{path, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::log_path;
use crate::lifecycle::room::Room;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::Rng;

const RANKS: u32 = 3;
const KILLS: usize = 20;
/// Bytes of what a rank tells.
const LINE: usize = 32;
/// Told when the launcher has ended.
const END: [u8; LINE] = [b'-'; LINE];

#[test]
fn ranks_of_open_mpi_are_killed() {
    kill_ranks(&OPEN_MPI);
}

#[test]
fn ranks_of_mpich_are_killed() {
    kill_ranks(&MPICH);
}

fn kill_ranks(stack: &Stack) {
    if !stack.is_here() {
        return;
    }
    let room = Room::new(&format!("regions-kills-{}", stack.name));
    let mut random = Rng::new();
    for number in 0..KILLS {
        let way = if number % 2 == 0 { Way::Outside } else { Way::Inside };
        let (victim, steps) = (random.below(RANKS as usize) as u32, 1 + random.below(300));
        let what = format!("{} {way:?}: rank {victim} after {steps} steps", stack.name);
        let told = tell_and_kill(&room, stack, way, victim, steps);
        let profile = read(&log_path(&room).with_extension("ioprof"));
        for (rank, steps) in told {
            for region in ["main > step", "main > step > solve", "main > step > solve > other"] {
                let calls = calls(&profile, rank, region);
                assert!(calls >= steps, "{what}: {calls} of {steps} calls of {region} on {rank}");
            }
            let inner = calls(&profile, rank, "main > step > solve > inner");
            assert!(inner >= 20 * steps, "{what}: {inner} of {steps} × 20 inner calls on {rank}");
        }
    }
}

/// Calls of a region on a rank.
fn calls(profile: &Profile, rank: u32, wanted: &str) -> u64 {
    let region = (0..profile.regions.len()).find(|at| path(profile, *at) == wanted);
    let rows = region.map_or(&[][..], |at| &profile.regions[at].rows);
    let of_rank = |process: u32| profile.processes[process as usize].rank == rank;
    rows.iter().filter(|row| of_rank(row.process)).map(|row| row.calls).sum()
}

/// Runs ranks and kills one when it has told that it has ended so many steps. Returns what each rank
/// has told.
fn tell_and_kill(
    room: &Room,
    stack: &Stack,
    way: Way,
    victim: u32,
    steps: usize,
) -> BTreeMap<u32, u64> {
    let pipe = room.folder.join("pipe");
    if !pipe.exists() {
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    }
    let _ = fs::remove_file(log_path(room).with_extension("ioprof"));
    // With both ends open neither side waits for the other.
    let mut told = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let program = stack.program(&source("regions/told.c")).unwrap();
    let words = program.into_iter().chain([pipe.into_os_string()]);
    let mut command = command(room, stack, way, RANKS, &["--no-report"], words);
    // Whoever makes the profile, perhaps after the launcher has ended, has its standard error.
    let launch = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut end = told.try_clone().unwrap();
    let waiter = thread::spawn(move || {
        let output = launch.wait_with_output().unwrap();
        end.write_all(&END).unwrap();
        output
    });
    let mut last: BTreeMap<u32, u64> = BTreeMap::new();
    let mut line = [0; LINE];
    let mut is_killed = false;
    loop {
        told.read_exact(&mut line).unwrap();
        if line == END {
            break;
        }
        let text = str::from_utf8(&line).unwrap();
        let mut numbers = text.split_whitespace().map(|word| word.parse::<u64>().unwrap());
        let [rank, pid, step] = [(); 3].map(|()| numbers.next().unwrap());
        last.insert(rank as u32, step);
        if rank as u32 == victim && step as usize >= steps && !is_killed {
            is_killed = true;
            assert!(
                Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success()
            );
        }
    }
    let output = waiter.join().unwrap();
    assert!(is_killed && !output.status.success(), "{output:?}");
    last
}
