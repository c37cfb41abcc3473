//! Properties of datasets that never change, kept after a dataset is closed: the property list with
//! the chunk lengths is the most expensive of all queries about a dataset.
//!
//! A new dataset may be made at the location of an old one. So nothing is kept after one is made.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::dataset::{self, DIMENSIONS};
use super::recent::Recent;
use crate::handles::Handle;

/// The identity of a dataset, whatever its name.
#[derive(Debug, Clone, Copy)]
pub struct DatasetIdentity {
    /// Its library, and its address in the file.
    pub address: Handle,
    /// Its file, by a number that changes with each open.
    pub file: u64,
}

/// The properties of a dataset that never change.
#[derive(Debug, Clone, Copy)]
pub struct FixedProperties {
    /// Dimensions.
    pub dimensions: i64,
    /// Bytes of an element in the file.
    pub element: i64,
    /// Lengths of a chunk, the last dimension first; 0 where there is none.
    pub chunk: [i64; DIMENSIONS],
}

#[derive(Clone, Copy)]
struct Kept {
    file: u64,
    /// Number of datasets that had been made by then.
    made: u32,
    fixed: FixedProperties,
}

const NOTHING: Kept = Kept {
    file: 0,
    made: 0,
    fixed: FixedProperties { dimensions: 0, element: 0, chunk: [0; DIMENSIONS] },
};
static KEPT: Recent<Kept, 64> = Recent::new(NOTHING);
static MADE: AtomicU32 = AtomicU32::new(1);

/// Notes that a dataset was made, perhaps at the location of an old one.
pub fn forget() {
    MADE.fetch_add(1, Relaxed);
}

/// The fixed properties of a dataset, if they are known.
pub fn kept(of: DatasetIdentity) -> Option<FixedProperties> {
    dataset::locked(|| {
        // SAFETY: under the lock.
        let kept = unsafe { KEPT.get(of.address) }?;
        (kept.file == of.file && kept.made == MADE.load(Relaxed)).then_some(kept.fixed)
    })
}

/// Keeps the fixed properties of a dataset.
pub fn keep(of: DatasetIdentity, fixed: FixedProperties) {
    let kept = Kept { file: of.file, made: MADE.load(Relaxed), fixed };
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { *KEPT.take(of.address) = kept });
}
