//! What job this is and which part of it, by the variables of launchers and schedulers.

use super::sources::{Key, Sources, variable};
use super::value;

/// A process among those that were launched together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub rank: u32,
    /// How many there are.
    pub ranks: u32,
}

/// Variables with the rank and the number of ranks. Launchers nest, so the one that is most likely
/// the innermost comes first; PMIx tells no size, and whoever uses it sets another variable too.
const LAUNCHERS: [(&str, &[&str]); 8] = [
    ("RANK", &["WORLD_SIZE"]),
    ("OMPI_COMM_WORLD_RANK", &["OMPI_COMM_WORLD_SIZE"]),
    ("MV2_COMM_WORLD_RANK", &["MV2_COMM_WORLD_SIZE"]),
    ("PMI_RANK", &["PMI_SIZE"]),
    ("PMIX_RANK", &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE"]),
    ("PALS_RANKID", &["PALS_SIZE", "PMI_SIZE"]),
    ("FLUX_TASK_RANK", &["FLUX_JOB_SIZE"]),
    (SLURM_RANK, &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"]),
];

const SLURM_RANK: &str = "SLURM_PROCID";
/// Slurm's steps from here on are not tasks of the user's: the batch script, an interactive shell.
const SLURM_SPECIAL_STEPS: u64 = 0xFFFF_FF00;

/// Where the job's id is found, if nobody names a variable.
const JOB_IDS: [&str; 9] = [
    "SLURM_JOB_ID",
    "SLURM_JOBID",
    "PBS_JOBID",
    "LSB_JOBID",
    "COBALT_JOBID",
    "FLUX_JOB_ID",
    "OAR_JOB_ID",
    "LOADL_STEP_ID",
    "JOB_ID",
];

/// Rank and ranks, if both are there and make sense.
pub(super) fn place(sources: &Sources<'_>) -> Option<Place> {
    let number = |name| u32::try_from(value::number(sources.outside(name)?)?).ok();
    LAUNCHERS.iter().find_map(|&(rank_name, size_names)| {
        if rank_name == SLURM_RANK && !is_slurm_task(sources) {
            return None;
        }
        let rank = number(rank_name)?;
        let ranks = size_names.iter().find_map(|name| number(name))?;
        (rank < ranks && ranks <= i32::MAX as u32).then_some(Place { rank, ranks })
    })
}

/// A batch script has most of Slurm's variables, and so have all its children.
fn is_slurm_task(sources: &Sources<'_>) -> bool {
    sources
        .outside("SLURM_STEP_ID")
        .or(sources.outside("SLURM_STEPID"))
        .and_then(value::number)
        .is_some_and(|step| step < SLURM_SPECIAL_STEPS)
}

/// The number in the job's id.
pub(super) fn jobid<'e>(
    sources: &Sources<'_>,
    environment: impl Iterator<Item = &'e [u8]>,
) -> Option<u64> {
    if let Some(name) = sources.one(Key::JobId) {
        return variable(environment, name).and_then(value::first_number);
    }
    JOB_IDS.iter().find_map(|name| value::first_number(sources.outside(name)?))
}
