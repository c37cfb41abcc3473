//! Lines of traces.

use ioglass_schema::{Base, Module, dxt, record_id};

use super::index::{Index, next_number, push, sort_positions};
use super::line::{float, int, parse, shown, unsigned, words};
use super::strings::{NameTable, WordTable};
use super::value::Component;
use crate::record::Segment;

/// The name of a file that a trace does not name.
const UNKNOWN_FILE: &[u8] = b"dxt-unknown";

/// Segments of one module.
#[derive(Debug)]
pub(super) struct ModuleTrace {
    pub(super) module: &'static Module,
    pub(super) records: Vec<TraceRecord>,
    pub(super) segments: Vec<TraceSegment>,
    /// True if any segment names its thread.
    pub(super) has_threads: bool,
    index: Index,
    last: Option<u32>,
}

/// A file on a rank, in one block of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceRecord {
    pub(super) base: Base,
    /// A word.
    pub(super) hostname: u32,
    block: u32,
}

/// A segment, and the record it belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceSegment {
    pub(super) segment: Segment,
    /// 0 if unknown.
    pub(super) thread: u64,
    pub(super) record: u32,
    pub(super) is_read: bool,
}

/// The file, rank and host that the lines above segments name.
#[derive(Debug, Clone, Copy)]
struct TraceHead {
    id: u64,
    rank: Option<i64>,
    hostname: u32,
    has_records: bool,
}

/// A mount's path and type.
type MountColumns<'l> = (&'l [u8], &'l [u8]);

/// Both traces, and where in the text they are.
#[derive(Debug)]
pub(super) struct Traces {
    pub(super) list: [ModuleTrace; 2],
    pub(super) layouts: Layouts,
    /// The module whose title was the last.
    title: Option<usize>,
    block: Option<TraceHead>,
    /// Blocks so far; 0 is for segments without one.
    blocks: u32,
    /// Stripes of a layout whose targets come in the next line, as old releases print it.
    stripes: Option<(i64, i64)>,
}

impl Default for Traces {
    fn default() -> Self {
        Self {
            list: [ModuleTrace::new(&dxt::POSIX), ModuleTrace::new(&dxt::MPIIO)],
            layouts: Layouts::default(),
            title: None,
            block: None,
            blocks: 0,
            stripes: None,
        }
    }
}

impl Traces {
    /// Takes the title of a module's part of a text.
    pub(super) fn title(&mut self, module: &[u8]) -> Result<(), String> {
        self.end_block()?;
        self.title = self.list.iter().position(|trace| trace.module.name.as_bytes() == module);
        Ok(())
    }

