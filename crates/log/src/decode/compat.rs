//! Records of older module versions, brought to the current counters.
//!
//! A table's `since` column says which counters a version has; the rest of what changed between
//! versions is here.

use ioglass_schema::{Counter, Module, bgq, pnetcdf_file, posix};

use super::Cursor;
use crate::bytes::Order;
use crate::record::RecordBuf;

/// Streams counted inside POSIX version 1, between `MMAPS` and `FSYNCS`.
const POSIX_V1_STREAM_COUNTERS: usize = 4;

/// Bytes of one stored record, including fields that no longer exist.
pub(crate) fn stored_size(module: &Module, version: u32) -> usize {
    let dropped = if is(module, &posix::MODULE) && version == 1 {
        8 * POSIX_V1_STREAM_COUNTERS
    } else if is(module, &bgq::MODULE) && version == 1
        || is(module, &pnetcdf_file::MODULE) && version < 3
    {
        8
    } else {
        0
    };
    module.record_size(version) + dropped
}

/// Fills `record` from `bytes`, which are [`stored_size`] long. False means that the record
/// cannot be expressed in current counters and is left out, as the reference does.
pub(crate) fn decode(record: &mut RecordBuf, version: u32, order: Order, bytes: &[u8]) -> bool {
    let module = record.module;
    let mut cursor = Cursor::new(bytes, order);
    record.base.id = cursor.u64();
    record.base.rank = cursor.i64();
    let mut keep = true;

    for link in &mut record.link {
        let stored = module.link.is_some_and(|link| version >= link.since);
        *link = if stored { cursor.u64() } else { 0 };
    }
    if is(module, &bgq::MODULE) && version == 1 {
        cursor.u64();
    }
    let mut independent_opens = 0;
    if is(module, &pnetcdf_file::MODULE) && version < 3 {
        independent_opens = cursor.i64();
    }
    // Logs have many records, and nearly all are of a version with every counter.
    let has_all = version >= module.version;
    if has_all {
        cursor.fill(&mut record.int);
    }
    for (i, (value, counter)) in record.int.iter_mut().zip(module.ints).enumerate() {
        if has_all {
            break;
        }
        if is(module, &posix::MODULE) && version == 1 && i == posix::FSYNCS {
            let mut streams = [0; POSIX_V1_STREAM_COUNTERS];
            streams.fill_with(|| cursor.i64());
            keep = streams[0] <= 0;
        }
        *value = if stored(counter, version) { cursor.i64() } else { counter.absent() };
    }
    if independent_opens != 0 {
        let opens = &mut record.int[pnetcdf_file::OPENS];
        *opens = opens.wrapping_add(independent_opens);
    }
    for (value, counter) in record.float.iter_mut().zip(module.floats) {
        *value = if stored(counter, version) { cursor.f64() } else { -1.0 };
    }
    for uuid in &mut record.uuids {
        *uuid = cursor.array();
    }
    for word in &mut record.words {
        *word = cursor.u64();
    }
    keep
}

fn stored(counter: &Counter, version: u32) -> bool {
    counter.since <= version
}

fn is(module: &Module, other: &Module) -> bool {
    module.id == other.id
}
