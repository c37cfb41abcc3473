//! The limits of all checks: one table, from which the file format, `--thresholds` and the
//! documents derive.

use crate::detect::Detector;

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUnit {
    /// A part of 1.
    Share,
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// A ratio.
    Factor,
}

/// A limit: its name, value range and meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its name, as in a settings file.
    pub name: &'static str,
    /// The default value.
    pub default: f64,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// The unit.
    pub measure: LimitUnit,
    /// The quantity that is compared with it.
    pub meaning: &'static str,
}

/// Limits that decide what I/O time is and whether it is explained.
const OF_VERDICT: [&str; 5] =
    ["unexplained_share", "unexplained_time", "large_request", "good_rate", "waiting_call_time"];

impl Threshold {
    /// The meaning and the codes of the detectors whose condition names this limit.
    pub fn used_by(&self, detectors: &[&Detector]) -> String {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names = |detector: &&&Detector| {
            detector.condition.split(|c| !is_word(c)).any(|word| word == self.name)
        };
        let mut users: Vec<&str> = detectors.iter().filter(names).map(|used| used.code).collect();
        if OF_VERDICT.contains(&self.name) {
            users.push("the verdict");
        }
        format!("{} ({})", self.meaning, users.join(", "))
    }
}

macro_rules! thresholds {
    ($($name:ident = $default:literal, $measure:ident, $min:literal..=$max:literal, $meaning:literal;)+) => {
        /// The limits of a diagnosis.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Thresholds {
            $(#[doc = $meaning] pub $name: f64,)+
        }

        impl Default for Thresholds {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        /// All limits, in the order in which they are printed.
        pub static ALL: &[Threshold] = &[$(Threshold {
            name: stringify!($name),
            default: $default,
            min: $min,
            max: $max,
            measure: LimitUnit::$measure,
            meaning: $meaning,
        },)+];

        impl Thresholds {
            /// The limit of this name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => Some(self.$name),)+
                    _ => None,
                }
            }

            fn place(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

thresholds! {
    imbalance_operations = 0.1, Share, 0.0..=1.0, "Difference between reads and writes, or between their bytes, as a part of both";
    small_bytes = 1048576.0, Bytes, 1.0..=1099511627776.0, "Size below which a request is small";
    small_requests = 0.1, Share, 0.0..=1.0, "Small requests as a part of all";
    small_requests_absolute = 1000.0, Count, 0.0..=1e15, "Number of small requests";
    misaligned_requests = 0.1, Share, 0.0..=1.0, "Misaligned requests as a part of all";
    metadata_time_rank = 30.0, Seconds, 0.0..=1e9, "Time of a rank in metadata calls";
    random_operations = 0.2, Share, 0.0..=1.0, "Requests that do not step forward, as a part of all";
    random_operations_absolute = 1000.0, Count, 0.0..=1e15, "Number of requests from which random access counts";
    sequential_requests = 0.8, Share, 0.0..=1.0, "Requests that step forward, as a part of all";
    imbalance_stragglers = 0.15, Share, 0.0..=1.0, "Difference between ranks of a shared file, as a part of the largest";
    imbalance_size = 0.3, Share, 0.0..=1.0, "Difference in bytes between ranks, as a part of the largest";
    interface_stdio = 0.1, Share, 0.0..=1.0, "Bytes of streams as a part of all bytes";
    collective_operations = 0.5, Share, 0.0..=1.0, "Independent calls on a file, as a part of all, from which it is listed";
    collective_operations_absolute = 1000.0, Count, 0.0..=1e15, "Number of MPI-IO calls";
    common_request_bytes = 32768.0, Bytes, 1.0..=1099511627776.0, "Size below which the commonest request is too small";
    common_request_share = 0.5, Share, 0.0..=1.0, "Such requests as a part of those of known size";
    common_requests = 256.0, Count, 0.0..=1e15, "Number of such requests";
    requests_per_open = 2.0, Count, 0.0..=1e15, "Requests that follow an open";
    redundant_least = 1.01, Factor, 1.0..=1e9, "Bytes moved over the bytes of the file";
    imbalance_time_factor = 4.0, Factor, 1.0..=1e9, "Time of a rank over the average, for the same bytes, from which it is the cause";
    redundant_factor = 2.0, Factor, 1.0..=1e9, "Bytes moved over the bytes of the file, from counters";
    redundant_traced = 1.5, Factor, 1.0..=1e9, "Bytes moved over the different bytes, from the trace";
    redundant_often = 10.0, Factor, 1.0..=1e9, "Bytes moved over the bytes of a small file";
    redundant_bytes = 67108864.0, Bytes, 0.0..=1e18, "Bytes that are moved again";
    small_data_ranks = 4.0, Count, 2.0..=1e9, "Number of ranks that do I/O";
    small_data_bytes = 1048576.0, Bytes, 1.0..=1e15, "Bytes that a rank moves";
    small_data_time = 0.05, Share, 0.0..=1.0, "I/O time as a part of the run";
    syncs = 100.0, Count, 0.0..=1e15, "Number of syncs, without one for each rank";
    sync_bytes = 16777216.0, Bytes, 0.0..=1e15, "Bytes written for each sync";
    sync_stream = 1000.0, Count, 0.0..=1e15, "Number of flushes of streams";
    imbalance_ranks = 2.0, Count, 2.0..=1e9, "Number of ranks that do I/O";
    imbalance_factor = 1.3, Factor, 1.0..=1e9, "Bytes or time of a rank over the mean";
    imbalance_bytes = 4194304.0, Bytes, 0.0..=1e18, "Bytes of a rank above the mean";
    imbalance_time = 0.05, Share, 0.0..=1.0, "Time of a rank above the mean, as a part of the run";
    rank0_ranks = 8.0, Count, 2.0..=1e9, "Number of ranks";
    rank0_share = 0.5, Share, 0.0..=1.0, "Bytes of one rank as a part of all bytes";
    sieve_factor = 1.1, Factor, 1.0..=1e9, "Bytes that POSIX reads over those that MPI-IO was asked to read";
    sieve_bytes = 1048576.0, Bytes, 0.0..=1e15, "Bytes that POSIX reads beyond that";
    sieve_switches = 0.3, Share, 0.0..=1.0, "Changes between reading and writing as a part of the requests";
    sieve_switches_absolute = 1000.0, Count, 0.0..=1e15, "Number of such changes";
    amplification_factor = 1.1, Factor, 1.0..=1e9, "Bytes that POSIX moves over those that MPI-IO was asked to move";
    amplification_bytes = 67108864.0, Bytes, 0.0..=1e18, "Bytes that are moved beyond what was asked for";
    wait_factor = 2.0, Factor, 1.0..=1e9, "Time of MPI-IO over that of POSIX below it";
    wait_time = 0.01, Share, 0.0..=1.0, "Difference between them as a part of the run";
    wait_spread = 0.5, Share, 0.0..=1.0, "Time of the fastest rank as a part of the slowest, below which some ranks waited";
    independent_request = 1048576.0, Bytes, 1.0..=1e15, "Size below which independent calls could be merged";
    strided_ranks = 8.0, Count, 2.0..=1e9, "Number of ranks that take turns on a file";
    strided_share = 0.5, Share, 0.0..=1.0, "Strided requests as a part of all";
    strided_request = 4194304.0, Bytes, 1.0..=1e15, "Size below which such requests are small";
    strided_many_ranks = 32.0, Count, 2.0..=1e9, "Number of ranks from which the size does not matter";
    posix_shared_ranks = 8.0, Count, 2.0..=1e9, "Number of ranks that use a file through POSIX alone";
    ost_files = 3.0, Count, 1.0..=1e9, "Number of files with one stripe on a target";
    ost_requests = 30.0, Count, 1.0..=1e9, "Number of requests within one stripe of a target";
    ost_file_bytes = 1048576.0, Bytes, 1.0..=1e15, "Bytes of a file from which its rate counts";
    ost_slow = 0.5, Share, 0.0..=1.0, "Rate of a target as a part of the median target's";
    ost_spread = 5.0, Factor, 0.0..=1e6, "Distance from the median in median absolute deviations";
    ost_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Bytes of all targets together";
    ost_factor = 1.5, Factor, 1.0..=1e6, "Bytes of a target over the mean";
    stripe_bytes = 1073741824.0, Bytes, 1.0..=1e18, "Bytes of a file on one stripe that ranks share or that takes long";
    stripe_bytes_any = 107374182400.0, Bytes, 1.0..=1e18, "Bytes of any file on one stripe";
    stripe_share = 0.1, Share, 0.0..=1.0, "POSIX time of a file that is not shared, as a part of all";
    stripe_ranks = 16.0, Count, 2.0..=1e9, "Number of ranks that share a file, where stripes are not known";
    stripe_assumed_bytes = 268435456.0, Bytes, 1.0..=1e18, "Bytes written to it, where stripes are not known";
    stripe_assumed_request = 1048576.0, Bytes, 1.0..=1e15, "Size of its requests, where stripes are not known";
    stripe_rate = 1000000000.0, Bytes, 1.0..=1e15, "Bytes per second that one target gives";
    block_bytes = 4096.0, Bytes, 1.0..=1e9, "Size below which requests share a block with their neighbours, without a trace";
    blocks_per_rank = 16.0, Count, 0.0..=1e12, "Number of requests of a rank, without a trace";
    weather_phases = 3.0, Count, 2.0..=1e6, "Number of phases of equal size";
    weather_alike = 0.1, Share, 0.0..=1.0, "Difference between phases of equal size, as a part of their median";
    weather_spread = 0.5, Share, 0.0..=100.0, "Standard deviation of their rates as a part of the mean";
    wrong_system_share = 0.1, Share, 0.0..=1.0, "I/O time on NFS or an overlay, as a part of all I/O time";
    wrong_system_time = 0.01, Share, 0.0..=1.0, "I/O time on NFS or an overlay, as a part of the run";
    buffer_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Bytes that are written and read back";
    fill_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Bytes of an HDF5 file";
    fill_factor = 1.2, Factor, 1.0..=1e6, "Bytes written to the file over those written to its datasets";
    read_factor = 1.5, Factor, 1.0..=1e6, "Bytes read from the file over those that HDF5 was asked to read";
    chunk_share = 0.5, Share, 0.0..=1.0, "Accesses that do not fit the chunks, as a part of all";
    chunk_small = 65536.0, Bytes, 1.0..=1e12, "Size below which a chunk is small";
    chunk_tiny = 4096.0, Bytes, 1.0..=1e12, "Size below which a chunk is tiny";
    chunk_accesses = 1000.0, Count, 0.0..=1e15, "Number of accesses from which small chunks and scattered accesses count";
    pnetcdf_time = 0.05, Share, 0.0..=1.0, "Time in wait calls as a part of the run";
    pnetcdf_calls = 1000.0, Count, 0.0..=1e15, "Number of independent accesses";
    read_rate = 4294967296.0, Bytes, 1.0..=1e15, "Bytes per second that a rank reads in large pieces, where the run does not show it";
    write_rate = 1610612736.0, Bytes, 1.0..=1e15, "Bytes per second that a rank writes in large pieces, where the run does not show it";
    call_time = 0.0000005, Seconds, 0.0..=1.0, "Time of a call that reads in order from a local file system, beyond its bytes";
    storage_rate = 536870912.0, Bytes, 1.0..=1e15, "Bytes per second that storage delivers in the order of a file";
    storage_call_time = 0.00003, Seconds, 0.0..=10.0, "Mean time of a read from which it comes from storage, not from memory";
    unexplained_share = 0.25, Share, 0.0..=1.0, "I/O time as a part of the run from which it needs an explanation";
    unexplained_time = 0.1, Seconds, 0.0..=1e9, "I/O time from which it needs an explanation";
    large_request = 262144.0, Bytes, 1.0..=1e15, "Mean size of a request from which I/O explains itself, at a good rate";
    good_rate = 4194304.0, Bytes, 1.0..=1e15, "Bytes per second of a rank in calls from which I/O explains itself";
    waiting_call_time = 10.0, Seconds, 0.001..=1e9, "Mean time of a metadata call on a file of unknown type from which it waits for somebody, perhaps on a named pipe";
    metadata_opens = 1000.0, Count, 0.0..=1e15, "Number of opens";
    metadata_bytes_per_open = 1024.0, Bytes, 0.0..=1e12, "Bytes moved for each file";
    metadata_per_data = 1.0, Factor, 0.0..=1e9, "Opens, stats and seeks over reads and writes";
    metadata_operations = 10000.0, Count, 0.0..=1e15, "Number of opens, stats and seeks";
    metadata_opens_per_file = 10.0, Count, 0.0..=1e9, "Opens of a file by each rank";
    metadata_changes = 100.0, Count, 1.0..=1e15, "Number of calls that make, remove, rename or change files and directories";
    metadata_share = 0.1, Share, 0.0..=1.0, "Time in metadata calls as a part of the run";
    small_file_bytes = 1048576.0, Bytes, 1.0..=1e12, "Size below which a file is small";
    small_files = 1000.0, Count, 0.0..=1e12, "Number of small files";
    small_files_per_rank = 10.0, Count, 0.0..=1e9, "Number of small files for each rank that does I/O";
    file_per_process_ranks = 32.0, Count, 2.0..=1e9, "Number of ranks from which a file for each is too many";
    file_per_process_request = 4194304.0, Bytes, 1.0..=1e15, "Size of the commonest request from which such files pay off";
    import_opens = 1000.0, Count, 0.0..=1e15, "Number of opens of code files";
    import_ranks = 16.0, Count, 1.0..=1e9, "Number of ranks that open them";
    stdio_bytes = 1048576.0, Bytes, 0.0..=1e15, "Bytes that streams move";
    text_time = 0.05, Share, 0.0..=1.0, "Time of a stream as a part of the run";
    text_request = 4096.0, Bytes, 1.0..=1e12, "Bytes per operation on a stream";
    text_calls = 100.0, Count, 0.0..=1e15, "Number of calls and flushes of a rank";
    text_call_time = 0.0000005, Seconds, 0.0..=1.0, "Mean time of a call below which it only fills the stream's buffer";
    text_line = 256.0, Bytes, 1.0..=1e12, "Bytes per call below which calls of unlike sizes write lines of text";
    text_ranks = 8.0, Count, 2.0..=1e9, "Number of ranks that write text";
    text_operations = 10000.0, Count, 0.0..=1e15, "Number of such operations";
    stream_bytes = 10485760.0, Bytes, 0.0..=1e15, "Bytes printed to a standard stream";
    coalescable_requests = 1000.0, Count, 1.0..=1e15, "Number of small requests to a file that continue each other";
    coalescable_bytes = 4194304.0, Bytes, 1.0..=1e12, "Size of the requests that could take their place";
    coalescable_factor = 4.0, Factor, 1.0..=1e6, "Small requests over large ones that could take their place";
    coalescable_consecutive = 0.8, Share, 0.0..=1.0, "Consecutive requests as a part of all, without a trace";
    coalescable_small = 0.1, Share, 0.0..=1.0, "Small requests as a part of all, without a trace";
    read_after_write_bytes = 1048576.0, Bytes, 1.0..=1e18, "Bytes of a file that a rank reads and another rank wrote";
    read_after_write_share = 0.01, Share, 0.0..=1.0, "Such bytes as a part of what is read from the file";
    exchange_busy = 0.5, Share, 0.0..=1.0, "Time of the busiest aggregator in POSIX calls as a part of a collective call, in steps of 5 %";
    exchange_time = 0.05, Share, 0.0..=1.0, "The rest of such calls as a part of the run";
    no_buffering_ranks = 4.0, Count, 2.0..=1e9, "Number of ranks that use MPI-IO on a file";
    no_buffering_share = 0.5, Share, 0.0..=1.0, "Ranks that make POSIX calls, as a part of them";
    no_buffering_alike = 0.1, Share, 0.0..=1.0, "Difference between calls above and below, in number and in size, where ranks cannot be told apart";
    aggregators_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Bytes of a file from which its aggregators count";
    aggregators_few = 0.5, Factor, 0.0..=1e6, "Aggregators per node below which they are few";
    aggregators_many = 4.0, Count, 1.0..=1e6, "Number of aggregators on one node above which they are many";
    aggregators_ranks = 256.0, Count, 2.0..=1e9, "Number of ranks for each aggregator, without a trace";
    block_sharing_units = 8.0, Count, 1.0..=1e15, "Number of stripes or blocks that are written";
    block_sharing_share = 0.1, Share, 0.0..=1.0, "Stripes or blocks with several writers as a part of them";
    meta_rewrite_share = 0.01, Share, 0.0..=1.0, "Bytes of a collective write as a part of what the file got";
    meta_rewrite_factor = 100.0, Factor, 1.0..=1e9, "Bytes of the POSIX calls within it over its own";
    meta_rewrite_time = 0.05, Share, 0.0..=1.0, "Its time as a part of the run";
    meta_all_ranks_bytes = 65536.0, Bytes, 1.0..=1e12, "Size below which an extent that nearly all ranks read is metadata";
    meta_all_ranks_part = 0.9, Share, 0.0..=1.0, "Ranks that read an extent, as a part of those that use the file";
    meta_all_ranks_share = 0.5, Share, 0.0..=1.0, "Reads of such extents as a part of all requests to a file";
    meta_all_ranks_requests = 100.0, Count, 1.0..=1e15, "Number of such reads";
    meta_all_ranks_ranks = 8.0, Count, 2.0..=1e9, "Number of ranks";
    hdf5_misaligned_requests = 100.0, Count, 1.0..=1e15, "Number of requests to an HDF5 file";
    empty_probes = 1000.0, Count, 1.0..=1e15, "Number of reads of nothing, or of lookups of files that are never opened";
    empty_probes_share = 0.1, Share, 0.0..=1.0, "Reads of nothing as a part of all reads";
    empty_probes_time = 0.01, Share, 0.0..=1.0, "Their time as a part of the run, from which they decide the verdict";
    many_phases = 10.0, Count, 1.0..=1e6, "Number of phases of I/O";
    many_phases_bytes = 1048576.0, Bytes, 1.0..=1e15, "Bytes of a phase for each rank that does I/O";
    many_phases_time = 0.05, Share, 0.0..=1.0, "Time of the phases as a part of the run";
    period_correlation = 0.5, Share, 0.0..=1.0, "Correlation of I/O with itself after a shift in time";
    stragglers_phases = 4.0, Count, 1.0..=1e6, "Number of phases with several ranks";
    stragglers_share = 0.5, Share, 0.0..=1.0, "Phases in which the same rank or node is last, as a part of all";
    stragglers_tail = 0.2, Share, 0.0..=1.0, "Time after the median rank as a part of the phase";
    async_phases = 2.0, Count, 2.0..=1e6, "Number of phases of I/O";
    async_time = 0.05, Share, 0.0..=1.0, "Time that can be hidden as a part of the run";
}

/// A fault in a settings file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadThreshold {
    /// It cannot be read as what it claims to be.
    #[error("it is neither TOML nor JSON: {0}")]
    Syntax(String),
    /// There is no such limit.
    #[error("there is no threshold `{name}`{}", .near.map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    Unknown {
        /// The text in the file.
        name: String,
        /// A similar name.
        near: Option<&'static str>,
    },
    /// It is no number.
    #[error("`{0}` must be a number")]
    NotANumber(String),
    /// It is outside its range.
    #[error("`{name}` is {value}; it must be between {min} and {max}")]
    Range {
        /// The limit.
        name: &'static str,
        /// The text in the file.
        value: f64,
        /// The least it may be.
        min: f64,
        /// The most it may be.
        max: f64,
    },
}

impl Thresholds {
    /// Reads a settings file: TOML (`name = value`), or the JSON of Drishti, whose two levels are
    /// joined with `_`. Limits that the file does not name keep their value.
    pub fn read(text: &str) -> Result<Self, BadThreshold> {
        let mut thresholds = Self::default();
        let mut found = Vec::new();
        if text.trim_start().starts_with('{') {
            let value =
                serde_json::from_str(text).map_err(|e| BadThreshold::Syntax(e.to_string()))?;
            gather_json("", &value, &mut found)?;
        } else {
            let table: toml::Table = text
                .parse()
                .map_err(|e: toml::de::Error| BadThreshold::Syntax(e.message().to_owned()))?;
            gather_toml("", &table, &mut found)?;
        }
        for (name, value) in found {
            thresholds.set(&name, value)?;
        }
        Ok(thresholds)
    }

    /// Sets one limit.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), BadThreshold> {
        let Some(known) = ALL.iter().find(|known| known.name == name) else {
            return Err(BadThreshold::Unknown { name: name.to_owned(), near: nearest(name) });
        };
        if !(known.min..=known.max).contains(&value) {
            let (min, max) = (known.min, known.max);
            return Err(BadThreshold::Range { name: known.name, value, min, max });
        }
        if let Some(place) = self.place(name) {
            *place = value;
        }
        Ok(())
    }
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}_{name}") }
}

