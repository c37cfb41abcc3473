//! Searches whose runs are jobs of a real cluster.
//!
//! What happens at the same time is proven by files that programs wait for, never by times.

mod cluster;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::command::wait_for;
use super::{empty, journal, names, run, script, tune};
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::{DEFAULT_SIGNALS, root};
use cluster::{Cluster, cluster};

/// What a search without a log and without a proof needs.
const SHORT: [&str; 8] =
    ["--objective", "output:took (.)", "--check", "off", "--confirm", "0", "--cut", "0"];

/// A program whose runs with the values b and c wait for a file, and write lines when they begin and end.
const WAITS: &str = "#!/bin/sh\necho begin $2 >> runs\ncase $2 in\nb|c)\n  echo $$ > pid-$2.new\n  mv pid-$2.new \
                     pid-$2\n  while ! test -e go; do sleep 0.05; done;;\nesac\necho end $2 >> runs\necho \
                     took 1\n";

/// `ioglass tune --runner slurm` in a folder.
fn search(cluster: &Cluster, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tune(folder, &[&["--runner", "slurm"][..], arguments].concat());
    cluster.give(&mut command);
    command
}

/// The same with values of v for a program, without a proof.
fn short(cluster: &Cluster, folder: &Path, more: &[&str], values: &str) -> Command {
    let values = format!("v={values}");
    let words = ["--param", &values, "--", "./program", "{trial_dir}", "{v}"];
    search(cluster, folder, &[&SHORT[..], more, &words].concat())
}

/// Lines of the search, by their value of v.
fn trials(folder: &Path) -> Vec<(String, Value)> {
    let lines = journal(&folder.join("program.tune.jsonl")).into_iter();
    let trials = lines.filter(|line| line["k"] == "trial");
    let value = |trial: &Value| trial["settings"]["cmd.v"].as_str().unwrap_or("a").to_owned();
    trials.map(|trial| (value(&trial), trial)).collect()
}

fn outcome(folder: &Path, value: &str) -> Value {
    let trials = trials(folder);
    let own = trials.into_iter().find(|(of, _)| of == value);
    own.unwrap_or_else(|| panic!("no run of {value}")).1
}

/// No job, no file of a run.
#[track_caller]
fn nothing_stays(cluster: &Cluster, folder: &Path) {
    assert_eq!(cluster.jobs(folder), Vec::<String>::new());
    assert!(!names(folder).contains(&".ioglass-tune".to_owned()));
    cluster.was_not_asked_for_accounts();
}

/// The process that a run has noted has ended.
#[track_caller]
fn has_ended(pid: &Path) {
    let pid = fs::read_to_string(pid).unwrap();
    let begin = Instant::now();
    let lives = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or_default();
        stat.contains("(program)") && !state.starts_with(" Z")
    };
    while lives() {
        assert!(begin.elapsed() < Duration::from_secs(60), "process {pid} lives");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a search of which two runs wait, and waits until both do.
fn begun(cluster: &Cluster, folder: &Path, more: &[&str]) -> Child {
    script(folder, "program", WAITS);
    let search = short(cluster, folder, &[&["--jobs", "2"][..], more].concat(), "a,b,c");
    // The signals of the test may be ignored, as under nohup.
    let mut command = Command::new("env");
    command.arg(DEFAULT_SIGNALS).arg(search.get_program()).args(search.get_args());
    command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    cluster.give(&mut command);
    let child = command.spawn().unwrap();
    wait_for(&folder.join("pid-b"));
    wait_for(&folder.join("pid-c"));
    child
}

fn send(signal: &str, pid: u32) {
    assert!(Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap().success());
}

/// Kills a search of which two runs wait.
fn killed(cluster: &Cluster, folder: &Path) {
    let mut child = begun(cluster, folder, &[]);
    send("-KILL", child.id());
    child.wait().unwrap();
    assert_eq!(cluster.jobs(folder).len(), 2, "they go on");
}

/// Does the same with each of these at the same time: most of it is waiting for jobs.
fn at_once<T: Sync>(all: &[T], each: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for one in all {
            scope.spawn(|| each(one));
        }
    });
}

