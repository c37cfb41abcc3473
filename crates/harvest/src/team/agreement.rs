//! The facts on which ranks must agree before each makes its part.

use alloc::vec::Vec;

use ioglass_schema::ModuleId;
use ioglass_shm::{Api, MIN_WIDTH_NS};

use super::wire::{Reader, put};
use crate::heat::Scale;
use crate::metadata::{self, Cost};
use crate::{NoMemory, push};

/// The facts that some ranks have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Start of the first, in nanoseconds since 1970.
    pub(super) start_ns: u64,
    /// End of the last.
    pub(super) end_ns: u64,
    /// Bins of heat maps are at least this wide.
    pub(super) width_ns: u64,
    /// Interfaces that have heat maps.
    pub(super) used: [bool; Api::ALL.len()],
    /// The files that all of them know, by module and id.
    pub(super) ids: Vec<(ModuleId, Vec<u64>)>,
    /// The costliest directories for metadata calls, by id.
    pub(super) directories: Vec<Cost>,
}

/// Directories that ranks tell each other of: more than a log names, because one may be costly only
/// for all ranks together.
pub(super) const DIRECTORIES: usize = 2 * metadata::NAMED;

impl Agreement {
    /// The agreement of a rank that knows nothing.
    pub(super) fn empty() -> Self {
        Self {
            start_ns: u64::MAX,
            end_ns: 0,
            width_ns: MIN_WIDTH_NS,
            used: [false; Api::ALL.len()],
            ids: Vec::new(),
            directories: Vec::new(),
        }
    }

    /// Makes it the agreement of these ranks and others.
    pub fn merge(&mut self, other: &Self) {
        self.start_ns = self.start_ns.min(other.start_ns);
        self.end_ns = self.end_ns.max(other.end_ns);
        self.width_ns = self.width_ns.max(other.width_ns);
        for (used, other) in self.used.iter_mut().zip(other.used) {
            *used |= other;
        }
        for (module, ids) in &mut self.ids {
            let theirs = other.ids.iter().find(|(other, _)| other == module);
            let mut theirs = theirs.map_or(&[][..], |(_, ids)| ids).iter().peekable();
            // Both are in order.
            ids.retain(|id| {
                while theirs.next_if(|other| *other < id).is_some() {}
                theirs.peek() == Some(&id)
            });
        }
        self.ids.retain(|(_, ids)| !ids.is_empty());
        let mut both = core::mem::take(&mut self.directories);
        both.extend_from_slice(&other.directories);
        self.directories = metadata::costliest(metadata::sum(both), DIRECTORIES);
    }

    /// The directories that have a name in the log, by id.
    pub(super) fn named(&self) -> Vec<Cost> {
        metadata::costliest(self.directories.clone(), metadata::NAMED)
    }

    pub(super) fn scale(&self) -> Scale {
        let start_ns = self.start_ns.min(self.end_ns);
        Scale::with(start_ns, self.end_ns, self.width_ns, self.used)
    }

    /// The files that all know in any module, by id.
    pub(super) fn shared_ids(&self) -> Result<Vec<u64>, NoMemory> {
        let mut all = Vec::new();
        for id in self.ids.iter().flat_map(|(_, ids)| ids) {
            push(&mut all, *id)?;
        }
        all.sort_unstable();
        Ok(all)
    }

    /// As a message.
    pub fn encode(&self) -> Vec<u8> {
        let mut message = Vec::new();
        let used = self.used.iter().fold(0, |bits, used| bits << 1 | u64::from(*used));
        for number in [self.start_ns, self.end_ns, self.width_ns, used, self.ids.len() as u64] {
            put(&mut message, number);
        }
        for (module, ids) in &self.ids {
            put(&mut message, module.0.into());
            put(&mut message, ids.len() as u64);
            message.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        }
        put(&mut message, self.directories.len() as u64);
        for (id, ns) in &self.directories {
            put(&mut message, *id);
            put(&mut message, *ns);
        }
        message
    }

    /// Reads a message; `None` if it is none.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let mut reader = Reader(message);
        let (start_ns, end_ns) = (reader.number()?, reader.number()?);
        let width_ns = reader.number().filter(|width| *width >= MIN_WIDTH_NS)?;
        let bits = reader.number()?;
        let mut used = [false; Api::ALL.len()];
        for (i, used) in used.iter_mut().rev().enumerate() {
            *used = bits >> i & 1 != 0;
        }
        let mut ids = Vec::new();
        for _ in 0..reader.len(16)? {
            let module = ModuleId(u8::try_from(reader.number()?).ok()?);
            let count = reader.len(8)?;
            let list: Option<Vec<u64>> = (0..count).map(|_| reader.number()).collect();
            ids.push((module, list?));
        }
        let mut directories = Vec::new();
        for _ in 0..reader.len(16)? {
            directories.push((reader.number()?, reader.number()?));
        }
        Some(Self { start_ns, end_ns, width_ns, used, ids, directories })
    }
}
