//! Ranks that fail, each under an `ioglass run` of its own: launchers kill the rest, and still there is
//! one log of all, one report, and the status there would have been.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use ioglass_log::{Log, mpiio};

use super::{clean, reports};
use crate::lifecycle::recording::said;
use crate::lifecycle::room::Room;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::ioglass;

const RANKS: u32 = 4;
/// What is random: which of them dies first.
const ROUNDS: usize = 3;

/// `mpirun … endings DIRECTORY HOW`, with `recorder` before the program.
fn launch(room: &Room, stack: &Stack, recorder: &[&str], how: &str) -> Output {
    launch_program(room, (stack, RANKS), recorder, ("endings.c", how))
}

fn launch_program(
    room: &Room,
    (stack, ranks): (&Stack, u32),
    recorder: &[&str],
    (source, how): (&str, &str),
) -> Output {
    let source = crate::support::root().join("tests/programs/mpi/endings").join(source);
    let words = stack.launcher(ranks);
    let mut command: Command = room.command(&words[0]);
    clean(&mut command);
    command.args(&words[1..]).args(recorder).args(stack.program(&source).unwrap());
    // Its end is that of the last who has its standard error, which the keeper is among.
    command.arg(&room.folder).arg(how).output().unwrap()
}

fn logs(room: &Room) -> Vec<PathBuf> {
    let entries = fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.to_string_lossy().contains("darshan")).collect()
}

fn check(how: &str, statuses: &[(&Stack, &[i32])]) {
    let command = ioglass().to_string_lossy().into_owned();
    let recorder = [&command, "run", "-o", "job.darshan", "--"];
    for (stack, statuses) in statuses.iter().filter(|(stack, _)| stack.is_here()) {
        for round in 0..ROUNDS {
            let label = format!("launch-{how}-{}-{round}", stack.name);
            let room = Room::new(&label);
            let output = launch(&room, stack, &recorder, how);
            let label = format!("{label}: {}", said(&output));
            assert!(statuses.contains(&output.status.code().unwrap()), "{label}");
            assert_eq!(logs(&room), [room.folder.join("job.darshan")], "{label}");
            assert_eq!(reports(&output), 1, "{label}");
            let log = Log::open(room.folder.join("job.darshan")).unwrap();
            assert_eq!(log.job().nprocs, i64::from(RANKS), "{label}");
            let mut records = log.records(&mpiio::MODULE).unwrap();
            let record = records.next().unwrap().expect("a record");
            let found = [mpiio::COLL_OPENS, mpiio::INDEP_WRITES, mpiio::BYTES_WRITTEN];
            let ranks = i64::from(RANKS);
            assert_eq!(record.base.rank, -1, "{label}");
            assert_eq!(
                found.map(|counter| record.int[counter]),
                [ranks, 10 * ranks, 1000 * ranks],
                "{label}"
            );
            room.check_nothing_left();
        }
    }
}

#[test]
fn all_ranks_fail() {
    check("failed", &[(&OPEN_MPI, &[7]), (&MPICH, &[7])]);
}

/// MPICH's launcher kills who is left after the first has gone, so that without a recorder, too, its status
/// is one or the other.
#[test]
fn ranks_never_end_mpi() {
    check("left", &[(&OPEN_MPI, &[0, 1]), (&MPICH, &[0, 9])]);
}

#[test]
fn a_rank_aborts() {
    check("aborted", &[(&OPEN_MPI, &[3]), (&MPICH, &[3])]);
}

#[test]
fn a_rank_is_killed() {
    check("killed", &[(&OPEN_MPI, &[137]), (&MPICH, &[9])]);
}

/// All ranks, their commands and the launcher are killed at once; the keeper is in none of their groups.
#[test]
fn everybody_is_killed() {
    for stack in [&OPEN_MPI, &MPICH].into_iter().filter(|stack| stack.is_here()) {
        let room = Room::new(&format!("launch-all-killed-{}", stack.name));
        let command = ioglass().to_string_lossy().into_owned();
        let recorder = ["sh", "-c", KILLER, &command];
        let output = launch(&room, stack, &recorder, "stay");
        let log = Log::open(room.folder.join("job.darshan"));
        let log = log.unwrap_or_else(|problem| panic!("{problem}: {}", said(&output)));
        assert_eq!(log.job().nprocs, i64::from(RANKS), "{}", said(&output));
        assert_eq!(reports(&output), 1, "{}", said(&output));
        // Open MPI leaves its own there.
        let left = room.captures();
        assert!(!left.iter().any(|path| path.to_string_lossy().contains("ioglass")), "{left:?}");
    }
}

/// One rank kills the launcher as soon as all have written.
const KILLER: &str = r#"
if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ]; then
    (
        while [ "$(stat -c %s data 2>/dev/null)" != 4000 ]; do sleep 0.05; done
        sleep 0.2
        parent=$PPID
        case $(cat /proc/$parent/comm) in hydra*) parent=$(awk '{print $4}' /proc/$parent/stat);; esac
        kill -KILL $parent
    ) &
fi
exec "$0" run -o job.darshan -- "$@"
"#;

/// Programs that ranks start by MPI are children of the launcher, which knows nothing of us. MPICH has no
/// hint for that.
#[test]
fn programs_that_mpi_starts() {
    if !OPEN_MPI.is_here() {
        return;
    }
    let command = ioglass().to_string_lossy().into_owned();
    let recorder = [&command, "run", "-o", "job.darshan", "--"];
    for how in ["one", "multiple"] {
        let room = Room::new(&format!("launch-spawn-{how}"));
        let output = launch_program(&room, (&OPEN_MPI, 2), &recorder, ("spawn.c", how));
        assert!(output.status.success(), "{}", said(&output));
        let log = Log::open(room.folder.join("job.darshan")).unwrap();
        assert_eq!(log.job().nprocs, 2, "{}", said(&output));
        for file in ["first", "second"] {
            let id = ioglass_log::record_id(room.folder.join(file).as_os_str().as_bytes());
            let mut bytes = 0;
            let mut records = log.records(&mpiio::MODULE).unwrap();
            while let Some(record) = records.next().unwrap() {
                let is_it = record.base.id == id;
                bytes += if is_it { record.int[mpiio::BYTES_WRITTEN] } else { 0 };
            }
            assert_eq!(bytes, 20, "{how} {file}: {}", said(&output));
        }
        room.check_nothing_left();
    }
}
