//! Bookkeeping of calls on descriptors.

use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;

use ioglass_schema::posix::{self, f};
use ioglass_shm::trace::Op;
use ioglass_shm::{Api, Loss, PosixCell};

use crate::file::{self, Description, File};
use crate::lane::{Inner, forget_last_access, record_of, with_record, with_record_so_far};
use crate::later::{self, Call, Waiting};
use crate::naming::{self, Found, Given};
use crate::span::{Span, cover, uncovered};
use crate::thread::{Guard, Thread};
use crate::{capture, heat, process, size, sys, trace, values};

/// Which way bytes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read = 0,
    /// To the file.
    Write = 1,
}

/// Where a transfer begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At the position of the descriptor, which moves.
    Current,
    /// At an offset; the position stays. Where writes are appended, the offset is ignored.
    At(i64),
    /// At the end of the file, to which the position may move.
    End {
        /// It does.
        moves: bool,
    },
}

/// A read or write that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// Whether the buffers lie as expected.
    pub aligned: bool,
    /// First byte.
    pub offset: i64,
    /// Bytes.
    pub length: i64,
    /// When.
    pub span: Span,
}

/// Makes a call that moves bytes, and books it if it succeeds.
#[inline]
pub fn transfer(
    fd: i32,
    direction: Direction,
    place: Place,
    buffer: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    let Some(description) = file::description(fd) else { return call() };
    let open = Open::new(description);
    let (result, span) = Span::of(call);
    if result >= 0 {
        open.moved(fd, direction, place, is_aligned(buffer), result as i64, span);
    }
    result
}

/// Whether buffers lie as expected, by the bits that are set in any of their addresses.
#[inline]
pub fn is_aligned(addresses: usize) -> bool {
    addresses & process::alignment_mask() == 0
}

/// A description as it was when a call began; by its end another thread may have closed it.
#[derive(Clone, Copy)]
pub struct Open {
    description: &'static Description,
    file: &'static File,
    version: u32,
}

impl Open {
    /// Notes the description before the call.
    #[inline]
    pub fn new(description: &'static Description) -> Self {
        let version = description.version.load(Relaxed);
        Self { description, file: description.file(), version }
    }

    /// The file.
    pub fn file(&self) -> &'static File {
        self.file
    }

    /// Books bytes that moved.
    #[inline(always)] // where the place is known
    pub fn moved(
        &self,
        fd: i32,
        direction: Direction,
        place: Place,
        aligned: bool,
        length: i64,
        span: Span,
    ) {
        if file::is_stand_in(self.description) {
            return put_off(fd, direction, place, aligned, length, span);
        }
        let offset = match place {
            Place::At(offset) if direction == Direction::Read || !self.appends() => offset,
            Place::At(_) => self.appended(fd, length, false),
            Place::End { moves } => self.appended(fd, length, moves),
            Place::Current => self.advance(fd, length),
        };
        enter_and_book(self.file, &Transfer { direction, aligned, offset, length, span });
    }

    #[inline]
    fn appends(&self) -> bool {
        self.description.has(file::APPEND)
    }

    /// Tells where bytes that were appended begin.
    #[cold]
    fn appended(&self, fd: i32, length: i64, moves: bool) -> i64 {
        let position = &self.description.position;
        let known = position.load(Relaxed) + length;
        let end = if process::may_call_kernel() {
            sys::stat_fd(fd).map_or(known, |stat| stat.st_size)
        } else {
            known
        };
        if moves && self.description.version.load(Relaxed) == self.version {
            position.store(end, Relaxed);
        }
        end - length
    }

    /// Moves the position by what was read or written, and tells where that began.
    #[inline]
    fn advance(&self, fd: i32, length: i64) -> i64 {
        let description = self.description;
        if description.must_ask(file::forks())
            && let Some(position) = ask_position(fd)
        {
            return position - length;
        }
        if description.version.load(Relaxed) == self.version {
            description.position.fetch_add(length, Relaxed)
        } else {
            description.position.load(Relaxed)
        }
    }
}

#[cold]
#[inline(never)]
fn ask_position(fd: i32) -> Option<i64> {
    process::may_call_kernel().then(|| sys::position(fd).ok()).flatten()
}

#[inline(never)] // of whatever call
#[unsafe(link_section = ".text.hot")]
fn enter_and_book(file: &'static File, transfer: &Transfer) {
    if let Some(guard) = Guard::enter_for(file, transfer) {
        book(guard.thread(), file, transfer);
    }
}

