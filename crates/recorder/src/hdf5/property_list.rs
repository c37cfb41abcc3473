//! The settings of property lists that are needed for each access or new dataset, and the drivers
//! of files, which such lists hold, for each open. A query to the library takes longer than booking
//! the call.

use super::dataset::{self, DIMENSIONS};
use super::recent::Recent;
use crate::handles::Handle;

/// The known setting of a property list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListSetting {
    /// Nothing: it was changed in a way that is not recorded.
    Nothing,
    /// True if accesses are collective.
    Together(bool),
    /// True if this driver is that of MPI-IO.
    MpiIo(bool),
    /// The use of MPI-IO by files opened with this list. It holds as long as MPI opens a file if
    /// `mpiio` is true, and none otherwise.
    Through {
        /// True if files are opened through MPI-IO.
        mpiio: bool,
    },
    /// Lengths of chunks, the last dimension first.
    Chunks([i64; DIMENSIONS]),
}

static LISTS: Recent<ListSetting, 16> = Recent::new(ListSetting::Nothing);

/// Notes the setting of a list.
pub fn note(list: Handle, setting: ListSetting) {
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { *LISTS.take(list) = setting });
}

/// The setting of a list.
#[unsafe(link_section = ".text.hot")]
pub fn get(list: Handle) -> ListSetting {
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { kept(list) })
}

/// The setting of a list, for a caller that holds the lock.
///
/// # Safety
/// The caller holds the lock of datasets.
#[inline]
pub(super) unsafe fn kept(list: Handle) -> ListSetting {
    // SAFETY: guaranteed by the caller.
    unsafe { LISTS.get(list) }.map_or(ListSetting::Nothing, |setting| *setting)
}
