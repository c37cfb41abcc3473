//! What was done to a file through one interface, by one rank or by all.

use ioglass_log::{Module, RecordRef};
use smallvec::{Array, SmallVec};

/// Sizes and counts that are kept for a file; a record has four.
const MOST_VALUES: usize = 64;

/// Upper bounds of the size classes but the last, as Darshan has them: each belongs to its class.
pub const CLASS_BOUNDS: [u64; 9] =
    [100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30];
/// Size classes.
pub const CLASSES: usize = 10;

/// No counter is believed beyond this, nor any sum of them: then what is computed of a few of them
/// cannot overflow, whatever a log says. 64 PiB.
pub(crate) const MOST: u64 = 1 << 56;

/// Adds up to what is believed.
pub(crate) fn add_count(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more).min(MOST);
}

/// A counter as far as it is believed; 0 if it holds no number.
pub(crate) fn believed(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0).min(MOST)
}

/// Seconds as far as they are believed: at most 30,000 years; 0 if they are no number.
pub(crate) fn believed_time(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds.clamp(0.0, 1e12) } else { 0.0 }
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read = 0,
    /// To the file.
    Write = 1,
}

impl Direction {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Read, Self::Write];

    /// `read` or `write`.
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// `reads` or `writes`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
        }
    }
}

/// What one direction came to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Way {
    /// Calls, of whatever kind the interface has.
    pub calls: u64,
    /// Bytes.
    pub bytes: u64,
    /// Seconds, all ranks together.
    pub time: f64,
    /// Calls that began where the last one ended.
    pub consecutive: u64,
    /// Calls that began behind the end of the last one.
    pub sequential: u64,
    /// End of the highest byte; 0 if there is none.
    pub extent: u64,
    /// Calls by size class.
    pub sizes: [u64; CLASSES],
    /// Seconds since the start at which it was first done; 0 if never.
    pub first: f64,
    /// And last.
    pub last: f64,
    /// MPI-IO: calls made alone.
    pub independent: u64,
    /// MPI-IO: calls made together.
    pub collective: u64,
    /// MPI-IO: calls made together in two steps.
    pub split: u64,
    /// MPI-IO: calls that do not wait.
    pub nonblocking: u64,
}

/// What one rank did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankUse {
    /// The rank.
    pub rank: i64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Seconds in reads and writes.
    pub data_time: f64,
    /// Seconds in metadata calls.
    pub meta_time: f64,
}

impl RankUse {
    /// Bytes both ways.
    pub fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    /// All seconds.
    pub fn time(&self) -> f64 {
        self.data_time + self.meta_time
    }

    pub(crate) fn add(&mut self, other: &Self) {
        add_count(&mut self.read, other.read);
        add_count(&mut self.written, other.written);
        self.data_time += other.data_time;
        self.meta_time += other.meta_time;
    }
}

/// What the recorder kept of the ranks when it made one record of theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reduced {
    /// Seconds of the fastest rank.
    pub fastest_time: f64,
    /// Seconds of the slowest rank.
    pub slowest_time: f64,
    /// Bytes of the fastest rank.
    pub fastest_bytes: u64,
    /// Bytes of the slowest rank.
    pub slowest_bytes: u64,
    /// The slowest rank.
    pub slowest: i64,
    /// Variance of the ranks' seconds; 0 if not known.
    pub variance_time: f64,
    /// Variance of the ranks' bytes; 0 if not known.
    pub variance_bytes: f64,
}

/// Values with their counts. Two are held in place: a log may have very many files, which detectors
/// go through again and again, and most have no more.
pub type Values = SmallVec<[(u64, u64); 2]>;