/// What the program has written, sorted.
fn runs(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("runs")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

const EACH_ONCE: [&str; 8] =
    ["begin a", "begin a", "begin b", "begin c", "end a", "end a", "end b", "end c"];

#[test]
fn a_program_is_tuned_in_jobs() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-streams");
    super::programs::compiled(&folder, super::programs::SMALL_WRITES);
    let words = ["--", "./program", "{trial_dir}/out"];
    let more = ["--jobs", "2", "--budget", "4", "--confirm", "0", "--cut", "0", "--json=result"];
    let (status, out, aside) = run(search(cluster, &folder, &[&more[..], &words].concat()));
    assert_eq!(status, 0, "{out}{aside}");
    assert!(aside.starts_with("ioglass tune: program on "), "{aside}");
    assert!(aside.contains(", in jobs of Slurm, 2 at the same time\n"), "{aside}");
    let report: Value = serde_json::from_slice(&fs::read(folder.join("result")).unwrap()).unwrap();
    assert_eq!(report["run"]["runner"], "slurm");
    let check = &report["check"];
    assert_eq!((&check["state"], &check["files"]), (&"same".into(), &1.into()), "{check}");
    let lines = journal(&folder.join("program.tune.jsonl"));
    assert_eq!(lines[0]["runner"], "slurm");
    let runs: Vec<&Value> =
        lines.iter().filter(|line| line["k"] == "trial" || line["k"] == "confirm").collect();
    assert!(runs.iter().all(|run| ["ok", "disturbed"].contains(&run["outcome"].as_str().unwrap())));
    assert!(runs.iter().all(|run| run["job"].as_str().unwrap().parse::<u64>().is_ok()));
    let trials = runs.iter().filter(|run| run["k"] == "trial");
    assert!(trials.clone().all(|run| run["bytes"]["written"] == 1_280_000), "{lines:?}");
    let of_settings = trials.filter(|run| run["settings"] != serde_json::json!({}));
    assert!(of_settings.clone().count() > 0);
    for run in of_settings {
        assert_eq!(run["verified"][0]["state"], "applied", "{run}");
    }
    assert!(fs::read_to_string(folder.join("best.toml")).unwrap().contains("[provenance]"));
    nothing_stays(cluster, &folder);
    assert_eq!(
        names(&folder),
        ["best.toml", "program", "program.c", "program.tune.jsonl", "result"]
    );
}

#[test]
fn a_proof_has_one_job_at_a_time_and_a_search_several() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-two");
    // Each of b and c waits for the other, until both have been there. From then on a second run at the
    // same time fails.
    let program = "#!/bin/sh\ncase $2 in b) other=c;; c) other=b;; esac\ntouch at-$2\nif test -n \"$other\" && ! test \
                   -e both; then\n  for try in $(seq 2400); do test -e at-$other && break; sleep 0.05; done\n  test -e \
                   at-$other || exit 3\n  sleep 0.5\n  touch both\nelse\n  mkdir alone || exit 4\n  rmdir \
                   alone\nfi\ncase $2 in a) echo took 4;; *) echo took 2;; esac\n";
    script(&folder, "program", program);
    let words = ["--param", "v=a,b,c", "--", "./program", "{trial_dir}", "{v}"];
    let more = ["--jobs", "2", "--cut", "0", "--objective", "output:took (.)", "--check", "off"];
    let asked = [&more[..], &["--confirm", "6", "--json=result"], &words].concat();
    let (status, out, aside) = run(search(cluster, &folder, &asked));
    assert_eq!(status, 0, "{out}{aside}");
    let report: Value = serde_json::from_slice(&fs::read(folder.join("result")).unwrap()).unwrap();
    assert_eq!(report["state"], "gain", "{aside}");
    assert_eq!(report["speedup"]["median"], 2.0);
    assert_eq!(report["outcomes"]["failed"], 0);
    nothing_stays(cluster, &folder);
}

