//! However ranks end, what all of them did is in the log.

use std::fs;
use std::path::PathBuf;

use ioglass_log::{Log, mpiio};

use super::stack::{MPICH, OPEN_MPI, Stack};
use super::{folder, scratch};
use crate::record::run::{Mode, finish, under};
use crate::support::Rng;

const RANKS: u32 = 3;

/// Runs a program that ends in some way, and gives back the directory it worked in and its log.
fn run(stack: &Stack, source: &str, how: &str) -> (PathBuf, Log) {
    let label = format!("{source}-{how}-{}", stack.name);
    let place = scratch("mpi-endings").canonicalize().unwrap();
    let (own, log) = (place.join(&label), place.join(format!("{label}.darshan")));
    let _ = (fs::remove_dir_all(&own), fs::remove_file(&log));
    fs::create_dir_all(&own).unwrap();
    let program = stack.program(&folder().join("endings").join(source)).unwrap();
    let mut command = under(Mode::Run, &log);
    command.args(stack.launcher(RANKS)).args(program).arg(&own).arg(how).current_dir(&place);
    command.stdout(fs::File::create(place.join(format!("{label}.stdout"))).unwrap());
    command.stderr(fs::File::create(place.join(format!("{label}.stderr"))).unwrap());
    finish(command).unwrap();
    let log = Log::open(&log).unwrap_or_else(|problem| panic!("{label}: {problem}"));
    assert_eq!(log.job().nprocs, i64::from(RANKS), "{label}");
    (own, log)
}

/// Counters of the one file of all ranks.
fn written(stack: &Stack, how: &str) -> Vec<i64> {
    let (_, log) = run(stack, "endings.c", how);
    let mut records = log.records(&mpiio::MODULE).unwrap();
    let record = records.next().unwrap().unwrap_or_else(|| panic!("{how}: no record"));
    assert_eq!(record.base.rank, -1, "{how}");
    let found = [mpiio::COLL_OPENS, mpiio::INDEP_WRITES, mpiio::BYTES_WRITTEN];
    let found = found.map(|counter| record.int[counter]).to_vec();
    assert!(records.next().unwrap().is_none(), "{how}: more than one record");
    found
}

fn check(how: &str) {
    for stack in [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here()) {
        let ranks = i64::from(RANKS);
        assert_eq!(written(stack, how), [ranks, 10 * ranks, 1000 * ranks], "{how} {}", stack.name);
    }
}

#[test]
fn finished() {
    check("finished");
}

#[test]
fn left_without_an_end_of_mpi() {
    check("left");
}

#[test]
fn one_rank_aborts_all() {
    check("aborted");
}

#[test]
fn one_rank_is_killed() {
    check("killed");
}

/// What each rank has written until it was killed at any moment is in the log, but for the call it was in.
#[test]
fn a_rank_is_killed_at_any_moment() {
    const RUNS: usize = 20;
    let mut rng = Rng::new();
    for stack in [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here()) {
        for _ in 0..RUNS {
            let moment = (100 + rng.below(100_000)).to_string();
            let (own, log) = run(stack, "until_killed.c", &moment);
            let mut records = log.records(&mpiio::MODULE).unwrap();
            let mut ranks = 0;
            while let Some(record) = records.next().unwrap() {
                let rank = record.base.rank;
                let size = fs::metadata(own.join(format!("own.{rank}"))).unwrap().len() as i64;
                let (writes, bytes) =
                    (record.int[mpiio::INDEP_WRITES], record.int[mpiio::BYTES_WRITTEN]);
                let label = format!("{} {moment}: rank {rank} of {size} bytes", stack.name);
                assert_eq!(bytes, 100 * writes, "{label}");
                assert!((0..=100).contains(&(size - bytes)), "{label}: {bytes} are in the log");
                ranks += 1;
            }
            assert_eq!(ranks, RANKS, "{} {moment}", stack.name);
        }
    }
}
