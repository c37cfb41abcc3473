//! Calls on C streams.
//!
//! `getc_unlocked` and `putc_unlocked` are inlined into the program and work on the buffer as long
//! as they can; the bytes they moved are found when the stream is next seen.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};

use ioglass_recorder::file;
use ioglass_recorder::metadata;
use ioglass_recorder::naming::GivenPath;
use ioglass_recorder::posix::{self, Direction, Direction::Read, Direction::Write, TransferOffset};
use ioglass_recorder::span::Span;
use ioglass_recorder::stdio::{self, BufferedByte, Byte, Scan, Stream, StreamMode};
use ioglass_recorder::thread::is_vforked;
use ioglass_shm::MetadataCall;
use libc::{AT_FDCWD, off_t, size_t, ssize_t};

use crate::inject;
use crate::left;
use crate::real::{errno, interpose, set_errno};

const EOF: c_int = -1;

// A C library other than glibc may not have it; then it is not called.
core::arch::global_asm!(".weak ftello64");

unsafe extern "C" {
    // The stream of calls that name none; the program may have changed it.
    static stdin: Stream;
    static stdout: Stream;
    fn ftello64(stream: Stream) -> i64;
    fn flockfile(stream: Stream);
    fn funlockfile(stream: Stream);
}

/// Position of a stream, if it has one.
unsafe fn position(stream: Stream) -> Option<i64> {
    let before = errno();
    // SAFETY: the stream is open.
    let position = unsafe { ftello64(stream) };
    set_errno(before);
    (position >= 0).then_some(position)
}

/// Books an open by path, or an open without a path that makes its own file.
unsafe fn open(path: *const c_char, mode: *const c_char, call: impl FnOnce() -> Stream) -> Stream {
    if !file::is_open() {
        let stream = call();
        // SAFETY: the call was made with these arguments.
        unsafe { inject::opened_stream(stream, path, mode) };
        return stream;
    }
    let (stream, span) = Span::of(call);
    if !stream.is_null() {
        // SAFETY: the call succeeded, so path and mode are C strings.
        unsafe {
            inject::opened_stream(stream, path, mode);
            let given =
                (!path.is_null()).then(|| GivenPath { dir: AT_FDCWD, path: CStr::from_ptr(path) });
            stdio::opened(stream, given, mode_of(mode), span);
        }
    } else if !path.is_null() && !is_vforked() {
        // SAFETY: the call was made with this path.
        unsafe { metadata::at(AT_FDCWD, path, MetadataCall::Open, errno(), span) };
    }
    stream
}

unsafe fn mode_of(mode: *const c_char) -> StreamMode {
    // SAFETY: the call that was given it succeeded.
    StreamMode::of(unsafe { CStr::from_ptr(mode) }.to_bytes())
}

/// Books a stream that is reopened. Its old descriptor is forgotten before the call, which closes
/// it even if it fails.
unsafe fn reopen(
    path: *const c_char,
    mode: *const c_char,
    stream: Stream,
    call: impl FnOnce() -> Stream,
) -> Stream {
    let call = || inject::closing_stream(stream, call);
    // Without a path the same file is opened again, and read or written from its begin.
    if path.is_null() {
        let again = call();
        // SAFETY: the call was made with this mode.
        unsafe {
            inject::opened_stream(again, path, mode);
            if file::is_open() && !again.is_null() {
                stdio::began_again(again, mode_of(mode));
            }
        }
        return again;
    }
    if !file::is_open() {
        // SAFETY: the caller vouches.
        return unsafe { open(path, mode, call) };
    }
    // SAFETY: the stream is open.
    unsafe {
        if let Some(closing) = stdio::closing(stream) {
            closing.done(None);
        }
        stdio::reopened(stream);
        open(path, mode, call)
    }
}

