//! Classes of sizes, and counters that reads and writes have in pairs.

/// Upper bounds of the size classes, the last without one.
const BOUNDS: [i64; 9] =
    [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30];

/// Size classes.
pub(crate) const CLASSES: usize = BOUNDS.len() + 1;

/// How many bounds lie below all sizes with so many binary digits. No two bounds have equally many, so
/// one more comparison tells the class.
const BELOW: [u8; 65] = {
    let mut below = [0; 65];
    let mut size = 0;
    while size < BOUNDS.len() {
        let mut digits = digits(BOUNDS[size]) + 1;
        while digits < below.len() {
            below[digits] += 1;
            digits += 1;
        }
        size += 1;
    }
    below
};

const fn digits(length: i64) -> usize {
    (i64::BITS - length.leading_zeros()) as usize
}

/// The class of a size: how many bounds lie below it.
#[inline]
pub(crate) fn class(length: i64) -> usize {
    if length <= BOUNDS[0] {
        return 0;
    }
    let below = usize::from(BELOW[digits(length)]);
    below + usize::from(BOUNDS.get(below).is_some_and(|bound| length > *bound))
}

/// The counter of reads, behind which stands that of writes: to find one a direction is added, and no table is asked,
/// which would have to be fetched first.
pub(crate) const fn pair(reads: usize, writes: usize) -> usize {
    assert!(writes == reads + 1, "the next counter");
    reads
}

/// The same of counters by class.
pub(crate) const fn pair_of_classes(reads: usize, writes: usize) -> usize {
    assert!(writes == reads + CLASSES, "the next counters");
    reads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_inclusive_upper_bounds() {
        for (at, bound) in BOUNDS.iter().enumerate() {
            assert_eq!(class(*bound), at);
            assert_eq!(class(*bound + 1), at + 1);
        }
        assert_eq!([-1, 0, 1, 99, i64::MAX].map(class), [0, 0, 0, 0, 9]);
    }
}
