//! Logs made of a few words: `run(8).file("/scratch/a").posix(ALL, write(5000.0, 4.0 * KIB, 2.5))`.
//!
//! A recipe writes the text of a log as a recorder would have counted, and makes a log of it.

use std::fmt::Write as _;

use ioglass_insight::Diagnosis;
use ioglass_insight::threshold::Thresholds;
use ioglass_log::text::TextBuilder;
use ioglass_log::{Compression, Log, Module, module_named, record_id};

use super::counters::Counters;

pub(crate) const KIB: f64 = 1024.0;
pub(crate) const MIB: f64 = 1024.0 * KIB;
pub(crate) const GIB: f64 = 1024.0 * MIB;

/// Whose record it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Who {
    /// One record that stands for all ranks; its counters are sums over them.
    All,
    /// A record for each rank with these counters.
    Each,
    /// A record of one rank.
    Rank(i64),
}

pub(crate) const ALL: Who = Who::All;
pub(crate) const EACH: Who = Who::Each;

pub(crate) fn only(rank: i64) -> Who {
    Who::Rank(rank)
}

/// A log in the making.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(super) ranks: i64,
    head: String,
    /// A record each.
    pub(super) records: Vec<String>,
    pub(super) trace: String,
    file: String,
}

/// A run of so many ranks, of 100 seconds unless another time is given.
pub(crate) fn run(ranks: i64) -> Recipe {
    let head = format!("# exe: ./app\n# nprocs: {ranks}\n# start_time: 1700000000\n");
    Recipe { ranks, head, records: Vec::new(), trace: String::new(), file: "/data/file".into() }
        .time(100.0)
}

impl Recipe {
    /// Seconds it took.
    pub(crate) fn time(self, seconds: f64) -> Self {
        self.line(&format!("# run time: {seconds:.6}"))
    }

    pub(crate) fn mount(self, path: &str, fs_type: &str) -> Self {
        self.line(&format!("# mount entry:\t{path}\t{fs_type}"))
    }

    /// A module lost records.
    pub(crate) fn partial(self, module: &str) -> Self {
        self.line(&format!("# *WARNING*: The {module} module contains incomplete data!"))
    }

    /// A line about the job.
    pub(crate) fn line(mut self, line: &str) -> Self {
        self.head.push_str(line);
        self.head.push('\n');
        self
    }

    /// The command line, instead of that of some program.
    pub(crate) fn command(&mut self, command: &str) {
        self.head = self.head.replace("# exe: ./app\n", &format!("# exe: {command}\n"));
    }

    /// The file that what follows is about.
    pub(crate) fn file(mut self, path: impl Into<String>) -> Self {
        self.file = path.into();
        self
    }

    pub(crate) fn posix(self, who: Who, counters: Counters) -> Self {
        self.record("POSIX", who, counters)
    }

    pub(crate) fn mpiio(self, who: Who, counters: Counters) -> Self {
        self.record("MPI-IO", who, counters)
    }

    pub(crate) fn stdio(self, who: Who, counters: Counters) -> Self {
        self.record("STDIO", who, counters)
    }

    pub(crate) fn h5f(self, who: Who, counters: Counters) -> Self {
        self.record("H5F", who, counters)
    }

    /// A dataset of the file at hand.
    pub(crate) fn dataset(self, who: Who, counters: Counters) -> Self {
        self.part("H5D", who, counters)
    }

    pub(crate) fn pnetcdf(self, who: Who, counters: Counters) -> Self {
        self.record("PNETCDF_FILE", who, counters)
    }

    pub(crate) fn dfs(self, who: Who, counters: Counters) -> Self {
        self.record("DFS", who, counters)
    }

    fn part(self, module: &str, who: Who, counters: Counters) -> Self {
        let file = self.file.clone();
        let id = record_id(file.as_bytes());
        let records = self.records.len();
        let mut recipe = self.file(format!("{file}:/d")).record(module, who, counters);
        let name = recipe.file.clone();
        for record in &mut recipe.records[records..] {
            let rank = record.split('\t').nth(1).unwrap().to_owned();
            writeln!(record, "{module}\t{rank}\t-\t{module}_FILE_REC_ID\t{id}\t{name}").unwrap();
        }
        recipe.file(file)
    }

    /// How the file lies on Lustre.
    pub(crate) fn stripes(mut self, size: f64, targets: &[i64]) -> Self {
        let mut text = String::new();
        let mut line = |name: String, value: i64| {
            writeln!(text, "LUSTRE\t0\t-\tLUSTRE_COMP1_{name}\t{value}\t{}", self.file).unwrap();
        };
        line("STRIPE_SIZE".into(), size as i64);
        line("STRIPE_COUNT".into(), targets.len() as i64);
        line("EXT_START".into(), 0);
        line("EXT_END".into(), -1);
        for (number, target) in targets.iter().enumerate() {
            line(format!("OST_ID_{number}"), *target);
        }
        self.records.push(text);
        self
    }

