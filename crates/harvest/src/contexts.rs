//! The section `contexts`: I/O by the context of its calls, which is the region they were made in.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt::{self, Write};

use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::name_path;
use ioglass_profile::{Io, Layer};
use ioglass_shm::{Kind, Pod, RegionCell, RegionIo};

use crate::capture::Capture;
use crate::rank::Ranks;
use crate::regions::{of_counts, text_at};
use crate::time::Timeline;
use crate::{NoMemory, files, push};

/// Name of the section.
pub const SECTION: &str = "contexts";
/// Its first line.
pub const COLUMNS: &str = "rank\trecord\tlayer\topens\treads\twrites\tbytes_read\tbytes_written\t\
                           other\tread\twrite\tmetadata\tkind\tline\tfile\tpath";
/// The kind of contexts that are regions.
pub const REGION: &str = "region";
/// Record of calls on no file, and on all files that are not told.
pub const NO_FILE: u64 = 0;

/// Lines of a job, about. Each rank has its part of them.
const LINES: usize = 1 << 16;
/// Least and most lines of a rank.
const OF_RANK: (usize, usize) = (16, 1024);
/// Bytes of the longest path. What is deeper counts for the region around it.
const LONGEST: usize = 4096;

/// A region in the source.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'r> {
    path: Vec<u8>,
    file: &'r [u8],
    line: u32,
}

/// I/O from one place, on one record, through one layer.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// Among the places of a rank.
    place: usize,
    record: u64,
    layer: u8,
    io: Io,
}

impl Context {
    fn key(&self) -> (usize, u64, u8) {
        (self.place, self.record, self.layer)
    }

    fn ns(&self) -> u64 {
        self.io.read_ns.saturating_add(self.io.write_ns).saturating_add(self.io.metadata_ns)
    }
}

