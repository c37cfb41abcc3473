//! Begin and end of calls, and the time they cover.

use crate::clock;

/// Begin and end of a call.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// First tick.
    pub begin: u64,
    /// Last tick.
    pub end: u64,
}

impl Span {
    /// Runs `call` and measures its time.
    #[inline]
    pub fn of<T>(call: impl FnOnce() -> T) -> (T, Self) {
        let begin = clock::tick();
        let result = call();
        (result, Self { begin, end: clock::tick() })
    }
}

/// Notes first begin, last end, and the time that no earlier call of the class has covered, in the
/// three `columns`; `last` is the end of the calls so far. Returns that time.
#[inline]
pub(crate) fn cover(tick: &mut [u64], last: &mut u64, columns: [usize; 3], span: Span) -> u64 {
    let [start, end, time] = columns;
    if tick[start] == 0 || span.begin < tick[start] {
        tick[start] = span.begin;
    }
    tick[end] = tick[end].max(span.end);
    let added = uncovered(last, span);
    tick[time] += added;
    added
}

/// The time of a call after the end of all earlier ones.
#[inline]
pub(crate) fn uncovered(last: &mut u64, span: Span) -> u64 {
    let from = span.begin.max(*last);
    *last = span.end.max(*last);
    span.end.saturating_sub(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_covered_once() {
        let mut last = 0;
        let mut of = |begin, end| uncovered(&mut last, Span { begin, end });
        assert_eq!([of(10, 20), of(15, 25), of(12, 18), of(30, 31)], [10, 5, 0, 1]);
    }

    #[test]
    fn moments_and_time() {
        let (mut tick, mut last) = ([0; 3], 0);
        for (begin, end) in [(20, 30), (10, 15), (25, 40)] {
            cover(&mut tick, &mut last, [0, 1, 2], Span { begin, end });
        }
        assert_eq!(tick, [10, 40, 20]);
    }
}
