//! Work on its own stack, which can be left from any depth.
//!
//! The program's stack may be small, and a panic must not end the program. The work's data lies in
//! memory that is released as a whole, so nothing needs to be unwound.

use core::arch::naked_asm;
use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Begin and end of the work's stack; 0 if there is none.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
/// The program's stack pointer; the saved registers are on top of that stack.
static SAVED: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` on this stack. Also returns if the work escapes.
///
/// # Safety
/// The stack is mapped, and no other thread runs this.
pub(super) unsafe fn run(
    stack: Range<*mut u8>,
    work: extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    let end = stack.end as usize & !15;
    BEGIN.store(stack.start as usize, Relaxed);
    END.store(end, Relaxed);
    // SAFETY: the caller vouches.
    unsafe { switch(end, work, argument) };
    BEGIN.store(0, Relaxed);
    END.store(0, Relaxed);
}

/// Leaves the work, if this is called from it.
pub(super) fn escape() {
    let here = 0_u8;
    let here = (&raw const here) as usize;
    if (BEGIN.load(Relaxed)..END.load(Relaxed)).contains(&here) {
        // SAFETY: `run` waits on the other stack.
        unsafe { leave() };
    }
}

#[unsafe(naked)]
unsafe extern "C" fn switch(stack: usize, work: extern "C" fn(*mut c_void), argument: *mut c_void) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rip + {saved}], rsp",
        "mov rsp, rdi",
        "mov rdi, rdx",
        "call rsi",
        "jmp {leave}",
        saved = sym SAVED,
        leave = sym leave,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!(
        "mov rsp, [rip + {saved}]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        saved = sym SAVED,
    )
}
