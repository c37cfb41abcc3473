//! Every traced operation, one per line.

use std::collections::HashMap;
use std::io::{self, Write};

use ioglass_schema::{Module, dxt, lustre};

use super::output::{Output, Stop};
use super::{head, number};
use crate::error::{Damage, Error, LogRegion};
use crate::read::{DxtChunk, Log, Operation};
use crate::record::{DxtHead, Lustre, Segment};

/// Options of [`trace`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TraceOptions {
    /// Go on where a module lost records.
    pub show_incomplete: bool,
}

/// Prints the traces of `log`. The result is what was wrong with the log; an error is one of
/// `sink`.
pub fn trace(log: &Log, options: TraceOptions, sink: &mut dyn Write) -> io::Result<Vec<Error>> {
    let mut out = Output::new(sink);
    let mut problems = Vec::new();
    head::put(&mut out, log);
    let has_data = |module: &Module| log.module_info(module.id).extent.len > 0;
    if ![&dxt::POSIX, &dxt::MPIIO].into_iter().any(has_data) {
        out.line("");
        out.line("# no DXT module data available for this Darshan log.");
        out.flush()?;
        return Ok(problems);
    }

    let info = log.module_info(lustre::MODULE.id);
    if info.extent.len > 0 && info.partial && !options.show_incomplete {
        out.flush()?;
        return Ok(vec![Error::Incomplete(crate::error::LogRegion::Module(info.id))]);
    }
    let (layouts, problem) = layouts(log);
    problems.extend(problem);
    for (module, label) in [(&dxt::POSIX, dxt::POSIX_LABEL), (&dxt::MPIIO, dxt::MPIIO_LABEL)] {
        let info = log.module_info(module.id);
        if info.extent.len == 0 {
            continue;
        }
        if let Err(problem) = head::put_module(&mut out, info, options.show_incomplete) {
            problems.push(problem);
            break;
        }
        let printed = Printer { log, module, label, layouts: &layouts }.print(&mut out);
        match printed {
            Ok(()) => {}
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Log(problem)) => problems.push(problem),
        }
    }
    out.flush()?;
    Ok(problems)
}

/// Stripe layouts of traced files, by record id, as far as they are sound.
fn layouts(log: &Log) -> (HashMap<u64, Lustre>, Option<Error>) {
    let mut layouts = HashMap::new();
    let problem = read_layouts(log, &mut layouts).err();
    (layouts, problem)
}

fn read_layouts(log: &Log, layouts: &mut HashMap<u64, Lustre>) -> Result<(), Error> {
    let mut used = 0;
    for layout in log.special::<Lustre>()? {
        let layout = layout?;
        let parts = size_of_val(&layout.components[..]) + size_of_val(&layout.osts[..]);
        // A growing map keeps its old table until the new one is filled.
        used += (parts + 4 * size_of::<(u64, Lustre)>()) as u64;
        if used > log.budget() {
            let info = log.module_info(lustre::MODULE.id);
            let log_region = LogRegion::Module(info.id);
            return Err(Error::corrupt(log_region, info.extent.offset, Damage::Many("layouts")));
        }
        layouts.insert(layout.base.id, layout);
    }
    Ok(())
}

struct Printer<'a> {
    log: &'a Log,
    module: &'static Module,
    label: &'static str,
    layouts: &'a HashMap<u64, Lustre>,
}

