//! Bits, the lowest of a byte first.

use alloc::vec::Vec;

use super::huffman::Code;

/// Bits that do not fill a word yet.
#[derive(Debug, Default)]
pub(super) struct Bits {
    pending: u64,
    count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits of `value`, 32 at most; the others are 0.
    #[inline]
    pub(super) fn put(&mut self, value: u64, count: u32, out: &mut Vec<u8>) {
        self.pending |= value << self.count;
        self.count += count;
        if self.count >= 32 {
            out.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.count -= 32;
        }
    }

    #[inline]
    pub(super) fn put_code(&mut self, code: &Code, symbol: usize, out: &mut Vec<u8>) {
        self.put(code.word[symbol].into(), code.len[symbol].into(), out);
    }

    /// Appends a symbol, and the bits behind it: their value and number.
    #[inline]
    pub(super) fn put_code_and(
        &mut self,
        code: &Code,
        (symbol, more, bits): (usize, u64, u32),
        out: &mut Vec<u8>,
    ) {
        let (word, len) = (u64::from(code.word[symbol]), u32::from(code.len[symbol]));
        self.put(word | more << len, len + bits, out);
    }

    /// Goes on at a whole byte.
    pub(super) fn align(&mut self, out: &mut Vec<u8>) {
        let bytes = self.count.div_ceil(8) as usize;
        out.extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
        *self = Self::default();
    }
}