interpose! {
    fn fopen(path: *const c_char, mode: *const c_char) -> Stream = |real|
        open(path, mode, move || real(path, mode));
    fn fopen64(path: *const c_char, mode: *const c_char) -> Stream = |real|
        open(path, mode, move || real(path, mode));
    fn tmpfile() -> Stream = |real| open(core::ptr::null(), c"w+".as_ptr(), move || real());
    fn tmpfile64() -> Stream = |real| open(core::ptr::null(), c"w+".as_ptr(), move || real());
    fn freopen(path: *const c_char, mode: *const c_char, stream: Stream) -> Stream = |real|
        reopen(path, mode, stream, move || real(path, mode, stream));
    fn freopen64(path: *const c_char, mode: *const c_char, stream: Stream) -> Stream = |real|
        reopen(path, mode, stream, move || real(path, mode, stream));
    fn fdopen(fd: c_int, mode: *const c_char) -> Stream = |real| {
        let (stream, span) = Span::of(move || real(fd, mode));
        inject::opened_stream(stream, core::ptr::null(), mode);
        if !stream.is_null() {
            stdio::opened_over(stream, mode_of(mode), span);
        }
        stream
    };
    fn fclose(stream: Stream) -> c_int = |real| {
        let call = move || inject::closing_stream(stream, || real(stream));
        let Some(closing) = stdio::closing(stream) else { return call() };
        let (result, span) = Span::of(call);
        closing.done((result == 0).then_some(span));
        result
    };
    fn fileno(stream: Stream) -> c_int = |real| take_descriptor(stream, move || real(stream));
    fn fileno_unlocked(stream: Stream) -> c_int = |real| take_descriptor(stream, move || real(stream));
    fn fflush(stream: Stream) -> c_int = |real| flush(stream, move || real(stream));
    fn fflush_unlocked(stream: Stream) -> c_int = |real| flush(stream, move || real(stream));
}

interpose! {
    fn setvbuf(stream: Stream, buffer: *mut c_char, mode: c_int, size: size_t) -> c_int = |real| {
        let result = real(stream, buffer, mode, size);
        // Fully buffered without a buffer of the program's, the stream keeps the one it has.
        if result == 0 && (mode != libc::_IOFBF || !buffer.is_null()) {
            inject::chose_buffer(stream, if buffer.is_null() { 0 } else { size });
        }
        result
    };
    fn setbuf(stream: Stream, buffer: *mut c_char) -> () = |real| {
        real(stream, buffer);
        inject::chose_buffer(stream, if buffer.is_null() { 0 } else { libc::BUFSIZ as usize });
    };
    fn setbuffer(stream: Stream, buffer: *mut c_char, size: size_t) -> () = |real| {
        real(stream, buffer, size);
        inject::chose_buffer(stream, if buffer.is_null() { 0 } else { size });
    };
}

unsafe fn take_descriptor(stream: Stream, call: impl FnOnce() -> c_int) -> c_int {
    let (fd, span) = Span::of(call);
    if fd >= 0 {
        // SAFETY: the stream is open.
        unsafe { stdio::descriptor_taken(stream, fd, span) };
    }
    fd
}

unsafe fn flush(stream: Stream, call: impl FnOnce() -> c_int) -> c_int {
    // Null stands for all streams.
    if stream.is_null() {
        return call();
    }
    // SAFETY: the stream is open.
    let Some(known) = (unsafe { stdio::find_used(stream) }) else { return call() };
    let (result, span) = Span::of(call);
    if result == 0 {
        known.flushed(span);
    }
    result
}

/// Makes a call that moves bytes; `bytes` returns their number, or `None` if it failed.
#[inline]
unsafe fn transfer<T: Copy>(
    stream: Stream,
    direction: Direction,
    bytes: impl FnOnce(T) -> Option<i64>,
    call: impl FnOnce() -> T,
) -> T {
    // SAFETY: the stream is open.
    unsafe {
        let Some(known) = &stdio::find(stream) else { return call() };
        let (result, span) = Span::of(call);
        match bytes(result) {
            Some(bytes) => known.moved(direction, bytes, span),
            None => known.moved_nothing(),
        }
        result
    }
}

