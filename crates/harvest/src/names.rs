//! The names of all records that are written.

use alloc::vec::Vec;

use ioglass_schema::record_id;
use ioglass_shm::{Kind, OpsCell, Pod};

use crate::capture::{Capture, is_used, until_nul};
use crate::{NoMemory, lustre, push};

/// Cells whose records are written, if they tell anything.
const CELLS: [Kind; 7] = [
    Kind::Posix,
    Kind::Stdio,
    Kind::Mpiio,
    Kind::H5f,
    Kind::H5d,
    Kind::PnetcdfFile,
    Kind::PnetcdfVar,
];

/// Ids and names, each once, as they came about; `others` are records that no capture names, and
/// `left_out` those whose names stand elsewhere, by id.
pub(crate) fn collect<'r>(
    captures: &[Capture<'r>],
    others: impl Iterator<Item = &'static str>,
    left_out: &[u64],
) -> Result<Vec<(u64, &'r [u8])>, NoMemory> {
    // With where they lie: names that follow each other are alike, and smaller together.
    let mut names: Vec<(u64, (usize, usize), &[u8])> = Vec::new();
    for (member, capture) in captures.iter().enumerate() {
        // Both are in order.
        let mut left_out = left_out.iter().peekable();
        for entry in capture.of(Kind::Name) {
            let Some((id, name)) = entry.bytes.split_first_chunk() else { continue };
            let id = u64::from_le_bytes(*id);
            while left_out.next_if(|out| **out < id).is_some() {}
            if left_out.peek() != Some(&&id) {
                push(&mut names, (id, (member, entry.offset), until_nul(name)))?;
            }
        }
    }
    if !names.is_empty() {
        let used = used(captures)?;
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
fn used(captures: &[Capture<'_>]) -> Result<Vec<u64>, NoMemory> {
    let mut used = Vec::new();
    for capture in captures {
        let cells = CELLS.into_iter().flat_map(|kind| capture.used(kind)).map(|(id, _)| id);
        let ops = capture.of(Kind::Ops).filter_map(|entry| OpsCell::read(entry.bytes));
        let ops = ops.filter(is_used).map(|ops| ops.id);
        let layouts = capture.of(Kind::Lustre);
        let layouts = layouts.filter_map(|entry| lustre::attribute(entry.bytes)).map(|(id, _)| id);
        for id in cells.chain(ops).chain(layouts) {
            push(&mut used, id)?;
        }
    }
    // Those of one kind are in order already, which this sort sees.
    used.sort();
    used.dedup();
    Ok(used)
}
