//! Data that our recorder adds to a log: processes, their ends, losses.

use std::collections::BTreeMap;

use ioglass_harvest::end::{self, ProgramEnd};
use ioglass_harvest::process::{self, Process};
use ioglass_insight::program::program;
use ioglass_insight::{Diagnosis, Outcome, Recording, Warning};
use ioglass_job::{EXCLUDED, UNRECORDED};
use ioglass_log::Log;
use ioglass_merge::MISSING;
use ioglass_report::number::counted;

/// The table of processes, if the log has one.
pub(crate) fn processes(log: &Log) -> Vec<Process> {
    let table = table(log, process::SECTION).unwrap_or_default();
    process::parse(&table)
}

/// The end of the program, if the log has it.
pub(crate) fn end(log: &Log) -> Option<ProgramEnd> {
    ProgramEnd::parse(&table(log, end::SECTION)?)
}

/// A table of the log's `IOGLASS` block.
pub(crate) fn table(log: &Log, name: &str) -> Option<String> {
    Recording::table(log, name)
}

/// Number of opens of excluded paths.
pub(crate) fn excluded(log: &Log, processes: &[Process]) -> u64 {
    let known: u64 = processes.iter().map(|process| process.excluded).sum();
    let others = log.job().metadata_value(EXCLUDED);
    known + others.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0)
}

/// Most programs open fewer system files than this when they start.
const MUCH_LEFT_OUT: u64 = 1000;

/// Returns true for programs that start ranks.
fn is_launcher(program: &str) -> bool {
    ["mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "srun"].contains(&program)
}

/// The program of most processes, without helpers of the launcher.
fn launched(processes: &[Process]) -> Option<String> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for process in processes {
        // A launcher may be a script, which a shell runs.
        let mut first_words = process.command.split_whitespace().take(2);
        if first_words.any(|word| is_launcher(&program(word))) {
            continue;
        }
        let name = program(&process.command);
        let is_helper = ["orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy", "slurmstepd"]
            .contains(&name.as_str());
        if !is_helper {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name)
}

/// Adds to a diagnosis what only our recorder knows. `still_runs` is true for the log of a running job.
pub(crate) fn add_warnings(diagnosis: &mut Diagnosis, log: &Log, still_runs: bool) {
    let processes = processes(log);
    let mut say = |text: String, marks: bool| diagnosis.warnings.push(Warning { text, marks });
    if still_runs {
        say("The run is still going on. The report covers what it did so far.".into(), false);
    }
    let lost = |kind: &str| -> u64 {
        let all = processes.iter().flat_map(|process| &process.lost);
        all.filter(|(name, _)| name == kind).map(|(_, count)| count).sum()
    };
    for (kind, one, many, what) in [
        ("records", "call", "calls", "there was no room for more files"),
        ("trace", "operation", "operations", "the trace was full"),
        ("nested", "call", "calls", "a signal handler made them inside another call"),
    ] {
        let count = lost(kind);
        if count > 0 {
            say(format!("{} not recorded: {what}", counted(count, one, many)), true);
        }
    }
    let ending =
        |ending: &str| processes.iter().filter(|process| process.ending == ending).count() as u64;
    let killed = |process: &&Process| {
        let ending = process.ending.as_str();
        matches!(ending, "killed" | "abort") || ending.starts_with("signal")
    };
    let killed = processes.iter().filter(killed).count() as u64;
    if killed > 0 {
        let killed = counted(killed, "process was", "processes were");
        say(format!("{killed} killed: the log has what was done until then."), false);
    }
    let running = ending("running");
    if running > 0 && !still_runs {
        let living = counted(running, "process is still running", "processes are still running");
        say(format!("{living}: the log has what was done so far."), false);
    }
    if let Some(count) = log.job().metadata_value(UNRECORDED) {
        let count = counted(count.parse().unwrap_or(1), "process was", "processes were");
        say(format!("{count} not recorded: a limit or a full disk prevented it"), true);
    }
    let missing = log.job().metadata_value(MISSING).and_then(|count| count.parse::<i64>().ok());
    if let Some(missing) = missing {
        let ranks = log.job().nprocs;
        say(format!("{} of {ranks} ranks are in this log", ranks.saturating_sub(missing)), true);
    }
    let is_launched = is_launcher(&program(&log.job().exe()));
    if is_launched && log.job().metadata_value("ranks").as_deref() == Some("process") {
        say("Ranks were not identified: checks that need them were skipped.".into(), false);
        if let Some(launched) = launched(&processes) {
            diagnosis.subject.program += &format!(" {launched}");
        }
        // Most faults of parallel programs are between ranks.
        if diagnosis.verdict.outcome == Outcome::Healthy {
            diagnosis.verdict.outcome = Outcome::NotJudgeable;
            diagnosis.verdict.sentence =
                "Not judgeable: no process has a fault of its own, but ranks were not identified."
                    .into();
        }
    }
    let excluded = excluded(log, &processes);
    diagnosis.subject.left_out = excluded;
    // With findings, the excluded paths do not matter.
    let is_healthy = diagnosis.verdict.outcome == Outcome::Healthy;
    if is_healthy && excluded >= MUCH_LEFT_OUT && excluded > diagnosis.place.files {
        let opens = counted(excluded, "open", "opens");
        let text = format!(
            "{opens} of excluded paths, such as those in /usr: ioglass run --include '^/' records them."
        );
        say(text, false);
        if diagnosis.moved.written == 0 && diagnosis.moved.read == 0 {
            diagnosis.verdict.outcome = Outcome::NotJudgeable;
            diagnosis.verdict.sentence =
                "Not judgeable: nearly all files that were opened are on excluded paths.".into();
        }
    }
    let unseen = ending("unseen");
    if unseen > 0 {
        let unseen = counted(unseen, "process was", "processes were");
        say(format!("{unseen} started but not recorded."), false);
    }
    diagnosis.subject.is_complete &= !diagnosis.warnings.iter().any(|warning| warning.marks);
}
