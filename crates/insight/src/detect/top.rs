//! The files of a finding. There may be very many.

use std::cmp::Ordering;

use crate::finding::{FileShare, Top};

/// Number of files that a finding lists.
const LISTED: usize = 3;

/// Collects files. It keeps those with most seconds and counts all.
#[derive(Debug, Default)]
pub(super) struct TopFiles {
    list: Vec<FileShare>,
    count: u64,
    sources: Sources,
}

/// The records that the seconds of a finding were spent on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    /// Records and their seconds, if the run has regions.
    pub(crate) parts: Vec<(u64, f64)>,
    /// The seconds of all.
    pub(crate) seconds: f64,
}

impl Sources {
    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.seconds == 0.0
    }

    pub(super) fn push(&mut self, record: u64, seconds: f64) {
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        self.seconds += seconds;
        if record != 0 {
            self.parts.push((record, seconds));
        }
    }
}

/// The files of a finding: those that are listed, and all as sources of its seconds.
#[derive(Debug, Default)]
pub struct CaseFiles {
    pub(super) top: Top<FileShare>,
    pub(super) sources: Sources,
}

impl TopFiles {
    pub(super) fn push(&mut self, file: FileShare) {
        self.count += 1;
        self.sources.push(file.record, file.seconds);
        let at = self.list.partition_point(|known| order(known, &file).is_le());
        if at < LISTED {
            self.list.truncate(LISTED - 1);
            self.list.insert(at, file);
        }
    }
}

/// Most seconds first.
fn order(a: &FileShare, b: &FileShare) -> Ordering {
    let by_size = b.seconds.total_cmp(&a.seconds).then(b.bytes.cmp(&a.bytes));
    by_size.then_with(|| a.path.cmp(&b.path))
}

impl From<TopFiles> for CaseFiles {
    fn from(files: TopFiles) -> Self {
        let TopFiles { mut list, count, sources } = files;
        // A copy, because the finding outlives the store of all names.
        list.iter_mut().for_each(|file| file.path = (&*file.path).into());
        let more = count - list.len() as u64;
        Self { top: Top { list, more }, sources }
    }
}

/// The files of a finding, those with most seconds first.
pub(crate) fn top_files(files: impl IntoIterator<Item = FileShare>) -> CaseFiles {
    let mut top = TopFiles::default();
    files.into_iter().for_each(|file| top.push(file));
    top.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_with_most_seconds_are_listed_in_whatever_order_they_come() {
        let share = |i: u64| FileShare {
            path: format!("/data/{i}").into(),
            seconds: (i / 2) as f64,
            bytes: i % 2,
            ranks: 1,
            record: i,
        };
        for step in [1, 3, 7, 9] {
            let CaseFiles { top, sources } = top_files((0..10).map(|i| share(i * step % 10)));
            // The record 0 is none.
            assert_eq!((sources.parts.len(), sources.seconds), (9, 20.0));
            let names: Vec<&str> = top.list.iter().map(|file| &*file.path).collect();
            assert_eq!((names, top.more), (vec!["/data/9", "/data/8", "/data/7"], 7));
        }
        assert_eq!(top_files([share(1), share(2)]).top.more, 0);
    }
}
