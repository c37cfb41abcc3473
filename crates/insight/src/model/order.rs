//! Files in the order of their names, in memory as well.
//!
//! Detectors go through all files again and again. With very many of them that takes as long as
//! reading memory does. So files get their places before their records are read.

use std::borrow::Cow;
use std::collections::HashMap;

use ioglass_log::Names;

use super::file::{File, FileKind};
use super::sort::by_name;
use crate::name::Name;

/// Names that are looked at before ids are looked up.
const AHEAD: usize = 8;
/// Surplus of ids that were not ahead from which on records are taken to have an order of their
/// own.
const STRAYS: u32 = 64;
/// Names that are stored together. They stay in memory as long as one of them does.
const TOGETHER: usize = 4096;

/// Places of files, by id.
#[derive(Debug)]
pub(super) struct FilePlaces {
    /// Ids and places in the order of the log's names, which is mostly that of records as well.
    sequence: Vec<(u64, u32)>,
    next: usize,
    strays: u32,
    /// Positions of ids in the sequence; made when first needed.
    by_id: Option<ById>,
    /// Places of files without a name, by id.
    nameless: HashMap<u64, u32>,
}

impl FilePlaces {
    /// Files for at most `most` of the names, by name, and their places.
    ///
    /// Not by id, which says nothing to anybody, nor in the order of the log: the same files give
    /// the same report.
    pub(super) fn of(names: &Names, most: usize) -> (Vec<File>, Self) {
        let named = names.iter().filter(|(_, name)| !name.is_empty()).take(most);
        let (ids, names): (Vec<u64>, Vec<Cow<'_, str>>) =
            named.map(|(id, name)| (id, String::from_utf8_lossy(name))).unzip();
        let order = by_name(&names, &ids);
        let mut sequence: Vec<(u64, u32)> = ids.iter().map(|id| (*id, 0)).collect();
        (0..).zip(&order).for_each(|(place, at)| sequence[*at as usize].1 = place);
        let mut files = Vec::with_capacity(order.len());
        for part in order.chunks(TOGETHER) {
            let texts = part.iter().map(|at| &*names[*at as usize]);
            for (name, at) in Name::together(texts).zip(part) {
                files.push(File::new(ids[*at as usize], name, FileKind::Data, None));
            }
        }
        (files, Self { sequence, next: 0, strays: 0, by_id: None, nameless: HashMap::new() })
    }

    /// Place of the file with this id.
    pub(super) fn find(&mut self, id: u64) -> Option<usize> {
        if self.strays < STRAYS {
            let ahead = &self.sequence[self.next..];
            if let Some(steps) = ahead.iter().take(AHEAD).position(|(next, _)| *next == id) {
                self.next += steps + 1;
                self.strays = self.strays.saturating_sub(1);
                return Some(ahead[steps].1 as usize);
            }
            self.strays += 1;
        }
        let by_id = self.by_id.get_or_insert_with(|| ById::of(&self.sequence));
        match by_id.find(id) {
            Some(found) => {
                self.next = found.at as usize + 1;
                Some(found.place as usize)
            }
            None => self.nameless.get(&id).map(|place| *place as usize),
        }
    }

    /// Adds an id without a name.
    pub(super) fn add(&mut self, id: u64, place: usize) {
        self.nameless.insert(id, place as u32);
    }

    /// Another module begins.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
        self.strays = 0;
    }
}

/// Ids in order, in groups of the same first bits. Ids are hashes, so groups are small; a log that
/// makes ids up costs no more than a binary search.
#[derive(Debug)]
struct ById {
    sorted: Vec<IdPlace>,
    /// First position of each group, and one more for the end.
    starts: Vec<u32>,
    /// Number of bits behind the first ones.
    rest: u32,
}

/// Position and place of an id.
#[derive(Debug)]
struct IdPlace {
    id: u64,
    /// Position in the sequence.
    at: u32,
    /// Place of its file.
    place: u32,
}

impl ById {
    fn of(sequence: &[(u64, u32)]) -> Self {
        let found = |(at, (id, place)): (u32, &(u64, u32))| IdPlace { id: *id, at, place: *place };
        let mut sorted: Vec<IdPlace> = (0..).zip(sequence).map(found).collect();
        sorted.sort_unstable_by_key(|found| found.id);
        let bits = sorted.len().checked_ilog2().unwrap_or(0).max(1);
        let rest = u64::BITS - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        for found in &sorted {
            starts[(found.id >> rest) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Self { sorted, starts, rest }
    }

    fn find(&self, id: u64) -> Option<&IdPlace> {
        let first = (id >> self.rest) as usize;
        let alike = &self.sorted[self.starts[first] as usize..self.starts[first + 1] as usize];
        alike.binary_search_by_key(&id, |found| found.id).ok().map(|index| &alike[index])
    }
}

/// Gives up places that were not needed, and puts files in order that had none.
pub(super) fn settle(files: &mut Vec<File>, names: &Names) {
    let mut are_in_order = true;
    for file in files.iter_mut().filter(|file| file.name.is_empty()) {
        file.name = names.lookup(file.id).as_ref().into();
        are_in_order = false;
    }
    files.retain(File::has_records);
    if !are_in_order {
        files.sort_by_cached_key(|file| (file.name.clone(), file.id));
    }
}

impl File {
    /// Returns true if any layer has a record of it.
    fn has_records(&self) -> bool {
        let layers = [&self.posix, &self.mpiio, &self.stdio, &self.h5f, &self.pnetcdf, &self.daos];
        layers.iter().any(|layer| layer.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_however_they_are_spread() {
        let spread = (0..1000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let alike = (0..1000_u64).map(|i| u64::MAX - i).collect();
        for ids in [Vec::new(), vec![7], spread, alike] {
            let sequence: Vec<(u64, u32)> = ids.iter().copied().zip(100..).collect();
            let by_id = ById::of(&sequence);
            for (at, id) in (0..).zip(&ids) {
                let found = by_id.find(*id).map(|found| (found.at, found.place));
                assert_eq!(found, Some((at, at + 100)));
            }
            assert!(by_id.find(12345).is_none());
        }
    }
}
