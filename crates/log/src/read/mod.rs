//! Opening a log and reading its parts.

mod check;
mod columns;
mod counters;
mod dxt;
mod special;

use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use ioglass_schema::{FixedRecord, Layout, Module, ModuleId};

use crate::block::{self, Block};
use crate::codec::Compression;
use crate::decode::block::{SectionEntry, parse_entries, parse_head};
use crate::decode::header::{BadHeader, OLD_SIZE};
use crate::error::{Damage, Error, LogRegion, NotALog};
use crate::header::{self, Extent, Header};
use crate::job::{self, Job};
use crate::log_region::LogRegionReader;
use crate::names::Names;
use crate::source::Source;

pub use columns::{DxtColumnChunks, DxtColumns, RecordColumnChunks, RecordColumns};
pub use counters::{Records, TypedRecords};
pub use dxt::{DxtChunk, DxtReader, Operation};
pub use special::{Special, SpecialRecords};

/// An open log. Cheap to open: log regions are read when they are asked for, side by side if need be.
#[derive(Debug)]
pub struct Log {
    source: Source,
    header: Header,
    job: Job,
    job_extent: Extent,
    names: OnceLock<(Names, Option<Error>)>,
    block: Option<OpenBlock>,
    warnings: Vec<Error>,
}

#[derive(Debug)]
struct OpenBlock {
    extent: Extent,
    entries: Vec<SectionEntry>,
}

/// A module's log region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModuleInfo {
    /// Its number.
    pub id: ModuleId,
    /// Its version in this log.
    pub version: u32,
    /// Position and size of its records.
    pub extent: Extent,
    /// True if it lost records.
    pub partial: bool,
}

