//! Bookkeeping of calls on descriptors.

use core::hint::cold_path;
use core::sync::atomic::Ordering::Relaxed;

use ioglass_schema::posix::{self, f};
use ioglass_shm::trace::Op;
use ioglass_shm::{Api, FileFacts, IoLayer, Loss, MetadataCall, PosixCell};

use crate::deferred::{self, Call, DeferredCall};
use crate::file::{self, Description, File};
use crate::lane::{PosixHistory, forget_last_access, record_of, with_record, with_record_so_far};
use crate::naming::{self, FileLookup, GivenPath};
use crate::region::io;
use crate::span::{Span, cover, uncovered};
use crate::thread::{self, Guard, Thread};
use crate::{capture, heat, metadata, process, size, stdio, sys, trace, values};

/// Direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read = 0,
    /// To the file.
    Write = 1,
}

/// Start of a transfer in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferOffset {
    /// At the position of the descriptor, which moves.
    Current,
    /// At an offset; the position stays. An appending write ignores the offset.
    At(i64),
    /// At the end of the file.
    End {
        /// True if the position moves to the new end.
        moves: bool,
    },
}

/// A read or write that succeeded.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Its direction.
    pub direction: Direction,
    /// True if all buffers are aligned.
    pub aligned: bool,
    /// First byte.
    pub offset: i64,
    /// Bytes.
    pub length: i64,
    /// Its time.
    pub span: Span,
}

/// Makes a call that moves bytes, and books it if it succeeds.
#[inline]
pub fn transfer(
    fd: i32,
    direction: Direction,
    place: TransferOffset,
    buffer: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    let Some(description) = file::description(fd) else {
        return if fd == 0 && direction == Direction::Read { wait_for_input(call) } else { call() };
    };
    let open = OpenDescription::new(description);
    let (result, span) = Span::of(call);
    if result >= 0 {
        open.moved(fd, direction, place, is_aligned(buffer), result as i64, span);
    }
    result
}

/// Makes a read of a standard input that is not recorded. If somebody else writes to it, the time is
/// time spent waiting.
#[cold]
#[inline(never)]
fn wait_for_input(call: impl FnOnce() -> isize) -> isize {
    if !file::is_waited_for() || crate::thread::is_vforked() {
        return call();
    }
    let (result, span) = Span::of(call);
    capture::add_waited(span.end.saturating_sub(span.begin));
    result
}

/// Returns true if buffers are aligned; `addresses` is the bitwise or of their addresses.
#[inline]
pub fn is_aligned(addresses: usize) -> bool {
    addresses & process::alignment_mask() == 0
}

/// A description at the start of a call; another thread may close it before the call ends.
#[derive(Clone, Copy)]
pub struct OpenDescription {
    description: &'static Description,
    file: &'static File,
    version: u32,
}

impl OpenDescription {
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

    /// Books a transfer of `length` bytes.
    #[inline(always)] // because `place` is a constant there
    pub fn moved(
        &self,
        fd: i32,
        direction: Direction,
        place: TransferOffset,
        aligned: bool,
        length: i64,
        span: Span,
    ) {
        if file::is_stand_in(self.description) {
            return put_off(fd, direction, place, aligned, length, span);
        }
        let offset = match place {
            TransferOffset::At(offset) if direction == Direction::Read || !self.appends() => offset,
            TransferOffset::At(_) => self.appended(fd, length, false),
            TransferOffset::End { moves } => self.appended(fd, length, moves),
            TransferOffset::Current => self.advance(fd, length),
        };
        enter_and_book(self.file, &Transfer { direction, aligned, offset, length, span });
    }

    #[inline]
    fn appends(&self) -> bool {
        self.description.has(file::APPEND)
    }

    /// Offset of appended bytes.
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

