//! The open visits of a thread: enter and leave.

use core::cell::Cell;
use core::hint::cold_path;
use core::ptr;

use ioglass_shm::{NoticeCode, RegionKind, RegionLoss};

use super::io::Moment;
use super::names::Id;
use super::room::Use;
use super::tree::{Node, Place, Tree};
use super::{execution, metric, notice, room, series};
use crate::clock;
use crate::thread::Thread;

/// Most visits that are open at a time.
const MOST: usize = 1 << 24;
const FIRST: usize = 128;

/// The name of no region: marks the place from which a thread was attached elsewhere.
const ATTACHED: Id = u32::MAX;

/// An open visit.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Visit {
    node: *const Node,
    /// The region in which the thread was before.
    before: *const Node,
    /// The name by which it was entered.
    name: Id,
    /// False if it counts nowhere.
    is_counted: bool,
    /// True if the region has joined the path with it.
    has_joined: bool,
    /// Its number among the visits of its region, plus 1, if it is an iteration in which another visit
    /// of the region began. Others get one when they end.
    number: u64,
    /// The region's clock at its begin; of an iteration plus the time of visits of the same region in it.
    begin: u64,
    /// The sums of the thread's I/O at its begin, if it is an iteration; with those visits, too.
    io: Moment,
}

/// The open visits of a thread, the innermost last.
#[repr(C)]
pub(super) struct Visits {
    list: Cell<*mut Visit>,
    len: Cell<usize>,
    capacity: Cell<usize>,
    /// The first ones, which were opened before the process was forked or started.
    inherited: Cell<usize>,
    /// Those of them in which the process was started.
    outside: Cell<usize>,
    /// Visits that found no room.
    beyond: Cell<u64>,
}

impl Visits {
    #[inline]
    fn get(&self, at: usize) -> &Visit {
        // SAFETY: callers stay below the length.
        unsafe { &*self.list.get().add(at) }
    }

    /// Adds a visit. Returns false if there is no room.
    #[inline]
    fn push(&self, visit: Visit) -> bool {
        let len = self.len.get();
        if len == self.capacity.get() && !self.grow() {
            cold_path();
            self.beyond.set(self.beyond.get() + 1);
            return false;
        }
        // SAFETY: there is room.
        unsafe { self.list.get().add(len).write(visit) };
        self.len.set(len + 1);
        true
    }

    #[cold]
    #[inline(never)]
    fn grow(&self) -> bool {
        let (old, capacity) = (self.list.get(), self.capacity.get());
        let more = (capacity * 2).max(FIRST);
        let size = more * size_of::<Visit>();
        let pages = if more > MOST { None } else { room::take_pages(size, Use::Common) };
        let Some(list) = pages.map(<*mut u8>::cast::<Visit>) else { return false };
        // SAFETY: both are large enough.
        unsafe { ptr::copy_nonoverlapping(old, list, self.len.get()) };
        self.list.set(list);
        self.capacity.set(more);
        room::give_pages(old.cast(), capacity * size_of::<Visit>());
        true
    }

    /// Changes the innermost visit of a region, among the first `count`.
    fn change_innermost(&self, node: &Node, count: usize, change: impl FnOnce(&mut Visit)) {
        let is_its = |at: &usize| {
            let visit = self.get(*at);
            visit.is_counted && ptr::eq(visit.node, node)
        };
        if let Some(at) = (self.inherited.get()..count).rev().find(is_its) {
            // SAFETY: below the length, and only this thread has the list.
            change(unsafe { &mut *self.list.get().add(at) });
        }
    }

    /// Makes all open visits those of another process.
    pub(super) fn inherit(&self) {
        self.inherited.set(self.len.get());
    }

    /// Returns true if no visit of the program is open.
    #[inline]
    fn is_outermost(&self) -> bool {
        self.len.get() <= self.outside.get()
    }
}

impl Tree {
    /// The region in which the thread is, or the root.
    #[inline]
    pub(super) fn here<'t>(&'t self, thread: &Thread) -> &'t Node {
        // SAFETY: nodes are never unmapped.
        unsafe { thread.region.get().as_ref() }.unwrap_or(&self.root)
    }
}

