//! Sources of settings: the environment, read once, and the configuration file.

use core::ffi::{CStr, c_char};

use super::value;

/// Declares the settings with their names after `IOGLASS_` or `DARSHAN_`.
macro_rules! keys {
    ($($key:ident $name:literal)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
        pub(super) enum Key { $($key),* }

        impl Key {
            const ALL: &[(Self, &'static str)] = &[$((Self::$key, $name)),*];
        }
    };
}

keys! {
    Disable "DISABLE"
    EnableNonMpi "ENABLE_NONMPI"
    ConfigPath "CONFIG_PATH"
    LogFile "LOGFILE"
    LogPath "LOGPATH"
    MmapLogPath "MMAP_LOGPATH"
    ModMem "MODMEM"
    NameMem "NAMEMEM"
    MemAlignment "MEM_ALIGNMENT"
    JobId "JOBID"
    LogHints "LOGHINTS"
    ModDisable "MOD_DISABLE"
    ModEnable "MOD_ENABLE"
    AppExclude "APP_EXCLUDE"
    AppInclude "APP_INCLUDE"
    RankExclude "RANK_EXCLUDE"
    RankInclude "RANK_INCLUDE"
    NameExclude "NAME_EXCLUDE"
    NameInclude "NAME_INCLUDE"
    MaxRecords "MAX_RECORDS"
    SmallIoTrigger "DXT_SMALL_IO_TRIGGER"
    UnalignedIoTrigger "DXT_UNALIGNED_IO_TRIGGER"
    DumpConfig "DUMP_CONFIG"
    InternalTiming "INTERNAL_TIMING"
    DisableSharedReduction "DISABLE_SHARED_REDUCTION"
    Job "JOB"
    Enable "ENABLE"
    Trace "TRACE"
    TraceMemory "TRACE_MEMORY"
    Memory "MEMORY"
    Exclude "EXCLUDE"
    Include "INCLUDE"
    Origin "ORIGIN"
    Clock "CLOCK"
    LogPathByEnv "LOGPATH_BY_ENV"
    MpiTimeout "MPI_TIMEOUT"
    Aggregators "AGGREGATORS"
    Regions "REGIONS"
    RegionMemory "REGION_MEMORY"
    Iterations "ITERATIONS"
    Profile "PROFILE"
    ProfileFiles "PROFILE_FILES"
    Snapshot "SNAPSHOT"
    RegionPath "REGION_PATH"
}

impl Key {
    /// The first setting that Darshan does not have.
    const FIRST_OWN: Self = Self::Job;

    pub(super) fn named(name: &[u8]) -> Option<Self> {
        // Darshan's environment and its file differ in this name.
        if name == b"MEMALIGN" {
            return Some(Self::MemAlignment);
        }
        Self::ALL.iter().find(|(_, known)| known.as_bytes() == name).map(|&(key, _)| key)
    }

    pub(super) fn name(self) -> &'static [u8] {
        Self::ALL[self as usize].1.as_bytes()
    }
}

const KEYS: usize = Key::ALL.len();

/// Variables of other software that matter.
const OUTSIDE: [&str; 49] = [
    "COBALT_JOBID",
    "DXT_ENABLE_IO_TRACE",
    "FLUX_JOB_ID",
    "FLUX_JOB_SIZE",
    "FLUX_TASK_RANK",
    "HOME",
    "JOB_ID",
    "JSM_NAMESPACE_ID",
    "JSM_NAMESPACE_RANK",
    "JSM_NAMESPACE_SIZE",
    "LOADL_STEP_ID",
    "LOCAL_WORLD_SIZE",
    "LOGNAME",
    "LSB_JOBID",
    "MASTER_ADDR",
    "MASTER_PORT",
    "MPISPAWN_MPIRUN_HOST",
    "MPISPAWN_MPIRUN_PORT",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "MV2_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE",
    "OAR_JOB_ID",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_MCA_ess_base_jobid",
    "OMPI_MCA_orte_precondition_transports",
    "PALS_APID",
    "PALS_LOCAL_SIZE",
    "PALS_RANKID",
    "PALS_SIZE",
    "PBS_JOBID",
    "PMIX_NAMESPACE",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "RANK",
    "SLURM_JOBID",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
    "SLURM_PROCID",
    "SLURM_STEPID",
    "SLURM_STEP_ID",
    "SLURM_STEP_NUM_TASKS",
    "TORCHELASTIC_RUN_ID",
    "TZ",
    "WORLD_SIZE",
    "XDG_STATE_HOME",
];

/// The environment of this process, as `NAME=value` strings.
#[derive(Debug, Clone, Copy)]
pub struct Environment(*const *const c_char);

impl Environment {
    /// # Safety
    /// `strings` is null, or an array of C strings that ends with a null pointer and that nobody
    /// changes while this is used.
    pub unsafe fn new(strings: *const *const c_char) -> Self {
        Self(strings)
    }
}

impl Iterator for Environment {
    type Item = &'static [u8];

    fn next(&mut self) -> Option<&'static [u8]> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: by the contract of `new`, and the last pointer is never passed.
        unsafe {
            let string = *self.0;
            if string.is_null() {
                return None;
            }
            self.0 = self.0.add(1);
            Some(CStr::from_ptr(string).to_bytes())
        }
    }
}