    /// What a rank wrote in each bin of a heat map.
    pub(crate) fn heat(mut self, module: &str, rank: i64, bin: f64, written: &[f64]) -> Self {
        let name = format!("heatmap:{module}");
        let mut text =
            format!("HEATMAP\t{rank}\t-\tHEATMAP_F_BIN_WIDTH_SECONDS\t{bin:.6}\t{name}\n");
        for (number, bytes) in written.iter().enumerate() {
            let bytes = *bytes as i64;
            writeln!(text, "HEATMAP\t{rank}\t-\tHEATMAP_WRITE_BIN_{number}\t{bytes}\t{name}")
                .unwrap();
        }
        self.records.push(text);
        self
    }

    /// What a rank did with the file through POSIX: in the trace, and counted.
    pub(crate) fn traced(self, rank: i64, host: &str, calls: &[Call]) -> Self {
        let counters = Counters::of_calls(calls, "");
        self.traced_as("POSIX", rank, host, calls).posix(only(rank), counters)
    }

    /// What a rank asked MPI-IO for, together with others.
    pub(crate) fn traced_together(self, rank: i64, host: &str, calls: &[Call]) -> Self {
        let counters = Counters::of_calls(calls, "COLL_");
        self.traced_as("MPIIO", rank, host, calls).mpiio(only(rank), counters)
    }

    fn traced_as(mut self, module: &str, rank: i64, host: &str, calls: &[Call]) -> Self {
        let id = record_id(self.file.as_bytes());
        let text = &mut self.trace;
        writeln!(text, "# DXT_{module} module data").unwrap();
        writeln!(text, "# DXT, file_id: {id}, file_name: {}", self.file).unwrap();
        writeln!(text, "# DXT, rank: {rank}, hostname: {host}").unwrap();
        for (number, call) in calls.iter().enumerate() {
            let verb = if call.is_read { "read" } else { "write" };
            let (offset, length) = (call.offset as i64, call.length as i64);
            let Call { begin, end, .. } = call;
            writeln!(text, " X_{module} {rank} {verb} {number} {offset} {length} {begin} {end}")
                .unwrap();
        }
        self
    }

    fn record(mut self, module: &str, who: Who, counters: Counters) -> Self {
        let schema = module_named(module).unwrap();
        let ranks: Vec<i64> = match who {
            Who::All => vec![-1],
            Who::Each => (0..self.ranks).collect(),
            Who::Rank(rank) => vec![rank],
        };
        let counters = match who {
            Who::All => counters.shared_by(self.ranks as f64),
            _ => counters,
        };
        let record = |rank: &i64| lines(schema, *rank, &self.file, &counters);
        self.records.extend(ranks.iter().map(record));
        self
    }

    /// The text, as a recorder's listing would have it.
    pub(crate) fn text(&self) -> String {
        format!("{}{}{}", self.head, self.records.concat(), self.trace)
    }

    pub(crate) fn diagnose(&self) -> Diagnosis {
        diagnose(self.text().as_bytes())
    }
}

/// The log that a text stands for.
pub(crate) fn log_of(text: &[u8]) -> Log {
    Log::from_bytes(bytes_of(text)).unwrap()
}

/// The bytes of the log that a text stands for.
pub(crate) fn bytes_of(text: &[u8]) -> Vec<u8> {
    let mut builder = TextBuilder::new();
    builder.read(text).unwrap_or_else(|error| panic!("{error}"));
    builder.write(Vec::new(), Compression::None).unwrap()
}

/// What is said of the log that a text stands for.
pub(crate) fn diagnose(text: &[u8]) -> Diagnosis {
    Diagnosis::of(&log_of(text), &Thresholds::default())
}

fn lines(module: &Module, rank: i64, file: &str, counters: &Counters) -> String {
    let prefix = match module.name {
        "MPI-IO" => "MPIIO",
        name => name,
    };
    let mut text = String::new();
    for (name, value, is_needed) in counters.list() {
        let full = format!("{prefix}_{name}");
        let value = if module.int_index(&full).is_some() {
            format!("{}", value as i64)
        } else if module.float_index(&full).is_some() {
            format!("{value:.6}")
        } else {
            assert!(!is_needed, "{} has no counter {full}", module.name);
            continue;
        };
        let place = if module.uuids > 0 { "\tUNKNOWN\tN/A" } else { "" };
        writeln!(text, "{}\t{rank}\t-\t{full}\t{value}\t{file}{place}", module.name).unwrap();
    }
    text
}

/// A call in a trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(super) is_read: bool,
    pub(super) offset: f64,
    pub(super) length: f64,
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// Writes `length` bytes at `offset`, from second `begin` to `end`.
pub(crate) fn w(offset: f64, length: f64, begin: f64, end: f64) -> Call {
    Call { is_read: false, offset, length, begin, end }
}

pub(crate) fn r(offset: f64, length: f64, begin: f64, end: f64) -> Call {
    Call { is_read: true, offset, length, begin, end }
}

/// So many requests of `length` bytes in a row from `offset` on, from second `begin` to `end`.
pub(crate) fn row_of(call: Call, count: usize) -> Vec<Call> {
    let each = (call.end - call.begin) / count as f64;
    let one = |number: usize| {
        let number = number as f64;
        Call {
            offset: call.offset + number * call.length,
            begin: call.begin + number * each,
            end: call.begin + (number + 1.0) * each,
            ..call
        }
    };
    (0..count).map(one).collect()
}