/// Moves the thread to a region, or to none if it is the root.
#[inline]
fn set_here(thread: &Thread, node: &Node) {
    let is_root = node.depth == 0;
    thread.region.set(if is_root { ptr::null() } else { node });
}

/// Enters the region with this name.
#[inline]
pub(super) fn enter(thread: &Thread, tree: &Tree, name: Id, kind: RegionKind, place: Place) {
    let here = tree.here(thread);
    let found = tree.enter_from(here, name, kind, place);
    let Some(node) = found.filter(|node| node.is_ready(super::stamp())) else {
        return enter_nowhere(thread, tree, name);
    };
    if kind == RegionKind::Iteration && node.kind.get() != kind as u32 {
        node.becomes_iteration();
    }
    if tree.visits.is_outermost() && execution::begins_with(node, kind) {
        // Its cell belongs to the execution before.
        node.is_ready(super::stamp());
    }
    let mut visit = Visit {
        node,
        before: here,
        name,
        is_counted: true,
        has_joined: true,
        number: 0,
        begin: 0,
        io: Moment::NONE,
    };
    if node.kind.get() == RegionKind::Iteration as u32 {
        visit.io = tree.io.now();
    }
    let now = clock::tick();
    if node.depth > here.depth {
        // SAFETY: a cell of this capture that only this thread changes.
        let cell = unsafe { &mut *node.cell.get() };
        visit.begin = cell.time;
        if !tree.visits.push(visit) {
            return room::lose(RegionLoss::Visits, 1);
        }
        cell.calls += 1;
        match cell.open {
            0 => cell.begin = visit.begin,
            _ => begins_in_another(tree, node),
        }
        cell.open += 1;
        cell.since = now;
    } else {
        enter_again(tree, here, node, visit, now);
    }
    set_here(thread, node);
}

/// Enters a region that is on the path: the thread goes back to it.
#[cold]
#[inline(never)]
fn enter_again(tree: &Tree, here: &Node, node: &Node, mut visit: Visit, now: u64) {
    visit.begin = node.clock(now);
    // A context of the thread or process is on no path, but others may be below it.
    // SAFETY: as in `enter`.
    visit.has_joined = unsafe { (*node.cell.get()).since } == 0;
    if !tree.visits.push(visit) {
        return room::lose(RegionLoss::Visits, 1);
    }
    here.path_to(node, |between| between.stops(now));
    // SAFETY: as in `enter`.
    let cell = unsafe { &mut *node.cell.get() };
    cell.calls += 1;
    match cell.open {
        0 => cell.begin = visit.begin,
        _ => begins_in_another(tree, node),
    }
    if visit.has_joined {
        cell.since = now;
    }
    cell.open += 1;
}

/// The last visit began while others of its region are open. The innermost of these has what metrics
/// were given so far, and its number, as visits are numbered by their begin.
#[cold]
#[inline(never)]
fn begins_in_another(tree: &Tree, node: &Node) {
    let last = tree.visits.len.get() - 1;
    if node.kind.get() != RegionKind::Iteration as u32 {
        return;
    }
    tree.visits.change_innermost(node, last, |outer| {
        if outer.number == 0 {
            outer.number = series::reserve(node) + 1;
        }
        metric::iteration_ends(node, outer.number - 1);
    });
}

/// A visit of an iteration has ended while others of its region are open: its time and I/O are not
/// theirs. `at` is the place that it had.
#[cold]
#[inline(never)]
fn ends_in_another(tree: &Tree, node: &Node, at: usize, time: u64, begin: &Moment) {
    // SAFETY: a cell of this capture that only this thread changes.
    unsafe { (*node.cell.get()).begin += time };
    tree.visits.change_innermost(node, at, |outer| {
        outer.begin += time;
        outer.io = outer.io.later(begin, &tree.io.now());
    });
}

