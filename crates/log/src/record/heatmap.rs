//! Heat maps: bytes over time.

use alloc::vec::Vec;

use ioglass_schema::Base;
use ioglass_schema::Module;

use super::{Encode, encode_base, extend_f64, extend_i64};

/// Bytes moved by one rank through one interface, slice by slice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heatmap {
    /// Id and rank.
    pub base: Base,
    /// Seconds of one bin.
    pub bin_width: f64,
    /// Bytes written in each bin.
    pub writes: Vec<i64>,
    /// Bytes read in each bin; as many bins as `writes`.
    pub reads: Vec<i64>,
}

impl Encode for Heatmap {
    fn module(&self) -> Option<&'static Module> {
        Some(&ioglass_schema::heatmap::MODULE)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_base(self.base, bytes);
        extend_f64(bytes, &[self.bin_width]);
        // Two words hold pointers of the writing process, which mean nothing in a file.
        extend_i64(bytes, &[self.writes.len() as i64, 0, 0]);
        extend_i64(bytes, &self.writes);
        extend_i64(bytes, &self.reads);
    }
}