/// The value of one variable.
pub(super) fn variable<'e>(
    mut environment: impl Iterator<Item = &'e [u8]>,
    name: &[u8],
) -> Option<&'e [u8]> {
    environment.find_map(|variable| variable.strip_prefix(name)?.strip_prefix(b"="))
}

/// One source of settings.
#[derive(Debug, Clone, Copy)]
pub(super) enum Level<'s> {
    File(&'s [u8]),
    Variables(&'s [Option<&'s [u8]>; KEYS]),
}

impl<'s> Level<'s> {
    /// All values of a setting.
    pub(super) fn all(self, key: Key) -> impl Iterator<Item = &'s [u8]> {
        let (file, variable) = match self {
            Self::File(text) => (text, None),
            Self::Variables(values) => (&[][..], values[key as usize]),
        };
        let in_file = value::lines(file).filter(move |(name, _)| Key::named(name) == Some(key));
        in_file.map(|(_, value)| value).chain(variable)
    }
}

/// All sources.
#[derive(Debug)]
pub(super) struct Sources<'e> {
    /// Text of the configuration file.
    pub(super) file: &'e [u8],
    darshan: [Option<&'e [u8]>; KEYS],
    own: [Option<&'e [u8]>; KEYS],
    outside: [Option<&'e [u8]>; OUTSIDE.len()],
}

impl<'e> Sources<'e> {
    pub(super) fn of(environment: impl Iterator<Item = &'e [u8]>) -> Self {
        let mut sources = Self {
            file: &[],
            darshan: [None; KEYS],
            own: [None; KEYS],
            outside: [None; OUTSIDE.len()],
        };
        for variable in environment {
            let Some(equals) = variable.iter().position(|&byte| byte == b'=') else { continue };
            let (name, value) = (&variable[..equals], &variable[equals + 1..]);
            if let Some(key) = name.strip_prefix(b"IOGLASS_").and_then(Key::named) {
                sources.own[key as usize] = Some(value);
            } else if let Some(name) = name.strip_prefix(b"DARSHAN_") {
                if let Some(key) = Key::named(name).filter(|&key| key < Key::FIRST_OWN) {
                    sources.darshan[key as usize] = Some(value);
                }
            } else if let Some(at) = OUTSIDE.iter().position(|known| known.as_bytes() == name) {
                sources.outside[at] = Some(value);
            }
        }
        sources
    }

    /// The sources, the strongest last.
    pub(super) fn levels(&self) -> [Level<'_>; 3] {
        [Level::File(self.file), Level::Variables(&self.darshan), Level::Variables(&self.own)]
    }

    /// All values of a setting, the strongest last.
    pub(super) fn all(&self, key: Key) -> impl Iterator<Item = &[u8]> {
        self.levels().into_iter().flat_map(move |level| level.all(key))
    }

    /// The value of a setting that has one.
    pub(super) fn one(&self, key: Key) -> Option<&[u8]> {
        self.all(key).last()
    }

    /// Returns true if a switch is on: any value turns Darshan's switches on.
    pub(super) fn is_set(&self, key: Key) -> bool {
        match self.own[key as usize] {
            Some(own) => value::flag(own),
            None => self.one(key).is_some(),
        }
    }

    /// A variable of other software.
    pub(super) fn outside(&self, name: &str) -> Option<&'e [u8]> {
        let at = OUTSIDE.iter().position(|&known| known == name)?;
        self.outside[at]
    }
}
