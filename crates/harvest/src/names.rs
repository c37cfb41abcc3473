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

/// Ids and names, each once, by id; `others` are records that no region names, and `left_out` those
/// whose names stand elsewhere, by id.
pub(crate) fn collect<'r>(
    regions: &[Region<'r>],
    others: impl Iterator<Item = &'static str>,
    left_out: &[u64],
) -> Result<Vec<(u64, &'r [u8])>, NoMemory> {
    let mut used = Vec::new();
    let mut names: Vec<(u64, &[u8])> = Vec::new();
    for entry in regions.iter().flat_map(Region::entries) {
        let id = match entry.kind {
            Kind::Posix => used_id::<PosixCell>(entry.bytes),
            Kind::Stdio => used_id::<StdioCell>(entry.bytes),
            Kind::Mpiio => used_id::<MpiioCell>(entry.bytes),
            Kind::H5f => used_id::<H5fCell>(entry.bytes),
            Kind::H5d => used_id::<H5dCell>(entry.bytes),
            Kind::PnetcdfFile => used_id::<PnetcdfFileCell>(entry.bytes),
            Kind::PnetcdfVar => used_id::<PnetcdfVarCell>(entry.bytes),
            Kind::Ops => OpsCell::read(entry.bytes).filter(is_used).map(|cell| cell.id),
            Kind::Lustre => lustre::attribute(entry.bytes).map(|(id, _)| id),
            Kind::Name => {
                if let Some((id, name)) = entry.bytes.split_first_chunk() {
                    push(&mut names, (u64::from_le_bytes(*id), until_nul(name)))?;
                }
                None
            }
            _ => None,
        };
        if let Some(id) = id {
            push(&mut used, id)?;
        }
    }
    for name in others {
        push(&mut used, record_id(name.as_bytes()))?;
        push(&mut names, (record_id(name.as_bytes()), name.as_bytes()))?;
    }
    used.sort_unstable();
    used.dedup();
    let is_wanted =
        |id: &u64| used.binary_search(id).is_ok() && left_out.binary_search(id).is_err();
    names.retain(|(id, name)| !name.is_empty() && is_wanted(id));
    names.sort_by_key(|(id, _)| *id);
    names.dedup_by_key(|(id, _)| *id);
    Ok(names)
}

/// The id of a record, if it is written.
fn used_id<C: Cell>(bytes: &[u8]) -> Option<u64> {
    Glance::at_used::<C>(bytes).map(|cell| cell.id())
}
