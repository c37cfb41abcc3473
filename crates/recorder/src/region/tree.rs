//! The tree of regions of a thread, and the way from a region to the one that is entered in it.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_shm::{IoLayer, Kind, NoticeCode, RegionCell, RegionIo, RegionKind, RegionLoss};

use super::context::Contexts;
use super::io::Sums;
use super::metric::Metric;
use super::names::{self, Id};
use super::room::{self, Use};
use super::series::Series;
use super::tag::Tag;
use super::visit::Visits;
use super::{execution, notice, origin, team};
use crate::spin::Spin;
use crate::sys;
use crate::thread::Thread;

/// Names in the longest path.
const DEEPEST: u32 = 65_535;

/// A region on one thread. It is never freed. Only its thread changes it; of a span, whoever has the
/// lock of spans.
#[repr(C, align(64))]
pub(crate) struct Node {
    /// The state of the process in which the cell is right.
    pub(super) stamp: Cell<u32>,
    pub(super) name: Id,
    pub(super) cell: Cell<*mut RegionCell>,
    /// The region that was entered from this one last: one in it, or one around it.
    last: Cell<*const Node>,
    /// Null for the root of a thread.
    pub(super) parent: *const Node,
    /// Names in its path.
    pub(super) depth: u32,
    /// A [`RegionKind`].
    pub(super) kind: Cell<u32>,
    /// Number in this process; 0 for the root of a thread.
    pub(super) number: u32,
    /// The process, counted by forks, whose capture has the cell, plus 1.
    generation: Cell<u32>,
    pub(super) tree: *const Tree,
    pub(super) series: Cell<*mut Series>,
    pub(super) metrics: Cell<*mut Metric>,
    pub(super) tags: Cell<*mut Tag>,
    /// Its I/O by [`IoLayer`] on the file that was used last.
    pub(super) io: [Cell<*mut RegionIo>; IoLayer::COUNT],
    /// Its I/O by [`IoLayer`] on files for which there was no room.
    pub(super) rest: [Cell<*mut RegionIo>; IoLayer::COUNT],
    /// The region in it that takes what found no room.
    more: Cell<*const Node>,
    file: Id,
    line: u32,
}

/// The regions of a thread. It is never freed.
#[repr(C, align(64))]
pub(crate) struct Tree {
    /// The state of the process that the thread has seen.
    pub(super) stamp: Cell<u32>,
    /// Number of the thread.
    pub(super) number: Cell<u32>,
    /// The process, counted by forks, in which it has that number, plus 1.
    generation: Cell<u32>,
    pub(super) visits: Visits,
    /// Number of visits with the attachment to a team; 0 if there is none.
    pub(super) team: Cell<usize>,
    /// The region in which that team began.
    pub(super) team_region: Cell<u32>,
    /// Sums of the I/O of the thread in regions.
    pub(super) io: Sums,
    /// What regions of the thread did on files.
    pub(super) contexts: Contexts,
    table: Cell<*mut Slot>,
    slots: Cell<usize>,
    used: Cell<usize>,
    pub(super) root: Node,
}

/// A slot of the table of a tree: which region is entered from which.
#[derive(Clone, Copy)]
#[repr(C)]
struct Slot {
    /// 0 is a free slot.
    key: u64,
    node: *const Node,
}

/// A place in the source.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) file: *const core::ffi::c_char,
    pub(super) line: u32,
}

/// Set in the key of a span, which is not the region of the same name.
const SPAN: u64 = 1 << 63;
/// Set in the key of a name: a region of the tree has it.
const NAME: u64 = 1 << 62;
const FIRST_SLOTS: usize = 64;

/// Nodes by number, in pieces.
const PIECE: usize = 1024;
static NODES: [AtomicPtr<[AtomicPtr<Node>; PIECE]>; 4096] =
    [const { AtomicPtr::new(ptr::null_mut()) }; 4096];
static COUNT: AtomicU32 = AtomicU32::new(1);
static LOCK: Spin = Spin::new();
/// Threads other than the first.
static THREADS: AtomicU32 = AtomicU32::new(1);

/// The node with this number.
pub(super) fn node(number: u32) -> Option<&'static Node> {
    let piece = NODES.get(number as usize / PIECE)?.load(Acquire);
    // SAFETY: pieces and nodes are never unmapped.
    unsafe { piece.as_ref()?[number as usize % PIECE].load(Acquire).as_ref() }
}

