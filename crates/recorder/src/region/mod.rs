//! Regions: named pieces of code that the program itself enters and leaves.
//!
//! Each thread has a tree of regions ([`tree`]) and a stack of open visits ([`visit`]) in private
//! memory. What is counted is in cells of the capture, so that it outlives the process. A visit takes
//! no lock, no memory and no system call once its path is known. Everything runs inside the guard of
//! the thread: a signal handler that interrupts it has no effect and is counted.
//!
//! Regions need the capture, not the recorder: they go on if that is off.

mod context;
mod execution;
pub(crate) mod io;
mod metric;
mod names;
mod notice;
mod origin;
mod room;
mod series;
mod span;
mod tag;
pub mod team;
mod tree;
mod visit;

use core::ffi::c_char;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use ioglass_shm::{Kind, NoticeCode, RegionKind, RegionLoss};

use crate::settings::Settings;
use crate::thread::{self, Guard, Thread};
use crate::{clock, file, process};
use metric::Number;
use names::Id;
use room::Use;
use tree::Place;

pub(crate) use execution::executions;
pub(crate) use origin::begin as begin_thread;
pub(crate) use room::early_losses;
pub(crate) use series::DEFAULT as EXACT_ITERATIONS;
pub use team::Team;
pub(crate) use tree::{Node, Tree};

/// A place in the code that enters or leaves a region. Programs lay it out, so its layout is fixed.
#[derive(Debug)]
#[repr(C)]
pub struct Site {
    name: *const u8,
    size: u32,
    kind: u32,
    file: *const c_char,
    line: u32,
    /// Number of the name; 0 until it is known.
    id: AtomicU32,
}

const _: () = assert!(size_of::<Site>() == 32);

/// True if regions are counted in this process and its children.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// The last state that was set.
static STAMP: AtomicU32 = AtomicU32::new(0);
/// Number of this process, counted by forks.
static GENERATION: AtomicU32 = AtomicU32::new(0);
/// Ticks that one annotation takes, about.
static COST: AtomicU64 = AtomicU64::new(0);

/// Begins to count regions.
pub(crate) fn start(settings: &Settings) {
    if !file::notices_forks() {
        return;
    }
    room::set_limit(settings.region_memory);
    series::set_exact(settings.iterations);
    COST.store(cost(), Relaxed);
    IS_ON.store(true, Relaxed);
    change_stamp();
    origin::start(settings);
}

/// Stops counting.
pub(crate) fn stop() {
    IS_ON.store(false, Relaxed);
    file::set_region_stamp(0);
}

/// Returns true if regions are counted.
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Returns true if regions are counted in this very process.
pub(crate) fn is_on_here() -> bool {
    stamp() != 0
}

/// Number of paths that were entered so far, on all threads.
pub fn paths() -> u32 {
    tree::count()
}

/// Ticks that one annotation takes, about; 0 if regions are not counted.
pub(crate) fn cost_of_annotation() -> u64 {
    if is_on() { COST.load(Relaxed) } else { 0 }
}

/// Measures the clock, which takes most of the time of an annotation.
fn cost() -> u64 {
    let once = |_| {
        let begin = clock::tick();
        let (_, _, end) = (clock::tick(), clock::tick(), clock::tick());
        end.saturating_sub(begin)
    };
    // Three readings are about two annotations.
    (0..8).map(once).min().unwrap_or(0) / 2
}

/// The state of the process: it changes when cells have to be made anew.
#[inline]
fn stamp() -> u32 {
    file::region_stamp()
}

#[cold]
fn change_stamp() {
    let next = STAMP.fetch_add(1, Relaxed).wrapping_add(1);
    file::set_region_stamp(next.max(1));
}

#[inline]
fn generation() -> u32 {
    GENERATION.load(Relaxed)
}

/// In a child: what the parent has counted is not touched any more.
pub(crate) fn after_fork() {
    GENERATION.fetch_add(1, Relaxed);
    room::after_fork();
    names::after_fork();
    tree::after_fork();
    span::after_fork();
    notice::after_fork();
    execution::after_fork();
    if is_on() {
        change_stamp();
    }
}

/// The process leaves its capture: open regions are the context of what comes, as in a child.
pub(crate) fn begin_anew() {
    if !is_on() {
        return;
    }
    GENERATION.fetch_add(1, Relaxed);
    notice::begin_anew();
    execution::after_fork();
    change_stamp();
}

