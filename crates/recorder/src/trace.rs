//! The trace: every transfer, in chunks of one thread each.

use core::sync::atomic::{Ordering::Release, compiler_fence};

use ioglass_shm::trace::{ChunkHead, Context, Event, MAX_EVENT, Op};
use ioglass_shm::{Kind, Loss};

use crate::region::io;
use crate::span::Span;
use crate::thread::Thread;
use crate::{capture, process};

/// Size of a thread's first chunk; each further one is four times as large, up to `LAST_CHUNK`.
const FIRST_CHUNK: usize = 4 << 10;
const LAST_CHUNK: usize = 1 << 20;

/// Adds a call that moved bytes of a record.
#[inline(never)] // keeps calls without a trace small
#[unsafe(link_section = ".text.hot")]
pub fn add_call(thread: &Thread, op: Op, record: u64, offset: i64, length: i64, span: Span) {
    let Span { begin, end } = span;
    let record = record as u32;
    let event = Event {
        thread: thread.tid.get(),
        region: io::region(thread),
        op,
        record,
        offset,
        length,
        begin,
        end,
    };
    add(thread, &event);
}

/// Adds an event, or counts it as lost if there is no room.
#[inline]
fn add(thread: &Thread, event: &Event) {
    let cursor = &thread.trace;
    let mut at = cursor.at.get();
    if (cursor.end.get() as usize) < at as usize + MAX_EVENT || cursor.head.get().is_null() {
        if !next_chunk(thread, event.begin) {
            capture::count_loss(Loss::Trace);
            return;
        }
        at = cursor.at.get();
    }
    cursor.is_changing.set(true);
    compiler_fence(Release);
    // SAFETY: there is room for the largest event, and only this thread writes here, inside a
    // guard.
    unsafe {
        let room = &mut *at.cast::<[u8; MAX_EVENT]>();
        let size = (*cursor.context.get()).encode(event, room);
        cursor.at.set(at.add(size));
        // A reader trusts `used`, so the bytes are written first.
        compiler_fence(Release);
        let head = cursor.head.get();
        (*head).used += size as u64;
        (*head).count += 1;
    }
    compiler_fence(Release);
    cursor.is_changing.set(false);
}

#[cold]
fn next_chunk(thread: &Thread, base: u64) -> bool {
    let _ = thread.cell();
    let cursor = &thread.trace;
    let size = match cursor.chunk.get() {
        0 => FIRST_CHUNK,
        last => (last * 4).min(LAST_CHUNK),
    };
    if !process::may_call_kernel() && cursor.chunk.get() != 0 {
        return false;
    }
    let Some((taken, size)) = capture::take_trace(size) else { return false };
    let head = taken.payload().cast::<ChunkHead>();
    // SAFETY: new, zeroed, and ours.
    unsafe {
        (*head).thread = thread.tid.get().into();
        (*head).base = base;
        *cursor.context.get() = Context::new(base);
        cursor.at.set(head.add(1).cast());
        cursor.end.set(taken.payload().add(size));
    }
    cursor.head.set(head);
    cursor.chunk.set(size);
    taken.complete(Kind::Trace);
    true
}