impl Printer<'_> {
    fn print(&self, out: &mut Output<'_>) -> Result<(), Stop> {
        let mut reader = self.log.dxt(self.module)?;
        // The number of threads stands above the segments, so it takes a reader that is ahead.
        let mut scout = match reader.has_threads() {
            true => Some(self.log.dxt(self.module)?),
            false => None,
        };
        while let Some(head) = reader.next_record()? {
            let threads = match &mut scout {
                Some(scout) => scout.next_record().and_then(|_| scout.count_threads()),
                None => Ok(None),
            };
            // A record cut short is found by the reader too, after what is left of it.
            let threads = threads.ok().flatten().filter(|count| *count > 0).unwrap_or(1);
            let layout = match self.module.id == dxt::POSIX.id {
                true => self.layouts.get(&head.base.id),
                false => None,
            };
            self.put_head(out, &head, threads, layout)?;
            while let Some(chunk) = reader.next_chunk()? {
                self.put_chunk(out, &head, &chunk, layout)?;
            }
        }
        Ok(())
    }

    fn put_head(
        &self,
        out: &mut Output<'_>,
        head: &DxtHead,
        threads: usize,
        layout: Option<&Lustre>,
    ) -> io::Result<()> {
        let name = self.log.names().get(head.base.id);
        let mount = name.and_then(|name| self.log.job().mount_of(name));
        let unknown = b"UNKNOWN".as_slice();
        out.line("");
        out.put(format!("# DXT, file_id: {}, file_name: ", head.base.id).as_bytes());
        out.put(name.unwrap_or(b"(null)"));
        out.line("");
        out.put(format!("# DXT, rank: {}, hostname: ", head.base.rank).as_bytes());
        out.put(&head.hostname);
        out.line("");
        out.line(&format!("# DXT, number of threads: {threads}"));
        let (writes, reads) = (head.writes.cast_signed(), head.reads.cast_signed());
        out.line(&format!("# DXT, write_count: {writes}, read_count: {reads}"));
        out.put(b"# DXT, mnt_pt: ");
        out.put(mount.map_or(unknown, |mount| &mount.path));
        out.put(b", fs_type: ");
        out.put(mount.map_or(unknown, |mount| &mount.fs_type));
        out.line("");
        if let Some(layout) = layout {
            put_layout(out, layout)?;
        }
        out.put(b"# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)");
        out.line(if layout.is_some() { "   [OST]   Pthread-ID" } else { "   Pthread-ID" });
        out.breathe()
    }

    fn put_chunk(
        &self,
        out: &mut Output<'_>,
        head: &DxtHead,
        chunk: &DxtChunk<'_>,
        layout: Option<&Lustre>,
    ) -> io::Result<()> {
        let mut line = SegmentPrinter::new(self.label, head.base.rank, chunk.operation);
        for (i, segment) in chunk.segments.iter().enumerate() {
            let text = &mut out.text;
            line.put(text, chunk.first + i as u64, segment);
            if let Some(layout) = layout {
                put_targets(text, segment, layout);
            }
            match chunk.threads {
                None => text.extend_from_slice(b" N/A\n"),
                Some(threads) => {
                    text.push(b' ');
                    number::unsigned_aligned(text, threads[i], 4);
                    text.push(b'\n');
                }
            }
            // One operation can touch thousands of targets.
            out.breathe()?;
        }
        Ok(())
    }
}

/// Columns of a line, up to where storage targets or the thread follow.
mod column {
    use std::ops::Range;

    pub(super) const START: Range<usize> = 0..23;
    pub(super) const INDEX: Range<usize> = 24..32;
    pub(super) const OFFSET: Range<usize> = 32..48;
    pub(super) const LENGTH: Range<usize> = 48..64;
    pub(super) const BEGIN: Range<usize> = 64..76;
    pub(super) const END: Range<usize> = 76..88;
    pub(super) const ALL: usize = 90;
}

/// Times from here on are wider than their column.
const LONG: f64 = 9_999_999.0;

/// Prints segments of one kind and rank.
struct SegmentPrinter {
    /// Module, rank and operation.
    start: Vec<u8>,
    /// A line with the columns that the next one is likely to have too; `None` if one of them
    /// is too wide for its place.
    filled: Option<[u8; column::ALL]>,
    /// The length in `filled`.
    length: u64,
}

impl SegmentPrinter {
    fn new(label: &str, rank: i64, operation: Operation) -> Self {
        let mut start = Vec::with_capacity(32);
        start.extend_from_slice(format!("{label:>8}").as_bytes());
        number::int_aligned(&mut start, rank, 8);
        start.extend_from_slice(match operation {
            Operation::Write => b"  write",
            Operation::Read => b"   read",
        });
        let mut filled = [b' '; column::ALL];
        let fits = start.len() == column::START.len();
        let filled = fits.then(|| {
            filled[column::START].copy_from_slice(&start);
            put_int(&mut filled[column::LENGTH], 0);
            filled
        });
        Self { start, filled, length: 0 }
    }

    /// Appends the columns of a segment.
    #[inline]
    fn put(&mut self, text: &mut Vec<u8>, index: u64, segment: &Segment) {
        let (offset, length) = (segment.offset.cast_unsigned(), segment.length.cast_unsigned());
        let (begin, end) = (segment.start, segment.end);
        // As bits, whatever is negative or not a number is large.
        let is_long = |time: f64| time.to_bits() >= LONG.to_bits();
        let wide = index >= number::BLOCK_LIMIT
            || offset.max(length) >= number::TWO_BLOCKS_LIMIT
            || is_long(begin)
            || is_long(end);
        let Some(filled) = self.filled.as_mut().filter(|_| !wide) else {
            return self.put_wide(text, index, segment);
        };
        if length != self.length {
            put_int(&mut filled[column::LENGTH], length);
            self.length = length;
        }
        text.extend_from_slice(filled);
        if let Some(line) = text.last_chunk_mut::<{ column::ALL }>() {
            line[column::INDEX].copy_from_slice(&number::blank_led(index));
            put_int(&mut line[column::OFFSET], offset);
            put_time(&mut line[column::BEGIN], begin);
            put_time(&mut line[column::END], end);
        }
    }

