//! What lists of properties say that is asked for at each access or each data set that is made, and drivers, which
//! stand in such lists, at each open. To ask a library takes longer than to book the call.

use super::dataset::{self, DIMENSIONS};
use super::recent::Recent;
use crate::handles::Handle;

/// What is known of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Nothing: it was changed in a way that nobody looks into.
    Nothing,
    /// Whether ranks make accesses together.
    Together(bool),
    /// Whether this driver is that of MPI-IO.
    MpiIo(bool),
    /// Whether files are opened through MPI-IO with this list, as long as MPI opens one if so, and none if not.
    Through {
        /// They are.
        mpiio: bool,
    },
    /// Lengths of chunks, the last dimension first.
    Chunks([i64; DIMENSIONS]),
}

static LISTS: Recent<Says, 16> = Recent::new(Says::Nothing);

/// Notes what a list says.
pub fn note(list: Handle, says: Says) {
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { *LISTS.take(list) = says });
}

/// What a list says.
#[unsafe(link_section = ".text.hot")]
pub fn get(list: Handle) -> Says {
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { kept(list) })
}

/// The same under the lock.
///
/// # Safety
/// Under the lock of data sets.
#[inline]
pub(super) unsafe fn kept(list: Handle) -> Says {
    // SAFETY: as the caller says.
    unsafe { LISTS.get(list) }.map_or(Says::Nothing, |says| *says)
}
