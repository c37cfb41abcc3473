//! Shapes of chunks.

/// Shapes a chunk of at most `bytes` for a dataset whose extent is in `lengths`: the largest length, the
/// last of equals, is halved until the chunk fits. All ranks come to the same shape.
pub fn fit(lengths: &mut [u64], element: u64, bytes: u64) {
    while size(lengths, element) > u128::from(bytes) {
        // Of equals, the last is taken.
        match lengths.iter_mut().max_by_key(|length| **length) {
            Some(largest) if *largest > 1 => *largest = largest.div_ceil(2),
            _ => return,
        }
    }
}

/// Clips the lengths of a chunk to an extent.
pub fn clip(lengths: &mut [u64], extent: &[u64]) {
    for (length, most) in lengths.iter_mut().zip(extent) {
        *length = (*length).min(*most);
    }
}

/// Bytes of a chunk.
pub fn size(lengths: &[u64], element: u64) -> u128 {
    lengths.iter().fold(u128::from(element), |bytes, length| bytes.saturating_mul((*length).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_length_is_halved_until_it_fits() {
        let rows: [(&[u64], u64, u64, &[u64]); 6] = [
            (&[100, 100], 8, 1 << 30, &[100, 100]),
            (&[100, 100], 8, 40_000, &[100, 50]),
            (&[100, 100], 8, 20_000, &[50, 50]),
            (&[1, 26, 2_621_440], 4, 8 << 20, &[1, 26, 40_960]),
            (&[7], 1, 3, &[2]),
            (&[3, 3], 1 << 20, 1, &[1, 1]),
        ];
        for (extent, element, bytes, expected) in rows {
            let mut lengths = [0; 3];
            let lengths = &mut lengths[..extent.len()];
            lengths.copy_from_slice(extent);
            fit(lengths, element, bytes);
            assert_eq!(lengths, expected);
        }
        let mut lengths = [u64::MAX; 32];
        fit(&mut lengths, u64::MAX, 1);
        assert_eq!(lengths, [1; 32]);
    }

    #[test]
    fn a_chunk_is_no_larger_than_the_extent() {
        let mut lengths = [10, 20];
        clip(&mut lengths, &[5, 30]);
        assert_eq!(lengths, [5, 20]);
    }
}
