//! Deflate for what logs hold: records of one size one behind the other, paths, a few lines of text.
//!
//! Most bytes of a record are zero or those of the record before, so a match is nearly always found at
//! the first places that are tried. Compared with a general compressor at the levels that suit logs this
//! takes a quarter of the time for records, for some percent fewer bytes, and a tenth of the memory, which
//! decides how long a program takes to end: see `docs/performance.md`.

mod bits;
mod huffman;
mod matches;
mod places;

use alloc::boxed::Box;
use alloc::vec::Vec;

use bits::Bits;
use huffman::{Code, FIXED_DISTANCES, FIXED_LITERALS};
use matches::{BEHIND, Finder, LONGEST, Match};

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

/// The continuation of a stream after the bytes that were compressed.
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
    /// Bytes that were compressed last, then bytes that are still to be.
    window: Vec<u8>,
    /// Position of the first byte that is not compressed.
    next: usize,
    /// Made when it is known how much there is to do.
    finder: Option<Finder>,
    /// A match that begins one byte before, if the one there may be better.
    held: Match,
    symbols: Vec<Symbol>,
    counts: Box<Counts>,
    bits: Bits,
}

/// Number of occurrences of each symbol in a block.
struct Counts {
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
}

impl Counts {
    const NONE: Self = Self { literals: [0; LITERALS], distances: [0; DISTANCES] };
}

impl core::fmt::Debug for Deflate {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Deflate").finish_non_exhaustive()
    }
}

impl Deflate {
    pub(crate) fn new() -> Self {
        Self {
            window: Vec::new(),
            next: 0,
            finder: None,
            held: Match::NONE,
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
                self.compress(self.window.len() - LONGEST - BEHIND, out);
                self.forget();
            }
        }
    }

    /// Compresses what is left, and ends the last block.
    pub(crate) fn finish(mut self, flush: Flush, out: &mut Vec<u8>) {
        self.window.extend_from_slice(&[0; BEHIND]);
        self.compress(self.window.len() - BEHIND, out);
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
        let (mut next, mut held) = (self.next, self.held);
        while next < until {
            let found = finder.find(&self.window, next);
            if !held.is_none() {
                let before = core::mem::replace(&mut held, Match::NONE);
                if !before.is_worse_than(found) {
                    finder.learn(before);
                    self.put_match(before, out);
                    next += before.len() - 1;
                    continue;
                }
                self.put_byte(self.window[next - 1], out);
            }
            if found.is_none() {
                self.put_byte(self.window[next], out);
                next += 1;
            } else if finder.may_be_worse(found) {
                held = found;
                next += 1;
            } else {
                finder.learn(found);
                self.put_match(found, out);
                next += found.len();
            }
        }
        (self.next, self.held, self.finder) = (next, held, Some(finder));
    }

    #[inline]
    fn put_byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.counts.literals[usize::from(byte)] += 1;
        self.put_symbol(Symbol(byte.into()), out);
    }

    #[inline]
    fn put_match(&mut self, found: Match, out: &mut Vec<u8>) {
        self.counts.literals[length_symbol(found.len()).0] += 1;
        self.counts.distances[distance_symbol(found.distance()).0] += 1;
        self.put_symbol(Symbol((found.len() as u32) << 16 | (found.distance() as u32 - 1)), out);
    }

    #[inline]
    fn put_symbol(&mut self, symbol: Symbol, out: &mut Vec<u8>) {
        self.symbols.push(symbol);
        if self.symbols.len() == BLOCK {
            self.end_block(false, out);
        }
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
        // In registers meanwhile.
        let mut bits = core::mem::take(&mut self.bits);
        for Symbol(symbol) in self.symbols.drain(..) {
            let (len, low) = ((symbol >> 16) as usize, symbol as u16);
            if len == 0 {
                bits.put_code(literals, usize::from(low as u8), out);
            } else {
                bits.put_code_and(literals, length_symbol(len), out);
                bits.put_code_and(distances, distance_symbol(usize::from(low) + 1), out);
            }
        }
        bits.put_code(literals, END, out);
        self.bits = bits;
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