/// Text whose memory may be refused.
struct Text(Vec<u8>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// Adds the I/O by context, by rank.
pub(crate) fn write(
    block: &mut Block,
    captures: &[Capture<'_>],
    times: &[Timeline],
    ranks: &Ranks,
) -> Result<(), NoMemory> {
    let mut section = SectionWriter::new(SECTION);
    // Whoever completes the block adds the head.
    let mut has_head = block.is_part();
    let count = usize::try_from(ranks.count).unwrap_or(1).max(1);
    let most = (LINES / count).clamp(OF_RANK.0, OF_RANK.1);
    for rank in &ranks.list {
        let (mut places, mut contexts) = (Vec::new(), Vec::new());
        for (capture, time) in files::members(rank, captures, times) {
            if capture.of(Kind::RegionIo).next().is_some() {
                collect(capture, time, &mut places, &mut contexts)?;
            }
        }
        number(&places, &mut contexts)?;
        sum(&mut contexts);
        keep_most(&mut contexts, most);
        for context in &contexts {
            let Some(place) = places.get(context.place) else { continue };
            if !has_head {
                has_head = true;
                let _ = writeln!(section, "{COLUMNS}");
            }
            // Writing to a section cannot fail.
            let _ = line(&mut section, rank.number, context, place);
        }
    }
    section.finish(block);
    Ok(())
}

fn line(
    section: &mut SectionWriter,
    rank: i64,
    context: &Context,
    place: &Place<'_>,
) -> fmt::Result {
    let layer = Layer::of_number(context.layer).map_or("-", Layer::word);
    let Io { opens, reads, writes, bytes_read, bytes_written, other, .. } = context.io;
    let seconds = |ns: u64| ns as f64 / 1e9;
    let Io { read_ns, write_ns, metadata_ns, .. } = context.io;
    write!(
        section,
        "{rank}\t{}\t{layer}\t{opens}\t{reads}\t{writes}\t{bytes_read}\t{bytes_written}\t{other}\t\
         {:.7}\t{:.7}\t{:.7}\t{REGION}\t{}\t",
        context.record,
        seconds(read_ns),
        seconds(write_ns),
        seconds(metadata_ns),
        place.line,
    )?;
    match place.file {
        b"" => section.push(b"-"),
        // A slash is part of it.
        file => file.split(|byte| *byte == b'/').enumerate().try_for_each(|(at, part)| {
            if at > 0 {
                section.write_char('/')?;
            }
            name_path::write(section, part)
        })?,
    }
    section.push(b"\t");
    section.push(&place.path);
    section.push(b"\n");
    Ok(())
}

/// The contexts of a process.
fn collect<'r>(
    capture: &Capture<'r>,
    time: &Timeline,
    places: &mut Vec<Place<'r>>,
    contexts: &mut Vec<Context>,
) -> Result<(), NoMemory> {
    let mut regions: Vec<RegionCell> = Vec::new();
    for entry in capture.of(Kind::Region) {
        // No region has the number 0, and none is in a later one.
        if let Some(cell) = RegionCell::read(entry.bytes).filter(|cell| cell.number > cell.parent) {
            push(&mut regions, cell)?;
        }
    }
    regions.sort_by_key(|cell| (cell.number, cell.execution));
    regions.dedup_by_key(|cell| cell.number);
    let mut cells: Vec<RegionIo> = Vec::new();
    for entry in capture.of(Kind::RegionIo) {
        if let Some(io) = RegionIo::read(entry.bytes) {
            push(&mut cells, io)?;
        }
    }
    cells.sort_by_key(|io| io.region);
    for same in cells.chunk_by(|a, b| a.region == b.region) {
        let Some(first) = same.first() else { continue };
        let Some(place) = place_of(capture, &regions, first.region)? else { continue };
        push(places, place)?;
        for cell in same {
            let Ok(layer) = u8::try_from(cell.layer) else { continue };
            let io = of_counts(&cell.counts, time);
            let context = Context { place: places.len() - 1, record: cell.record, layer, io };
            if io != Io::default() {
                push(contexts, context)?;
            }
        }
    }
    Ok(())
}

/// The place of a region: its own, or that of the region around it whose path is not too long.
fn place_of<'r>(
    capture: &Capture<'r>,
    regions: &[RegionCell],
    number: u32,
) -> Result<Option<Place<'r>>, NoMemory> {
    let find = |number: u32| {
        let at = regions.binary_search_by_key(&number, |cell| cell.number).ok()?;
        regions.get(at)
    };
    let mut around = Vec::new();
    let mut at = find(number);
    // Numbers fall on the way up, so it ends.
    while let Some(cell) = at {
        push(&mut around, cell)?;
        at = find(cell.parent);
    }
    let mut path = Text(Vec::new());
    let mut innermost = None;
    for cell in around.iter().rev() {
        let before = path.0.len();
        if before > 0 {
            path.write_char(name_path::SEPARATOR).map_err(|_| NoMemory)?;
        }
        name_path::write(&mut path, text_at(capture.bytes(), cell.name)).map_err(|_| NoMemory)?;
        if path.0.len() > LONGEST {
            path.0.truncate(before);
            break;
        }
        innermost = Some(*cell);
    }
    Ok(innermost.map(|cell| Place {
        path: path.0,
        file: text_at(capture.bytes(), cell.file),
        line: cell.line,
    }))
}

/// Gives the same number to the same places. Threads and executions have their own.
fn number(places: &[Place<'_>], contexts: &mut [Context]) -> Result<(), NoMemory> {
    let mut order: Vec<usize> = Vec::new();
    for at in 0..places.len() {
        push(&mut order, at)?;
    }
    order.sort_by(|a, b| places.get(*a).cmp(&places.get(*b)).then(a.cmp(b)));
    let mut first: Vec<(usize, usize)> = Vec::new();
    for same in order.chunk_by(|a, b| places.get(*a) == places.get(*b)) {
        for at in same {
            push(&mut first, (*at, same.first().copied().unwrap_or(*at)))?;
        }
    }
    first.sort_unstable();
    for context in contexts {
        if let Some((_, first)) = first.get(context.place) {
            context.place = *first;
        }
    }
    Ok(())
}

/// Adds up what has the same key.
fn sum(contexts: &mut Vec<Context>) {
    contexts.sort_by_key(Context::key);
    contexts.dedup_by(|later, first| {
        let is_same = later.key() == first.key();
        if is_same {
            first.io.add(&later.io);
        }
        is_same
    });
}

/// Keeps the lines with most time; the others count for their region without a file.
fn keep_most(contexts: &mut Vec<Context>, most: usize) {
    if contexts.len() <= most {
        return;
    }
    let order = |context: &Context| (Reverse(context.ns()), context.key());
    contexts.sort_by_key(order);
    for context in contexts.iter_mut().skip(most) {
        context.record = NO_FILE;
    }
    sum(contexts);
    contexts.sort_by_key(order);
    contexts.truncate(2 * most);
    contexts.sort_by_key(Context::key);
}
