//! Writing a log: log regions first, in order, the header last.
//!
//! Each log region is compressed as it is written, in one stream, so memory does not grow with the
//! log; a log whose writer died has no valid header and is not mistaken for a whole one.

use alloc::vec::Vec;

use ioglass_schema::{Module, ModuleId};

use crate::block::Block;
use crate::bytes::{Order, until_nul};
use crate::codec::Compression;
use crate::encoder::{Encoder, Method};
use crate::header::{Extent, Header, SIZE, Version};
use crate::job::Job;
use crate::piece::{Piece, PieceWriter, Pieces};
use crate::record::Encode;

/// Compressed bytes are handed to the sink in pieces of this size or more.
const PIECE: usize = 64 << 10;

/// The destination of a log's bytes: a file, a buffer, or raw system calls inside a recorded program.
pub trait Sink {
    /// The error of a write that fails.
    type Error;

    /// Stores all of `bytes` at `offset`.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error>;
}

impl<S: Sink> Sink for &mut S {
    type Error = S::Error;

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error> {
        (**self).write_at(offset, bytes)
    }
}

impl Sink for Vec<u8> {
    type Error = core::convert::Infallible;

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error> {
        // A buffer holds what fits in memory, so positions in it fit too.
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start + bytes.len();
        if self.len() < end {
            self.resize(end, 0);
        }
        self[start..end].copy_from_slice(bytes);
        Ok(())
    }
}

#[cfg(feature = "std")]
impl Sink for std::fs::File {
    type Error = std::io::Error;

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Self::Error> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, offset)
    }
}

/// The reason why a log could not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError<E> {
    /// The sink failed.
    Sink(E),
    /// A log region came twice, or before one that precedes it in every log.
    Order,
    /// This build cannot write the compression that was asked for.
    Compression,
    /// A header has no place for the module, or a record belongs to another one.
    Module,
}

impl<E: core::fmt::Display> core::fmt::Display for WriteError<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Sink(error) => error.fmt(f),
            Self::Order => {
                f.write_str("log regions were not written in the order of their numbers")
            }
            Self::Compression => f.write_str("this build cannot write that compression"),
            Self::Module => f.write_str("a record or log region of another module was expected"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for WriteError<E> {}

/// Writes one log: [`job`](Self::job), [`names`](Self::names), then modules by number,
/// then [`finish`](Self::finish).
///
/// ```
/// use ioglass_log::{Compression, FixedRecord, Job, LogWriter, posix::{self, Posix}, record_id};
///
/// let mut log = Vec::new();
/// let mut writer = LogWriter::new(&mut log, Compression::Zlib)?;
/// let mut job = Job::default();
/// job.nprocs = 1;
/// job.metadata = b"lib_ver=3.5.0\n".into();
/// job.set_command(b"./app --fast", &[]);
/// writer.job(&job)?;
/// let id = record_id(b"/tmp/data");
/// writer.names([(id, b"/tmp/data".as_slice())])?;
/// let mut out = writer.module(&posix::MODULE)?;
/// out.record(&Posix::new(id, 0).view())?;
/// out.finish()?;
/// writer.finish()?;
/// # Ok::<(), ioglass_log::WriteError<std::convert::Infallible>>(())
/// ```
#[derive(Debug)]
pub struct LogWriter<S: Sink> {
    sink: S,
    header: Header,
    method: Method,
    /// Compressed bytes that were not yet handed to the sink; they belong at `end`.
    ready: Vec<u8>,
    end: u64,
    stage: Stage,
    block: Vec<u8>,
    /// Pieces of log regions, if others will put them together.
    parts: Option<Vec<(Stream, Piece)>>,
}

/// A stream of bytes in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Names of records.
    Names,
    /// Records of a module, in a version.
    Module(ModuleId, u32),
}

/// The log region that was written last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Start,
    Job,
    Names,
    Module(u8),
}

impl LogWriter<Vec<u8>> {
    /// Begins the part of a log that others will complete: [`finish_part`](Self::finish_part).
    pub fn part() -> Self {
        let mut writer = Self::quick(Vec::new());
        writer.stage = Stage::Job;
        writer.parts = Some(Vec::new());
        writer
    }

