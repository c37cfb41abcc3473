//! Numbers and bytes as messages have them: little-endian, lists with their length in front.

use alloc::vec::Vec;

/// Appends to a message.
pub(super) fn put(message: &mut Vec<u8>, number: u64) {
    message.extend_from_slice(&number.to_le_bytes());
}

/// Appends bytes with their number.
pub(super) fn put_bytes(message: &mut Vec<u8>, bytes: &[u8]) {
    put(message, bytes.len() as u64);
    message.extend_from_slice(bytes);
}

/// Reads a message from the front.
pub(super) struct Reader<'m>(pub(super) &'m [u8]);

impl<'m> Reader<'m> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn bytes(&mut self) -> Option<&'m [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The length of a list whose entries take at least `least` bytes each.
    pub(super) fn len(&mut self, least: usize) -> Option<usize> {
        let len = usize::try_from(self.number()?).ok()?;
        (len <= self.0.len() / least).then_some(len)
    }
}