/// What was done to a file through one interface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Reading and writing.
    pub ways: [Way; 2],
    /// Opens.
    pub opens: u64,
    /// Questions about the file.
    pub stats: u64,
    /// Seeks.
    pub seeks: u64,
    /// Mappings into memory.
    pub mmaps: u64,
    /// Calls that force data to the storage: `fsync`, `fdatasync`, flushes, `MPI_File_sync`.
    pub syncs: u64,
    /// Changes between reading and writing.
    pub switches: u64,
    /// Requests from or to memory that is not aligned.
    pub memory_misaligned: u64,
    /// Requests at offsets that are not aligned.
    pub file_misaligned: u64,
    /// The alignment meant; 0 if not known.
    pub alignment: u64,
    /// Seconds in metadata calls, all ranks together.
    pub meta_time: f64,
    /// The commonest sizes of requests, both ways, and their counts.
    pub common_sizes: Values,
    /// The commonest strides and their counts.
    pub strides: Values,
    /// Seconds since the start of the first open; 0 if there was none.
    pub first_open: f64,
    /// The last close.
    pub last_close: f64,
    /// What single ranks did, by rank. Empty if the record stands for all of them.
    pub by_rank: SmallVec<[RankUse; 1]>,
    /// What is left of the ranks if it does.
    pub reduced: Option<Reduced>,
    /// Some counters were not available and hold no number.
    pub has_unknown: bool,
}

impl Usage {
    /// Reading or writing.
    pub fn way(&self, direction: Direction) -> &Way {
        &self.ways[direction as usize]
    }

    /// Some calls were made by all ranks together.
    pub fn is_collective(&self) -> bool {
        self.ways.iter().any(|way| way.collective > 0 || way.split > 0)
    }

    /// Reads and writes.
    pub fn calls(&self) -> u64 {
        self.ways[0].calls.saturating_add(self.ways[1].calls)
    }

    /// Bytes both ways.
    pub fn bytes(&self) -> u64 {
        self.ways[0].bytes.saturating_add(self.ways[1].bytes)
    }

    /// Seconds in reads and writes, all ranks together.
    pub fn data_time(&self) -> f64 {
        self.ways[0].time + self.ways[1].time
    }

    /// Seconds in all calls, all ranks together.
    pub fn time(&self) -> f64 {
        self.data_time() + self.meta_time
    }

    /// End of the highest byte that was touched.
    pub fn extent(&self) -> u64 {
        self.ways[0].extent.max(self.ways[1].extent)
    }

    /// Ranks that used it, of `all`.
    pub fn ranks(&self, all: u64) -> u64 {
        if self.reduced.is_some() { all } else { self.by_rank.len() as u64 }
    }

    /// Seconds of the rank that spent most on it.
    pub fn slowest_time(&self, all: u64) -> f64 {
        let known = self.by_rank.iter().map(RankUse::time).fold(0.0, f64::max);
        match self.reduced {
            // Old records do not tell; then all ranks are taken to be alike.
            Some(Reduced { slowest_time, .. }) if slowest_time > 0.0 => known.max(slowest_time),
            Some(_) => known.max(self.time() / all.max(1) as f64),
            None => known,
        }
    }