    /// Takes what follows `# DXT,`. The result is the file's mount, if the line tells it.
    pub(super) fn head<'l>(
        &mut self,
        line: &'l [u8],
        names: &mut NameTable,
        strings: &mut WordTable,
    ) -> Result<Option<MountColumns<'l>>, String> {
        let line = line.trim_ascii_start();
        if let Some(rest) = line.strip_prefix(b"file_id:") {
            let (id, name) = split_at(rest, b", file_name:");
            let name = name.map(|name| name.strip_prefix(b" ").unwrap_or(name));
            self.end_block()?;
            self.blocks = self.blocks.checked_add(1).ok_or("the text has too many traces")?;
            let id = file_id(id.trim_ascii(), name)?;
            if let Some(name) = name.filter(|name| *name != b"(null)") {
                names.add(id, name)?;
            }
            let hostname = strings.intern(b"")?;
            self.block = Some(TraceHead { id, rank: None, hostname, has_records: false });
        } else if let Some(rest) = line.strip_prefix(b"rank:") {
            let (rank, host) = split_at(rest, b", hostname:");
            let rank = int(rank.trim_ascii(), "rank")?;
            let host = host.unwrap_or_default();
            let host = host.strip_prefix(b" ").unwrap_or(host);
            if host.len() >= dxt::HOSTNAME_SIZE {
                let most = dxt::HOSTNAME_SIZE - 1;
                return Err(format!("hostname is {}, longer than {most} bytes", shown(host)));
            }
            let hostname = strings.intern(host)?;
            if let Some(block) = &mut self.block {
                (block.rank, block.hostname) = (Some(rank), hostname);
            }
        } else if let Some(rest) = line.strip_prefix(b"mnt_pt:") {
            let (path, fs_type) = split_at(rest, b", fs_type:");
            return Ok(fs_type.map(|fs_type| (path.trim_ascii(), fs_type.trim_ascii())));
        } else if let Some(rest) = line.strip_prefix(b"Lustre stripe_size:") {
            let (size, count) = split_at(rest, b", Lustre stripe_count:");
            let size = int(size.trim_ascii(), "stripe_size")?;
            let count = int(count.unwrap_or(b"0").trim_ascii(), "stripe_count")?;
            self.stripes = Some((size, count));
        } else if let Some(targets) = line.strip_prefix(b"Lustre OST obdidx:")
            && let Some((size, count)) = self.stripes.take()
        {
            let head = "[Component 1] stripe_ext: 0 - EOF";
            let mut line = format!("{head}, stripe_size: {size}, stripe_count: {count}, OSTs:");
            line.push_str(&String::from_utf8_lossy(targets));
            self.component(line.as_bytes())?;
        }
        Ok(None)
    }

    /// Takes a line with a component of a layout.
    pub(super) fn component(&mut self, line: &[u8]) -> Result<(), String> {
        Component::parse(line)?;
        match &self.block {
            Some(block) => self.layouts.add(block.id, self.blocks, line),
            None => Ok(()),
        }
    }

    /// Takes a line with a segment, and gives its rank and end. `None` if the line is something
    /// else.
    pub(super) fn segment(
        &mut self,
        line: &[u8],
        names: &mut NameTable,
        strings: &mut WordTable,
    ) -> Option<Result<(i64, f64), String>> {
        let label = words(line).next()?;
        let modules = [dxt::POSIX_LABEL, dxt::MPIIO_LABEL];
        let module = modules.iter().position(|name| name.as_bytes() == label)?;
        Some(self.add_segment(module, line, names, strings))
    }

    fn add_segment(
        &mut self,
        module: usize,
        line: &[u8],
        names: &mut NameTable,
        strings: &mut WordTable,
    ) -> Result<(i64, f64), String> {
        let line = SegmentLine::parse(line)?;
        let base = |id| Base { id, rank: line.rank };
        let (base, hostname, block) = match &mut self.block {
            Some(block) => {
                block.has_records = true;
                (base(block.id), block.hostname, self.blocks)
            }
            None => {
                let id = record_id(UNKNOWN_FILE);
                names.add(id, UNKNOWN_FILE)?;
                (base(id), strings.intern(b"")?, 0)
            }
        };
        let trace = &mut self.list[module];
        let record = trace.record(TraceRecord { base, hostname, block })?;
        trace.has_threads |= line.thread.is_some();
        let SegmentLine { segment, is_read, thread, .. } = line;
        next_number(&trace.segments)?;
        let thread = thread.unwrap_or(0);
        push(&mut trace.segments, TraceSegment { segment, thread, record, is_read });
        Ok((line.rank, line.segment.end))
    }

    /// A block without segments is a record too, if it says of which rank and module.
    fn end_block(&mut self) -> Result<(), String> {
        self.stripes = None;
        let Some(TraceHead { id, rank, hostname, has_records }) = self.block.take() else {
            return Ok(());
        };
        if let (Some(rank), Some(title), false) = (rank, self.title, has_records) {
            let base = Base { id, rank };
            self.list[title].record(TraceRecord { base, hostname, block: self.blocks })?;
        }
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.iter().all(ModuleTrace::is_empty)
    }

    /// Ends a text: the next one has nothing to do with its last lines.
    pub(super) fn end(&mut self) -> Result<(), String> {
        self.end_block()?;
        self.title = None;
        Ok(())
    }
}

