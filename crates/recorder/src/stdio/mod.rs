//! Bookkeeping of calls on C streams.
//!
//! A stream has the description of its descriptor; its position in the file is kept separately.
//! Each of the three standard streams has its own record, also if the process began with a file
//! there. If the program itself puts a file in its place, as shells do, the bytes are the file's.

mod byte;
mod layout;
mod record;
mod scan;
mod standard;

use core::sync::atomic::Ordering::Relaxed;

use ioglass_schema::stdio::{self, f};
use ioglass_shm::{Api, IoLayer, Loss, StdioCell};

use crate::file::{self, Description, File, LookedAt};
use crate::naming::{self, FileLookup, GivenPath};
use crate::posix::{self, Direction};
use crate::region::io;
use crate::span::{Span, cover, uncovered};
use crate::thread::{self, Guard, Thread};
use crate::{capture, heat, process, sys};

pub use byte::{BufferedByte, Byte, before_byte};
pub use layout::{
    Stream, StreamLayout, StreamPlace, descriptor, is_buffered, is_locked_by_calls, is_spent,
};
pub use record::StdioState;
pub use scan::Scan;
pub use standard::reopened;
pub(crate) use standard::{redirected, redirects};

use layout::Unseen;
use record::{COLUMNS, Columns, add_meta_time, cover_meta, with_record};
use standard::standard;

/// A recorded stream before a call on it.
#[derive(Clone, Copy)]
pub struct KnownStream {
    stream: Stream,
    file: &'static File,
    description: &'static Description,
    /// Bytes moved by inlined code since the last call.
    unseen: Unseen,
}

/// The recorded stream for a call that reads or writes.
///
/// # Safety
/// The stream is open.
#[inline]
pub unsafe fn find(stream: Stream) -> Option<KnownStream> {
    // SAFETY: the caller vouches.
    unsafe {
        let known = look_up(stream, true)?;
        // Bytes of another thread's call would look unseen until that call is booked.
        Some(if layout::is_single_threaded(stream) { known.caught_up() } else { known })
    }
}

/// The recorded stream whose buffer the program reads or writes itself.
///
/// # Safety
/// The stream is open, and no other thread uses it.
pub unsafe fn find_inline(stream: Stream) -> Option<KnownStream> {
    // SAFETY: the caller vouches.
    unsafe { look_up(stream, true).map(|known| known.caught_up()) }
}

/// The recorded stream for a call that moves no bytes. Every program flushes and closes the
/// standard streams; that alone makes no record.
///
/// # Safety
/// The stream is open.
pub unsafe fn find_used(stream: Stream) -> Option<KnownStream> {
    // SAFETY: the caller vouches.
    unsafe {
        let known = look_up(stream, false)?;
        Some(if layout::is_single_threaded(stream) { known.caught_up() } else { known })
    }
}

/// Books the bytes that inlined code has moved through buffers. Called before the process ends,
/// becomes another program, or forks a child with copies of the buffers. Does nothing if there are
/// other threads, which may be using the streams.
pub(crate) fn catch_up_all() {
    if !file::is_open_here() {
        return;
    }
    // SAFETY: only programs with glibc are recorded; streams leave the list before they are closed,
    // and no other thread can close one.
    unsafe {
        for stream in layout::all() {
            if !layout::is_single_threaded(stream) {
                return;
            }
            if let LookedAt::Recorded(description) = byte::look_up(stream)
                && description.file_so_far().is_some()
            {
                KnownStream::over(stream, description).caught_up().moved_nothing();
            }
        }
    }
}

#[inline]
unsafe fn look_up(stream: Stream, moves: bool) -> Option<KnownStream> {
    // SAFETY: the caller vouches.
    let fd = unsafe { descriptor(stream) };
    if fd < 0 {
        return None;
    }
    if fd < 3
        && let Some(standard) = standard(stream)
    {
        let description = match standard.used() {
            None if moves => standard.first_used(),
            used => used,
        };
        return description.map(|description| KnownStream::over(stream, description));
    }
    file::description(fd).map(|description| KnownStream::over(stream, description))
}

impl KnownStream {
    #[inline]
    fn over(stream: Stream, description: &'static Description) -> Self {
        Self { stream, file: description.file(), description, unseen: [0; 2] }
    }

    /// Finds the bytes moved by inlined code.
    ///
    /// # Safety
    /// The stream is open.
    #[inline]
    unsafe fn caught_up(self) -> Self {
        // SAFETY: the caller vouches.
        Self { unseen: unsafe { self.description.stream.unseen(self.stream) }, ..self }
    }

