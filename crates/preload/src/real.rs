//! The functions behind the names that are taken over.

use core::arch::global_asm;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

// Also on a newer glibc these are found by their old version, so that the library loads on old ones.
global_asm!(
    ".symver dlsym, dlsym@GLIBC_2.2.5",
    ".symver dlopen, dlopen@GLIBC_2.2.5",
    ".symver dlclose, dlclose@GLIBC_2.2.5",
    ".symver dladdr, dladdr@GLIBC_2.2.5",
    ".symver dlinfo, dlinfo@GLIBC_2.3.3",
);

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlclose(handle: *mut c_void) -> c_int;
    fn dladdr(address: *const c_void, info: *mut libc::Dl_info) -> c_int;
    fn dlinfo(handle: *mut c_void, request: c_int, info: *mut c_void) -> c_int;
}

/// A loaded object, as the loader publishes it.
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const c_char,
    dynamic: *mut c_void,
    next: *mut LinkMap,
    previous: *mut LinkMap,
}

const RTLD_NEXT: *mut c_void = -1_isize as *mut c_void;

/// The next function of a name, found when it is first needed: other libraries' constructors run
/// before ours.
pub(crate) struct Symbol {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    pub(crate) const fn new(name: &'static str) -> Self {
        match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => Self { name, address: AtomicPtr::new(ptr::null_mut()) },
            Err(_) => panic!("a name ends with NUL"),
        }
    }

    /// The function, as what its caller knows it to be.
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
        let errno = errno();
        // SAFETY: a C string; `dlsym` may allocate and set `errno`, as it may when the loader binds.
        let mut address = unsafe { dlsym(RTLD_NEXT, self.name.as_ptr()) };
        if address.is_null() {
            // SAFETY: as above.
            address = unsafe { find_in_all(self.name) };
        }
        set_errno(errno);
        self.address.store(address, Relaxed);
        address
    }
}

/// Looks for a function in every object that is loaded. The search for the next one passes over
/// objects that were loaded for one user only, as Python does; their calls reach us all the same.
unsafe fn find_in_all(name: &CStr) -> *mut c_void {
    // SAFETY: the loader's own list; objects come and go rarely, and by handles of our own.
    unsafe {
        let program = dlopen(ptr::null(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if program.is_null() {
            return ptr::null_mut();
        }
        let mut object: *mut LinkMap = ptr::null_mut();
        dlinfo(program, libc::RTLD_DI_LINKMAP, (&raw mut object).cast());
        let mut found: *mut c_void = ptr::null_mut();
        while found.is_null() && !object.is_null() {
            found = find_in(&*object, name);
            object = (*object).next;
        }
        dlclose(program);
        found
    }
}

/// The function if this object itself defines it, and is not us.
unsafe fn find_in(object: &LinkMap, name: &CStr) -> *mut c_void {
    // SAFETY: as above.
    unsafe {
        if object.name.is_null() || *object.name == 0 {
            return ptr::null_mut();
        }
        let handle = dlopen(object.name, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return ptr::null_mut();
        }
        let address = dlsym(handle, name.as_ptr());
        let mut info: libc::Dl_info = core::mem::zeroed();
        let mut own: libc::Dl_info = core::mem::zeroed();
        let is_theirs = !address.is_null()
            && dladdr(address, &raw mut info) != 0
            && dladdr(find_in as *const c_void, &raw mut own) != 0
            && info.dli_fbase as usize == object.address
            && info.dli_fbase != own.dli_fbase;
        dlclose(handle);
        if is_theirs { address } else { ptr::null_mut() }
    }
}

pub(crate) fn errno() -> c_int {
    // SAFETY: always valid in the calling thread.
    unsafe { *libc::__errno_location() }
}

pub(crate) fn set_errno(errno: c_int) {
    // SAFETY: always valid in the calling thread.
    unsafe { *libc::__errno_location() = errno };
}

/// What a function returns when it does not exist here.
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

/// Takes names over: each function is exported under its name, and its body is given the next
/// function of that name.
macro_rules! interpose {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty = |$real:ident| $body:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            static SYMBOL: $crate::real::Symbol =
                $crate::real::Symbol::new(concat!(stringify!($name), "\0"));
            // SAFETY: the type is that of the C function of this name.
            let real = unsafe { SYMBOL.get::<unsafe extern "C" fn($($type),*) -> $result>() };
            let Some($real) = real else { return $crate::real::missing() };
            // SAFETY: the caller keeps to the contract of the function it has called.
            #[allow(unused_unsafe)] // some bodies make no unsafe call
            unsafe { $body }
        }
    )*};
}
pub(crate) use interpose;
