//! Selections, as the program makes them: asking a library for one takes as long as a small write.
//!
//! A few of the last ones are kept. What is not here, or was made in another way, is asked for.

use super::dataset::Selection;
use crate::handles::Handle;
use crate::memory::Shared;
use crate::spin::Spin;
use crate::thread::Guard;

/// Data spaces of which the selection is kept; a power of two.
const KEPT: usize = 64;

#[derive(Clone, Copy)]
struct Kept {
    space: Handle,
    /// Dimensions of the space; 0 if not known.
    rank: u32,
    /// Whether the selection is known.
    is_known: bool,
    selection: Selection,
}

static LOCK: Spin = Spin::new();
static SPACES: Shared<[Kept; KEPT]> = Shared::new(
    [Kept { space: [0; 2], rank: 0, is_known: false, selection: Selection::ALL }; KEPT],
);

/// The place that a space has, whosever it is now. Ids are counted up, so their low bits tell most
/// spaces apart.
fn place(space: Handle) -> *mut Kept {
    let index = (space[0] >> 12 ^ space[1]) as usize % KEPT;
    // SAFETY: inside the array.
    unsafe { SPACES.get().cast::<Kept>().add(index) }
}

/// Runs `with` on what is kept of a space, under the lock.
fn with<T>(space: Handle, with: impl FnOnce(&mut Kept) -> T) -> Option<T> {
    let _guard = Guard::enter()?;
    LOCK.lock();
    // SAFETY: under the lock.
    let result = with(unsafe { &mut *place(space) });
    LOCK.unlock();
    Some(result)
}

/// Dimensions of a space, if a selection was made in it before.
pub fn rank(space: Handle) -> Option<usize> {
    with(space, |kept| (kept.space == space && kept.rank != 0).then_some(kept.rank as usize))?
}

/// Notes the selection in a space with this many dimensions.
pub fn selected(space: Handle, rank: usize, selection: &Selection) {
    with(space, |kept| {
        (kept.space, kept.rank, kept.is_known) = (space, rank as u32, true);
        kept.selection = *selection;
    });
}

/// Forgets the selection in a space, which was made in another way.
pub fn changed(space: Handle) {
    with(space, |kept| {
        if kept.space == space {
            (kept.rank, kept.is_known) = (0, false);
        }
    });
}

/// The selection in a space, if it is kept.
pub fn selection(space: Handle) -> Option<Selection> {
    with(space, |kept| (kept.space == space && kept.is_known).then_some(kept.selection))?
}

pub(super) fn after_fork() {
    LOCK.unlock();
}
