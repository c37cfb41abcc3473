//! Reads the file of a profile, or a buffer with its bytes.

use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use crate::format::bytes::{In, list};
use crate::format::room::{Room, size_of_row};
use crate::format::{Damage, Index, MAGIC, Part, Section, SectionKind, decode};
use crate::model::{Profile, Row};
use crate::summary::Summary;

/// Files up to this size are checked whole when they are opened; of larger ones what is read.
#[cfg(feature = "std")]
const SMALL_FILE: u64 = 1 << 20;
/// Bytes before the index.
const HEADER: usize = 32;

/// The reason why a file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read.
    #[cfg(feature = "std")]
    Io(std::io::Error),
    /// The file is something else.
    NotAProfile {
        /// Its first bytes.
        start: Vec<u8>,
        /// Bytes of the file.
        len: u64,
    },
    /// A part without which nothing can be told is damaged.
    Damaged(Problem),
    /// A manifest names it, but it is of another job or has other ranks.
    NotTheRanks,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "std")]
            Self::Io(error) => error.fmt(f),
            Self::NotAProfile { start, len: 0 } if start.is_empty() => {
                f.write_str("not a profile: the file is empty")
            }
            Self::NotAProfile { start, len } => {
                let start = start.escape_ascii();
                write!(f, "not a profile: it starts with \"{start}\" ({len} bytes)")
            }
            Self::Damaged(problem) => problem.fmt(f),
            Self::NotTheRanks => {
                f.write_str("it is of another job, or has other ranks than its name says")
            }
        }
    }
}

impl core::error::Error for Error {}

/// A part of a file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The part.
    pub part: &'static str,
    /// The region whose figures are in it.
    pub region: Option<u32>,
    /// Its place in the file.
    pub offset: u64,
    /// What is wrong.
    pub damage: Damage,
}

impl Problem {
    /// Returns true if another problem is in the same part of the file.
    #[cfg(feature = "std")]
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        (self.part, self.offset, self.damage) == (other.part, other.offset, other.damage)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, region, offset, damage } = self;
        match region {
            Some(region) => write!(f, "{part} of region {region} at byte {offset}: {damage}"),
            None => write!(f, "{part} at byte {offset}: {damage}"),
        }
    }
}

/// The bytes of a file.
enum Source {
    #[cfg(feature = "std")]
    File(std::fs::File),
    Bytes(Vec<u8>),
}

/// An open profile. What stands in every overview is read at once, rows when they are asked for.
pub struct Reader {
    source: Source,
    len: u64,
    index: Index,
    /// The sections with figures of regions, by their first region.
    rows: Vec<Section>,
    series: Vec<Section>,
    /// The rows that were read last: the next ones are mostly those of the next region.
    group: RefCell<Option<Group>>,
    profile: Profile,
    summaries: Option<Vec<Summary>>,
    parts: Vec<Part>,
    problems: Vec<Problem>,
}

