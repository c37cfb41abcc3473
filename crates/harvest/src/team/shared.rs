//! Records of files that all ranks know, on their way to becoming one each.

use alloc::vec::Vec;
use core::cmp::Ordering;

use ioglass_log::RecordBuf;
use ioglass_log::reduce::{Reducer, Reduction};
use ioglass_schema::ModuleId;

/// Records by module and file, as messages have them: there may be very many, so each takes memory of its
/// own only while it is looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shared(pub(super) Vec<u8>);

/// Bytes of most records.
const ROOM: usize = 384;

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

    /// Hands out the records, each of all ranks, by module and in the order in which a rank has `made` them:
    /// module, file, and when. `None` if there is anything else among them.
    pub(super) fn finish(
        &self,
        made: &[(ModuleId, u64, usize)],
        mut put: impl FnMut(&RecordBuf),
    ) -> Option<()> {
        let (mut records, mut bench) = (Records(&self.0), None);
        let mut in_order = Vec::new();
        while let Some((module, id)) = records.next()? {
            let found = made.binary_search_by_key(&(module, id), |(module, id, _)| (*module, *id));
            let when = found.ok().and_then(|at| made.get(at)).map_or(0, |(.., when)| *when);
            let body = Bench::of(&mut bench, module)?.reducer.skip(records.body()?)?;
            in_order.push((module, when, body));
        }
        in_order.sort_by_key(|(module, when, _)| (*module, *when));
        for (module, _, mut body) in in_order {
            let bench = Bench::of(&mut bench, module)?;
            bench.reducer.decode(&mut bench.own, &mut body)?;
            put(&bench.own.finish());
        }
        Some(())
    }

    /// Adds records of other ranks, as a message has them; `None` if it does not.
    pub(super) fn merge(&mut self, message: &[u8]) -> Option<()> {
        // Sums have a few words more than what they are of.
        let most = self.0.len().max(message.len());
        let mut all = Self(Vec::with_capacity(most + most / 4));
        let (mut own, mut theirs, mut bench) = (Records(&self.0), Records(message), None);
        loop {
            let (first, second) = (own.next()?, theirs.next()?);
            let order = match (first, second) {
                (None, None) => break,
                (Some(own), Some(other)) => own.cmp(&other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            let next = if order == Ordering::Greater { second } else { first };
            let (module, _) = next?;
            let bench = Bench::of(&mut bench, module)?;
            let alone = match order {
                Ordering::Less => &mut own,
                Ordering::Greater => &mut theirs,
                Ordering::Equal => {
                    bench.reducer.decode(&mut bench.own, own.body()?)?;
                    bench.reducer.decode(&mut bench.other, theirs.body()?)?;
                    bench.reducer.merge(&mut bench.own, &bench.other);
                    all.push(&bench.own);
                    continue;
                }
            };
            all.0.push(module.0);
            all.0.extend_from_slice(bench.reducer.skip(alone.body()?)?);
        }
        *self = all;
        Some(())
    }
}

/// What it takes to reduce records of one module: all of them come together.
struct Bench {
    module: ModuleId,
    reducer: Reducer,
    own: Reduction,
    other: Reduction,
}

impl Bench {
    fn of(bench: &mut Option<Self>, module: ModuleId) -> Option<&mut Self> {
        if bench.as_ref().is_none_or(|bench| bench.module != module) {
            let reducer = Reducer::of(module.module()?);
            let (own, other) = (reducer.empty(), reducer.empty());
            *bench = Some(Self { module, reducer, own, other });
        }
        bench.as_mut()
    }
}

/// Records of a message: the number of a module, then a reduction that begins with its file.
struct Records<'m>(&'m [u8]);

impl<'m> Records<'m> {
    /// Which record comes next, `Some(None)` if there are no more.
    fn next(&self) -> Option<Option<(ModuleId, u64)>> {
        let Some((module, rest)) = self.0.split_first() else { return Some(None) };
        Some(Some((ModuleId(*module), u64::from_le_bytes(*rest.first_chunk()?))))
    }

    /// The reduction of the next one; whoever reads it takes it off.
    fn body(&mut self) -> Option<&mut &'m [u8]> {
        self.0.split_off_first()?;
        Some(&mut self.0)
    }
}
