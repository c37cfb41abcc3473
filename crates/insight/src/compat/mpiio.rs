//! MPI-IO records: M02 to M07.

use ioglass_log::{Log, RecordRef, mpiio};

use super::number::percent;
use super::{MOST_DETAILS, Stop, Trigger, TriggerDetail, records};
use crate::Level;
use crate::threshold::Thresholds;

/// Columns of the counters of reads, or of writes.
struct CallColumns {
    independent: usize,
    collective: usize,
    non_blocking: usize,
    bytes: usize,
}

const READ: CallColumns = CallColumns {
    independent: mpiio::INDEP_READS,
    collective: mpiio::COLL_READS,
    non_blocking: mpiio::NB_READS,
    bytes: mpiio::BYTES_READ,
};

const WRITE: CallColumns = CallColumns {
    independent: mpiio::INDEP_WRITES,
    collective: mpiio::COLL_WRITES,
    non_blocking: mpiio::NB_WRITES,
    bytes: mpiio::BYTES_WRITTEN,
};

/// Counts of calls in one direction.
#[derive(Debug, Default)]
struct CallCounts {
    independent: i64,
    collective: i64,
    non_blocking: i64,
    bytes: i64,
    /// The first records with many independent calls, most of them in this direction.
    listed: Vec<ListedRecord>,
}

#[derive(Debug)]
struct ListedRecord {
    id: u64,
    count: i64,
    percent: f64,
}

impl CallCounts {
    fn add(&mut self, record: &RecordRef<'_>, direction: &CallColumns, limits: &Thresholds) {
        let add = |sum: &mut i64, counter: usize| *sum = sum.wrapping_add(record.int[counter]);
        add(&mut self.independent, direction.independent);
        add(&mut self.collective, direction.collective);
        add(&mut self.non_blocking, direction.non_blocking);
        add(&mut self.bytes, direction.bytes);

        let count = record.int[direction.independent];
        let ways = [mpiio::INDEP_READS, mpiio::INDEP_WRITES];
        let both: i128 = ways.map(|counter| i128::from(record.int[counter])).iter().sum();
        // A share of reads and writes: collective calls do not count.
        let share = count as f64 / both as f64;
        let is_many = both as f64 > limits.collective_operations_absolute;
        if both != 0
            && share > limits.collective_operations
            && is_many
            && self.listed.len() < MOST_DETAILS
        {
            // Printed with all its digits.
            self.listed.push(ListedRecord { id: record.base.id, count, percent: share * 100.0 });
        }
    }

    fn total(&self) -> i64 {
        self.independent.wrapping_add(self.collective)
    }
}

/// Sums of the MPI-IO records of a log.
#[derive(Debug, Default)]
pub(super) struct MpiIo {
    reads: CallCounts,
    writes: CallCounts,
    /// A file is one of HDF5, by its name.
    has_hdf5_name: bool,
}

impl MpiIo {
    /// Reads the module, if the log has it.
    pub(super) fn read(log: &Log, limits: &Thresholds) -> Result<Option<Self>, Stop> {
        let mut mpiio = Self::default();
        let found = records::for_each(log, &mpiio::MODULE, |record| {
            mpiio.reads.add(&record, &READ, limits);
            mpiio.writes.add(&record, &WRITE, limits);
            let name = log.names().get(record.base.id).unwrap_or_default();
            mpiio.has_hdf5_name |= name.ends_with(b".h5") || name.ends_with(b".hdf5");
        })?;
        Ok(found.then_some(mpiio))
    }

    /// Bytes read and written.
    pub(super) fn bytes(&self) -> i64 {
        self.writes.bytes.wrapping_add(self.reads.bytes)
    }

    /// Adds the triggers that fire.
    pub(super) fn judge(&self, log: &Log, limits: &Thresholds, triggers: &mut Vec<Trigger>) {
        let names = ["mpiio_coll_reads", "mpiio_indep_reads", "total_mpiio_read_operations"];
        triggers.extend(collective(log, ["M02", "M04"], "reads", &self.reads, names, limits));
        let names = ["mpiio_coll_writes", "mpiio_indep_writes", "total_mpiio_write_operations"];
        triggers.extend(collective(log, ["M03", "M05"], "writes", &self.writes, names, limits));

        let inputs = [
            ("mpiio_nb_reads", self.reads.non_blocking),
            ("mpiio_nb_writes", self.writes.non_blocking),
            ("has_hdf5_extension", i64::from(self.has_hdf5_name)),
        ];
        for (code, noun, calls) in [("M06", "reads", &self.reads), ("M07", "writes", &self.writes)]
        {
            if calls.non_blocking == 0 {
                let message = format!("no {noun} are non-blocking");
                triggers.push(Trigger::new(code, Level::Warn, message).inputs(&inputs));
            }
        }
    }
}

/// No collective calls but many others, or any collective call at all.
fn collective(
    log: &Log,
    [without, with]: [&'static str; 2],
    noun: &str,
    calls: &CallCounts,
    names: [&'static str; 3],
    limits: &Thresholds,
) -> Option<Trigger> {
    let (collective, independent, total) = (calls.collective, calls.independent, calls.total());
    let inputs = [(names[0], collective), (names[1], independent), (names[2], total)];
    if collective != 0 {
        let part = percent(collective, total);
        let message = format!("{collective} {noun} ({part:.2} %) are collective");
        let trigger = Trigger::new(with, Level::Ok, message);
        return Some(trigger.figures(&[collective as f64, part]).inputs(&inputs));
    }
    if total as f64 <= limits.collective_operations_absolute {
        return None;
    }
    let part = percent(independent, total);
    let message = format!("no {noun} are collective, {independent} ({part:.2} %) are independent");
    let details = calls.listed.iter().map(|listed| TriggerDetail {
        path: records::path(log, listed.id),
        count: Some(listed.count),
        percent: listed.percent,
    });
    let trigger = Trigger::new(without, Level::High, message);
    let trigger = trigger.figures(&[independent as f64, part]).inputs(&inputs);
    Some(trigger.details(details.collect()))
}