impl Log {
    /// Opens the log at `path`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_file(File::open(path)?)
    }

    /// Takes a log that is open already; a pipe or socket is read whole.
    pub fn from_file(file: File) -> Result<Self, Error> {
        Self::new(Source::file(file)?)
    }

    /// Takes a log that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        Self::new(Source::Bytes(bytes))
    }

    fn new(source: Source) -> Result<Self, Error> {
        let header = read_header(&source)?;
        let job_extent = check::job_extent(&header, &source)?;
        let warnings = check::extents(&header, job_extent, &source)?;
        let mut reader =
            LogRegionReader::new(&source, LogRegion::Job, job_extent, header.compression);
        let bytes = reader.peek(job::JOB_SIZE)?;
        let Some(job) = Job::parse(bytes, header.version, header.order) else {
            let size = bytes.len();
            return Err(reader.corrupt(Damage::ShortJob(size)));
        };
        let mut log =
            Self { source, header, job, job_extent, names: OnceLock::new(), block: None, warnings };
        match log.find_block() {
            Ok(block) => log.block = block,
            Err(problem) => log.warnings.push(problem),
        }
        Ok(log)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Seconds the job ran.
    pub fn run_time(&self) -> f64 {
        self.job.run_time(self.header.version)
    }

    /// Bytes of the whole log.
    pub fn size(&self) -> u64 {
        self.source.len()
    }

    /// Bytes the log should have by its header; more than [`size`](Self::size) if it is cut off.
    pub fn claimed_size(&self) -> u64 {
        let log_regions = self.header.modules.iter().chain([&self.header.names, &self.job_extent]);
        log_regions.map(|extent| extent.end()).max().unwrap_or(0)
    }

    /// Position and size of the job.
    pub fn job_extent(&self) -> Extent {
        self.job_extent
    }

    /// Damage of the log that did not keep it from being opened.
    pub fn warnings(&self) -> impl Iterator<Item = &Error> {
        let names = self.names.get().and_then(|(_, problem)| problem.as_ref());
        self.warnings.iter().chain(names)
    }

    /// Names of records. A damaged table gives the names before the damage, and a warning.
    pub fn names(&self) -> &Names {
        let (names, _) = self.names.get_or_init(|| {
            let header = &self.header;
            let log_region = self.log_region(LogRegion::Names, header.names);
            Names::read(log_region, header.version, header.order, self.names_budget())
        });
        names
    }

    /// The modules that have a log region or lost records, by number.
    pub fn modules(&self) -> impl Iterator<Item = ModuleInfo> {
        (0..ModuleId::MAX as u8)
            .map(|number| self.module_info(ModuleId(number)))
            .filter(|info| info.extent.len > 0 || info.partial)
    }

    /// The header's facts of a module.
    pub fn module_info(&self, id: ModuleId) -> ModuleInfo {
        ModuleInfo {
            id,
            version: self.header.versions.get(id.index()).copied().unwrap_or_default(),
            extent: self.header.modules.get(id.index()).copied().unwrap_or_default(),
            partial: self.header.is_partial(id),
        }
    }

    /// Records of a module made of counters, without knowing it at compile time. Empty if the
    /// log does not have the module.
    pub fn records(&self, module: &'static Module) -> Result<Records<'_>, Error> {
        if module.layout != Layout::Counters {
            return Err(Error::OwnShape(module.name));
        }
        self.check_version(module)?;
        Ok(Records::new(self, module))
    }

    /// Records of a module made of counters.
    pub fn records_of<T: FixedRecord>(&self) -> Result<TypedRecords<'_, T>, Error> {
        Ok(TypedRecords::new(self.records(T::MODULE)?))
    }

    /// Records of a module with a shape of its own.
    pub fn special<T: Special>(&self) -> Result<SpecialRecords<'_, T>, Error> {
        self.check_version(T::MODULE)?;
        Ok(SpecialRecords::new(self))
    }

    /// The trace `module`, [`ioglass_schema::dxt::POSIX`] or [`ioglass_schema::dxt::MPIIO`].
    pub fn dxt(&self, module: &'static Module) -> Result<DxtReader<'_>, Error> {
        if module.layout != Layout::Dxt {
            return Err(Error::OwnShape(module.name));
        }
        self.check_version(module)?;
        DxtReader::new(self, module)
    }

    /// Decompressed bytes of a module nothing else is known of, in pieces.
    pub fn for_each_raw_piece(
        &self,
        id: ModuleId,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let mut reader = self.log_region(LogRegion::Module(id), self.module_info(id).extent);
        loop {
            let window = reader.window()?;
            if window.is_empty() {
                return reader.check_end();
            }
            piece(window);
            let len = window.len();
            reader.take(len);
        }
    }

    /// Names and stored sizes of the sections of the log's `IOGLASS` block.
    pub fn block_sections(&self) -> impl Iterator<Item = (&str, u64)> {
        let entries = self.block.iter().flat_map(|block| &block.entries);
        entries.map(|entry| (entry.name.as_str(), entry.len))
    }

    /// A section of the `IOGLASS` block, whole, if it is at most `limit` bytes long.
    pub fn block_section(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some((mut reader, raw_len)) = self.section_reader(name) else {
            return Ok(None);
        };
        if raw_len > limit {
            let damage = Damage::LargeSection { name: name.into(), size: raw_len };
            return Err(reader.corrupt(damage));
        }
        let mut bytes = Vec::new();
        loop {
            let window = reader.window()?;
            let len = window.len();
            if len == 0 {
                return Ok(Some(bytes));
            }
            bytes.extend_from_slice(window);
            reader.take(len);
            if bytes.len() as u64 > raw_len {
                return Err(reader.corrupt(Damage::LongSection(name.into())));
            }
        }
    }

    /// The block as it is stored, for copying.
    pub(crate) fn raw_block(&self) -> Result<Block, Error> {
        let mut copy = Block::default();
        if let Some(open) = &self.block {
            for entry in &open.entries {
                let mut stored = vec![0; entry.len as usize];
                self.source.read_at(open.extent.offset + entry.offset, &mut stored)?;
                let name = entry.name.clone();
                copy.sections.push(block::Section { name, stored, raw_len: entry.raw_len });
            }
        }
        Ok(copy)
    }

    /// Bytes of memory that the table of names may take.
    fn names_budget(&self) -> u64 {
        (26 << 20) + self.source.len() * 3 / 2
    }

    /// Bytes of memory that all other tables in use at one time may take. Together with names,
    /// a log held in memory and some buffers this stays below 64 MiB and four times the log.
    pub(crate) fn budget(&self) -> u64 {
        (18 << 20) + self.source.len() * 3 / 2
    }

    fn log_region(&self, log_region: LogRegion, extent: Extent) -> LogRegionReader<'_> {
        LogRegionReader::new(&self.source, log_region, extent, self.header.compression)
    }

    fn module_log_region(&self, module: &Module) -> LogRegionReader<'_> {
        let extent = self.header.modules[module.id.index()];
        self.log_region(LogRegion::Module(module.id), extent)
    }

    fn section_reader(&self, name: &str) -> Option<(LogRegionReader<'_>, u64)> {
        let open = self.block.as_ref()?;
        let entry = open.entries.iter().find(|entry| entry.name == name)?;
        let extent = Extent { offset: open.extent.offset + entry.offset, len: entry.len };
        // Sections are zlib streams whatever the log regions are.
        let reader =
            LogRegionReader::new(&self.source, LogRegion::Block, extent, Compression::Zlib);
        Some((reader, entry.raw_len))
    }

    fn check_version(&self, module: &Module) -> Result<(), Error> {
        let found = self.header.versions[module.id.index()];
        let empty = self.header.modules[module.id.index()].len == 0;
        if empty || (1..=module.newest).contains(&found) {
            return Ok(());
        }
        let log_region = LogRegion::Module(module.id);
        Err(Error::ModuleVersion { log_region, found, known: module.newest })
    }

    /// Looks for a block behind the last log region.
    fn find_block(&self) -> Result<Option<OpenBlock>, Error> {
        let offset = self.claimed_size();
        let mut head = [0; block::HEAD_SIZE];
        let there =
            if offset < self.source.len() { self.source.read_at(offset, &mut head)? } else { 0 };
        let damaged = |damage| Error::corrupt(LogRegion::Block, offset, damage);
        let Some(head) = parse_head(&head[..there]) else {
            return Ok(None);
        };
        let (sections, len) = head.map_err(damaged)?;
        if offset.checked_add(len).is_none_or(|end| end > self.source.len()) {
            return Err(damaged(Damage::LongBlock));
        }
        let mut table = vec![0; sections * block::ENTRY_SIZE];
        let got = self.source.read_at(offset + block::HEAD_SIZE as u64, &mut table)?;
        let entries = (got == table.len()).then(|| parse_entries(&table, len)).flatten();
        let entries = entries.ok_or_else(|| damaged(Damage::SectionPlace))?;
        Ok(Some(OpenBlock { extent: Extent { offset, len }, entries }))
    }
}

fn read_header(source: &Source) -> Result<Header, Error> {
    let mut bytes = [0; header::SIZE];
    let there = source.read_at(0, &mut bytes)?;
    let bytes = &bytes[..there];
    Header::parse(bytes).map_err(|problem| match problem {
        BadHeader::Short if !looks_like_a_log(bytes) => {
            Error::NotALog(NotALog::of(bytes, source.len()))
        }
        BadHeader::Short => Error::ShortHeader {
            have: source.len(),
            need: if bytes.starts_with(b"3.41") { header::SIZE } else { OLD_SIZE } as u64,
        },
        BadHeader::Magic => Error::NotALog(NotALog::of(bytes, source.len())),
        BadHeader::Version(version) => Error::Version(version),
        BadHeader::Compression(code) => {
            Error::corrupt(LogRegion::Header, 16, Damage::Compression(code))
        }
    })
}

/// Returns true if the first bytes could begin a log that is too short to tell.
fn looks_like_a_log(bytes: &[u8]) -> bool {
    bytes.len() >= 2 && bytes.starts_with(b"3.")
}
