//! The end of threads, as the C library tells it.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ioglass_recorder::thread;

use crate::real::Symbol;

type Destructor = unsafe extern "C" fn(*mut c_void);
type Create = unsafe extern "C" fn(*mut c_uint, Destructor) -> c_int;
type Set = unsafe extern "C" fn(c_uint, *const c_void) -> c_int;

static CREATE: Symbol = Symbol::new("pthread_key_create\0");
static SET: Symbol = Symbol::new("pthread_setspecific\0");

/// Keys below this number have their place in each thread. For others the C library allocates.
const KEYS_WITHOUT_MEMORY: c_uint = 32;
/// There is no key.
const NONE: u32 = u32::MAX;

/// The key whose destructor tells that a thread ends.
static KEY: AtomicU32 = AtomicU32::new(NONE);

/// Has the end of threads told from now on. Without threads in the C library there is nothing to tell.
pub(crate) fn begin() {
    let mut key = 0;
    // SAFETY: the types are those of the C functions of these names.
    let (create, set) = unsafe { (CREATE.get::<Create>(), SET.get::<Set>()) };
    let Some(create) = create.filter(|_| set.is_some()) else { return };
    // SAFETY: the key is written here, and the destructor stays: the library is never unloaded.
    let is_made = unsafe { create(&raw mut key, ends) } == 0;
    if is_made && key < KEYS_WITHOUT_MEMORY {
        KEY.store(key, Relaxed);
        thread::set_end_notice(notice);
    }
}

/// Has the end of the calling thread told.
fn notice(slot: *const c_void) {
    // SAFETY: the type is that of the C function of this name.
    if let Some(set) = unsafe { SET.get::<Set>() } {
        // SAFETY: a key of ours, whose place needs no memory.
        unsafe { set(KEY.load(Relaxed), slot) };
    }
}

unsafe extern "C" fn ends(slot: *mut c_void) {
    // SAFETY: called by the C library in the thread that set it.
    unsafe { thread::ended(slot) };
}
