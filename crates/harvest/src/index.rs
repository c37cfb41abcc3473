//! Positions of the entries of a capture, found in one pass.

use alloc::vec::Vec;

use ioglass_shm::{ENTRY_ALIGN, Entries, Entry, Kind};

use crate::{NoMemory, push};

/// Entries by kind: those that begin with the id of a record by that, others as they lie.
#[derive(Debug, Default)]
pub(crate) struct Index([Vec<IndexSlot>; Kind::COUNT]);

/// An id and, below it, at which byte, one bit of which is free: as one number they are put in order in half the
/// time.
type IndexSlot = u128;

/// Set if nothing is told by an entry, so that it need not be looked at again.
const UNUSED: u128 = 1;
const _: () = assert!(ENTRY_ALIGN > UNUSED as usize);

fn offset(place: IndexSlot) -> usize {
    (place & !UNUSED) as usize
}

impl Index {
    /// Adds an entry, and whether it tells anything.
    pub(crate) fn push(&mut self, entry: &Entry<'_>, is_used: bool) -> Result<(), NoMemory> {
        let id = match entry.kind {
            Kind::Name
            | Kind::Posix
            | Kind::Stdio
            | Kind::Mpiio
            | Kind::H5f
            | Kind::H5d
            | Kind::PnetcdfFile
            | Kind::PnetcdfVar => entry.bytes.first_chunk().map_or(0, |id| u64::from_le_bytes(*id)),
            // Found by those that mention them, or nothing at all.
            Kind::MoreValues | Kind::MoreWide | Kind::None => return Ok(()),
            _ => 0,
        };
        match self.0.get_mut(entry.kind as usize) {
            Some(places) => {
                let unused = if is_used { 0 } else { UNUSED };
                push(places, u128::from(id) << 64 | entry.offset as u128 | unused)
            }
            None => Ok(()),
        }
    }

    /// Puts them in order.
    pub(crate) fn finish(&mut self) {
        self.0.iter_mut().for_each(|places| places.sort_unstable());
    }

    /// The entries of this kind.
    pub(crate) fn of<'r>(
        &self,
        capture: &'r [u8],
        kind: Kind,
    ) -> impl Iterator<Item = Entry<'r>> + Clone + use<'_, 'r> {
        // A process that goes on may change them.
        let entry = move |place: &IndexSlot| {
            Entries::at(capture, offset(*place)).filter(|entry| entry.kind == kind)
        };
        self.places(kind).iter().filter_map(entry)
    }

    /// Ids of those that tell anything, and at which byte they are.
    pub(crate) fn used(&self, kind: Kind) -> impl Iterator<Item = (u64, usize)> {
        let used = self.places(kind).iter().filter(|place| **place & UNUSED == 0);
        used.map(|place| ((place >> 64) as u64, offset(*place)))
    }

    fn places(&self, kind: Kind) -> &[IndexSlot] {
        self.0.get(kind as usize).map_or(&[], Vec::as_slice)
    }
}
