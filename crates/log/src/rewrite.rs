//! A log written anew: same contents, current format.

use ioglass_schema::{Layout, Module, dxt};

use crate::block::{self, Block};
use crate::codec::Compression;
use crate::error::{Damage, Error, LogRegion};
use crate::read::{Log, ModuleInfo, Operation, Special};
use crate::record::{Apmpi, Apxc, DxtHead, Encode, Heatmap, Lustre, MdhimServers};
use crate::write::{LogWriter, ModuleWriter, Sink, WriteError};

/// The reason why a copy failed.
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
    let (sink, problem) = copy_until(log, sink, compression, false)?;
    match problem.into_iter().next() {
        Some(problem) => Err(problem.into()),
        None => Ok(sink),
    }
}

/// Copies what is sound of a log: each module up to where it is damaged, marked as incomplete then.
/// Tells what was damaged.
pub fn salvage<S: Sink>(
    log: &Log,
    sink: S,
    compression: Compression,
) -> Result<(S, Vec<Error>), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    copy_until(log, sink, compression, true)
}

fn copy_until<S: Sink>(
    log: &Log,
    sink: S,
    compression: Compression,
    go_on: bool,
) -> Result<(S, Vec<Error>), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut writer = LogWriter::new(sink, compression)?;
    let mut problems = Vec::new();
    let mut block = match log.raw_block() {
        Err(problem) if go_on => {
            problems.push(problem);
            Block::default()
        }
        block => block?,
    };
    writer.job(&log.job().to_current(log.header().version))?;
    writer.names(log.names().iter())?;
    for info in log.modules() {
        if info.partial {
            writer.set_partial(info.id);
        }
        if info.extent.len == 0 {
            continue;
        }
        match copy_module(log, info, go_on, &mut writer, &mut block) {
            Err(CopyError::Read(problem)) if go_on => {
                writer.set_partial(info.id);
                problems.push(problem);
            }
            copied => copied?,
        }
    }
    writer.block(&block);
    Ok((writer.finish()?, problems))
}

/// Copies a module, if need be up to where it is damaged.
fn copy_module<S: Sink>(
    log: &Log,
    info: ModuleInfo,
    go_on: bool,
    writer: &mut LogWriter<S>,
    block: &mut Block,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let Some(module) = info.id.module() else {
        let mut log_region = writer.raw_module(info.id, info.version)?;
        let mut written = Ok(());
        let read = log.for_each_raw_piece(info.id, |piece| {
            if written.is_ok() {
                written = log_region.bytes(piece);
            }
        });
        written?;
        log_region.finish()?;
        return Ok(read?);
    };
    let mut log_region = writer.module(module)?;
    let copied = match module.layout {
        Layout::Counters => copy_counters(log, module, &mut log_region),
        Layout::Lustre => copy_special::<Lustre, S>(log, &mut log_region),
        Layout::Heatmap => copy_special::<Heatmap, S>(log, &mut log_region),
        Layout::Mdhim => copy_special::<MdhimServers, S>(log, &mut log_region),
        Layout::Apmpi => copy_special::<Apmpi, S>(log, &mut log_region),
        Layout::Apxc => copy_special::<Apxc, S>(log, &mut log_region),
        Layout::Dxt if go_on => salvage_trace(log, module, &mut log_region),
        Layout::Dxt => copy_trace(log, module, info.version, &mut log_region, block),
    };
    match copied {
        Ok(()) | Err(CopyError::Read(_)) => log_region.finish()?,
        Err(CopyError::Write(_)) => {}
    }
    copied
}

fn copy_counters<S: Sink>(
    log: &Log,
    module: &'static Module,
    log_region: &mut ModuleWriter<'_, S>,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut records = log.records(module)?;
    while let Some(record) = records.next()? {
        log_region.record(&record)?;
    }
    Ok(())
}

fn copy_special<T: Special, S: Sink>(
    log: &Log,
    log_region: &mut ModuleWriter<'_, S>,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    for record in log.special::<T>()? {
        log_region.record(&record?)?;
    }
    Ok(())
}

fn copy_trace<S: Sink>(
    log: &Log,
    module: &'static Module,
    version: u32,
    log_region: &mut ModuleWriter<'_, S>,
    block: &mut Block,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut reader = log.dxt(module)?;
    let mut threads = Vec::new();
    let mut bytes = Vec::new();
    while let Some(head) = reader.next_record()? {
        log_region.record(&head)?;
        while let Some(chunk) = reader.next_chunk()? {
            bytes.clear();
            chunk.segments.iter().for_each(|segment| segment.encode(&mut bytes));
            log_region.bytes(&bytes)?;
            if dxt::has_threads(module, version) {
                let ids = chunk.threads.unwrap_or_default();
                threads.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
                if threads.len() as u64 > log.budget() {
                    let (log_region, at) =
                        (LogRegion::Module(module.id), log.module_info(module.id));
                    let damage = Damage::Many("thread ids");
                    return Err(Error::corrupt(log_region, at.extent.offset, damage).into());
                }
            }
        }
    }
    block.push(block::threads_section(module), &threads);
    Ok(())
}

/// Copies a trace up to where it is damaged. What a head promises has to follow it, so what is
/// there is counted before anything is written.
fn salvage_trace<S: Sink>(
    log: &Log,
    module: &'static Module,
    log_region: &mut ModuleWriter<'_, S>,
) -> Result<(), CopyError<S::Error>>
where
    S::Error: std::error::Error + 'static,
{
    let mut counts = Vec::new();
    let damage = count_segments(log, module, &mut counts).err();
    let mut reader = log.dxt(module)?;
    let mut bytes = Vec::new();
    for (writes, reads) in counts {
        let Some(head) = reader.next_record()? else { break };
        if writes + reads == 0 {
            continue;
        }
        log_region.record(&DxtHead { writes, reads, ..head })?;
        let mut left = writes + reads;
        while left > 0
            && let Some(chunk) = reader.next_chunk()?
        {
            bytes.clear();
            chunk.segments.iter().for_each(|segment| segment.encode(&mut bytes));
            log_region.bytes(&bytes)?;
            left = left.saturating_sub(chunk.segments.len() as u64);
        }
    }
    damage.map_or(Ok(()), |damage| Err(damage.into()))
}

/// Counts the writes and reads of each record that can be read.
fn count_segments(
    log: &Log,
    module: &'static Module,
    counts: &mut Vec<(u64, u64)>,
) -> Result<(), Error> {
    let mut reader = log.dxt(module)?;
    while reader.next_record()?.is_some() {
        counts.push((0, 0));
        if size_of_val(&counts[..]) as u64 > log.budget() {
            let (log_region, at) = (LogRegion::Module(module.id), log.module_info(module.id));
            return Err(Error::corrupt(log_region, at.extent.offset, Damage::Many("traces")));
        }
        while let Some(chunk) = reader.next_chunk()? {
            let (operation, count) = (chunk.operation, chunk.segments.len() as u64);
            if let Some((writes, reads)) = counts.last_mut() {
                match operation {
                    Operation::Write => *writes += count,
                    Operation::Read => *reads += count,
                }
            }
        }
    }
    Ok(())
}
