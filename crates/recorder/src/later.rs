//! Calls of signal handlers that have interrupted the recorder.
//!
//! Such a call cannot be booked at once: what it needs may be half changed or locked. It is put
//! into a queue, and booked by the interrupted bookkeeping when that is done. A descriptor that
//! is opened this way leads to a stand-in until then.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, compiler_fence};
use core::sync::atomic::{
    Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst,
};

use ioglass_shm::Loss;

use crate::capture;
use crate::file::{self, Description, File};
use crate::posix::{self, Direction, Place, Transfer};
use crate::span::Span;
use crate::thread::{Guard, Thread};

/// Threads that can have calls waiting at the same time.
const QUEUES: usize = 16;
/// Calls that can wait in one thread.
const LENGTH: usize = 64;
/// Bytes kept of the name of a file that a handler opens.
const NAME: usize = 200;

/// A call that waits to be booked.
pub(crate) struct Waiting {
    /// When it was made.
    pub(crate) span: Span,
    /// What it was.
    pub(crate) call: Call,
}

/// What waits.
pub(crate) enum Call {
    /// A transfer on a file that is known.
    Transfer(&'static File, Transfer),
    /// An open.
    Open { fd: i32, flags: i32, mode: u32, name: [u8; NAME], len: u8 },
    /// A transfer on a descriptor whose open waits too.
    Moved { fd: i32, direction: Direction, place: Place, aligned: bool, length: i64 },
    /// A close of a descriptor whose open waits too.
    Close { fd: i32 },
    /// A close of a descriptor that was known.
    Closed(&'static Description),
}

pub(crate) struct Queue {
    taken: AtomicU32,
    len: AtomicU32,
    slots: [Slot; LENGTH],
}

/// Room for one call. A slot can be reserved and never filled, by a handler that is interrupted or
/// jumps out; all zero it is empty.
struct Slot {
    filled: AtomicU32,
    waiting: UnsafeCell<MaybeUninit<Waiting>>,
}

// SAFETY: used by the thread that has taken it, whose handlers each fill an element of their own.
unsafe impl Sync for Queue {}

static POOL: [Queue; QUEUES] = [const {
    Queue {
        taken: AtomicU32::new(0),
        len: AtomicU32::new(0),
        slots: [const {
            Slot { filled: AtomicU32::new(0), waiting: UnsafeCell::new(MaybeUninit::zeroed()) }
        }; LENGTH],
    }
}; QUEUES];

/// Puts a call off, and tells whether there was room. Called by a handler, in a thread that is busy.
#[cold]
pub(crate) fn put_off(thread: *mut Thread, waiting: Waiting) -> bool {
    // SAFETY: handlers of one thread end in the reverse order of their beginning.
    let known = unsafe { (*thread).queue };
    let queue = match known {
        Some(queue) => queue,
        None => {
            let free =
                |queue: &&Queue| queue.taken.compare_exchange(0, 1, Acquire, Relaxed).is_ok();
            let Some(queue) = POOL.iter().find(free) else {
                capture::count_loss(Loss::Nested);
                return false;
            };
            // SAFETY: as above.
            unsafe { (*thread).queue = Some(queue) };
            queue
        }
    };
    // The place is reserved first: this handler, too, can be interrupted.
    let place = queue.len.fetch_add(1, Relaxed) as usize;
    let Some(slot) = queue.slots.get(place) else {
        queue.len.fetch_sub(1, Relaxed);
        capture::count_loss(Loss::Nested);
        return false;
    };
    // SAFETY: reserved.
    unsafe { (*slot.waiting.get()).write(waiting) };
    slot.filled.store(1, Release);
    true
}

/// Puts an open off. The name is asked for now, while the descriptor is open.
#[cold]
pub(crate) fn open(thread: *mut Thread, fd: i32, flags: i32, mode: u32, span: Span) {
    let mut name = [0; NAME];
    let len = file::name_of(fd, &mut name).unwrap_or(0) as u8;
    if len == 0 {
        file::forget(fd);
        return capture::count_loss(Loss::Nested);
    }
    file::stand_in(fd);
    if !put_off(thread, Waiting { span, call: Call::Open { fd, flags, mode, name, len } }) {
        file::forget(fd);
    }
}

/// Descriptors that were opened by calls that wait.
struct Opened([Option<(i32, &'static Description)>; 8]);

impl Opened {
    fn find(&self, fd: i32) -> Option<&'static Description> {
        self.0.iter().flatten().find(|(known, _)| *known == fd).map(|(_, description)| *description)
    }

    fn add(&mut self, fd: i32, description: &'static Description) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some((fd, description));
        }
    }

    fn remove(&mut self, fd: i32) -> Option<&'static Description> {
        let slot = self.0.iter_mut().find(|slot| slot.is_some_and(|(known, _)| known == fd))?;
        slot.take().map(|(_, description)| description)
    }
}

/// Books all calls that wait in the guard's thread, in order.
#[cold]
pub(crate) fn catch_up(guard: &Guard, queue: &'static Queue) {
    let mut opened = Opened([None; 8]);
    let mut next = 0;
    let mut is_last = false;
    loop {
        if next == queue.len.load(Relaxed) {
            if is_last {
                break;
            }
            // Handlers take another queue from now on; one may just have used this.
            guard.thread().queue = None;
            compiler_fence(SeqCst);
            is_last = true;
            continue;
        }
        let slot = queue.slots.get(next as usize);
        next += 1;
        if let Some(slot) = slot
            && slot.filled.swap(0, Acquire) != 0
        {
            // SAFETY: filled, and taken once.
            let waiting = unsafe { (*slot.waiting.get()).assume_init_read() };
            book(guard, &mut opened, &waiting);
        }
    }
    for (fd, description) in opened.0.into_iter().flatten() {
        file::replace_stand_in(fd, description);
    }
    queue.len.store(0, Relaxed);
    queue.taken.store(0, Release);
}

fn book(guard: &Guard, opened: &mut Opened, waiting: &Waiting) {
    let span = waiting.span;
    match &waiting.call {
        Call::Transfer(file, transfer) => posix::book(guard, file, transfer),
        Call::Open { fd, flags, mode, name, len } => {
            let name = &name[..usize::from(*len)];
            let append = flags & libc::O_APPEND != 0;
            if let Some(description) = file::describe_name(name, append) {
                posix::count_opened(description.file(), *mode, span);
                opened.add(*fd, description);
            }
        }
        Call::Moved { fd, direction, place, aligned, length } => {
            if let Some(description) = opened.find(*fd) {
                let offset = match place {
                    Place::At(offset) => *offset,
                    Place::Current | Place::End { .. } => {
                        description.position.fetch_add(*length, Relaxed)
                    }
                };
                let transfer = Transfer {
                    direction: *direction,
                    aligned: *aligned,
                    offset,
                    length: *length,
                    span,
                };
                posix::book(guard, description.file(), &transfer);
            }
        }
        Call::Close { fd } => {
            if let Some(description) = opened.remove(*fd) {
                posix::count_closed(description, span);
            }
        }
        Call::Closed(description) => posix::count_closed(description, span),
    }
}

/// Gives all queues back in a new process, where nothing waits.
pub(crate) fn after_fork() {
    for queue in POOL.iter().filter(|queue| queue.taken.load(Relaxed) != 0) {
        queue.slots.iter().for_each(|slot| slot.filled.store(0, Relaxed));
        queue.len.store(0, Relaxed);
        queue.taken.store(0, Relaxed);
    }
}
