//! Positions in a list, found by number and name.

use alloc::vec::Vec;

use crate::NoMemory;

/// A table of positions that says when memory is refused. Each slot has a position and one, or 0.
#[derive(Debug, Default)]
pub(super) struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    /// The position of what has this key, among those that have its hash.
    pub(super) fn find(
        &self,
        number: u64,
        name: &[u8],
        is_same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(number, name) as usize & mask;
        while self.slots[slot] != 0 {
            let position = self.slots[slot] - 1;
            if is_same(position) {
                return Some(position);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Adds a position; `key_of` tells the key of those that are there.
    pub(super) fn insert<'k>(
        &mut self,
        number: u64,
        name: &[u8],
        position: u32,
        key_of: impl Fn(u32) -> (u64, &'k [u8]),
    ) -> Result<(), NoMemory> {
        if (self.used + 1) * 2 > self.slots.len() {
            let mut slots = Vec::new();
            let size = (self.slots.len() * 2).max(16);
            slots.try_reserve_exact(size).map_err(|_| NoMemory)?;
            slots.resize(size, 0);
            for old in core::mem::replace(&mut self.slots, slots) {
                if old != 0 {
                    let (number, name) = key_of(old - 1);
                    self.put(hash(number, name), old);
                }
            }
        }
        self.put(hash(number, name), position + 1);
        self.used += 1;
        Ok(())
    }

    fn put(&mut self, hash: u64, value: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = value;
    }
}

fn hash(number: u64, name: &[u8]) -> u64 {
    /// A number without pattern, from the golden ratio.
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = (number ^ ODD).wrapping_mul(ODD);
    for byte in name {
        hash = (hash.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(ODD);
    }
    hash ^ hash >> 32
}
