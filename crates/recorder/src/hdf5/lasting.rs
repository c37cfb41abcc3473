//! What never changes in a data set, of those that were open before: the list of properties that tells of chunks is
//! dearer than all else that is asked about one.
//!
//! Where a data set was, another one may be made. So nothing is kept beyond that.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::dataset::{self, DIMENSIONS};
use super::recent::Recent;
use crate::handles::Handle;

/// A data set, wherever it is called what.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The library, and the address in the file.
    pub address: Handle,
    /// The file, by a number that each open of it gets anew.
    pub file: u64,
}

/// What lasts as long as a data set.
#[derive(Debug, Clone, Copy)]
pub struct Lasting {
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
    /// How often data sets had been made by then.
    made: u32,
    lasting: Lasting,
}

const NOTHING: Kept = Kept {
    file: 0,
    made: 0,
    lasting: Lasting { dimensions: 0, element: 0, chunk: [0; DIMENSIONS] },
};
static KEPT: Recent<Kept, 64> = Recent::new(NOTHING);
static MADE: AtomicU32 = AtomicU32::new(1);

/// Notes that a data set was made, perhaps where another one was.
pub fn forget() {
    MADE.fetch_add(1, Relaxed);
}

/// What lasts of a data set, if it is known.
pub fn kept(of: Place) -> Option<Lasting> {
    dataset::locked(|| {
        // SAFETY: under the lock.
        let kept = unsafe { KEPT.get(of.address) }?;
        (kept.file == of.file && kept.made == MADE.load(Relaxed)).then_some(kept.lasting)
    })
}

/// Keeps what lasts of a data set.
pub fn keep(of: Place, lasting: Lasting) {
    let kept = Kept { file: of.file, made: MADE.load(Relaxed), lasting };
    // SAFETY: under the lock.
    dataset::locked(|| unsafe { *KEPT.take(of.address) = kept });
}
