//! Bookkeeping of PnetCDF calls: files, and the variables in them.
//!
//! A handle is a number that PnetCDF reuses, so closing a file also forgets the handles of its
//! variables.

use core::ffi::CStr;

use ioglass_schema::pnetcdf_file::{self as file, f};
use ioglass_schema::pnetcdf_var::{self as var, f as vf};
use ioglass_schema::record_id;
use ioglass_shm::{IoLayer, Kind, PnetcdfFileCell, PnetcdfVarCell};

use crate::access::{self, Changing, Columns};
use crate::file::File;
use crate::handles::{Buckets, Handle};
use crate::naming;
use crate::object::{Behind, Locked, META, Object, ObjectHistory, Objects};
use crate::posix::Direction;
use crate::region::io;
use crate::scratch;
use crate::settings::module;
use crate::span::{Span, cover, uncovered};
use crate::thread::{self, Guard};

static FILES: Objects<PnetcdfFileCell> = Objects::new(Kind::PnetcdfFile, &FILE_BUCKETS);
static FILE_BUCKETS: Buckets<PnetcdfFileCell> = Buckets::new();
static VARIABLES: Objects<PnetcdfVarCell> = Objects::new(Kind::PnetcdfVar, &VARIABLE_BUCKETS);
static VARIABLE_BUCKETS: Buckets<PnetcdfVarCell> = Buckets::new();

/// A PnetCDF variable.
pub type Variable = Object<PnetcdfVarCell>;

/// A file number of PnetCDF, and its library.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// The library.
    pub library: u64,
    /// The file.
    pub file: i32,
}

impl Number {
    fn handle(self) -> Handle {
        [self.library, self.file as u32 as u64]
    }

    fn variable(self, number: i32) -> Handle {
        [self.library, (self.file as u32 as u64) << 32 | number as u32 as u64]
    }
}

fn at(path: &CStr) -> Option<&'static File> {
    naming::given_to_romio(path, |_| false)
}

/// Books the creation or the opening of a file.
pub fn opened(number: Number, path: &CStr, is_new: bool, span: Span) {
    forget_variables(number);
    let found = at(path).filter(|found| !found.is_left_out_by(module::PNETCDF_FILE));
    let object = found.and_then(|found| FILES.get(found, found.id, None));
    let Some(Locked { cell, history, .. }) = &mut FILES.tie(number.handle(), object, 0) else {
        return;
    };
    cell.int[if is_new { file::CREATES } else { file::OPENS }] += 1;
    let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    io::opened(thread::current(), IoLayer::Pnetcdf, cell.id, ticks);
}

/// Books a close, with the bytes read and written since the open, as counted by PnetCDF.
pub fn closed(number: Number, bytes: [i64; 2], span: Span) {
    forget_variables(number);
    let Some(Locked { cell, history, .. }) = &mut FILES.untie(number.handle()) else { return };
    cell.int[file::BYTES_READ] += bytes[0];
    cell.int[file::BYTES_WRITTEN] += bytes[1];
    let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    cell.others += 1;
    io::other(thread::current(), IoLayer::Pnetcdf, cell.id, 1, ticks);
}

fn forget_variables(number: Number) {
    let first = number.variable(0);
    VARIABLES.untie_all(|handle| handle[0] == first[0] && handle[1] >> 32 == first[1] >> 32);
}

/// A call on a file that moves no data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCall {
    /// Define mode begins again.
    Redefine,
    /// Define mode ends.
    EndDefinitions,
    /// Written data goes to the file.
    Sync,
}

/// Books such a call.
pub fn called(number: Number, call: FileCall, span: Span) {
    let Some(object) = FILES.find(number.handle()).flatten() else { return };
    let Some(Locked { cell, history, .. }) = &mut FILES.lock(object) else { return };
    match call {
        FileCall::Redefine => cell.int[file::REDEFS] += 1,
        FileCall::Sync => cell.int[file::SYNCS] += 1,
        FileCall::EndDefinitions => {}
    }
    let ticks = uncovered(&mut history.last_end[META], span);
    cell.tick[f::META_TIME] += ticks;
    cell.others += 1;
    io::other(thread::current(), IoLayer::Pnetcdf, cell.id, 1, ticks);
}

