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
}

impl TopFiles {
    pub(super) fn push(&mut self, file: FileShare) {
        self.count += 1;
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

impl From<TopFiles> for Top<FileShare> {
    fn from(files: TopFiles) -> Self {
        let TopFiles { mut list, count } = files;
        // A copy, because the finding outlives the store of all names.
        list.iter_mut().for_each(|file| file.path = (&*file.path).into());
        let more = count - list.len() as u64;
        Self { list, more }
    }
}

/// The files of a finding, those with most seconds first.
pub(crate) fn top_files(files: impl IntoIterator<Item = FileShare>) -> Top<FileShare> {
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
        };
        for step in [1, 3, 7, 9] {
            let top = top_files((0..10).map(|i| share(i * step % 10)));
            let names: Vec<&str> = top.list.iter().map(|file| &*file.path).collect();
            assert_eq!((names, top.more), (vec!["/data/9", "/data/8", "/data/7"], 7));
        }
        assert_eq!(top_files([share(1), share(2)]).more, 0);
    }
}
