//! The ranks that read and write.

use super::template::{Template, template};
use super::{Setting, see, words};
use crate::finding::Advice;

const NODE_WRITER: Template = template!("node_writer": C "c", Fortran "f90", Python "py");
const BROADCAST: Template = template!("broadcast": C "c", Fortran "f90", Python "py");
const BALANCE: Template = template!("balance": C "c", Fortran "f90", Python "py");

/// Let a few ranks read or write for the others. `few` is how many that would be.
pub fn fewer_ranks(setting: &Setting, ranks: u64, few: u64) -> Advice {
    if !setting.is_parallel {
        let larger = if setting.mostly_reads { super::larger_reads } else { super::buffer_writes };
        return larger(setting, super::LARGE);
    }
    let (few, all) = (words::many(few.max(1), "rank"), words::many(ranks, "rank"));
    if setting.mostly_reads {
        let text =
            format!("Read on {few} and send it to the others: so little is not worth {all}.");
        return Advice::of(text, see::MPI_STANDARD).snippet(setting, &BROADCAST, &[]);
    }
    let text = format!("Gather on {few} and let these write: so little is not worth {all}.");
    Advice::of(text, see::MPI_STANDARD).snippet(setting, &NODE_WRITER, &[])
}

/// Read on one rank what all need.
pub fn read_once_and_broadcast(setting: &Setting, ranks: u64, bytes: u64) -> Advice {
    if !setting.is_parallel {
        return super::cache_data(setting, bytes, ranks, &[], "");
    }
    let text = format!(
        "Read the {} on rank 0 and broadcast them, instead of reading them on {}.",
        words::bytes(bytes),
        words::many(ranks, "rank")
    );
    Advice::of(text, see::MPI_STANDARD).snippet(setting, &BROADCAST, &[])
}

/// Give each rank the same to read and write. `most` is what the
/// busiest rank moves, `mean` what it would be.
pub fn balance(setting: &Setting, most: u64, mean: u64) -> Advice {
    let text =
        format!("Give each rank {}: the busiest moves {}.", words::bytes(mean), words::bytes(most));
    Advice::of(text, see::PARALLEL_IO).snippet(setting, &BALANCE, &[])
}

/// See why some ranks take longer: a time says nothing of bytes.
pub fn balance_time(_setting: &Setting, most: f64, least: f64) -> Advice {
    let (most, least) = (crate::number::seconds(most), crate::number::seconds(least));
    let text = format!(
        "Look at ranks that take {most} where others take {least}: they move more, wait for a lock, or have a slow node."
    );
    Advice::of(text, see::PARALLEL_IO)
}

/// Let ranks reach a collective call at the same time. They wait `seconds` there now.
pub fn arrive_together(_setting: &Setting, seconds: f64) -> Advice {
    let text = format!(
        "Balance what ranks compute before the call: the early ones wait {} for the last one.",
        crate::number::seconds(seconds)
    );
    Advice::of(text, see::PARALLEL_IO)
}

/// Leave out a node that is always last.
pub fn avoid_node(_setting: &Setting, host: &str) -> Advice {
    let Some(host) = words::path(host) else {
        let text = "Look at the placement of the ranks that are last in each phase.";
        return Advice::of(text, see::SBATCH).command(
            "scontrol show job -d \"$SLURM_JOB_ID\"",
            "which ranks run where; with Slurm",
        );
    };
    let text = format!("Run without {host}, and report it to your centre if that is faster.");
    let line = format!("#SBATCH --exclude={host}");
    Advice::of(text, see::SBATCH).command(line, "in the job script; with Slurm")
}
