//! Traces, passed on segment by segment.

use std::fs::File;

use ioglass_log::block::{self, Block, SectionWriter};
use ioglass_log::{DxtHead, Encode, Module, ModuleWriter};

use crate::Result;
use crate::write::Work;

/// The thread of an operation whose log does not tell.
const UNKNOWN: u64 = 0;

/// Merges a trace. A rank that has traced a file in two logs keeps two records: each has its writes
/// before its reads, so they could only be joined in memory.
pub(crate) fn merge(
    work: &mut Work<'_>,
    module: &'static Module,
    out: &mut ModuleWriter<'_, File>,
    block: &mut Block,
) -> Result<()> {
    let mut any_threads = false;
    work.each_log_with(module.id, |log, place| {
        any_threads |= place.read(log.dxt(module))?.has_threads();
        Ok(())
    })?;
    let mut threads = SectionWriter::new(block::threads_section(module));
    let mut bytes = Vec::new();
    work.each_log_with(module.id, |log, place| {
        let mut reader = place.read(log.dxt(module))?;
        while let Some(head) = place.read(reader.next_record())? {
            if !place.keeps(head.base.rank) {
                continue;
            }
            let mut base = head.base;
            base.rank = place.rank(base.rank);
            out.record(&DxtHead { base, ..head })?;
            while let Some(chunk) = place.read(reader.next_chunk())? {
                bytes.clear();
                for segment in chunk.segments {
                    let mut segment = *segment;
                    segment.start = place.shift.second(segment.start);
                    segment.end = place.shift.second(segment.end);
                    segment.encode(&mut bytes);
                }
                out.bytes(&bytes)?;
                if any_threads {
                    for i in 0..chunk.segments.len() {
                        let thread = chunk.threads.and_then(|ids| ids.get(i)).copied();
                        threads.push(&thread.unwrap_or(UNKNOWN).to_le_bytes());
                    }
                }
            }
        }
        Ok(())
    })?;
    threads.finish(block);
    Ok(())
}
