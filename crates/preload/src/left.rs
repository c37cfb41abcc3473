//! Calls that are left without a return: the thread is cancelled in them, or a signal handler jumps
//! out of them.
//!
//! The C library has a list of functions to call then. glibc before 2.34 has it in a library of its
//! own, without which no thread can be cancelled.

use core::ffi::{CStr, c_int, c_void};
use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use crate::loaded;

/// A function that cleans up after a call that was left.
pub(crate) type CleanUp = unsafe extern "C" fn(*mut c_void);

/// An entry of the C library's list.
#[repr(C)]
struct Entry {
    words: [usize; 4],
}

type Push = unsafe extern "C" fn(*mut Entry, CleanUp, *mut c_void);
type Pop = unsafe extern "C" fn(*mut Entry, c_int);

static PUSH: Optional = Optional::new(c"_pthread_cleanup_push");
static POP: Optional = Optional::new(c"_pthread_cleanup_pop");

/// A function that may be missing. It is looked up once.
struct Optional {
    name: &'static CStr,
    /// Null before it was looked up.
    address: AtomicPtr<c_void>,
}

/// The address of a missing function.
const MISSING: *mut c_void = ptr::without_provenance_mut(1);

impl Optional {
    const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(ptr::null_mut()) }
    }

    #[inline]
    fn get(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Relaxed);
        if address.is_null() {
            address = self.look_up();
        }
        (address != MISSING).then_some(address)
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        let address = loaded::next_function(self.name).unwrap_or(MISSING);
        self.address.store(address, Relaxed);
        address
    }
}

/// Returns true if it is noticed that a call is left.
#[inline]
pub(crate) fn is_noticed() -> bool {
    PUSH.get().is_some()
}

/// Makes a call. If the call is left, and that is noticed, `clean_up` is called with `argument`.
///
/// # Safety
/// `clean_up` takes a pointer to an `A`.
#[inline]
pub(crate) unsafe fn clean_up_when_left<A, T>(
    argument: &mut A,
    clean_up: CleanUp,
    call: impl FnOnce() -> T,
) -> T {
    let (Some(push), Some(pop)) = (PUSH.get(), POP.get()) else { return call() };
    let mut entry = Entry { words: [0; 4] };
    // SAFETY: functions of glibc. The entry is valid as long as it is in the list.
    unsafe {
        let (push, pop) =
            (transmute::<*mut c_void, Push>(push), transmute::<*mut c_void, Pop>(pop));
        push(&raw mut entry, clean_up, (&raw mut *argument).cast());
        let result = call();
        pop(&raw mut entry, 0);
        result
    }
}