fn gather_json(
    prefix: &str,
    value: &serde_json::Value,
    found: &mut Vec<(String, f64)>,
) -> Result<(), BadThreshold> {
    match value {
        serde_json::Value::Object(members) => members
            .iter()
            .try_for_each(|(name, value)| gather_json(&joined(prefix, name), value, found)),
        _ => {
            let number =
                value.as_f64().ok_or_else(|| BadThreshold::NotANumber(prefix.to_owned()))?;
            found.push((prefix.to_owned(), number));
            Ok(())
        }
    }
}

fn gather_toml(
    prefix: &str,
    table: &toml::Table,
    found: &mut Vec<(String, f64)>,
) -> Result<(), BadThreshold> {
    for (name, value) in table {
        let name = joined(prefix, name);
        match value {
            toml::Value::Table(inner) => gather_toml(&name, inner, found)?,
            toml::Value::Float(number) => found.push((name, *number)),
            toml::Value::Integer(number) => found.push((name, *number as f64)),
            _ => return Err(BadThreshold::NotANumber(name)),
        }
    }
    Ok(())
}

/// The limit with the most similar name, if one is similar enough.
fn nearest(name: &str) -> Option<&'static str> {
    let shared = |known: &str| {
        let start = known.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let end = known.bytes().rev().zip(name.bytes().rev()).take_while(|(a, b)| a == b).count();
        (start + end).min(known.len().max(name.len()))
    };
    let best = ALL
        .iter()
        .map(|known| known.name)
        .max_by_key(|known| (shared(known), std::cmp::Reverse(known.len())))?;
    (shared(best) * 3 > name.len() * 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_their_ranges() {
        for threshold in ALL {
            let range = threshold.min..=threshold.max;
            assert!(range.contains(&threshold.default), "{}", threshold.name);
            assert_eq!(Thresholds::default().get(threshold.name), Some(threshold.default));
        }
    }

    #[test]
    fn every_limit_is_named_by_a_condition() {
        for threshold in ALL {
            let text = threshold.used_by(crate::detect::ALL);
            assert!(!text.ends_with("()"), "{text}: no condition names {}", threshold.name);
        }
    }

    #[test]
    fn both_formats_are_read() {
        let toml = Thresholds::read("small_requests = 0.3\nsyncs = 50\n").unwrap();
        assert_eq!((toml.small_requests, toml.syncs), (0.3, 50.0));
        let json = r#"{"small": {"requests": 0.3}, "random": {"operations_absolute": 5}}"#;
        let json = Thresholds::read(json).unwrap();
        assert_eq!((json.small_requests, json.random_operations_absolute), (0.3, 5.0));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text| Thresholds::read(text).unwrap_err().to_string();
        assert_eq!(
            error("small_request = 0.3"),
            "there is no threshold `small_request`; did you mean `small_requests`?"
        );
        assert_eq!(
            error("small_requests = 1.5"),
            "`small_requests` is 1.5; it must be between 0 and 1"
        );
        assert_eq!(error("small_requests = \"much\""), "`small_requests` must be a number");
        assert_eq!(
            error("small_requests = nan"),
            "`small_requests` is NaN; it must be between 0 and 1"
        );
        assert!(error("small_requests ==").starts_with("it is neither TOML nor JSON"));
        assert_eq!(error(r#"{"backtrace": 4}"#), "there is no threshold `backtrace`");
    }
}