    /// Books a call that moved bytes.
    #[inline]
    pub fn moved(&self, direction: Direction, bytes: i64, span: Span) {
        match direction {
            Direction::Read => self.moved_in::<false>(bytes, span),
            Direction::Write => self.moved_in::<true>(bytes, span),
        }
    }

    #[inline(never)] // one copy for all calls of a direction
    #[unsafe(link_section = ".text.hot")]
    fn moved_in<const WRITE: bool>(&self, bytes: i64, span: Span) {
        let Some(guard) = Guard::enter() else { return };
        let mut after = None;
        if !WRITE {
            self.description.clear(file::AT_END);
        } else if self.description.jumps_to_end() {
            after = self.jumped_to_end();
        }
        let direction = usize::from(WRITE);
        let columns = &COLUMNS[direction];
        let booked = with_record(self.file, |cell, last_end| {
            self.book_unseen(cell);
            self.count(cell, columns, 1, bytes, after);
            self.look();
            cover(&mut cell.tick, &mut last_end[direction], columns.covered, span)
        });
        if let Some(ticks) = booked {
            let direction = if WRITE { Direction::Write } else { Direction::Read };
            io::moved(guard.thread(), IoLayer::Stdio, self.file.id, direction, bytes, ticks);
        }
        if booked.is_some() && process::heat_is_on() {
            heat::add(guard.thread(), Api::Stdio, WRITE, bytes, span.begin, span.end);
            self.heat_unseen(guard.thread());
        }
    }

    /// The position after the first of several writes that append, if the kernel can be asked.
    #[cold]
    fn jumped_to_end(&self) -> Option<i64> {
        self.description.set(file::AT_END);
        // SAFETY: the stream has just been used.
        let (fd, unwritten) = unsafe { (descriptor(self.stream), layout::unwritten(self.stream)) };
        let stat = process::may_call_kernel().then(|| sys::stat_fd(fd).ok())??;
        Some(stat.st_size + unwritten)
    }

    /// Books a byte of the buffer without reading the clock: the call that fills or empties the
    /// buffer is timed.
    #[inline]
    pub fn moved_in_buffer(&self, direction: Direction) {
        let Some(guard) = Guard::enter() else { return };
        let columns = &COLUMNS[direction as usize];
        let booked = with_record(self.file, |cell, _| {
            self.book_unseen(cell);
            self.count(cell, columns, 1, 1, None);
            self.look();
        });
        if booked.is_some() {
            io::moved(guard.thread(), IoLayer::Stdio, self.file.id, direction, 1, 0);
        }
        if booked.is_some() && process::heat_is_on() {
            heat::add_untimed(guard.thread(), Api::Stdio, direction == Direction::Write, 1);
            self.heat_unseen(guard.thread());
        }
    }

    /// Books only the unseen bytes, because the call itself moved nothing.
    pub fn moved_nothing(&self) {
        if self.unseen != [0; 2] {
            self.looked_ahead();
        }
    }

    /// Books only the unseen bytes, inside a guard, before the descriptor becomes another file.
    fn book_before_redirect(&self) {
        if self.unseen != [0; 2] {
            with_record(self.file, |cell, _| self.book_unseen(cell));
            if process::heat_is_on() {
                self.heat_unseen(thread::current());
            }
        }
    }

    /// Books only the unseen bytes, after a call that may have changed the buffer but moved
    /// nothing.
    pub fn looked_ahead(&self) {
        self.change(|_, _| self.look(), |_, ()| {});
    }

    #[inline]
    fn count(
        &self,
        cell: &mut StdioCell,
        columns: &Columns,
        calls: i64,
        bytes: i64,
        after: Option<i64>,
    ) {
        let position = &self.description.stream.position;
        let after = after.unwrap_or_else(|| position.load(Relaxed) + bytes);
        position.store(after, Relaxed);
        cell.int[columns.calls] += calls;
        cell.int[columns.bytes] += bytes;
        cell.int[columns.max_byte] = cell.int[columns.max_byte].max(after - 1);
    }

    /// Examines the buffer after a call. From now on the position of the descriptor is not used,
    /// because the C library moves it.
    #[inline]
    fn look(&self) {
        // SAFETY: the stream has just been used.
        unsafe { self.description.stream.look(self.stream) };
        if !self.description.has(file::STREAM) {
            self.description.set(file::STREAM);
        }
    }

    /// Counts each unseen byte as one call.
    #[inline]
    fn book_unseen(&self, cell: &mut StdioCell) {
        if self.unseen != [0; 2] {
            let directions = [Direction::Read, Direction::Write];
            for ((columns, count), direction) in COLUMNS.iter().zip(self.unseen).zip(directions) {
                if count > 0 {
                    self.count(cell, columns, count.into(), count.into(), None);
                    let (calls, bytes) = (u64::from(count), count.into());
                    let (thread, record) = (thread::current(), self.file.id);
                    io::moved_often(thread, IoLayer::Stdio, record, direction, calls, bytes, 0);
                }
            }
        }
    }

