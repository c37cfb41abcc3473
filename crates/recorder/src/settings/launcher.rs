//! Job, rank and ranks, from the variables of launchers and schedulers.

use ioglass_schema::hash;

use super::sources::{Key, Sources, variable};
use super::value;

/// Rank of a process, and the number of ranks that were launched with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorldRank {
    /// Its rank.
    pub rank: u32,
    /// Number of ranks.
    pub ranks: u32,
}

/// A launcher, identified by the variables that it sets for each process.
#[derive(Debug, Clone, Copy)]
pub struct Launcher {
    /// The variable with the rank.
    pub rank: &'static str,
    /// The variables with the number of ranks; the first that is set counts.
    pub ranks: &'static [&'static str],
    /// The variable with the number of ranks on this node.
    pub here: Option<&'static str>,
    /// The variables that together tell this launch from others, on every node.
    pub launch: &'static [&'static str],
}

/// The launchers. They nest, so the one that is most likely the innermost comes first. PMIx sets no
/// size, and every launcher that uses it also sets another variable.
pub const LAUNCHERS: [Launcher; 9] = [
    Launcher {
        rank: "RANK",
        ranks: &["WORLD_SIZE"],
        here: Some("LOCAL_WORLD_SIZE"),
        launch: &["TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"],
    },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: &["OMPI_COMM_WORLD_SIZE"],
        here: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
        launch: &[
            "PMIX_NAMESPACE",
            "OMPI_MCA_ess_base_jobid",
            "OMPI_MCA_orte_precondition_transports",
        ],
    },
    Launcher {
        rank: "MV2_COMM_WORLD_RANK",
        ranks: &["MV2_COMM_WORLD_SIZE"],
        here: Some("MV2_COMM_WORLD_LOCAL_SIZE"),
        launch: &["MPISPAWN_MPIRUN_HOST", "MPISPAWN_MPIRUN_PORT"],
    },
    // Hydra has no variable that identifies a launch; Slurm and PALS may stand behind it.
    Launcher {
        rank: "PMI_RANK",
        ranks: &["PMI_SIZE"],
        here: Some("MPI_LOCALNRANKS"),
        launch: &["PALS_APID", "SLURM_JOB_ID", "SLURM_STEP_ID"],
    },
    Launcher {
        rank: "PMIX_RANK",
        ranks: &["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE"],
        here: None,
        launch: &["PMIX_NAMESPACE"],
    },
    Launcher {
        rank: "PALS_RANKID",
        ranks: &["PALS_SIZE", "PMI_SIZE"],
        here: Some("PALS_LOCAL_SIZE"),
        launch: &["PALS_APID"],
    },
    Launcher {
        rank: "JSM_NAMESPACE_RANK",
        ranks: &["JSM_NAMESPACE_SIZE"],
        here: None,
        launch: &["LSB_JOBID", "JSM_NAMESPACE_ID"],
    },
    Launcher {
        rank: "FLUX_TASK_RANK",
        ranks: &["FLUX_JOB_SIZE"],
        here: None,
        launch: &["FLUX_JOB_ID"],
    },
    Launcher {
        rank: SLURM_RANK,
        ranks: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        here: None,
        launch: &["SLURM_JOB_ID", "SLURM_STEP_ID"],
    },
];

const SLURM_RANK: &str = "SLURM_PROCID";
/// First number of Slurm's special steps, which are not tasks: the batch script, an interactive
/// shell.
const SLURM_SPECIAL_STEPS: u64 = 0xFFFF_FF00;

/// Variables with the job id, used if none is named.
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

/// The launcher, and rank and ranks, if both are set and valid.
pub(super) fn world_rank(sources: &Sources<'_>) -> Option<(&'static Launcher, WorldRank)> {
    launched(|name| value::number(sources.outside(name)?))
}

/// Number of ranks on this node, if the launcher tells it.
pub(super) fn ranks_here(launcher: &Launcher, sources: &Sources<'_>) -> Option<u32> {
    u32::try_from(value::number(sources.outside(launcher.here?)?)?).ok()
}

/// A number that the processes of one launch share; those of another launch hardly ever have it.
pub(super) fn launch(sources: &Sources<'_>) -> u64 {
    let names = LAUNCHERS.iter().flat_map(|launcher| launcher.launch);
    names.fold(0, |sum, name| hash(sources.outside(name).unwrap_or_default(), sum))
}

/// The launcher of this process, and its rank; `number` returns the value of a variable.
pub fn launched(number: impl Fn(&str) -> Option<u64>) -> Option<(&'static Launcher, WorldRank)> {
    LAUNCHERS.iter().find_map(|launcher| {
        if launcher.rank == SLURM_RANK && !is_slurm_task(&number) {
            return None;
        }
        let number = |name: &str| u32::try_from(number(name)?).ok();
        let rank = number(launcher.rank)?;
        let ranks = launcher.ranks.iter().find_map(|name| number(name))?;
        let makes_sense = rank < ranks && ranks <= i32::MAX as u32;
        makes_sense.then_some((launcher, WorldRank { rank, ranks }))
    })
}

/// Returns true for a Slurm task: a batch script and its children have most of Slurm's variables,
/// too.
fn is_slurm_task(number: impl Fn(&str) -> Option<u64>) -> bool {
    let step = number("SLURM_STEP_ID").or_else(|| number("SLURM_STEPID"));
    step.is_some_and(|step| step < SLURM_SPECIAL_STEPS)
}

/// The number in the job id.
pub(super) fn jobid<'e>(
    sources: &Sources<'_>,
    environment: impl Iterator<Item = &'e [u8]>,
) -> Option<u64> {
    if let Some(name) = sources.one(Key::JobId) {
        return variable(environment, name).and_then(value::first_number);
    }
    JOB_IDS.iter().find_map(|name| value::first_number(sources.outside(name)?))
}