    /// The pieces that were written, and the modules that lost records, as in a header.
    pub fn finish_part(self) -> (Vec<(Stream, Piece)>, u64) {
        (self.parts.unwrap_or_default(), self.header.partial)
    }
}

impl<S: Sink> LogWriter<S> {
    /// Begins a log.
    pub fn new(sink: S, compression: Compression) -> Result<Self, WriteError<S::Error>> {
        let method = Method::of(compression).ok_or(WriteError::Compression)?;
        Ok(Self::with_method(sink, compression, method))
    }

    /// Begins a log that is written quickly rather than small: its streams are those of zlib, but
    /// nothing in them is compressed. For a few records a compressor's memory is all the cost.
    pub fn quick(sink: S) -> Self {
        Self::with_method(sink, Compression::Zlib, Method::Stored)
    }

    fn with_method(sink: S, compression: Compression, method: Method) -> Self {
        Self {
            sink,
            header: Header {
                version: Version::CURRENT,
                order: Order::Little,
                compression,
                partial: 0,
                size: SIZE as u64,
                names: Extent::default(),
                modules: [Extent::default(); ModuleId::MAX],
                versions: [0; ModuleId::MAX],
            },
            method,
            ready: Vec::new(),
            end: SIZE as u64,
            stage: Stage::Start,
            block: Vec::new(),
            parts: None,
        }
    }

    /// Writes a whole log region out of pieces that were made elsewhere; nothing if they are empty. `leave`
    /// is told where those belong that others write.
    pub fn pieces(
        &mut self,
        stream: Stream,
        pieces: &Pieces,
        mut leave: impl FnMut(u32, u64),
    ) -> Result<(), WriteError<S::Error>> {
        let log_region = match stream {
            Stream::Names => self.begin_names()?.log_region,
            Stream::Module(id, version) => self.raw_module(id, version)?,
        };
        pieces.stream(|part| match part {
            Ok(bytes) => log_region.writer.append(bytes),
            Err((holder, len)) => {
                log_region.writer.hand_over()?;
                leave(holder, log_region.writer.end);
                log_region.writer.end += len;
                Ok(())
            }
        })?;
        log_region.finish()
    }

    /// Writes the job.
    pub fn job(&mut self, job: &Job) -> Result<(), WriteError<S::Error>> {
        self.advance(Stage::Job)?;
        let mut log_region = ModuleWriter::new(self, HeaderSlot::Job);
        log_region.bytes(&job.encode())?;
        log_region.finish()
    }

    /// Writes the names of records, as [`begin_names`](Self::begin_names) does one by one.
    pub fn names<'n>(
        &mut self,
        names: impl IntoIterator<Item = (u64, &'n [u8])>,
    ) -> Result<(), WriteError<S::Error>> {
        let mut log_region = self.begin_names()?;
        for (id, name) in names {
            log_region.name(id, name)?;
        }
        log_region.finish()
    }

