//! Modules with shapes of their own, and those that nobody knows.

use std::collections::HashSet;
use std::fs::File;

use ioglass_log::mdhim::Mdhim;
use ioglass_log::{
    Apmpi, ApmpiHeader, Apxc, FixedRecord, LogWriter, Lustre, MdhimServers, ModuleId, ModuleWriter,
    RecordBuf,
};

use crate::Result;
use crate::counters;
use crate::plan::{Key, Plan};
use crate::write::Work;

/// Layouts of files: the same on every rank, so one stands for all that have it.
pub(crate) fn lustre(work: &mut Work<'_>, out: &mut ModuleWriter<'_, File>) -> Result<()> {
    let mut keys: Vec<Key> = Vec::new();
    work.each_special(|file: Lustre, place| {
        keys.push((file.base.id, place.rank(file.base.rank)));
        Ok(())
    })?;
    let plan = Plan::new(keys, work.ranks.of_mpi);
    let mut written: HashSet<Key> = HashSet::new();
    work.each_special(|mut file: Lustre, place| {
        file.base.rank = place.rank(file.base.rank);
        if plan.is_shared((file.base.id, file.base.rank)) {
            file.base.rank = -1;
        }
        if written.insert((file.base.id, file.base.rank)) {
            out.record(&file)?;
        }
        Ok(())
    })
}

/// Counters of a store, rank by rank.
pub(crate) fn mdhim(work: &mut Work<'_>, out: &mut ModuleWriter<'_, File>) -> Result<()> {
    work.each_special(|mut store: MdhimServers, place| {
        let mut record = RecordBuf::from(store.record.view());
        counters::shift(&mut record, place.shift);
        record.base.rank = place.rank(record.base.rank);
        store.record = Mdhim::from_ref(record.view()).unwrap_or(store.record);
        Ok(out.record(&store)?)
    })
}

/// MPI calls of each rank, behind one header whose variances are those of all ranks.
pub(crate) fn apmpi(work: &mut Work<'_>, out: &mut ModuleWriter<'_, File>) -> Result<()> {
    let mut header: Option<ApmpiHeader> = None;
    let mut times = [Variance::default(); 2];
    work.each_special(|record: Apmpi, _| {
        match record {
            Apmpi::Header(own) => header = header.or(Some(own)),
            Apmpi::Rank(rank) => times.iter_mut().zip(rank.global).for_each(|(v, t)| v.add(t)),
        }
        Ok(())
    })?;
    let Some(mut header) = header else { return Ok(()) };
    if work.inputs.iter().filter(|input| input.has(ioglass_log::apmpi::MODULE.id)).count() > 1 {
        header.variances = times.map(Variance::value);
    }
    out.record(&Apmpi::Header(header))?;
    work.each_special(|record: Apmpi, place| {
        let Apmpi::Rank(mut rank) = record else { return Ok(()) };
        rank.base.rank = place.rank(rank.base.rank);
        Ok(out.record(&Apmpi::Rank(rank))?)
    })
}

/// Counters of routers. One that several logs have is the same router, seen by another.
pub(crate) fn apxc(work: &mut Work<'_>, out: &mut ModuleWriter<'_, File>) -> Result<()> {
    let mut has_header = false;
    let mut seen: HashSet<[i64; 4]> = HashSet::new();
    work.each_special(|record: Apxc, place| {
        match record {
            Apxc::Header(_) if has_header => {}
            Apxc::Header(header) => {
                has_header = true;
                out.record(&Apxc::Header(header))?;
            }
            Apxc::Router(mut router) if seen.insert(router.place) => {
                router.base.rank = place.rank(router.base.rank);
                out.record(&Apxc::Router(router))?;
            }
            Apxc::Router(_) => {}
        }
        Ok(())
    })
}

/// A module of which nothing is known: one log's can be copied, several cannot be put together.
pub(crate) fn unknown(
    work: &mut Work<'_>,
    id: ModuleId,
    writer: &mut LogWriter<File>,
) -> Result<()> {
    if work.inputs.iter().filter(|input| input.has(id)).count() > 1 {
        work.summary.left_out.push(format!("module {}", id.0));
        return Ok(());
    }
    work.each_log_with(id, |log, place| {
        let mut out = writer.raw_module(id, log.module_info(id).version)?;
        let mut written = Ok(());
        place.read(log.for_each_raw_piece(id, |piece| {
            if written.is_ok() {
                written = out.bytes(piece);
            }
        }))?;
        written?;
        Ok(out.finish()?)
    })
}

/// Population variance of values that come one by one.
#[derive(Debug, Clone, Copy, Default)]
struct Variance {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Variance {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
    }

    fn value(self) -> f64 {
        if self.count > 0.0 { self.squares / self.count } else { 0.0 }
    }
}
