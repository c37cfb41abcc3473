//! Records of files that all ranks know, on their way to becoming one each.

use alloc::vec::Vec;
use core::cmp::Ordering;

use ioglass_log::reduce::Reduction;
use ioglass_schema::ModuleId;

/// Records by module and file, as messages have them: there may be very many, so each takes memory of its
/// own only while it is looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shared(pub(super) Vec<u8>);

/// Bytes of a record, with some to spare: room that is not used costs nothing.
const ROOM: usize = 1 << 10;

impl Shared {
    /// With room for so many.
    pub(super) fn with_room(records: usize) -> Self {
        let mut bytes = Vec::new();
        // Without it memory is taken as it is needed.
        let _ = bytes.try_reserve_exact(records.saturating_mul(ROOM));
        Self(bytes)
    }

    /// Appends a record, which comes behind all others.
    pub(crate) fn push(&mut self, record: &Reduction) {
        self.0.push(record.key().0.0);
        record.encode(&mut self.0);
    }

    pub(super) fn records(&self) -> Records<'_> {
        Records(&self.0)
    }

    /// Adds records of other ranks, as a message has them; `None` if it does not.
    pub(super) fn merge(&mut self, message: &[u8]) -> Option<()> {
        // Sums have a few words more than what they are of.
        let most = self.0.len().max(message.len());
        let mut all = Self(Vec::with_capacity(most + most / 4));
        let (mut own, mut theirs) = (self.records().peekable(), Records(message).peekable());
        loop {
            let order = match (own.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(None), _) | (_, Some(None)) => return None,
                (Some(Some(own)), Some(Some(other))) => own.key().cmp(&other.key()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            let mut record = match order {
                Ordering::Greater => theirs.next()??,
                _ => own.next()??,
            };
            if order == Ordering::Equal {
                record.merge(&theirs.next()??);
            }
            all.push(&record);
        }
        *self = all;
        Some(())
    }
}

/// Reads records one by one; `None` among them is what is no record, and the last.
pub(super) struct Records<'m>(&'m [u8]);

impl Iterator for Records<'_> {
    type Item = Option<Reduction>;

    fn next(&mut self) -> Option<Self::Item> {
        let (module, rest) = self.0.split_first()?;
        self.0 = rest;
        let record =
            ModuleId(*module).module().and_then(|module| Reduction::decode(module, &mut self.0));
        if record.is_none() {
            self.0 = &[];
        }
        Some(record)
    }
}
