//! Asynchronous operations: noted when they are submitted, booked when they are collected.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::Operation;

use crate::clock;
use crate::file::{self, File};
use crate::posix::{Direction, Transfer, book, is_aligned};
use crate::span::Span;
use crate::spin::Spin;
use crate::thread::Guard;

/// Operations that can be pending at a time; further ones are only counted as submitted.
const SLOTS: usize = 4096;

/// A requested transfer.
#[derive(Clone, Copy)]
pub struct AsyncRequest {
    /// Descriptor.
    pub fd: i32,
    /// Its direction.
    pub direction: Direction,
    /// First byte.
    pub offset: i64,
    /// Address of the buffer.
    pub buffer: usize,
}

struct PendingSlot {
    /// Address of the program's control block; 0 is a free slot.
    key: AtomicUsize,
    noted: UnsafeCell<MaybeUninit<Noted>>,
}

#[derive(Clone, Copy)]
struct Noted {
    request: AsyncRequest,
    file: &'static File,
    begin: u64,
}

// SAFETY: a slot is filled under the lock before its key is stored, and emptied by the thread that
// removes the key.
unsafe impl Sync for PendingSlot {}

static PENDING: [PendingSlot; SLOTS] = [const {
    // All zero, so that it takes no space in the library's file.
    PendingSlot { key: AtomicUsize::new(0), noted: UnsafeCell::new(MaybeUninit::zeroed()) }
}; SLOTS];
static END: AtomicUsize = AtomicUsize::new(0);
static LOCK: Spin = Spin::new();

/// Notes an operation before it is submitted; `key` is the address of its control block.
pub fn submit(key: usize, request: AsyncRequest) {
    let Some(description) = file::description(request.fd) else { return };
    let Some(_guard) = Guard::enter() else { return };
    let file = description.file();
    file.count(Operation::AsyncSubmitted, 1);
    let noted = Noted { request, file, begin: clock::tick() };
    LOCK.lock();
    let end = END.load(Relaxed);
    let free = PENDING[..end.min(SLOTS)].iter().position(|slot| {
        let used = slot.key.load(Relaxed);
        used == 0 || used == key
    });
    if let Some(slot) = PENDING.get(free.unwrap_or(end)) {
        // SAFETY: free, and under the lock.
        unsafe { (*slot.noted.get()).write(noted) };
        slot.key.store(key, Release);
        END.store(end.max(free.map_or(end + 1, |free| free + 1)), Relaxed);
    }
    LOCK.unlock();
}

/// Forgets an operation that could not be submitted.
pub fn withdraw(key: usize) {
    let _ = take(key);
}

/// Books an operation whose result the program has collected.
pub fn collect(key: usize, result: isize) {
    let Some(Noted { request, file, begin }) = take(key) else { return };
    let Some(guard) = Guard::enter() else { return };
    file.count(Operation::AsyncFinished, 1);
    if result >= 0 {
        let transfer = Transfer {
            direction: request.direction,
            aligned: is_aligned(request.buffer),
            offset: request.offset,
            length: result as i64,
            span: Span { begin, end: clock::tick() },
        };
        book(guard.thread(), file, &transfer);
    }
}

fn take(key: usize) -> Option<Noted> {
    let end = END.load(Relaxed).min(SLOTS);
    let slot = PENDING[..end].iter().find(|slot| slot.key.load(Acquire) == key)?;
    // SAFETY: filled before the key was stored; nobody fills it again while the key is there.
    let noted = unsafe { (*slot.noted.get()).assume_init() };
    slot.key.compare_exchange(key, 0, Acquire, Relaxed).ok()?;
    Some(noted)
}

/// Releases the lock in a child, where no other thread can hold it.
pub fn after_fork() {
    LOCK.unlock();
}
