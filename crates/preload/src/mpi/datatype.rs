//! Sizes of MPI's predefined datatypes, which are never freed: a query takes as long as counting a
//! call.

use core::sync::atomic::{AtomicI64, AtomicUsize};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::loaded;

/// Marks an entry that is being filled; no handle has this value.
const TAKEN: usize = 1;

struct KnownSize {
    datatype: AtomicUsize,
    bytes: AtomicI64,
}

/// An entry is never replaced; sizes that find no free entry are queried each time.
static SIZES: [KnownSize; 16] =
    [const { KnownSize { datatype: AtomicUsize::new(0), bytes: AtomicI64::new(0) } }; 16];

/// The entry of a handle. Handles are addresses at equal distances, or differ in their low bits.
#[inline]
fn place(datatype: usize) -> &'static KnownSize {
    &SIZES[((datatype as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize]
}

/// Bytes of a datatype, if it was kept.
#[inline]
pub(super) fn known(datatype: usize) -> Option<i64> {
    let place = place(datatype);
    let is_kept = place.datatype.load(Acquire) == datatype && datatype > TAKEN;
    is_kept.then(|| place.bytes.load(Relaxed))
}

/// Keeps the bytes of a datatype that stays.
#[cold]
pub(super) fn keep(datatype: usize, bytes: i64) {
    let place = place(datatype);
    if place.datatype.compare_exchange(0, TAKEN, Relaxed, Relaxed).is_ok() {
        place.bytes.store(bytes, Relaxed);
        place.datatype.store(datatype, Release);
    }
}

/// Begin and end of an object that may contain variables of MPI.
struct AddressRange([AtomicUsize; 2]);

impl AddressRange {
    const fn new() -> Self {
        Self([const { AtomicUsize::new(0) }; 2])
    }

    /// Returns true if an address is in it. Two threads that search for it at once find the same.
    fn has(&self, address: usize, look: impl FnOnce() -> Option<(usize, usize)>) -> bool {
        let [begin, end] = &self.0;
        if end.load(Acquire) == 0 {
            let (first, last) = look().unwrap_or((1, 1));
            begin.store(first, Relaxed);
            end.store(last, Release);
        }
        (begin.load(Relaxed)..end.load(Relaxed)).contains(&address)
    }
}

/// Returns true if a datatype is a variable of the program or of the library with a function at
/// `near`.
pub(super) fn is_variable(datatype: usize, near: usize) -> bool {
    static PROGRAM: AddressRange = AddressRange::new();
    static LIBRARY: AddressRange = AddressRange::new();
    PROGRAM.has(datatype, loaded::extent_of_program)
        || LIBRARY.has(datatype, || loaded::extent_of(near))
}
