//! Usages of files through one interface, while records are read.
//!
//! Records come in an order of their own; detectors go through files by name. With very many files
//! that is fast only if usages lie in memory in the order of names. So the first of a few
//! neighbours allocates the memory of all of them.

use super::usage::Usage;

/// Files that get their memory together.
const NEIGHBOURS: usize = 32;

/// Usages of files, by their places.
#[derive(Debug, Default)]
pub(super) struct UsageTable {
    usages: Vec<Option<Box<Usage>>>,
    is_asked: Vec<bool>,
}

impl UsageTable {
    /// Usage of the file at `place`.
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

    /// All usages by place; none for places that were not asked for.
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
        let mut table = UsageTable::default();
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
