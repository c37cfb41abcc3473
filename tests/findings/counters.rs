//! What a recorder counts for so many requests of one size.

use std::collections::BTreeMap;

use super::recipe::Call;

/// Counters of a record by name, without the name of the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    values: BTreeMap<String, f64>,
    /// Set by hand: the module must have them.
    needed: Vec<String>,
    /// Sizes of requests and how many.
    sizes: Vec<(f64, f64)>,
}

/// Upper bounds of size classes, and their names.
const CLASSES: [(f64, &str); 10] = [
    (100.0, "0_100"),
    (1024.0, "100_1K"),
    (10_240.0, "1K_10K"),
    (102_400.0, "10K_100K"),
    (1_048_576.0, "100K_1M"),
    (4_194_304.0, "1M_4M"),
    (10_485_760.0, "4M_10M"),
    (104_857_600.0, "10M_100M"),
    (1_073_741_824.0, "100M_1G"),
    (f64::INFINITY, "1G_PLUS"),
];

/// Writes of `size` bytes, each where the last one ended, which take `seconds` together.
pub(crate) fn write(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().opened(1.0).and("", "WRITE", count, size, seconds)
}

pub(crate) fn read(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().opened(1.0).and("", "READ", count, size, seconds)
}

/// MPI-IO: collective writes.
pub(crate) fn write_all(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().and("COLL_", "WRITE", count, size, seconds)
}

pub(crate) fn read_all(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().and("COLL_", "READ", count, size, seconds)
}

/// MPI-IO: independent writes.
pub(crate) fn write_alone(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().and("INDEP_", "WRITE", count, size, seconds)
}

pub(crate) fn read_alone(count: f64, size: f64, seconds: f64) -> Counters {
    Counters::default().and("INDEP_", "READ", count, size, seconds)
}

/// Nothing but opens, and what they take.
pub(crate) fn opens(count: f64, seconds: f64) -> Counters {
    Counters::default().with("OPENS", count).with("F_META_TIME", seconds)
}

/// Nothing yet.
pub(crate) fn nothing() -> Counters {
    Counters::default()
}

impl Counters {
    /// Sets a counter, whatever was counted.
    pub(crate) fn with(mut self, name: &str, value: f64) -> Self {
        self.values.insert(name.into(), value);
        self.needed.push(name.into());
        self
    }

    pub(crate) fn writes(self, count: f64, size: f64, seconds: f64) -> Self {
        self.and("", "WRITE", count, size, seconds)
    }

    pub(crate) fn reads(self, count: f64, size: f64, seconds: f64) -> Self {
        self.and("", "READ", count, size, seconds)
    }

    /// How often the file was opened.
    pub(crate) fn opened(mut self, times: f64) -> Self {
        self.values.insert("OPENS".into(), times);
        self
    }

    pub(crate) fn and(mut self, kind: &str, verb: &str, count: f64, size: f64, s: f64) -> Self {
        let moved = if verb == "READ" { "READ" } else { "WRITTEN" };
        let bytes = count * size;
        self.add(&format!("{kind}{verb}S"), count);
        self.add(&format!("BYTES_{moved}"), bytes);
        self.add(&format!("F_{verb}_TIME"), s);
        // Nothing precedes the first.
        let following = (count - 1.0).max(0.0);
        self.add(&format!("CONSEC_{verb}S"), following);
        self.add(&format!("SEQ_{verb}S"), following);
        let last = format!("MAX_BYTE_{moved}");
        let end = self.values.get(&last).map_or(0.0, |last| last + 1.0) + bytes;
        self.values.insert(last, (end - 1.0).max(0.0));
        let class = CLASSES.iter().find(|(bound, _)| size <= *bound).unwrap().1;
        self.add(&format!("SIZE_{verb}_{class}"), count);
        self.add(&format!("SIZE_{verb}_AGG_{class}"), count);
        match self.sizes.iter_mut().find(|(known, _)| *known == size) {
            Some((_, sum)) => *sum += count,
            None => self.sizes.push((size, count)),
        }
        self
    }

    fn add(&mut self, name: &str, value: f64) {
        *self.values.entry(name.into()).or_default() += value;
    }

    /// What calls of a trace add up to.
    pub(super) fn of_calls(calls: &[Call], kind: &str) -> Self {
        let mut counters = Self::default();
        if kind.is_empty() {
            counters = counters.opened(1.0);
        }
        let mut ends = [0.0_f64; 2];
        for call in calls {
            let verb = if call.is_read { "READ" } else { "WRITE" };
            counters = counters.and(kind, verb, 1.0, call.length, call.end - call.begin);
            let end = &mut ends[usize::from(call.is_read)];
            *end = end.max(call.offset + call.length);
        }
        for (name, end) in ["MAX_BYTE_WRITTEN", "MAX_BYTE_READ"].iter().zip(ends) {
            if end > 0.0 {
                counters.values.insert((*name).into(), end - 1.0);
            }
        }
        counters
    }

    /// Adds what a record of all ranks says about the fastest and slowest, here alike.
    pub(super) fn shared_by(mut self, ranks: f64) -> Self {
        let value = |name: &str| self.values.get(name).copied().unwrap_or(0.0);
        let time: f64 = ["F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"].map(value).iter().sum();
        let bytes = value("BYTES_READ") + value("BYTES_WRITTEN");
        for which in ["FASTEST", "SLOWEST"] {
            let time_of = format!("F_{which}_RANK_TIME");
            self.values.entry(time_of).or_insert(time / ranks);
            self.values.entry(format!("{which}_RANK_BYTES")).or_insert(bytes / ranks);
        }
        self
    }

    /// What so many ranks that do the same have together.
    pub(super) fn times(mut self, ranks: f64) -> Self {
        let is_sum = |name: &str| {
            !["MAX_BYTE", "ALIGNMENT", "_STRIDE"].iter().any(|kind| name.contains(kind))
        };
        for (name, value) in &mut self.values {
            if is_sum(name) {
                *value *= ranks;
            }
        }
        self.sizes.iter_mut().for_each(|(_, count)| *count *= ranks);
        self
    }

    /// All of them: name, value, and whether the module must have it.
    pub(super) fn list(&self) -> Vec<(String, f64, bool)> {
        let mut sizes = self.sizes.clone();
        sizes.retain(|(size, _)| *size > 0.0);
        sizes.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut all = BTreeMap::new();
        for (number, (size, count)) in sizes.iter().take(4).enumerate() {
            let number = number + 1;
            all.insert(format!("ACCESS{number}_ACCESS"), *size);
            all.insert(format!("ACCESS{number}_COUNT"), *count);
        }
        all.extend(self.values.iter().map(|(name, value)| (name.clone(), *value)));
        let needed = |name: &String| self.needed.contains(name);
        all.into_iter().map(|(name, value)| (name.clone(), value, needed(&name))).collect()
    }
}
