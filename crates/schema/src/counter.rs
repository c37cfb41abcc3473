//! One row of a module's table: a counter, and how two of its values become one.

/// A counter of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counter {
    /// Full name as logs and tools spell it, for example `POSIX_F_READ_TIME`.
    pub name: &'static str,
    /// The rule by which the values of several ranks, or of several records, become one.
    pub rule: Rule,
    /// The meaning of the number.
    pub unit: Unit,
    /// First module version that stores the counter.
    pub since: u32,
    /// One line of explanation.
    pub doc: &'static str,
}

impl Counter {
    /// The value of an integer counter in a log that is too old to have it.
    ///
    /// Record ids are unsigned, so "not monitored" cannot be −1 for them.
    pub const fn absent(&self) -> i64 {
        match self.unit {
            Unit::Id => 0,
            _ => -1,
        }
    }
}

/// The rule by which two values of a counter become one. Indices point into the module's integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Add.
    Sum,
    /// Add; anything below zero means "not monitored" and becomes −1.
    SumKnown,
    /// The incoming value replaces the old one.
    Last,
    /// The larger value.
    Max,
    /// The smaller value above zero; zero means "never".
    MinNonZero,
    /// 1 if either is set.
    Or,
    /// First value of a table of the four most common values, each `width` integers wide.
    Top4 {
        /// Index of the first of the four counts.
        counts: usize,
        /// Integers in one value.
        width: usize,
    },
    /// The larger time wins and brings this integer with it.
    MaxWith(usize),
    /// The smallest time over ranks wins and brings its rank and bytes.
    Fastest {
        /// Index of the rank.
        rank: usize,
        /// Index of that rank's bytes.
        bytes: usize,
    },
    /// The largest time over ranks wins and brings its rank and bytes.
    Slowest {
        /// Index of the rank.
        rank: usize,
        /// Index of that rank's bytes.
        bytes: usize,
    },
    /// Population variance over the ranks, of times or bytes as the unit says.
    Variance,
    /// Moves together with the counter that names it.
    Carried,
}

/// The meaning of a counter's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of things.
    Count,
    /// Bytes.
    Bytes,
    /// A byte offset in a file.
    Offset,
    /// A duration in seconds.
    Seconds,
    /// Seconds since the job began; 0 is never.
    Timestamp,
    /// Seconds squared: a variance of durations.
    SecondsSquared,
    /// Bytes squared: a variance of bytes.
    BytesSquared,
    /// A rank.
    Rank,
    /// A record id, unsigned.
    Id,
    /// Bits or an enumeration of the interface itself.
    Mode,
    /// 0 or 1.
    Flag,
}
