//! Work on a stack of its own, which can be left from anywhere in it.
//!
//! The program's stack may be small, and a panic must not end the program: what the work needs
//! lies in memory that is given back as a whole, so nothing needs to be unwound.

use core::arch::naked_asm;
use core::ffi::c_void;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Where the stack of the work begins and ends; 0 if there is none.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
/// The program's stack, with the registers that belong to it on top.
static SAVED: AtomicUsize = AtomicUsize::new(0);

/// Does `work` on this stack. Also returns if the work escapes.
///
/// # Safety
/// The stack is mapped, and nobody else is in here.
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

#[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
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
