//! Teams of threads, as OpenMP has them: all of their threads are below the region in which the team
//! began.
//!
//! A thread stays there until it joins another team. It does nothing in between, and what is left of a
//! team's work may come after the function that the team was to run.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::{inside, visit};
use crate::thread;

/// True once a thread of this process has regions.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Notes that a thread has regions.
pub(super) fn is_used() {
    IS_USED.store(true, Relaxed);
}

/// The place where a team began.
#[derive(Debug, Clone, Copy)]
pub struct Team {
    /// Number of the region; 0 if it is none.
    region: u32,
    /// The thread pointer of the thread that began it.
    master: usize,
}

impl Team {
    /// The team that the calling thread begins; `None` if nobody in this process has regions.
    #[inline]
    pub fn begin() -> Option<Self> {
        IS_USED.load(Relaxed).then(Self::begin_here)
    }

    #[cold]
    fn begin_here() -> Self {
        Self { region: here(), master: thread::pointer() }
    }

    /// The calling thread works for this team.
    pub fn join(self) {
        if self.master != thread::pointer() {
            join(self.region);
        }
    }
}

/// Number of the region in which the calling thread is; 0 if it is in none, or in none of the process.
pub fn here() -> u32 {
    if !IS_USED.load(Relaxed) || thread::current().tree.get().is_null() {
        return 0;
    }
    inside(None, |thread, tree| tree.here(thread).number).unwrap_or(0)
}

/// The calling thread works for a team that began in the region with this number.
pub fn join(region: u32) {
    if region != 0 || !thread::current().tree.get().is_null() {
        inside(None, |thread, tree| visit::join_team(thread, tree, region));
    }
}