/// Makes a call that moves one byte. Mostly it is a byte of the buffer, which takes less time than
/// reading the clock.
#[inline(always)]
unsafe fn byte(stream: Stream, direction: Direction, call: impl FnOnce() -> c_int + Copy) -> c_int {
    // SAFETY: the stream is open.
    unsafe {
        match stdio::before_byte(stream, direction) {
            Byte::Booked => call(),
            Byte::Buffered(byte) => buffered_byte(stream, direction, byte, call),
            Byte::Other => other_byte(stream, direction, call),
        }
    }
}

/// Makes a call that moves one byte of the buffer, and books it.
#[inline(never)]
unsafe fn buffered_byte(
    stream: Stream,
    direction: Direction,
    byte: BufferedByte,
    call: impl FnOnce() -> c_int + Copy,
) -> c_int {
    let result = call();
    if result != EOF {
        // SAFETY: the stream is open.
        unsafe { byte.moved(stream, direction) };
    }
    result
}

/// Makes any other call that moves one byte.
#[cold]
#[inline(never)]
unsafe fn other_byte(
    stream: Stream,
    direction: Direction,
    call: impl FnOnce() -> c_int + Copy,
) -> c_int {
    // SAFETY: the stream is open.
    match unsafe { stdio::find(stream) } {
        None => call(),
        // SAFETY: as above.
        Some(known) => unsafe { known_byte(known, stream, direction, &mut move || call()) },
    }
}

#[inline(never)]
unsafe fn known_byte(
    known: stdio::KnownStream,
    stream: Stream,
    direction: Direction,
    call: &mut dyn FnMut() -> c_int,
) -> c_int {
    // SAFETY: the stream is open.
    unsafe {
        if stdio::is_buffered(stream, direction) {
            let result = call();
            if result != EOF {
                known.moved_in_buffer(direction);
            }
            return result;
        }
    }
    timed_byte(known, direction, call)
}

#[inline]
fn timed_byte(
    known: stdio::KnownStream,
    direction: Direction,
    call: impl FnOnce() -> c_int,
) -> c_int {
    let (result, span) = Span::of(call);
    match result {
        EOF => known.moved_nothing(),
        _ => known.moved(direction, 1, span),
    }
    result
}

/// Makes the call by which a program that has emptied or filled a buffer itself gets the next one.
unsafe fn next_buffer(
    stream: Stream,
    direction: Option<Direction>,
    call: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the stream is open, and the program has seen to it that no other thread uses it.
    unsafe {
        let Some(known) = stdio::find_inline(stream) else { return call() };
        if let Some(direction) = direction {
            return timed_byte(known, direction, call);
        }
        let result = call();
        known.looked_ahead();
        result
    }
}

interpose! {
    // The calls that `getc_unlocked` and `putc_unlocked` make from a program.
    fn __uflow(stream: Stream) -> c_int = |real| next_buffer(stream, Some(Read), move || real(stream));
    fn __underflow(stream: Stream) -> c_int = |real| next_buffer(stream, None, move || real(stream));
    fn __overflow(stream: Stream, c: c_int) -> c_int = |real|
        next_buffer(stream, (c != EOF).then_some(Write), move || real(stream, c));
}

/// Bytes of whole items.
fn items(size: size_t) -> impl FnOnce(size_t) -> Option<i64> {
    move |count| (count > 0).then(|| size.wrapping_mul(count) as i64)
}

/// Bytes of a text that was written.
unsafe fn text(text: *const c_char, more: i64) -> impl FnOnce(c_int) -> Option<i64> {
    // SAFETY: the call has read it.
    move |result| (result != EOF).then(|| unsafe { libc::strlen(text) } as i64 + more)
}

/// Bytes of a line that was read as a C string.
fn line(line: *mut c_char) -> Option<i64> {
    // SAFETY: the call has written it.
    (!line.is_null()).then(|| unsafe { libc::strlen(line) } as i64)
}

