//! The detectors, one file for each or for each pair of directions, and the one table of them.

mod aggregators;
mod amplification;
mod async_worth_it;
mod block_sharing;
mod burst_buffer;
mod coalescable;
mod collective_wait;
mod context;
mod datasets;
mod empty_probes;
mod exchange_bound;
mod feature;
mod file_per_process;
mod flush_storm;
mod fs_weather;
mod hdf5_chunks;
mod hdf5_deprecated;
mod hdf5_fill_values;
mod hdf5_independent;
mod hdf5_meta_all_ranks;
mod hdf5_meta_rewrite;
mod hdf5_misaligned;
mod hdf5_read_amplification;
mod hdf5_scattered;
mod heavy_metadata;
mod imbalance;
mod import_storm;
mod libraries;
mod many_phases;
mod many_small_files;
mod metadata_time;
mod misaligned;
mod mix;
mod mmap_unseen;
mod mpi_io;
mod no_collective_buffering;
mod ost_imbalance;
mod period;
mod phases;
mod posix_shared_file;
mod price;
mod random;
mod rank_imbalance;
mod read_after_write;
mod read_modify_write;
mod redundant;
mod shared_imbalance;
mod single_stripe;
mod slow_ost;
mod small;
mod small_data;
mod small_requests;
mod stdio_bytes;
mod stragglers;
mod strided_independent;
mod top;
mod traced;
#[cfg(test)]
mod traced_tests;
mod unequal_ranks;
mod wrong_file_system;

pub use context::Context;
pub(crate) use context::{base, folder};
pub use feature::Feature;
pub(crate) use rank_imbalance::is_lopsided;
pub(crate) use stdio_bytes::{is_buffered, is_sought};
pub use top::CaseFiles;
pub(crate) use top::{Sources, top_files};

use ioglass_log::record_id;

use crate::finding::{
    Advice, Chart, Confidence, Dimension, Evidence, FileShare, Level, Moment, Need, Plot, Quantity,
    Shows, Top,
};
use crate::model::Direction;
use crate::verdict::Wording;

/// A check and all that is known of it: its name, its texts, the runs it applies to, the plots that
/// show it, and the function that looks.
///
/// Reports, pages, `docs/detectors.md` and `ioglass explain` are made of these.
#[derive(Debug)]
pub struct Detector {
    /// Letter and number; never reused.
    pub code: &'static str,
    /// The same in words.
    pub slug: &'static str,
    /// The dimension that it judges.
    pub dimension: Dimension,
    /// The highest level it may have.
    pub highest: Level,
    /// The finding in one sentence.
    pub what: &'static str,
    /// The exact condition under which it fires. Thresholds appear by name.
    pub condition: &'static str,
    /// The reason why that costs time.
    pub why: &'static str,
    /// The general remedy.
    pub fix: &'static str,
    /// The document that says so.
    pub see: &'static str,
    /// Features that a run must have. The first that is missing is the reason given.
    pub applies_to: &'static [Feature],
    /// Plots of a page that show it, the best first.
    pub plots: &'static [Plot],
    /// The part of the time that shows it, unless the check knows better.
    pub moment: Moment,
    /// The function that looks.
    pub check: fn(&Context<'_>) -> Check,
}

/// The outcome of a check.
#[derive(Debug)]
pub enum Check {
    /// Its condition holds.
    Fired(Box<Case>),
    /// It does not hold. The sentence has the number that decided.
    Fine(String),
    /// The log lacks something.
    NotCheckable(Need),
    /// The check makes no sense for such a run. Screens leave it out.
    Senseless,
}

/// The result of a check that fired.
#[derive(Debug, Clone)]
pub struct Case {
    /// One sentence, subject first.
    pub title: String,
    /// Two or three sentences with this log's numbers.
    pub detail: String,
    /// The numbers.
    pub evidence: Vec<Evidence>,
    /// Files, most seconds first.
    pub files: Top<FileShare>,
    /// The records that its seconds were spent on; empty if they are those of the whole run.
    pub(crate) sources: Sources,
    /// Ranks.
    pub ranks: Top<i64>,
    /// The part of the trace that shows it.
    pub shows: Shows,
    /// Upper bound of what it costs the run.
    pub seconds: f64,
    /// The kind of time these seconds are, so that they are counted once.
    pub pool: Pool,
    /// The confidence in the seconds.
    pub confidence: Confidence,
    /// The source of the seconds, such as `counters and stripes`; empty if it is obvious.
    pub basis: &'static str,
    /// The advice.
    pub advice: Vec<Advice>,
    /// A picture.
    pub chart: Option<Chart>,
    /// Its words in the verdict.
    pub wording: Wording,
    /// One sentence about the data that a reader must know first.
    pub warning: Option<String>,
    /// The highest level that it may have in this run.
    pub most: Level,
    /// True if it names a cause. Otherwise it is true of many healthy runs as well and does not
    /// decide the verdict.
    pub is_cause: bool,
}

/// A kind of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pool {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes.
    #[default]
    Data,
    /// Metadata calls.
    Metadata,
    /// Waiting in MPI-IO calls for others.
    Wait,
    /// Streams of the C library.
    Text,
    /// A library above, such as HDF5, and the calls below it.
    Library,
}

