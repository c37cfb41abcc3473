//! Files in the order of their names, in memory as well.
//!
//! Detectors go through all files again and again. With very many of them that takes as long as
//! reading memory does. So files get their places before their records are read: in the order of
//! names, and what was done to them in the same order.

use std::borrow::Cow;
use std::collections::HashMap;

use ioglass_log::Names;

use super::file::{File, Kind};
use super::usage::Usage;

/// Names that are looked at before ids are looked up.
const AHEAD: usize = 8;

/// Where files are, by id.
#[derive(Debug)]
pub(super) struct Places {
    /// Ids and places in the order of the log's names, which is mostly that of records as well.
    sequence: Vec<(u64, u32)>,
    next: usize,
    /// Where ids are in the sequence; made when it is first needed.
    by_id: Option<HashMap<u64, u32>>,
}

impl Places {
    /// Files for at most `most` of the names, by name, and their places.
    ///
    /// Not by id, which says nothing to anybody, nor in the order of the log: the same files give
    /// the same report.
    pub(super) fn of(names: &Names, most: usize) -> (Vec<File>, Self) {
        let named = names.iter().filter(|(_, name)| !name.is_empty()).take(most).enumerate();
        let mut order: Vec<(Cow<'_, str>, u64, usize)> =
            named.map(|(at, (id, name))| (String::from_utf8_lossy(name), id, at)).collect();
        order.sort_unstable();
        let mut sequence = vec![(0, 0); order.len()];
        (0..).zip(&order).for_each(|(place, (_, id, at))| sequence[*at] = (*id, place));
        let file = |(name, id, _): (Cow<'_, str>, u64, usize)| {
            let mut file = File::new(id, name.into(), Kind::Data, None);
            // Nearly all files have one of these.
            file.posix = Some(Box::default());
            file
        };
        (order.into_iter().map(file).collect(), Self { sequence, next: 0, by_id: None })
    }

    /// Where the file with this id is.
    pub(super) fn find(&mut self, id: u64) -> Option<usize> {
        let ahead = self.sequence[self.next..].iter().take(AHEAD);
        let at = match ahead.map(|(id, _)| *id).position(|next| next == id) {
            Some(ahead) => self.next + ahead,
            None => {
                let ids = self.sequence.iter().map(|(id, _)| *id);
                let by_id = self.by_id.get_or_insert_with(|| ids.zip(0..).collect());
                *by_id.get(&id)? as usize
            }
        };
        self.next = at + 1;
        Some(self.sequence[at].1 as usize)
    }

    /// Adds an id without a name.
    pub(super) fn add(&mut self, id: u64, place: usize) {
        if let Some(by_id) = &mut self.by_id {
            by_id.insert(id, self.sequence.len() as u32);
        }
        self.sequence.push((id, place as u32));
    }

    /// Another module begins.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
    }
}

/// Gives up places that were not needed, and puts files in order that had none.
pub(super) fn settle(files: &mut Vec<File>, names: &Names) {
    for file in &mut *files {
        file.posix.take_if(|usage| !usage.has_records());
        if file.name.is_empty() {
            file.name = names.lookup(file.id).into();
        }
    }
    files.retain(File::has_records);
    let key = |file: &File| (file.name.clone(), file.id);
    if !files.is_sorted_by(|a, b| (&a.name, a.id) <= (&b.name, b.id)) {
        files.sort_by_cached_key(key);
    }
}

impl File {
    /// Whether any layer knows it.
    fn has_records(&self) -> bool {
        let layers = [&self.posix, &self.mpiio, &self.stdio, &self.h5f, &self.pnetcdf, &self.daos];
        layers.iter().any(|layer| layer.as_deref().is_some_and(Usage::has_records))
    }
}

impl Usage {
    fn has_records(&self) -> bool {
        self.reduced.is_some() || !self.by_rank.is_empty()
    }
}