/// The rows of some regions.
struct Group {
    section: Section,
    raw: Vec<u8>,
    /// A region, and where it begins.
    at: (u32, usize),
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Reader {
    /// Opens a file.
    #[cfg(feature = "std")]
    pub fn open(path: &std::path::Path) -> Result<Self, Error> {
        let file = std::fs::File::open(path).map_err(Error::Io)?;
        let metadata = file.metadata().map_err(Error::Io)?;
        if metadata.is_dir() {
            let kind = std::io::ErrorKind::IsADirectory;
            return Err(Error::Io(std::io::Error::new(kind, "it is a directory")));
        }
        if metadata.is_file() {
            return Self::new(Source::File(file), metadata.len());
        }
        // A pipe has no positions.
        let mut bytes = Vec::new();
        let limit = 1 << 30;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, limit), &mut bytes)
            .map_err(Error::Io)?;
        Self::of_bytes(bytes)
    }

    /// Opens the bytes of a file. Without the feature `std`, compressed sections cannot be read.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        let len = bytes.len() as u64;
        Self::new(Source::Bytes(bytes), len)
    }

    fn new(source: Source, len: u64) -> Result<Self, Error> {
        let damaged =
            |damage| Error::Damaged(Problem { part: "index", region: None, offset: 0, damage });
        let start = source.read(0, len.min(HEADER as u64)).map_err(Failure::into_error)?;
        if !start.starts_with(&MAGIC[..MAGIC.len().min(start.len())]) || start.is_empty() {
            let start = start[..start.len().min(16)].to_vec();
            return Err(Error::NotAProfile { start, len });
        }
        let header: &[u8; HEADER] = start[..].try_into().map_err(|_| damaged(Damage::Short))?;
        let size = Index::size(header);
        if size > len {
            return Err(damaged(Damage::Short));
        }
        let bytes = source.read(0, size).map_err(Failure::into_error)?;
        let index = Index::read(&bytes).map_err(damaged)?;
        let (profile, summaries) = (Profile::default(), None);
        let parts = Vec::new();
        let of_kind = |kind| {
            let own = || index.sections.iter().filter(|section| section.kind == kind);
            let mut list: Vec<Section> =
                list(own().count()).map_err(|_| damaged(Damage::NoMemory))?;
            list.extend(own());
            list.sort_by_key(|section| section.first);
            Ok(list)
        };
        let (rows, series) = (of_kind(SectionKind::Rows)?, of_kind(SectionKind::Series)?);
        let group = RefCell::new(None);
        let problems = Vec::new();
        let mut reader =
            Self { source, len, index, rows, series, group, profile, summaries, parts, problems };
        reader.read_skeleton()?;
        Ok(reader)
    }

    fn read_skeleton(&mut self) -> Result<(), Error> {
        let mut profile = Profile::default();
        let mut room = self.room().skeleton;
        let room = &mut room;
        if let Err(problem) =
            self.with(SectionKind::Head, room, |input| decode::take_head(input, &mut profile))
        {
            self.problems.push(problem);
        }
        if self.index.is_manifest {
            let parts = self.with(SectionKind::Parts, room, decode::Manifest::take_parts);
            self.parts = parts.map_err(Error::Damaged)?;
            self.profile = profile;
            return Ok(());
        }
        self.with(SectionKind::Regions, room, |input| decode::take_regions(input, &mut profile))
            .map_err(Error::Damaged)?;
        let known = profile.regions.len() as u32;
        for notice in &mut profile.notices {
            notice.region = notice.region.filter(|region| *region < known);
        }
        match self.with(SectionKind::Processes, room, decode::take_processes) {
            Ok(processes) => profile.processes = processes,
            Err(problem) => self.problems.push(problem),
        }
        let (regions, metrics) = (profile.regions.len(), profile.metrics.len());
        match self
            .with(SectionKind::Summary, room, |input| decode::take_summary(input, regions, metrics))
        {
            Ok(summaries) => self.summaries = Some(summaries),
            Err(problem) => self.problems.push(problem),
        }
        self.profile = profile;
        Ok(())
    }

    /// Memory that what is read may take.
    fn room(&self) -> Room {
        Room::of_file(self.len)
    }

    /// Reads the only section of a kind, and takes the room for what becomes of it.
    fn with<T>(
        &self,
        kind: SectionKind,
        room: &mut u64,
        take: impl FnOnce(&mut In<'_>) -> Result<T, Damage>,
    ) -> Result<T, Problem> {
        let section = self.index.sections.iter().find(|section| section.kind == kind);
        let problem = |offset, damage| Problem { part: kind.name(), region: None, offset, damage };
        let section = section.ok_or_else(|| problem(0, Damage::Missing))?;
        let raw = self.section(section).map_err(|damage| problem(section.offset, damage))?;
        let mut input = In::new(&raw, *room);
        let taken = take(&mut input).map_err(|damage| problem(section.offset, damage))?;
        *room = input.room();
        Ok(taken)
    }

    /// The bytes of a section before compression.
    fn section(&self, section: &Section) -> Result<Vec<u8>, Damage> {
        decode::unpack(section, self.stored(section)?, self.room().raw)
    }

    /// The bytes of a section as they are in the file, which have the right checksum.
    fn stored(&self, section: &Section) -> Result<Vec<u8>, Damage> {
        let end = section.offset.checked_add(section.len).ok_or(Damage::PastEnd)?;
        if end > self.len {
            return Err(Damage::PastEnd);
        }
        let stored = self.source.read(section.offset, section.len).map_err(Failure::damage)?;
        if decode::has_checksum(section, &stored) { Ok(stored) } else { Err(Damage::Checksum) }
    }

    /// The damage in parts of a small file that nobody has asked for. In a larger one it is found when
    /// they are read.
    #[cfg(feature = "std")]
    pub(crate) fn damage_elsewhere(&self) -> Vec<Problem> {
        let is_read_later =
            |section: &&Section| matches!(section.kind, SectionKind::Rows | SectionKind::Series);
        let sections = self.index.sections.iter().filter(is_read_later);
        // Those of a hostile file may overlap.
        let sizes = sections.clone().map(|section| section.len);
        if sizes.fold(0, u64::saturating_add) > SMALL_FILE {
            return Vec::new();
        }
        let problem = |section: &Section| {
            let damage = self.stored(section).err()?;
            let (part, region) = (section.kind.name(), Some(section.first));
            Some(Problem { part, region, offset: section.offset, damage })
        };
        sections.filter_map(problem).collect()
    }

    /// The profile without its rows.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The totals of its regions, if they can be read.
    pub fn summaries(&self) -> Option<&[Summary]> {
        self.summaries.as_deref()
    }

    /// The regions of the profile, which has them no more.
    #[cfg(feature = "std")]
    pub(crate) fn take_regions(&mut self) -> Vec<crate::Region> {
        core::mem::take(&mut self.profile.regions)
    }

    /// The totals, which are there no more.
    #[cfg(feature = "std")]
    pub(crate) fn take_summaries(&mut self) -> Option<Vec<Summary>> {
        self.summaries.take()
    }

    /// The files of which it consists, if it is a manifest.
    pub fn parts(&self) -> Option<&[Part]> {
        self.index.is_manifest.then_some(&self.parts)
    }

    /// What could not be read so far.
    pub fn problems(&self) -> impl Iterator<Item = Problem> + '_ {
        let cut = (self.len < self.index.len).then_some(Problem {
            part: "file",
            region: None,
            offset: self.len,
            damage: Damage::Short,
        });
        cut.into_iter().chain(self.problems.iter().cloned())
    }

    /// Bytes of the file.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns true if it has no region.
    pub fn is_empty(&self) -> bool {
        self.profile.regions.is_empty()
    }

    /// The rows of a region, with their iterations if they are wanted. What is damaged is missing, and
    /// the reason is returned too.
    pub fn rows(&self, region: u32, with_series: bool) -> (Vec<Row>, Option<Problem>) {
        let find = |list: &[Section]| {
            let next = list.partition_point(|section| section.first <= region);
            let section = *list.get(next.checked_sub(1)?)?;
            section.has(region).then_some(section)
        };
        let problem = |kind: SectionKind, offset, damage| {
            Some(Problem { part: kind.name(), region: Some(region), offset, damage })
        };
        let Some(section) = find(&self.rows) else {
            return (Vec::new(), problem(SectionKind::Rows, 0, Damage::Missing));
        };
        let mut rows = match self.take_rows(section, region) {
            Ok(rows) => rows,
            Err(damage) => return (Vec::new(), problem(SectionKind::Rows, section.offset, damage)),
        };
        let Some(section) = find(&self.series).filter(|_| with_series) else {
            return (rows, None);
        };
        let metrics = self.profile.metrics.len();
        let series = self
            .section(&section)
            .and_then(|raw| decode::take_series(&raw, &mut rows, metrics, self.room().region));
        match series {
            Ok(()) => (rows, None),
            Err(damage) => {
                rows.iter_mut().for_each(|row| row.series = None);
                (rows, problem(SectionKind::Series, section.offset, damage))
            }
        }
    }

    fn take_rows(&self, section: Section, region: u32) -> Result<Vec<Row>, Damage> {
        let mut known = self.group.borrow_mut();
        let is_known = |known: &Group| {
            let same = (known.section.offset, known.section.first);
            same == (section.offset, section.first) && known.at.0 <= region
        };
        if !known.as_ref().is_some_and(is_known) {
            *known = None;
            *known = Some(Group { section, raw: self.section(&section)?, at: (section.first, 0) });
        }
        let Some(Group { raw, at, .. }) = &mut *known else { return Err(Damage::Missing) };
        let counts = (self.profile.processes.len(), self.profile.metrics.len());
        decode::take_rows(raw, at, region, counts, self.room().region)
    }

    /// The whole profile, as far as it is sound and fits in memory, and what is not.
    pub fn whole(&self) -> (Profile, Vec<Problem>) {
        let mut profile = self.profile.clone();
        let mut problems: Vec<Problem> = self.problems().collect();
        let mut room = self.room().rows;
        for (region, number) in profile.regions.iter_mut().zip(0..) {
            let (rows, problem) = self.rows(number, true);
            problems.extend(problem);
            let size = rows.iter().map(size_of_row).sum::<u64>();
            match room.checked_sub(size) {
                Some(left) => (room, region.rows) = (left, rows),
                None => problems.push(Problem {
                    part: SectionKind::Rows.name(),
                    region: Some(number),
                    offset: 0,
                    damage: Damage::Many("rows"),
                }),
            }
        }
        (profile, problems)
    }
}

