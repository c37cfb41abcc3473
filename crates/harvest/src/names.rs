//! The names of all records that are written.

use alloc::vec::Vec;

use ioglass_schema::record_id;
use ioglass_shm::{Kind, OpsCell, Pod, PosixCell, StdioCell};

use crate::counters::Cell;
use crate::region::{Region, is_used, until_nul};
use crate::{NoMemory, push};

/// Ids and names, each once, by id; `others` are records that no region names.
pub(crate) fn collect<'r>(
    regions: &[Region<'r>],
    others: impl Iterator<Item = &'static str>,
) -> Result<Vec<(u64, &'r [u8])>, NoMemory> {
    let mut used = Vec::new();
    let mut names: Vec<(u64, &[u8])> = Vec::new();
    for entry in regions.iter().flat_map(Region::entries) {
        let id = match entry.kind {
            Kind::Posix => PosixCell::read(entry.bytes).filter(Cell::is_used).map(|cell| cell.id),
            Kind::Stdio => StdioCell::read(entry.bytes).filter(Cell::is_used).map(|cell| cell.id),
            Kind::Ops => OpsCell::read(entry.bytes).filter(is_used).map(|cell| cell.id),
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
    names.retain(|(id, name)| !name.is_empty() && used.binary_search(id).is_ok());
    names.sort_by_key(|(id, _)| *id);
    names.dedup_by_key(|(id, _)| *id);
    Ok(names)
}