    /// Begins the table of names.
    pub fn begin_names(&mut self) -> Result<NamesWriter<'_, S>, WriteError<S::Error>> {
        self.advance(Stage::Names)?;
        Ok(NamesWriter { log_region: ModuleWriter::new(self, HeaderSlot::Names) })
    }

    /// Begins the log region of a known module, in the version that is written.
    pub fn module(&mut self, module: &Module) -> Result<ModuleWriter<'_, S>, WriteError<S::Error>> {
        self.raw_module(module.id, module.version)
    }

    /// Begins a log region whose bytes the caller knows, of any module and version.
    pub fn raw_module(
        &mut self,
        id: ModuleId,
        version: u32,
    ) -> Result<ModuleWriter<'_, S>, WriteError<S::Error>> {
        if id.index() >= ModuleId::MAX {
            return Err(WriteError::Module);
        }
        self.advance(Stage::Module(id.0))?;
        Ok(ModuleWriter::new(self, HeaderSlot::Module { id, version }))
    }

    /// Says that module `id` lost records. Numbers that no header has are passed over.
    pub fn set_partial(&mut self, id: ModuleId) {
        self.header.partial |= 1_u64.checked_shl(id.0.into()).unwrap_or(0);
    }

    /// Keeps `block` for the end of the log.
    pub fn block(&mut self, block: &Block) {
        self.block = block.encode();
    }

    /// Writes the block, if any, and the header.
    pub fn finish(mut self) -> Result<S, WriteError<S::Error>> {
        if self.stage < Stage::Names {
            self.names([])?;
        }
        let block = core::mem::take(&mut self.block);
        self.append(&block)?;
        let mut header = Vec::from(self.header.encode());
        if self.end == header.len() as u64 {
            // Nothing was handed over yet: all of it in one go.
            header.append(&mut self.ready);
        } else {
            self.hand_over()?;
        }
        self.sink.write_at(0, &header).map_err(WriteError::Sink)?;
        Ok(self.sink)
    }

    fn advance(&mut self, stage: Stage) -> Result<(), WriteError<S::Error>> {
        if stage <= self.stage || self.stage == Stage::Start && stage != Stage::Job {
            return Err(WriteError::Order);
        }
        if self.stage < Stage::Names && stage > Stage::Names {
            self.names([])?;
        }
        self.stage = stage;
        Ok(())
    }

    /// Position of the next byte.
    fn position(&self) -> u64 {
        self.end + self.ready.len() as u64
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError<S::Error>> {
        self.ready.extend_from_slice(bytes);
        self.hand_over_if_much()
    }

    fn hand_over_if_much(&mut self) -> Result<(), WriteError<S::Error>> {
        if self.ready.len() < PIECE { Ok(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Result<(), WriteError<S::Error>> {
        if !self.ready.is_empty() {
            self.sink.write_at(self.end, &self.ready).map_err(WriteError::Sink)?;
            self.end += self.ready.len() as u64;
            self.ready.clear();
        }
        Ok(())
    }
}

/// Writes the names of records, one by one. Dropped without [`finish`](Self::finish), there are none.
#[derive(Debug)]
pub struct NamesWriter<'w, S: Sink> {
    log_region: ModuleWriter<'w, S>,
}

impl<S: Sink> NamesWriter<'_, S> {
    /// Appends a name. Bytes that are not UTF-8 are written as `%XX`, because PyDarshan refuses a
    /// whole log for one such name; the id stays that of the raw bytes.
    pub fn name(&mut self, id: u64, name: &[u8]) -> Result<(), WriteError<S::Error>> {
        self.log_region.bytes(&id.to_le_bytes())?;
        // A NUL ends a name. One inside, which format 3.00 allows, would begin another entry.
        for chunk in until_nul(name).utf8_chunks() {
            self.log_region.bytes(chunk.valid().as_bytes())?;
            for byte in chunk.invalid() {
                let digit = |half: u8| b"0123456789ABCDEF"[usize::from(half)];
                self.log_region.bytes(&[b'%', digit(byte >> 4), digit(byte & 15)])?;
            }
        }
        self.log_region.bytes(&[0])
    }

    /// Ends the table.
    pub fn finish(self) -> Result<(), WriteError<S::Error>> {
        self.log_region.finish()
    }
}

/// The entry of the header that a log region gets.
#[derive(Debug, Clone, Copy)]
enum HeaderSlot {
    Job,
    Names,
    Module { id: ModuleId, version: u32 },
}

/// The bytes of a log region so far.
#[derive(Debug)]
enum RegionBody {
    /// Nothing came yet: a log region without bytes has no stream either, readers go by its length.
    Empty,
    Stream(Encoder),
    /// Others put the log region together.
    Piece(PieceWriter),
}

/// Writes one log region. Dropped without [`finish`](Self::finish), the log region does not exist.
#[derive(Debug)]
pub struct ModuleWriter<'w, S: Sink> {
    writer: &'w mut LogWriter<S>,
    place: HeaderSlot,
    start: u64,
    record: Vec<u8>,
    body: RegionBody,
}

impl<'w, S: Sink> ModuleWriter<'w, S> {
    fn new(writer: &'w mut LogWriter<S>, place: HeaderSlot) -> Self {
        let start = writer.position();
        let body = match &writer.parts {
            Some(_) => RegionBody::Piece(PieceWriter::default()),
            None => RegionBody::Empty,
        };
        Self { writer, place, start, record: Vec::new(), body }
    }