/// Books a wait for nonblocking transfers, which may have failed.
pub fn waited(number: Number, is_collective: bool, succeeded: bool, span: Span) {
    let Some(object) = FILES.find(number.handle()).flatten() else { return };
    let Some(Locked { cell, history, .. }) = &mut FILES.lock(object) else { return };
    cell.int[match (succeeded, is_collective) {
        (false, _) => file::WAIT_FAILURES,
        (true, true) => file::COLL_WAITS,
        (true, false) => file::INDEP_WAITS,
    }] += 1;
    let columns = [f::WAIT_START_TIMESTAMP, f::WAIT_END_TIMESTAMP, f::WAIT_TIME];
    // A file's record counts no reads, so their entry is free.
    cover(&mut cell.tick, &mut history.last_end[0], columns, span);
}

/// The facts about a variable, as PnetCDF reports them.
#[derive(Debug, Clone, Copy)]
pub struct VariableInfo<'a> {
    /// Path of the file, as given to PnetCDF.
    pub file: &'a CStr,
    /// Its name in the file.
    pub name: &'a CStr,
    /// Its shape.
    pub shape: VariableShape,
}

/// The shape of a variable.
#[derive(Debug, Clone, Copy)]
pub struct VariableShape {
    /// Dimensions.
    pub dimensions: i64,
    /// Points; of one record, if it consists of records.
    pub points: i64,
    /// Bytes of an element in the file.
    pub element: i64,
    /// True if its first dimension is the unlimited one.
    pub has_records: bool,
}

/// Books that a variable was defined or looked up by name, if it was, and attaches its number to
/// it.
pub fn found(
    number: Number,
    variable: i32,
    about: &VariableInfo<'_>,
    span: Option<Span>,
) -> Option<&'static Variable> {
    let object = named(about);
    let Locked { cell, history, .. } = &mut VARIABLES.tie(number.variable(variable), object, 0)?;
    let VariableShape { dimensions, points, element, has_records } = about.shape;
    cell.int[var::NDIMS] = dimensions;
    cell.int[var::NPOINTS] = points;
    cell.int[var::DATATYPE_SIZE] = element;
    cell.int[var::IS_RECORD_VAR] = has_records.into();
    match span {
        Some(span) => count_open(cell, history, span),
        None => cell.int[var::OPENS] = cell.int[var::OPENS].max(1),
    }
    object
}

/// Books that a variable was looked up by this name, if its number is known and it has this name.
/// Its shape never changes. Returns true if it was booked.
pub fn found_again(number: Number, variable: i32, name: &[u8], span: Span) -> bool {
    let object = match VARIABLES.find(number.variable(variable)) {
        Some(Some(object)) => object,
        // Excluded, which does not change.
        Some(None) => return true,
        None => return false,
    };
    let is_this = object.has_record() && object.is_called_in_file(b":", name);
    if is_this && let Some(locked) = VARIABLES.lock(object) {
        count_open(locked.cell, locked.history, span);
    }
    is_this
}

fn count_open(cell: &mut PnetcdfVarCell, history: &mut ObjectHistory, span: Span) {
    cell.int[var::OPENS] += 1;
    let columns = [vf::OPEN_START_TIMESTAMP, vf::OPEN_END_TIMESTAMP, vf::META_TIME];
    let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
    io::opened(thread::current(), IoLayer::Pnetcdf, cell.id, ticks);
}