/// Runs `act` inside the guard of the thread, with its tree. `None` if it did not run; then this is
/// lost.
#[inline]
fn inside<T>(
    lost: Option<RegionLoss>,
    act: impl FnOnce(&'static Thread, &'static Tree) -> T,
) -> Option<T> {
    let guard = Guard::enter_or(|_| lose(lost))?;
    let thread = guard.thread();
    let stamp = stamp();
    // SAFETY: trees are never unmapped.
    let tree = match unsafe { thread.tree.get().as_ref() } {
        Some(tree) if tree.stamp.get() == stamp => tree,
        _ => awake(thread, lost)?,
    };
    Some(act(thread, tree))
}

/// What is lost with an annotation that has no effect: without a begin there is no visit to end.
#[cold]
fn lose(lost: Option<RegionLoss>) {
    if let Some(lost) = lost {
        room::lose(lost, 1);
    }
}

/// The tree of a thread that has none, or whose process has changed.
#[cold]
#[inline(never)]
fn awake(thread: &'static Thread, lost: Option<RegionLoss>) -> Option<&'static Tree> {
    if stamp() == 0 && is_on() {
        process::go_on_with_regions();
    }
    match stamp() {
        0 => None,
        stamp => {
            process::begin_snapshots();
            Tree::ready(thread, stamp).or_else(|| {
                lose(lost);
                None
            })
        }
    }
}

/// The kind with the number that an annotation gives.
fn kind(number: u32) -> RegionKind {
    if number == 1 { RegionKind::Iteration } else { RegionKind::Region }
}

/// Number of the name of a site.
#[inline]
fn id_of(site: &Site, tree: &Tree, thread: &Thread) -> Id {
    match site.id.load(Relaxed) {
        0 => find_id(site, tree, thread),
        id => id,
    }
}

#[cold]
#[inline(never)]
fn find_id(site: &Site, tree: &Tree, thread: &Thread) -> Id {
    // SAFETY: the annotation says how many bytes there are.
    let id = unsafe { given(site.name, site.size as usize, tree, thread) };
    site.id.store(id, Relaxed);
    id
}

/// Number of the name that an annotation gives to what begins. There is a notice if it gives none.
///
/// # Safety
/// The name is null or has so many bytes.
unsafe fn given(name: *const u8, size: usize, tree: &Tree, thread: &Thread) -> Id {
    // SAFETY: the caller vouches.
    let name = unsafe { bytes(name, size) };
    if name.is_empty() {
        notice::add(NoticeCode::Unnamed, 0, tree.here(thread));
    }
    id_of_name(name)
}

/// Number of a name; without one it is that of what has none.
fn id_of_name(name: &[u8]) -> Id {
    match name {
        b"" => names::intern_for(names::UNNAMED, Use::Last),
        name => names::intern(name),
    }
}

/// # Safety
/// The text is null or has so many bytes.
unsafe fn bytes<'t>(text: *const u8, size: usize) -> &'t [u8] {
    if text.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller vouches.
    unsafe { core::slice::from_raw_parts(text, size.min(isize::MAX as usize)) }
}

/// Enters the region of a site.
#[inline]
pub fn enter_site(site: &Site) {
    inside(Some(RegionLoss::Visits), |thread, tree| {
        let place = Place { file: site.file, line: site.line };
        visit::enter(thread, tree, id_of(site, tree, thread), kind(site.kind), place);
    });
}

/// Leaves the region of a site.
#[inline]
pub fn leave_site(site: &Site) {
    let now = clock::tick();
    inside(None, |thread, tree| {
        let id = match site.id.load(Relaxed) {
            // SAFETY: the annotation says how many bytes there are.
            0 => id_of_name(unsafe { bytes(site.name, site.size as usize) }),
            id => id,
        };
        visit::leave(thread, tree, Some(id), now);
    });
}

/// Enters a region.
///
/// # Safety
/// The name is null or has so many bytes; the file is null or a C string that stays.
pub unsafe fn enter(name: *const u8, size: usize, number: u32, file: *const c_char, line: u32) {
    inside(Some(RegionLoss::Visits), |thread, tree| {
        // SAFETY: the caller vouches.
        let id = unsafe { given(name, size, tree, thread) };
        visit::enter(thread, tree, id, kind(number), Place { file, line });
    });
}

/// Leaves a region; without a name the innermost one.
///
/// # Safety
/// The name is null or has so many bytes.
pub unsafe fn leave(name: *const u8, size: usize) {
    let now = clock::tick();
    inside(None, |thread, tree| {
        // SAFETY: the caller vouches.
        let id = (!name.is_null()).then(|| id_of_name(unsafe { bytes(name, size) }));
        visit::leave(thread, tree, id, now);
    });
}

/// Starts a span and returns its number; 0 is none.
///
/// # Safety
/// As for [`enter`].
pub unsafe fn start_span(name: *const u8, size: usize, file: *const c_char, line: u32) -> u64 {
    let started = inside(Some(RegionLoss::Visits), |thread, tree| {
        // SAFETY: the caller vouches.
        let id = unsafe { given(name, size, tree, thread) };
        span::start(thread, tree, id, Place { file, line })
    });
    started.unwrap_or(0)
}

/// Stops a span.
pub fn stop_span(id: u64) {
    let now = clock::tick();
    if id != 0 {
        inside(None, |thread, tree| span::stop(thread, tree, id, now));
    }
}

/// Adds to a metric of the innermost region.
///
/// # Safety
/// The name is null or has so many bytes.
pub unsafe fn count(name: *const u8, size: usize, number: i64) {
    // SAFETY: the caller vouches.
    unsafe { measure(name, size, Number::Count(number)) };
}

/// Notes a value of a metric of the innermost region.
///
/// # Safety
/// The name is null or has so many bytes.
pub unsafe fn value(name: *const u8, size: usize, number: f64) {
    // SAFETY: the caller vouches.
    unsafe { measure(name, size, Number::Value(number)) };
}

unsafe fn measure(name: *const u8, size: usize, number: Number) {
    inside(Some(RegionLoss::Metrics), |thread, tree| {
        // SAFETY: the caller vouches.
        let name = unsafe { bytes(name, size) };
        match innermost(thread) {
            Some(node) => metric::add(node, name, number),
            None => notice::add(NoticeCode::Nowhere, names::intern(name), tree.here(thread)),
        }
    });
}

/// The innermost region of a thread, with a cell that is right.
fn innermost(thread: &Thread) -> Option<&'static Node> {
    // SAFETY: nodes are never unmapped.
    unsafe { thread.region.get().as_ref() }.filter(|node| node.is_ready(stamp()))
}

