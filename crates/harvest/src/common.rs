//! The four most common values of a record, out of all that were counted.

use alloc::vec::Vec;

use ioglass_shm::{Kind, MoreValues, MoreWide, Pod, Values, Wide, WideValues};

use crate::capture::Capture;
use crate::{NoMemory, push};

/// Values of so many numbers with their counts; reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct CommonOf<const WIDTH: usize> {
    counted: Vec<([i64; WIDTH], i64)>,
}

/// Sizes or strides.
pub(crate) type Common = CommonOf<1>;
/// Accesses with their dimensions.
pub(crate) type CommonWide = CommonOf<{ size_of::<Wide>() / size_of::<i64>() }>;

impl Common {
    /// Adds what a record of `capture` counted.
    pub(crate) fn add(&mut self, capture: &Capture<'_>, values: &Values) -> Result<(), NoMemory> {
        // 0 is the stride of consecutive accesses, which no log lists.
        let listed = |value: &i64| (*value != 0).then_some([*value]);
        self.extend(&values.value, &values.count, listed)?;
        match more(capture, values.more, Kind::MoreValues).and_then(MoreValues::read) {
            Some(more) => self.extend(&more.value, &more.count, listed),
            None => Ok(()),
        }
    }
}

impl CommonWide {
    /// Adds what a record of `capture` counted.
    pub(crate) fn add(
        &mut self,
        capture: &Capture<'_>,
        values: &WideValues,
    ) -> Result<(), NoMemory> {
        let listed = |value: &Wide| Some(*value);
        self.extend(&values.value, &values.count, listed)?;
        match more(capture, values.more, Kind::MoreWide).and_then(MoreWide::read) {
            Some(more) => self.extend(&more.value, &more.count, listed),
            None => Ok(()),
        }
    }
}

/// The entry with further values, if there is one.
fn more<'r>(capture: &Capture<'r>, offset: u64, kind: Kind) -> Option<&'r [u8]> {
    let offset = usize::try_from(offset).ok().filter(|offset| *offset != 0)?;
    capture.entry(offset, kind)
}

impl<const WIDTH: usize> CommonOf<WIDTH> {
    pub(crate) fn clear(&mut self) {
        self.counted.clear();
    }

    fn extend<V>(
        &mut self,
        values: &[V],
        counts: &[i64],
        listed: impl Fn(&V) -> Option<[i64; WIDTH]>,
    ) -> Result<(), NoMemory> {
        for (value, count) in values.iter().zip(counts).filter(|(_, count)| **count > 0) {
            if let Some(value) = listed(value) {
                push(&mut self.counted, (value, *count))?;
            }
        }
        Ok(())
    }

    /// Stores the four most common at `values` and their counts at `counts`; of equally common
    /// ones the larger first.
    pub(crate) fn store(&mut self, int: &mut [i64], values: usize, counts: usize) {
        self.counted.sort_unstable();
        self.counted.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(later.1);
            }
            same
        });
        self.counted.sort_unstable_by_key(|(value, count)| core::cmp::Reverse((*count, *value)));
        for (slot, (value, count)) in self.counted.iter().take(4).enumerate() {
            let begin = values + slot * WIDTH;
            if let Some(place) = int.get_mut(begin..begin + WIDTH) {
                place.copy_from_slice(value);
            }
            if let Some(place) = int.get_mut(counts + slot) {
                *place = *count;
            }
        }
    }
}
