//! Heads and segments of traces.

use alloc::vec::Vec;

use ioglass_schema::Base;
use ioglass_schema::dxt::HOSTNAME_SIZE;

use super::{Encode, encode_base, extend_f64, extend_i64, extend_padded};

/// The head before the segments of one file on one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DxtHead {
    /// Id and rank.
    pub base: Base,
    /// Reserved for traces shared by ranks; 0.
    pub shared: i64,
    /// Host the rank ran on.
    pub hostname: Vec<u8>,
    /// Segments that are writes; they come first.
    pub writes: u64,
    /// Segments that are reads.
    pub reads: u64,
}

/// One traced operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Segment {
    /// First byte; −1 if it is not known.
    pub offset: i64,
    /// Bytes.
    pub length: i64,
    /// Begin, in seconds since the job began.
    pub start: f64,
    /// End, in seconds since the job began.
    pub end: f64,
}

impl DxtHead {
    /// Writes and reads together.
    pub fn segments(&self) -> u64 {
        self.writes.saturating_add(self.reads)
    }
}

impl Encode for DxtHead {
    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_base(self.base, bytes);
        extend_i64(bytes, &[self.shared]);
        extend_padded(bytes, &self.hostname, HOSTNAME_SIZE);
        extend_i64(bytes, &[self.writes.cast_signed(), self.reads.cast_signed()]);
    }
}

impl Encode for Segment {
    fn encode(&self, bytes: &mut Vec<u8>) {
        extend_i64(bytes, &[self.offset, self.length]);
        extend_f64(bytes, &[self.start, self.end]);
    }
}