    #[inline]
    fn heat_unseen(&self, thread: &Thread) {
        if self.unseen != [0; 2] {
            let [read, written] = self.unseen;
            heat::add_untimed(thread, Api::Stdio, false, read.into());
            heat::add_untimed(thread, Api::Stdio, true, written.into());
        }
    }

    /// Books a seek that led to `position`.
    pub fn sought(&self, position: i64, span: Span) {
        let change = |cell: &mut StdioCell, last_end: &mut [u64; 3]| {
            self.look();
            self.description.stream.position.store(position, Relaxed);
            self.description.clear(file::AT_END);
            cell.int[stdio::SEEKS] += 1;
            add_meta_time(cell, last_end, span)
        };
        self.change(change, |thread, ticks| tell_other(thread, self.file, ticks));
    }

    /// Books a byte that was pushed back.
    pub fn pushed_back(&self) {
        let change = |_: &mut StdioCell, _: &mut [u64; 3]| {
            self.look();
            let position = &self.description.stream.position;
            position.store((position.load(Relaxed) - 1).max(0), Relaxed);
        };
        self.change(change, |_, ()| {});
    }

    /// Books a flush; its time counts as write time. From now on the program may move the
    /// descriptor itself.
    pub fn flushed(&self, span: Span) {
        let change = |cell: &mut StdioCell, last_end: &mut [u64; 3]| {
            self.look();
            self.description.clear(file::PLACED);
            let ticks = uncovered(&mut last_end[Direction::Write as usize], span);
            cell.int[stdio::FLUSHES] += 1;
            cell.tick[f::WRITE_TIME] += ticks;
            ticks
        };
        let tell =
            |thread: &Thread, ticks| io::flushed(thread, IoLayer::Stdio, self.file.id, ticks);
        self.change(change, tell);
    }

    /// Changes the record. `tell` tells the region of the thread what `change` returns.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut StdioCell, &mut [u64; 3]) -> T,
        tell: impl FnOnce(&Thread, T),
    ) {
        let Some(guard) = Guard::enter() else { return };
        let booked = with_record(self.file, |cell, last_end| {
            self.book_unseen(cell);
            change(cell, last_end)
        });
        if let Some(booked) = booked {
            tell(guard.thread(), booked);
        }
        if process::heat_is_on() {
            self.heat_unseen(guard.thread());
        }
    }
}

/// Counts a call that is neither an open nor a transfer for the region of a thread.
#[inline(always)]
fn tell_other(thread: &Thread, file: &File, ticks: u64) {
    io::other(thread, IoLayer::Stdio, file.id, 1, ticks);
}

/// The mode of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamMode {
    /// True if writes go to the end.
    pub append: bool,
    /// True if it can be read.
    pub reads: bool,
    /// True if the open truncates the file.
    pub truncates: bool,
}

impl StreamMode {
    /// The mode with this text, as given to `fopen`.
    pub fn of(text: &[u8]) -> Self {
        let flags = text.split(|&byte| byte == b',').next().unwrap_or_default();
        let plus = flags.contains(&b'+');
        let begins = |letter| text.first() == Some(&letter);
        Self { append: begins(b'a'), reads: plus || begins(b'r'), truncates: begins(b'w') }
    }
}

/// Books a stream that was opened by path, or under a generated name if there is no path.
///
/// # Safety
/// The stream is open.
pub unsafe fn opened(stream: Stream, path: Option<GivenPath<'_>>, mode: StreamMode, span: Span) {
    // SAFETY: the caller vouches.
    let fd = unsafe { descriptor(stream) };
    if fd < 0 || thread::is_vforked() || !file::is_open() {
        return;
    }
    let Some(_guard) = Guard::enter() else { return };
    let found = match path {
        Some(given) => naming::opened(fd, given),
        None => naming::made(fd),
    };
    if let FileLookup::Unknown = found {
        capture::count_loss(Loss::Records);
        return file::forget(fd);
    }
    let Some(description) = file::attach(fd, found.file(), mode.append) else { return };
    // A new file has nothing to lose.
    let truncates = mode.truncates && path.is_some();
    count_open(description.file(), span, false, truncates);
}

/// Books a stream that was opened over a descriptor.
///
/// # Safety
/// The stream is open.
pub unsafe fn opened_over(stream: Stream, mode: StreamMode, span: Span) {
    // SAFETY: the caller vouches.
    let fd = unsafe { descriptor(stream) };
    if thread::is_vforked() {
        return;
    }
    let Some(description) = file::description(fd) else { return };
    let Some(_guard) = Guard::enter() else { return };
    begin_stream(description, fd, mode);
    count_open(description.file(), span, true, false);
}

