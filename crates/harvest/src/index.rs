//! Where the entries of a region lie, so that it is gone through once.

use alloc::vec::Vec;
use core::ops::Range;

use ioglass_shm::{Entries, Entry, Kind};

use crate::{NoMemory, push};

/// Entries by kind: those that begin with the id of a record by that, others as they lie.
#[derive(Debug, Default)]
pub(crate) struct Index(Vec<Place>);

/// Kind, id, and at which byte.
type Place = (u8, u64, usize);

impl Index {
    pub(crate) fn push(&mut self, entry: &Entry<'_>) -> Result<(), NoMemory> {
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
        push(&mut self.0, (entry.kind as u8, id, entry.offset))
    }

    /// Puts them in order.
    pub(crate) fn finish(&mut self) {
        self.0.sort_unstable();
    }

    /// The entries of this kind.
    pub(crate) fn of<'r>(
        &self,
        region: &'r [u8],
        kind: Kind,
    ) -> impl Iterator<Item = Entry<'r>> + Clone + use<'_, 'r> {
        let places = self.0.get(self.range(kind)).unwrap_or_default();
        // A process that goes on may change them.
        let entry = move |place: &Place| Entries::at(region, place.2).filter(|e| e.kind == kind);
        places.iter().filter_map(entry)
    }

    fn range(&self, kind: Kind) -> Range<usize> {
        let before = |kind: u8| self.0.partition_point(|place| place.0 < kind);
        before(kind as u8)..before(kind as u8 + 1)
    }
}
