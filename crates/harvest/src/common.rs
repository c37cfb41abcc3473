//! The four most common values of a record, out of all that were counted.

use alloc::vec::Vec;

use ioglass_shm::{Kind, MoreValues, MoreWide, Pod, Values, Wide, WideValues};

use crate::region::Region;
use crate::{NoMemory, push};

/// Values with their counts; reused from record to record.
#[derive(Debug, Default)]
pub(crate) struct Common {
    counted: Vec<(i64, i64)>,
}

impl Common {
    pub(crate) fn clear(&mut self) {
        self.counted.clear();
    }

    /// Adds what a record of `region` counted.
    pub(crate) fn add(&mut self, region: &Region<'_>, values: &Values) -> Result<(), NoMemory> {
        self.extend(&values.value, &values.count)?;
        let more = usize::try_from(values.more).unwrap_or(usize::MAX);
        if more != 0
            && let Some(more) = region.entry(more, Kind::MoreValues).and_then(MoreValues::read)
        {
            self.extend(&more.value, &more.count)?;
        }
        Ok(())
    }

    fn extend(&mut self, values: &[i64], counts: &[i64]) -> Result<(), NoMemory> {
        for (value, count) in values.iter().zip(counts) {
            // 0 is the stride of consecutive accesses, which no log lists.
            if *value != 0 && *count > 0 {
                push(&mut self.counted, (*value, *count))?;
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
            if let Some(place) = int.get_mut(values + slot) {
                *place = *value;
            }
            if let Some(place) = int.get_mut(counts + slot) {
                *place = *count;
            }
        }
    }
}

/// The same for accesses with their dimensions.
#[derive(Debug, Default)]
pub(crate) struct CommonWide {
    counted: Vec<(Wide, i64)>,
}

impl CommonWide {
    pub(crate) fn clear(&mut self) {
        self.counted.clear();
    }

    /// Adds what a record of `region` counted.
    pub(crate) fn add(&mut self, region: &Region<'_>, values: &WideValues) -> Result<(), NoMemory> {
        self.extend(&values.value, &values.count)?;
        let more = usize::try_from(values.more).unwrap_or(usize::MAX);
        if more != 0
            && let Some(more) = region.entry(more, Kind::MoreWide).and_then(MoreWide::read)
        {
            self.extend(&more.value, &more.count)?;
        }
        Ok(())
    }

    fn extend(&mut self, values: &[Wide], counts: &[i64]) -> Result<(), NoMemory> {
        for (value, count) in values.iter().zip(counts).filter(|(_, count)| **count > 0) {
            push(&mut self.counted, (*value, *count))?;
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
            let begin = values + slot * value.len();
            if let Some(place) = int.get_mut(begin..begin + value.len()) {
                place.copy_from_slice(value);
            }
            if let Some(place) = int.get_mut(counts + slot) {
                *place = *count;
            }
        }
    }
}
