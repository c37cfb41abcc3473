//! Compares what a log holds with what the program did.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ioglass_log::{Log, record_id};

use super::block;
use super::model::{self, Access, Step, accesses};
use super::run::Mode;
use super::seen::{Heat, Record, Seen, Trace};
use super::spec::{Expected, Rank, Spec, Want};

/// One run: what was said, what came out.
pub(super) struct Case<'a> {
    pub(super) spec: &'a Spec,
    pub(super) folder: &'a Path,
    pub(super) log: &'a Path,
    pub(super) mode: Mode,
    /// The whole run as seen from outside.
    pub(super) seconds: f64,
    /// Block size of the file system.
    pub(super) alignment: i64,
    pub(super) seen: &'a Seen,
}

impl Case<'_> {
    /// All differences, in words.
    pub(super) fn differences(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut expected_records = BTreeSet::new();
        for expected in &self.spec.expected {
            let label = expected.label();
            let records = self.records_of(expected);
            expected_records.extend(records.iter().map(|record| place(record)));
            match (&records[..], expected.rank) {
                ([], _) => wrong.push(format!("{label}: there is no such record")),
                ([record], _) => self.compare(&label, expected, record, &mut wrong),
                (records, Rank::All) => {
                    self.compare(&label, expected, &sum(records), &mut wrong);
                }
                (records, _) => wrong.push(format!("{label}: there are {} of it", records.len())),
            }
        }
        for (module, name) in &self.spec.absent {
            let pattern = self.full_name(name);
            let found = self.seen.records.iter();
            let mut found = found.filter(|record| {
                record.module == *module && matches(pattern.as_bytes(), record.name.as_bytes())
            });
            if let Some(record) = found.next() {
                wrong.push(format!("{module} {name} is recorded: {:?}", record.counters));
            }
        }
        for record in self.seen.records.iter().filter(|record| self.is_in_folder(&record.name)) {
            if !expected_records.contains(&place(record)) {
                let (name, rank) = (self.short_name(&record.name), record.rank);
                let counters = &record.counters;
                wrong.push(format!(
                    "{} {name} @{rank} is not expected: {counters:?}",
                    record.module
                ));
            }
        }
        for record in &self.seen.records {
            self.check_sanity(record, &mut wrong);
        }
        self.check_heat(&mut wrong);
        self.check_block(&mut wrong);
        let highest = self.seen.records.iter().map(|record| record.rank).max().unwrap_or(0);
        if highest >= self.seen.nprocs {
            wrong.push(format!("rank {highest} is one of {} processes", self.seen.nprocs));
        }
        if self.seen.run_time > self.seconds {
            wrong.push(format!("it ran {} s of {} s", self.seen.run_time, self.seconds));
        }
        if !self.seen.partial.is_empty() {
            wrong.push(format!("the log is partial: {:?}", self.seen.partial));
        }
        wrong
    }

    fn records_of(&self, expected: &Expected) -> Vec<&Record> {
        let pattern = self.full_name(&expected.name);
        // Most names are plain, and there can be thousands.
        let is_plain = !pattern.contains(['*', '?']);
        let records = self.seen.records.iter().filter(|record| {
            record.module == expected.module
                && (expected.rank == Rank::All || expected.rank == Rank::One(record.rank))
                && if is_plain {
                    record.name == pattern
                } else {
                    matches(pattern.as_bytes(), record.name.as_bytes())
                }
        });
        records.collect()
    }

    fn full_name(&self, name: &str) -> String {
        let special = name.starts_with(['<', '/']);
        if special { name.to_owned() } else { format!("{}/{name}", self.folder.display()) }
    }

    fn short_name<'n>(&self, name: &'n str) -> &'n str {
        let inside = name.strip_prefix(self.folder.to_str().unwrap());
        inside.map_or(name, |inside| inside.trim_start_matches('/'))
    }

    fn is_in_folder(&self, name: &str) -> bool {
        name.starts_with(&format!("{}/", self.folder.display()))
    }

    fn compare(&self, label: &str, expected: &Expected, record: &Record, wrong: &mut Vec<String>) {
        let mut differing = Vec::new();
        let mut check = |counter: &str, want: &Want| {
            let got = record.counter(counter);
            let fine = match want {
                Want::Exactly(value) => got == *value,
                Want::AtLeast(value) => got >= *value,
                Want::IdOf(name) => got as u64 == record_id(self.full_name(name).as_bytes()),
                Want::Any => true,
            };
            if !fine {
                differing.push(format!("{counter} is {got}, not {want}"));
            }
        };
        let named = |counter: &str| expected.counters.iter().any(|(name, _)| name == counter);
        for (counter, want) in &expected.counters {
            check(counter, want);
        }
        let steps = expected.steps.as_deref();
        let computed = steps.map(|steps| model::counters(&expected.module, steps, self.alignment));
        let mut rest = computed.unwrap_or_default();
        for counter in always_checked(&expected.module) {
            rest.entry((*counter).to_owned()).or_insert(0);
        }
        for (counter, value) in rest {
            if !named(&counter) {
                check(&counter, &Want::Exactly(value));
            }
        }
        if !differing.is_empty() {
            wrong.push(format!("{label}: {}", differing.join("; ")));
        }
        if expected.module == "POSIX"
            && expected.rank != Rank::All
            && let Some(steps) = steps
        {
            self.check_slowest(label, steps, record, wrong);
            if self.mode == Mode::Trace {
                self.check_trace(label, steps, record, wrong);
            }
        }
    }

    /// The slowest access is one of those that there were.
    fn check_slowest(&self, label: &str, steps: &[Step], record: &Record, wrong: &mut Vec<String>) {
        for (write, counter) in
            [(false, "POSIX_MAX_READ_TIME_SIZE"), (true, "POSIX_MAX_WRITE_TIME_SIZE")]
        {
            let mut sizes: Vec<i64> = accesses(steps)
                .filter(|access| access.write == write)
                .map(|access| access.length)
                .collect();
            if sizes.is_empty() {
                sizes.push(0);
            }
            let got = record.counter(counter);
            if !sizes.contains(&got) {
                wrong.push(format!("{label}: {counter} is {got}, which no access was"));
            }
        }
    }

    /// The trace has exactly the accesses, in their order, one after the other.
    fn check_trace(&self, label: &str, steps: &[Step], record: &Record, wrong: &mut Vec<String>) {
        let mut traces = self.seen.traces.iter();
        let trace = traces.find(|trace| trace.name == record.name && trace.rank == record.rank);
        let none = Trace { name: String::new(), rank: 0, writes: Vec::new(), reads: Vec::new() };
        let trace = trace.unwrap_or(&none);
        for (write, segments) in [(true, &trace.writes), (false, &trace.reads)] {
            let what = if write { "writes" } else { "reads" };
            let expected: Vec<Access> =
                accesses(steps).filter(|access| access.write == write).collect();
            if expected.len() != segments.len() {
                let (got, want) = (segments.len(), expected.len());
                wrong.push(format!("{label}: the trace has {got} {what}, expected {want}"));
                continue;
            }
            let mut last_end = 0.0;
            for (i, (access, segment)) in expected.iter().zip(segments).enumerate() {
                let [offset, length, begin, end] = *segment;
                if (offset, length) != (access.offset as f64, access.length as f64) {
                    wrong.push(format!(
                        "{label}: segment {i} of the {what} is {offset}+{length}, expected {}+{}",
                        access.offset, access.length
                    ));
                    break;
                }
                // A log's times are doubles; these have more digits than a clock.
                if begin + 1e-6 < last_end || end < begin || end > self.seconds {
                    wrong.push(format!(
                        "{label}: segment {i} of the {what} is from {begin} to {end} after {last_end}"
                    ));
                    break;
                }
                last_end = end;
            }
        }
    }

    /// What holds for every record of every program.
    fn check_sanity(&self, record: &Record, wrong: &mut Vec<String>) {
        let Record { module, name, rank, .. } = record;
        let label = format!("{module} {} @{rank}", self.short_name(name));
        for (time, value) in &record.times {
            if !(0.0..=self.seconds).contains(value) && !time.contains("_VARIANCE_") {
                wrong.push(format!("{label}: {time} is {value} in a run of {} s", self.seconds));
            }
        }
        let counter = |name: &str| record.counter(&format!("{module}_{name}"));
        let time = |name: &str| record.times.get(&format!("{module}_F_{name}")).copied();
        for (direction, bytes) in [("READ", "BYTES_READ"), ("WRITE", "BYTES_WRITTEN")] {
            let calls = counter(&format!("{direction}S"));
            let begin = time(&format!("{direction}_START_TIMESTAMP"));
            let end = time(&format!("{direction}_END_TIMESTAMP"));
            if (calls > 0) != begin.is_some() || begin > end {
                wrong.push(format!("{label}: {calls} {direction}S from {begin:?} to {end:?}"));
            }
            if calls == 0 && counter(bytes) != 0 {
                wrong.push(format!("{label}: {bytes} without {direction}S"));
            }
            let classes = record
                .counters
                .iter()
                .filter(|(name, _)| name.starts_with(&format!("{module}_SIZE_{direction}_")));
            let classes: i64 = classes.map(|(_, value)| value).sum();
            if module == "POSIX" && classes != calls {
                wrong.push(format!("{label}: {calls} {direction}S, {classes} in size classes"));
            }
        }
        if module == "POSIX" && self.is_in_folder(name) {
            let alignment = counter("FILE_ALIGNMENT");
            if alignment != self.alignment {
                wrong.push(format!("{label}: FILE_ALIGNMENT is {alignment}"));
            }
            if counter("MEM_ALIGNMENT") != 8 {
                wrong.push(format!("{label}: MEM_ALIGNMENT is {}", counter("MEM_ALIGNMENT")));
            }
        }
    }

    /// Nothing was lost, and what has no counter is counted too.
    fn check_block(&self, wrong: &mut Vec<String>) {
        let log = Log::open(self.log).unwrap();
        let lost = block::lost(&log);
        if !lost.is_empty() {
            wrong.push(format!("lost: {}", lost.replace(['\t', '\n'], " ")));
        }
        let others = self.spec.others.iter().map(|(name, call, number)| {
            ((record_id(self.full_name(name).as_bytes()), call.clone()), *number)
        });
        let expected: BTreeMap<_, _> = others.collect();
        let found = block::others(&log);
        if !expected.is_empty() && expected != found {
            wrong.push(format!("calls without a counter are {found:?}, expected {expected:?}"));
        }
        self.check_metadata(&log, wrong);
        self.check_facts(&log, wrong);
    }

    /// Metadata calls in the folder and below.
    fn check_metadata(&self, log: &Log, wrong: &mut Vec<String>) {
        let folder = self.folder.to_str().unwrap();
        let name = |name: &str| match name {
            "." => folder.to_owned(),
            "-" => "-".to_owned(),
            name => self.full_name(name),
        };
        let expected = self.spec.metadata.iter();
        let expected: BTreeMap<_, _> =
            expected.map(|(dir, call, numbers)| ((name(dir), call.clone()), *numbers)).collect();
        let mut found = block::metadata(log);
        found.retain(|(dir, _), _| dir == "-" || dir == folder || self.is_in_folder(dir));
        if !expected.is_empty() && expected != found {
            wrong.push(format!("metadata calls are {found:?}, expected {expected:?}"));
        }
    }

    fn check_facts(&self, log: &Log, wrong: &mut Vec<String>) {
        let facts = self.spec.facts.iter().map(|(name, column, value)| {
            ((record_id(self.full_name(name).as_bytes()), column.clone()), value.clone())
        });
        let expected: BTreeMap<_, _> = facts.collect();
        let found = block::facts(log);
        if !expected.is_empty() && expected != found {
            wrong.push(format!("facts are {found:?}, expected {expected:?}"));
        }
    }

    /// Heat maps have the bytes that the records have.
    fn check_heat(&self, wrong: &mut Vec<String>) {
        let mut records = BTreeMap::new();
        for record in &self.seen.records {
            for (write, counter) in [(true, "BYTES_WRITTEN"), (false, "BYTES_READ")] {
                let heat = Heat { module: record.module.clone(), rank: record.rank, write };
                let bytes = record.counter(&format!("{}_{counter}", record.module));
                if bytes != 0 {
                    *records.entry(heat).or_insert(0) += bytes;
                }
            }
        }
        if records != self.seen.heat {
            wrong.push(format!("heat maps have {:?}, records {records:?}", self.seen.heat));
        }
    }
}