/// Number of nodes so far.
pub(super) fn count() -> u32 {
    COUNT.load(Relaxed) - 1
}

/// Gives a node its number. `None` if there is no room.
fn register(new: *mut Node, purpose: Use) -> Option<u32> {
    LOCK.lock();
    let number = COUNT.load(Relaxed);
    let place = NODES.get(number as usize / PIECE);
    let piece = place.and_then(|place| {
        if place.load(Relaxed).is_null() {
            place.store(room::take(purpose)?, Release);
        }
        // SAFETY: pieces are never unmapped.
        unsafe { place.load(Relaxed).as_ref() }
    });
    let registered = piece.map(|piece| {
        piece[number as usize % PIECE].store(new, Release);
        COUNT.store(number + 1, Relaxed);
        number
    });
    LOCK.unlock();
    registered
}

impl Tree {
    /// The tree of a thread, made if there is none, and right for the state of the process.
    #[cold]
    #[inline(never)]
    pub(super) fn ready(thread: &Thread, stamp: u32) -> Option<&'static Tree> {
        let is_new = thread.tree.get().is_null();
        if is_new {
            let new = room::take::<Tree>(Use::Last)?;
            // SAFETY: new, zeroed memory, and all zero is a valid value.
            unsafe { (*new).root.tree = new };
            thread.tree.set(new.cast_const());
            team::is_used();
        }
        // SAFETY: trees are never unmapped.
        let tree = unsafe { &*thread.tree.get() };
        let generation = super::generation() + 1;
        if tree.generation.get() != generation {
            let is_first = crate::process::may_call_kernel() && sys::tid() == sys::pid();
            tree.number.set(if is_first { 0 } else { THREADS.fetch_add(1, Relaxed) });
            if is_new {
                origin::enter(thread, tree);
            }
            // What is open was opened by the parent.
            tree.visits.inherit();
            tree.generation.set(generation);
        }
        tree.stamp.set(stamp);
        Some(tree)
    }

    /// The region that `here` leads to by this name.
    #[inline]
    pub(super) fn find(&self, here: &Node, name: Id, flag: u64) -> Option<&'static Node> {
        let slots = self.slots.get();
        if slots == 0 {
            return None;
        }
        let key = key(here, name, flag);
        let mut at = hash(key);
        loop {
            // SAFETY: inside the table, which has free slots.
            let slot = unsafe { *self.table.get().add(at & (slots - 1)) };
            if slot.key == key {
                // SAFETY: nodes are never unmapped.
                return Some(unsafe { &*slot.node });
            }
            if slot.key == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// Makes sure that there is room for two more slots. Returns false if there is none.
    fn has_room(&self) -> bool {
        let slots = self.slots.get();
        if (self.used.get() + 2) * 4 <= slots * 3 {
            return true;
        }
        let more = (slots * 2).max(FIRST_SLOTS);
        let Some(table) = room::take_pages(more * size_of::<Slot>(), Use::Common) else {
            return false;
        };
        let old = self.table.replace(table.cast());
        self.slots.set(more);
        self.used.set(0);
        for at in 0..slots {
            // SAFETY: inside the old table.
            let slot = unsafe { *old.add(at) };
            if slot.key != 0 {
                self.place(slot);
            }
        }
        room::give_pages(old.cast(), slots * size_of::<Slot>());
        true
    }

    fn place(&self, slot: Slot) {
        let mut at = hash(slot.key);
        loop {
            // SAFETY: inside the table, which has free slots.
            unsafe {
                let place = self.table.get().add(at & (self.slots.get() - 1));
                if (*place).key == 0 {
                    *place = slot;
                    break;
                }
            }
            at += 1;
        }
        self.used.set(self.used.get() + 1);
    }

    /// The region that is entered from `here` by this name, made if it is new: the one around it that
    /// has the name, or else one in it. `None` if there is no room at all.
    #[inline]
    pub(super) fn enter_from(
        &self,
        here: &Node,
        name: Id,
        kind: RegionKind,
        place: Place,
    ) -> Option<&'static Node> {
        // SAFETY: nodes are never unmapped.
        if let Some(last) = unsafe { here.last.get().as_ref() }
            && last.name == name
        {
            return Some(last);
        }
        self.find_or_make(here, name, kind, place)
    }

    #[inline(never)]
    fn find_or_make(
        &self,
        here: &Node,
        name: Id,
        kind: RegionKind,
        place: Place,
    ) -> Option<&'static Node> {
        let known = self.find(here, name, 0);
        let node = match known.or_else(|| self.follow(here, name, kind, place)) {
            Some(node) => node,
            None => return self.more(here),
        };
        here.last.set(node);
        Some(node)
    }

    /// The node for a new way.
    #[cold]
    fn follow(
        &self,
        here: &Node,
        name: Id,
        kind: RegionKind,
        place: Place,
    ) -> Option<&'static Node> {
        let is_known = self.find(&self.root, name, NAME).is_some();
        let around = is_known.then(|| around(here, name)).flatten();
        if around.is_none() && here.is_deepest() {
            notice::add(NoticeCode::TooDeep, name, here);
            return None;
        }
        if !self.has_room() {
            return None;
        }
        let node = match around {
            Some(node) => node,
            None => self.make(here, name, kind, place, Use::Common)?,
        };
        self.place(Slot { key: key(here, name, 0), node });
        if !is_known {
            self.place(Slot { key: key(&self.root, name, NAME), node });
        }
        Some(node)
    }

    /// The span of this name in `here`, made if it is new.
    pub(super) fn span(&self, here: &Node, name: Id, place: Place) -> Option<&'static Node> {
        if let Some(known) = self.find(here, name, SPAN) {
            return Some(known);
        }
        if here.is_deepest() {
            notice::add(NoticeCode::TooDeep, name, here);
            return None;
        }
        if !self.has_room() {
            return None;
        }
        let new = self.make(here, name, RegionKind::Span, place, Use::Common)?;
        self.place(Slot { key: key(here, name, SPAN), node: new });
        Some(new)
    }

    /// The region in `here` that takes what found no room.
    #[cold]
    fn more(&self, here: &Node) -> Option<&'static Node> {
        if here.is_deepest() {
            return None;
        }
        room::lose(RegionLoss::Regions, 1);
        let name = names::intern_for(names::MORE, Use::Last);
        if here.name == name && here.depth > 0 {
            // SAFETY: nodes are never unmapped.
            return Some(unsafe { &*ptr::from_ref(here) });
        }
        // SAFETY: as above.
        if let Some(known) = unsafe { here.more.get().as_ref() } {
            return Some(known);
        }
        let place = Place { file: ptr::null(), line: 0 };
        let node = self.make(here, name, RegionKind::Region, place, Use::Last)?;
        here.more.set(node);
        Some(node)
    }

    #[cold]
    fn make(
        &self,
        here: &Node,
        name: Id,
        kind: RegionKind,
        place: Place,
        purpose: Use,
    ) -> Option<&'static Node> {
        names::get(name)?;
        let file = match place.file.is_null() {
            true => 0,
            // SAFETY: the annotation gives a C string.
            false => names::intern(unsafe { core::ffi::CStr::from_ptr(place.file) }.to_bytes()),
        };
        let new = room::take::<Node>(purpose)?;
        let number = register(new, purpose)?;
        // SAFETY: new memory; other threads that see its number use only what never changes.
        unsafe {
            (*new).name = name;
            (*new).parent = here;
            (*new).depth = here.depth + 1;
            (*new).kind = Cell::new(kind as u32);
            (*new).number = number;
            (*new).tree = self;
            (*new).file = file;
            (*new).line = place.line;
            (*new).renew(purpose).then(|| &*new)
        }
    }
}

