//! One log of ranks that each know only their own: what they tell each other.
//!
//! Ranks form a tree. First each tells its parent which files all ranks below it know, and on what scale
//! and in what time they lie ([`Agreement`]); what arrives at the root is told to all. Then each rank makes
//! its part of the log ([`LogPart`]): records of files that all ranks know, which on the way to the root
//! become one, and pieces of every capture for the rest, which are put one behind the other. The root writes
//! the log. How messages travel is the caller's business; they are bytes here.

mod agreement;
mod part;
mod shared;
mod wire;

pub use agreement::Agreement;
pub use part::LogPart;
pub(crate) use shared::Shared;

use alloc::vec::Vec;

use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::{Compression, LogWriter, Sink};

use crate::capture::Source;
use crate::heat::Scale;
use crate::job::Run;
use crate::write::{Error, Harvest, SharedRecords};
use crate::{metadata, names, process, sections};

/// One rank among those that write a log together.
pub struct Member<'m> {
    harvest: Harvest<'m>,
    run: Run<'m>,
    rank: i64,
    ranks: i64,
}

impl core::fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut member = f.debug_struct("Member");
        member.field("rank", &self.rank).field("ranks", &self.ranks).finish_non_exhaustive()
    }
}

impl<'m> Member<'m> {
    /// A rank of so many, with its captures; with none it still takes part. `None` if memory was refused.
    pub fn open(sources: &[Source<'m>], run: Run<'m>, rank: i64, ranks: i64) -> Option<Self> {
        Some(Self { harvest: Harvest::new(sources, &run).ok()?, run, rank, ranks })
    }

    /// The facts that the rank knows. `None` if memory was refused.
    pub fn agreement(&self) -> Option<Agreement> {
        let harvest = &self.harvest;
        if harvest.captures.is_empty() {
            return Some(Agreement::empty());
        }
        let scale = Scale::new(&harvest.captures, harvest.start_ns, harvest.end_ns);
        Some(Agreement {
            start_ns: harvest.start_ns,
            end_ns: scale.end_ns.max(harvest.end_ns),
            width_ns: scale.width_ns,
            used: scale.used,
            ids: harvest.ids().ok()?,
            directories: metadata::costliest(harvest.costs().ok()?, agreement::DIRECTORIES),
        })
    }

    /// The rank's part of the log that all have agreed on. `None` if memory was refused.
    pub fn part(&mut self, agreed: &Agreement) -> Option<LogPart> {
        let (start_ns, end_ns) = (Some(agreed.start_ns), Some(agreed.end_ns));
        self.run = Run { start_ns, end_ns, ..self.run };
        self.harvest.set_time(&self.run).ok()?;
        self.make_part(agreed).ok()
    }

    fn make_part(&self, agreed: &Agreement) -> Result<LogPart, Error<core::convert::Infallible>> {
        let harvest = &self.harvest;
        let is_first = self.rank == 0;
        let mut shared = SharedRecords { ids: &agreed.ids, is_first, records: Shared::default() };
        let mut writer = LogWriter::part();
        let mut block = Block::part();
        let named_elsewhere = if is_first { Vec::new() } else { agreed.shared_ids()? };
        let heat = agreed.scale();
        writer.names(names::collect(&harvest.captures, core::iter::empty(), &named_elsewhere)?)?;
        harvest.modules(&self.run, &heat, Some(&mut shared), &mut writer, &mut block)?;
        harvest.sections(SectionWriter::new(process::SECTION), &agreed.named(), &mut block)?;
        let (streams, partial) = writer.finish_part();
        let losses = sections::losses(&harvest.captures);
        let ranks = harvest.ranks.list.len() as u64;
        Ok(LogPart::new(
            streams,
            block.pieces.unwrap_or_default(),
            shared.records,
            losses,
            partial,
            ranks,
        ))
    }

    /// Writes the log, of all ranks' parts; only the first rank does, after it has made its own. `run` is
    /// what it knows of the job. Tells which gaps ranks that hold captures have to fill, in the order of
    /// those.
    pub fn write<S: Sink>(
        &self,
        run: &Run<'_>,
        agreed: &Agreement,
        part: &LogPart,
        sink: S,
    ) -> Result<Vec<(u32, u64)>, Error<S::Error>> {
        let mut writer = LogWriter::new(sink, Compression::Zlib)?;
        let mut job = self.harvest.job(run);
        job.nprocs = self.ranks;
        writer.job(&job)?;
        let gaps = part.write(&agreed.scale(), &self.harvest.made()?, &mut writer)?;
        writer.finish()?;
        Ok(gaps)
    }
}