    /// The part of the slowest rank's seconds that `part` of all seconds makes up.
    pub fn slowest_part(&self, part: f64, all: u64) -> f64 {
        let time = self.time();
        if time > 0.0 { self.slowest_time(all) * (part / time).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Requests below `bytes`. Of the class that this lies in, those are not counted that are known
    /// to be larger: Darshan's class below 1 MiB also has those of exactly 1 MiB.
    pub fn small(&self, direction: Direction, bytes: u64) -> u64 {
        let bound = CLASS_BOUNDS.partition_point(|bound| *bound < bytes);
        let in_classes = |way: &Way| way.sizes[..=bound.min(CLASSES - 1)].iter().sum::<u64>();
        let exact_of = |way: &Way| way.sizes[bound.min(CLASSES - 1)];
        let exact: u64 = self
            .common_sizes
            .iter()
            .filter(|(size, _)| {
                *size >= bytes && CLASS_BOUNDS.get(bound).is_some_and(|b| size <= b)
            })
            .map(|(_, count)| count)
            .sum();
        // Sizes are not told apart by direction; share them out as the class is.
        let [read, write] = [exact_of(&self.ways[0]), exact_of(&self.ways[1])];
        let own = exact_of(self.way(direction));
        let part = if read + write == 0 {
            0
        } else {
            let share = exact.min(read + write) as f64 * own as f64 / (read + write) as f64;
            share.round() as u64
        };
        in_classes(self.way(direction)).saturating_sub(part.min(own))
    }

    /// Requests that neither go on nor step forward. The first after an open cannot, and does not
    /// count.
    pub fn random(&self, direction: Direction) -> u64 {
        let way = self.way(direction);
        let calls = self.calls().max(1);
        let first = (self.opens as f64 * way.calls as f64 / calls as f64).ceil() as u64;
        way.calls.saturating_sub(way.sequential).saturating_sub(first)
    }

    /// The size that most requests have, of those whose sizes are known.
    pub fn common_size(&self) -> Option<(u64, u64)> {
        self.common_sizes.iter().copied().max_by_key(|(size, count)| (*count, *size))
    }

    /// Adds a record.
    pub(crate) fn add(&mut self, columns: &Columns, record: &RecordRef<'_>) {
        let int = |column: Option<usize>| column.map_or(0, |i| record.int[i]);
        let float = |column: Option<usize>| {
            let value = column.map_or(0.0, |i| record.float[i]);
            believed_time(value)
        };
        let mut has_unknown = self.has_unknown;
        let mut count = |column: Option<usize>| {
            let value = int(column);
            has_unknown |= value < 0;
            believed(value)
        };
        let first_of = |now: f64, new: f64| match (now > 0.0, new > 0.0) {
            (true, true) => now.min(new),
            (false, _) => new,
            (_, false) => now,
        };
        let mut rank = RankUse { rank: record.base.rank, ..RankUse::default() };
        for (way, columns) in self.ways.iter_mut().zip(&columns.ways) {
            let bytes = count(columns.bytes);
            let time = float(columns.time);
            let mut calls = 0_u64;
            for column in &columns.calls {
                add_count(&mut calls, count(*column));
            }
            add_count(&mut way.calls, calls);
            add_count(&mut way.bytes, bytes);
            way.time += time;
            for (sum, column) in [
                (&mut way.consecutive, columns.consecutive),
                (&mut way.sequential, columns.sequential),
                (&mut way.independent, columns.independent),
                (&mut way.collective, columns.collective),
                (&mut way.split, columns.split),
                (&mut way.nonblocking, columns.nonblocking),
            ] {
                add_count(sum, count(column));
            }
            if bytes > 0 && int(columns.max_byte) >= 0 && columns.max_byte.is_some() {
                way.extent = way.extent.max(believed(int(columns.max_byte)) + 1);
            }
            if let Some(first) = columns.sizes {
                for (class, sum) in way.sizes.iter_mut().enumerate() {
                    add_count(sum, count(Some(first + class)));
                }
            }
            way.first = first_of(way.first, float(columns.start));
            way.last = way.last.max(float(columns.end));
            rank.data_time += time;
            match columns.direction {
                Direction::Read => rank.read = bytes,
                Direction::Write => rank.written = bytes,
            }
        }
        // Without these nothing can be said; of the others a run may simply know nothing.
        self.has_unknown = has_unknown;
        let count = |column: Option<usize>| believed(int(column));
        for (sum, columns) in [
            (&mut self.opens, &columns.opens[..]),
            (&mut self.stats, &[columns.stats][..]),
            (&mut self.seeks, &[columns.seeks]),
            (&mut self.mmaps, &[columns.mmaps]),
            (&mut self.syncs, &columns.syncs),
            (&mut self.switches, &[columns.switches]),
            (&mut self.memory_misaligned, &[columns.memory_misaligned]),
            (&mut self.file_misaligned, &[columns.file_misaligned]),
        ] {
            for column in columns {
                add_count(sum, count(*column));
            }
        }
        self.alignment = self.alignment.max(believed(int(columns.alignment)));
        let meta = float(columns.meta_time);
        self.meta_time += meta;
        rank.meta_time = meta;
        self.first_open = first_of(self.first_open, float(columns.open_start));
        self.last_close = self.last_close.max(float(columns.close_end));
        for (values, columns) in
            [(&mut self.common_sizes, &columns.sizes), (&mut self.strides, &columns.strides)]
        {
            for (value, count) in columns.iter().flatten() {
                let (value, count) = (record.int[*value], record.int[*count]);
                if value > 0 && count > 0 {
                    add_value(values, believed(value), believed(count));
                }
            }
        }
        if record.base.rank >= 0 {
            self.by_rank.push(rank);
            return;
        }
        let new = Reduced {
            fastest_time: float(columns.fastest_time),
            slowest_time: float(columns.slowest_time),
            fastest_bytes: believed(int(columns.fastest_bytes)),
            slowest_bytes: believed(int(columns.slowest_bytes)),
            slowest: int(columns.slowest),
            variance_time: float(columns.variance_time),
            variance_bytes: float(columns.variance_bytes),
        };
        let slower = self.reduced.is_none_or(|old| new.slowest_time > old.slowest_time);
        if slower {
            self.reduced = Some(new);
        }
    }

    /// Puts what single ranks did in order, one entry for each.
    pub(crate) fn finish(&mut self) {
        self.by_rank.sort_by(|a, b| {
            let key = |rank: &RankUse| (rank.rank, rank.read, rank.written);
            key(a).cmp(&key(b)).then(a.time().total_cmp(&b.time()))
        });
        self.by_rank.dedup_by(|next, kept| {
            let same = next.rank == kept.rank;
            if same {
                kept.add(next);
            }
            same
        });
        for values in [&mut self.common_sizes, &mut self.strides] {
            values.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        }
    }
}

/// Adds to the count of a value; of very many different ones the first are kept.
pub(super) fn add_value<T: PartialEq, A: Array<Item = (T, u64)>>(
    values: &mut SmallVec<A>,
    value: T,
    count: u64,
) {
    if let Some((_, sum)) = values.iter_mut().find(|(known, _)| *known == value) {
        add_count(sum, count);
    } else if values.len() < MOST_VALUES {
        values.push((value, count));
    }
}

/// Where a module keeps the counters of one direction.
#[derive(Debug)]
struct WayColumns {
    direction: Direction,
    calls: Vec<Option<usize>>,
    bytes: Option<usize>,
    time: Option<usize>,
    consecutive: Option<usize>,
    sequential: Option<usize>,
    max_byte: Option<usize>,
    sizes: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    independent: Option<usize>,
    collective: Option<usize>,
    split: Option<usize>,
    nonblocking: Option<usize>,
}

/// Where a module keeps what a [`Usage`] is made of; modules name alike what is alike.
#[derive(Debug)]
pub(crate) struct Columns {
    ways: [WayColumns; 2],
    opens: Vec<Option<usize>>,
    stats: Option<usize>,
    seeks: Option<usize>,
    mmaps: Option<usize>,
    syncs: Vec<Option<usize>>,
    switches: Option<usize>,
    memory_misaligned: Option<usize>,
    file_misaligned: Option<usize>,
    alignment: Option<usize>,
    meta_time: Option<usize>,
    sizes: [Option<(usize, usize)>; 4],
    strides: [Option<(usize, usize)>; 4],
    open_start: Option<usize>,
    close_end: Option<usize>,
    fastest_time: Option<usize>,
    slowest_time: Option<usize>,
    fastest_bytes: Option<usize>,
    slowest_bytes: Option<usize>,
    slowest: Option<usize>,
    variance_time: Option<usize>,
    variance_bytes: Option<usize>,
}

impl Columns {
    pub(crate) fn of(module: &Module) -> Self {
        let prefix = module
            .ints
            .first()
            .and_then(|first| {
                ["INDEP_OPENS", "OPENS", "CREATES", "OBJ_OPENS"]
                    .iter()
                    .find_map(|name| first.name.strip_suffix(name))
            })
            .unwrap_or_default();
        let int = |name: &str| module.int_index(&format!("{prefix}{name}"));
        let float = |name: &str| module.float_index(&format!("{prefix}F_{name}"));
        let way = |direction: Direction| {
            let (verb, noun, moved) = match direction {
                Direction::Read => ("READ", "READS", "READ"),
                Direction::Write => ("WRITE", "WRITES", "WRITTEN"),
            };
            let kinds = ["", "INDEP_", "COLL_", "SPLIT_", "NB_"];
            let mut calls: Vec<_> =
                kinds.iter().map(|kind| int(&format!("{kind}{noun}"))).collect();
            calls.push(int(&format!("{verb}XS")));
            WayColumns {
                direction,
                calls,
                bytes: int(&format!("BYTES_{moved}")),
                time: float(&format!("{verb}_TIME")),
                consecutive: int(&format!("CONSEC_{noun}")),
                sequential: int(&format!("SEQ_{noun}")),
                max_byte: int(&format!("MAX_BYTE_{moved}")),
                sizes: int(&format!("SIZE_{verb}_0_100"))
                    .or_else(|| int(&format!("SIZE_{verb}_AGG_0_100"))),
                start: float(&format!("{verb}_START_TIMESTAMP")),
                end: float(&format!("{verb}_END_TIMESTAMP")),
                independent: int(&format!("INDEP_{noun}")),
                collective: int(&format!("COLL_{noun}")),
                split: int(&format!("SPLIT_{noun}")),
                nonblocking: int(&format!("NB_{noun}")),
            }
        };
        let pair = |value: String, count: String| int(&value).zip(int(&count));
        let access = |i: usize| pair(format!("ACCESS{i}_ACCESS"), format!("ACCESS{i}_COUNT"));
        let stride = |i: usize| pair(format!("STRIDE{i}_STRIDE"), format!("STRIDE{i}_COUNT"));
        Self {
            ways: [way(Direction::Read), way(Direction::Write)],
            opens: ["OPENS", "INDEP_OPENS", "COLL_OPENS", "FDOPENS", "CREATES"]
                .iter()
                .map(|name| int(name))
                .collect(),
            stats: int("STATS"),
            seeks: int("SEEKS"),
            mmaps: int("MMAPS"),
            syncs: ["FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"].iter().map(|name| int(name)).collect(),
            switches: int("RW_SWITCHES"),
            memory_misaligned: int("MEM_NOT_ALIGNED"),
            file_misaligned: int("FILE_NOT_ALIGNED"),
            alignment: int("FILE_ALIGNMENT"),
            meta_time: float("META_TIME"),
            sizes: [1, 2, 3, 4].map(access),
            strides: [1, 2, 3, 4].map(stride),
            open_start: float("OPEN_START_TIMESTAMP"),
            close_end: float("CLOSE_END_TIMESTAMP"),
            fastest_time: float("FASTEST_RANK_TIME"),
            slowest_time: float("SLOWEST_RANK_TIME"),
            fastest_bytes: int("FASTEST_RANK_BYTES"),
            slowest_bytes: int("SLOWEST_RANK_BYTES"),
            slowest: int("SLOWEST_RANK"),
            variance_time: float("VARIANCE_RANK_TIME"),
            variance_bytes: float("VARIANCE_RANK_BYTES"),
        }
    }
}

impl Usage {
    /// Adds the sums of another file.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (way, new) in self.ways.iter_mut().zip(&other.ways) {
            for (sum, new) in [
                (&mut way.calls, new.calls),
                (&mut way.bytes, new.bytes),
                (&mut way.consecutive, new.consecutive),
                (&mut way.sequential, new.sequential),
                (&mut way.independent, new.independent),
                (&mut way.collective, new.collective),
                (&mut way.split, new.split),
                (&mut way.nonblocking, new.nonblocking),
            ] {
                add_count(sum, new);
            }
            way.time += new.time;
            for (sum, new) in way.sizes.iter_mut().zip(new.sizes) {
                add_count(sum, new);
            }
        }
        for (sum, new) in [
            (&mut self.opens, other.opens),
            (&mut self.stats, other.stats),
            (&mut self.seeks, other.seeks),
            (&mut self.mmaps, other.mmaps),
            (&mut self.syncs, other.syncs),
            (&mut self.switches, other.switches),
            (&mut self.memory_misaligned, other.memory_misaligned),
            (&mut self.file_misaligned, other.file_misaligned),
        ] {
            add_count(sum, new);
        }
        self.meta_time += other.meta_time;
        self.has_unknown |= other.has_unknown;
        for (values, new) in
            [(&mut self.common_sizes, &other.common_sizes), (&mut self.strides, &other.strides)]
        {
            for (value, count) in new {
                add_value(values, *value, *count);
            }
        }
    }
}
