//! Sorting very many names.
//!
//! Paths begin alike. Comparing two of them fetches both from memory and goes through their common
//! beginning. Here the common beginning of a group of names is skipped, and the next few bytes,
//! which are stored side by side, decide. Names with the same bytes form a group again.

use std::borrow::Cow;

/// Names that are compared as they are.
const FEW: usize = 32;
/// Groups within groups: names that still begin alike are compared as they are.
const LEVELS: usize = 32;

/// A name and the bytes that decide its position.
#[derive(Debug, Clone, Copy)]
struct NameKey {
    /// The next bytes; 0 where there are none.
    bytes: u64,
    /// Index of the name.
    at: u32,
}

/// Indices of names, sorted by name, then by id.
pub(super) fn by_name(names: &[Cow<'_, str>], ids: &[u64]) -> Vec<u32> {
    let mut keys: Vec<NameKey> =
        (0..names.len() as u32).map(|at| NameKey { bytes: 0, at }).collect();
    sort(&mut keys, 0, LEVELS, names, ids);
    keys.into_iter().map(|key| key.at).collect()
}

/// Sorts names whose first `start` bytes are the same.
fn sort(keys: &mut [NameKey], start: usize, levels: usize, names: &[Cow<'_, str>], ids: &[u64]) {
    let name = |key: &NameKey| names[key.at as usize].as_bytes();
    if keys.len() <= FEW || levels == 0 {
        let whole = |key: &NameKey| (name(key), ids[key.at as usize]);
        keys.sort_unstable_by(|a, b| whole(a).cmp(&whole(b)));
        return;
    }
    let rest = |key: &NameKey| name(key).get(start..).unwrap_or_default();
    let mut common = rest(&keys[0]);
    for key in &*keys {
        if !rest(key).starts_with(common) {
            let same = common.iter().zip(rest(key)).take_while(|(a, b)| a == b).count();
            common = &common[..same];
        }
    }
    let common = common.len();
    for key in &mut *keys {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(&rest(key)[common..]).for_each(|(to, from)| *to = *from);
        key.bytes = u64::from_be_bytes(bytes);
    }
    keys.sort_unstable_by_key(|key| key.bytes);
    for group in keys.chunk_by_mut(|a, b| a.bytes == b.bytes) {
        sort(group, start + common + 8, levels - 1, names, ids);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_as_if_compared() {
        let mut texts = Vec::new();
        for i in 0..2000_u64 {
            let folder = "/scratch/astro/".repeat((i % 50) as usize);
            texts.push(format!("{folder}{}.dat", i * 7919 % 2000));
            // Ends where others go on, with a byte that is like the end; and many that are equal.
            texts.push(format!("{folder}{}", "\0".repeat((i % 11) as usize)));
        }
        let names: Vec<Cow<'_, str>> = texts.iter().map(Into::into).collect();
        let ids: Vec<u64> = (0..names.len() as u64).map(|i| i * 7919 % 4001).collect();
        let mut expected: Vec<u32> = (0..names.len() as u32).collect();
        expected.sort_by_key(|at| (&names[*at as usize], ids[*at as usize]));
        assert_eq!(by_name(&names, &ids), expected);
    }
}
