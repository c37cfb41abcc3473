//! Records in memory: those made of counters, and the modules with shapes of their own.

mod apmpi;
mod apxc;
mod dxt;
mod heatmap;
mod lustre;
mod mdhim;

use alloc::vec;
use alloc::vec::Vec;

use ioglass_schema::{Base, Module, RecordRef};

pub use apmpi::{Apmpi, ApmpiHeader, ApmpiRank};
pub use apxc::{Apxc, ApxcHeader, ApxcRouter};
pub use dxt::{DxtHead, Segment};
pub use heatmap::Heatmap;
pub use lustre::{Lustre, LustreComponent};
pub use mdhim::MdhimServers;

/// A record of a module known only at run time.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordBuf {
    /// The module it belongs to.
    pub module: &'static Module,
    /// Id and rank.
    pub base: Base,
    /// The record this one belongs to, if its module has such a link.
    pub link: Vec<u64>,
    /// Integer counters.
    pub int: Vec<i64>,
    /// Floating-point counters.
    pub float: Vec<f64>,
    /// UUIDs after the counters.
    pub uuids: Vec<[u8; 16]>,
    /// Words after the UUIDs.
    pub words: Vec<u64>,
}

impl RecordBuf {
    /// A record with every counter at zero.
    pub fn new(module: &'static Module) -> Self {
        Self {
            module,
            base: Base::default(),
            link: vec![0; usize::from(module.link.is_some())],
            int: vec![0; module.ints.len()],
            float: vec![0.0; module.floats.len()],
            uuids: vec![[0; 16]; module.uuids],
            words: vec![0; module.words],
        }
    }

    /// The record, borrowed.
    pub fn view(&self) -> RecordRef<'_> {
        RecordRef {
            module: self.module,
            base: self.base,
            link: &self.link,
            int: &self.int,
            float: &self.float,
            uuids: &self.uuids,
            words: &self.words,
        }
    }
}

impl From<RecordRef<'_>> for RecordBuf {
    fn from(record: RecordRef<'_>) -> Self {
        Self {
            module: record.module,
            base: record.base,
            link: record.link.into(),
            int: record.int.into(),
            float: record.float.into(),
            uuids: record.uuids.into(),
            words: record.words.into(),
        }
    }
}

/// A record that can be stored in a log, in the version that is written.
pub trait Encode {
    /// Appends the record's bytes.
    fn encode(&self, bytes: &mut Vec<u8>);

    /// The module it belongs to, if it can belong to one only.
    fn module(&self) -> Option<&'static Module> {
        None
    }
}

impl Encode for RecordRef<'_> {
    fn module(&self) -> Option<&'static Module> {
        Some(self.module)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.reserve(self.module.record_size(self.module.version));
        encode_base(self.base, bytes);
        extend_u64(bytes, self.link);
        extend_i64(bytes, self.int);
        extend_f64(bytes, self.float);
        for uuid in self.uuids {
            bytes.extend_from_slice(uuid);
        }
        extend_u64(bytes, self.words);
    }
}

fn encode_base(base: Base, bytes: &mut Vec<u8>) {
    extend_u64(bytes, &[base.id]);
    extend_i64(bytes, &[base.rank]);
}

fn extend_u64(bytes: &mut Vec<u8>, numbers: &[u64]) {
    extend(bytes, numbers, |number| number.to_le_bytes());
}

fn extend_i64(bytes: &mut Vec<u8>, numbers: &[i64]) {
    extend(bytes, numbers, |number| number.to_le_bytes());
}

fn extend_f64(bytes: &mut Vec<u8>, numbers: &[f64]) {
    extend(bytes, numbers, |number| number.to_le_bytes());
}

/// All at once, because there are many.
fn extend<T>(bytes: &mut Vec<u8>, numbers: &[T], encode: impl Fn(&T) -> [u8; 8]) {
    let start = bytes.len();
    bytes.resize(start + 8 * numbers.len(), 0);
    let places = bytes[start..].as_chunks_mut().0;
    places.iter_mut().zip(numbers).for_each(|(place, number)| *place = encode(number));
}

/// Appends `text`, cut or padded with NULs to `size` bytes of which the last is NUL.
fn extend_padded(bytes: &mut Vec<u8>, text: &[u8], size: usize) {
    let end = bytes.len() + size;
    bytes.extend_from_slice(&text[..text.len().min(size - 1)]);
    bytes.resize(end, 0);
}