fn named(about: &VariableInfo<'_>) -> Option<&'static Variable> {
    let file = at(about.file).filter(|file| !file.is_left_out_by(module::PNETCDF_VAR))?;
    let _guard = Guard::join();
    let mut scratch = scratch::borrow()?;
    let name = &mut scratch.path;
    name.clear();
    name.push(file.name());
    name.push(b":");
    name.push(about.name.to_bytes());
    let name = name.as_bytes();
    VARIABLES.get(file, record_id(name), Some(name))
}

fn shape_of(cell: &PnetcdfVarCell) -> VariableShape {
    VariableShape {
        dimensions: cell.int[var::NDIMS],
        points: cell.int[var::NPOINTS],
        element: cell.int[var::DATATYPE_SIZE],
        has_records: cell.int[var::IS_RECORD_VAR] != 0,
    }
}

/// The mode of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Each rank on its own.
    Independent = 0,
    /// All ranks together.
    Collective = 1,
    /// Without waiting for its completion.
    NonBlocking = 2,
}

/// A read or write that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// Its direction.
    pub direction: Direction,
    /// Its mode.
    pub class: Class,
    /// The counter of its family of functions.
    pub family: usize,
    /// Its time.
    pub span: Span,
}

/// The data that an access moves.
#[derive(Debug, Clone, Copy)]
pub struct MovedPart {
    /// Bytes.
    pub bytes: i64,
    /// Lengths and strides.
    pub shape: [i64; 10],
}

/// Counters of calls, by [`Class`].
const CALLS: [[usize; 3]; 2] = [
    [var::INDEP_READS, var::COLL_READS, var::NB_READS],
    [var::INDEP_WRITES, var::COLL_WRITES, var::NB_WRITES],
];

const COLUMNS: [Columns; 2] = [
    Columns {
        bytes: var::BYTES_READ,
        sizes: var::SIZE_READ_AGG_0_100,
        max_time_size: var::MAX_READ_TIME_SIZE,
        covered: [vf::READ_START_TIMESTAMP, vf::READ_END_TIMESTAMP, vf::READ_TIME],
        max_time: vf::MAX_READ_TIME,
        switches: var::RW_SWITCHES,
    },
    Columns {
        bytes: var::BYTES_WRITTEN,
        sizes: var::SIZE_WRITE_AGG_0_100,
        max_time_size: var::MAX_WRITE_TIME_SIZE,
        covered: [vf::WRITE_START_TIMESTAMP, vf::WRITE_END_TIMESTAMP, vf::WRITE_TIME],
        max_time: vf::MAX_WRITE_TIME,
        switches: var::RW_SWITCHES,
    },
];

/// The result of booking an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Booked {
    /// The variable's number is not known.
    NotYet,
    /// The data that it moves does not follow from the variable's shape alone.
    Unsized,
    /// It is booked, or there is nothing to book.
    Whole,
}

/// Books a read or write of the variable behind a number; `part` computes the moved data from its
/// shape, if it can.
#[inline]
pub fn accessed(
    number: Number,
    variable: i32,
    access: &Access,
    part: impl FnOnce(&VariableShape) -> Option<MovedPart>,
) -> Booked {
    let locked = match VARIABLES.behind(number.variable(variable)) {
        Behind::Record(locked) => locked,
        Behind::Nothing => return Booked::Whole,
        Behind::Unknown => return Booked::NotYet,
    };
    let Some(part) = part(&shape_of(locked.cell)) else { return Booked::Unsized };
    let Access { direction, class, family, span } = *access;
    let side = direction as usize;
    let PnetcdfVarCell { id, int, tick, accesses: [accesses], .. } = &mut *locked.cell;
    int[CALLS[side][class as usize]] += 1;
    int[family] += 1;
    let changing = Changing { int, tick, accesses, history: locked.history };
    let columns = &COLUMNS[side];
    let ticks = access::count(changing, columns, direction, part.bytes, &part.shape, span);
    io::moved(thread::current(), IoLayer::Pnetcdf, *id, direction, part.bytes, ticks);
    Booked::Whole
}

/// In a child, where no other thread can hold a lock.
pub(crate) fn after_fork() {
    FILES.after_fork();
    VARIABLES.after_fork();
}
