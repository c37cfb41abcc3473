//! Visits, spans and attachments, which end with their value.

use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::marker::PhantomData;

use crate::Place;
use crate::runtime::{bytes, functions};

const REGION: u32 = 0;
const ITERATION: u32 = 1;

/// A place in the code that the runtime knows, as the C header has it.
#[derive(Debug)]
#[repr(C)]
pub struct Site {
    name: *const c_char,
    size: u32,
    kind: u32,
    file: *const c_char,
    line: u32,
    /// The runtime's own.
    id: UnsafeCell<u32>,
}

// SAFETY: only the runtime changes it, which knows that threads share it; texts are constants.
unsafe impl Sync for Site {}

impl Site {
    /// A region's.
    pub const fn region(name: &'static str, place: Place) -> Self {
        Self::new(name, REGION, place)
    }

    /// An iteration's.
    pub const fn iteration(name: &'static str, place: Place) -> Self {
        Self::new(name, ITERATION, place)
    }

    const fn new(name: &'static str, kind: u32, place: Place) -> Self {
        assert!(name.len() < 1 << 31, "the name is too long");
        Self {
            name: name.as_ptr().cast(),
            size: name.len() as u32,
            kind,
            file: place.file,
            line: place.line,
            id: UnsafeCell::new(0),
        }
    }
}

/// Regions belong to their thread, and so do guards.
type OfThisThread = PhantomData<*const ()>;

/// A visit of a region; it ends with the guard, also if a panic passes.
///
/// A region belongs to its thread, so this does not compile:
///
/// ```compile_fail,E0277
/// let guard = ioglass_region::region!("here");
/// std::thread::spawn(move || drop(guard));
/// ```
#[derive(Debug)]
#[must_use = "the region ends at once if its guard is not kept: `let _r = region!(…);`"]
pub struct Guard {
    site: Option<&'static Site>,
    thread: OfThisThread,
}

impl Guard {
    /// Enters a region.
    #[inline]
    pub fn enter(site: &'static Site) -> Self {
        let Some(f) = functions() else { return Self { site: None, thread: PhantomData } };
        // SAFETY: a site that lives as long as the program.
        unsafe { (f.enter_site)(site) }
        Self { site: Some(site), thread: PhantomData }
    }

    /// Ends the visit now.
    #[inline]
    pub fn leave(self) {}
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        if let (Some(site), Some(f)) = (self.site, functions()) {
            // SAFETY: as for `enter`.
            unsafe { (f.leave_site)(site) }
        }
    }
}

/// A visit of a region whose name was made at run time.
#[derive(Debug)]
#[must_use = "the region ends at once if its guard is not kept: `let _r = region!(dyn name);`"]
pub struct NamedGuard {
    /// A copy of the name, if somebody listens.
    name: Option<Box<[u8]>>,
    thread: OfThisThread,
}

impl NamedGuard {
    /// Enters a region.
    #[inline]
    pub fn region(name: impl AsRef<[u8]>, place: Place) -> Self {
        Self::enter(name.as_ref(), REGION, place)
    }

    /// Enters an iteration.
    #[inline]
    pub fn iteration(name: impl AsRef<[u8]>, place: Place) -> Self {
        Self::enter(name.as_ref(), ITERATION, place)
    }

    #[inline]
    fn enter(name: &[u8], kind: u32, place: Place) -> Self {
        let Some(f) = functions() else { return Self { name: None, thread: PhantomData } };
        let (text, size) = bytes(name);
        // SAFETY: a text with its size, and a file that ends with a zero byte.
        unsafe { (f.enter)(text, size, kind, place.file, place.line) }
        Self { name: Some(name.into()), thread: PhantomData }
    }

    /// Ends the visit now.
    #[inline]
    pub fn leave(self) {}
}

impl Drop for NamedGuard {
    #[inline]
    fn drop(&mut self) {
        if let (Some(name), Some(f)) = (&self.name, functions()) {
            let (text, size) = bytes(name);
            // SAFETY: a text with its size.
            unsafe { (f.leave)(text, size) }
        }
    }
}

/// What may overlap other spans, and end in any order and in any thread. It ends with this value.
#[derive(Debug)]
#[must_use = "a span ends at once if it is not kept"]
pub struct Span(u64);

impl Span {
    /// Starts a span.
    #[inline]
    pub fn start(name: impl AsRef<[u8]>, place: Place) -> Self {
        let Some(f) = functions() else { return Self(0) };
        let (name, size) = bytes(name.as_ref());
        // SAFETY: a text with its size, and a file that ends with a zero byte.
        Self(unsafe { (f.start)(name, size, place.file, place.line) })
    }

    /// Ends the span now.
    #[inline]
    pub fn stop(self) {}
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if let (1.., Some(f)) = (self.0, functions()) {
            // SAFETY: the runtime's own function, and a number that it gave.
            unsafe { (f.stop)(self.0) }
        }
    }
}

/// While it lives, what this thread does counts below a region of another.
#[derive(Debug)]
pub struct Attached(OfThisThread);

impl Attached {
    #[inline]
    pub(crate) fn new(context: u64) -> Self {
        if let Some(f) = functions() {
            // SAFETY: the runtime's own function.
            unsafe { (f.attach)(context) }
        }
        Self(PhantomData)
    }
}

impl Drop for Attached {
    #[inline]
    fn drop(&mut self) {
        if let Some(f) = functions() {
            // SAFETY: the runtime's own function.
            unsafe { (f.detach)() }
        }
    }
}
