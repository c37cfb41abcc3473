//! The trace: every transfer, in chunks that belong to one thread each.

use core::sync::atomic::{Ordering::Release, compiler_fence};

use ioglass_shm::trace::{ChunkHead, Context, Event, MAX_EVENT, Op};
use ioglass_shm::{Kind, Loss};

use crate::span::Span;
use crate::thread::Thread;
use crate::{capture, process};

/// A thread's first chunk; each further one is four times as large, up to the last.
const FIRST_CHUNK: usize = 4 << 10;
const LAST_CHUNK: usize = 1 << 20;

/// Adds a call that moved bytes of a record.
#[inline(never)] // whoever does not trace need not step over it
#[unsafe(link_section = ".text.hot")]
pub fn add_call(thread: &mut Thread, op: Op, record: u64, offset: i64, length: i64, span: Span) {
    let Span { begin, end } = span;
    let record = record as u32;
    let event = Event { thread: thread.tid, region: 0, op, record, offset, length, begin, end };
    add(thread, &event);
}

/// Adds an event. If there is no room, that is counted.
#[inline]
fn add(thread: &mut Thread, event: &Event) {
    let cursor = &mut thread.trace;
    let is_full = (cursor.end as usize) < cursor.at as usize + MAX_EVENT || cursor.head.is_null();
    if is_full && !next_chunk(thread, event.begin) {
        capture::count_loss(Loss::Trace);
        return;
    }
    let cursor = &mut thread.trace;
    cursor.is_changing = true;
    compiler_fence(Release);
    // SAFETY: there is room for the largest event, and only this thread writes here.
    unsafe {
        let size = cursor.context.encode(event, &mut *cursor.at.cast::<[u8; MAX_EVENT]>());
        cursor.at = cursor.at.add(size);
        // A reader trusts `used`, so the bytes come first.
        compiler_fence(Release);
        (*cursor.head).used += size as u64;
        (*cursor.head).count += 1;
    }
    compiler_fence(Release);
    cursor.is_changing = false;
}

#[cold]
fn next_chunk(thread: &mut Thread, base: u64) -> bool {
    let _ = thread.cell();
    let tid = thread.tid;
    let cursor = &mut thread.trace;
    let size = match cursor.chunk {
        0 => FIRST_CHUNK,
        last => (last * 4).min(LAST_CHUNK),
    };
    if !process::may_call_kernel() && cursor.chunk != 0 {
        return false;
    }
    let Some((taken, size)) = capture::take_trace(size) else { return false };
    let head = taken.payload().cast::<ChunkHead>();
    // SAFETY: new, zeroed, and ours.
    unsafe {
        (*head).thread = tid.into();
        (*head).base = base;
        cursor.at = head.add(1).cast();
        cursor.end = taken.payload().add(size);
    }
    cursor.head = head;
    cursor.context = Context::new(base);
    cursor.chunk = size;
    taken.complete(Kind::Trace);
    true
}