    /// Moves the position by `length` and returns the old one.
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

#[inline(never)] // one copy for all calls
#[unsafe(link_section = ".text.hot")]
fn enter_and_book(file: &'static File, transfer: &Transfer) {
    if let Some(guard) = Guard::enter_for(file, transfer) {
        book(guard.thread(), file, transfer);
    }
}

#[cold]
#[inline(never)]
fn put_off(
    fd: i32,
    direction: Direction,
    place: TransferOffset,
    aligned: bool,
    length: i64,
    span: Span,
) {
    let call = Call::Moved { fd, direction, place, aligned, length };
    let _ = Guard::enter_or(|thread| {
        deferred::put_off(thread, DeferredCall { span, call });
    });
}

/// Books a transfer in the record of its file, the heat map and the trace.
#[inline(always)] // into the only caller that is not cold
pub fn book(thread: &Thread, file: &'static File, transfer: &Transfer) {
    let write = transfer.direction == Direction::Write;
    let Span { begin, end } = transfer.span;
    let Some(record) = record_of(thread, file, transfer) else { return };
    let (number, ticks) = count_transfer(record.cell, record.history, file.alignment, transfer);
    drop(record);
    io::moved(thread, IoLayer::Posix, file.id, transfer.direction, transfer.length, ticks);
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

/// Counts a transfer. Returns the number of the record and what was added to its time.
#[inline(always)] // into the only caller that is not cold
fn count_transfer(
    cell: &mut PosixCell,
    history: &mut PosixHistory,
    alignment: u64,
    transfer: &Transfer,
) -> (u64, u64) {
    let side = transfer.direction as usize;
    let (offset, length) = (transfer.offset, transfer.length);
    let int = &mut cell.int;

    int[both::CALLS + side] += 1;
    int[both::BYTES + side] += length;
    int[both::SIZES + side * size::CLASSES + size::class(length)] += 1;

    let last = history.last_byte[side];
    let end = offset.wrapping_add(length) - 1;
    let mut stride = 0;
    if offset > last {
        int[both::SEQUENTIAL + side] += 1;
        int[both::CONSECUTIVE + side] += i64::from(offset == last + 1);
        if last != 0 {
            stride = offset - last - 1;
        }
    }
    history.last_byte[side] = end;
    let max_byte = &mut int[both::MAX_BYTE + side];
    *max_byte = end.max(*max_byte);

    int[posix::MEM_NOT_ALIGNED] += i64::from(!transfer.aligned);
    int[posix::FILE_NOT_ALIGNED] += i64::from(is_off(offset, alignment));
    let direction = side as u8 + 1;
    int[posix::RW_SWITCHES] += i64::from(history.last_direction + direction == 3);
    history.last_direction = direction;

    let Span { begin, end } = transfer.span;
    let covered = [both::START, both::END, both::TIME].map(|reads| reads + side);
    let ticks = cover(&mut cell.tick, &mut history.last_end[side], covered, transfer.span);
    let duration = end.saturating_sub(begin);
    if duration > cell.tick[both::MAX_TIME + side] {
        cell.tick[both::MAX_TIME + side] = duration;
        cell.int[both::MAX_TIME_SIZE + side] = length;
    }
    if length > 0 {
        values::add(&mut cell.sizes, &mut history.more[0], &mut history.hints[0], length);
    }
    if stride > 0 {
        values::add(&mut cell.strides, &mut history.more[1], &mut history.hints[1], stride);
    }
    (cell.number, ticks)
}

/// Returns true if an offset is not a multiple of `alignment`.
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

/// Counts a call and adds to the time in metadata calls. Returns what was added.
fn add_meta_time(cell: &mut PosixCell, history: &mut PosixHistory, span: Span) -> u64 {
    let ticks = uncovered(&mut history.last_end[META], span);
    cell.tick[f::META_TIME] += ticks;
    cell.facts.others += 1;
    ticks
}

/// Counts a call that is no open for the region of the thread, if it was booked.
#[inline(always)]
fn note_other(file: &File, ticks: Option<u64>) {
    if let Some(ticks) = ticks {
        io::other(thread::current(), IoLayer::Posix, file.id, 1, ticks);
    }
}

/// Origin of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Opened by path.
    Path,
    /// Opened by a call that chose the name.
    OwnName,
}

/// Books an open that succeeded, and attaches the descriptor to its file.
#[unsafe(link_section = ".text.hot")]
pub fn opened(fd: i32, given: GivenPath<'_>, origin: Origin, flags: i32, mode: u32, span: Span) {
    if !file::is_open() {
        return;
    }
    let Some(_guard) = Guard::enter_or(move |thread| deferred::open(thread, fd, flags, mode, span))
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
    if let FileLookup::Unknown = found {
        cold_path();
        capture::count_loss(Loss::Records);
        return file::forget(fd);
    }
    file::attach(fd, found.file(), flags & libc::O_APPEND != 0);
    if fd < 3 {
        stdio::redirected(fd);
    }
    if let Some(file) = found.file() {
        count_opened(file, flags, mode, span);
    }
}

/// Counts an open of a file.
#[inline]
pub(crate) fn count_opened(file: &'static File, flags: i32, mode: u32, span: Span) {
    let booked = with_record(file, |cell, history| {
        let ticks = count_open(cell, history, span);
        cell.facts.opened += ticks;
        if flags & (libc::O_DSYNC | libc::O_DIRECT | libc::O_TRUNC) != 0 {
            count_flags(&mut cell.facts, flags);
        }
        history.last_byte = [0; 2];
        if mode != 0 {
            cell.int[posix::MODE] = mode.into();
        }
        ticks
    });
    if let Some(ticks) = booked {
        io::opened(thread::current(), IoLayer::Posix, file.id, ticks);
    }
    forget_last_access(file);
}

/// Counts the flags of an open that change what deferred calls cost.
fn count_flags(facts: &mut FileFacts, flags: i32) {
    // `O_SYNC` contains `O_DSYNC`.
    facts.sync += u32::from(flags & libc::O_DSYNC != 0);
    facts.direct += u32::from(flags & libc::O_DIRECT != 0);
    facts.truncated += u32::from(flags & libc::O_TRUNC != 0);
}

/// Counts an open. Returns what was added to the time in metadata calls.
fn count_open(cell: &mut PosixCell, history: &mut PosixHistory, span: Span) -> u64 {
    cell.int[posix::OPENS] += 1;
    let columns = [f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP, f::META_TIME];
    cover(&mut cell.tick, &mut history.last_end[META], columns, span)
}

/// Books a duplicate, and attaches the new descriptor to the description of the old one.
pub fn duplicated(from: i32, to: i32, span: Span) {
    if from == to {
        return;
    }
    let Some(_guard) = Guard::enter() else { return file::forget(to) };
    if to < 3 {
        stdio::redirects(to);
    }
    let source = file::duplicate(from, to);
    if to < 3 {
        stdio::redirected(to);
    }
    if let Some(description) = source {
        let file = description.file();
        let booked = with_record(file, |cell, history| {
            cell.int[posix::DUPS] += 1;
            count_open(cell, history, span)
        });
        if let Some(ticks) = booked {
            io::opened(thread::current(), IoLayer::Posix, file.id, ticks);
        }
    }
}

/// Books a descriptor that was taken from a stream.
pub fn taken_from_stream(file: &'static File, span: Span) {
    let booked = with_record(file, |cell, history| {
        cell.int[posix::FILENOS] += 1;
        count_open(cell, history, span)
    });
    if let Some(ticks) = booked {
        io::opened(thread::current(), IoLayer::Posix, file.id, ticks);
    }
}

/// Makes a call that closes `fd`, and books it. The number may be reused as soon as the call
/// returns, so it is freed before.
#[inline]
pub fn close(fd: i32, call: impl FnOnce() -> i32) -> i32 {
    if crate::thread::is_vforked() {
        return call();
    }
    let Some(description) = file::detach(fd) else { return call() };
    let (result, span) = Span::of(call);
    // The deferred call is composed only if it is needed.
    let guard = Guard::enter_or(move |thread| {
        let stands_in = file::is_stand_in(description);
        let call = if stands_in { Call::Close { fd } } else { Call::Closed(description) };
        deferred::put_off(thread, DeferredCall { span, call });
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

/// Counts a close, and removes a reference to the description.
#[unsafe(link_section = ".text.hot")]
pub(crate) fn count_closed(description: &'static Description, span: Span) {
    // A child that merely closes inherited descriptors needs no record.
    let file = description.file();
    let booked = with_record_so_far(file, |cell, history| {
        history.last_byte = [0; 2];
        let columns = [f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP, f::META_TIME];
        let ticks = cover(&mut cell.tick, &mut history.last_end[META], columns, span);
        cell.facts.closed += ticks;
        cell.facts.others += 1;
        ticks
    });
    note_other(file, booked);
    file::drop_description(description);
}

/// Books a seek.
#[inline]
pub fn seek(fd: i32, call: impl FnOnce() -> i64) -> i64 {
    let Some(description) = file::description(fd) else { return call() };
    let open = OpenDescription::new(description);
    let (result, span) = Span::of(call);
    if result >= 0
        && let Some(_guard) = Guard::enter()
    {
        if description.version.load(Relaxed) == open.version {
            description.position.store(result, Relaxed);
        }
        note_other(
            open.file,
            with_record(open.file, |cell, history| {
                cell.int[posix::SEEKS] += 1;
                add_meta_time(cell, history, span)
            }),
        );
    }
    result
}

/// Makes a `stat` of a descriptor, and books it.
#[inline]
pub fn stat_fd(fd: i32, is_regular: impl FnOnce() -> bool, call: impl FnOnce() -> i32) -> i32 {
    let Some(description) = file::description(fd) else { return call() };
    let file = description.file();
    let (result, span) = Span::of(call);
    if result == 0 && is_regular() {
        count_metadata(file, posix::STATS, span);
    } else {
        metadata::on_file(file, MetadataCall::Stat, result, span);
    }
    result
}

fn count_metadata(file: &'static File, counter: usize, span: Span) {
    if let Some(_guard) = Guard::enter() {
        count_inside(file, counter, span);
    }
}

/// Counts a call and its metadata time, inside a guard.
#[inline(never)]
#[unsafe(link_section = ".text.hot")]
fn count_inside(file: &'static File, counter: usize, span: Span) {
    note_other(
        file,
        with_record(file, |cell, history| {
            cell.int[counter] += 1;
            add_meta_time(cell, history, span)
        }),
    );
}

/// Books a `stat` of a descriptor that was passed with an empty path.
pub fn stat_of(fd: i32, span: Span) {
    if let Some(description) = file::description(fd) {
        count_metadata(description.file(), posix::STATS, span);
    }
}

/// Books a `stat` by path that found a regular file.
#[unsafe(link_section = ".text.hot")]
pub fn stat(given: GivenPath<'_>, span: Span) {
    if !file::is_open() {
        return;
    }
    if let Some(_guard) = Guard::enter()
        && let Some(file) = naming::at(given).file()
    {
        count_inside(file, posix::STATS, span);
    }
}

/// Books `fsync` or `fdatasync`; its time counts as write time.
#[inline]
pub fn sync(fd: i32, counter: usize, call: impl FnOnce() -> i32) -> i32 {
    let Some(description) = file::description(fd) else { return call() };
    let file = description.file();
    let (result, span) = Span::of(call);
    if result == 0
        && let Some(guard) = Guard::enter()
    {
        let booked = with_record(file, |cell, history| {
            cell.int[counter] += 1;
            let last = &mut history.last_end[Direction::Write as usize];
            let time = uncovered(last, span);
            cell.tick[f::WRITE_TIME] += time;
            cell.facts.synced += time;
            time
        });
        if let Some(ticks) = booked {
            io::flushed(guard.thread(), IoLayer::Posix, file.id, ticks);
        }
    }
    result
}

/// Books a mapping of so many bytes of a file.
pub fn mapped(fd: i32, size: usize) {
    if let Some(description) = file::description(fd)
        && let Some(_guard) = Guard::enter()
    {
        with_record(description.file(), |cell, _| {
            cell.int[posix::MMAPS] += 1;
            cell.facts.mapped = cell.facts.mapped.max(size as u64);
        });
    }
}

/// Books a rename: the old path's record, if there is one, and the new path's. Returns false if its
/// time is in no record, because it is one of a directory or of a file without a record.
pub fn renamed(from: GivenPath<'_>, to: GivenPath<'_>, span: Span) -> bool {
    let Some(_guard) = Guard::enter() else { return true };
    // The old name no longer exists, so only its directory is resolved.
    let from = naming::named(from).filter(|file| file.posix.is_recorded());
    if let Some(from) = from {
        note_other(
            from,
            with_record(from, |cell, history| {
                cell.int[posix::RENAME_SOURCES] += 1;
                add_meta_time(cell, history, span)
            }),
        );
    }
    // Another process may have written a file that has no record here; a directory is skipped.
    if from.is_none() && is_folder(to) {
        return false;
    }
    let Some(to) = naming::named(to) else { return from.is_some() };
    with_record(to, |cell, _| {
        cell.int[posix::RENAME_TARGETS] += 1;
        if let Some(from) = from
            && cell.int[posix::RENAMED_FROM] == 0
        {
            cell.int[posix::RENAMED_FROM] = from.id as i64;
        }
    });
    from.is_some()
}

fn is_folder(given: GivenPath<'_>) -> bool {
    process::may_call_kernel()
        && sys::stat_at(given.dir, given.path, libc::AT_SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| stat.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

/// Counts a call on a path for which Darshan has no counter, if its file is known.
pub fn count_at(given: GivenPath<'_>, operation: ioglass_shm::Operation) {
    if let Some(file) = naming::known(given)
        && let Some(_guard) = Guard::enter()
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