/// Gives the innermost region a tag.
///
/// # Safety
/// Key and text are null or have so many bytes.
pub unsafe fn tag(key: *const u8, key_size: usize, text: *const u8, text_size: usize) {
    inside(Some(RegionLoss::Tags), |thread, tree| {
        // SAFETY: the caller vouches.
        let (key, text) = unsafe { (bytes(key, key_size), bytes(text, text_size)) };
        match innermost(thread) {
            Some(node) => tag::set(node, key, text),
            None => notice::add(NoticeCode::Nowhere, names::intern(key), tree.here(thread)),
        }
    });
}

/// Marks a context, so that no other number is taken for one.
const CONTEXT: u64 = 0x696F_6770 << 32;

/// The innermost region of the thread, as a number for [`attach`].
pub fn here() -> u64 {
    inside(None, |thread, tree| CONTEXT | u64::from(tree.here(thread).number)).unwrap_or(0)
}

/// What the thread does from now on is below that region.
pub fn attach(context: u64) {
    inside(None, |thread, tree| {
        let is_one = context & !u64::from(u32::MAX) == CONTEXT;
        match (is_one, context as u32) {
            (false, 0) | (true, 0) => visit::attach(thread, tree, None),
            (true, number) if let Some(node) = tree::node(number) => {
                visit::attach(thread, tree, Some(node));
            }
            _ => notice::add(NoticeCode::StrayAttach, 0, tree.here(thread)),
        }
    });
}

/// Goes back to where the thread was before [`attach`].
pub fn detach() {
    inside(None, visit::detach);
}

/// The program begins once more.
pub fn execution() {
    inside(None, |_, _| execution::said());
}

/// Notes the time, so that a reader knows until when visits are open.
pub fn snapshot() {
    inside(None, |_, _| process::notes_time());
}

/// Names the profile.
///
/// # Safety
/// The name is null or has so many bytes.
pub unsafe fn profile(name: *const u8, size: usize) {
    inside(None, |_, _| {
        // SAFETY: the caller vouches.
        let name = names::cut(unsafe { bytes(name, size) });
        if !name.is_empty() {
            names::put(Kind::RegionProfile, name, Use::Last);
        }
    });
}

/// Ends the visits of a thread that ends.
pub(crate) fn thread_ends() {
    if !thread::current().tree.get().is_null() && stamp() != 0 {
        inside(None, visit::end_thread);
    }
}
