//! The functions behind the names of libraries that a program may load late, several times, or
//! unload.

use core::ffi::{CStr, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::Relaxed};

use ioglass_recorder::hdf5::space;
use ioglass_recorder::thread;

use crate::real::interpose;
use crate::{hdf5, inject, loaded, pnetcdf};

/// A function of a library that a program may load and unload, perhaps in several copies: the
/// function depends on the caller.
///
/// It does not hold its name: there are hundreds of these, and as they are all zero they take no
/// memory in programs that never use them.
pub(crate) struct LateSymbol {
    /// The function found among the objects that the program began with.
    first: AtomicPtr<c_void>,
    /// The functions found for callers, by the address of the caller.
    found: [(AtomicUsize, AtomicPtr<c_void>); CALLERS],
}

/// Number of callers of a function that need no search each time.
const CALLERS: usize = 8;

impl LateSymbol {
    pub(crate) const fn new() -> Self {
        let empty = [const { (AtomicUsize::new(0), AtomicPtr::new(ptr::null_mut())) }; CALLERS];
        Self { first: AtomicPtr::new(ptr::null_mut()), found: empty }
    }

    /// The function with this name, cast to the type that its caller knows.
    ///
    /// # Safety
    /// As with [`Symbol::get`](crate::real::Symbol::get).
    pub(crate) unsafe fn get<F: Copy>(&'static self, name: &'static CStr) -> Option<F> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.get_or(|| self.of_calling(name)) }
    }

    /// The function as the code at `caller` would find it.
    ///
    /// # Safety
    /// As with [`Symbol::get`](crate::real::Symbol::get).
    pub(crate) unsafe fn get_for<F: Copy>(
        &'static self,
        name: &'static CStr,
        caller: usize,
    ) -> Option<F> {
        // SAFETY: the caller vouches for the type.
        unsafe { self.get_or(|| self.of_caller(name, caller)) }
    }

    #[inline]
    unsafe fn get_or<F: Copy>(&self, search: impl FnOnce() -> *mut c_void) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let first = self.first.load(Relaxed);
        let address = if first.is_null() { search() } else { first };
        // SAFETY: the caller vouches for the type.
        (!address.is_null()).then(|| unsafe { core::mem::transmute_copy(&address) })
    }

    #[cold]
    #[inline(never)] // keeps the reading of the caller out of the hot path
    fn of_calling(&'static self, name: &CStr) -> *mut c_void {
        self.of_caller(name, thread::caller())
    }

    #[cold]
    fn of_caller(&'static self, name: &CStr, caller: usize) -> *mut c_void {
        let place = self.found.iter().find(|place| {
            let taken = place.0.compare_exchange(0, caller, Relaxed, Relaxed);
            taken.is_ok() || taken == Err(caller)
        });
        let known = place.map_or(ptr::null_mut(), |place| place.1.load(Relaxed));
        if !known.is_null() {
            return known;
        }
        if let Some(first) = loaded::next_function(name) {
            self.first.store(first, Relaxed);
            return first;
        }
        let found = loaded::late_function(name, caller).unwrap_or(ptr::null_mut());
        if let Some(place) = place.filter(|_| self.will_be_forgotten()) {
            place.1.store(found, Relaxed);
        }
        found
    }

    /// Registers the function to be forgotten when a library is unloaded; returns true if there is
    /// room for it.
    fn will_be_forgotten(&'static self) -> bool {
        let own = ptr::from_ref(self).cast_mut();
        LATE.iter().any(|place| {
            let taken = place.compare_exchange(ptr::null_mut(), own, Relaxed, Relaxed);
            taken.is_ok() || taken == Err(own)
        })
    }
}

/// Symbols that were found in objects that may be unloaded.
static LATE: [AtomicPtr<LateSymbol>; 512] = [const { AtomicPtr::new(ptr::null_mut()) }; 512];

/// Number of times that a library may have been unloaded.
static UNLOADS: AtomicU32 = AtomicU32::new(1);

/// A number that changes when a library may have been unloaded; always odd.
#[inline]
pub(crate) fn unloads() -> u32 {
    UNLOADS.load(Relaxed)
}

/// Invalidates everything known of libraries and their ids.
pub(crate) fn begin_anew() {
    UNLOADS.fetch_add(2, Relaxed);
    space::forget();
}

interpose! {
    fn dlclose(handle: *mut c_void) -> c_int = |real| {
        let result = real(handle);
        begin_anew();
        hdf5::forget_unloaded();
        inject::forget_unloaded();
        pnetcdf::forget_unloaded();
        let late = LATE.iter().map_while(|symbol| symbol.load(Relaxed).as_ref());
        for place in late.flat_map(|symbol| &symbol.found) {
            place.1.store(ptr::null_mut(), Relaxed);
        }
        result
    };
}

/// Interposes functions that depend on the caller: each notes the caller first. The expression
/// after `or` is evaluated if there is no such function.
macro_rules! interpose_late {
    (@or) => { $crate::real::missing() };
    (@or $missing:expr) => { $missing };
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty =
            |$real:ident| $body:expr $(, or $missing:expr)?;
    )*) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            $(#[$attribute])*
            unsafe extern "C" fn body($($arg: $type),*) -> $result {
                static SYMBOL: $crate::late_symbol::LateSymbol = $crate::late_symbol::LateSymbol::new();
                const NAME: &core::ffi::CStr =
                    $crate::real::c_string(concat!(stringify!($name), "\0"));
                // SAFETY: the type is that of the C function of this name.
                let real = unsafe { SYMBOL.get::<unsafe extern "C" fn($($type),*) -> $result>(NAME) };
                let Some($real) = real else {
                    #[allow(unused_unsafe)] // few of these expressions make an unsafe call
                    // SAFETY: as below.
                    return unsafe { $crate::late_symbol::interpose_late!(@or $($missing)?) };
                };
                #[allow(unused_unsafe)] // some bodies make no unsafe call
                // SAFETY: the caller keeps to the contract of the function it has called.
                unsafe { $body }
            }
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + ioglass_thread@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "jmp {body}",
                // None of these begins in one cache line and ends in the next.
                ".balign 32",
                caller = const ioglass_recorder::thread::CALLER,
                body = sym body,
            )
        }
    )*};
}
pub(crate) use interpose_late;
