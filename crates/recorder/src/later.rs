//! Calls of signal handlers that have interrupted the recorder.
//!
//! Such a call cannot be booked at once: what it needs may be half changed or locked. It is put
//! into a queue, and booked by the interrupted bookkeeping when that is done. A descriptor that
//! is opened this way leads to a stand-in until then.

use core::sync::atomic::Ordering::Relaxed;

use ioglass_shm::Loss;

use crate::capture;
use crate::file::{self, Description, File};
use crate::posix::{self, Direction, Place, Transfer};
use crate::queue::Queue;
use crate::span::Span;
use crate::thread::Thread;

/// Threads that can have calls waiting at the same time.
const QUEUES: usize = 16;
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

/// Calls that wait in one thread.
pub(crate) type Calls = Queue<Waiting>;

static POOL: [Calls; QUEUES] = [const { Queue::new() }; QUEUES];

/// Puts a call off. Returns false if there is no room. Called by a handler, in a thread that is busy.
#[cold]
pub(crate) fn put_off(thread: &Thread, waiting: Waiting) -> bool {
    let has_room = Queue::of(&thread.waiting, &POOL).is_some_and(|queue| queue.put(waiting));
    if !has_room {
        capture::count_loss(Loss::Nested);
    }
    has_room
}

/// Puts an open off. The name is asked for now, while the descriptor is open.
#[cold]
pub(crate) fn open(thread: &Thread, fd: i32, flags: i32, mode: u32, span: Span) {
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

/// Books all calls that wait in a thread, in order. The thread is busy.
#[cold]
pub(crate) fn catch_up(thread: &Thread, queue: &'static Calls) {
    let mut opened = Opened([None; 8]);
    queue.empty(&thread.waiting, |waiting| book(thread, &mut opened, &waiting));
    for (fd, description) in opened.0.into_iter().flatten() {
        file::replace_stand_in(fd, description);
    }
}

fn book(thread: &Thread, opened: &mut Opened, waiting: &Waiting) {
    let span = waiting.span;
    match &waiting.call {
        Call::Transfer(file, transfer) => posix::book(thread, file, transfer),
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
                posix::book(thread, description.file(), &transfer);
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
    POOL.iter().for_each(Queue::clear);
}
