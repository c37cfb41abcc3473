//! Selections, as the program makes them: asking a library for one takes as long as a small write.
//!
//! A few of the last ones are kept. What is not here, or was made in another way, is asked for.

use super::dataset::{self, Selection};
use super::recent::Recent;
use crate::handles::Handle;
use crate::thread::Guard;

/// What is known of a data space.
#[derive(Clone, Copy)]
struct Space {
    /// Its dimensions; 0 if not known.
    rank: u32,
    /// Whether the selection is known.
    is_known: bool,
    selection: Selection,
}

/// As few as will do: where each access has a space of its own, all of them go through the cache.
static SPACES: Recent<Space, 32> =
    Recent::new(Space { rank: 0, is_known: false, selection: Selection::ALL });

/// Where the dimensions of a space are known from.
#[derive(Debug, Clone, Copy)]
pub enum Rank {
    /// From the last selection in it, if that is kept.
    Kept,
    /// They are these.
    Of(u32),
    /// They are those of a data set.
    Like(Handle),
}

/// Runs `with` under the lock.
fn locked<T>(with: impl FnOnce() -> T) -> Option<T> {
    let _guard = Guard::enter()?;
    Some(dataset::locked(with))
}

/// Notes what was selected in a space, as `select` does of its dimensions; forgets the selection if that
/// tells `false`. Tells `false` itself if the dimensions are not known.
#[inline]
pub fn select(
    space: Handle,
    rank: Rank,
    select: impl FnOnce(usize, &mut Selection) -> bool,
) -> bool {
    // SAFETY: under the lock.
    let noted = locked(|| unsafe {
        let rank = match rank {
            Rank::Kept => 0,
            Rank::Of(rank) => rank,
            Rank::Like(data_set) => dataset::rank(data_set),
        };
        let kept = if rank == 0 { SPACES.get(space) } else { Some(SPACES.take(space)) };
        let Some(kept) = kept else { return false };
        if rank != 0 {
            kept.rank = rank;
        }
        kept.is_known = kept.rank != 0 && select(kept.rank as usize, &mut kept.selection);
        kept.rank != 0
    });
    noted.unwrap_or(true)
}

/// Notes the selection in a space with this many dimensions; 0 if that is not known.
pub fn selected(space: Handle, rank: usize, selection: &Selection) {
    // SAFETY: under the lock.
    locked(|| unsafe {
        let (rank, selection) = (rank as u32, *selection);
        *SPACES.take(space) = Space { rank, is_known: true, selection };
    });
}

/// Forgets the selection in a space, which was made in another way.
pub fn changed(space: Handle) {
    locked(|| {
        // SAFETY: under the lock.
        if let Some(kept) = unsafe { SPACES.get(space) } {
            (kept.rank, kept.is_known) = (0, false);
        }
    });
}

/// The selection in a space, if it is kept.
///
/// # Safety
/// Under the lock of data sets, for as long as it is used.
#[inline]
pub(super) unsafe fn kept<'s>(space: Handle) -> Option<&'s Selection> {
    // SAFETY: as the caller says.
    let kept = unsafe { SPACES.get(space) }?;
    kept.is_known.then_some(&kept.selection)
}