#[test]
fn a_run_is_cut_inside_its_job_or_with_it() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-cut");
    // The second one stops what watches it, so that only the queue can end it.
    let program = "#!/bin/sh\ncase $2 in\n  b) echo $$ > pid-b; while :; do sleep 0.1; done;;\n  c) echo $$ > \
                   pid-c; kill -STOP $PPID; while :; do sleep 0.1; done;;\nesac\necho took 1\n";
    script(&folder, "program", program);
    let words = ["--param", "v=a,b,c", "--", "./program", "{trial_dir}", "{v}"];
    let more = ["--jobs", "2", "--objective", "output:took (.)", "--check", "off"];
    let asked = [&more[..], &["--confirm", "0"], &words].concat();
    let (status, out, aside) = run(search(cluster, &folder, &asked));
    assert_eq!(status, 0, "{out}{aside}");
    assert_eq!(outcome(&folder, "b")["outcome"], "cut", "{aside}");
    assert_eq!(outcome(&folder, "c")["outcome"], "cut", "{aside}");
    has_ended(&folder.join("pid-b"));
    has_ended(&folder.join("pid-c"));
    nothing_stays(cluster, &folder);
}

#[test]
fn a_signal_cancels_the_jobs() {
    let Some(cluster) = cluster() else { return };
    at_once(&[("-INT", 130), ("-TERM", 143)], |(signal, status)| {
        let folder = empty(&format!("slurm-signal{signal}"));
        let child = begun(cluster, &folder, &[]);
        send(signal, child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(*status), "{output:?}");
        let lines = journal(&folder.join("program.tune.jsonl"));
        assert_eq!(lines.last().unwrap()["state"], "interrupted");
        assert!(folder.join("best.toml").exists());
        has_ended(&folder.join("pid-b"));
        has_ended(&folder.join("pid-c"));
        nothing_stays(cluster, &folder);
        // It goes on as if it had never stopped: what was cancelled runs again.
        fs::write(folder.join("go"), "").unwrap();
        let (status, _, aside) =
            run(short(cluster, &folder, &["--jobs", "2", "--resume"], "a,b,c"));
        assert_eq!(status, 0, "{aside}");
        let begins = runs(&folder).iter().filter(|line| line.starts_with("begin")).count();
        assert_eq!(begins, 6, "{:?}", runs(&folder));
        let asked: Vec<String> = trials(&folder).into_iter().map(|(value, _)| value).collect();
        assert_eq!(asked.len(), 4, "{asked:?}");
        nothing_stays(cluster, &folder);
    });
}

#[test]
fn a_signal_in_the_first_run_cancels_it() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-first");
    script(
        &folder,
        "program",
        "#!/bin/sh\necho $$ > new\nmv new pid\nwhile :; do sleep 0.05; done\n",
    );
    let search = short(cluster, &folder, &[], "a,b");
    let mut command = Command::new("env");
    command.arg(DEFAULT_SIGNALS).arg(search.get_program()).args(search.get_args());
    command.current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    cluster.give(&mut command);
    let child = command.spawn().unwrap();
    wait_for(&folder.join("pid"));
    send("-INT", child.id());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    has_ended(&folder.join("pid"));
    nothing_stays(cluster, &folder);
    assert_eq!(names(&folder), ["pid", "program"]);
}

