//! Codes that are short for what is frequent, and how a block tells them.

use alloc::vec;
use alloc::vec::Vec;

use super::bits::Bits;
use super::{DISTANCES, LITERALS};

/// The most bits of a symbol, and of a symbol that tells a length.
pub(super) const LONGEST: usize = 15;
const LONGEST_OF_LENGTHS: usize = 7;
/// Symbols of the largest alphabet.
const MOST: usize = 288;

/// A code: bits and their number for each symbol.
pub(super) struct Code {
    pub(super) word: [u16; MOST],
    pub(super) len: [u8; MOST],
}

impl Code {
    /// The best code for symbols that occur so often, of no more than so many bits each.
    pub(super) fn of(counts: &[u32], longest: usize) -> Self {
        // Streams are often short and use few symbols: what is set up grows with those.
        let mut used = Vec::with_capacity(counts.len());
        let each = counts.iter().zip(0_u16..).filter(|(count, _)| **count > 0);
        used.extend(each.map(|(count, symbol)| (*count, symbol)));
        used.sort_unstable();
        let of_length = lengths(&used, longest);
        let mut len = [0; MOST];
        let mut rarest_first = used.iter();
        for (length, symbols) in of_length.iter().enumerate().rev() {
            for (_, symbol) in rarest_first.by_ref().take(usize::from(*symbols)) {
                len[usize::from(*symbol)] = length as u8;
            }
        }
        Self::with_lengths(len, counts.len())
    }

    /// Codes of one length are numbers that follow each other, behind those of shorter ones.
    const fn with_lengths(len: [u8; MOST], symbols: usize) -> Self {
        let mut next = [0_u16; LONGEST + 2];
        let mut symbol = 0;
        while symbol < symbols {
            if len[symbol] > 0 {
                next[len[symbol] as usize + 1] += 1;
            }
            symbol += 1;
        }
        let mut length = 1;
        while length < LONGEST {
            next[length + 1] += next[length];
            next[length + 1] <<= 1;
            length += 1;
        }
        let mut word = [0; MOST];
        symbol = 0;
        while symbol < symbols {
            let length = len[symbol];
            if length > 0 {
                word[symbol] = next[length as usize].reverse_bits() >> (16 - length);
                next[length as usize] += 1;
            }
            symbol += 1;
        }
        Self { word, len }
    }

    /// Bits that so many symbols take, without the extra bits after symbols.
    pub(super) fn bits(&self, counts: &[u32]) -> usize {
        counts.iter().zip(self.len).map(|(count, len)| *count as usize * usize::from(len)).sum()
    }

    /// Symbols up to the last that has a code.
    fn used(&self) -> usize {
        self.len.iter().rposition(|len| *len > 0).map_or(0, |last| last + 1)
    }
}

/// Number of symbols that get a code of each length, rarest first in `used`.
fn lengths(used: &[(u32, u16)], longest: usize) -> [u16; LONGEST + 1] {
    let mut of_length = [0; LONGEST + 1];
    let leaves = used.len();
    if leaves < 2 {
        of_length[1] = leaves as u16;
        return of_length;
    }
    // The two lightest trees become one until one is left. Those that were made come in the order of
    // their weight, as the symbols do, so the lightest is the next of either.
    let mut weight = Vec::with_capacity(2 * leaves);
    weight.extend(used.iter().map(|(count, _)| *count));
    let mut parent = vec![0_u16; 2 * leaves];
    let (mut leaf, mut tree) = (0, leaves);
    for made in leaves..2 * leaves - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            let is_leaf = leaf < leaves && (tree == made || weight[leaf] <= weight[tree]);
            let lightest = if is_leaf { &mut leaf } else { &mut tree };
            sum += weight[*lightest];
            parent[*lightest] = made as u16;
            *lightest += 1;
        }
        weight.push(sum);
    }
    let mut depth = vec![0_u8; 2 * leaves];
    for node in (0..2 * leaves - 2).rev() {
        depth[node] = depth[usize::from(parent[node])] + 1;
    }
    for depth in &depth[..leaves] {
        of_length[usize::from(*depth).min(longest)] += 1;
    }
    // Where codes were cut, they are too many: a shorter one is split in two until all fit.
    let taken = |of_length: &[u16]| -> u32 {
        let each = of_length[1..=longest].iter().zip(1..);
        each.map(|(symbols, length)| u32::from(*symbols) << (longest - length)).sum()
    };
    while taken(&of_length) > 1 << longest {
        let split = of_length[..longest].iter().rposition(|symbols| *symbols > 0).unwrap_or(0);
        of_length[split] -= 1;
        of_length[split + 1] += 2;
        of_length[longest] -= 1;
    }
    of_length
}

