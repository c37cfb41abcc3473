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
    /// Its points, those that are not selected too; negative if not known.
    points: i64,
    /// Whether the selection is known.
    is_known: bool,
    selection: Selection,
}

static SPACES: Recent<Space, 64> =
    Recent::new(Space { rank: 0, points: -1, is_known: false, selection: Selection::ALL });

/// Runs `with` under the lock.
fn locked<T>(with: impl FnOnce() -> T) -> Option<T> {
    let _guard = Guard::enter()?;
    Some(dataset::locked(with))
}

/// Notes a new space with these lengths.
pub fn made(space: Handle, lengths: &[u64]) {
    let points = lengths.iter().fold(1, |points: u64, length| points.saturating_mul(*length));
    let points = i64::try_from(points).unwrap_or(-1);
    // SAFETY: under the lock.
    locked(|| unsafe { note_extent(space, lengths.len() as u32, points) });
}

/// The same under the lock; points are negative if not known.
///
/// # Safety
/// Under the lock of data sets.
#[inline]
pub(super) unsafe fn note_extent(space: Handle, rank: u32, points: i64) {
    // SAFETY: as the caller says.
    let kept = unsafe { SPACES.take(space) };
    (kept.rank, kept.points, kept.is_known) = (rank, points, false);
}

/// Dimensions and points of a space, if they are known.
pub fn extent(space: Handle) -> Option<(u32, i64)> {
    locked(|| {
        // SAFETY: under the lock.
        let kept = unsafe { SPACES.get(space) }?;
        (kept.rank != 0 && kept.points >= 0).then_some((kept.rank, kept.points))
    })?
}

/// Notes what was selected in a space, as `select` does of its dimensions; forgets the selection if that
/// tells `false`. Tells `false` itself if the dimensions are not known.
#[inline]
pub fn selected_as_before(
    space: Handle,
    select: impl FnOnce(usize, &mut Selection) -> bool,
) -> bool {
    let noted = locked(|| {
        // SAFETY: under the lock.
        let known = unsafe { SPACES.get(space) }.filter(|kept| kept.rank != 0);
        known.map(|kept| kept.is_known = select(kept.rank as usize, &mut kept.selection)).is_some()
    });
    noted.unwrap_or(true)
}

/// Notes the selection in a space with this many dimensions; 0 if that is not known.
pub fn selected(space: Handle, rank: usize, selection: &Selection) {
    // SAFETY: under the lock.
    locked(|| unsafe {
        let (rank, selection) = (rank as u32, *selection);
        *SPACES.take(space) = Space { rank, points: -1, is_known: true, selection };
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