    /// Appends a record of the log region's module.
    pub fn record(&mut self, record: &impl Encode) -> Result<(), WriteError<S::Error>> {
        if let (Some(module), HeaderSlot::Module { id, .. }) = (record.module(), self.place)
            && module.id != id
        {
            return Err(WriteError::Module);
        }
        let mut bytes = core::mem::take(&mut self.record);
        bytes.clear();
        record.encode(&mut bytes);
        let written = self.bytes(&bytes);
        self.record = bytes;
        written
    }

    /// Appends bytes that are already as a log stores them.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), WriteError<S::Error>> {
        let ready = &mut self.writer.ready;
        if let RegionBody::Empty = self.body
            && !bytes.is_empty()
        {
            self.body = RegionBody::Stream(Encoder::new(self.writer.method, ready));
        }
        match &mut self.body {
            RegionBody::Empty => {}
            RegionBody::Stream(encoder) => {
                encoder.push(bytes, ready);
                self.writer.hand_over_if_much()?;
            }
            RegionBody::Piece(piece) => piece.push(bytes),
        }
        Ok(())
    }

    /// Ends the log region.
    pub fn finish(self) -> Result<(), WriteError<S::Error>> {
        match self.body {
            RegionBody::Empty => {}
            RegionBody::Stream(encoder) => {
                encoder.finish(&mut self.writer.ready);
                self.writer.hand_over_if_much()?;
            }
            RegionBody::Piece(piece) => {
                let stream = match self.place {
                    HeaderSlot::Job => return Ok(()),
                    HeaderSlot::Names => Stream::Names,
                    HeaderSlot::Module { id, version } => Stream::Module(id, version),
                };
                if let Some(parts) = &mut self.writer.parts {
                    parts.push((stream, piece.finish()));
                }
                return Ok(());
            }
        }
        let extent = Extent { offset: self.start, len: self.writer.position() - self.start };
        let header = &mut self.writer.header;
        match self.place {
            HeaderSlot::Job => {}
            HeaderSlot::Names => header.names = extent,
            HeaderSlot::Module { id, version } => {
                header.modules[id.index()] = extent;
                header.versions[id.index()] = version;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ioglass_schema::posix::{self, Posix};
    use ioglass_schema::{FixedRecord, stdio};

    use super::*;

    fn writer() -> LogWriter<Vec<u8>> {
        let mut writer = LogWriter::new(Vec::new(), Compression::Zlib).unwrap();
        writer.job(&Job::default()).unwrap();
        writer
    }

    #[test]
    fn log_regions_come_in_order() {
        let mut writer = writer();
        writer.module(&stdio::MODULE).unwrap().finish().unwrap();
        assert_eq!(writer.module(&posix::MODULE).err(), Some(WriteError::Order));
        assert_eq!(writer.names([]).err(), Some(WriteError::Order));
        assert_eq!(writer.job(&Job::default()).err(), Some(WriteError::Order));
    }

    #[test]
    fn a_log_region_takes_records_of_its_module_only() {
        let mut writer = writer();
        let mut log_region = writer.module(&stdio::MODULE).unwrap();
        let record = Posix::new(1, 0);
        assert_eq!(log_region.record(&record.view()).err(), Some(WriteError::Module));
    }

    #[test]
    #[cfg(feature = "std")]
    fn a_quick_log_is_a_log() {
        for records in [0, 1, 2, 3, 100, 1000] {
            let mut writer = LogWriter::quick(Vec::new());
            writer.job(&Job::default()).unwrap();
            writer.names([(7, b"/data".as_slice())]).unwrap();
            let mut log_region = writer.module(&posix::MODULE).unwrap();
            for rank in 0..records {
                log_region.record(&Posix::new(7, rank).view()).unwrap();
            }
            log_region.finish().unwrap();
            let log = crate::Log::from_bytes(writer.finish().unwrap()).unwrap();
            let ranks = log.records_of::<Posix>().unwrap().map(|record| record.unwrap().base.rank);
            assert!(ranks.eq(0..records));
            assert_eq!(log.names().lookup(7), "/data");
            assert_eq!(log.warnings().count(), 0);
        }
    }

    #[test]
    fn a_header_has_room_for_64_modules() {
        let mut writer = writer();
        writer.set_partial(ModuleId(200));
        assert_eq!(writer.raw_module(ModuleId(64), 1).err(), Some(WriteError::Module));
    }
}
