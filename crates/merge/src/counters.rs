//! Records made of counters.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use ioglass_log::reduce::{self, Table};
use ioglass_log::{Module, RecordBuf, RegionWriter, Unit};

use crate::Result;
use crate::plan::{Key, Plan};
use crate::write::Work;

/// Merges a module. What is neither shared nor repeated is passed on as it comes.
pub(crate) fn merge(
    work: &mut Work<'_>,
    module: &'static Module,
    out: &mut RegionWriter<'_, File>,
) -> Result<()> {
    let mut keys: Vec<Key> = Vec::new();
    work.each_record(module, |record| {
        keys.push((record.base.id, record.base.rank));
        Ok(())
    })?;
    let mut plan = Plan::new(keys, work.ranks.of_mpi);
    let mut held: HashMap<Key, RecordBuf> = HashMap::new();
    // Records of all ranks, and which row is of which file.
    let mut shared = Table::new(module);
    let mut rows: BTreeMap<u64, usize> = BTreeMap::new();
    let mut joined = 0;
    work.each_record(module, |mut record| {
        let key = (record.base.id, record.base.rank);
        if let Some(left) = plan.left(key) {
            if let Some(mut before) = held.remove(&key) {
                reduce::join(&mut before, record);
                record = before;
                joined += 1;
            }
            if left > 0 {
                held.insert(key, record);
                return Ok(());
            }
        }
        if !plan.is_shared(key) {
            out.record(&record.view())?;
            return Ok(());
        }
        shared.add(*rows.entry(key.0).or_insert(shared.rows()), record.view());
        Ok(())
    })?;
    work.summary.joined += joined;
    work.summary.shared += rows.len() as u64;
    let mut record = RecordBuf::new(module);
    for row in rows.into_values() {
        shared.finish(row, &mut record);
        out.record(&record.view())?;
    }
    Ok(())
}

/// Moves the moments of a record.
pub(crate) fn shift(record: &mut RecordBuf, shift: crate::time::Shift) {
    for (counter, value) in record.module.floats.iter().zip(&mut record.float) {
        if counter.unit == Unit::Timestamp {
            *value = shift.moment(*value);
        }
    }
}
