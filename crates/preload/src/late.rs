//! The functions behind the names of libraries that a program may load late, several times, or unload.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::Relaxed};

use ioglass_recorder::thread;

use crate::loaded;
use crate::real::{Symbol, interpose};

/// A function of a library that a program may load and unload, perhaps several of them: it depends on
/// who calls.
pub(crate) struct LateSymbol {
    symbol: Symbol,
    /// What callers, by where they are, have found.
    found: [(AtomicUsize, AtomicPtr<c_void>); CALLERS],
}

/// Callers of a function that need not search each time.
const CALLERS: usize = 8;

impl LateSymbol {
    pub(crate) const fn new(name: &'static str) -> Self {
        let empty = [const { (AtomicUsize::new(0), AtomicPtr::new(ptr::null_mut())) }; CALLERS];
        Self { symbol: Symbol::new(name), found: empty }
    }

    /// The function, as what its caller knows it to be.
    ///
    /// # Safety
    /// As with [`Symbol::get`].
    pub(crate) unsafe fn get<F: Copy>(&'static self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let first = self.symbol.address.load(Relaxed);
        let address = if first.is_null() { self.of_caller(thread::caller()) } else { first };
        // SAFETY: the caller vouches for the type.
        (!address.is_null()).then(|| unsafe { core::mem::transmute_copy(&address) })
    }

    fn of_caller(&'static self, caller: usize) -> *mut c_void {
        let place = self.found.iter().find(|place| {
            let taken = place.0.compare_exchange(0, caller, Relaxed, Relaxed);
            taken.is_ok() || taken == Err(caller)
        });
        let known = place.map_or(ptr::null_mut(), |place| place.1.load(Relaxed));
        if !known.is_null() {
            return known;
        }
        if let Some(first) = loaded::next_function(self.symbol.name) {
            self.symbol.address.store(first, Relaxed);
            return first;
        }
        let found = loaded::late_function(self.symbol.name, caller).unwrap_or(ptr::null_mut());
        if let Some(place) = place.filter(|_| self.will_be_forgotten()) {
            place.1.store(found, Relaxed);
        }
        found
    }

    /// Has what was found forgotten when something is unloaded; tells whether there is room for that.
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

interpose! {
    fn dlclose(handle: *mut c_void) -> c_int = |real| {
        let result = real(handle);
        let late = LATE.iter().map_while(|symbol| symbol.load(Relaxed).as_ref());
        for place in late.flat_map(|symbol| &symbol.found) {
            place.1.store(ptr::null_mut(), Relaxed);
        }
        result
    };
}

/// The same for functions that depend on who calls: each notes that first.
macro_rules! interpose_late {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty = |$real:ident| $body:expr;)*) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            unsafe extern "C" fn body($($arg: $type),*) -> $result {
                static SYMBOL: $crate::late::LateSymbol =
                    $crate::late::LateSymbol::new(concat!(stringify!($name), "\0"));
                // SAFETY: the type is that of the C function of this name.
                let real = unsafe { SYMBOL.get::<unsafe extern "C" fn($($type),*) -> $result>() };
                let Some($real) = real else { return $crate::real::missing() };
                // SAFETY: the caller keeps to the contract of the function it has called.
                #[allow(unused_unsafe)] // some bodies make no unsafe call
                unsafe { $body }
            }
            core::arch::naked_asm!(
                "mov r11, qword ptr [rip + ioglass_thread@GOTTPOFF]",
                "mov r10, qword ptr [rsp]",
                "mov qword ptr fs:[r11 + {caller}], r10",
                "jmp {body}",
                caller = const ioglass_recorder::thread::CALLER,
                body = sym body,
            )
        }
    )*};
}
pub(crate) use interpose_late;
