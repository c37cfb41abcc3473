//! Records and traces as columns, whole or in chunks of bounded size.

use ioglass_schema::{Counter, Module};

use super::{DxtReader, Log, Operation, Records};
use crate::error::Error;
use crate::record::DxtHead;

/// Records of one module as columns: an entry of each column is a record.
///
/// ```
/// # use ioglass_log::{Compression, FixedRecord, Job, LogWriter, posix::Posix, record_id};
/// use ioglass_log::{Log, posix};
/// # let mut writer = LogWriter::new(Vec::new(), Compression::Zlib)?;
/// # writer.job(&Job::default())?;
/// # let mut out = writer.module(&posix::MODULE)?;
/// # for rank in 0..3 {
/// #     let mut record = Posix::new(record_id(b"/data"), rank);
/// #     record.int[posix::BYTES_WRITTEN] = 100;
/// #     out.record(&record.view())?;
/// # }
/// # out.finish()?;
/// # let log = Log::from_bytes(writer.finish()?)?;
///
/// let columns = log.columns(&posix::MODULE)?;
/// let written = columns.int("POSIX_BYTES_WRITTEN").unwrap_or_default();
/// for (rank, bytes) in columns.ranks().iter().zip(written) {
///     println!("rank {rank} wrote {bytes} bytes");
/// }
/// assert_eq!(written.iter().sum::<i64>(), 300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RecordColumns {
    module: &'static Module,
    ids: Vec<u64>,
    ranks: Vec<i64>,
    links: Vec<u64>,
    ints: Vec<Vec<i64>>,
    floats: Vec<Vec<f64>>,
}

impl RecordColumns {
    fn new(module: &'static Module) -> Self {
        Self {
            module,
            ids: Vec::new(),
            ranks: Vec::new(),
            links: Vec::new(),
            ints: vec![Vec::new(); module.ints.len()],
            floats: vec![Vec::new(); module.floats.len()],
        }
    }

    /// The module.
    pub fn module(&self) -> &'static Module {
        self.module
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are no records.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Record ids, whose names [`Log::names`] has.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// Ranks; −1 is a record of all ranks.
    pub fn ranks(&self) -> &[i64] {
        &self.ranks
    }

    /// Ids of the records these belong to; `None` if the module has no such link.
    pub fn links(&self) -> Option<&[u64]> {
        self.module.link.map(|_| &self.links[..])
    }

    /// The integer counter with this full name.
    pub fn int(&self, name: &str) -> Option<&[i64]> {
        Some(&self.ints[self.module.int_index(name)?])
    }

    /// The floating-point counter with this full name.
    pub fn float(&self, name: &str) -> Option<&[f64]> {
        Some(&self.floats[self.module.float_index(name)?])
    }

    /// All integer counters, in the order of the module's table.
    pub fn ints(&self) -> impl ExactSizeIterator<Item = (&'static Counter, &[i64])> {
        self.module.ints.iter().zip(self.ints.iter().map(Vec::as_slice))
    }

    /// All floating-point counters, in the order of the module's table.
    pub fn floats(&self) -> impl ExactSizeIterator<Item = (&'static Counter, &[f64])> {
        self.module.floats.iter().zip(self.floats.iter().map(Vec::as_slice))
    }

    fn clear(&mut self) {
        self.ids.clear();
        self.ranks.clear();
        self.links.clear();
        self.ints.iter_mut().for_each(Vec::clear);
        self.floats.iter_mut().for_each(Vec::clear);
    }

    /// Appends up to `most` records.
    fn append(&mut self, records: &mut Records<'_>, most: usize) -> Result<(), Error> {
        for _ in 0..most {
            let Some(record) = records.next()? else { break };
            self.ids.push(record.base.id);
            self.ranks.push(record.base.rank);
            self.links.extend(record.link);
            self.ints.iter_mut().zip(record.int).for_each(|(column, value)| column.push(*value));
            let floats = self.floats.iter_mut().zip(record.float);
            floats.for_each(|(column, value)| column.push(*value));
        }
        Ok(())
    }
}

/// Records of one module as columns, some at a time.
///
/// ```no_run
/// # let log = ioglass_log::Log::open("app.darshan")?;
/// let mut chunks = log.column_chunks(&ioglass_log::posix::MODULE, 4096)?;
/// while let Some(columns) = chunks.next()? {
///     println!("{} records", columns.len());
/// }
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordColumnChunks<'a> {
    records: Records<'a>,
    rows: usize,
    columns: RecordColumns,
}

impl RecordColumnChunks<'_> {
    /// The next records, lent until the ones after them are read; `None` after the last.
    // A lending iterator cannot be an `Iterator`.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<&RecordColumns>, Error> {
        self.columns.clear();
        self.columns.append(&mut self.records, self.rows)?;
        Ok((!self.columns.is_empty()).then_some(&self.columns))
    }
}

/// A trace as columns: an entry of each column is a traced operation. Operations of a record are side by side,
/// writes first, so operations, ranks and files are told by [`heads`](Self::heads) and take no memory.
///
/// ```no_run
/// use ioglass_log::{Log, Operation, dxt};
///
/// let log = Log::open("app.darshan")?;
/// let columns = log.dxt_columns(&dxt::POSIX)?;
/// for ((rank, operation), bytes) in columns.ranks().zip(columns.operations()).zip(&columns.length) {
///     if operation == Operation::Write {
///         println!("rank {rank} wrote {bytes} bytes");
///     }
/// }
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug, Default, Clone, PartialEq)]
#[non_exhaustive]
pub struct DxtColumns {
    /// File, rank and host of operations that are side by side, and how many of them are writes and reads.
    pub heads: Vec<DxtHead>,
    /// First byte of each operation; −1 if it is not known.
    pub offset: Vec<i64>,
    /// Bytes of each operation.
    pub length: Vec<i64>,
    /// Begin of each operation, in seconds since the job began.
    pub start: Vec<f64>,
    /// End of each operation, in seconds since the job began.
    pub end: Vec<f64>,
    /// Thread of each operation; empty if the log does not know.
    pub thread: Vec<u64>,
}