/// The region of this name in the path of `here`.
fn around(here: &Node, name: Id) -> Option<&'static Node> {
    let mut at = here;
    while at.depth > 0 {
        if at.name == name {
            // SAFETY: nodes are never unmapped.
            return Some(unsafe { &*ptr::from_ref(at) });
        }
        // SAFETY: as above.
        at = unsafe { &*at.parent };
    }
    None
}

#[inline]
fn key(here: &Node, name: Id, flag: u64) -> u64 {
    flag | u64::from(here.number) << 32 | u64::from(name)
}

#[inline]
fn hash(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl Node {
    /// Returns true if its path has no room for another name: what is entered in it belongs to it.
    pub(super) fn is_deepest(&self) -> bool {
        self.depth >= DEEPEST
    }

    /// Returns true if its cell is in the capture of this process.
    #[inline]
    pub(super) fn is_own(&self) -> bool {
        self.generation.get() == super::generation() + 1
    }

    /// Makes sure that its cell is right for this process and execution. Returns false if there is
    /// no cell.
    #[inline]
    pub(super) fn is_ready(&self, stamp: u32) -> bool {
        self.stamp.get() == stamp || self.renew(Use::Common)
    }

    /// Gets a new cell, unless visits are open in the old one: these belong to the execution in
    /// which they began.
    #[cold]
    #[inline(never)]
    fn renew(&self, purpose: Use) -> bool {
        if self.depth == 0 {
            return false;
        }
        // SAFETY: a cell of this capture.
        let is_in_use = self.is_own() && unsafe { (*self.cell.get()).open } > 0;
        if is_in_use {
            return true;
        }
        // SAFETY: nodes are never unmapped.
        let parent = unsafe { self.parent.as_ref() };
        let mut above = parent;
        // A reader needs the whole path.
        while let Some(node) = above.filter(|node| node.depth > 0 && !node.is_own()) {
            if !node.take_cell(Use::Last) {
                return false;
            }
            // SAFETY: as above.
            above = unsafe { node.parent.as_ref() };
        }
        self.take_cell(purpose) || self.is_own()
    }

    fn take_cell(&self, purpose: Use) -> bool {
        // SAFETY: nodes and trees are never unmapped.
        let (parent, thread) = unsafe { ((*self.parent).number, (*self.tree).number.get()) };
        let (name, file) = (names::offset(self.name), names::offset(self.file));
        let execution = execution::block();
        let taken = room::take_cell(Kind::Region, purpose, |cell: &mut RegionCell| {
            *cell = RegionCell {
                number: self.number,
                parent,
                thread,
                kind: self.kind.get(),
                name,
                file,
                line: self.line,
                execution,
                min: u64::MAX,
                ..RegionCell::default()
            };
        });
        let Some((cell, _)) = taken else { return false };
        self.cell.set(cell);
        self.io.iter().chain(&self.rest).for_each(|io| io.set(ptr::null_mut()));
        self.generation.set(super::generation() + 1);
        self.stamp.set(super::stamp());
        true
    }

    /// Its place in the source.
    pub(super) fn place(&self) -> Place {
        Place { file: ptr::null(), line: 0 }
    }

    /// The execution that its cell counts for.
    pub(super) fn execution(&self) -> u32 {
        // SAFETY: a cell of a capture, which stays mapped.
        unsafe { (*self.cell.get()).execution }
    }

    /// Makes it an iteration.
    #[cold]
    pub(super) fn becomes_iteration(&self) {
        if self.kind.get() == RegionKind::Region as u32 {
            self.kind.set(RegionKind::Iteration as u32);
            // SAFETY: a cell of this capture.
            unsafe { (*self.cell.get()).kind = RegionKind::Iteration as u32 };
        }
    }

    /// The clock of the region: ticks on the path so far.
    #[inline]
    pub(super) fn clock(&self, now: u64) -> u64 {
        // SAFETY: a cell of this capture.
        let cell = unsafe { &*self.cell.get() };
        match cell.since {
            0 => cell.time,
            since => cell.time + now.saturating_sub(since),
        }
    }

    /// Takes it off the path.
    #[inline]
    pub(super) fn stops(&self, now: u64) {
        // SAFETY: a cell of this capture that only this thread changes.
        let cell = unsafe { &mut *self.cell.get() };
        if cell.since != 0 {
            cell.time += now.saturating_sub(cell.since);
            cell.since = 0;
        }
    }

    /// Calls `act` for the regions of its path that have visits of this process, from itself up to
    /// `end`, which is not one of them.
    pub(super) fn path_to(&self, end: *const Node, act: impl Fn(&Node)) {
        let mut at = Some(self);
        while let Some(node) = at.filter(|node| !ptr::eq(*node, end) && node.depth > 0) {
            // SAFETY: an own cell is one of this capture.
            if node.is_own() && unsafe { (*node.cell.get()).open } > 0 {
                act(node);
            }
            // SAFETY: nodes are never unmapped.
            at = unsafe { node.parent.as_ref() };
        }
    }

    /// Puts it on the path again.
    pub(super) fn goes_on(&self, now: u64) {
        // SAFETY: as in `stops`.
        unsafe { (*self.cell.get()).since = now };
    }
}

/// In a child: threads are numbered anew, and no other thread holds the lock.
pub(super) fn after_fork() {
    LOCK.unlock();
    THREADS.store(1, Relaxed);
}
