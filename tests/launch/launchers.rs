//! Real launchers of MPI, and the variables of others.

use ioglass_log::Log;

use super::{check, mpirun, ranks, reports, run_ranks, shared, together};
use crate::lifecycle::recording::said;
use crate::lifecycle::room::Room;
use crate::support::ioglass;

const MPI: [&str; 2] = ["mpirun.openmpi", "mpirun.mpich"];

#[test]
fn mpirun_gives_one_log_and_one_report() {
    for launcher in MPI {
        for number in [2, 4] {
            let room = Room::new(&format!("launch-{launcher}-{number}"));
            let Some(mut command) = mpirun(&room, launcher, number) else { continue };
            command.arg(ioglass()).args(["run", "-o", "job.darshan", "--"]).arg(ranks());
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", said(&output));
            check(&room.folder.join("job.darshan"), &room, number.into(), &output);
            assert_eq!(reports(&output), 1, "{}", said(&output));
            assert!(!room.folder.join("job.darshan.parts").exists());
            room.check_nothing_left();
        }
    }
}

/// Around a launcher of programs without MPI the ranks are the launcher's, whatever it does to files itself.
#[test]
fn around_a_launcher() {
    for launcher in MPI {
        let room = Room::new(&format!("launch-around-{launcher}"));
        let Some(inner) = mpirun(&room, launcher, 4) else { continue };
        let words: Vec<_> = inner.get_args().map(ToOwned::to_owned).collect();
        let at = words.iter().position(|word| word == launcher).unwrap();
        let mut outer = room.command(ioglass());
        super::clean(&mut outer);
        outer.args([
            "run",
            "-o",
            "job.darshan",
            "--",
            "sh",
            "-c",
            "echo a > note; exec \"$@\"",
            "sh",
        ]);
        let output = outer.args(&words[at..]).arg(ranks()).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        check(&room.folder.join("job.darshan"), &room, 4, &output);
        let log = Log::open(room.folder.join("job.darshan")).unwrap();
        let note = crate::lifecycle::recording::counted(&log, &room.folder.join("note"));
        assert_eq!(note.into_keys().collect::<Vec<_>>(), [4], "{}", said(&output));
        room.check_nothing_left();
    }
}

/// Without a name the log is called after the program and the launch, once.
#[test]
fn the_usual_name_is_the_same_for_all() {
    for launcher in MPI {
        let room = Room::new(&format!("launch-name-{launcher}"));
        let Some(mut command) = mpirun(&room, launcher, 3) else { continue };
        let output =
            command.arg(ioglass()).args(["run", "-q", "--"]).arg(ranks()).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let entries = std::fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().path());
        let logs: Vec<_> =
            entries.filter(|path| path.to_string_lossy().contains(".darshan")).collect();
        assert_eq!(logs.len(), 1, "{logs:?}\n{}", said(&output));
        check(&logs[0], &room, 3, &output);
    }
}

/// Each command ends with the status of its own program.
#[test]
fn statuses_are_those_of_the_programs() {
    let room = Room::new("launch-status");
    let variables = ["RANK={}", "WORLD_SIZE=3", "MASTER_ADDR=localhost", "MASTER_PORT=29500"];
    let command = format!("sh -c '{}; echo {{}}=$? > status.$RANK'", run_ranks("fail 1"));
    let output = together(&room, &variables, &[0, 1, 2], &command);
    let status =
        |rank| std::fs::read_to_string(room.folder.join(format!("status.{rank}"))).unwrap();
    assert_eq!(
        [status(0), status(1), status(2)].map(|text| text.trim().replace("{}=", "")),
        ["0", "7", "0"]
    );
    check(&room.folder.join("job.darshan"), &room, 3, &output);
}

/// Slurm and torchrun are not here; what they give their processes is.
#[test]
fn variables_of_other_launchers() {
    for (name, variables) in [
        ("slurm", &["SLURM_PROCID={}", "SLURM_NTASKS=4", "SLURM_JOB_ID=77", "SLURM_STEP_ID=0"][..]),
        ("torch", &["RANK={}", "WORLD_SIZE=4", "TORCHELASTIC_RUN_ID=x", "MASTER_PORT=29500"]),
        ("pmix", &["PMIX_RANK={}", "RANK={}", "PMI_SIZE=4", "PMIX_NAMESPACE=job-5"]),
        // Nothing tells this launch from another but the process that started it.
        ("none", &["PMI_RANK={}", "PMI_SIZE=4"]),
    ] {
        let room = Room::new(&format!("launch-{name}"));
        let output = together(&room, variables, &[0, 1, 2, 3], &run_ranks(""));
        check(&room.folder.join("job.darshan"), &room, 4, &output);
        assert_eq!(reports(&output), 1, "{name}: {}", said(&output));
        room.check_nothing_left();
    }
}

