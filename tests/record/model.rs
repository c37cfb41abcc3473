//! The meaning of counters, written down a second time and as simply as possible: from a list of
//! accesses to what a record must hold. Nothing here is shared with the recorder.

use std::collections::BTreeMap;

/// One successful read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) write: bool,
    pub(super) offset: i64,
    pub(super) length: i64,
}

/// What happens to a file, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Access(Access),
    /// It is opened afresh or closed: what comes next follows nothing.
    Reopen,
}

pub(super) fn accesses(steps: &[Step]) -> impl Iterator<Item = Access> {
    steps.iter().filter_map(|step| match step {
        Step::Access(access) => Some(*access),
        Step::Reopen => None,
    })
}

/// Inclusive upper ends of the size classes, with their names.
const SIZES: [(&str, i64); 10] = [
    ("0_100", 100),
    ("100_1K", 1 << 10),
    ("1K_10K", 10 << 10),
    ("10K_100K", 100 << 10),
    ("100K_1M", 1 << 20),
    ("1M_4M", 4 << 20),
    ("4M_10M", 10 << 20),
    ("10M_100M", 100 << 20),
    ("100M_1G", 1 << 30),
    ("1G_PLUS", i64::MAX),
];

/// Counters that follow from the accesses alone, those that stay 0 included. `alignment` is that
/// of the file system.
pub(super) fn counters(module: &str, steps: &[Step], alignment: i64) -> BTreeMap<String, i64> {
    let mut found = Counters { module, values: BTreeMap::new() };
    for direction in ["READ", "WRITE"] {
        found.add(&format!("{direction}S"), 0);
        found.add(bytes_of(direction == "WRITE"), 0);
        found.max(max_byte_of(direction == "WRITE"), 0);
    }
    for access in accesses(steps) {
        found.add(if access.write { "WRITES" } else { "READS" }, 1);
        found.add(bytes_of(access.write), access.length);
        found.max(max_byte_of(access.write), access.offset + access.length - 1);
    }
    if module == "POSIX" {
        patterns(steps, alignment, &mut found);
    }
    found.values
}

fn bytes_of(write: bool) -> &'static str {
    if write { "BYTES_WRITTEN" } else { "BYTES_READ" }
}

fn max_byte_of(write: bool) -> &'static str {
    if write { "MAX_BYTE_WRITTEN" } else { "MAX_BYTE_READ" }
}

struct Counters<'a> {
    module: &'a str,
    values: BTreeMap<String, i64>,
}

impl Counters<'_> {
    fn entry(&mut self, name: &str) -> &mut i64 {
        self.values.entry(format!("{}_{name}", self.module)).or_default()
    }

    fn add(&mut self, name: &str, amount: i64) {
        *self.entry(name) += amount;
    }

    fn max(&mut self, name: &str, value: i64) {
        let entry = self.entry(name);
        *entry = value.max(*entry);
    }
}

/// What only POSIX records have.
fn patterns(steps: &[Step], alignment: i64, found: &mut Counters<'_>) {
    for direction in ["READ", "WRITE"] {
        for (class, _) in SIZES {
            found.add(&format!("SIZE_{direction}_{class}"), 0);
        }
        found.add(&format!("SEQ_{direction}S"), 0);
        found.add(&format!("CONSEC_{direction}S"), 0);
    }
    found.add("RW_SWITCHES", 0);
    found.add("FILE_NOT_ALIGNED", 0);
    let (mut sizes, mut strides) = (BTreeMap::new(), BTreeMap::new());
    // Of reads and of writes.
    let mut last_byte = [0; 2];
    let mut last_was_write = None;
    for step in steps {
        let Step::Access(Access { write, offset, length }) = *step else {
            last_byte = [0; 2];
            continue;
        };
        let direction = if write { "WRITE" } else { "READ" };
        let class = SIZES.iter().find(|(_, end)| length <= *end).expect("the last has no end").0;
        found.add(&format!("SIZE_{direction}_{class}"), 1);
        let last = &mut last_byte[usize::from(write)];
        if offset > *last {
            found.add(&format!("SEQ_{direction}S"), 1);
            if *last != 0 {
                count_value(&mut strides, offset - *last - 1);
            }
        }
        if offset == *last + 1 {
            found.add(&format!("CONSEC_{direction}S"), 1);
        }
        *last = offset + length - 1;
        if last_was_write.is_some_and(|last| last != write) {
            found.add("RW_SWITCHES", 1);
        }
        last_was_write = Some(write);
        if offset % alignment != 0 {
            found.add("FILE_NOT_ALIGNED", 1);
        }
        count_value(&mut sizes, length);
    }
    common_values("ACCESS", &sizes, found);
    common_values("STRIDE", &strides, found);
}

/// Thirty-two values are kept apart, the first ones; 0 is not one.
fn count_value(values: &mut BTreeMap<i64, i64>, value: i64) {
    if value != 0 && (values.len() < 32 || values.contains_key(&value)) {
        *values.entry(value).or_insert(0) += 1;
    }
}

/// The four most common values: by count, then by value, both falling.
fn common_values(kind: &str, values: &BTreeMap<i64, i64>, found: &mut Counters<'_>) {
    let mut pairs: Vec<(i64, i64)> = values.iter().map(|(value, count)| (*count, *value)).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(*pair));
    pairs.resize(4, (0, 0));
    for (n, (count, value)) in (1..).zip(pairs) {
        found.add(&format!("{kind}{n}_{kind}"), value);
        found.add(&format!("{kind}{n}_COUNT"), count);
    }
}