    /// The same, whatever the numbers are.
    #[cold]
    fn put_wide(&self, text: &mut Vec<u8>, index: u64, segment: &Segment) {
        text.extend_from_slice(&self.start);
        number::unsigned_aligned(text, index, 9);
        number::int_aligned(text, segment.offset, 16);
        number::int_aligned(text, segment.length, 16);
        number::fixed_aligned::<4>(text, segment.start, 12);
        number::fixed_aligned::<4>(text, segment.end, 12);
        text.extend_from_slice(b"  ");
    }
}

/// Fills 16 columns.
#[inline(always)]
fn put_int(columns: &mut [u8], value: u64) {
    let (high, low) = (value / number::BLOCK_LIMIT, value % number::BLOCK_LIMIT);
    if high == 0 {
        columns[..8].fill(b' ');
        columns[8..].copy_from_slice(&number::blank_led(low));
    } else {
        columns[..8].copy_from_slice(&number::blank_led(high));
        columns[8..].copy_from_slice(&number::zero_led(low));
    }
}

/// Fills 12 columns.
#[inline(always)]
fn put_time(columns: &mut [u8], seconds: f64) {
    let (whole, fraction) = number::split(seconds, 10_000);
    columns[..7].copy_from_slice(&number::blank_led(whole)[1..]);
    columns[7] = b'.';
    columns[8..].copy_from_slice(&number::zero_led(fraction)[4..]);
}

fn put_layout(out: &mut Output<'_>, layout: &Lustre) -> io::Result<()> {
    out.line("# DXT, Lustre stripe components:");
    for (i, (component, targets)) in layout.targets().enumerate() {
        let end = match component.end {
            -1 => "EOF".to_owned(),
            end => end.to_string(),
        };
        let (start, size, count) = (component.start, component.stripe_size, component.stripe_count);
        out.put(format!("#\t[Component {}] stripe_ext: {start} - {end}, ", i + 1).as_bytes());
        out.put(format!("stripe_size: {size}, stripe_count: {count}, OSTs:").as_bytes());
        for target in targets {
            out.put(format!(" {target}").as_bytes());
        }
        out.line("");
        out.breathe()?;
    }
    Ok(())
}

/// The storage targets an operation touched, each once per component it falls in.
fn put_targets(text: &mut Vec<u8>, segment: &Segment, layout: &Lustre) {
    let mut at = segment.offset;
    let end = segment.offset.saturating_add(segment.length);
    let mut shown = 0;
    for (component, targets) in layout.targets() {
        let count = targets.len() as i64;
        let covers = |at: i64| component.end == -1 || at < component.end;
        // Below zero there is no file, and differences could overflow.
        let begins = component.start >= 0 && at >= component.start;
        if count == 0 || component.stripe_size <= 0 || !begins || !covers(at) {
            continue;
        }
        let mut stripe = (at - component.start) / component.stripe_size;
        while at < end && covers(at) {
            text.extend_from_slice(b" [");
            number::int(text, targets[(stripe % count) as usize]);
            text.push(b']');
            stripe += 1;
            let next = stripe.saturating_mul(component.stripe_size);
            at = component.start.saturating_add(next);
            shown += 1;
            if shown >= count {
                at = if component.end == -1 { end } else { component.end };
                break;
            }
        }
    }
    if !layout.components.is_empty() {
        text.extend_from_slice(b"  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_depend_on_how_they_are_made() {
        let numbers = [0, 1, 99_999_999, 100_000_000, 9_999_999_999_999_999, i64::MAX, -1];
        let times =
            [0.0, -0.0, 0.000_05, 0.000_15, 1.0, 9_999.999_96, 123_456.789, 9_999_998.999_99];
        let wide = [9_999_999.0, 1e20, -1.0, f64::NAN, f64::INFINITY];
        let mut line = SegmentPrinter::new("X_POSIX", 3, Operation::Read);
        for (i, number) in numbers.iter().enumerate() {
            for time in times.iter().chain(&wide) {
                let length = numbers[(i + 1) % numbers.len()];
                let segment = Segment { offset: *number, length, start: *time, end: 2.0 * time };
                for index in [0, 7, 99_999_999, 100_000_000, 1_000_000_000] {
                    let (mut fast, mut plain) = (Vec::new(), Vec::new());
                    line.put(&mut fast, index, &segment);
                    line.put_wide(&mut plain, index, &segment);
                    assert_eq!(fast.escape_ascii().to_string(), plain.escape_ascii().to_string());
                }
            }
        }
    }
}
