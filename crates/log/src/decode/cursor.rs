//! Numbers out of bytes in either byte order.

use crate::bytes::Order;

/// Reads numbers one after the other; missing bytes read as zero, so callers check sizes first.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    order: Order,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], order: Order) -> Self {
        Self { rest: bytes, order }
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> u64 {
        let raw = self.array();
        match self.order {
            Order::Little => u64::from_le_bytes(raw),
            Order::Big => u64::from_be_bytes(raw),
        }
    }

    pub(crate) fn i64(&mut self) -> i64 {
        self.u64().cast_signed()
    }

    pub(crate) fn f64(&mut self) -> f64 {
        f64::from_bits(self.u64())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        let raw = self.array();
        match self.order {
            Order::Little => u32::from_le_bytes(raw),
            Order::Big => u32::from_be_bytes(raw),
        }
    }

    /// Fills `numbers` with the next ones, all at once.
    pub(crate) fn fill(&mut self, numbers: &mut [i64]) {
        let (bytes, rest) = self.rest.split_at(self.rest.len().min(8 * numbers.len()));
        let (words, _) = bytes.as_chunks();
        match self.order {
            Order::Little => numbers.iter_mut().zip(words).for_each(|(number, word)| {
                *number = i64::from_le_bytes(*word);
            }),
            Order::Big => numbers.iter_mut().zip(words).for_each(|(number, word)| {
                *number = i64::from_be_bytes(*word);
            }),
        }
        numbers[words.len()..].fill(0);
        self.rest = rest;
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        if let Some((array, rest)) = self.rest.split_first_chunk() {
            self.rest = rest;
            return *array;
        }
        let mut array = [0; N];
        array[..self.rest.len()].copy_from_slice(self.rest);
        self.rest = &[];
        array
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}
