//! The usage of a file, read out of the columns of a record.

use ioglass_log::{Module, RecordRef};

use super::believed::{add_count, believed, believed_square, believed_time};
use super::sizes::CLASSES;
use super::usage::{CallKinds, Direction, RankUse, Rare, Reduced, Usage, add_values};

/// Columns of the counters of one direction.
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

/// Columns of a module that a [`Usage`] is made of. Modules use the same names for the same things.
#[derive(Debug)]
pub(crate) struct UsageColumns {
    ways: [WayColumns; 2],
    opens: Vec<Option<usize>>,
    stats: Option<usize>,
    seeks: Option<usize>,
    mmaps: Option<usize>,
    dups: Option<usize>,
    filenos: Option<usize>,
    syncs: Vec<Option<usize>>,
    switches: Option<usize>,
    memory_misaligned: Option<usize>,
    file_misaligned: Option<usize>,
    alignment: Option<usize>,
    meta_time: Option<usize>,
    sizes: [Option<(usize, usize)>; 4],
    strides: [Option<(usize, usize)>; 4],
    close_end: Option<usize>,
    fastest_time: Option<usize>,
    slowest_time: Option<usize>,
    fastest_bytes: Option<usize>,
    slowest_bytes: Option<usize>,
    slowest: Option<usize>,
    variance_time: Option<usize>,
    variance_bytes: Option<usize>,
}

impl UsageColumns {
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
            dups: int("DUPS"),
            filenos: int("FILENOS"),
            syncs: ["FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"].iter().map(|name| int(name)).collect(),
            switches: int("RW_SWITCHES"),
            memory_misaligned: int("MEM_NOT_ALIGNED"),
            file_misaligned: int("FILE_NOT_ALIGNED"),
            alignment: int("FILE_ALIGNMENT"),
            meta_time: float("META_TIME"),
            sizes: [1, 2, 3, 4].map(access),
            strides: [1, 2, 3, 4].map(stride),
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
    /// Adds a record.
    pub(crate) fn add(&mut self, columns: &UsageColumns, record: &RecordRef<'_>) {
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
            add_count(&mut way.consecutive, count(columns.consecutive));
            add_count(&mut way.sequential, count(columns.sequential));
            let kinds = CallKinds {
                independent: count(columns.independent),
                collective: count(columns.collective),
                split: count(columns.split),
                nonblocking: count(columns.nonblocking),
            };
            if kinds != CallKinds::default() {
                way.kinds.get_or_insert_default().add(&kinds);
            }
            if bytes > 0 && int(columns.max_byte) >= 0 && columns.max_byte.is_some() {
                way.extent = way.extent.max(believed(int(columns.max_byte)) + 1);
            }
            if let Some(first) = columns.sizes {
                for class in 0..CLASSES {
                    way.sizes.add(class, count(Some(first + class)));
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
        for (sum, column) in [
            (&mut self.stats, columns.stats),
            (&mut self.seeks, columns.seeks),
            (&mut self.memory_misaligned, columns.memory_misaligned),
            (&mut self.file_misaligned, columns.file_misaligned),
        ] {
            add_count(sum, count(column));
        }
        let sum_of = |columns: &[Option<usize>]| {
            let mut sum = 0;
            columns.iter().for_each(|column| add_count(&mut sum, count(*column)));
            sum
        };
        // Darshan counts a further descriptor, or one taken from a stream, as an open.
        let copies = count(columns.dups).saturating_add(count(columns.filenos));
        add_count(&mut self.opens, sum_of(&columns.opens).saturating_sub(copies));
        let rare = Rare {
            mmaps: count(columns.mmaps),
            dups: count(columns.dups),
            syncs: sum_of(&columns.syncs),
            switches: count(columns.switches),
        };
        if rare != Rare::default() {
            self.rare.get_or_insert_default().add(&rare);
        }
        self.alignment = self.alignment.max(believed(int(columns.alignment)));
        let meta = float(columns.meta_time);
        self.meta_time += meta;
        rank.meta_time = meta;
        self.last_close = self.last_close.max(float(columns.close_end));
        add_values(&mut self.common_sizes, told(record, &columns.sizes));
        add_values(&mut self.strides, told(record, &columns.strides));
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
            variance_bytes: columns
                .variance_bytes
                .map_or(0.0, |i| believed_square(record.float[i])),
        };
        self.reduced = Some(Box::new(match &self.reduced {
            Some(old) => old.and(&new),
            None => new,
        }));
    }
}

/// The values of a record and their counts, where both are numbers.
fn told(
    record: &RecordRef<'_>,
    columns: &[Option<(usize, usize)>],
) -> impl Iterator<Item = (u64, u64)> {
    let pairs = columns.iter().flatten();
    let values = pairs.map(|(value, count)| (record.int[*value], record.int[*count]));
    let known = values.filter(|(value, count)| *value > 0 && *count > 0);
    known.map(|(value, count)| (believed(value), believed(count)))
}
