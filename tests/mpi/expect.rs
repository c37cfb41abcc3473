//! What a program says about itself, in comments at its top, and whether the log says the same. A line that
//! begins with four blanks continues the one before.
//!
//! ```text
//! expect: MODULE NAME: COUNTER VALUE, ...; ACCESSES         the record of all ranks
//! expect: MODULE NAME @R: ...                               one of each rank; `@R<N-1`: of all but the last
//! under run: MODULE NAME: ...                              the same, but not with the library alone
//! only: STACK                                               the MPI it is for, if not for all
//! trace: NAME @R: w OFFSET LENGTH, r OFFSET LENGTH, ...     what each rank did through MPI-IO, in order
//! ```
//!
//! A value is a sum such as `3N+16R-1`, of the number of ranks and the rank. Accesses are `w LENGTH` and
//! `r LENGTH`, with `x3N` for three by each rank. From them follow bytes, size classes and common sizes of a
//! record of MPI-IO, whose other counters are 0 unless they are named. Of other modules what is named is
//! compared. Every record of MPI-IO is named.

use std::collections::BTreeMap;
use std::path::Path;

use crate::record::seen::{Record, Seen, Trace};

/// What one line says.
#[derive(Debug)]
pub(super) struct Line {
    is_trace: bool,
    under_run: bool,
    module: String,
    name: String,
    ranks: Ranks,
    counters: Vec<(String, String)>,
    accesses: Vec<Access>,
}

#[derive(Debug)]
enum Ranks {
    Shared,
    Each,
    Below(String),
}

#[derive(Debug)]
struct Access {
    write: bool,
    /// Offset in a trace, then length.
    numbers: Vec<String>,
    times: String,
}

/// What a program says.
#[derive(Debug, Default)]
pub(super) struct Spec {
    /// The MPI that it is for, if not for all.
    pub(super) only: Option<String>,
    pub(super) lines: Vec<Line>,
}

/// All that a program says.
pub(super) fn read(source: &Path) -> Spec {
    let text = std::fs::read_to_string(source).unwrap();
    let comments = text.lines().map_while(|line| {
        let mut starts = ["//", "!", "# "].iter();
        starts.find_map(|start| line.strip_prefix(start))
    });
    let mut lines: Vec<String> = Vec::new();
    for comment in comments {
        match lines.last_mut() {
            Some(last) if comment.starts_with("    ") => last.push_str(comment),
            _ => lines.push(comment.trim().to_owned()),
        }
    }
    let mut spec = Spec::default();
    for line in &lines {
        match line.split_once(": ") {
            Some(("only", stack)) => spec.only = Some(stack.to_owned()),
            Some(("expect" | "under run" | "trace", _)) => {
                let parsed = parse(line).unwrap_or_else(|| panic!("{}: {line}", source.display()));
                spec.lines.push(parsed);
            }
            _ => {}
        }
    }
    assert!(!spec.lines.is_empty(), "{} says nothing", source.display());
    spec
}

fn parse(line: &str) -> Option<Line> {
    let (key, rest) = line.split_once(": ")?;
    let is_trace = key == "trace";
    let (about, rest) = rest.split_once(": ")?;
    let (about, ranks) = match about.split_once(" @R") {
        None => (about, Ranks::Shared),
        Some((about, "")) => (about, Ranks::Each),
        Some((about, end)) => (about, Ranks::Below(end.strip_prefix('<')?.to_owned())),
    };
    let (module, name) = if is_trace { ("MPIIO", about) } else { about.split_once(' ')? };
    let (counters, accesses) = match rest.split_once(';') {
        Some(both) => both,
        None if is_trace => ("", rest),
        None => (rest, ""),
    };
    let items = |text: &str| {
        let items = text.split(',').map(|item| item.trim().to_owned());
        items.filter(|item| !item.is_empty()).collect::<Vec<_>>()
    };
    let pair = |item: String| {
        let (counter, value) = item.split_once(' ')?;
        Some((format!("{module}_{counter}"), value.to_owned()))
    };
    Some(Line {
        is_trace,
        under_run: key == "under run",
        module: if module == "MPIIO" { "MPI-IO".to_owned() } else { module.to_owned() },
        name: name.to_owned(),
        ranks,
        counters: items(counters).into_iter().map(pair).collect::<Option<_>>()?,
        accesses: items(accesses).iter().map(|item| Access::parse(item)).collect::<Option<_>>()?,
    })
}

