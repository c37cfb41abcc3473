//! Regions of a program, for ioglass: name a piece of code, and see what time and I/O it takes.
//!
//! ```
//! use ioglass_region::{iteration, region};
//!
//! let _main = region!("main"); // until the end of the block
//! for step in 0..10 {
//!     let _step = iteration!("step"); // each pass keeps its time
//!     ioglass_region::value("residual [m/s]", 0.1 * f64::from(step));
//! }
//! ```
//!
//! The runtime, libioglass.so, is looked for at the first call: `ioglass run` loads it, and so does
//! `IOGLASS_REGIONS=1`. Without it a call costs a load and a branch. No call fails, prints or
//! panics.

#[cfg(target_os = "linux")]
mod find;
mod guard;
mod runtime;

use std::panic::Location;

pub use guard::{Attached, Guard, NamedGuard, Site, Span};
pub use ioglass_region_macro::function;

use runtime::{bytes, functions};

/// The examples in Rust of the page about regions.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/regions.md")]
struct Page;

/// A region until the end of the block: `let _r = region!("solve");`
///
/// The name is a constant and is looked up once. `region!(dyn name)` takes a name made at run time.
#[macro_export]
macro_rules! region {
    (dyn $name:expr) => {
        $crate::NamedGuard::region($name, $crate::here_in_the_code!())
    };
    ($name:expr) => {{
        static SITE: $crate::Site = $crate::Site::region($name, $crate::here_in_the_code!());
        $crate::Guard::enter(&SITE)
    }};
}

/// The same, keeping the time of every visit; for the body of a loop.
#[macro_export]
macro_rules! iteration {
    (dyn $name:expr) => {
        $crate::NamedGuard::iteration($name, $crate::here_in_the_code!())
    };
    ($name:expr) => {{
        static SITE: $crate::Site = $crate::Site::iteration($name, $crate::here_in_the_code!());
        $crate::Guard::enter(&SITE)
    }};
}

/// A span until the end of the block: `let _s = span!("fetch");`
#[macro_export]
macro_rules! span {
    ($name:expr) => {
        $crate::Span::start($name, $crate::here_in_the_code!())
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! here_in_the_code {
    () => {
        $crate::Place::new(concat!(file!(), "\0"), line!())
    };
}

/// A place in the source.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Place {
    file: *const std::ffi::c_char,
    line: u32,
}

impl Place {
    /// The file ends with a zero byte.
    pub const fn new(file: &'static str, line: u32) -> Self {
        assert!(matches!(file.as_bytes(), [.., 0]));
        Self { file: file.as_ptr().cast(), line }
    }
}

/// Starts a span: it may overlap others, and end in any order and in any thread.
#[track_caller]
pub fn start(name: impl AsRef<[u8]>) -> Span {
    let caller = Location::caller();
    Span::start(name, Place { file: caller.file_as_c_str().as_ptr(), line: caller.line() })
}

/// Adds to a metric of the innermost open region. What 64 bits cannot hold is the largest number.
#[inline]
pub fn count(metric: impl AsRef<[u8]>, n: impl TryInto<i64>) {
    if let Some(f) = functions() {
        let (metric, size) = bytes(metric.as_ref());
        // SAFETY: the runtime's own function, and a text with its size.
        unsafe { (f.count)(metric, size, n.try_into().unwrap_or(i64::MAX)) }
    }
}

/// Notes a value there.
#[inline]
pub fn value(metric: impl AsRef<[u8]>, x: impl Into<f64>) {
    if let Some(f) = functions() {
        let (metric, size) = bytes(metric.as_ref());
        // SAFETY: as for `count`.
        unsafe { (f.value)(metric, size, x.into()) }
    }
}

/// Gives it a text, the same for all visits.
#[inline]
pub fn tag(key: impl AsRef<[u8]>, text: impl AsRef<[u8]>) {
    if let Some(f) = functions() {
        let ((key, key_size), (text, text_size)) = (bytes(key.as_ref()), bytes(text.as_ref()));
        // SAFETY: as for `count`.
        unsafe { (f.tag)(key, key_size, text, text_size) }
    }
}

/// The region in which a thread is; other threads attach to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(u64);

/// The region this thread is in.
#[inline]
pub fn here() -> Context {
    // SAFETY: the runtime's own function.
    Context(functions().map_or(0, |f| unsafe { (f.here)() }))
}

/// While the result lives, what this thread does counts below the region of the context.
#[inline]
#[must_use = "it ends at once if it is not kept"]
pub fn attach(context: Context) -> Attached {
    Attached::new(context.0)
}

/// The program begins once more.
#[inline]
pub fn execution() {
    if let Some(f) = functions() {
        // SAFETY: the runtime's own function.
        unsafe { (f.execution)() }
    }
}

/// Writes the profile as it is now. Returns 0, or a number as `errno` has.
#[inline]
pub fn flush() -> i32 {
    // SAFETY: the runtime's own function.
    functions().map_or(0, |f| unsafe { (f.flush)() })
}

/// Makes the state of this process readable from outside now.
#[inline]
pub fn snapshot() {
    if let Some(f) = functions() {
        // SAFETY: the runtime's own function.
        unsafe { (f.snapshot)() }
    }
}

/// Names the profile.
#[inline]
pub fn profile(name: impl AsRef<[u8]>) {
    if let Some(f) = functions() {
        let (name, size) = bytes(name.as_ref());
        // SAFETY: as for `count`.
        unsafe { (f.profile)(name, size) }
    }
}

/// Returns true if somebody listens.
#[inline]
pub fn active() -> bool {
    // SAFETY: the runtime's own function.
    functions().is_some_and(|f| unsafe { (f.active)() } != 0)
}
