//! The limits of all checks: one table, from which the file format, `--thresholds` and the
//! documents derive.

/// What a limit is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// A part of 1.
    Share,
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// How many times as much.
    Factor,
}

/// A limit: its name, value range and meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its name, as in a settings file.
    pub name: &'static str,
    /// Its value unless something else is said.
    pub default: f64,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// What it is measured in.
    pub measure: Measure,
    /// What it decides.
    pub meaning: &'static str,
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
            measure: Measure::$measure,
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
    imbalance_operations = 0.1, Share, 0.0..=1.0, "Reads and writes, or their bytes, differ by more than this part of both (P01 to P04)";
    small_bytes = 1048576.0, Bytes, 1.0..=1099511627776.0, "Requests below this are small (P05, P06, P15, P16, A01, A02, C05)";
    small_requests = 0.1, Share, 0.0..=1.0, "Small requests are more than this part of all (P05, P06, P15, P16)";
    small_requests_absolute = 1000.0, Count, 0.0..=1e15, "And more than this many (P05, P06, P15, P16, A01)";
    misaligned_requests = 0.1, Share, 0.0..=1.0, "Misaligned requests are more than this part of all (P07, P08)";
    metadata_time_rank = 30.0, Seconds, 0.0..=1e9, "A rank spends more than this on metadata (P17)";
    random_operations = 0.2, Share, 0.0..=1.0, "Requests that do not step forward are more than this part of all (P11, P13)";
    random_operations_absolute = 1000.0, Count, 0.0..=1e15, "And more than this many (P11, P13)";
    sequential_requests = 0.8, Share, 0.0..=1.0, "Requests that step forward are at least this part of all (P12, P14)";
    imbalance_stragglers = 0.15, Share, 0.0..=1.0, "Ranks of a shared file differ by more than this part of the largest (P18, P19)";
    imbalance_size = 0.3, Share, 0.0..=1.0, "Ranks differ by more than this part of the largest in bytes (P21, P22)";
    interface_stdio = 0.1, Share, 0.0..=1.0, "Streams move more than this part of all bytes (S01)";
    collective_operations = 0.5, Share, 0.0..=1.0, "Independent calls on a file are more than this part, so it is listed (M02, M03)";
    collective_operations_absolute = 1000.0, Count, 0.0..=1e15, "More MPI-IO calls than this (M02, M03)";
    common_request_bytes = 32768.0, Bytes, 1.0..=1099511627776.0, "The commonest request is below this (A01)";
    common_request_share = 0.5, Share, 0.0..=1.0, "Such requests are at least this part of those told by size (A01)";
    common_requests = 256.0, Count, 0.0..=1e15, "And at least this many (A01)";
    requests_per_open = 2.0, Count, 0.0..=1e15, "And more than this many follow an open (A01)";
    redundant_least = 1.01, Factor, 1.0..=1e9, "Bytes moved are at least this times those of the file (P09, P10)";
    imbalance_time_factor = 4.0, Factor, 1.0..=1e9, "A rank takes this times as long as the average for the same bytes: it is the cause (B01)";
    redundant_factor = 2.0, Factor, 1.0..=1e9, "Bytes moved are more than this times those of the file, by counters (A04, A05)";
    redundant_traced = 1.5, Factor, 1.0..=1e9, "Bytes moved are at least this times the different ones, by the trace (A04, A05)";
    redundant_bytes = 67108864.0, Bytes, 0.0..=1e18, "And at least this many more (A04, A05)";
    small_data_ranks = 4.0, Count, 2.0..=1e9, "At least this many ranks do I/O (A03)";
    small_data_bytes = 1048576.0, Bytes, 1.0..=1e15, "Each of them moves less than this (A03)";
    small_data_time = 0.05, Share, 0.0..=1.0, "In at least this part of the run (A03)";
    syncs = 100.0, Count, 0.0..=1e15, "More syncs than this, one for each rank left out (A06)";
    sync_bytes = 16777216.0, Bytes, 0.0..=1e15, "With less than this written for each (A06)";
    sync_stream = 1000.0, Count, 0.0..=1e15, "More flushes of streams than this (A06)";
    imbalance_ranks = 2.0, Count, 2.0..=1e9, "At least this many ranks do I/O (B01)";
    imbalance_factor = 1.3, Factor, 1.0..=1e9, "A rank has at least this times the mean (B01)";
    imbalance_bytes = 4194304.0, Bytes, 0.0..=1e18, "And at least this many bytes more (B01, B02)";
    imbalance_time = 0.05, Share, 0.0..=1.0, "Or seconds worth this part of the run more (B01)";
    rank0_ranks = 8.0, Count, 2.0..=1e9, "At least this many ranks (B02)";
    rank0_share = 0.5, Share, 0.0..=1.0, "One of them moves at least this part of all bytes (B02)";
    sieve_factor = 1.1, Factor, 1.0..=1e9, "POSIX reads more than this times what MPI-IO was asked for (C01)";
    sieve_bytes = 1048576.0, Bytes, 0.0..=1e15, "And this many bytes more (C01)";
    sieve_switches = 0.3, Share, 0.0..=1.0, "Or changes of direction are more than this part of the requests (C01)";
    sieve_switches_absolute = 1000.0, Count, 0.0..=1e15, "And more than this many (C01)";
    amplification_factor = 1.1, Factor, 1.0..=1e9, "POSIX moves more than this times what MPI-IO was asked for (C02)";
    amplification_bytes = 67108864.0, Bytes, 0.0..=1e18, "And at least this many bytes more (C02, H03)";
    wait_factor = 2.0, Factor, 1.0..=1e9, "MPI-IO takes more than this times as long as POSIX below it (C03)";
    wait_time = 0.01, Share, 0.0..=1.0, "And at least this part of the run longer (C03)";
    wait_spread = 0.5, Share, 0.0..=1.0, "The fastest rank takes less than this part of the slowest: some waited (C03)";
    independent_request = 1048576.0, Bytes, 1.0..=1e15, "Independent calls below this would be merged (M02, M03)";
    strided_ranks = 8.0, Count, 2.0..=1e9, "At least this many ranks take turns on a file (C07)";
    strided_share = 0.5, Share, 0.0..=1.0, "In more than this part of the requests (C07)";
    strided_request = 4194304.0, Bytes, 1.0..=1e15, "Of less than this each (C07)";
    strided_many_ranks = 32.0, Count, 2.0..=1e9, "Or whatever their size from this many ranks on (C07)";
    posix_shared_ranks = 8.0, Count, 2.0..=1e9, "At least this many ranks use a file by POSIX alone (C08)";
    ost_files = 3.0, Count, 1.0..=1e9, "A target has at least this many files of one stripe (F01)";
    ost_requests = 30.0, Count, 1.0..=1e9, "Or this many requests within one stripe (F01)";
    ost_file_bytes = 1048576.0, Bytes, 1.0..=1e15, "Of files with at least this (F01)";
    ost_slow = 0.5, Share, 0.0..=1.0, "Its rate is below this part of the median target's (F01)";
    ost_spread = 5.0, Factor, 0.0..=1e6, "And this many median deviations away (F01)";
    ost_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Targets are judged if they get at least this together (F03)";
    ost_factor = 1.5, Factor, 1.0..=1e6, "A target gets at least this times the mean (F03)";
    stripe_bytes = 1073741824.0, Bytes, 1.0..=1e18, "A file that matters has at least this on one stripe (F02)";
    stripe_bytes_any = 107374182400.0, Bytes, 1.0..=1e18, "Any file has at least this on one stripe (F02)";
    stripe_share = 0.1, Share, 0.0..=1.0, "A file that is not shared takes this part of POSIX time (F02)";
    stripe_ranks = 16.0, Count, 2.0..=1e9, "Where stripes are not known: at least this many ranks share the file (F02)";
    stripe_assumed_bytes = 268435456.0, Bytes, 1.0..=1e18, "And write at least this to it (F02)";
    stripe_assumed_request = 1048576.0, Bytes, 1.0..=1e15, "In requests of at least this (F02)";
    stripe_rate = 1000000000.0, Bytes, 1.0..=1e15, "And write less than this per second, as one target gives (F02)";
    block_bytes = 4096.0, Bytes, 1.0..=1e9, "Requests below this share a block with their neighbours, where no trace tells (F05)";
    blocks_per_rank = 16.0, Count, 0.0..=1e12, "In more than this many requests of a rank (F05)";
    weather_phases = 3.0, Count, 2.0..=1e6, "At least this many phases of equal size (F04)";
    weather_alike = 0.1, Share, 0.0..=1.0, "Equal to within this part (F04)";
    weather_spread = 0.5, Share, 0.0..=100.0, "Their rates spread by more than this part of the mean (F04)";
    wrong_system_share = 0.1, Share, 0.0..=1.0, "NFS or an overlay takes this part of the I/O time (F06)";
    wrong_system_time = 0.01, Share, 0.0..=1.0, "And this part of the run (F06)";
    buffer_bytes = 1073741824.0, Bytes, 0.0..=1e18, "At least this is written and read back (F07)";
    fill_bytes = 1073741824.0, Bytes, 0.0..=1e18, "HDF5 files of at least this (H02)";
    fill_factor = 1.2, Factor, 1.0..=1e6, "Are written more than this times their datasets (H02)";
    read_factor = 1.5, Factor, 1.0..=1e6, "HDF5 reads more than this times what was asked for (H03)";
    chunk_share = 0.5, Share, 0.0..=1.0, "At least this part of accesses does not fit the chunks (H04)";
    chunk_small = 65536.0, Bytes, 1.0..=1e12, "Chunks below this are small (H04)";
    chunk_accesses = 1000.0, Count, 0.0..=1e15, "Small chunks and scattered accesses matter with more accesses than this (H04)";
    pnetcdf_time = 0.05, Share, 0.0..=1.0, "Wait calls take this part of the run (H09)";
    pnetcdf_calls = 1000.0, Count, 0.0..=1e15, "Or this many independent accesses (H09)";
    metadata_opens = 1000.0, Count, 0.0..=1e15, "At least this many opens (N01)";
    metadata_bytes_per_open = 1024.0, Bytes, 0.0..=1e12, "With less than this moved for each file (N01)";
    metadata_per_data = 1.0, Factor, 0.0..=1e9, "Or more than this many questions for each read or write (N01)";
    metadata_operations = 10000.0, Count, 0.0..=1e15, "And more than this many opens and stats (N01)";
    metadata_opens_per_file = 10.0, Count, 0.0..=1e9, "Or a file is opened more than this many times by each rank (N01)";
    metadata_share = 0.1, Share, 0.0..=1.0, "At this price of the run (N01)";
    small_file_bytes = 1048576.0, Bytes, 1.0..=1e12, "Files below this are small (N02)";
    small_files = 1000.0, Count, 0.0..=1e12, "More small files than this (N02)";
    small_files_per_rank = 10.0, Count, 0.0..=1e9, "And more than this for each rank that does I/O (N02)";
    file_per_process_ranks = 32.0, Count, 2.0..=1e9, "From this many ranks on a file for each is many (N03)";
    file_per_process_request = 4194304.0, Bytes, 1.0..=1e15, "Unless the commonest request has at least this (N03)";
    import_opens = 1000.0, Count, 0.0..=1e15, "More opens of code than this (N04)";
    import_ranks = 16.0, Count, 1.0..=1e9, "By at least this many ranks (N04)";
    stdio_bytes = 1048576.0, Bytes, 0.0..=1e15, "Streams move at least this (S01)";
    text_time = 0.05, Share, 0.0..=1.0, "A stream takes this part of the run (X01)";
    text_request = 4096.0, Bytes, 1.0..=1e12, "With less than this for each operation (X01, X03)";
    text_calls = 100.0, Count, 0.0..=1e15, "In at least this many calls and flushes of a rank (X01)";
    text_call_time = 0.000005, Seconds, 0.0..=1.0, "Calls shorter than this on average only fill the stream's buffer (X01)";
    text_line = 256.0, Bytes, 1.0..=1e12, "Calls with less than this, of unlike sizes, are taken for lines of text (X01)";
    text_ranks = 8.0, Count, 2.0..=1e9, "At least this many ranks write text (X03)";
    text_operations = 10000.0, Count, 0.0..=1e15, "In more than this many operations (X03)";
    stream_bytes = 10485760.0, Bytes, 0.0..=1e15, "More than this is printed (X02)";
    coalescable_requests = 1000.0, Count, 1.0..=1e15, "Small requests of a file that continue each other are at least this many (A02)";
    coalescable_bytes = 4194304.0, Bytes, 1.0..=1e12, "Requests of this size could take their place (A02)";
    coalescable_factor = 4.0, Factor, 1.0..=1e6, "And would be this many times fewer (A02)";
    coalescable_consecutive = 0.8, Share, 0.0..=1.0, "Without a trace: consecutive requests are more than this part of all (A02)";
    coalescable_small = 0.1, Share, 0.0..=1.0, "Without a trace: small requests are more than this part of all (A02)";
    read_after_write_bytes = 1048576.0, Bytes, 1.0..=1e18, "Bytes of a file read that another rank wrote (A07)";
    read_after_write_share = 0.01, Share, 0.0..=1.0, "Or this part of what is read from the file (A07)";
    exchange_busy = 0.5, Share, 0.0..=1.0, "In a collective call the busiest aggregator spends less than this part in POSIX calls; taken in steps of 5 % (C04)";
    exchange_time = 0.05, Share, 0.0..=1.0, "The rest of such calls is this part of the run (C04)";
    no_buffering_ranks = 4.0, Count, 2.0..=1e9, "Ranks that use MPI-IO on a file are at least this many (C05)";
    no_buffering_share = 0.5, Share, 0.0..=1.0, "More than this part of them makes POSIX calls (C05)";
    no_buffering_alike = 0.1, Share, 0.0..=1.0, "Where ranks are not told apart: calls above and below differ by at most this part, in number and in size (C05)";
    aggregators_bytes = 1073741824.0, Bytes, 0.0..=1e18, "Aggregators of files that move this much are judged (C06)";
    aggregators_few = 0.5, Factor, 0.0..=1e6, "Fewer aggregators than this for each node are few (C06)";
    aggregators_many = 4.0, Count, 1.0..=1e6, "More aggregators than this on one node are many (C06)";
    aggregators_ranks = 256.0, Count, 2.0..=1e9, "Without a trace: this many ranks for each aggregator are too many (C06)";
    block_sharing_units = 8.0, Count, 1.0..=1e15, "Stripes or blocks of a file that are written are at least this many (F05)";
    block_sharing_share = 0.1, Share, 0.0..=1.0, "More than this part of them has several writers (F05)";
    meta_rewrite_share = 0.01, Share, 0.0..=1.0, "A collective write asks for less than this part of what the file got (H01)";
    meta_rewrite_factor = 100.0, Factor, 1.0..=1e9, "POSIX calls within it move this many times as much (H01)";
    meta_rewrite_time = 0.05, Share, 0.0..=1.0, "And it takes this part of the run (H01)";
    meta_all_ranks_bytes = 65536.0, Bytes, 1.0..=1e12, "Extents below this are taken for metadata if nearly all ranks read them (H06)";
    meta_all_ranks_part = 0.9, Share, 0.0..=1.0, "Nearly all ranks are this part of those that use the file (H06)";
    meta_all_ranks_share = 0.5, Share, 0.0..=1.0, "Reads of what nearly all ranks read are this part of all requests to a file (H06)";
    meta_all_ranks_requests = 100.0, Count, 1.0..=1e15, "And at least this many (H06)";
    meta_all_ranks_ranks = 8.0, Count, 2.0..=1e9, "With at least this many ranks (H06)";
    hdf5_misaligned_requests = 100.0, Count, 1.0..=1e15, "HDF5 files with at least this many requests are judged (H07)";
    empty_probes = 1000.0, Count, 1.0..=1e15, "Reads of nothing, or questions about files never opened, are at least this many (N05)";
    empty_probes_share = 0.1, Share, 0.0..=1.0, "Reads of nothing are more than this part of all reads (N05)";
    empty_probes_time = 0.01, Share, 0.0..=1.0, "They decide the verdict from this part of the run on (N05)";
    many_phases = 10.0, Count, 1.0..=1e6, "Phases of I/O are at least this many (T01)";
    many_phases_bytes = 1048576.0, Bytes, 1.0..=1e15, "Half of them move less than this for each rank that does I/O (T01)";
    many_phases_time = 0.05, Share, 0.0..=1.0, "And together they take this part of the run (T01)";
    period_correlation = 0.5, Share, 0.0..=1.0, "I/O shifted in time correlates with itself by this much (T02)";
    stragglers_phases = 4.0, Count, 1.0..=1e6, "Phases with several ranks are at least this many (T03)";
    stragglers_share = 0.5, Share, 0.0..=1.0, "The same rank or node is last in this part of them (T03)";
    stragglers_tail = 0.2, Share, 0.0..=1.0, "By this part of the phase after the median rank (T03)";
    async_phases = 2.0, Count, 2.0..=1e6, "Phases of I/O are at least this many (T04)";
    async_time = 0.05, Share, 0.0..=1.0, "What can be hidden is this part of the run (T04)";
}

/// What is wrong with a settings file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadThreshold {
    /// It cannot be read as what it claims to be.
    #[error("it is neither TOML nor JSON: {0}")]
    Syntax(String),
    /// There is no such limit.
    #[error("there is no threshold `{name}`{}", .near.map_or(String::new(), |near| format!("; did you mean `{near}`?")))]
    Unknown {
        /// What was written.
        name: String,
        /// What it looks like.
        near: Option<&'static str>,
    },
    /// It is no number.
    #[error("`{0}` must be a number")]
    NotANumber(String),
    /// It is outside its range.
    #[error("`{name}` is {value}; it must be between {min} and {max}")]
    Range {
        /// Which.
        name: &'static str,
        /// What was written.
        value: f64,
        /// The least it may be.
        min: f64,
        /// The most it may be.
        max: f64,
    },
}

impl Thresholds {
    /// Reads a settings file: TOML, `name = value`, or the original's JSON, whose two levels are
    /// joined with `_`. What is not named keeps its value.
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

/// The limit whose name shares most with `name`, if that is much.
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