#[test]
fn a_kill_in_the_first_run_leaves_nothing() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-first-kill");
    script(
        &folder,
        "program",
        "#!/bin/sh\necho $$ > new\nmv new pid\nwhile :; do sleep 0.05; done\n",
    );
    let mut child = short(cluster, &folder, &[], "a,b").stderr(Stdio::null()).spawn().unwrap();
    wait_for(&folder.join("pid"));
    child.kill().unwrap();
    child.wait().unwrap();
    has_ended(&folder.join("pid"));
    let begin = Instant::now();
    while names(&folder) != ["pid", "program"] {
        assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", names(&folder));
        std::thread::sleep(Duration::from_millis(50));
    }
    nothing_stays(cluster, &folder);
}

#[test]
fn jobs_that_went_on_are_taken_up() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-resume");
    killed(cluster, &folder);
    let mut again = short(cluster, &folder, &["--jobs", "2", "--resume"], "a,b,c");
    let mut again = again.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its first lines come when it has found the jobs, which still wait.
    let mut lines = BufReader::new(again.stderr.take().unwrap()).lines();
    let goes_on = lines.find(|line| line.as_ref().unwrap().contains("going on after 2 runs"));
    assert!(goes_on.is_some());
    fs::write(folder.join("go"), "").unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(again.wait().unwrap().success(), "{rest:?}");
    assert_eq!(runs(&folder), EACH_ONCE);
    assert_eq!(trials(&folder).len(), 4);
    nothing_stays(cluster, &folder);
}

#[test]
fn jobs_that_ended_meanwhile_are_taken_up() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-ended");
    killed(cluster, &folder);
    fs::write(folder.join("go"), "").unwrap();
    let begin = Instant::now();
    while !cluster.jobs(&folder).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(100));
    }
    let (status, _, aside) = run(short(cluster, &folder, &["--jobs", "2", "--resume"], "a,b,c"));
    assert_eq!(status, 0, "{aside}");
    assert_eq!(runs(&folder), EACH_ONCE);
    assert_eq!(trials(&folder).len(), 4);
    nothing_stays(cluster, &folder);
}

#[test]
fn jobs_that_are_not_wanted_any_more_are_cancelled() {
    let Some(cluster) = cluster() else { return };
    at_once(&["--resume", "--restart"], |how| {
        let folder = empty(&format!("slurm-unwanted{how}"));
        killed(cluster, &folder);
        let all = ["--jobs", "2", "--budget", "2", how];
        let (status, _, aside) = run(short(cluster, &folder, &all, "a,b,c"));
        assert_eq!(status, 0, "{aside}");
        has_ended(&folder.join("pid-b"));
        has_ended(&folder.join("pid-c"));
        assert_eq!(trials(&folder).len(), 2);
        nothing_stays(cluster, &folder);
    });
}

#[test]
fn both_mpis_run_in_a_job() {
    let Some(cluster) = cluster() else { return };
    at_once(&[&OPEN_MPI, &MPICH], |stack| {
        if stack.is_here() {
            runs_under(cluster, stack);
        }
    });
}

fn runs_under(cluster: &Cluster, stack: &Stack) {
    let folder = empty(&format!("slurm-{}", stack.name));
    let program = stack.program(&root().join("tests/programs/mpi/independent.c")).unwrap();
    let launcher = stack.launcher(2);
    let words = launcher.iter().chain(&program).map(|word| word.to_str().unwrap());
    let words: Vec<&str> = words.collect();
    let more = ["--slurm-args", "--ntasks=2", "--jobs", "2", "--param", "v=a,b", "--budget", "3"];
    let more = [&more[..], &["--confirm", "0", "--cut", "0", "--check", "off", "--json=result"]];
    let arguments = [&more.concat()[..], &["--"], &words, &["{trial_dir}"]].concat();
    let (status, out, aside) = run(search(cluster, &folder, &arguments));
    assert_eq!(status, 0, "{}: {out}{aside}", stack.name);
    let report: Value = serde_json::from_slice(&fs::read(folder.join("result")).unwrap()).unwrap();
    assert_eq!(report["run"]["ranks"], 2, "{}", stack.name);
    assert_eq!(report["outcomes"]["failed"], 0);
    nothing_stays(cluster, &folder);
}