impl Case {
    /// A case with these fields and nothing else.
    pub fn new(title: impl Into<String>, detail: impl Into<String>, seconds: f64) -> Self {
        Self {
            title: title.into(),
            detail: detail.into(),
            evidence: Vec::new(),
            files: Top::default(),
            sources: Sources::default(),
            ranks: Top::default(),
            shows: Shows::default(),
            seconds,
            pool: Pool::Data,
            confidence: Confidence::Derived,
            basis: "",
            advice: Vec::new(),
            chart: None,
            wording: Wording::default(),
            warning: None,
            most: Level::High,
            is_cause: true,
        }
    }

    /// Sets the kind of time, and with it the direction in which the finding is seen.
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = pool;
        self.shows.direction = match pool {
            Pool::Read => Some(Direction::Read),
            Pool::Write => Some(Direction::Write),
            _ => self.shows.direction,
        };
        self
    }

    /// Sets the direction in which it is seen.
    pub fn seen_in(mut self, direction: Direction) -> Self {
        self.shows.direction = Some(direction);
        self
    }

    /// Shows it in the calls of MPI-IO, not in those below.
    pub fn asked(mut self) -> Self {
        self.shows.is_asked = true;
        self
    }

    /// Sets the time in which it is seen best, if that is known.
    pub fn seen_at(mut self, when: Option<(f64, f64)>) -> Self {
        self.shows.when = when;
        self
    }

    /// Shows it in the bytes that are touched more than once.
    pub fn seen_again(mut self) -> Self {
        self.shows.is_again = true;
        self
    }

    /// Sets the sentence for the verdict.
    pub fn headline(mut self, sentence: String) -> Self {
        self.wording.headline = Some(sentence);
        self
    }

    /// Sets the first step for the verdict.
    pub fn first_step(mut self, step: &'static str) -> Self {
        self.wording.first_step = Some(step);
        self
    }

    /// Sets its name inside a sentence, if the phrase of its dimension does not fit.
    pub fn phrase(mut self, phrase: &'static str) -> Self {
        self.wording.phrase = Some(phrase);
        self
    }

    /// Limits the verdict of a healthy run, which ends with `but mapped files are read unseen`.
    pub fn caveat(mut self, caveat: String) -> Self {
        self.wording.caveat = Some(caveat);
        self
    }

    /// Adds a warning about the data to the report.
    pub fn warning(mut self, sentence: String) -> Self {
        self.warning = Some(sentence);
        self
    }

    /// Lets it decide the verdict only if this holds.
    pub fn cause_if(mut self, is_cause: bool) -> Self {
        self.is_cause = is_cause;
        self
    }

    /// Limits its level in this run.
    pub fn at_most(mut self, level: Level) -> Self {
        self.most = level;
        self
    }

    /// Adds a number.
    pub fn evidence(mut self, name: &'static str, value: f64, quantity: Quantity) -> Self {
        self.evidence.push(Evidence { name, value, quantity });
        self
    }

    /// Names the files.
    pub fn files(mut self, files: CaseFiles) -> Self {
        (self.files, self.sources) = (files.top, files.sources);
        self
    }

    /// Names the directories in which its seconds were spent, each with its seconds.
    pub(crate) fn in_directories<'d>(
        mut self,
        directories: impl Iterator<Item = (&'d str, f64)>,
    ) -> Self {
        for (directory, seconds) in directories {
            // Directories without a name are one, whose regions are not told.
            let record = if directory.is_empty() { 0 } else { record_id(directory.as_bytes()) };
            self.sources.push(record, seconds);
        }
        self
    }

    /// Names the ranks.
    pub fn ranks(mut self, ranks: Top<i64>) -> Self {
        self.ranks = ranks;
        self
    }

    /// Adds advice.
    pub fn advise(mut self, advice: Advice) -> Self {
        if !advice.is_empty() {
            self.advice.push(advice);
        }
        self
    }

    /// Sets the confidence in the seconds.
    pub fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = confidence;
        self
    }

    /// Sets the source of the seconds.
    pub fn basis(mut self, basis: &'static str) -> Self {
        self.basis = basis;
        self
    }

    /// The outcome: the condition holds.
    pub fn fired(self) -> Check {
        Check::Fired(Box::new(self))
    }
}