/// Bytes, as given by the result.
fn counted<T: Into<i64>>(result: T) -> Option<i64> {
    Some(result.into()).filter(|count| *count > 0)
}

const WORD: i64 = size_of::<c_int>() as i64;

interpose! {
    fn fwrite(data: *const c_void, size: size_t, count: size_t, stream: Stream) -> size_t = |real|
        transfer(stream, Write, items(size), move || real(data, size, count, stream));
    fn fwrite_unlocked(
        data: *const c_void, size: size_t, count: size_t, stream: Stream,
    ) -> size_t = |real|
        transfer(stream, Write, items(size), move || real(data, size, count, stream));
    fn fputc(c: c_int, stream: Stream) -> c_int = |real| byte(stream, Write, move || real(c, stream));
    fn fputc_unlocked(c: c_int, stream: Stream) -> c_int = |real|
        byte(stream, Write, move || real(c, stream));
    fn putc(c: c_int, stream: Stream) -> c_int = |real| byte(stream, Write, move || real(c, stream));
    fn putc_unlocked(c: c_int, stream: Stream) -> c_int = |real|
        byte(stream, Write, move || real(c, stream));
    fn _IO_putc(c: c_int, stream: Stream) -> c_int = |real|
        byte(stream, Write, move || real(c, stream));
    fn putchar(c: c_int) -> c_int = |real| byte(stdout, Write, move || real(c));
    fn putchar_unlocked(c: c_int) -> c_int = |real| byte(stdout, Write, move || real(c));
    fn putw(word: c_int, stream: Stream) -> c_int = |real|
        transfer(stream, Write, |result| (result != EOF).then_some(WORD), move || real(word, stream));
    fn fputs(string: *const c_char, stream: Stream) -> c_int = |real|
        transfer(stream, Write, text(string, 0), move || real(string, stream));
    fn fputs_unlocked(string: *const c_char, stream: Stream) -> c_int = |real|
        transfer(stream, Write, text(string, 0), move || real(string, stream));
    fn puts(string: *const c_char) -> c_int = |real|
        transfer(stdout, Write, text(string, 1), move || real(string));
}

