//! Deflate for what logs hold: records of one size one behind the other, paths, a few lines of text.
//!
//! Most bytes of a record are zero or those of the record before, so a match is nearly always found at
//! the first places that are tried. Compared with a general compressor at the levels that suit logs this
//! takes a quarter of the time for records, for about the same bytes, and a tenth of the memory, which
//! decides how long a program takes to end: see `docs/performance.md`.

mod bits;
mod huffman;
mod matches;

use alloc::boxed::Box;
use alloc::vec::Vec;

use bits::Bits;
use huffman::{Code, FIXED_DISTANCES, FIXED_LITERALS};
use matches::{Finder, LONGEST};

/// A match is not farther back than this.
const HISTORY: usize = 32 << 10;
/// Bytes that are taken before they are looked at.
const AT_ONCE: usize = 32 << 10;
/// Symbols that share a code.
const BLOCK: usize = 16 << 10;
/// Symbols that are too few for a code of their own.
const FEW: usize = 128;

const LITERALS: usize = 286;
const DISTANCES: usize = 30;
/// The symbol that ends a block.
const END: usize = 256;

/// How a stream goes on behind what was compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    /// With a block that begins at a whole byte and refers to nothing before it.
    Open,
    /// Not at all.
    Last,
}

/// A byte, or a match: its length above, its distance less one below.
#[derive(Debug, Clone, Copy)]
struct Symbol(u32);

/// Compresses bytes that come one after the other.
pub(crate) struct Deflate {
    /// What was compressed last, and what is still to be.
    window: Vec<u8>,
    /// Where the latter begins.
    next: usize,
    /// Made when it is known how much there is to do.
    finder: Option<Finder>,
    symbols: Vec<Symbol>,
    counts: Box<Counts>,
    bits: Bits,
}

/// How often each symbol occurs in a block.
struct Counts {
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
}

impl Counts {
    const NONE: Self = Self { literals: [0; LITERALS], distances: [0; DISTANCES] };
}

impl Deflate {
    pub(crate) fn new() -> Self {
        Self {
            window: Vec::new(),
            next: 0,
            finder: None,
            symbols: Vec::new(),
            counts: Box::new(Counts::NONE),
            bits: Bits::default(),
        }
    }

