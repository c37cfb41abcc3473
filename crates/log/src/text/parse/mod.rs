//! Text back into a log.
//!
//! A text is what `parse` or `dxt` printed, a part of it, or something typed by hand in the same
//! manner. [`TextBuilder`] keeps what lines say in a few bytes each; the log's records come into
//! being while it is written.

mod expand;
mod index;
mod job;
mod line;
mod shape;
mod strings;
mod suggest;
mod table;
mod trace;
mod value;
mod write;

use std::io::{self, BufRead, Read};

use ioglass_schema::{Base, Layout, Module, ModuleId, Unit, bgq, daos, dfs, module_named};

use crate::error::Error;
use job::JobText;
use line::{LineColumns, int, parse, shown};
use shape::{CounterSlot, PLACE, Shape, shapes};
use strings::{NameTable, WordTable};
use table::LineTable;
use trace::{Traces, file_id};
use value::{DaosPlace, DaosPlaces};

/// Some editors begin a text with it.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A longer line is no line of a listing.
const LONGEST_LINE: u64 = 1 << 20;

/// Makes a log of text.
///
/// ```
/// use ioglass_log::{Compression, Log, posix::{self, Posix}, text::TextBuilder};
///
/// let mut text = TextBuilder::new();
/// text.read("POSIX\t0\t-\tPOSIX_OPENS\t3\t/scratch/data".as_bytes())?;
/// let log = Log::from_bytes(text.write(Vec::new(), Compression::Zlib).unwrap())?;
/// let record = log.records_of::<Posix>()?.next().unwrap()?;
/// assert_eq!(record.int[posix::OPENS], 3);
/// # Ok::<(), ioglass_log::Error>(())
/// ```
#[derive(Debug)]
pub struct TextBuilder {
    shapes: Vec<Shape>,
    /// One for every shape.
    tables: Vec<LineTable>,
    /// The shape of the line before: most lines continue it.
    last_shape: usize,
    job: JobText,
    names: NameTable,
    words: WordTable,
    places: DaosPlaces,
    traces: Traces,
    /// Modules that lost records, by number.
    partial: u64,
    /// True if APMPI timed synchronisation apart.
    has_sync: bool,
    /// Bytes of text so far.
    size: u64,
}

impl Default for TextBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TextBuilder {
    /// A builder that has read nothing: its log is one of a job that did nothing.
    pub fn new() -> Self {
        let shapes = shapes();
        let tables = shapes.iter().map(|_| LineTable::default()).collect();
        Self {
            shapes,
            tables,
            last_shape: 0,
            job: JobText::default(),
            names: NameTable::default(),
            words: WordTable::default(),
            places: DaosPlaces::default(),
            traces: Traces::default(),
            partial: 0,
            has_sync: false,
            size: 0,
        }
    }

    /// Reads a text. Several are taken as parts of one log; each has its own line numbers.
    pub fn read(&mut self, mut text: impl BufRead) -> Result<(), Error> {
        let mut line = Vec::new();
        for number in 1.. {
            if !read_line(&mut text, &mut line)? {
                break;
            }
            if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            self.size = self.size.saturating_add(line.len() as u64);
            self.take_line(&line).map_err(|reason| Error::Text { line: number, reason })?;
        }
        self.traces.end().map_err(|reason| Error::Text { line: 0, reason })
    }

    /// Statements of the text that the log will not have.
    pub fn left_out(&self) -> Vec<String> {
        let mut notes = self.job.left_out();
        if self.tables.iter().all(LineTable::is_empty) && self.traces.is_empty() {
            notes.push("no counter and no operation was found, so the log is empty".into());
        }
        notes
    }

    fn take_line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.len() as u64 > LONGEST_LINE {
            return Err(format!("the line is longer than {LONGEST_LINE} bytes"));
        }
        if line.contains(&0) {
            return Err("found a NUL byte; this is not text".into());
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = line.trim_ascii_start();
        match start.first() {
            None => Ok(()),
            Some(b'#') => self.take_comment(start[1..].trim_ascii_start()),
            Some(b'*') => self.take_warning(start).unwrap_or(Ok(())),
            _ if start.starts_with(b"total_") => Ok(()),
            _ => {
                let segment = self.traces.segment(start, &mut self.names, &mut self.words);
                match segment {
                    Some(segment) => {
                        let (rank, end) = segment?;
                        self.job.see_rank(rank);
                        self.job.see_time(end);
                    }
                    None => self.take_data(start)?,
                }
                Ok(())
            }
        }
    }

