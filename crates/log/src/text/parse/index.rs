//! Finding things by a key that they contain themselves.

use std::hash::{BuildHasher, Hash, RandomState};

/// A place that is free.
const FREE: u32 = u32::MAX;

/// Numbers of things that are kept elsewhere, by their keys. A standard map would store every key
/// twice, and a short line of text has to pay for all that it adds.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// A power of two of places, at most five eighths of them taken: fuller, a search takes many steps.
    places: Vec<u32>,
    taken: usize,
    state: RandomState,
}

impl Index {
    /// The thing with this key; `is` says whether a thing has it.
    pub(super) fn find(&self, key: impl Hash, is: impl Fn(usize) -> bool) -> Option<u32> {
        let mut place = self.start(key)?;
        loop {
            match self.places[place] {
                FREE => return None,
                number if is(number as usize) => return Some(number),
                _ => place = (place + 1) & (self.places.len() - 1),
            }
        }
    }

    /// Adds the thing `number`, which is not there yet; `key_of` gives the key of any thing.
    pub(super) fn insert<K: Hash>(&mut self, number: u32, key_of: impl Fn(usize) -> K) {
        if (self.taken + 1) * 8 > self.places.len() * 5 {
            let size = (self.places.len() * 2).max(16);
            let before = std::mem::replace(&mut self.places, vec![FREE; size]);
            for number in before.into_iter().filter(|number| *number != FREE) {
                self.put(number, key_of(number as usize));
            }
        }
        self.put(number, key_of(number as usize));
        self.taken += 1;
    }

    fn put(&mut self, number: u32, key: impl Hash) {
        let Some(mut place) = self.start(key) else {
            return;
        };
        while self.places[place] != FREE {
            place = (place + 1) & (self.places.len() - 1);
        }
        self.places[place] = number;
    }

    fn start(&self, key: impl Hash) -> Option<usize> {
        let mask = self.places.len().checked_sub(1)?;
        Some(self.state.hash_one(key) as usize & mask)
    }
}

/// Appends to a list that may become large. Doubling would leave half of it unused.
pub(super) fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 16);
    }
    list.push(item);
}

/// The next number for a thing in `list`.
pub(super) fn next_number<T>(list: &[T]) -> Result<u32, String> {
    let number = u32::try_from(list.len()).ok().filter(|number| *number != FREE);
    number.ok_or_else(|| "the text has more records than a log can be made of".into())
}

/// Positions of things sorted by a small key, those of one key in their order. The second list
/// says where each of the `count` keys begins, and at its end where the last ends.
pub(super) fn sort_positions(
    keys: impl Iterator<Item = usize> + Clone,
    count: usize,
) -> (Vec<u32>, Vec<u32>) {
    // While positions are handed out, entry `key + 1` is the next free one of `key`. In the end
    // it is where `key` ends, and so where the next begins.
    let mut starts = vec![0; count + 2];
    let mut things = 0;
    for key in keys.clone() {
        starts[key + 2] += 1;
        things += 1;
    }
    for key in 2..starts.len() {
        starts[key] += starts[key - 1];
    }
    let mut positions = vec![0; things];
    for (key, position) in keys.zip(0..) {
        let next = &mut starts[key + 1];
        positions[*next as usize] = position;
        *next += 1;
    }
    starts.truncate(count + 1);
    (positions, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted() {
        let keys: Vec<u64> = (0..1000).map(|key| key * key).collect();
        let mut index = Index::default();
        for number in 0..keys.len() {
            assert_eq!(index.find(keys[number], |i| keys[i] == keys[number]), None);
            index.insert(number as u32, |i| keys[i]);
        }
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(index.find(key, |i| keys[i] == *key), Some(number as u32));
        }
        assert_eq!(index.find(2_u64, |i| keys[i] == 2), None);
    }

    #[test]
    fn sorts_positions() {
        let keys = [2, 0, 2, 0, 3];
        let (positions, starts) = sort_positions(keys.into_iter(), 4);
        assert_eq!(positions, [1, 3, 0, 2, 4]);
        assert_eq!(starts, [0, 2, 2, 4, 5]);
        assert_eq!(sort_positions([].into_iter(), 0), (vec![], vec![0]));
    }
}