/// The codes that need not be told.
pub(super) static FIXED_LITERALS: Code = {
    let mut len = [8; MOST];
    let mut symbol = 144;
    while symbol < 280 {
        len[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    Code::with_lengths(len, MOST)
};
pub(super) static FIXED_DISTANCES: Code = {
    let mut len = [0; MOST];
    let mut symbol = 0;
    while symbol < DISTANCES + 2 {
        len[symbol] = 5;
        symbol += 1;
    }
    Code::with_lengths(len, MOST)
};

/// The lengths of two codes as a block tells them: runs of lengths, in a code of their own.
pub(super) struct Lengths {
    literals: usize,
    distances: usize,
    /// Symbol, value of the bits behind it, and their number.
    runs: Vec<(u8, u8, u8)>,
    counts: [u32; SYMBOLS],
    code: Code,
}

const SYMBOLS: usize = 19;
/// In this order the lengths of the code of lengths are told.
const ORDER: [usize; SYMBOLS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

impl Lengths {
    pub(super) fn of(literals: &Code, distances: &Code) -> Self {
        let (used, distances_used) = (literals.used(), distances.used().max(1));
        let mut all = [0; LITERALS + DISTANCES];
        let all = &mut all[..used + distances_used];
        all[..used].copy_from_slice(&literals.len[..used]);
        all[used..].copy_from_slice(&distances.len[..distances_used]);
        let mut runs = Vec::with_capacity(all.len());
        for run in all.chunk_by(|a, b| a == b) {
            push_run(&mut runs, run[0], run.len());
        }
        let mut counts = [0; SYMBOLS];
        for (symbol, _, _) in &runs {
            counts[usize::from(*symbol)] += 1;
        }
        let code = Code::of(&counts, LONGEST_OF_LENGTHS);
        Self { literals: used, distances: distances_used, runs, counts, code }
    }

    fn told(&self) -> usize {
        ORDER
            .iter()
            .rposition(|symbol| self.code.len[*symbol] > 0)
            .map_or(4, |last| last + 1)
            .max(4)
    }

    /// Bits that they take.
    pub(super) fn bits(&self) -> usize {
        let behind: usize = self.runs.iter().map(|run| usize::from(run.2)).sum();
        14 + 3 * self.told() + self.code.bits(&self.counts) + behind
    }

    pub(super) fn put(&self, bits: &mut Bits, out: &mut Vec<u8>) {
        let told = self.told();
        bits.put(self.literals as u64 - 257, 5, out);
        bits.put(self.distances as u64 - 1, 5, out);
        bits.put(told as u64 - 4, 4, out);
        for symbol in &ORDER[..told] {
            bits.put(self.code.len[*symbol].into(), 3, out);
        }
        for (symbol, more, count) in &self.runs {
            bits.put_code(&self.code, usize::from(*symbol), out);
            bits.put((*more).into(), (*count).into(), out);
        }
    }
}

/// Tells that a length occurs so often.
fn push_run(runs: &mut Vec<(u8, u8, u8)>, length: u8, mut times: usize) {
    if length > 0 {
        runs.push((length, 0, 0));
        times -= 1;
    }
    while times > 0 {
        let (symbol, least, most, bits) = match (length, times) {
            (_, ..3) => (length, 1, 1, 0),
            (0, 3..11) => (17, 3, 10, 3),
            (0, _) => (18, 11, 138, 7),
            (_, _) => (16, 3, 6, 2),
        };
        let told = times.min(most);
        runs.push((symbol, (told - least) as u8, bits));
        times -= told;
    }
}
