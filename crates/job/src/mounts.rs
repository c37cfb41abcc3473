//! Mounted file systems, as a log lists them.

use std::fs;

use ioglass_log::Mount;

/// The mounted file systems of this machine.
pub fn mounts() -> Vec<Mount> {
    ioglass_harvest::mounts(&fs::read("/proc/self/mounts").unwrap_or_default())
}
