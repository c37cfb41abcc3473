//! Data: numbers that depend on the seed and on the place in the dataset alone.

use crate::shape::{Element, Part};

/// A dataset of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The seed of the run.
    pub(crate) seed: u64,
    /// The step.
    pub(crate) step: u64,
    /// The number of the dataset in the step.
    pub(crate) dataset: u64,
}

/// The finalizer of SplitMix64.
fn mixed(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

impl Place {
    fn key(self) -> u64 {
        let Place { seed, step, dataset } = self;
        mixed(mixed(mixed(seed).wrapping_add(step)).wrapping_add(dataset))
    }

    /// The bytes of a part.
    pub(crate) fn bytes(self, part: &Part) -> Vec<u8> {
        let mut bytes = Vec::with_capacity((part.points() * part.element.bytes()) as usize);
        self.each(part, |value| bytes.extend_from_slice(value));
        bytes
    }

    /// True if these are the bytes of a part.
    pub(crate) fn is(self, part: &Part, bytes: &[u8]) -> bool {
        let mut rest = bytes.chunks_exact(part.element.bytes() as usize);
        let mut is_same = true;
        self.each(part, |value| is_same &= rest.next() == Some(value));
        is_same && rest.next().is_none()
    }

    /// Hands out the elements of a part in the order of memory.
    fn each(self, part: &Part, mut each: impl FnMut(&[u8])) {
        let key = self.key();
        let Some(((length, start), extent)) =
            part.count.last().zip(part.start.last()).zip(part.extent.last())
        else {
            return;
        };
        let rows: u64 = part.count.iter().rev().skip(1).product();
        for row in 0..rows {
            // The place of the row, one dimension after the other, the fastest first.
            let (mut rest, mut stride, mut first) = (row, *extent, *start);
            let outer = part.count.iter().zip(&part.start).zip(&part.extent).rev().skip(1);
            for ((count, start), extent) in outer {
                first += (start + rest % count) * stride;
                rest /= count;
                stride *= extent;
            }
            for index in first..first + length {
                let number = mixed(key ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                match part.element {
                    Element::Float => {
                        let value = (number >> 40) as f32 / (1 << 24) as f32;
                        each(&value.to_ne_bytes());
                    }
                    Element::Double => {
                        let value = (number >> 11) as f64 / (1_u64 << 53) as f64;
                        each(&value.to_ne_bytes());
                    }
                    Element::Int => each(&((number >> 32) as u32).to_ne_bytes()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(start: [u64; 2], count: [u64; 2]) -> Part {
        let [start, count] = [start, count].map(Vec::from);
        Part { name: "E", element: Element::Double, extent: vec![4, 6], start, count }
    }

    const PLACE: Place = Place { seed: 1, step: 0, dataset: 0 };

    #[test]
    fn a_part_is_a_cut_of_the_whole() {
        let whole = PLACE.bytes(&part([0, 0], [4, 6]));
        let cut = PLACE.bytes(&part([1, 2], [2, 3]));
        let of = |row: usize| &whole[8 * (6 * row + 2)..][..24];
        assert_eq!(cut, [of(1), of(2)].concat());
    }

    #[test]
    fn one_wrong_byte_is_seen() {
        let part = part([1, 2], [2, 3]);
        let mut bytes = PLACE.bytes(&part);
        assert!(PLACE.is(&part, &bytes));
        assert!(!PLACE.is(&part, &bytes[8..]), "too few");
        for other in [Place { seed: 2, ..PLACE }, Place { step: 1, ..PLACE }] {
            assert!(!other.is(&part, &bytes));
        }
        bytes[47] ^= 1;
        assert!(!PLACE.is(&part, &bytes));
    }
}
