//! Buffers of streams, at `fopen` and its kin.
//!
//! glibc ignores the size that `setvbuf` is given without a buffer. So the buffer is mapped here. It stays
//! until after `fclose`; the buffer of a stream that is open at the end is never unmapped, because `exit`
//! flushes it.

use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_param::flat::{Setting, site_bit};
use ioglass_param::{Proof, Site, Value};
use ioglass_recorder::stdio::{Stream, descriptor};
use ioglass_recorder::sys;

use super::advice;
use super::facts::{Facts, unmet};
use super::place::{PathRoom, is_regular, path_of};
use super::plan::{Chosen, Plan, Rule, plan};
use super::row::{Outcome, Place, Words, note};
use crate::real::{Symbol, errno, set_errno};

type SetBuffer = unsafe extern "C" fn(Stream, *mut c_char, c_int, usize) -> c_int;
static SET_BUFFER: Symbol = Symbol::new("setvbuf\0");

/// Bytes that buffers of a process have at most.
const MOST_BYTES: usize = 256 << 20;
/// Bytes of buffers that are kept for the next stream.
const MOST_IDLE: usize = 4 << 20;

/// A buffer and the stream that has it.
struct Slot {
    /// Null is free; a slot that is being changed has [`TAKEN`].
    stream: AtomicPtr<u8>,
    buffer: AtomicPtr<u8>,
    size: AtomicUsize,
    /// The setting behind it.
    rule: AtomicPtr<Rule>,
    setting: AtomicPtr<Setting<'static>>,
}

const TAKEN: *mut u8 = ptr::without_provenance_mut(1);

static SLOTS: [Slot; 64] = [const {
    Slot {
        stream: AtomicPtr::new(ptr::null_mut()),
        buffer: AtomicPtr::new(ptr::null_mut()),
        size: AtomicUsize::new(0),
        rule: AtomicPtr::new(ptr::null_mut()),
        setting: AtomicPtr::new(ptr::null_mut()),
    }
}; 64];
/// Streams that have a buffer of ours.
static STREAMS: AtomicUsize = AtomicUsize::new(0);
/// Bytes of all buffers, and of those that no stream has.
static BYTES: AtomicUsize = AtomicUsize::new(0);
static IDLE: AtomicUsize = AtomicUsize::new(0);

/// Gives a stream that was just opened its buffer, and its file the advice, if there are settings for them.
/// Without a path the file is that of the descriptor.
///
/// # Safety
/// The stream is open and unused, and these are the arguments it was opened with.
#[inline]
pub(crate) unsafe fn opened_stream(stream: Stream, path: *const c_char, mode: *const c_char) {
    let plans = (plan(Site::Stream), plan(Site::Advice));
    if plans.0.is_some() || plans.1.is_some() {
        // SAFETY: the caller vouches.
        unsafe { opened_with(plans, stream, path, mode) };
    }
}

#[inline(never)]
unsafe fn opened_with(
    plans: (Option<&'static Plan>, Option<&'static Plan>),
    stream: Stream,
    path: *const c_char,
    mode: *const c_char,
) {
    const SITES: u32 = (site_bit(Site::Stream) | site_bit(Site::Advice)) as u32;
    if stream.is_null() || mode.is_null() {
        return;
    }
    let mut room = PathRoom::new();
    // SAFETY: the caller vouches.
    let path = unsafe { path_of(descriptor(stream), libc::AT_FDCWD, path, &mut room) };
    // Files without settings are to pay little.
    if plans.0.or(plans.1).is_some_and(|plan| plan.may_have(SITES, path)) {
        // SAFETY: the caller vouches.
        unsafe { change(plans, stream, path, mode) };
    }
}

#[cold]
#[inline(never)]
unsafe fn change(
    (buffers, advices): (Option<&'static Plan>, Option<&'static Plan>),
    stream: Stream,
    path: &[u8],
    mode: *const c_char,
) {
    let before = errno();
    // SAFETY: the caller vouches.
    let (fd, mode) = unsafe { (descriptor(stream), CStr::from_ptr(mode).to_bytes()) };
    if let Some(advices) = advices
        && mode.first() == Some(&b'r')
        && !mode.contains(&b'+')
    {
        advice::advise(advices, fd, path);
    }
    if let Some(buffers) = buffers {
        buffers.choose(Site::Stream, path, None, |chosen| {
            let place = Place { file: path, variable: b"" };
            let outcome = match unfit(&chosen, fd, mode) {
                Some(reason) => Outcome::not_applicable(reason),
                // SAFETY: the caller vouches.
                None => unsafe { give(stream, &chosen) },
            };
            note(&chosen, place, outcome);
        });
    }
    set_errno(before);
}

/// The reason why a stream does not get a buffer, if there is one.
fn unfit(chosen: &Chosen, fd: c_int, mode: &[u8]) -> Option<&'static str> {
    if fd <= libc::STDERR_FILENO {
        return Some("it is a standard stream");
    }
    if mode.contains(&b'+') {
        return Some("the stream reads and writes");
    }
    if mode.contains(&b'm') || mode.contains(&b',') {
        return Some("the stream maps or converts the file");
    }
    if mode.first() == Some(&b'a') && !chosen.rule.scope.force {
        return Some("appending streams need force");
    }
    if !is_regular(fd) {
        return Some("it is no regular file");
    }
    unmet(chosen, &Facts::default())
}

