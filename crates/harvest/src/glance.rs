//! A look at a cell where it lies: what is asked of all cells is in a few of its words.

use core::mem::offset_of;

use ioglass_schema::{Counter, FixedRecord, Module, Unit};
use ioglass_shm::{
    H5dCell, H5fCell, MpiioCell, PnetcdfFileCell, PnetcdfVarCell, PosixCell, StdioCell,
};

use crate::counters::Cell;

/// Position of the counters in every cell; times follow them.
const INTS: usize = 16;

macro_rules! assert_places {
    ($($cell:ty)*) => {$(
        const _: () = {
            let ints = <$cell as Cell>::Record::MODULE.ints.len();
            assert!(offset_of!($cell, id) == 0 && offset_of!($cell, int) == INTS);
            assert!(offset_of!($cell, tick) == INTS + 8 * ints);
        };
    )*};
}
const _: () = assert!(offset_of!(PosixCell, number) == 8 && offset_of!(MpiioCell, number) == 8);
assert_places!(PosixCell StdioCell MpiioCell H5fCell H5dCell PnetcdfFileCell PnetcdfVarCell);

/// A cell where it lies.
#[derive(Clone, Copy)]
pub(crate) struct Glance<'r> {
    bytes: &'r [u8],
    module: &'static Module,
}

impl<'r> Glance<'r> {
    /// The cell at the start of `bytes`, if they are enough.
    pub(crate) fn at<C: Cell>(bytes: &'r [u8]) -> Option<Self> {
        Some(Self { bytes: bytes.get(..size_of::<C>())?, module: C::Record::MODULE })
    }

    pub(crate) fn id(&self) -> u64 {
        self.word(0)
    }

    /// By which a trace names it.
    pub(crate) fn number(&self) -> u64 {
        self.word(8)
    }

    pub(crate) fn int(&self, counter: usize) -> i64 {
        self.word(INTS + 8 * counter).cast_signed()
    }

    /// Times in ticks, and what they are.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = (&'static Counter, u64)> {
        let (bytes, first) = (*self, INTS + 8 * self.module.ints.len());
        let floats = self.module.floats.iter().enumerate();
        floats.map(move |(i, counter)| (counter, bytes.word(first + 8 * i)))
    }

    /// Returns true if any counter counts anything.
    pub(crate) fn counts_anything(&self) -> bool {
        let mut ints = self.module.ints.iter().enumerate();
        ints.any(|(i, counter)| counter.unit == Unit::Count && self.int(i) > 0)
    }

    fn word(&self, at: usize) -> u64 {
        let word = self.bytes.get(at..).and_then(<[u8]>::first_chunk);
        word.map_or(0, |word| u64::from_ne_bytes(*word))
    }
}