impl ModuleTrace {
    fn new(module: &'static Module) -> Self {
        Self {
            module,
            records: Vec::new(),
            segments: Vec::new(),
            has_threads: false,
            index: Index::default(),
            last: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The record of this file and rank in this block.
    fn record(&mut self, record: TraceRecord) -> Result<u32, String> {
        let same = |other: &TraceRecord| other.base == record.base && other.block == record.block;
        let Self { records, index, .. } = self;
        if let Some(last) = self.last
            && same(&records[last as usize])
        {
            return Ok(last);
        }
        let key = |record: &TraceRecord| (record.base.id, record.base.rank, record.block);
        let number = match index.find(key(&record), |i| same(&records[i])) {
            Some(number) => number,
            None => {
                let number = next_number(records)?;
                push(records, record);
                index.insert(number, |i| key(&records[i]));
                number
            }
        };
        self.last = Some(number);
        Ok(number)
    }

    /// Positions of the segments, sorted as a log has them: by record, writes before reads. The
    /// second list says where the writes and the reads of each record begin.
    pub(super) fn order(&mut self) -> (Vec<u32>, Vec<u32>) {
        // Nothing is looked up any more.
        self.index = Index::default();
        let key = |traced: &TraceSegment| 2 * traced.record as usize + usize::from(traced.is_read);
        sort_positions(self.segments.iter().map(key), 2 * self.records.len())
    }
}

/// Layouts that traces show, as text: a line may list many targets in few bytes.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    text: Vec<u8>,
    /// The file, the block that shows its layout first, and where in `text` it begins.
    files: Vec<(u64, u32, usize)>,
    index: Index,
}

impl Layouts {
    fn add(&mut self, id: u64, block: u32, line: &[u8]) -> Result<(), String> {
        let Self { text, files, index } = self;
        match index.find(id, |i| files[i].0 == id) {
            // Every rank of a file shows the same layout.
            Some(number) if files[number as usize].1 != block => return Ok(()),
            Some(_) => {}
            None => {
                let number = next_number(files)?;
                push(files, (id, block, text.len()));
                index.insert(number, |i| files[i].0);
            }
        }
        text.extend_from_slice(line);
        text.push(b'\n');
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Each file's id and the components of its layout.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = Component<'_>>)> {
        let ends = self.files.iter().skip(1).map(|(_, _, start)| *start).chain([self.text.len()]);
        self.files.iter().zip(ends).map(|((id, _, start), end)| {
            let lines = self.text[*start..end].split(|byte| *byte == b'\n');
            (*id, lines.filter_map(|line| Component::parse(line).ok()))
        })
    }
}

/// A line with a segment.
#[derive(Debug)]
struct SegmentLine {
    rank: i64,
    is_read: bool,
    segment: Segment,
    thread: Option<u64>,
}

impl SegmentLine {
    fn parse(line: &[u8]) -> Result<Self, String> {
        const COLUMNS: usize = 8;
        let mut rest = line;
        let mut columns = [&line[..0]; COLUMNS];
        for (found, column) in columns.iter_mut().enumerate() {
            rest = rest.trim_ascii_start();
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            (*column, rest) = rest.split_at(end);
            if end == 0 {
                let expected = "module, rank, write or read, segment, offset, length, start, end";
                return Err(format!("found {found} columns, expected {expected}"));
            }
        }
        let [_, rank, operation, number, offset, length, start, end] = columns;
        let is_read = match operation {
            b"read" => true,
            b"write" => false,
            _ => return Err(format!("found {}, expected write or read", shown(operation))),
        };
        unsigned(number, "segment")?;
        let segment = Segment {
            offset: int(offset, "offset")?,
            length: int(length, "length")?,
            start: float(start, "start")?,
            end: float(end, "end")?,
        };
        Ok(Self { rank: int(rank, "rank")?, is_read, segment, thread: thread(rest)? })
    }
}

/// Reads the words after the times: storage targets in brackets, and a thread or `N/A` or nothing.
fn thread(mut rest: &[u8]) -> Result<Option<u64>, String> {
    rest = rest.trim_ascii();
    while rest.first() == Some(&b'[') {
        let end = rest.iter().position(|byte| *byte == b']');
        let end = end.ok_or_else(|| format!("found {}, expected [OST]", shown(rest)))?;
        rest = rest[end + 1..].trim_ascii_start();
    }
    match rest {
        b"" | b"N/A" => Ok(None),
        _ => unsigned(rest, "thread").map(Some),
    }
}

/// The text before and after a separator.
fn split_at<'l>(line: &'l [u8], separator: &[u8]) -> (&'l [u8], Option<&'l [u8]>) {
    match line.windows(separator.len()).position(|window| window == separator) {
        Some(at) => (&line[..at], Some(&line[at + separator.len()..])),
        None => (line, None),
    }
}

/// A record's id; if the text has none, that of its name.
pub(super) fn file_id(text: &[u8], name: Option<&[u8]>) -> Result<u64, String> {
    let name = name.filter(|name| !matches!(*name, b"" | b"(null)"));
    match (text, name) {
        (b"" | b"-" | b"?" | b"0", Some(name)) => Ok(record_id(name)),
        (b"" | b"-" | b"?", None) => Err("a record needs an id or a name".into()),
        _ => match parse(text) {
            Some(id) => Ok(id),
            None => unsigned(text, "record id"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_old_and_new_releases() {
        let start = " X_POSIX       0  write        0      -1  4000      0.1034      0.1035";
        for (rest, found) in [
            ("", Ok(None)),
            ("  N/A", Ok(None)),
            ("  [ 79]", Ok(None)),
            ("   [3] [11]   1234", Ok(Some(1234))),
            ("  4 5", Err(())),
            ("  [3", Err(())),
        ] {
            let line = SegmentLine::parse(format!("{start}{rest}").as_bytes());
            assert_eq!(line.map(|line| line.thread).map_err(|_| ()), found, "{rest}");
        }
        let line = SegmentLine::parse(start.as_bytes()).unwrap();
        assert_eq!((line.rank, line.is_read), (0, false));
        assert_eq!(line.segment, Segment { offset: -1, length: 4000, start: 0.1034, end: 0.1035 });
    }
}
