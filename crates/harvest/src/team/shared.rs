//! Records of files that all ranks know, on their way to becoming one each.

use alloc::vec::Vec;

use ioglass_log::RecordBuf;
use ioglass_log::reduce::RecordTable;
use ioglass_schema::ModuleId;

/// Records by module and file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shared(Vec<RecordTable>);

impl Shared {
    /// Appends the records of a module, which comes behind all others.
    pub(crate) fn push(&mut self, records: RecordTable) {
        self.0.push(records);
    }

    /// Hands out the records, each of all ranks, by module and in the order in which a rank has `made` them:
    /// module, file, and when.
    pub(super) fn finish(&self, made: &[(ModuleId, u64, usize)], mut put: impl FnMut(&RecordBuf)) {
        for table in &self.0 {
            let module = table.module();
            let when = |row: &usize| {
                let key = (module.id, table.id(*row));
                let found = made.binary_search_by_key(&key, |(module, id, _)| (*module, *id));
                found.ok().and_then(|at| made.get(at)).map_or(0, |(.., when)| *when)
            };
            let mut rows: Vec<usize> = (0..table.rows()).collect();
            rows.sort_by_cached_key(when);
            let mut record = RecordBuf::new(module);
            for row in rows {
                table.finish(row, &mut record);
                put(&record);
            }
        }
    }

    /// As part of a message.
    pub(super) fn encode(&self, message: &mut Vec<u8>) {
        for table in &self.0 {
            message.push(table.module().id.0);
            table.encode(message);
        }
    }

    /// Adds records of other ranks, as a message has them; `None` if it does not, or not of the same files.
    pub(super) fn merge(&mut self, mut message: &[u8]) -> Option<()> {
        let is_first = self.0.is_empty();
        let mut own = self.0.iter_mut();
        let mut others = Vec::new();
        while let Some(module) = message.split_off_first() {
            let table = RecordTable::decode(ModuleId(*module).module()?, &mut message)?;
            match own.next() {
                Some(own) => own.merge(&table)?,
                None => others.push(table),
            }
        }
        if own.next().is_some() || !is_first && !others.is_empty() {
            return None;
        }
        self.0.append(&mut others);
        Some(())
    }
}