/// Every detector, by code.
pub static ALL: &[&Detector] = &[
    &small_requests::DETECTOR,
    &coalescable::DETECTOR,
    &small_data::DETECTOR,
    &redundant::REDUNDANT_READ,
    &redundant::OVERLAPPING_WRITE,
    &flush_storm::DETECTOR,
    &read_after_write::DETECTOR,
    &mmap_unseen::DETECTOR,
    &rank_imbalance::IMBALANCE,
    &rank_imbalance::RANK0,
    &read_modify_write::DETECTOR,
    &amplification::DETECTOR,
    &collective_wait::DETECTOR,
    &exchange_bound::DETECTOR,
    &no_collective_buffering::DETECTOR,
    &aggregators::DETECTOR,
    &strided_independent::DETECTOR,
    &posix_shared_file::DETECTOR,
    &slow_ost::DETECTOR,
    &single_stripe::DETECTOR,
    &ost_imbalance::DETECTOR,
    &fs_weather::DETECTOR,
    &block_sharing::DETECTOR,
    &wrong_file_system::DETECTOR,
    &burst_buffer::DETECTOR,
    &hdf5_meta_rewrite::DETECTOR,
    &hdf5_fill_values::DETECTOR,
    &hdf5_read_amplification::DETECTOR,
    &hdf5_chunks::DETECTOR,
    &hdf5_independent::DETECTOR,
    &hdf5_meta_all_ranks::DETECTOR,
    &hdf5_misaligned::DETECTOR,
    &hdf5_deprecated::DETECTOR,
    &libraries::PNETCDF,
    &libraries::DAOS,
    &hdf5_scattered::DETECTOR,
    &mpi_io::NONE,
    &mpi_io::NO_COLLECTIVE_READS,
    &mpi_io::NO_COLLECTIVE_WRITES,
    &mpi_io::COLLECTIVE_READS,
    &mpi_io::COLLECTIVE_WRITES,
    &mpi_io::BLOCKING_READS,
    &mpi_io::BLOCKING_WRITES,
    &mpi_io::FEW_AGGREGATORS,
    &mpi_io::MANY_AGGREGATORS,
    &mpi_io::AGGREGATOR_PER_NODE,
    &heavy_metadata::DETECTOR,
    &many_small_files::DETECTOR,
    &file_per_process::DETECTOR,
    &import_storm::DETECTOR,
    &empty_probes::DETECTOR,
    &mix::MORE_WRITES,
    &mix::MORE_READS,
    &mix::MORE_BYTES_WRITTEN,
    &mix::MORE_BYTES_READ,
    &small::READS,
    &small::WRITES,
    &misaligned::MEMORY,
    &misaligned::FILE,
    &redundant::REREAD,
    &redundant::REWRITTEN,
    &random::RANDOM_READS,
    &random::SEQUENTIAL_READS,
    &random::RANDOM_WRITES,
    &random::SEQUENTIAL_WRITES,
    &small::SHARED_READS,
    &small::SHARED_WRITES,
    &metadata_time::DETECTOR,
    &shared_imbalance::BYTES,
    &shared_imbalance::TIME,
    &imbalance::WRITE,
    &imbalance::READ,
    &stdio_bytes::BYTES,
    &many_phases::DETECTOR,
    &period::DETECTOR,
    &stragglers::DETECTOR,
    &async_worth_it::DETECTOR,
    &stdio_bytes::SLOW_TEXT,
    &stdio_bytes::BIG_STDOUT,
    &stdio_bytes::ALL_RANKS,
];

/// The detector with this code or slug.
pub fn find(name: &str) -> Option<&'static Detector> {
    ALL.iter()
        .copied()
        .find(|detector| detector.code.eq_ignore_ascii_case(name) || detector.slug == name)
}