/// Enters a region for which there is no room, or one that is too deep, of which there is a notice: only
/// its end is awaited.
#[cold]
#[inline(never)]
fn enter_nowhere(thread: &Thread, tree: &Tree, name: Id) {
    let here = tree.here(thread);
    let is_there = tree.visits.push(Visit {
        node: here,
        before: here,
        name,
        is_counted: false,
        has_joined: false,
        number: 0,
        begin: 0,
        io: Moment::NONE,
    });
    if !here.is_deepest() || !is_there {
        room::lose(RegionLoss::Visits, 1);
    }
}

/// Goes into a region in which the process was started: it is no visit. Returns false if there is no
/// room.
pub(super) fn begin_in(thread: &Thread, tree: &Tree, name: Id) -> bool {
    let here = tree.here(thread);
    let place = Place { file: ptr::null(), line: 0 };
    let Some(node) = tree.enter_from(here, name, RegionKind::Region, place) else { return false };
    let visit = Visit {
        node,
        before: here,
        name,
        is_counted: false,
        has_joined: false,
        number: 0,
        begin: 0,
        io: Moment::NONE,
    };
    let is_there = tree.visits.push(visit);
    if is_there {
        tree.visits.outside.set(tree.visits.len.get());
        set_here(thread, node);
    }
    is_there
}

/// Leaves the innermost visit of this name, or of any name if there is none given. What is open
/// inside ends with it.
#[inline]
pub(super) fn leave(thread: &Thread, tree: &Tree, name: Option<Id>, now: u64) {
    let visits = &tree.visits;
    let len = visits.len.get();
    if len > 0 && visits.beyond.get() == 0 {
        let last = visits.get(len - 1).name;
        if name.map_or(last != ATTACHED, |name| name == last) {
            return end_last(thread, tree, now);
        }
    }
    leave_outer(thread, tree, name, now);
}

#[cold]
#[inline(never)]
fn leave_outer(thread: &Thread, tree: &Tree, name: Option<Id>, now: u64) {
    let visits = &tree.visits;
    if visits.beyond.get() > 0 {
        // Which one it was is not known.
        return visits.beyond.set(visits.beyond.get() - 1);
    }
    let found =
        name.and_then(|name| (0..visits.len.get()).rev().find(|at| visits.get(*at).name == name));
    let Some(at) = found else {
        return notice::add(NoticeCode::StrayLeave, name.unwrap_or(0), tree.here(thread));
    };
    end_all_above(thread, tree, at + 1, now, NoticeCode::OutOfOrder);
    end_last(thread, tree, now);
}

/// Ends all visits from this one on, and notes each.
fn end_all_above(thread: &Thread, tree: &Tree, from: usize, now: u64, code: NoticeCode) {
    while tree.visits.len.get() > from {
        let visit = tree.visits.get(tree.visits.len.get() - 1);
        let (name, is_own) = (visit.name, tree.visits.len.get() > tree.visits.inherited.get());
        // SAFETY: nodes are never unmapped.
        let before = unsafe { &*visit.before };
        end_last(thread, tree, now);
        if name != ATTACHED && is_own {
            notice::add(code, name, before);
        }
    }
}

/// Ends the innermost visit.
#[inline]
fn end_last(thread: &Thread, tree: &Tree, now: u64) {
    let visits = &tree.visits;
    let at = visits.len.get() - 1;
    let visit = visits.get(at);
    // SAFETY: nodes are never unmapped.
    let (node, before) = unsafe { (&*visit.node, &*visit.before) };
    visits.len.set(at);
    if at < visits.inherited.get() || !visit.is_counted || visit.name == ATTACHED {
        cold_path();
        end_uncounted(visits, at, visit, now);
        return set_here(thread, before);
    }
    // SAFETY: a cell of this capture that only this thread changes.
    let cell = unsafe { &mut *node.cell.get() };
    let clock = cell.time + now.saturating_sub(cell.since);
    if visit.has_joined {
        cell.time = clock;
        cell.since = 0;
    }
    cell.open = cell.open.wrapping_sub(1);
    let duration = clock.saturating_sub(visit.begin);
    if duration < cell.min {
        cell.min = duration;
    }
    if duration > cell.max {
        cell.max = duration;
    }
    if before.depth >= node.depth {
        before.path_to(node, |between| between.goes_on(now));
    }
    if node.kind.get() == RegionKind::Iteration as u32 {
        let number = series::add(node, visit.number, duration, tree.io.since(&visit.io));
        metric::iteration_ends(node, number);
        if cell.open != 0 {
            ends_in_another(tree, node, at, duration, &visit.io);
        }
    }
    set_here(thread, before);
}

