//! Size classes, and paired counters of reads and writes.

/// Upper bounds of the size classes; the last class has none.
const BOUNDS: [i64; 9] =
    [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30];

/// Size classes.
pub(crate) const CLASSES: usize = BOUNDS.len() + 1;

/// Number of bounds below all sizes with a given number of binary digits. No two bounds have the
/// same number of digits, so one more comparison gives the class.
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

/// The class of a size: the number of bounds below it.
#[inline]
pub(crate) fn class(length: i64) -> usize {
    if length <= BOUNDS[0] {
        return 0;
    }
    let below = usize::from(BELOW[digits(length)]);
    below + usize::from(BOUNDS.get(below).is_some_and(|bound| length > *bound))
}

/// The counter of reads, directly before that of writes: adding the direction finds the counter
/// without a table, which would have to be fetched first.
pub(crate) const fn pair(reads: usize, writes: usize) -> usize {
    assert!(writes == reads + 1, "the next counter");
    reads
}

/// The first counter of reads by class, directly before those of writes.
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