/// Gives a stream a buffer of ours.
unsafe fn give(stream: Stream, chosen: &Chosen) -> Outcome<'static> {
    let value = chosen.setting.value;
    let (Ok(Value::Number(size)), Proof::Returned(by)) =
        (chosen.setting.param.kind.parse(value), chosen.setting.param.proof)
    else {
        return Outcome::not_applicable("the value is no size");
    };
    let size = size as usize;
    // SAFETY: the type of this function.
    let Some(set) = (unsafe { SET_BUFFER.get::<SetBuffer>() }) else {
        return Outcome::not_applicable("the C library has no setvbuf");
    };
    let Some(slot) = Slot::take(size) else {
        return Outcome::not_applicable("64 streams or 256 MiB of buffers are in use");
    };
    let buffer = slot.buffer.load(Relaxed);
    // SAFETY: an open stream that nobody has used, and a buffer that stays until it is closed.
    if unsafe { set(stream, buffer.cast(), libc::_IOFBF, size) } != 0 {
        slot.give_back();
        return Outcome::not_applicable("setvbuf refuses it");
    }
    slot.rule.store(ptr::from_ref(chosen.rule).cast_mut(), Relaxed);
    slot.setting.store(ptr::from_ref(chosen.setting).cast_mut(), Relaxed);
    STREAMS.fetch_add(1, Relaxed);
    slot.stream.store(stream.cast(), Release);
    Outcome::asked(b"", value.as_bytes(), value.as_bytes(), by)
}

impl Slot {
    /// A free slot with a buffer of this size, if there is room.
    fn take(size: usize) -> Option<&'static Slot> {
        let is_free = |slot: &&Slot| slot.stream.load(Relaxed).is_null();
        let take = |slot: &&Slot| {
            slot.stream.compare_exchange(ptr::null_mut(), TAKEN, Acquire, Relaxed).is_ok()
        };
        let same = |slot: &&Slot| slot.size.load(Relaxed) == size;
        if let Some(slot) = SLOTS.iter().filter(is_free).filter(same).find(take) {
            IDLE.fetch_sub(size, Relaxed);
            return Some(slot);
        }
        let slot = SLOTS.iter().filter(is_free).find(take)?;
        let idle = slot.size.load(Relaxed);
        if idle > 0 {
            IDLE.fetch_sub(idle, Relaxed);
            slot.unmap();
        }
        let has_room = BYTES.fetch_add(size, Relaxed) + size <= MOST_BYTES;
        match if has_room { sys::map_private(size).ok() } else { None } {
            Some(buffer) => {
                slot.buffer.store(buffer, Relaxed);
                slot.size.store(size, Relaxed);
                Some(slot)
            }
            None => {
                BYTES.fetch_sub(size, Relaxed);
                slot.stream.store(ptr::null_mut(), Release);
                None
            }
        }
    }

    /// Unmaps the buffer of a slot that was taken.
    fn unmap(&self) {
        let size = self.size.swap(0, Relaxed);
        // SAFETY: a mapping of this size that no stream has.
        unsafe { sys::unmap(self.buffer.swap(ptr::null_mut(), Relaxed), size) };
        BYTES.fetch_sub(size, Relaxed);
    }

    /// Frees a slot that was taken. A few buffers are kept.
    fn give_back(&self) {
        let size = self.size.load(Relaxed);
        if IDLE.fetch_add(size, Relaxed) + size > MOST_IDLE {
            IDLE.fetch_sub(size, Relaxed);
            self.unmap();
        }
        self.stream.store(ptr::null_mut(), Release);
    }

    fn of(stream: Stream) -> Option<&'static Slot> {
        if STREAMS.load(Relaxed) == 0 {
            return None;
        }
        SLOTS.iter().find(|slot| slot.stream.load(Acquire) == stream.cast())
    }
}

/// Makes a call after which a stream no longer has its buffer: it closes the stream, or opens it anew.
#[inline]
pub(crate) fn closing_stream<R>(stream: Stream, call: impl FnOnce() -> R) -> R {
    // Afterwards another thread can get a stream at the same address.
    let slot = Slot::of(stream);
    if let Some(slot) = slot {
        slot.stream.store(TAKEN, Relaxed);
        STREAMS.fetch_sub(1, Relaxed);
    }
    let result = call();
    if let Some(slot) = slot {
        slot.give_back();
    }
    result
}

/// Notes that a program has chosen the buffer of a stream itself, after it got one of ours.
#[inline]
pub(crate) fn chose_buffer(stream: Stream, size: usize) {
    if let Some(slot) = Slot::of(stream) {
        note_choice(slot, stream, size);
    }
}

#[cold]
#[inline(never)]
fn note_choice(slot: &Slot, stream: Stream, size: usize) {
    let (rule, setting) = (slot.rule.load(Relaxed), slot.setting.load(Relaxed));
    // SAFETY: of the plan, which stays; the slot has a stream.
    let (Some(rule), Some(setting)) = (unsafe { (rule.as_ref(), setting.as_ref()) }) else {
        return;
    };
    let before = errno();
    let mut room = PathRoom::new();
    // SAFETY: the stream is open.
    let path = unsafe { path_of(descriptor(stream), libc::AT_FDCWD, ptr::null(), &mut room) };
    let effective = Words::<24>::of(size);
    let outcome = Outcome {
        reason: "the program sets its own buffer",
        ..Outcome::asked(b"", effective.bytes(), setting.value.as_bytes(), "setvbuf")
    };
    note(&Chosen { rule, setting }, Place { file: path, variable: b"" }, outcome);
    set_errno(before);
}
