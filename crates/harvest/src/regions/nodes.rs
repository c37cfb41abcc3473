//! The nodes of a process: its regions with their figures, parents first.

use alloc::vec::Vec;

use ioglass_profile::{Builder, Kind, Node, Row};
use ioglass_shm::{EXACT_EXECUTIONS, Ending, RegionCell, RegionKind, step_of};

use super::cells::Cells;
use super::rows;
use crate::capture::Capture;
use crate::time::Timeline;
use crate::{NoMemory, push};

/// The nodes of a capture, in the order of the numbers of its regions. `last` is the last tick that
/// is known of the process.
pub(super) fn nodes<'r>(
    builder: &mut Builder,
    capture: &Capture<'_>,
    cells: &Cells<'r>,
    time: &Timeline,
    last: u64,
) -> Result<Vec<Node<'r>>, NoMemory> {
    let mut nodes = Vec::new();
    let executions = capture.header.region_executions.clamp(1, u32::MAX.into());
    let step = step_of(executions - 1, EXACT_EXECUTIONS);
    let ends_by_exec = capture.ending() == Ending::Exec;
    for same in cells.regions.chunk_by(|a, b| a.number == b.number) {
        let Some(first) = same.first() else { continue };
        let mut rows: Vec<Row> = Vec::new();
        for cell in same {
            // A process that goes on may have been seen between two executions.
            let cell = if ends_by_exec { rows::ended(cell, last) } else { *cell };
            let mut row = rows::row(builder, cells, &cell, time, last, capture)?;
            let block = u64::from(cell.execution) / step * step;
            row.execution = block as u32;
            row.more_executions = step.min(executions.saturating_sub(block)).max(1) as u32 - 1;
            match rows.last_mut().filter(|before| before.execution == row.execution) {
                Some(before) => before.add(row)?,
                None => push(&mut rows, row)?,
            }
        }
        let mut tags = Vec::new();
        for tag in cells.tags_of(first.number) {
            push(&mut tags, (cells.text(tag.key), cells.text(tag.text)))?;
        }
        let node = Node {
            parent: cells.place(first.parent).and_then(|at| u32::try_from(at).ok()),
            name: cells.text(first.name),
            kind: kind(same),
            file: cells.text(first.file),
            line: first.line,
            thread: first.thread,
            tags,
            rows,
        };
        push(&mut nodes, node)?;
    }
    Ok(nodes)
}

fn kind(same: &[RegionCell]) -> Kind {
    let is = |kind: RegionKind| same.iter().any(|cell| cell.kind == kind as u32);
    if is(RegionKind::Iteration) {
        Kind::Iteration
    } else if is(RegionKind::Span) {
        Kind::Span
    } else {
        Kind::Region
    }
}