#[cold]
#[inline(never)]
fn put_off(fd: i32, direction: Direction, place: Place, aligned: bool, length: i64, span: Span) {
    let call = Call::Moved { fd, direction, place, aligned, length };
    let _ = Guard::enter_or(|thread| {
        later::put_off(thread, Waiting { span, call });
    });
}

/// Books a transfer in the record of its file, the heat map and the trace.
#[inline(always)] // into the one place that is not cold
pub fn book(thread: &Thread, file: &'static File, transfer: &Transfer) {
    let write = transfer.direction == Direction::Write;
    let Span { begin, end } = transfer.span;
    let Some(record) = record_of(thread, file, transfer) else { return };
    let number = count_transfer(record.cell, record.inner, file.alignment, transfer);
    drop(record);
    if process::heat_is_on() {
        heat::add(thread, Api::Posix, write, transfer.length, begin, end);
    }
    if process::is_tracing() {
        let op = if write { Op::Write } else { Op::Read };
        trace::add_call(thread, op, number, transfer.offset, transfer.length, transfer.span);
    }
}

/// Counters of both directions.
mod both {
    use ioglass_schema::posix::{self, f};

    use crate::size::{pair, pair_of_classes};

    pub(super) const CALLS: usize = pair(posix::READS, posix::WRITES);
    pub(super) const BYTES: usize = pair(posix::BYTES_READ, posix::BYTES_WRITTEN);
    pub(super) const MAX_BYTE: usize = pair(posix::MAX_BYTE_READ, posix::MAX_BYTE_WRITTEN);
    pub(super) const CONSECUTIVE: usize = pair(posix::CONSEC_READS, posix::CONSEC_WRITES);
    pub(super) const SEQUENTIAL: usize = pair(posix::SEQ_READS, posix::SEQ_WRITES);
    pub(super) const SIZES: usize =
        pair_of_classes(posix::SIZE_READ_0_100, posix::SIZE_WRITE_0_100);
    pub(super) const MAX_TIME_SIZE: usize =
        pair(posix::MAX_READ_TIME_SIZE, posix::MAX_WRITE_TIME_SIZE);
    pub(super) const START: usize = pair(f::READ_START_TIMESTAMP, f::WRITE_START_TIMESTAMP);
    pub(super) const END: usize = pair(f::READ_END_TIMESTAMP, f::WRITE_END_TIMESTAMP);
    pub(super) const TIME: usize = pair(f::READ_TIME, f::WRITE_TIME);
    pub(super) const MAX_TIME: usize = pair(f::MAX_READ_TIME, f::MAX_WRITE_TIME);
}

/// Counts a transfer, and tells the number of the record.
#[inline(always)] // into the one place that is not cold
fn count_transfer(
    cell: &mut PosixCell,
    inner: &mut Inner,
    alignment: u64,
    transfer: &Transfer,
) -> u64 {
    let side = transfer.direction as usize;
    let (offset, length) = (transfer.offset, transfer.length);
    let int = &mut cell.int;

    int[both::CALLS + side] += 1;
    int[both::BYTES + side] += length;
    int[both::SIZES + side * size::CLASSES + size::class(length)] += 1;

    let last = inner.last_byte[side];
    let end = offset.wrapping_add(length) - 1;
    let mut stride = 0;
    if offset > last {
        int[both::SEQUENTIAL + side] += 1;
        int[both::CONSECUTIVE + side] += i64::from(offset == last + 1);
        if last != 0 {
            stride = offset - last - 1;
        }
    }
    inner.last_byte[side] = end;
    let max_byte = &mut int[both::MAX_BYTE + side];
    *max_byte = end.max(*max_byte);

    int[posix::MEM_NOT_ALIGNED] += i64::from(!transfer.aligned);
    int[posix::FILE_NOT_ALIGNED] += i64::from(is_off(offset, alignment));
    let direction = side as u8 + 1;
    int[posix::RW_SWITCHES] += i64::from(inner.last_direction + direction == 3);
    inner.last_direction = direction;

    let Span { begin, end } = transfer.span;
    let covered = [both::START, both::END, both::TIME].map(|reads| reads + side);
    cover(&mut cell.tick, &mut inner.last_end[side], covered, transfer.span);
    let duration = end.saturating_sub(begin);
    if duration > cell.tick[both::MAX_TIME + side] {
        cell.tick[both::MAX_TIME + side] = duration;
        cell.int[both::MAX_TIME_SIZE + side] = length;
    }
    if length > 0 {
        values::add(&mut cell.sizes, &mut inner.more[0], &mut inner.hints[0], length);
    }
    if stride > 0 {
        values::add(&mut cell.strides, &mut inner.more[1], &mut inner.hints[1], stride);
    }
    cell.number
}