impl Access {
    fn parse(item: &str) -> Option<Self> {
        let mut words = item.split_whitespace().map(str::to_owned);
        let write = words.next()? == "w";
        let (times, numbers): (Vec<_>, Vec<_>) = words.partition(|word| word.starts_with('x'));
        let times = times.first().map_or("1", |times| &times[1..]).to_owned();
        Some(Self { write, numbers, times })
    }
}

/// The value of a sum such as `3N+16R-1`.
fn value(sum: &str, ranks: i64, rank: i64) -> i64 {
    let mut total = 0;
    for term in sum.replace('-', "+-").split('+').filter(|term| !term.is_empty()) {
        let (factor, unit) = match term.chars().last() {
            Some('N') => (&term[..term.len() - 1], ranks),
            Some('R') => (&term[..term.len() - 1], rank),
            _ => (term, 1),
        };
        total += unit * if factor.is_empty() { 1 } else { factor.parse::<i64>().expect(sum) };
    }
    total
}

/// A run that is compared with what its program says.
pub(super) struct Case<'a> {
    pub(super) lines: &'a [Line],
    pub(super) folder: &'a Path,
    pub(super) ranks: i64,
    pub(super) is_traced: bool,
    pub(super) is_alone: bool,
    pub(super) seen: &'a Seen,
}