#[test]
fn odd_words_arrive_as_they_are() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-odd").join("it's 100%s \"o\\dd\" $HOME");
    fs::create_dir_all(&folder).unwrap();
    let program = "#!/bin/sh\nprintf '%s|' \"$@\" > words\nprintf '%s' \"$GIVEN\" > given\necho $SLURM_JOB_ID > \
                   job\necho took 1\n";
    script(&folder, "program", program);
    let words = ["a b", "'", "\"", "line\nbreak", "$HOME", "`id`", "; exit 5", "\\", "", "*"];
    let more = [&["--param", "v=a,b", "--", "./program"][..], &words].concat();
    let mut search = search(cluster, &folder, &[&SHORT[..], &more].concat());
    // What a job around this one would give on.
    search.env("GIVEN", "a\n'b'").env("SLURM_JOB_ID", "4242").env("SLURM_MEM_PER_NODE", "1");
    search.env("SLURM_MEM_PER_CPU", "1").env("SLURM_NTASKS", "77").env("SQUEUE_STATES", "PENDING");
    search.env("SCANCEL_INTERACTIVE", "1").env("SQUEUE_FORMAT", "%u").env("SLURM_NNODES", "9");
    let (status, out, aside) = run(search);
    assert_eq!(status, 0, "{out}{aside}");
    let arrived = fs::read_to_string(folder.join("words")).unwrap();
    assert_eq!(arrived, words.map(|word| format!("{word}|")).concat());
    assert_eq!(fs::read_to_string(folder.join("given")).unwrap(), "a\n'b'");
    assert_ne!(fs::read_to_string(folder.join("job")).unwrap(), "4242\n");
    nothing_stays(cluster, &folder);
}

#[test]
fn a_job_that_fails_is_an_outcome() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-failing");
    // The second one takes away what watches it.
    let program = "#!/bin/sh\ncase $2 in\n  b) echo no luck >&2; exit 7;;\n  c) kill -KILL $PPID; exec sleep 600;;\n  \
                   d) test -e cancelled || { touch cancelled; scancel $SLURM_JOB_ID; exec sleep 600; };;\nesac\necho \
                   took 1\n";
    script(&folder, "program", program);
    let (status, out, aside) = run(short(cluster, &folder, &["--jobs", "3"], "a,b,c,d"));
    assert_eq!(status, 0, "{out}{aside}");
    let failed = outcome(&folder, "b");
    assert_eq!((&failed["outcome"], &failed["exit"]), (&"failed".into(), &7.into()));
    assert!(failed["note"].as_str().unwrap().contains("no luck"), "{failed}");
    let killed = outcome(&folder, "c");
    assert_eq!(killed["outcome"], "failed");
    assert!(killed["note"].as_str().unwrap().contains("ended without a result"), "{killed}");
    let cancelled = outcome(&folder, "d");
    assert_eq!(cancelled["outcome"], "failed", "someone else cancelled it");
    nothing_stays(cluster, &folder);
    // With its default settings it is told, and nothing more is run.
    let (status, out, aside) = run(short(cluster, &folder, &["--restart"], "b,a"));
    assert_eq!(status, 3, "{out}{aside}");
    assert!(aside.contains("the default run failed with status 7\n  no luck"), "{aside}");
    nothing_stays(cluster, &folder);
}

