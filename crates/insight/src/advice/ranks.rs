//! Who reads and writes.

use super::template::{Template, template};
use super::{Setting, see, words};
use crate::finding::Advice;

const NODE_WRITER: Template = template!("node_writer": C "c", Fortran "f90", Python "py");
const BROADCAST: Template = template!("broadcast": C "c", Fortran "f90", Python "py");
const BALANCE: Template = template!("balance": C "c", Fortran "f90", Python "py");

/// Let one rank per node write for the others (A03 N03). `writers` is how many that would be.
pub fn fewer_ranks_write(setting: &Setting, ranks: u64, writers: u64) -> Advice {
    if !setting.is_parallel {
        return super::buffer_writes(setting, super::LARGE);
    }
    let text = format!(
        "Gather on {} and let these write: so little is not worth {}.",
        words::many(writers.max(1), "rank"),
        words::many(ranks, "rank"),
    );
    Advice::of(text, see::MPI_STANDARD).snippet(setting, &NODE_WRITER, &[])
}

/// Read on one rank what all need (A04 P09 H06 N01).
pub fn read_once_and_broadcast(setting: &Setting, ranks: u64, bytes: u64) -> Advice {
    if !setting.is_parallel {
        return super::cache_data(setting, bytes, ranks, "");
    }
    let text = format!(
        "Read the {} on rank 0 and broadcast them, instead of reading them on {}.",
        words::bytes(bytes),
        words::many(ranks, "rank")
    );
    Advice::of(text, see::MPI_STANDARD).snippet(setting, &BROADCAST, &[])
}

/// Give each rank the same to read and write (B01 B02 C03 P18 P19 P21 P22). `most` is what the
/// busiest rank moves, `mean` what it would be.
pub fn balance(setting: &Setting, most: u64, mean: u64) -> Advice {
    let text =
        format!("Give each rank {}: the busiest moves {}.", words::bytes(mean), words::bytes(most));
    Advice::of(text, see::PARALLEL_IO).snippet(setting, &BALANCE, &[])
}

/// Leave out a node that is always last (T03).
pub fn avoid_node(_setting: &Setting, host: &str) -> Advice {
    let host = words::path(host, "");
    if host.is_empty() {
        let text = "Look at the placement of the ranks that are last in each phase.";
        return Advice::of(text, see::SBATCH).command(
            "scontrol show job -d \"$SLURM_JOB_ID\"",
            "which ranks run where; with Slurm",
        );
    }
    let text = format!("Run without {host}, and report it to your centre if that is faster.");
    Advice::of(text, see::SBATCH).command(format!("sbatch --exclude={host} JOB"), "with Slurm")
}