interpose! {
    fn fread(data: *mut c_void, size: size_t, count: size_t, stream: Stream) -> size_t = |real|
        transfer(stream, Read, items(size), move || real(data, size, count, stream));
    fn fread_unlocked(
        data: *mut c_void, size: size_t, count: size_t, stream: Stream,
    ) -> size_t = |real|
        transfer(stream, Read, items(size), move || real(data, size, count, stream));
    fn __fread_chk(
        data: *mut c_void, room: size_t, size: size_t, count: size_t, stream: Stream,
    ) -> size_t = |real|
        transfer(stream, Read, items(size), move || real(data, room, size, count, stream));
    fn __fread_unlocked_chk(
        data: *mut c_void, room: size_t, size: size_t, count: size_t, stream: Stream,
    ) -> size_t = |real|
        transfer(stream, Read, items(size), move || real(data, room, size, count, stream));
    fn fgetc(stream: Stream) -> c_int = |real| byte(stream, Read, move || real(stream));
    fn fgetc_unlocked(stream: Stream) -> c_int = |real| byte(stream, Read, move || real(stream));
    fn getc(stream: Stream) -> c_int = |real| byte(stream, Read, move || real(stream));
    fn getc_unlocked(stream: Stream) -> c_int = |real| byte(stream, Read, move || real(stream));
    fn _IO_getc(stream: Stream) -> c_int = |real| byte(stream, Read, move || real(stream));
    fn getchar() -> c_int = |real| byte(stdin, Read, move || real());
    fn getchar_unlocked() -> c_int = |real| byte(stdin, Read, move || real());
    fn getw(stream: Stream) -> c_int = |real| {
        // A result that looks like a failure may be a word of ones.
        let bytes = |word| (word != EOF || !stdio::is_spent(stream)).then_some(WORD);
        transfer(stream, Read, bytes, move || real(stream))
    };
    fn fgets(buffer: *mut c_char, size: c_int, stream: Stream) -> *mut c_char = |real|
        transfer(stream, Read, line, move || real(buffer, size, stream));
    fn fgets_unlocked(buffer: *mut c_char, size: c_int, stream: Stream) -> *mut c_char = |real|
        transfer(stream, Read, line, move || real(buffer, size, stream));
    fn __fgets_chk(
        buffer: *mut c_char, room: size_t, size: c_int, stream: Stream,
    ) -> *mut c_char = |real|
        transfer(stream, Read, line, move || real(buffer, room, size, stream));
    fn __fgets_unlocked_chk(
        buffer: *mut c_char, room: size_t, size: c_int, stream: Stream,
    ) -> *mut c_char = |real|
        transfer(stream, Read, line, move || real(buffer, room, size, stream));
    fn gets(buffer: *mut c_char) -> *mut c_char = |real|
        transfer(stdin, Read, |result| whole_line(result), move || real(buffer));
    fn __gets_chk(buffer: *mut c_char, room: size_t) -> *mut c_char = |real|
        transfer(stdin, Read, |result| whole_line(result), move || real(buffer, room));
    fn getline(line: *mut *mut c_char, room: *mut size_t, stream: Stream) -> ssize_t = |real|
        transfer(stream, Read, |length: ssize_t| counted(length as i64),
            move || real(line, room, stream));
    fn getdelim(
        line: *mut *mut c_char, room: *mut size_t, delimiter: c_int, stream: Stream,
    ) -> ssize_t = |real|
        transfer(stream, Read, |length: ssize_t| counted(length as i64),
            move || real(line, room, delimiter, stream));
    fn __getdelim(
        line: *mut *mut c_char, room: *mut size_t, delimiter: c_int, stream: Stream,
    ) -> ssize_t = |real|
        transfer(stream, Read, |length: ssize_t| counted(length as i64),
            move || real(line, room, delimiter, stream));
    fn ungetc(c: c_int, stream: Stream) -> c_int = |real| {
        let Some(known) = stdio::find_used(stream) else { return real(c, stream) };
        let result = real(c, stream);
        if result != EOF {
            known.pushed_back();
        }
        result
    };
}

/// Bytes of a line whose newline was read but not kept.
unsafe fn whole_line(text: *mut c_char) -> Option<i64> {
    // SAFETY: the standard input is open.
    let ended = unsafe { !stdio::is_spent(stdin) };
    line(text).map(|bytes| bytes + i64::from(ended))
}

/// Makes a call that seeks; `target` is the new offset if it is known, else it is queried.
unsafe fn seek(stream: Stream, target: Option<i64>, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the stream is open.
    unsafe {
        let Some(known) = stdio::find_used(stream) else { return call() };
        let (result, span) = Span::of(call);
        if result == 0
            && let Some(position) = target.or_else(|| position(stream))
        {
            known.sought(position, span);
        }
        result
    }
}

fn target(offset: i64, whence: c_int) -> Option<i64> {
    (whence == libc::SEEK_SET).then_some(offset)
}

interpose! {
    fn fseek(stream: Stream, offset: c_long, whence: c_int) -> c_int = |real|
        seek(stream, target(offset, whence), move || real(stream, offset, whence));
    fn fseeko(stream: Stream, offset: off_t, whence: c_int) -> c_int = |real|
        seek(stream, target(offset, whence), move || real(stream, offset, whence));
    fn fseeko64(stream: Stream, offset: off_t, whence: c_int) -> c_int = |real|
        seek(stream, target(offset, whence), move || real(stream, offset, whence));
    // A position begins with its offset.
    fn fsetpos(stream: Stream, place: *const i64) -> c_int = |real|
        seek(stream, Some(*place), move || real(stream, place));
    fn fsetpos64(stream: Stream, place: *const i64) -> c_int = |real|
        seek(stream, Some(*place), move || real(stream, place));
    fn rewind(stream: Stream) -> () = |real| {
        seek(stream, Some(0), || {
            real(stream);
            0
        });
    };
}