/// Two launches at once into one directory do not mix.
#[test]
fn launches_are_told_apart() {
    let room = Room::new("launch-two");
    let both = ["a", "b"].map(|step| {
        let run = run_ranks("late 0").replace("job.darshan", &format!("{step}.darshan"));
        format!("for r in 0 1; do RANK=$r WORLD_SIZE=2 MASTER_PORT={step} {run} & done\n")
    });
    let mut shell = room.command("sh");
    super::clean(&mut shell);
    let output = shell.arg("-c").arg(format!("{}wait", both.concat())).output().unwrap();
    for step in ["a", "b"] {
        let log = Log::open(room.folder.join(format!("{step}.darshan"))).unwrap();
        assert_eq!(shared(&log, &room), super::of_all(2), "{}", said(&output));
    }
    room.check_nothing_left();
}

#[test]
fn alone_is_a_log_of_each_rank() {
    let room = Room::new("launch-alone");
    // Logs without a number belong together if they ran at the same time.
    let command = run_ranks("meet 2").replace("-o job.darshan", "--alone -o logs/");
    std::fs::create_dir(room.folder.join("logs")).unwrap();
    let output = together(&room, &["RANK={}", "WORLD_SIZE=2"], &[0, 1], &command);
    assert!(output.status.success(), "{}", said(&output));
    let logs = std::fs::read_dir(room.folder.join("logs")).unwrap();
    let logs: Vec<_> = logs.map(|entry| entry.unwrap().path()).collect();
    let ranks = logs.iter().flat_map(|log| shared(&Log::open(log).unwrap(), &room));
    assert_eq!(ranks.collect::<std::collections::BTreeMap<_, _>>(), super::of_all(2));
    assert_eq!(logs.len(), 2, "{}", said(&output));
    // No scheduler has given the job a number, and still they belong together.
    let mut merge = room.command(ioglass());
    merge.args(["merge", "-o", "all.darshan"]).args(logs);
    let output = merge.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let all = Log::open(room.folder.join("all.darshan")).unwrap();
    assert_eq!(shared(&all, &room), super::of_all(2), "{}", said(&output));
}

/// A run around the launcher and runs inside it: both logs have all ranks.
#[test]
fn inside_another_run() {
    for launcher in MPI {
        let room = Room::new(&format!("launch-inside-{launcher}"));
        let Some(inner) = mpirun(&room, launcher, 2) else { continue };
        let words: Vec<_> = inner.get_args().map(ToOwned::to_owned).collect();
        let at = words.iter().position(|word| word == launcher).unwrap();
        let mut outer = room.command(ioglass());
        super::clean(&mut outer);
        outer.args(["run", "-q", "-o", "outer.darshan", "--"]).args(&words[at..]);
        outer.arg(ioglass()).args(["run", "-q", "-o", "job.darshan", "--"]).arg(ranks());
        let output = outer.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        check(&room.folder.join("job.darshan"), &room, 2, &output);
        let outer = Log::open(room.folder.join("outer.darshan")).unwrap();
        let bytes: i64 = shared(&outer, &room).values().map(|(_, bytes)| bytes).sum();
        assert_eq!(bytes, 3000, "{}", said(&output));
        room.check_nothing_left();
    }
}

/// Ranks that run several programs one after the other, at their own pace: nothing is lost, and nothing
/// counts twice.
#[test]
fn one_run_after_the_other() {
    let room = Room::new("launch-rounds");
    let run = run_ranks("late $RANK").replace("-o job.darshan", "--no-report");
    let rounds = format!("sh -c '{run}; {run}; {run}'");
    let variables = ["RANK={}", "WORLD_SIZE=3", "MASTER_PORT=29500"];
    let output = together(&room, &variables, &[0, 1, 2], &rounds);
    let logs = || -> Vec<_> {
        let entries = std::fs::read_dir(&room.folder).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.to_string_lossy().contains(".darshan")).collect()
    };
    for parts in logs().iter().filter(|path| path.is_dir()) {
        room.command(ioglass()).arg("recover").arg(parts).output().unwrap();
    }
    let logs: Vec<Log> = logs().iter().map(|path| Log::open(path).unwrap()).collect();
    for rank in 0..3 {
        let written = logs.iter().filter_map(|log| shared(log, &room).remove(&rank));
        let bytes: i64 = written.map(|(_, bytes)| bytes).sum();
        assert_eq!(bytes, 3 * 1000 * (rank + 1), "rank {rank}\n{}", said(&output));
    }
    assert!(logs.len() <= 3, "{} logs\n{}", logs.len(), said(&output));
    room.check_nothing_left();
}