/// Whether an offset is no multiple of what the file system prefers.
#[inline]
fn is_off(offset: i64, alignment: u64) -> bool {
    let offset = offset as u64;
    if alignment.is_power_of_two() {
        offset & (alignment - 1) != 0
    } else {
        cold_path();
        alignment != 0 && !offset.is_multiple_of(alignment)
    }
}

const META: usize = 2;

/// Adds to the time in metadata calls.
fn add_meta_time(cell: &mut PosixCell, inner: &mut Inner, span: Span) {
    cell.tick[f::META_TIME] += uncovered(&mut inner.last_end[META], span);
}

/// How a descriptor came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By its path.
    Path,
    /// By a call that chose the name.
    OwnName,
}

/// Books an open that succeeded, and ties the descriptor to its file.
#[unsafe(link_section = ".text.hot")]
pub fn opened(fd: i32, given: Given<'_>, origin: Origin, flags: i32, mode: u32, span: Span) {
    if !file::is_open() {
        return;
    }
    let Some(_guard) = Guard::enter_or(move |thread| later::open(thread, fd, flags, mode, span))
    else {
        return;
    };
    let found = match origin {
        Origin::Path if flags & libc::O_TMPFILE != libc::O_TMPFILE => naming::opened(fd, given),
        _ => {
            cold_path();
            naming::made(fd)
        }
    };
    if let Found::Unknown = found {
        cold_path();
        capture::count_loss(Loss::Records);
        return file::forget(fd);
    }
    file::attach(fd, found.file(), flags & libc::O_APPEND != 0);
    if let Some(file) = found.file() {
        count_opened(file, mode, span);
    }
}

/// Counts an open of a file.
#[inline]
pub(crate) fn count_opened(file: &'static File, mode: u32, span: Span) {
    with_record(file, |cell, inner| {
        count_open(cell, inner, span);
        inner.last_byte = [0; 2];
        if mode != 0 {
            cell.int[posix::MODE] = mode.into();
        }
    });
    forget_last_access(file);
}

fn count_open(cell: &mut PosixCell, inner: &mut Inner, span: Span) {
    cell.int[posix::OPENS] += 1;
    let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
    cover(&mut cell.tick, &mut inner.last_end[META], columns, span);
}

/// Books a duplicate, and ties the new descriptor to the description of the old one.
pub fn duplicated(from: i32, to: i32, span: Span) {
    if from == to {
        return;
    }
    let Some(_guard) = Guard::enter() else { return file::forget(to) };
    if let Some(description) = file::duplicate(from, to) {
        with_record(description.file(), |cell, inner| {
            count_open(cell, inner, span);
            cell.int[posix::DUPS] += 1;
        });
    }
}

/// Books a descriptor that was taken from a stream.
pub fn taken_from_stream(file: &'static File, span: Span) {
    with_record(file, |cell, inner| {
        count_open(cell, inner, span);
        cell.int[posix::FILENOS] += 1;
    });
}

/// Makes a call that closes `fd`, and books it. The number is free for others as soon as the call
/// returns, so it is let go of before.
#[inline]
pub fn close(fd: i32, call: impl FnOnce() -> i32) -> i32 {
    if crate::thread::is_vforked() {
        return call();
    }
    let Some(description) = file::detach(fd) else { return call() };
    let (result, span) = Span::of(call);
    // What waits is put together only if it has to.
    let guard = Guard::enter_or(move |thread| {
        let stands_in = file::is_stand_in(description);
        let call = if stands_in { Call::Close { fd } } else { Call::Closed(description) };
        later::put_off(thread, Waiting { span, call });
    });
    if guard.is_some() {
        if result == 0 {
            count_closed(description, span);
        } else {
            cold_path();
            file::drop_description(description);
        }
    }
    result
}

/// Counts a close, and lets go of the description.
#[unsafe(link_section = ".text.hot")]
pub(crate) fn count_closed(description: &'static Description, span: Span) {
    // A child that merely closes what it has inherited has done nothing worth a record.
    with_record_so_far(description.file(), |cell, inner| {
        inner.last_byte = [0; 2];
        let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
        cover(&mut cell.tick, &mut inner.last_end[META], columns, span);
    });
    file::drop_description(description);
}