/// Notes that a stream was reopened in another mode.
///
/// # Safety
/// The stream is open.
pub unsafe fn began_again(stream: Stream, mode: StreamMode) {
    // SAFETY: the caller vouches.
    let fd = unsafe { descriptor(stream) };
    if !thread::is_vforked()
        && standard(stream).is_none()
        && let Some(description) = file::known(fd)
        && let Some(_guard) = Guard::enter()
    {
        description.set(file::STREAM);
        begin_stream(description, fd, mode);
    }
}

/// Sets the position of a stream over a descriptor that was there before: that of the descriptor.
fn begin_stream(description: &Description, fd: i32, mode: StreamMode) {
    if mode.append {
        description.set(file::APPEND);
    }
    // The first write that appends asks for the end.
    let only_appends = description.has(file::APPEND) && !mode.reads;
    let asks = !only_appends && description.must_ask(file::forks()) && process::may_call_kernel();
    let asked = if asks { sys::position(fd).ok() } else { None };
    description.stream.reset(asked.unwrap_or_else(|| description.position.load(Relaxed)));
    description.clear(file::AT_END | file::PLACED);
}

#[inline(always)] // into the function that opens by path, which is called most
fn count_open(file: &'static File, span: Span, over_descriptor: bool, truncates: bool) {
    let booked = with_record(file, |cell, last_end| {
        cell.int[stdio::OPENS] += 1;
        cell.int[stdio::FDOPENS] += i64::from(over_descriptor);
        let (start, end) = (f::OPEN_START_TIMESTAMP, f::OPEN_END_TIMESTAMP);
        let ticks = cover_meta(cell, last_end, start, end, span);
        cell.facts.opened += ticks;
        cell.facts.truncated += u32::from(truncates);
        ticks
    });
    if let Some(ticks) = booked {
        io::opened(thread::current(), IoLayer::Stdio, file.id, ticks);
    }
}

/// A stream before a call that closes it.
pub struct Closing {
    known: Option<KnownStream>,
    description: Option<&'static Description>,
}

/// Detaches the descriptor of a stream before it is closed: afterwards its number may be reused.
///
/// # Safety
/// The stream is open.
pub unsafe fn closing(stream: Stream) -> Option<Closing> {
    // SAFETY: the caller vouches; nobody uses a stream after its close.
    unsafe {
        let fd = descriptor(stream);
        if fd < 0 || thread::is_vforked() {
            return None;
        }
        let known = match standard(stream) {
            Some(_) => look_up(stream, false),
            None => file::known(fd).map(|description| KnownStream::over(stream, description)),
        };
        let known = known.map(|known| known.caught_up());
        Some(Closing { known, description: file::detach(fd) })
    }
}

impl Closing {
    /// Books the close; `span` is `None` if the stream is merely reopened.
    pub fn done(&self, span: Option<Span>) {
        if self.known.is_none() && self.description.is_none() {
            return;
        }
        // A child that merely closes an inherited stream needs no record.
        if let Some(known) = self.known
            && (known.file.is_current() || known.unseen != [0; 2])
        {
            let close = |cell: &mut StdioCell, last_end: &mut [u64; 3]| {
                let (start, end) = (f::CLOSE_START_TIMESTAMP, f::CLOSE_END_TIMESTAMP);
                let span = span?;
                let ticks = cover_meta(cell, last_end, start, end, span);
                cell.facts.closed += ticks;
                cell.facts.others += 1;
                Some(ticks)
            };
            known.change(close, |thread, ticks| {
                if let Some(ticks) = ticks {
                    tell_other(thread, known.file, ticks);
                }
            });
        }
        if let Some(description) = self.description
            && let Some(_guard) = Guard::enter()
        {
            file::drop_description(description);
        }
    }
}

/// Books a descriptor that was taken from a stream, to be used directly.
///
/// # Safety
/// The stream is open.
pub unsafe fn descriptor_taken(stream: Stream, fd: i32, span: Span) {
    if standard(stream).is_none()
        && let Some(description) = file::description(fd)
        && let Some(_guard) = Guard::enter()
    {
        posix::taken_from_stream(description.file(), span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        for (text, append, reads) in [
            ("r", false, true),
            ("w", false, false),
            ("a", true, false),
            ("ab+", true, true),
            ("w+e", false, true),
            ("r,ccs=a+", false, true),
            ("w,ccs=a+", false, false),
            ("", false, false),
        ] {
            let truncates = text.starts_with('w');
            assert_eq!(
                StreamMode::of(text.as_bytes()),
                StreamMode { append, reads, truncates },
                "{text}"
            );
        }
    }
}