    fn take_comment(&mut self, comment: &[u8]) -> Result<(), String> {
        if let Some(head) = comment.strip_prefix(b"DXT,") {
            let mount = self.traces.head(head, &mut self.names, &mut self.words)?;
            if let Some((path, fs_type)) = mount {
                self.job.see_mount(path, fs_type);
            }
            return Ok(());
        }
        if comment.starts_with(b"[Component ") {
            return self.traces.component(comment);
        }
        if let Some(taken) = self.take_warning(comment) {
            return taken;
        }
        if let Some(module) = comment.trim_ascii_end().strip_suffix(b" module data") {
            return self.traces.title(module);
        }
        match comment.iter().position(|byte| *byte == b':') {
            Some(colon) => self.job.set(&comment[..colon], &comment[colon + 1..]),
            None => Ok(()),
        }
    }

    /// Takes the warning that a module lost records. `None` if the line is something else.
    fn take_warning(&mut self, line: &[u8]) -> Option<Result<(), String>> {
        let rest = line.trim_ascii().strip_prefix(b"*WARNING*: The ")?;
        let rest = rest.strip_suffix(b"!").unwrap_or(rest);
        let name = rest.strip_suffix(b" module contains incomplete data")?;
        let number = match name {
            b"NULL" => Some(0),
            _ => match name.strip_prefix(b"number ") {
                Some(number) => parse(number).filter(|number| *number < ModuleId::MAX as u8),
                None => str::from_utf8(name).ok().and_then(module_named).map(|module| module.id.0),
            },
        };
        Some(match number {
            Some(number) => {
                self.partial |= 1 << number;
                Ok(())
            }
            None => Err(unknown_module(name)),
        })
    }

    fn take_data(&mut self, line: &[u8]) -> Result<(), String> {
        let columns = LineColumns::split(line)?;
        let (shape, slot) = self.find_slot(columns.module, columns.counter)?;
        let module = self.shapes[shape].module;
        let rank = int(columns.rank, "rank")?;
        let id = file_id(columns.id, columns.name)?;
        let value = value::read(slot.kind, columns.counter, columns.value, &mut self.words)?;

        let table = &mut self.tables[shape];
        let record = table.record(Base { id, rank })?;
        table.set(record, slot.number, value)?;
        self.job.see_rank(rank);
        let float = (slot.number as usize).checked_sub(module.ints.len());
        let counter = float.and_then(|float| module.floats.get(float));
        if counter.is_some_and(|counter| counter.unit == Unit::Timestamp) {
            self.job.see_time(f64::from_bits(value));
        }
        if module.uuids > 0 {
            // After the value: it belongs to the record that the value may have begun.
            let place = place(module, &columns)?;
            let place = self.places.intern(place);
            table.set(record, PLACE, place)?;
        } else if let (Some(mount), Some(fs_type)) = (columns.mount, columns.fs_type) {
            self.job.see_mount(mount, fs_type);
        }
        if module.layout == Layout::Apmpi {
            self.has_sync |= expand::is_sync(self.shapes[shape].is_header, slot.number);
        }
        if let Some(name) = columns.name
            && is_name(module, name)
        {
            self.names.add(id, name)?;
        }
        Ok(())
    }

    /// The shape that has this counter, and the counter's slot.
    fn find_slot(&mut self, module: &[u8], counter: &[u8]) -> Result<(usize, CounterSlot), String> {
        let is = |shape: &Shape| shape.module.name.as_bytes() == module;
        if is(&self.shapes[self.last_shape])
            && let Some(slot) = self.shapes[self.last_shape].slot(counter)?
        {
            return Ok((self.last_shape, slot));
        }
        let mut known = None;
        for (i, shape) in self.shapes.iter().enumerate().filter(|(_, shape)| is(shape)) {
            if let Some(slot) = shape.slot(counter)? {
                self.last_shape = i;
                return Ok((i, slot));
            }
            known = known.or(Some(shape));
        }
        Err(match known {
            Some(shape) => shape.unknown(counter),
            None => unknown_module(module),
        })
    }
}

/// Reads one line with its end; at most a little more than the longest that is accepted.
fn read_line(text: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    Ok(text.take(LONGEST_LINE + 1).read_until(b'\n', line)? > 0)
}

fn unknown_module(name: &[u8]) -> String {
    let known = shapes();
    let mut known: Vec<&str> = known.iter().map(|shape| shape.module.name).collect();
    known.sort_unstable();
    known.dedup();
    let known = known.join(" ");
    format!("{} is not a module; modules with counters are {known}", shown(name))
}

/// Returns true if a name column names a record's file.
fn is_name(module: &Module, name: &[u8]) -> bool {
    let is_placeholder = name == b"(null)" || name == bgq::RECORD_NAME.as_bytes();
    !is_placeholder && module.layout != Layout::Apmpi && module.id != daos::MODULE.id
}

fn place(module: &Module, columns: &LineColumns<'_>) -> Result<DaosPlace, String> {
    let mut place = DaosPlace::default();
    place.set_container(columns.mount.unwrap_or_default())?;
    if module.id != dfs::MODULE.id {
        place.set_object(columns.name.unwrap_or_default())?;
    }
    Ok(place)
}
