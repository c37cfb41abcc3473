//! zlib streams: deflate with a checksum.

use alloc::vec::Vec;

use crate::deflate::{Deflate, Flush};

/// First bytes of a stream.
pub(crate) const BEGIN: [u8; 2] = [0x78, 0x01];

/// The checksum of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adler(pub u32);

const MODULUS: u32 = 65521;

impl Adler {
    /// That of no bytes.
    pub const EMPTY: Self = Self(1);

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        /// Bytes that are added side by side, and so many rows of them that sums of sums stay below 2^16.
        const LANES: usize = 16;
        const ROWS: usize = 16;
        /// So many bytes that sums stay far below 2^64.
        const SAFE: usize = 64 << 10;
        let (mut a, mut b) = (u64::from(self.0 & 0xFFFF), u64::from(self.0 >> 16));
        for chunk in bytes.chunks(SAFE) {
            let (rows, rest) = chunk.as_chunks::<LANES>();
            for rows in rows.chunks(ROWS) {
                // Of each column the sum, and the sum of its sums after each row.
                let (mut sum, mut sums) = ([0_u16; LANES], [0_u16; LANES]);
                for row in rows {
                    for ((sum, sums), byte) in sum.iter_mut().zip(&mut sums).zip(row) {
                        *sum += u16::from(*byte);
                        *sums += *sum;
                    }
                }
                // A byte is in `b` as often as bytes follow it, and once more.
                let lanes = || sum.iter().zip(0_u32..);
                let before: u32 = lanes().map(|(sum, lane)| u32::from(*sum) * lane).sum();
                let sums: u32 = sums.iter().map(|sums| u32::from(*sums)).sum();
                b += a * (LANES * rows.len()) as u64 + u64::from(sums * LANES as u32 - before);
                a += u64::from(lanes().map(|(sum, _)| u32::from(*sum)).sum::<u32>());
            }
            for byte in rest {
                a += u64::from(*byte);
                b += a;
            }
            a %= u64::from(MODULUS);
            b %= u64::from(MODULUS);
        }
        self.0 = (b << 16 | a) as u32;
    }

    /// The checksum of bytes that are followed by so many others with this checksum.
    pub(crate) fn followed_by(self, other: Self, len: u64) -> Self {
        let split = |adler: Self| (u64::from(adler.0 & 0xFFFF), u64::from(adler.0 >> 16));
        let modulus = u64::from(MODULUS);
        let ((a, b), (other_a, other_b)) = (split(self), split(other));
        // Each of the later sums has this one's in it, which a stream of its own begins with 1.
        let sum = (a + other_a + modulus - 1) % modulus;
        let sums = (b + other_b + (len % modulus) * (a + modulus - 1)) % modulus;
        Self((sums << 16 | sum) as u32)
    }
}

/// A stream that is being written.
pub(crate) struct Zlib {
    body: StreamBody,
    checksum: Adler,
}

enum StreamBody {
    Compressed(Deflate),
    /// Bytes of the next block that holds them as they are.
    Stored(Vec<u8>),
}

/// Bytes of a stored block.
const STORED: usize = 2 << 10;

impl Zlib {
    /// Begins a stream.
    pub(crate) fn compressed(out: &mut Vec<u8>) -> Self {
        Self::new(StreamBody::Compressed(Deflate::new()), out)
    }

    /// Begins a stream that holds its bytes as they are.
    pub(crate) fn stored(out: &mut Vec<u8>) -> Self {
        Self::new(StreamBody::Stored(Vec::new()), out)
    }

    fn new(body: StreamBody, out: &mut Vec<u8>) -> Self {
        out.extend_from_slice(&BEGIN);
        Self { body, checksum: Adler::EMPTY }
    }

    /// Appends bytes; what is ready goes to `out`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        self.checksum.push(bytes);
        match &mut self.body {
            StreamBody::Compressed(deflate) => deflate.push(bytes, out),
            StreamBody::Stored(block) => {
                while block.len() + bytes.len() > STORED {
                    let (now, later) = bytes.split_at(STORED - block.len());
                    block.extend_from_slice(now);
                    put_stored(block, false, out);
                    block.clear();
                    bytes = later;
                }
                block.extend_from_slice(bytes);
            }
        }
    }

    /// Ends the stream.
    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        match self.body {
            StreamBody::Compressed(deflate) => deflate.finish(Flush::Last, out),
            StreamBody::Stored(block) => put_stored(&block, true, out),
        }
        out.extend_from_slice(&self.checksum.0.to_be_bytes());
    }
}

fn put_stored(block: &[u8], last: bool, out: &mut Vec<u8>) {
    let len = block.len() as u16;
    out.push(last.into());
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&(!len).to_le_bytes());
    out.extend_from_slice(block);
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn checksums_are_those_of_zlib() {
        for len in [0, 1, 15, 16, 17, 255, 256, 257, 5552, 65_535, 65_536, 65_793, 1_000_000] {
            let raw: Vec<u8> = (0..len).map(|i: u32| (i * 37 % 255) as u8 | 0xF0).collect();
            for begin in [Zlib::compressed, Zlib::stored] {
                let mut stream = Vec::new();
                let mut zlib = begin(&mut stream);
                raw.chunks(100_003).for_each(|chunk| zlib.push(chunk, &mut stream));
                zlib.finish(&mut stream);
                let mut read = Vec::new();
                // Fails if the checksum is another.
                flate2::read::ZlibDecoder::new(&stream[..]).read_to_end(&mut read).unwrap();
                assert!(read == raw, "{len}");
            }
        }
    }
}
