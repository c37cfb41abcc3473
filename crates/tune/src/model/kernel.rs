//! The kernels of the paper, as the sizes of what they write.

use std::fmt;
use std::str::FromStr;

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Particles: eight datasets, each rank one contiguous slab.
    Vpic,
    /// Blocks of a field: twenty steps, many short runs per rank.
    Vorpal,
    /// A mesh: ranges of cells on 26 levels, written independently.
    Gcrm,
}

/// What a kernel writes, per rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workload {
    /// Ranks.
    pub(super) ranks: f64,
    /// Bytes that are contiguous in the file.
    pub(super) run: f64,
    /// Such runs in a call.
    pub(super) runs: u32,
    /// Calls.
    pub(super) calls: f64,
    /// Bytes of a call.
    pub(super) per_call: f64,
    /// All ranks write together.
    pub(super) collective: bool,
}

impl Workload {
    /// The bytes of all ranks.
    pub(super) fn bytes(&self) -> f64 {
        self.per_call * self.calls * self.ranks
    }
}

impl Kernel {
    /// All kernels.
    pub const ALL: [Kernel; 3] = [Kernel::Vpic, Kernel::Vorpal, Kernel::Gcrm];

    /// The name that people type.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Vpic => "vpic",
            Kernel::Vorpal => "vorpal",
            Kernel::Gcrm => "gcrm",
        }
    }

    pub(super) fn workload(self, ranks: u64) -> Workload {
        let of = |run: f64, runs, calls, per_call, collective| Workload {
            ranks: ranks as f64,
            run,
            runs,
            calls,
            per_call,
            collective,
        };
        match self {
            Kernel::Vpic => of(8_388_608.0 * 4.0, 1, 8.0, 8_388_608.0 * 4.0, true),
            Kernel::Vorpal => of(2400.0, 6000, 20.0, 100.0 * 100.0 * 60.0 * 3.0 * 8.0, true),
            Kernel::Gcrm => {
                // The paper's run with 4,096 ranks has twice the steps.
                let calls = if ranks == 4096 { 20.0 } else { 10.0 };
                let run = 327_680.0 * 4.0;
                of(run, 26, calls, run * 26.0, false)
            }
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> Result<Kernel, String> {
        let found = Kernel::ALL.into_iter().find(|kernel| kernel.name() == text);
        found.ok_or_else(|| format!("no kernel '{text}'; there are vpic, vorpal and gcrm"))
    }
}
