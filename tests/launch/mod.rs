//! `ioglass run` under a launcher: however the commands of a launch come, go and die, there is one log
//! of all ranks, and one of them prints.

mod deaths;
mod failures;
mod launchers;
pub(crate) mod nodes;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ioglass_log::Log;

use crate::lifecycle::programs::program;
use crate::lifecycle::recording::{Written, counted, said};
use crate::lifecycle::room::Room;
use crate::support::{ioglass, missing};

/// The program that ranks run.
fn ranks() -> PathBuf {
    program("launch/ranks.c")
}

/// What the ranks have written to `shared`, by rank.
fn shared(log: &Log, room: &Room) -> BTreeMap<i64, Written> {
    counted(log, &room.folder.join("shared"))
}

/// What so many ranks write to `shared`.
fn of_all(ranks: i64) -> BTreeMap<i64, Written> {
    (0..ranks).map(|rank| (rank, (rank + 1, 1000 * (rank + 1)))).collect()
}

/// Fails unless the log has so many ranks and all they wrote.
#[track_caller]
fn check(log: &Path, room: &Room, ranks: i64, output: &Output) {
    let log = Log::open(log).unwrap_or_else(|problem| panic!("{problem}\n{}", said(output)));
    assert_eq!(log.job().nprocs, ranks, "{}", said(output));
    assert_eq!(log.job().metadata_value("ranks").as_deref(), Some("launcher"));
    assert_eq!(log.job().metadata_value("missing_ranks"), None, "{}", said(output));
    assert_eq!(shared(&log, room), of_all(ranks), "{}", said(output));
    for rank in 0..ranks {
        let own = counted(&log, &room.folder.join(format!("own.{rank}")));
        assert_eq!(own, BTreeMap::from([(rank, (1, 10 * (rank + 1)))]), "{}", said(output));
    }
}

/// A launcher of MPI, `mpirun.openmpi` or `mpirun.mpich`, with its usual arguments.
fn mpirun(room: &Room, name: &str, ranks: u32) -> Option<Command> {
    if !Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()) {
        missing("ranks of a launcher", Path::new(name));
        return None;
    }
    let mut command = room.command(name);
    clean(&mut command);
    if name.ends_with("openmpi") {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    command.arg("-n").arg(ranks.to_string());
    Some(command)
}

/// As if no scheduler and no launcher had started the tests.
fn clean(command: &mut Command) {
    let launchers = &ioglass_recorder::settings::LAUNCHERS;
    let names = launchers.iter().flat_map(|l| [l.rank].into_iter().chain(l.launch.iter().copied()));
    names.chain(["SLURM_JOBID", "JOB_ID", "PBS_JOBID"]).for_each(|name| {
        command.env_remove(name);
    });
}

/// Several commands at once in a room, each with a rank's variables; what all of them print.
fn together(room: &Room, variables: &[&str], ranks: &[u32], command: &str) -> Output {
    let mut shell = room.command("sh");
    clean(&mut shell);
    let sets: Vec<String> = ranks
        .iter()
        .map(|rank| {
            let own = variables.iter().map(|variable| variable.replace("{}", &rank.to_string()));
            format!("env {} {command} &\n", own.collect::<Vec<_>>().join(" "))
        })
        .collect();
    shell.arg("-c").arg(format!("{}wait", sets.concat())).output().unwrap()
}

/// `ioglass run -o job.darshan -- ranks …` as a shell takes it.
fn run_ranks(arguments: &str) -> String {
    format!("{} run -o job.darshan -- {} {arguments}", ioglass().display(), ranks().display())
}

/// How often a report was printed.
fn reports(output: &Output) -> usize {
    String::from_utf8_lossy(&output.stderr).matches("ioglass report -v").count()
}