#[test]
fn what_sbatch_refuses_is_told_in_its_words() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-refused");
    script(&folder, "program", WAITS);
    for (arguments, words) in [("-p nowhere", "invalid partition"), ("--nonsense", "unrecognized")]
    {
        let (status, out, aside) =
            run(short(cluster, &folder, &["--slurm-args", arguments], "a,b"));
        assert_eq!(status, 3, "{out}{aside}");
        assert!(aside.starts_with("error: sbatch does not take the job\n"), "{aside}");
        assert!(aside.contains(words) && out.is_empty(), "{aside}");
    }
    let (status, _, aside) = run(short(cluster, &folder, &["--slurm-args", "'"], "a,b"));
    assert_eq!((status, aside.contains("a quote has no end")), (2, true), "{aside}");
    nothing_stays(cluster, &folder);
    assert_eq!(names(&folder), ["program"]);
    // Nobody listens where the controller should be.
    let text = fs::read_to_string(cluster.configuration()).unwrap();
    let moved = |line: &str| match line.split_once("SlurmctldPort=") {
        Some(_) => "SlurmctldPort=1".to_owned(),
        None => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(moved).collect();
    fs::write(folder.join("slurm.conf"), lines.join("\n") + "\nMessageTimeout=2\n").unwrap();
    let mut search = short(cluster, &folder, &[], "a,b");
    search.env("SLURM_CONF", folder.join("slurm.conf"));
    let (status, _, aside) = run(search);
    assert_eq!(status, 3, "{aside}");
    assert!(aside.starts_with("error: Slurm does not answer\n"), "{aside}");
}

#[test]
fn a_search_waits_for_a_controller_that_is_away() {
    let Some(cluster) = cluster() else { return };
    let folder = empty("slurm-away");
    script(&folder, "program", "#!/bin/sh\ntest $2 = a || touch away\necho took 1\n");
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    // From the run of b on the controller does not answer the next six times.
    for name in ["sbatch", "squeue", "scontrol"] {
        let real = format!("/usr/bin/{name}");
        let wrapper = format!(
            "#!/bin/sh\ncd '{0}'\nif test -e away && test $(cat asked 2>/dev/null | wc -l) -lt 6; then\n  echo {name} \
             >> asked\n  echo 'Unable to contact slurm controller' >&2\n  exit 1\nfi\ncd \"$OLDPWD\"\nexec {real} \
             \"$@\"\n",
            folder.display()
        );
        script(&bin, name, &wrapper);
    }
    let mut search = short(cluster, &folder, &["--budget", "4"], "a,b,c");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    search.env("PATH", path);
    let (status, out, aside) = run(search);
    assert_eq!(status, 0, "{out}{aside}");
    assert_eq!(trials(&folder).len(), 4);
    let asked = fs::read_to_string(folder.join("asked")).unwrap();
    assert_eq!(asked.lines().count(), 6, "{asked}");
    assert!(aside.contains("Slurm does not answer; waiting"), "{aside}");
    nothing_stays(cluster, &folder);
}

#[test]
fn what_is_not_there_is_named_and_nothing_is_run() {
    let folder = empty("slurm-nowhere");
    script(&folder, "program", WAITS);
    let words = ["--param", "v=a,b", "--objective", "time", "--", "./program", "x", "{v}"];
    let mut without = tune(&folder, &[&["--runner", "slurm"][..], &words].concat());
    without.env("PATH", folder.join("nothing"));
    let (status, _, aside) = run(without);
    assert_eq!(status, 3, "{aside}");
    assert!(aside.starts_with("error: there is no sbatch\n"), "{aside}");
    for (options, what) in [
        (&["--jobs", "2"][..], "--jobs is for --runner slurm only"),
        (&["--slurm-args", "-N 2"], "--slurm-args is for --runner slurm only"),
        (&["--runner", "slurm", "--jobs", "0"], "--jobs"),
    ] {
        let (status, _, aside) = run(tune(&folder, &[options, &words].concat()));
        assert_eq!(status, 2, "{aside}");
        assert!(aside.contains(what), "{aside}");
    }
    let dry = ["--runner", "slurm", "--dry-run", "--jobs", "3"];
    let mut dry = tune(&folder, &[&dry[..], &words].concat());
    dry.env("PATH", folder.join("nothing"));
    let (status, out, aside) = run(dry);
    assert_eq!((status, out.contains("cmd.v")), (0, true), "{aside}");
    assert_eq!(names(&folder), ["program"]);
}