/// The reason why bytes could not be read.
enum Failure {
    #[cfg(feature = "std")]
    Io(std::io::Error),
    NoMemory,
    Short,
}

impl Failure {
    fn damage(self) -> Damage {
        match self {
            #[cfg(feature = "std")]
            Self::Io(_) => Damage::Short,
            Self::NoMemory => Damage::NoMemory,
            Self::Short => Damage::Short,
        }
    }

    fn into_error(self) -> Error {
        match self {
            #[cfg(feature = "std")]
            Self::Io(error) => Error::Io(error),
            other => {
                let damage = other.damage();
                Error::Damaged(Problem { part: "index", region: None, offset: 0, damage })
            }
        }
    }
}

impl Source {
    /// So many bytes at a place.
    fn read(&self, offset: u64, len: u64) -> Result<Vec<u8>, Failure> {
        let len = usize::try_from(len).map_err(|_| Failure::NoMemory)?;
        let mut bytes: Vec<u8> = list(len).map_err(|_| Failure::NoMemory)?;
        match self {
            #[cfg(feature = "std")]
            Self::File(file) => {
                bytes.resize(len, 0);
                std::os::unix::fs::FileExt::read_exact_at(file, &mut bytes, offset)
                    .map_err(Failure::Io)?;
            }
            Self::Bytes(all) => {
                let from = usize::try_from(offset).map_err(|_| Failure::Short)?;
                let to = from.checked_add(len).ok_or(Failure::Short)?;
                bytes.extend_from_slice(all.get(from..to).ok_or(Failure::Short)?);
            }
        }
        Ok(bytes)
    }
}
