//! The functions behind the interposed names.

use core::ffi::{CStr, c_int, c_long, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use ioglass_recorder::thread;

use crate::loaded;

/// The next function of a name, found at its first use: constructors of other libraries run before
/// ours.
pub(crate) struct Symbol {
    pub(crate) name: &'static CStr,
    pub(crate) address: AtomicPtr<c_void>,
}

impl Symbol {
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name: c_string(name), address: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The function, cast to the type that its caller knows.
    ///
    /// # Safety
    /// `F` is the type of a C function with this name.
    #[inline]
    pub(crate) unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let mut address = self.address.load(Relaxed);
        if address.is_null() {
            address = self.find();
        }
        // SAFETY: the caller vouches for the type.
        (!address.is_null()).then(|| unsafe { core::mem::transmute_copy(&address) })
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        let found = loaded::next_function(self.name);
        let address =
            found.or_else(|| loaded::late_function(self.name, 0)).unwrap_or(ptr::null_mut());
        if found.is_some() {
            self.address.store(address, Relaxed);
        }
        address
    }
}

/// A name as a C string.
pub(crate) const fn c_string(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name ends with NUL"),
    }
}

pub(crate) fn errno() -> c_int {
    // SAFETY: always valid in the calling thread.
    unsafe { thread::errno(|| libc::__errno_location()) }
}

pub(crate) fn set_errno(errno: c_int) {
    // SAFETY: always valid in the calling thread.
    unsafe { *libc::__errno_location() = errno };
}

/// The result of a function that does not exist here.
pub(crate) trait Failed {
    const FAILED: Self;
}

impl Failed for c_int {
    const FAILED: Self = -1;
}

impl Failed for c_long {
    const FAILED: Self = -1;
}

impl Failed for isize {
    const FAILED: Self = -1;
}

impl Failed for usize {
    const FAILED: Self = 0;
}

impl Failed for () {
    const FAILED: Self = ();
}

impl<T> Failed for *mut T {
    const FAILED: Self = ptr::null_mut();
}

/// The result of a function that this C library does not have.
#[cold]
pub(crate) fn missing<T: Failed>() -> T {
    set_errno(libc::ENOSYS);
    T::FAILED
}

/// Interposes functions: each is exported under its name, and its body receives the next function
/// of that name.
macro_rules! interpose {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty = |$real:ident| $body:expr;
    )*) => {$(
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            static SYMBOL: $crate::real::Symbol =
                $crate::real::Symbol::new(concat!(stringify!($name), "\0"));
            // SAFETY: the type is that of the C function of this name.
            let real = unsafe { SYMBOL.get::<unsafe extern "C" fn($($type),*) -> $result>() };
            let Some($real) = real else { return $crate::real::missing() };
            #[allow(unused_unsafe)] // some bodies make no unsafe call
            // SAFETY: the caller keeps to the contract of the function it has called.
            unsafe { $body }
        }
    )*};
}
pub(crate) use interpose;
