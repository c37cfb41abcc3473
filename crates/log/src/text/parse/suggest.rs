//! The name somebody meant.

/// Names are compared as far as this; no counter's name is longer.
const LONGEST: usize = 48;

/// The candidate that `name` differs least from, if it differs little.
pub(super) fn nearest<'c>(
    name: &[u8],
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    let name = &name[..name.len().min(LONGEST)];
    let few = 1 + name.len() / 5;
    candidates
        .map(|candidate| (distance(name, candidate.as_bytes()), candidate))
        .filter(|(distance, _)| *distance <= few)
        // Equal distances go by name, so that the answer does not depend on a map's order.
        .min()
        .map(|(_, candidate)| candidate)
}

/// Letters to insert, remove or replace to get from one name to the other.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replace = diagonal + usize::from(!a.eq_ignore_ascii_case(b));
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"posix", b"POSIX"), 0);
    }
}
