//! What was done to files through one interface, while records are read.
//!
//! Records come in an order of their own, detectors go through files by name. With very many files
//! it decides how long that takes whether what they look at is in the same order in memory. So with
//! the first of a few neighbours all of them get their memory.

use super::usage::Usage;

/// Files that get their memory together.
const NEIGHBOURS: usize = 32;

/// What was done to files, by their places.
#[derive(Debug, Default)]
pub(super) struct Table {
    usages: Vec<Option<Box<Usage>>>,
    is_asked: Vec<bool>,
}

impl Table {
    /// What was done to the file at `place`.
    pub(super) fn at(&mut self, place: usize) -> &mut Usage {
        let first = place - place % NEIGHBOURS;
        if self.usages.len() <= place {
            self.usages.resize_with(first + NEIGHBOURS, || None);
            self.is_asked.resize(first + NEIGHBOURS, false);
        }
        self.is_asked[place] = true;
        if self.usages[place].is_none() {
            self.usages[first..][..NEIGHBOURS].fill_with(|| Some(Box::default()));
        }
        self.usages[place].get_or_insert_default()
    }

    /// All of it by place; none for those that were not asked for.
    pub(super) fn into_usages(self) -> impl Iterator<Item = Option<Box<Usage>>> {
        let usages = self.usages.into_iter().zip(self.is_asked);
        usages.map(|(usage, is_asked)| usage.filter(|_| is_asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_keeps_its_place() {
        let places = [7, 3, 11, 3, 0, 8, 7, 20, 1];
        let mut table = Table::default();
        for place in places {
            table.at(place).opens += place as u64 + 1;
        }
        let usages: Vec<_> = table.into_usages().collect();
        assert!(usages.len() > 20);
        for (place, usage) in usages.iter().enumerate() {
            let times = places.iter().filter(|known| **known == place).count() as u64;
            let opens = usage.as_deref().map_or(0, |usage| usage.opens);
            assert_eq!(opens, times * (place as u64 + 1));
            assert_eq!(usage.is_some(), times > 0);
        }
    }
}
