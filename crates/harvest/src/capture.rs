//! One capture: whose it is, what became of that process, and a first look at its entries.

use ioglass_schema::Unit;
use ioglass_shm::{
    Ending, Entries, Entry, H5dCell, H5fCell, Header, Kind, MAGIC, MetadataCell, MpiioCell,
    OpsCell, PnetcdfFileCell, PnetcdfVarCell, Pod, PosixCell, RegionCell, StdioCell, VERSION,
};

use crate::counters::{Cell, STANDARD_STREAMS};
use crate::glance::Glance;
use crate::index::Index;
use crate::{NoMemory, metadata, regions};

/// A capture as the caller found it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'r> {
    /// Its bytes, perhaps not all of them.
    pub bytes: &'r [u8],
    /// The caller's knowledge of the process.
    pub fate: Fate,
}

/// The state of a process, as far as one sees from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is no more; how it ended only the capture can tell.
    Gone,
    /// It lives.
    Running,
    /// It ended with this status.
    Status(i32),
    /// This signal ended it.
    Signal(i32),
}

/// A capture that can be read.
#[derive(Debug)]
pub(crate) struct Capture<'r> {
    pub(crate) header: Header,
    bytes: &'r [u8],
    index: Index,
    pub(crate) fate: Fate,
    /// True if the process did anything to files.
    pub(crate) has_io: bool,
    /// True if it used more than the standard streams.
    pub(crate) has_files: bool,
    /// True if it entered a region.
    pub(crate) has_region: bool,
    /// The last tick of any event on record, and of regions if the process told of no end.
    pub(crate) latest: u64,
}

impl<'r> Capture<'r> {
    /// The capture, if these bytes are one.
    pub(crate) fn open(source: &Source<'r>) -> Result<Option<Self>, NoMemory> {
        let header = Header::read(source.bytes);
        let is_known = |header: &Header| header.magic == MAGIC && header.version == VERSION;
        let Some(header) = header.filter(is_known) else { return Ok(None) };
        let mut capture = Self {
            header,
            bytes: source.bytes,
            index: Index::default(),
            fate: source.fate,
            has_io: false,
            has_files: false,
            has_region: false,
            latest: header.start.tick,
        };
        capture.look()?;
        Ok(Some(capture))
    }

    /// Its entries of this kind; cells and names by id.
    pub(crate) fn of(&self, kind: Kind) -> impl Iterator<Item = Entry<'r>> + Clone + use<'_, 'r> {
        self.index.of(self.bytes, kind)
    }

    /// All its bytes.
    pub(crate) fn bytes(&self) -> &'r [u8] {
        self.bytes
    }

    /// Of its cells of this kind that tell anything, the ids and at which byte they are, by id.
    pub(crate) fn used(&self, kind: Kind) -> impl Iterator<Item = (u64, usize)> {
        self.index.used(kind)
    }

    /// The bytes after the head of the entry at `offset`, if it is of this kind.
    pub(crate) fn entry(&self, offset: usize, kind: Kind) -> Option<&'r [u8]> {
        let bytes = self.bytes.get(offset..)?;
        let head = ioglass_shm::EntryHead::read(bytes)?;
        (head.kind == kind as u32).then(|| bytes.get(size_of::<ioglass_shm::EntryHead>()..))?
    }

    /// Returns true if its process is numbered where ranks are processes.
    pub(crate) fn is_rank(&self) -> bool {
        self.has_io || self.has_region
    }

    /// Name of the host.
    pub(crate) fn host(&self) -> &[u8] {
        until_nul(&self.header.host)
    }

    /// The end that the process announced. It did not become another program if it went on.
    pub(crate) fn ending(&self) -> Ending {
        match Ending::from_u32(self.header.ending) {
            Ending::Exec if self.latest > self.header.last.tick => Ending::None,
            ending => ending,
        }
    }

    /// Number of things of this kind that were lost.
    pub(crate) fn lost(&self, kind: ioglass_shm::Loss) -> u64 {
        self.header.lost.get(kind as usize).copied().unwrap_or(0)
    }

    fn look(&mut self) -> Result<(), NoMemory> {
        let mut metadata_calls = 0_u64;
        for entry in Entries::of(self.bytes) {
            let is_used = match entry.kind {
                Kind::Posix => self.look_at::<PosixCell>(entry.bytes),
                Kind::Stdio => self.look_at::<StdioCell>(entry.bytes),
                Kind::Mpiio => self.look_at::<MpiioCell>(entry.bytes),
                Kind::H5f => self.look_at::<H5fCell>(entry.bytes),
                Kind::H5d => self.look_at::<H5dCell>(entry.bytes),
                Kind::PnetcdfFile => self.look_at::<PnetcdfFileCell>(entry.bytes),
                Kind::PnetcdfVar => self.look_at::<PnetcdfVarCell>(entry.bytes),
                Kind::Ops => {
                    let is_used = OpsCell::read(entry.bytes).is_some_and(|ops| is_used(&ops));
                    self.has_io |= is_used;
                    self.has_files |= is_used;
                    is_used
                }
                Kind::Metadata => {
                    let calls = MetadataCell::read(entry.bytes).map_or(0, |c| metadata::calls(&c));
                    metadata_calls = metadata_calls.saturating_add(calls);
                    calls > 0
                }
                Kind::Region => {
                    let calls = RegionCell::read(entry.bytes).map_or(0, |cell| cell.calls);
                    self.has_region |= calls > 0;
                    true
                }
                _ => true,
            };
            self.index.push(&entry, is_used)?;
        }
        if metadata_calls >= metadata::RANK_CALLS {
            self.has_io = true;
            self.has_files = true;
        }
        self.index.finish();
        // A process that told of its end told when it was.
        if self.has_region && self.header.ending == Ending::None as u32 {
            self.latest = self.latest.max(regions::latest(self)?);
        }
        Ok(())
    }

    /// Tells whether anything was done to the file.
    fn look_at<C: Cell>(&mut self, bytes: &[u8]) -> bool {
        let Some(cell) = Glance::at::<C>(bytes) else { return false };
        let is_used = C::is_used(&cell);
        if is_used {
            self.has_io = true;
            self.has_files |= !STANDARD_STREAMS.contains(&cell.id());
        }
        for (counter, tick) in cell.ticks() {
            if counter.unit == Unit::Timestamp {
                self.latest = self.latest.max(tick);
            }
        }
        is_used
    }
}

/// Returns true if any call was counted.
pub(crate) fn is_used(ops: &OpsCell) -> bool {
    ops.count.iter().any(|count| *count > 0)
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
