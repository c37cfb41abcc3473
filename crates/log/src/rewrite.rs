//! A log written anew: same contents, current format.

use ioglass_schema::{Layout, Module, dxt};

use crate::block::{self, Block};
use crate::codec::Compression;
use crate::error::{Error, Region};
use crate::read::Log;
use crate::read::Special;
use crate::record::{Apmpi, Apxc, Encode, Heatmap, Lustre, MdhimServers};
use crate::write::{LogWriter, RegionWriter, Sink, WriteError};

/// Why a copy failed.
#[derive(Debug, thiserror::Error)]
pub enum CopyError<E: std::error::Error + 'static> {
    /// The log could not be read.
    #[error(transparent)]
    Read(#[from] Error),
    /// The copy could not be written.
    #[error(transparent)]
    Write(#[from] WriteError<E>),
}

/// Copies a log. Old records come out in current versions; thread ids of traces, which current
/// releases have no place for, go to the `IOGLASS` block.
pub fn copy<S: Sink>(log: &Log, sink: S, compression: Compression) -> Result<S, CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut writer = LogWriter::new(sink, compression)?;
    let mut block = log.raw_block()?;
    writer.job(&log.job().to_current(log.header().version))?;
    writer.names(log.names().iter())?;
    for info in log.modules() {
        if info.partial {
            writer.set_partial(info.id);
        }
        if info.extent.len == 0 {
            continue;
        }
        let Some(module) = info.id.module() else {
            let mut region = writer.raw_module(info.id, info.version)?;
            let mut written = Ok(());
            log.for_each_raw_piece(info.id, |piece| {
                if written.is_ok() {
                    written = region.bytes(piece);
                }
            })?;
            written?;
            region.finish()?;
            continue;
        };
        let mut region = writer.module(module)?;
        match module.layout {
            Layout::Counters => copy_counters(log, module, &mut region)?,
            Layout::Lustre => copy_special::<Lustre, S>(log, &mut region)?,
            Layout::Heatmap => copy_special::<Heatmap, S>(log, &mut region)?,
            Layout::Mdhim => copy_special::<MdhimServers, S>(log, &mut region)?,
            Layout::Apmpi => copy_special::<Apmpi, S>(log, &mut region)?,
            Layout::Apxc => copy_special::<Apxc, S>(log, &mut region)?,
            Layout::Dxt => copy_trace(log, module, info.version, &mut region, &mut block)?,
        }
        region.finish()?;
    }
    writer.block(&block);
    Ok(writer.finish()?)
}

fn copy_counters<S: Sink>(
    log: &Log,
    module: &'static Module,
    region: &mut RegionWriter<'_, S>,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut records = log.records(module)?;
    while let Some(record) = records.next()? {
        region.record(&record)?;
    }
    Ok(())
}

fn copy_special<T: Special, S: Sink>(
    log: &Log,
    region: &mut RegionWriter<'_, S>,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    for record in log.special::<T>()? {
        region.record(&record?)?;
    }
    Ok(())
}

fn copy_trace<S: Sink>(
    log: &Log,
    module: &'static Module,
    version: u32,
    region: &mut RegionWriter<'_, S>,
    block: &mut Block,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut reader = log.dxt(module)?;
    let mut threads = Vec::new();
    let mut bytes = Vec::new();
    while let Some(head) = reader.next_record()? {
        region.record(&head)?;
        while let Some(chunk) = reader.next_chunk()? {
            bytes.clear();
            chunk.segments.iter().for_each(|segment| segment.encode(&mut bytes));
            region.bytes(&bytes)?;
            if dxt::has_threads(module, version) {
                let ids = chunk.threads.unwrap_or_default();
                threads.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
                if threads.len() as u64 > log.budget() {
                    let (region, at) = (Region::Module(module.id), log.module_info(module.id));
                    let reason = "more thread ids than a log of this size can mean";
                    return Err(Error::corrupt(region, at.extent.offset, reason).into());
                }
            }
        }
    }
    block.push(block::threads_section(module), &threads);
    Ok(())
}
