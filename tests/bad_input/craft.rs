//! Logs made to hurt, byte by byte: the writer of the crate under test would not write them.

use std::io::Write;

use flate2::write::ZlibEncoder;

/// Number of a compression in a header.
pub(crate) const ZLIB: u8 = 0;
pub(crate) const BZIP2: u8 = 1;
pub(crate) const PLAIN: u8 = 2;

/// Parts of a log, as they are stored.
#[derive(Debug, Clone)]
pub(crate) struct Craft {
    pub(crate) version: &'static str,
    pub(crate) compression: u8,
    pub(crate) job: Vec<u8>,
    pub(crate) names: Vec<u8>,
    /// Number in the header, version, bytes.
    pub(crate) modules: Vec<(usize, u32, Vec<u8>)>,
    /// What follows the last log region.
    pub(crate) tail: Vec<u8>,
}

impl Craft {
    /// A sound log without records.
    pub(crate) fn new(compression: u8) -> Self {
        Self {
            version: "3.41",
            compression,
            job: compress(compression, &job(&[7, 1000, 0, 1010, 0, 4, 42], b"./app\nlustre\t/")),
            names: Vec::new(),
            modules: Vec::new(),
            tail: Vec::new(),
        }
    }

    pub(crate) fn names(mut self, raw: &[u8]) -> Self {
        self.names = compress(self.compression, raw);
        self
    }

    pub(crate) fn module(mut self, number: usize, version: u32, raw: &[u8]) -> Self {
        self.modules.push((number, version, compress(self.compression, raw)));
        self
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        let slots = if self.is_old() { 16 } else { 64 };
        let mut log_regions = vec![0; self.header_size()];
        log_regions.extend_from_slice(&self.job);
        let mut extents = vec![[0, 0]; 1 + slots];
        let mut versions = vec![0; slots];
        let mut put = |extent: &mut [u64; 2], bytes: &[u8]| {
            *extent = [log_regions.len() as u64, bytes.len() as u64];
            log_regions.extend_from_slice(bytes);
        };
        put(&mut extents[0], &self.names);
        for (number, version, bytes) in &self.modules {
            versions[*number] = *version;
            put(&mut extents[1 + number], bytes);
        }
        log_regions.extend_from_slice(&self.tail);

        let mut header = Vec::new();
        header.extend_from_slice(self.version.as_bytes());
        header.resize(8, 0);
        header.extend_from_slice(&6_567_223_u64.to_le_bytes());
        header.push(self.compression);
        header.resize(self.map_start(), 0);
        header.extend(extents.iter().flatten().flat_map(|number| number.to_le_bytes()));
        header.extend(versions.iter().flat_map(|version: &u32| version.to_le_bytes()));
        log_regions[..header.len()].copy_from_slice(&header);
        log_regions
    }

    /// The log with one place in its header replaced: entry 0 are the names, then modules.
    pub(crate) fn build_with_extent(&self, entry: usize, offset: u64, len: u64) -> Vec<u8> {
        let mut bytes = self.build();
        let at = self.map_start() + 16 * entry;
        bytes[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        bytes[at + 8..at + 16].copy_from_slice(&len.to_le_bytes());
        bytes
    }

    pub(crate) fn header_size(&self) -> usize {
        if self.is_old() { 360 } else { 1328 }
    }

    fn map_start(&self) -> usize {
        if self.is_old() { 24 } else { 32 }
    }

    fn is_old(&self) -> bool {
        self.version != "3.41"
    }
}

/// A job log region: the numbers, metadata, then command line and mounts.
pub(crate) fn job(numbers: &[i64], text: &[u8]) -> Vec<u8> {
    let mut bytes = words(numbers);
    bytes.resize(bytes.len() + 1024, 0);
    bytes.extend_from_slice(text);
    bytes.push(0);
    bytes
}

pub(crate) fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn compress(compression: u8, raw: &[u8]) -> Vec<u8> {
    match compression {
        ZLIB => {
            let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(raw).unwrap();
            encoder.finish().unwrap()
        }
        BZIP2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
            encoder.write_all(raw).unwrap();
            encoder.finish().unwrap()
        }
        _ => raw.to_vec(),
    }
}

/// `times` streams of `raw`, one after the other; nothing forbids that in a log region.
pub(crate) fn repeated(compression: u8, raw: &[u8], times: usize) -> Vec<u8> {
    compress(compression, raw).repeat(times)
}
