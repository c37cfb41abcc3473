//! Counters that most modules have in common.

use ioglass_schema::{Counter, Module, RecordRef};

/// Time and bytes of one rank in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankShare {
    pub(crate) time: f64,
    pub(crate) bytes: i64,
}

impl RankShare {
    pub(crate) fn of(landmarks: &Landmarks, record: RecordRef<'_>) -> Self {
        let int = |index: Option<usize>| index.map_or(0, |i| record.int[i]);
        let float = |index: Option<usize>| index.map_or(0.0, |i| record.float[i]);
        Self {
            // The reference adds in this order.
            time: float(landmarks.read_time)
                + float(landmarks.write_time)
                + float(landmarks.meta_time),
            bytes: int(landmarks.bytes_read).wrapping_add(int(landmarks.bytes_written)),
        }
    }
}

/// Indices of the counters that most modules share, found by the ends of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landmarks {
    pub(crate) bytes_read: Option<usize>,
    pub(crate) bytes_written: Option<usize>,
    pub(crate) max_byte_read: Option<usize>,
    pub(crate) max_byte_written: Option<usize>,
    pub(crate) read_time: Option<usize>,
    pub(crate) write_time: Option<usize>,
    pub(crate) meta_time: Option<usize>,
    pub(crate) slowest_time: Option<usize>,
}

impl Landmarks {
    pub(crate) fn of(module: &Module) -> Self {
        let find = |counters: &[Counter], end: &str| {
            counters.iter().position(|counter| {
                let head = counter.name.strip_suffix(end);
                head.is_some_and(|head| !head.contains("MAX") || end.starts_with("_MAX"))
            })
        };
        Self {
            bytes_read: find(module.ints, "_BYTES_READ"),
            bytes_written: find(module.ints, "_BYTES_WRITTEN"),
            max_byte_read: find(module.ints, "_MAX_BYTE_READ"),
            max_byte_written: find(module.ints, "_MAX_BYTE_WRITTEN"),
            read_time: find(module.floats, "_READ_TIME"),
            write_time: find(module.floats, "_WRITE_TIME"),
            meta_time: find(module.floats, "_META_TIME"),
            slowest_time: find(module.floats, "_SLOWEST_RANK_TIME"),
        }
    }
}