/// A `va_list`: on x86-64 and 64-bit ARM it is passed as its address.
type Arguments = *mut c_void;

fn printed(count: c_int) -> Option<i64> {
    counted(count)
}

interpose! {
    fn vfprintf(stream: Stream, format: *const c_char, arguments: Arguments) -> c_int = |real|
        transfer(stream, Write, printed, move || real(stream, format, arguments));
    fn vprintf(format: *const c_char, arguments: Arguments) -> c_int = |real|
        transfer(stdout, Write, printed, move || real(format, arguments));
    fn __vfprintf_chk(
        stream: Stream, flag: c_int, format: *const c_char, arguments: Arguments,
    ) -> c_int = |real|
        transfer(stream, Write, printed, move || real(stream, flag, format, arguments));
    fn __vprintf_chk(flag: c_int, format: *const c_char, arguments: Arguments) -> c_int = |real|
        transfer(stdout, Write, printed, move || real(flag, format, arguments));
    // These write to a descriptor.
    fn vdprintf(fd: c_int, format: *const c_char, arguments: Arguments) -> c_int = |real|
        print_to(fd, move || real(fd, format, arguments));
    fn __vdprintf_chk(
        fd: c_int, flag: c_int, format: *const c_char, arguments: Arguments,
    ) -> c_int = |real|
        print_to(fd, move || real(fd, flag, format, arguments));
}

fn print_to(fd: c_int, call: impl FnOnce() -> c_int) -> c_int {
    posix::transfer(fd, Write, TransferOffset::Current, 0, || call() as isize) as c_int
}

/// A call that reads by a format, under way.
struct Scanning {
    stream: Stream,
    /// True if the stream was locked for the call.
    is_locked: bool,
    scan: Scan,
}

/// Makes a call that reads by a format. Only the movement of the stream tells how much it read, so
/// other threads must not use it meanwhile.
unsafe fn scan(stream: Stream, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the stream is open.
    unsafe {
        let Some(known) = &mut stdio::find(stream) else { return call() };
        // Nobody would unlock the stream if the thread were cancelled and that were not noticed.
        let is_locked = stdio::is_locked_by_calls(stream) && left::is_noticed();
        if is_locked {
            flockfile(stream);
        }
        let mut scanning = Scanning { stream, is_locked, scan: known.before_scan(position) };
        let (fields, span) = Span::of(|| left::clean_up_when_left(&mut scanning, leave_scan, call));
        known.scanned(&scanning.scan, fields > 0, span, position);
        if is_locked {
            funlockfile(stream);
        }
        fields
    }
}

/// Cleans up after a call that was left.
unsafe extern "C" fn leave_scan(scanning: *mut c_void) {
    // SAFETY: the argument is that of the call, and the stream is open.
    unsafe {
        let scanning = &*scanning.cast::<Scanning>();
        scanning.scan.leave();
        if scanning.is_locked {
            funlockfile(scanning.stream);
        }
    }
}

interpose! {
    fn vfscanf(stream: Stream, format: *const c_char, arguments: Arguments) -> c_int = |real|
        scan(stream, move || real(stream, format, arguments));
    fn __isoc99_vfscanf(
        stream: Stream, format: *const c_char, arguments: Arguments,
    ) -> c_int = |real|
        scan(stream, move || real(stream, format, arguments));
    fn __isoc23_vfscanf(
        stream: Stream, format: *const c_char, arguments: Arguments,
    ) -> c_int = |real|
        scan(stream, move || real(stream, format, arguments));
    fn vscanf(format: *const c_char, arguments: Arguments) -> c_int = |real|
        scan(stdin, move || real(format, arguments));
    fn __isoc99_vscanf(format: *const c_char, arguments: Arguments) -> c_int = |real|
        scan(stdin, move || real(format, arguments));
    fn __isoc23_vscanf(format: *const c_char, arguments: Arguments) -> c_int = |real|
        scan(stdin, move || real(format, arguments));
}