impl Case<'_> {
    /// All differences, in words.
    pub(super) fn differences(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.seen.nprocs != self.ranks {
            wrong.push(format!("{} ranks instead of {}", self.seen.nprocs, self.ranks));
        }
        let mut of_mpi = 0;
        let lines = self.lines.iter().filter(|line| self.is_traced || !line.is_trace);
        for line in lines.filter(|line| !(self.is_alone && line.under_run)) {
            for rank in line.ranks(self.ranks) {
                let label = format!(
                    "{} {} @{rank}",
                    line.module,
                    line.name.replace('R', &rank.to_string())
                );
                if line.is_trace {
                    wrong.extend(
                        self.compare_trace(line, rank).map(|what| format!("{label}: {what}")),
                    );
                } else {
                    of_mpi += usize::from(line.module == "MPI-IO");
                    let found = self.compare(line, rank);
                    wrong.extend(found.into_iter().map(|what| format!("{label}: {what}")));
                }
            }
        }
        let recorded = self.seen.records.iter().filter(|record| record.module == "MPI-IO");
        let recorded: Vec<_> = recorded.map(|record| (&record.name, record.rank)).collect();
        if recorded.len() != of_mpi {
            wrong.push(format!("{of_mpi} records of MPI-IO are expected, there are {recorded:?}"));
        }
        for record in &self.seen.records {
            wrong.extend(self.unsound(record).map(|what| format!("{}: {what}", record.name)));
        }
        wrong
    }

    fn full_name(&self, line: &Line, rank: i64) -> String {
        let name = line.name.replace('R', &rank.to_string());
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    fn compare(&self, line: &Line, rank: i64) -> Vec<String> {
        let name = self.full_name(line, rank);
        // What the only rank knows all ranks know.
        let recorded_as = if self.ranks == 1 { -1 } else { rank };
        let is_it = |record: &&Record| {
            record.module == line.module && record.name == name && record.rank == recorded_as
        };
        let Some(record) = self.seen.records.iter().find(is_it) else {
            return vec!["there is no such record".to_owned()];
        };
        let named = line.counters.iter();
        let named = named.map(|(counter, sum)| (counter.clone(), value(sum, self.ranks, rank)));
        let mut expected: BTreeMap<String, i64> = named.collect();
        if self.ranks == 1
            && let Some(opens) = expected.remove("MPIIO_COLL_OPENS")
        {
            // A communicator of one is no communicator of several.
            *expected.entry("MPIIO_INDEP_OPENS".to_owned()).or_insert(0) += opens;
        }
        if line.module == "MPI-IO" {
            line.add_accesses(self.ranks, rank, &mut expected);
            let known = record.counters.keys().filter(|counter| !depends_on_time(counter));
            known.for_each(|counter| _ = expected.entry(counter.clone()).or_insert(0));
        }
        let differs = |(counter, expected): (&String, &i64)| {
            let found = record.counter(counter);
            (found != *expected).then(|| format!("{counter} is {found} instead of {expected}"))
        };
        expected.iter().filter_map(differs).collect()
    }

    fn compare_trace(&self, line: &Line, rank: i64) -> Option<String> {
        let name = self.full_name(line, rank);
        let trace =
            self.seen.mpi_traces.iter().find(|trace| trace.name == name && trace.rank == rank);
        let Some(trace) = trace else { return Some("there is no trace".to_owned()) };
        let expected = |write: bool| {
            let accesses = line.accesses.iter().filter(move |access| access.write == write);
            let numbers = accesses.map(|access| &access.numbers);
            let number = |sum: &String| value(sum, self.ranks, rank);
            numbers.map(|two| two.iter().map(number).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let found = |segments: &[[f64; 4]]| {
            segments
                .iter()
                .map(|segment| vec![segment[0] as i64, segment[1] as i64])
                .collect::<Vec<_>>()
        };
        let Trace { writes, reads, .. } = trace;
        let (theirs, ours) = ((found(writes), found(reads)), (expected(true), expected(false)));
        (theirs != ours).then(|| format!("traced are {theirs:?} instead of {ours:?}"))
    }

    /// What no record may say, whatever the program does.
    fn unsound(&self, record: &Record) -> Option<String> {
        let prefix = record.module.replace("MPI-IO", "MPIIO");
        let time =
            |name: &str| record.times.get(&format!("{prefix}_F_{name}")).copied().unwrap_or(0.0);
        let counter = |name: &str| record.counter(&format!("{prefix}_{name}"));
        let (fastest, slowest) = (counter("FASTEST_RANK"), counter("SLOWEST_RANK"));
        if record.rank >= 0 {
            return (slowest != 0).then(|| "a record of one rank has a slowest".to_owned());
        }
        let total = time("READ_TIME") + time("WRITE_TIME") + time("META_TIME");
        let (least, most) = (time("FASTEST_RANK_TIME"), time("SLOWEST_RANK_TIME"));
        let n = self.ranks as f64;
        let is_sound = (0..self.ranks).contains(&fastest)
            && (0..self.ranks).contains(&slowest)
            && least <= most
            && least * n <= total * 1.001 + 1e-9
            && most * n >= total * 0.999 - 1e-9
            && time("VARIANCE_RANK_TIME") <= (most - least) * (most - least) / 4.0 + 1e-12;
        (!is_sound).then(|| format!("times of ranks are unsound: {:?}", record.times))
    }
}

impl Line {
    fn ranks(&self, ranks: i64) -> Vec<i64> {
        match &self.ranks {
            Ranks::Shared => vec![-1],
            Ranks::Each => (0..ranks).collect(),
            Ranks::Below(end) => (0..value(end, ranks, 0)).collect(),
        }
    }

    /// Adds the counters that follow from the accesses.
    fn add_accesses(&self, ranks: i64, rank: i64, expected: &mut BTreeMap<String, i64>) {
        const CLASSES: [(i64, &str); 10] = [
            (100, "0_100"),
            (1 << 10, "100_1K"),
            (10 << 10, "1K_10K"),
            (100 << 10, "10K_100K"),
            (1 << 20, "100K_1M"),
            (4 << 20, "1M_4M"),
            (10 << 20, "4M_10M"),
            (100 << 20, "10M_100M"),
            (1 << 30, "100M_1G"),
            (i64::MAX, "1G_PLUS"),
        ];
        let mut sizes: BTreeMap<i64, i64> = BTreeMap::new();
        for access in &self.accesses {
            let (length, times) = (&access.numbers[0], &access.times);
            let (length, times) = (value(length, ranks, rank), value(times, ranks, rank));
            let (bytes, side) = if access.write { ("WRITTEN", "WRITE") } else { ("READ", "READ") };
            let (_, class) = CLASSES.iter().find(|(most, _)| length <= *most).unwrap();
            *expected.entry(format!("MPIIO_BYTES_{bytes}")).or_insert(0) += length * times;
            *expected.entry(format!("MPIIO_SIZE_{side}_AGG_{class}")).or_insert(0) += times;
            *sizes.entry(length).or_insert(0) += times;
        }
        let mut sizes: Vec<_> = sizes.into_iter().filter(|(length, _)| *length != 0).collect();
        sizes.sort_by_key(|(length, times)| std::cmp::Reverse((*times, *length)));
        for (i, (length, times)) in sizes.iter().take(4).enumerate() {
            expected.insert(format!("MPIIO_ACCESS{}_ACCESS", i + 1), *length);
            expected.insert(format!("MPIIO_ACCESS{}_COUNT", i + 1), *times);
        }
    }
}

/// Counters that another run of the same program may have otherwise.
fn depends_on_time(counter: &str) -> bool {
    ["FASTEST_RANK", "SLOWEST_RANK", "TIME_SIZE"].iter().any(|part| counter.contains(part))
}

#[test]
fn sums_are_understood() {
    assert_eq!(value("3000N+16R+8", 4, 2), 12040);
    assert_eq!([value("N-1", 4, 0), value("-1", 4, 0), value("R", 4, 3)], [3, -1, 3]);
}