/// Books a seek.
#[inline]
pub fn seek(fd: i32, call: impl FnOnce() -> i64) -> i64 {
    let Some(description) = file::description(fd) else { return call() };
    let open = Open::new(description);
    let (result, span) = Span::of(call);
    if result >= 0
        && let Some(_guard) = Guard::enter()
    {
        if description.version.load(Relaxed) == open.version {
            description.position.store(result, Relaxed);
        }
        with_record(open.file, |cell, inner| {
            cell.int[posix::SEEKS] += 1;
            add_meta_time(cell, inner, span);
        });
    }
    result
}

/// Makes a `stat` of a descriptor, and books it if that is a regular file.
#[inline]
pub fn stat_fd(fd: i32, is_regular: impl FnOnce() -> bool, call: impl FnOnce() -> i32) -> i32 {
    let Some(description) = file::description(fd) else { return call() };
    let file = description.file();
    let (result, span) = Span::of(call);
    if result == 0 && is_regular() {
        count_metadata(file, posix::STATS, span);
    }
    result
}

fn count_metadata(file: &'static File, counter: usize, span: Span) {
    if let Some(_guard) = Guard::enter() {
        count_inside(file, counter, span);
    }
}

/// The same of a caller that has entered.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn count_inside(file: &'static File, counter: usize, span: Span) {
    with_record(file, |cell, inner| {
        cell.int[counter] += 1;
        add_meta_time(cell, inner, span);
    });
}

/// Books a `stat` of a descriptor that was given where a path is due.
pub fn stat_of(fd: i32, span: Span) {
    if let Some(description) = file::description(fd) {
        count_metadata(description.file(), posix::STATS, span);
    }
}

/// Books a `stat` by path that found a regular file.
#[unsafe(link_section = ".text.hot")]
pub fn stat(given: Given<'_>, span: Span) {
    if !file::is_open() {
        return;
    }
    if let Some(_guard) = Guard::enter()
        && let Some(file) = naming::at(given).file()
    {
        count_inside(file, posix::STATS, span);
    }
}

/// Books `fsync` or `fdatasync`, whose time is time spent writing.
#[inline]
pub fn sync(fd: i32, counter: usize, call: impl FnOnce() -> i32) -> i32 {
    let Some(description) = file::description(fd) else { return call() };
    let file = description.file();
    let (result, span) = Span::of(call);
    if result == 0
        && let Some(_guard) = Guard::enter()
    {
        with_record(file, |cell, inner| {
            cell.int[counter] += 1;
            let last = &mut inner.last_end[Direction::Write as usize];
            cell.tick[f::WRITE_TIME] += uncovered(last, span);
        });
    }
    result
}

/// Books a mapping of a file.
pub fn mapped(fd: i32) {
    if let Some(description) = file::description(fd)
        && let Some(_guard) = Guard::enter()
    {
        with_record(description.file(), |cell, _| cell.int[posix::MMAPS] += 1);
    }
}

/// Books a rename: the old path's record, if there is one, and the new path's.
pub fn renamed(from: Given<'_>, to: Given<'_>, span: Span) {
    let Some(_guard) = Guard::enter() else { return };
    // Only the folder is asked for: the old name need not exist any more.
    let from = naming::named(from).filter(|file| file.posix.is_recorded());
    if let Some(from) = from {
        with_record(from, |cell, inner| {
            cell.int[posix::RENAME_SOURCES] += 1;
            add_meta_time(cell, inner, span);
        });
    }
    // What no process here has opened may have been written by another, but a folder is no file.
    if from.is_none() && is_folder(to) {
        return;
    }
    let Some(to) = naming::named(to) else { return };
    with_record(to, |cell, _| {
        cell.int[posix::RENAME_TARGETS] += 1;
        if let Some(from) = from
            && cell.int[posix::RENAMED_FROM] == 0
        {
            cell.int[posix::RENAMED_FROM] = from.id as i64;
        }
    });
}

fn is_folder(given: Given<'_>) -> bool {
    process::may_call_kernel()
        && sys::stat_at(given.dir, given.path, libc::AT_SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

/// Counts a call on a path for which Darshan has no counter.
pub fn count_at(given: Given<'_>, operation: ioglass_shm::Operation) {
    if file::is_open()
        && let Some(_guard) = Guard::enter()
        && let Some(file) = naming::named(given)
    {
        file.count(operation, 1);
    }
}

/// Counts a call on a descriptor for which Darshan has no counter.
#[unsafe(link_section = ".text.hot")]
pub fn count_on(fd: i32, operation: ioglass_shm::Operation) {
    if let Some(description) = file::description(fd)
        && let Some(_guard) = Guard::enter()
    {
        description.file().count(operation, 1);
    }
}
