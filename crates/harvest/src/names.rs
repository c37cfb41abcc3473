//! The names of all records that are written.

use alloc::vec::Vec;

use ioglass_schema::record_id;
use ioglass_shm::{
    H5dCell, H5fCell, Kind, MpiioCell, OpsCell, PnetcdfFileCell, PnetcdfVarCell, Pod,
};
use ioglass_shm::{PosixCell, StdioCell};

use crate::counters::Cell;
use crate::glance::Glance;
use crate::region::{Region, is_used, until_nul};
use crate::{NoMemory, lustre, push};

/// The id of a record, if it is written.
type IdOf = fn(&[u8]) -> Option<u64>;

/// Entries whose records are written, if they tell anything, and of which file.
const WRITTEN: [(Kind, IdOf); 9] = [
    (Kind::Posix, used_id::<PosixCell>),
    (Kind::Stdio, used_id::<StdioCell>),
    (Kind::Mpiio, used_id::<MpiioCell>),
    (Kind::H5f, used_id::<H5fCell>),
    (Kind::H5d, used_id::<H5dCell>),
    (Kind::PnetcdfFile, used_id::<PnetcdfFileCell>),
    (Kind::PnetcdfVar, used_id::<PnetcdfVarCell>),
    (Kind::Ops, |bytes| OpsCell::read(bytes).filter(is_used).map(|cell| cell.id)),
    (Kind::Lustre, |bytes| lustre::attribute(bytes).map(|(id, _)| id)),
];

/// Ids and names, each once, as they came about; `others` are records that no region names, and
/// `left_out` those whose names stand elsewhere, by id.
pub(crate) fn collect<'r>(
    regions: &[Region<'r>],
    others: impl Iterator<Item = &'static str>,
    left_out: &[u64],
) -> Result<Vec<(u64, &'r [u8])>, NoMemory> {
    // With where they lie: names that follow each other are alike, and smaller together.
    let mut names: Vec<(u64, (usize, usize), &[u8])> = Vec::new();
    for (member, region) in regions.iter().enumerate() {
        // Both are in order.
        let mut left_out = left_out.iter().peekable();
        for entry in region.of(Kind::Name) {
            let Some((id, name)) = entry.bytes.split_first_chunk() else { continue };
            let id = u64::from_le_bytes(*id);
            while left_out.next_if(|out| **out < id).is_some() {}
            if left_out.peek() != Some(&&id) {
                push(&mut names, (id, (member, entry.offset), until_nul(name)))?;
            }
        }
    }
    if !names.is_empty() {
        let used = used(regions)?;
        names.retain(|(id, _, name)| !name.is_empty() && used.binary_search(id).is_ok());
    }
    for name in others {
        push(&mut names, (record_id(name.as_bytes()), (usize::MAX, 0), name.as_bytes()))?;
    }
    names.sort_by_key(|(id, place, _)| (*id, *place));
    names.dedup_by_key(|(id, ..)| *id);
    names.sort_by_key(|(_, place, _)| *place);
    let mut in_order = Vec::new();
    names.iter().try_for_each(|(id, _, name)| push(&mut in_order, (*id, *name)))?;
    Ok(in_order)
}

/// The records that are written, by id.
fn used(regions: &[Region<'_>]) -> Result<Vec<u64>, NoMemory> {
    let mut used = Vec::new();
    for region in regions {
        for (kind, id) in WRITTEN {
            for id in region.of(kind).filter_map(|entry| id(entry.bytes)) {
                push(&mut used, id)?;
            }
        }
    }
    // Those of one kind are in order already, which this sort sees.
    used.sort();
    used.dedup();
    Ok(used)
}

fn used_id<C: Cell>(bytes: &[u8]) -> Option<u64> {
    Glance::at_used::<C>(bytes).map(|cell| cell.id())
}
