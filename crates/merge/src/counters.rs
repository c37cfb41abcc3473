//! Records made of counters.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use ioglass_log::reduce::{self, RecordTable};
use ioglass_log::{Module, ModuleWriter, RecordBuf, Rule, Unit};

use crate::Result;
use crate::plan::{Key, Plan};
use crate::write::Work;

/// Merges a module. What is neither shared nor repeated is passed on as it comes.
pub(crate) fn merge(
    work: &mut Work<'_>,
    module: &'static Module,
    out: &mut ModuleWriter<'_, File>,
) -> Result<()> {
    let mut keys: Vec<Key> = Vec::new();
    work.each_record(module, |record| {
        keys.push((record.base.id, record.base.rank));
        Ok(())
    })?;
    let mut plan = Plan::new(keys, work.ranks.of_mpi);
    let mut held: HashMap<Key, RecordBuf> = HashMap::new();
    // Records of all ranks, and which row is of which file.
    let mut shared = RecordTable::new(module);
    let mut rows: BTreeMap<u64, usize> = BTreeMap::new();
    let mut joined = 0;
    work.each_record(module, |mut record| {
        let key = (record.base.id, record.base.rank);
        if let Some(left) = plan.left(key) {
            if let Some(before) = held.remove(&key) {
                record = joined_of(before, record);
                joined += 1;
            }
            if left > 0 {
                held.insert(key, record);
                return Ok(());
            }
        }
        if key.1 == ALL && plan.becomes_one(key.0) {
            held.insert(key, record);
            return Ok(());
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
    for (id, row) in rows {
        let mut record = RecordBuf::new(module);
        shared.finish(row, &mut record);
        // What all ranks did before, such as until MPI ended, is one record already.
        if let Some(before) = held.remove(&(id, ALL)) {
            record = joined_of(before, record);
            work.summary.joined += 1;
        }
        out.record(&record.view())?;
    }
    Ok(())
}

/// The rank of a record that is of all ranks.
const ALL: i64 = -1;

/// One record of two, of the same rank or both of all. Who was the fastest and the slowest of all is told of that in
/// which the slowest took longer: nobody knows what each rank did in both.
fn joined_of(one: RecordBuf, other: RecordBuf) -> RecordBuf {
    let slowest = |record: &RecordBuf| {
        let floats = record.module.floats.iter().zip(&record.float);
        let mut times = floats.filter(|(counter, _)| matches!(counter.rule, Rule::Slowest { .. }));
        times.next().map_or(0.0, |(_, time)| *time)
    };
    let is_longer = slowest(&other) > slowest(&one);
    let (mut into, from) = if is_longer { (other, one) } else { (one, other) };
    reduce::join(&mut into, from);
    into
}

/// Moves the moments of a record.
pub(crate) fn shift(record: &mut RecordBuf, shift: crate::time::Shift) {
    for (counter, value) in record.module.floats.iter().zip(&mut record.float) {
        if counter.unit == Unit::Timestamp {
            *value = shift.moment(*value);
        }
    }
}
