//! Libraries that are asked what their calls are about.
//!
//! A process may have several of one kind: each Python package brings its own. What a call is about,
//! only the library knows that was called.

/// Declares a kind of library by the functions it is asked through, and how many of its kind can be told
/// apart; the calls of others are not recorded.
macro_rules! library {
    ($(#[$about:meta])* $library:ident, $most:literal;
     $(fn $name:ident($($type:ty),*) -> $result:ty;)*) => {
        static KNOWN: [$library; $most] = [const { $library::new() }; $most];

        $(#[$about])*
        // What every call looks at comes first, in one line of the cache.
        #[repr(C)]
        #[allow(non_snake_case)] // the names are the library's
        pub(crate) struct $library {
            begin: core::sync::atomic::AtomicUsize,
            end: core::sync::atomic::AtomicUsize,
            /// [`crate::late::unloads`] when it was looked at; 0 if never.
            seen: core::sync::atomic::AtomicU32,
            is_recorded: core::sync::atomic::AtomicBool,
            $($name: core::sync::atomic::AtomicPtr<core::ffi::c_void>,)*
        }

        #[allow(non_snake_case)]
        impl $library {
            const fn new() -> Self {
                use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};
                Self {
                    begin: AtomicUsize::new(0),
                    end: AtomicUsize::new(0),
                    seen: AtomicU32::new(0),
                    is_recorded: AtomicBool::new(false),
                    $($name: AtomicPtr::new(core::ptr::null_mut()),)*
                }
            }

            /// The library with the function at `address`, which has been called; `None` if it is
            /// not recorded.
            #[inline]
            #[unsafe(link_section = ".text.hot")]
            pub(crate) fn of(address: usize) -> Option<&'static Self> {
                use core::sync::atomic::Ordering::{Acquire, Relaxed};
                let unloads = $crate::late::unloads();
                let known = KNOWN.iter().find(|library| {
                    let is_it = library.seen.load(Acquire) == unloads && library.has(address);
                    if !is_it {
                        core::hint::cold_path(); // as a rule there is one
                    }
                    is_it
                });
                let library = match known {
                    Some(library) => library,
                    None => Self::look_at(address, unloads)?,
                };
                library.is_recorded.load(Relaxed).then_some(library)
            }

            /// Whether the function at `address` is one of its.
            #[inline]
            pub(crate) fn has(&self, address: usize) -> bool {
                use core::sync::atomic::Ordering::Relaxed;
                (self.begin.load(Relaxed)..self.end.load(Relaxed)).contains(&address)
            }

            /// Gets to know a library, or makes sure that a known one has not been replaced. Two
            /// threads that do so at once store the same.
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
                library.end.store(end, Relaxed);
                library.is_recorded.store(library.can_be_recorded(), Relaxed);
                library.seen.store(unloads, Release);
                Some(library)
            }

            /// Tells this library from others of its kind.
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