impl DxtColumns {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// True if there are no operations.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Record id of the file of each operation.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.of_heads(|head| head.base.id)
    }

    /// Rank of each operation.
    pub fn ranks(&self) -> impl Iterator<Item = i64> {
        self.of_heads(|head| head.base.rank)
    }

    /// Kind of each operation.
    pub fn operations(&self) -> impl Iterator<Item = Operation> {
        self.heads.iter().flat_map(|head| {
            let writes = repeated(Operation::Write, head.writes);
            writes.chain(repeated(Operation::Read, head.reads))
        })
    }

    fn of_heads<T: Copy>(&self, value: impl Fn(&DxtHead) -> T) -> impl Iterator<Item = T> {
        self.heads.iter().flat_map(move |head| repeated(value(head), head.segments()))
    }

    fn clear(&mut self) {
        self.heads.clear();
        self.offset.clear();
        self.length.clear();
        self.start.clear();
        self.end.clear();
        self.thread.clear();
    }

    /// Appends operations of the record with this head, and counts them in it, until there are `most` or a few more.
    fn append(
        &mut self,
        reader: &mut DxtReader<'_>,
        head: &mut DxtHead,
        most: usize,
    ) -> Result<(), Error> {
        while self.len() < most
            && let Some(chunk) = reader.next_chunk()?
        {
            self.offset.extend(chunk.segments.iter().map(|segment| segment.offset));
            self.length.extend(chunk.segments.iter().map(|segment| segment.length));
            self.start.extend(chunk.segments.iter().map(|segment| segment.start));
            self.end.extend(chunk.segments.iter().map(|segment| segment.end));
            self.thread.extend_from_slice(chunk.threads.unwrap_or_default());
            match chunk.operation {
                Operation::Write => head.writes += chunk.segments.len() as u64,
                Operation::Read => head.reads += chunk.segments.len() as u64,
            }
        }
        Ok(())
    }
}

fn repeated<T: Clone>(value: T, count: u64) -> impl Iterator<Item = T> {
    // Each of them was read into memory.
    core::iter::repeat_n(value, count as usize)
}

/// A trace as columns, some operations at a time.
///
/// ```no_run
/// # let log = ioglass_log::Log::open("app.darshan")?;
/// let mut chunks = log.dxt_column_chunks(&ioglass_log::dxt::POSIX, 65_536)?;
/// while let Some(columns) = chunks.next()? {
///     println!("{} operations", columns.len());
/// }
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug)]
pub struct DxtColumnChunks<'a> {
    reader: DxtReader<'a>,
    rows: usize,
    /// The head of a record of which the last chunk had only a part.
    cut: Option<DxtHead>,
    columns: DxtColumns,
}

impl DxtColumnChunks<'_> {
    /// The next operations, lent until the ones after them are read; `None` after the last. A chunk may have up to
    /// 511 operations more than was asked for.
    // A lending iterator cannot be an `Iterator`.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<&DxtColumns>, Error> {
        self.columns.clear();
        while self.columns.len() < self.rows {
            let head = match self.cut.take() {
                None => self.reader.next_record()?,
                cut => cut,
            };
            let Some(head) = head else { break };
            let mut head = DxtHead { writes: 0, reads: 0, ..head };
            self.columns.append(&mut self.reader, &mut head, self.rows)?;
            if self.reader.has_more() {
                self.cut = Some(head.clone());
            }
            self.columns.heads.push(head);
        }
        Ok((!self.columns.heads.is_empty()).then_some(&self.columns))
    }
}

impl Log {
    /// All records of a module made of counters, as columns. Memory grows with the records; for a part at a time
    /// there is [`column_chunks`](Self::column_chunks).
    pub fn columns(&self, module: &'static Module) -> Result<RecordColumns, Error> {
        let mut chunks = self.column_chunks(module, usize::MAX)?;
        chunks.next()?;
        Ok(chunks.columns)
    }

    /// Records of a module made of counters as columns, `rows` records at a time, at least one.
    pub fn column_chunks(
        &self,
        module: &'static Module,
        rows: usize,
    ) -> Result<RecordColumnChunks<'_>, Error> {
        let (records, columns) = (self.records(module)?, RecordColumns::new(module));
        Ok(RecordColumnChunks { records, rows: rows.max(1), columns })
    }

    /// A whole trace as columns, as [`dxt`](Self::dxt) reads it. Memory grows with the trace; for a part at a time
    /// there is [`dxt_column_chunks`](Self::dxt_column_chunks).
    pub fn dxt_columns(&self, module: &'static Module) -> Result<DxtColumns, Error> {
        let mut chunks = self.dxt_column_chunks(module, usize::MAX)?;
        chunks.next()?;
        Ok(chunks.columns)
    }

    /// A trace as columns, about `rows` operations at a time, at least one.
    pub fn dxt_column_chunks(
        &self,
        module: &'static Module,
        rows: usize,
    ) -> Result<DxtColumnChunks<'_>, Error> {
        let (reader, columns) = (self.dxt(module)?, DxtColumns::default());
        Ok(DxtColumnChunks { reader, rows: rows.max(1), cut: None, columns })
    }
}
