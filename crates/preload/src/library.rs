//! Libraries that are queried about their calls.
//!
//! A process may have several of one kind: each Python package brings its own. Only the library
//! that was called knows the objects of the call.

/// Declares a kind of library by the functions through which it is queried, and the number of
/// libraries of this kind that are told apart; calls of further ones are not recorded.
macro_rules! library {
    ($(#[$about:meta])* $library:ident, $most:literal;
     $(fn $name:ident($($type:ty),*) -> $result:ty;)*) => {
        static KNOWN: [$library; $most] = [const { $library::new() }; $most];

        $(#[$about])*
        // The fields that every call reads come first, in one cache line.
        #[repr(C)]
        #[allow(non_snake_case)] // the names are the library's
        pub(crate) struct $library {
            begin: core::sync::atomic::AtomicUsize,
            length: core::sync::atomic::AtomicUsize,
            /// [`crate::late_symbol::unloads`] when it was examined, plus one if it is not
            /// recorded; 0 if never.
            seen: core::sync::atomic::AtomicU32,
            $($name: core::sync::atomic::AtomicPtr<core::ffi::c_void>,)*
        }

        #[allow(non_snake_case)]
        impl $library {
            const fn new() -> Self {
                use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};
                Self {
                    begin: AtomicUsize::new(0),
                    length: AtomicUsize::new(0),
                    seen: AtomicU32::new(0),
                    $($name: AtomicPtr::new(core::ptr::null_mut()),)*
                }
            }

            /// The library with the function at `address`, which has been called; `None` if it is
            /// not recorded.
            #[inline]
            pub(crate) fn of(address: usize) -> Option<&'static Self> {
                let [first, ..] = &KNOWN; // as a rule there is one
                if first.is(address, $crate::late_symbol::unloads()) {
                    return Some(first);
                }
                Self::of_another(address)
            }

            #[cold]
            #[inline(never)]
            fn of_another(address: usize) -> Option<&'static Self> {
                let unloads = $crate::late_symbol::unloads();
                let find = |seen| KNOWN.iter().find(|library| library.is(address, seen));
                if find(unloads + 1).is_some() {
                    return None;
                }
                find(unloads).or_else(|| Self::look_at(address, unloads))
            }

            /// Returns true if this is the library with the function at `address`, examined at
            /// `seen`.
            #[inline]
            fn is(&self, address: usize, seen: u32) -> bool {
                self.seen.load(core::sync::atomic::Ordering::Acquire) == seen && self.has(address)
            }

            /// Returns true if the function at `address` is one of its functions.
            #[inline]
            pub(crate) fn has(&self, address: usize) -> bool {
                use core::sync::atomic::Ordering::Relaxed;
                address.wrapping_sub(self.begin.load(Relaxed)) < self.length.load(Relaxed)
            }

            /// Examines a library, or checks that a known one has not been replaced. Two threads
            /// that do so at once store the same values.
            #[cold]
            fn look_at(address: usize, unloads: u32) -> Option<&'static Self> {
                use core::sync::atomic::Ordering::{Relaxed, Release};
                let (begin, end) = $crate::loaded::extent_of(address)?;
                let library = KNOWN.iter().find(|library| {
                    let taken = library.begin.compare_exchange(0, begin, Relaxed, Relaxed);
                    taken.is_ok() || taken == Err(begin)
                })?;
                $(
                    let name = concat!(stringify!($name), "\0").as_bytes();
                    let name = core::ffi::CStr::from_bytes_with_nul(name).unwrap_or_default();
                    let found = $crate::loaded::function_beside(name, address);
                    library.$name.store(found.unwrap_or(core::ptr::null_mut()), Relaxed);
                )*
                library.length.store(end - begin, Relaxed);
                let is_recorded = library.can_be_recorded();
                library.seen.store(unloads + u32::from(!is_recorded), Release);
                is_recorded.then_some(library)
            }

            /// The library with the function at `address`, if it was examined before. It is not
            /// queried.
            #[allow(dead_code)] // only HDF5 can restart its ids while it stays loaded
            pub(crate) fn known(address: usize) -> Option<&'static Self> {
                KNOWN.iter().find(|library| library.has(address))
            }

            /// Forgets libraries that are no longer loaded; `forget` is called with their numbers.
            pub(crate) fn forget_unloaded(forget: impl Fn(u64)) {
                use core::sync::atomic::Ordering::Relaxed;
                for library in &KNOWN {
                    let begin = library.begin.load(Relaxed);
                    let is_at = |(first, _): (usize, usize)| first == begin;
                    if begin != 0 && !$crate::loaded::extent_of(begin).is_some_and(is_at) {
                        library.seen.store(0, Relaxed);
                        library.length.store(0, Relaxed);
                        library.begin.store(0, Relaxed);
                        forget(begin as u64);
                    }
                }
            }

            /// The address at which this library begins, as a number that identifies it.
            #[allow(dead_code)] // not all kinds of libraries have ids
            pub(crate) fn number(&self) -> u64 {
                self.begin.load(core::sync::atomic::Ordering::Relaxed) as u64
            }

            $(
                /// The function of this name, if the library has it.
                #[inline]
                pub(crate) fn $name(&self) -> Option<unsafe extern "C" fn($($type),*) -> $result> {
                    let address = self.$name.load(core::sync::atomic::Ordering::Relaxed);
                    // SAFETY: null or the function of this name, which has this type.
                    unsafe { core::mem::transmute(address) }
                }
            )*
        }
    };
}
pub(crate) use library;