/// Ends a visit of the parent process, one without a region, or an attachment.
#[cold]
#[inline(never)]
fn end_uncounted(visits: &Visits, at: usize, visit: &Visit, now: u64) {
    if at < visits.inherited.get() {
        visits.inherited.set(at);
    } else if visit.name == ATTACHED {
        // SAFETY: nodes are never unmapped.
        let (node, before) = unsafe { (&*visit.node, &*visit.before) };
        change_path(node, before, now);
    }
}

/// Ends all visits because the thread ends.
pub(super) fn end_thread(thread: &Thread, tree: &Tree) {
    end_all_above(thread, tree, 0, clock::tick(), NoticeCode::LeftOpen);
}

/// Goes to a region of any thread, or out of all: what is entered from now on is below it.
pub(super) fn attach(thread: &Thread, tree: &Tree, to: Option<&'static Node>) {
    let here = tree.here(thread);
    let node = to.map_or(Some(&tree.root), |to| context(tree, to));
    let Some(node) = node else {
        return enter_nowhere(thread, tree, ATTACHED);
    };
    let now = clock::tick();
    let visit = Visit {
        node,
        before: here,
        name: ATTACHED,
        is_counted: false,
        has_joined: false,
        number: 0,
        begin: 0,
        io: Moment::NONE,
    };
    if tree.visits.push(visit) {
        change_path(here, node, now);
        set_here(thread, node);
    }
}

/// The thread goes elsewhere: time counts for regions of the new path that it has entered.
fn change_path(from: &Node, to: &Node, now: u64) {
    from.path_to(ptr::null(), |node| node.stops(now));
    to.path_to(ptr::null(), |node| node.goes_on(now));
}

/// The region of this thread that has the path of a region of any thread.
fn context<'t>(tree: &'t Tree, to: &'static Node) -> Option<&'t Node> {
    // From the outermost name on; paths are short.
    let mut here = &tree.root;
    for depth in 1..=to.depth {
        let mut above = to;
        while above.depth > depth {
            // SAFETY: nodes are never unmapped.
            above = unsafe { &*above.parent };
        }
        here = tree.enter_from(here, above.name, RegionKind::Region, above.place())?;
    }
    here.is_ready(super::stamp()).then_some(here)
}

/// Goes back from the last attachment; what is open since then ends.
pub(super) fn detach(thread: &Thread, tree: &Tree) {
    let visits = &tree.visits;
    let attached = (visits.inherited.get()..visits.len.get()).rev();
    match attached.into_iter().find(|at| visits.get(*at).name == ATTACHED) {
        Some(at) => {
            let now = clock::tick();
            end_all_above(thread, tree, at + 1, now, NoticeCode::OutOfOrder);
            end_last(thread, tree, now);
        }
        None => notice::add(NoticeCode::StrayAttach, 0, tree.here(thread)),
    }
}

/// Goes to the region with this number, in which a team began, instead of that of the team before.
pub(super) fn join_team(thread: &Thread, tree: &Tree, region: u32) {
    let visits = &tree.visits;
    let (before, len) = (tree.team.get(), visits.len.get());
    // After a fork it is one of the parent's.
    let is_there =
        before > visits.inherited.get() && before <= len && visits.get(before - 1).name == ATTACHED;
    if is_there && before == len && tree.team_region.get() == region {
        return;
    }
    if is_there {
        let now = clock::tick();
        end_all_above(thread, tree, before, now, NoticeCode::OutOfOrder);
        end_last(thread, tree, now);
    }
    tree.team.set(0);
    if let Some(node) = super::tree::node(region) {
        let len = visits.len.get();
        attach(thread, tree, Some(node));
        if visits.len.get() > len {
            tree.team.set(visits.len.get());
            tree.team_region.set(region);
        }
    }
}
