//! Requests of processes for their profile, in the words that they share with the command.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use ioglass_recorder::sys;
use ioglass_shm::place::{BUDGET_FILE, JobBudget};
use memmap2::{MmapOptions, MmapRaw};

/// The requests of the processes of a job.
pub(crate) struct Requests(MmapRaw);

impl Requests {
    /// Those of the job with this directory. Processes know from now on that they are heard.
    pub(crate) fn hear(directory: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(directory.join(BUDGET_FILE))?;
        if file.metadata()?.len() < size_of::<JobBudget>() as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let map = MmapOptions::new().len(size_of::<JobBudget>()).map_raw(&file)?;
        let requests = Self(map);
        let namespace = std::fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino());
        // SAFETY: a word that nobody reads before the next one is set.
        unsafe { (*requests.budget()).flush_namespace = namespace };
        requests.by().store(std::process::id(), Ordering::Release);
        Ok(requests)
    }

    /// Number of requests so far.
    pub(crate) fn count(&self) -> u32 {
        self.wanted().load(Ordering::Acquire)
    }

    /// Tells processes that all these requests are done, with 0 or an error number.
    pub(crate) fn are_done(&self, count: u32, outcome: i32) {
        self.outcome().store(outcome.cast_unsigned(), Ordering::Relaxed);
        self.done().store(count, Ordering::Release);
        sys::wake(self.done());
    }

    /// Tells processes that nobody hears them any more.
    pub(crate) fn end(&self) {
        self.by().store(0, Ordering::Release);
        sys::wake(self.done());
    }
}

impl Requests {
    fn budget(&self) -> *mut JobBudget {
        self.0.as_mut_ptr().cast()
    }
}

/// The words, which other processes change.
macro_rules! words {
    ($($name:ident = $field:ident;)*) => {
        impl Requests {$(
            fn $name(&self) -> &AtomicU32 {
                // SAFETY: the mapping has a whole budget, and its words are changed atomically.
                unsafe { AtomicU32::from_ptr(&raw mut (*self.budget()).$field) }
            }
        )*}
    };
}

words! {
    wanted = flush_wanted;
    done = flush_done;
    outcome = flush_outcome;
    by = flush_by;
}
