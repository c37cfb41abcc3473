//! Deferred calls: those of signal handlers that interrupt the recorder.
//!
//! Such a call cannot be booked at once: the data that it needs may be half changed or locked. It
//! is put into a queue, and the interrupted bookkeeping books it at its end. Until then, a
//! descriptor that the handler has opened has a stand-in for its description.

use core::sync::atomic::Ordering::Relaxed;

use ioglass_shm::Loss;

use crate::capture;
use crate::file::{self, Description, File};
use crate::posix::{self, Direction, Transfer, TransferOffset};
use crate::queue::Queue;
use crate::span::Span;
use crate::thread::Thread;

/// Threads that can have deferred calls at the same time.
const QUEUES: usize = 16;
/// Longest name of a file that a handler opens.
const NAME: usize = 200;

/// A deferred call and its time.
pub(crate) struct DeferredCall {
    /// Its time.
    pub(crate) span: Span,
    /// The call.
    pub(crate) call: Call,
}

/// A call that was deferred.
pub(crate) enum Call {
    /// A transfer on a known file.
    Transfer(&'static File, Transfer),
    /// An open.
    Open { fd: i32, flags: i32, mode: u32, name: [u8; NAME], len: u8 },
    /// A transfer on a descriptor whose open is deferred too.
    Moved { fd: i32, direction: Direction, place: TransferOffset, aligned: bool, length: i64 },
    /// A close of a descriptor whose open is deferred too.
    Close { fd: i32 },
    /// A close of a known descriptor.
    Closed(&'static Description),
}

/// The deferred calls of one thread.
pub(crate) type DeferredCalls = Queue<DeferredCall>;

static POOL: [DeferredCalls; QUEUES] = [const { Queue::new() }; QUEUES];

/// Defers a call of a handler in a busy thread. Returns false if there is no room.
#[cold]
pub(crate) fn put_off(thread: &Thread, deferred: DeferredCall) -> bool {
    let has_room = Queue::of(&thread.deferred, &POOL).is_some_and(|queue| queue.put(deferred));
    if !has_room {
        capture::count_loss(Loss::Nested);
    }
    has_room
}

/// Defers an open. The name is queried now, while the descriptor is open.
#[cold]
pub(crate) fn open(thread: &Thread, fd: i32, flags: i32, mode: u32, span: Span) {
    let mut name = [0; NAME];
    let len = file::name_of(fd, &mut name).unwrap_or(0) as u8;
    if len == 0 {
        file::forget(fd);
        return capture::count_loss(Loss::Nested);
    }
    file::stand_in(fd);
    if !put_off(thread, DeferredCall { span, call: Call::Open { fd, flags, mode, name, len } }) {
        file::forget(fd);
    }
}

/// Descriptors that deferred calls have opened.
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

/// Books all deferred calls of a thread, in order. The thread is busy meanwhile.
#[cold]
pub(crate) fn catch_up(thread: &Thread, queue: &'static DeferredCalls) {
    let mut opened = Opened([None; 8]);
    queue.empty(&thread.deferred, |deferred| book(thread, &mut opened, &deferred));
    for (fd, description) in opened.0.into_iter().flatten() {
        file::replace_stand_in(fd, description);
    }
}

fn book(thread: &Thread, opened: &mut Opened, deferred: &DeferredCall) {
    let span = deferred.span;
    match &deferred.call {
        Call::Transfer(file, transfer) => posix::book(thread, file, transfer),
        Call::Open { fd, flags, mode, name, len } => {
            let name = &name[..usize::from(*len)];
            let append = flags & libc::O_APPEND != 0;
            if let Some(description) = file::describe_name(name, append) {
                posix::count_opened(description.file(), *flags, *mode, span);
                opened.add(*fd, description);
            }
        }
        Call::Moved { fd, direction, place, aligned, length } => {
            if let Some(description) = opened.find(*fd) {
                let offset = match place {
                    TransferOffset::At(offset) => *offset,
                    TransferOffset::Current | TransferOffset::End { .. } => {
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

/// Frees all queues in a child, which has no deferred calls.
pub(crate) fn after_fork() {
    POOL.iter().for_each(Queue::clear);
}