    /// Compresses bytes; what is ready goes to `out`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let room = HISTORY + AT_ONCE - self.window.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.window.extend_from_slice(now);
            bytes = later;
            if self.window.len() == HISTORY + AT_ONCE {
                // The last ones may be the beginning of a longer match.
                self.compress(self.window.len() - LONGEST, out);
                self.forget();
            }
        }
    }

    /// Compresses what is left, and ends the last block.
    pub(crate) fn finish(mut self, flush: Flush, out: &mut Vec<u8>) {
        self.compress(self.window.len(), out);
        match flush {
            Flush::Last => self.end_block(true, out),
            Flush::Open => {
                if !self.symbols.is_empty() {
                    self.end_block(false, out);
                }
                // An empty block of plain bytes.
                self.bits.put(0, 3, out);
                self.bits.align(out);
                out.extend_from_slice(&[0x00, 0x00, 0xFF, 0xFF]);
            }
        }
        self.bits.align(out);
    }

    fn compress(&mut self, until: usize, out: &mut Vec<u8>) {
        let mut finder = self.finder.take().unwrap_or_else(|| Finder::new(self.window.len()));
        while self.next < until {
            match finder.find(&self.window, self.next) {
                Some(found) => {
                    self.counts.literals[length_symbol(found.len).0] += 1;
                    self.counts.distances[distance_symbol(found.distance).0] += 1;
                    self.symbols
                        .push(Symbol((found.len as u32) << 16 | (found.distance as u32 - 1)));
                    self.next += found.len;
                }
                None => {
                    let byte = self.window[self.next];
                    self.counts.literals[usize::from(byte)] += 1;
                    self.symbols.push(Symbol(byte.into()));
                    self.next += 1;
                }
            }
            if self.symbols.len() == BLOCK {
                self.end_block(false, out);
            }
        }
        self.finder = Some(finder);
    }

    /// Drops what no match can reach any more.
    fn forget(&mut self) {
        let old = self.next.saturating_sub(HISTORY);
        self.window.drain(..old);
        self.next -= old;
        if let Some(finder) = &mut self.finder {
            finder.forget(old);
        }
    }

    fn end_block(&mut self, last: bool, out: &mut Vec<u8>) {
        self.counts.literals[END] = 1;
        self.bits.put(last.into(), 1, out);
        // To tell a code of their own would hardly ever pay.
        let own = (self.symbols.len() >= FEW).then(|| OwnCodes::of(&self.counts));
        match own.filter(|own| own.bits(&self.counts) < fixed_bits(&self.counts)) {
            Some(own) => {
                self.bits.put(0b10, 2, out);
                own.lengths.put(&mut self.bits, out);
                self.put_symbols(&own.literals, &own.distances, out);
            }
            None => {
                self.bits.put(0b01, 2, out);
                self.put_symbols(&FIXED_LITERALS, &FIXED_DISTANCES, out);
            }
        }
        *self.counts = Counts::NONE;
    }

    fn put_symbols(&mut self, literals: &Code, distances: &Code, out: &mut Vec<u8>) {
        for Symbol(symbol) in self.symbols.drain(..) {
            let (len, low) = ((symbol >> 16) as usize, symbol as usize & 0xFFFF);
            if len == 0 {
                self.bits.put_code(literals, low, out);
                continue;
            }
            let (symbol, more, bits) = length_symbol(len);
            self.bits.put_code(literals, symbol, out);
            self.bits.put(more, bits, out);
            let (symbol, more, bits) = distance_symbol(low + 1);
            self.bits.put_code(distances, symbol, out);
            self.bits.put(more, bits, out);
        }
        self.bits.put_code(literals, END, out);
    }
}

/// Codes that are told with a block.
struct OwnCodes {
    literals: Code,
    distances: Code,
    lengths: huffman::Lengths,
}

impl OwnCodes {
    fn of(counts: &Counts) -> Self {
        let literals = Code::of(&counts.literals, huffman::LONGEST);
        let distances = Code::of(&counts.distances, huffman::LONGEST);
        let lengths = huffman::Lengths::of(&literals, &distances);
        Self { literals, distances, lengths }
    }

    fn bits(&self, counts: &Counts) -> usize {
        let symbols = self.literals.bits(&counts.literals) + self.distances.bits(&counts.distances);
        self.lengths.bits() + symbols
    }
}

fn fixed_bits(counts: &Counts) -> usize {
    FIXED_LITERALS.bits(&counts.literals) + FIXED_DISTANCES.bits(&counts.distances)
}

/// Bytes that are all there, as a stream of their own.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut stream = Deflate::new();
    stream.push(bytes, &mut out);
    stream.finish(Flush::Last, &mut out);
    out
}

/// The symbol of a length, and the bits behind it: their value and number.
fn length_symbol(len: usize) -> (usize, u64, u32) {
    if len == LONGEST {
        return (285, 0, 0);
    }
    let over = len - 3;
    let bits = (usize::BITS - 1).saturating_sub((over | 1).leading_zeros()).saturating_sub(2);
    (257 + 4 * bits as usize + (over >> bits), (over & ((1 << bits) - 1)) as u64, bits)
}

/// The symbol of a distance, and the bits behind it.
fn distance_symbol(distance: usize) -> (usize, u64, u32) {
    let over = distance - 1;
    let bits = (usize::BITS - 1).saturating_sub((over | 1).leading_zeros()).saturating_sub(1);
    (2 * bits as usize + (over >> bits), (over & ((1 << bits) - 1)) as u64, bits)
}

#[cfg(all(test, feature = "std"))]
mod tests;
