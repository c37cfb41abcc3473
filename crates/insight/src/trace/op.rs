//! One traced call, as small as it can be.

use std::cmp::Ordering;

use ioglass_log::Segment;

/// Ranks from this on are not believed.
pub(crate) const MOST_RANKS: u32 = 1 << RANK_BITS;

const RANK_BITS: u32 = 20;
/// Requests of this many bytes are not believed.
const LONGEST: u64 = 1 << (64 - RANK_BITS);
/// Seconds beyond this, before or after the start, are not believed.
const LATEST: f64 = 1e9;
/// Stands for an offset that is not known.
const NOWHERE: u64 = u64::MAX;

/// A call: 32 bytes, because there are millions of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Op {
    pub(crate) offset: u64,
    /// Length above, rank below, so that comparing it compares both.
    packed: u64,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Op {
    /// The call of a segment, unless it is nonsense.
    pub(crate) fn new(rank: u32, segment: &Segment) -> Option<Self> {
        let length = u64::try_from(segment.length).ok().filter(|length| *length < LONGEST)?;
        let believed = |time: f64| time.abs() <= LATEST;
        if rank >= MOST_RANKS || !believed(segment.start) || !believed(segment.end) {
            return None;
        }
        Some(Self {
            offset: u64::try_from(segment.offset).unwrap_or(NOWHERE),
            packed: length << RANK_BITS | u64::from(rank),
            // Adding zero leaves one kind of zero, so that equal times are equal bits.
            start: segment.start + 0.0,
            end: segment.end.max(segment.start) + 0.0,
        })
    }

    pub(crate) fn rank(&self) -> u32 {
        (self.packed & u64::from(MOST_RANKS - 1)) as u32
    }

    pub(crate) fn length(&self) -> u64 {
        self.packed >> RANK_BITS
    }

    /// Its offset, if that is known.
    pub(crate) fn offset(&self) -> Option<u64> {
        (self.offset != NOWHERE).then_some(self.offset)
    }

    /// First byte after it.
    pub(crate) fn stop(&self) -> u64 {
        self.offset.saturating_add(self.length())
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// It covers bytes, and which is known.
    pub(crate) fn is_placed(&self) -> bool {
        self.offset != NOWHERE && self.length() > 0
    }

    /// By offset, then length, then rank. No two different calls are equal.
    pub(crate) fn by_place(&self, other: &Self) -> Ordering {
        (self.offset, self.packed)
            .cmp(&(other.offset, other.packed))
            .then_with(|| self.start.total_cmp(&other.start))
            .then_with(|| self.end.total_cmp(&other.end))
    }

    /// By rank, then time. No two different calls are equal.
    pub(crate) fn by_time(&self, other: &Self) -> Ordering {
        (self.rank().cmp(&other.rank()))
            .then_with(|| self.start.total_cmp(&other.start))
            .then_with(|| self.end.total_cmp(&other.end))
            .then_with(|| (self.offset, self.packed).cmp(&(other.offset, other.packed)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A call, for tests.
    pub(in crate::trace) fn op(rank: u32, offset: i64, length: i64, start: f64, end: f64) -> Op {
        Op::new(rank, &Segment { offset, length, start, end }).unwrap()
    }

    #[test]
    fn nonsense_is_refused_and_the_rest_kept() {
        let whole = Segment { offset: 5, length: 10, start: 1.0, end: 2.0 };
        let kept = Op::new(7, &whole).unwrap();
        assert_eq!((kept.rank(), kept.offset, kept.length(), kept.stop()), (7, 5, 10, 15));
        for bad in [
            Segment { length: -1, ..whole },
            Segment { length: i64::MAX, ..whole },
            Segment { start: f64::NAN, ..whole },
            Segment { end: f64::INFINITY, ..whole },
        ] {
            assert_eq!(Op::new(7, &bad), None, "{bad:?}");
        }
        assert_eq!(Op::new(MOST_RANKS, &whole), None);
        let backwards = Op::new(7, &Segment { end: 0.5, ..whole }).unwrap();
        assert_eq!(backwards.seconds(), 0.0);
        let nowhere = Op::new(7, &Segment { offset: -1, ..whole }).unwrap();
        assert!(!nowhere.is_placed());
        assert_eq!(nowhere.stop(), u64::MAX);
    }
}
