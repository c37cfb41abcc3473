//! Lustre layouts.

use alloc::vec::Vec;

use ioglass_schema::Base;
use ioglass_schema::Module;
use ioglass_schema::lustre::POOL_SIZE;

use super::{Encode, encode_base, extend_i64};
use crate::bytes::until_nul;

/// The layout of one file on its storage targets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lustre {
    /// Id and rank.
    pub base: Base,
    /// Parts of the file with a layout of their own.
    pub components: Vec<LustreComponent>,
    /// Storage targets of all components, one after the other.
    pub osts: Vec<i64>,
}

/// A part of a file with one layout.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LustreComponent {
    /// Bytes in a stripe; −1 marks a component that is not in use.
    pub stripe_size: i64,
    /// Storage targets.
    pub stripe_count: i64,
    /// Pattern, or −1 if unknown.
    pub pattern: i64,
    /// Flags, or −1 if unknown.
    pub flags: i64,
    /// First byte of the file it covers.
    pub start: i64,
    /// End of what it covers, or −1 for the end of the file.
    pub end: i64,
    /// Mirror, or −1 if unknown.
    pub mirror: i64,
    /// Pool of targets; empty if none.
    pub pool: [u8; POOL_SIZE],
}

impl Lustre {
    /// The targets of each component.
    pub fn targets(&self) -> impl Iterator<Item = (&LustreComponent, &[i64])> {
        let mut rest = &self.osts[..];
        self.components.iter().map(move |component| {
            let count = usize::try_from(component.stripe_count).unwrap_or(0).min(rest.len());
            let (own, after) = rest.split_at(count);
            rest = after;
            (component, own)
        })
    }
}

impl LustreComponent {
    /// The integers, in the order of the table in `ioglass-schema`.
    pub fn counters(&self) -> [i64; 7] {
        [
            self.stripe_size,
            self.stripe_count,
            self.pattern,
            self.flags,
            self.start,
            self.end,
            self.mirror,
        ]
    }

    /// The integers, in the order of the table in `ioglass-schema`, to be set.
    pub fn counters_mut(&mut self) -> [&mut i64; 7] {
        [
            &mut self.stripe_size,
            &mut self.stripe_count,
            &mut self.pattern,
            &mut self.flags,
            &mut self.start,
            &mut self.end,
            &mut self.mirror,
        ]
    }

    /// The pool's name without padding.
    pub fn pool_name(&self) -> &[u8] {
        until_nul(&self.pool)
    }
}

impl Encode for Lustre {
    fn module(&self) -> Option<&'static Module> {
        Some(&ioglass_schema::lustre::MODULE)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        encode_base(self.base, bytes);
        extend_i64(bytes, &[self.components.len() as i64, self.osts.len() as i64]);
        for component in &self.components {
            extend_i64(bytes, &component.counters());
            bytes.extend_from_slice(&component.pool);
        }
        extend_i64(bytes, &self.osts);
    }
}
