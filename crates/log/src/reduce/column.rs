//! One word of many records.

use alloc::vec;
use alloc::vec::Vec;

/// The words of all rows of a table. Files of a program are mostly used alike, so most columns hold one
/// number in every row: those take no memory, and next to no time.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Column {
    Same(i64),
    /// A number for each row.
    Each(Vec<i64>),
}

impl Column {
    /// Appends a number to so many rows.
    pub(super) fn push(&mut self, number: i64, rows: usize) {
        match self {
            Self::Same(same) if rows == 0 => *same = number,
            Self::Same(same) if *same == number => {}
            _ => self.extend([number], rows, rows + 1),
        }
    }

    /// Appends numbers to so many rows; there will be `room` of them.
    pub(super) fn extend(
        &mut self,
        numbers: impl IntoIterator<Item = i64>,
        rows: usize,
        room: usize,
    ) {
        let each = self.each(rows);
        each.reserve_exact(room.saturating_sub(each.len()));
        each.extend(numbers);
    }

    pub(super) fn is_same(&self) -> bool {
        matches!(self, Self::Same(_))
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> i64 {
        match self {
            Self::Same(same) => *same,
            Self::Each(each) => each.get(row).copied().unwrap_or(0),
        }
    }

    /// Changes one of so many rows.
    #[inline]
    pub(super) fn set(&mut self, row: usize, number: i64, rows: usize) {
        if let Self::Same(same) = self
            && *same == number
        {
            return;
        }
        if let Some(old) = self.each(rows).get_mut(row) {
            *old = number;
        }
    }

    /// Combines so many rows from `first` on, of `rows` in all, with those of another column.
    pub(super) fn combine(
        &mut self,
        first: usize,
        rows: usize,
        (other, count): (&Self, usize),
        combined: impl Fn(i64, i64) -> i64,
    ) {
        if let (Self::Same(own), Self::Same(other)) = (&mut *self, other) {
            let number = combined(*own, *other);
            if count == rows {
                *own = number;
            }
            if *own == number {
                return;
            }
        }
        let own = self.each(rows).iter_mut().skip(first).take(count);
        match other {
            Self::Same(other) => own.for_each(|own| *own = combined(*own, *other)),
            Self::Each(other) => {
                own.zip(other).for_each(|(own, other)| *own = combined(*own, *other));
            }
        }
    }

    /// A number for each of so many rows.
    fn each(&mut self, rows: usize) -> &mut Vec<i64> {
        if let Self::Same(same) = self {
            *self = Self::Each(vec![*same; rows]);
        }
        match self {
            Self::Each(each) => each,
            // It was just made one.
            Self::Same(_) => unreachable!(),
        }
    }

    /// Appends what another process needs to have it.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Same(0) => bytes.push(Tag::ZERO),
            Self::Same(same) => {
                bytes.push(Tag::SAME);
                bytes.extend_from_slice(&same.to_le_bytes());
            }
            Self::Each(each) => {
                bytes.push(Tag::EACH);
                let start = bytes.len();
                bytes.resize(start + 8 * each.len(), 0);
                let places = bytes[start..].as_chunks_mut().0.iter_mut();
                places.zip(each).for_each(|(place, number)| *place = number.to_le_bytes());
            }
        }
    }

    /// Reads a column of so many rows off the front of `bytes`.
    pub(super) fn decode(bytes: &mut &[u8], rows: usize) -> Option<Self> {
        match *bytes.split_off_first()? {
            Tag::ZERO => Some(Self::Same(0)),
            Tag::SAME => Some(Self::Same(i64::from_le_bytes(*take(bytes)?))),
            Tag::EACH => {
                let numbers = bytes.split_off(..rows.checked_mul(8)?)?.as_chunks().0;
                Some(Self::Each(numbers.iter().map(|n| i64::from_le_bytes(*n)).collect()))
            }
            _ => None,
        }
    }
}

/// Kinds of columns in a message.
struct Tag;

impl Tag {
    const ZERO: u8 = 0;
    const SAME: u8 = 1;
    const EACH: u8 = 2;
}

/// The next eight bytes.
pub(super) fn take<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8; 8]> {
    bytes.split_off(..8)?.first_chunk()
}