impl Expected {
    fn label(&self) -> String {
        let Self { module, name, rank, .. } = self;
        match rank {
            Rank::One(0) => format!("{module} {name}"),
            Rank::One(rank) => format!("{module} {name} @{rank}"),
            Rank::All => format!("{module} {name} @*"),
        }
    }
}

/// A record's identity.
fn place(record: &Record) -> (String, String, i64) {
    (record.module.clone(), record.name.clone(), record.rank)
}

/// Counters that are 0 unless a program says otherwise.
fn always_checked(module: &str) -> &'static [&'static str] {
    match module {
        "POSIX" => &[
            "POSIX_OPENS",
            "POSIX_FILENOS",
            "POSIX_DUPS",
            "POSIX_READS",
            "POSIX_WRITES",
            "POSIX_SEEKS",
            "POSIX_STATS",
            "POSIX_MMAPS",
            "POSIX_FSYNCS",
            "POSIX_FDSYNCS",
            "POSIX_RENAME_SOURCES",
            "POSIX_RENAME_TARGETS",
            "POSIX_MODE",
            "POSIX_BYTES_READ",
            "POSIX_BYTES_WRITTEN",
            "POSIX_MEM_NOT_ALIGNED",
            "POSIX_FASTEST_RANK",
            "POSIX_SLOWEST_RANK",
        ],
        _ => &[
            "STDIO_OPENS",
            "STDIO_FDOPENS",
            "STDIO_READS",
            "STDIO_WRITES",
            "STDIO_SEEKS",
            "STDIO_FLUSHES",
            "STDIO_BYTES_READ",
            "STDIO_BYTES_WRITTEN",
        ],
    }
}

/// The records of all ranks as one.
fn sum(records: &[&Record]) -> Record {
    let mut total = records[0].clone();
    for record in &records[1..] {
        for (counter, value) in &record.counters {
            *total.counters.entry(counter.clone()).or_insert(0) += value;
        }
    }
    total
}

/// Whether `name` is what a pattern with `*` and `?` says.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            matches(rest, name) || (!name.is_empty() && matches(pattern, &name[1..]))
        }
        ([b'?', pattern @ ..], [_, name @ ..]) => matches(pattern, name),
        ([a, pattern @ ..], [b, name @ ..]) => a == b && matches(pattern, name),
        _ => false,
    }
}
