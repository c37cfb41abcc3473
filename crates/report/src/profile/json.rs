//! Profiles for programs: `ioglass.profile/1`.
//!
//! The order of fields is the order in the text. `docs/profile.schema.json` is made from these types.
//! Regions are written one by one, so that a large profile needs little memory.

mod comparison;
mod rows;
mod write;

use std::collections::{BTreeMap, HashMap};

use ioglass_insight::profile::{self as insight, Overview};
use ioglass_profile::summary::{Figures, Ranks};
use ioglass_profile::{Io, Measure, Metric, Profile, Set};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{By, Selection};
pub use comparison::Comparison;
pub use rows::{IoTotal, RowDoc};
pub use write::write;

/// A profile.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(extend("$id" = "ioglass.profile/1")))]
pub struct Document<'a> {
    /// Name and version of this format.
    schema: SchemaVersion,
    /// The job.
    profile: Job,
    /// The dimensions of rows.
    by: Vec<ByWord>,
    /// The regions: parents before children, siblings by time.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<RegionDoc>"))]
    regions: Regions<'a>,
    /// Things worth looking at, the largest first, at most three.
    stands_out: Vec<StandsOut>,
    /// What happened in no region.
    outside: Outside,
    /// The slowest iterations, up to 16 of each region of that kind, the slowest of all first.
    slowest: Vec<Slow>,
    /// The cost of measuring.
    overhead: Overhead,
    /// Mistakes in annotations.
    notices: Vec<Notice>,
    /// Numbers of things that could not be kept.
    lost: Lost,
}

/// A version of the format. The number changes when a field goes or changes its meaning.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
enum SchemaVersion {
    /// The only version so far.
    #[serde(rename = "ioglass.profile/1")]
    V1,
}

/// A dimension of rows.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
enum ByWord {
    /// By rank.
    Rank,
    /// By thread.
    Thread,
    /// By execution.
    Execution,
    /// By iteration.
    Iteration,
}

impl From<By> for ByWord {
    fn from(by: By) -> Self {
        match by {
            By::Rank => Self::Rank,
            By::Thread => Self::Thread,
            By::Execution => Self::Execution,
            By::Iteration => Self::Iteration,
        }
    }
}

/// A job.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Job {
    /// Name of the profile.
    name: String,
    /// The command line.
    program: String,
    /// `complete`, `running` (a snapshot) or `recovered`.
    state: &'static str,
    /// Begin.
    started: Option<String>,
    /// Time from begin to end.
    seconds: f64,
    /// Ranks of the job, also those without a region.
    ranks: u32,
    /// Where ranks come from: `mpi`, `launcher` or `process`.
    rank_kind: &'static str,
    /// The most executions of a process.
    executions: u32,
    /// The files.
    files: Vec<String>,
    /// The processes.
    processes: Vec<ProcessDoc>,
}

/// A process.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct ProcessDoc {
    /// Its rank.
    rank: u32,
    /// Process id.
    pid: u64,
    /// Its host.
    host: String,
    /// Threads, up to the last one with a region.
    threads: u32,
    /// `exit`, `quick-exit`, `abort`, `exec`, `killed` or `running`.
    ending: &'static str,
}

/// A region.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct RegionDoc {
    /// Its number.
    id: u32,
    /// The number of the region above it.
    parent: Option<u32>,
    /// Its name.
    name: String,
    /// The bytes of its name, if they are not UTF-8.
    name_hex: Option<String>,
    /// The names from the outermost region to it; null if they are more than 1,024.
    path: Option<Vec<String>>,
    /// `region`, `iteration` or `span`.
    kind: &'static str,
    /// The place of its annotation.
    #[serde(rename = "where")]
    location: Location,
    /// Its texts.
    tags: BTreeMap<String, String>,
    /// Sums over all ranks, threads and executions.
    total: FiguresDoc,
    /// Statistics over the ranks that were there.
    ranks: RanksDoc,
    /// Figures by the dimensions of `by`.
    rows: Vec<RowDoc>,
}

/// A place in the code.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Location {
    /// The file.
    file: Option<String>,
    /// The line.
    line: Option<u32>,
}

/// Figures of a region.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FiguresDoc {
    /// Visits.
    pub calls: u64,
    /// Those of them that had not ended.
    pub open: u64,
    /// Time in it, children included.
    pub time_ns: u64,
    /// Time in it, without that of its children on the same thread.
    pub exclusive_ns: Option<u64>,
    /// The shortest visit.
    pub min_ns: Option<u64>,
    /// The longest visit.
    pub max_ns: Option<u64>,
    /// Its own metrics, by name.
    pub metrics: BTreeMap<String, MetricDoc>,
    /// Its own I/O, by layer.
    pub io: BTreeMap<&'static str, IoDoc>,
}

/// Figures of a metric.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum MetricDoc {
    /// A sum.
    Count {
        /// Its unit.
        unit: Option<String>,
        /// Number of calls; null in a row of an iteration.
        calls: Option<u64>,
        /// The sum.
        sum: i64,
    },
    /// Values.
    Value {
        /// Its unit.
        unit: Option<String>,
        /// Number of calls; null in a row of an iteration, as are sum, least and largest.
        calls: Option<u64>,
        /// The sum of finite values.
        sum: Option<f64>,
        /// The least.
        min: Option<f64>,
        /// The largest.
        max: Option<f64>,
        /// The last.
        last: Option<f64>,
    },
}

impl MetricDoc {
    /// Leaves out what is not known of an iteration: it has the sum of counts and the last value.
    fn forget(&mut self) {
        match self {
            Self::Count { calls, .. } => *calls = None,
            Self::Value { calls, sum, min, max, .. } => {
                *calls = None;
                (*sum, *min, *max) = (None, None, None);
            }
        }
    }
}

/// I/O in one layer.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct IoDoc {
    /// Opens.
    opens: u64,
    /// Reads.
    reads: u64,
    /// Writes.
    writes: u64,
    /// Bytes read.
    bytes_read: u64,
    /// Bytes written.
    bytes_written: u64,
    /// Metadata calls that are no open.
    other: u64,
    /// Time in reads.
    read_ns: u64,
    /// Time in writes.
    write_ns: u64,
    /// Time in opens and other metadata calls.
    metadata_ns: u64,
}

/// Statistics over ranks.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct RanksDoc {
    /// Ranks that were there.
    count: u32,
    /// Time of the fastest.
    min_ns: Option<u64>,
    /// Mean of their times.
    mean_ns: Option<f64>,
    /// Time of the slowest.
    max_ns: Option<u64>,
    /// Standard deviation of their times.
    stddev_ns: Option<f64>,
    /// Slowest divided by mean, less 1.
    imbalance: Option<f64>,
}

/// A thing worth looking at.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct StandsOut {
    /// `file-time`, `uneven-ranks` or `slow-iteration`.
    kind: &'static str,
    /// The number of the region.
    region: u32,
    /// The rank, if it is about one.
    rank: Option<u32>,
    /// Seconds of the run that it takes, or costs at most.
    seconds: f64,
    /// What happens.
    sentence: String,
}

/// What happened in no region.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Outside {
    /// I/O by layer.
    io: BTreeMap<&'static str, IoDoc>,
}

/// A slow iteration.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Slow {
    /// The number of the region.
    id: u32,
    /// Its rank.
    rank: u32,
    /// Its thread.
    thread: u32,
    /// Its execution.
    execution: u32,
    /// Its number.
    iteration: u64,
    /// Its time.
    time_ns: u64,
}

/// The cost of measuring.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Overhead {
    /// Calls of annotations on all ranks.
    annotations: u64,
    /// Time in them, estimated, on all ranks together.
    annotation_seconds: f64,
    /// Time in which the profile was written.
    flush_seconds: f64,
    /// The cost for a rank, as a share of the run in per cent.
    percent: f64,
}

/// A mistake in annotations.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Notice {
    /// Its kind.
    code: &'static str,
    /// How often.
    count: u64,
    /// The name that was given.
    name: Option<String>,
    /// The region in which it happened.
    path: Option<Vec<String>>,
}

/// Numbers of things that could not be kept.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Lost {
    /// Visits that were put together as `(more)`.
    regions: u64,
    /// Names that were cut.
    names: u64,
    /// Metrics, and sums beyond the range.
    metrics: u64,
    /// Tags.
    tags: u64,
    /// Visits.
    visits: u64,
}

/// The regions of a profile, which are made while they are written.
struct Regions<'a> {
    set: &'a Set,
    selection: &'a Selection,
    shown: Vec<u32>,
    /// Their numbers in the document.
    ids: HashMap<u32, u32>,
}

impl Serialize for Regions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_seq(self.shown.iter().zip(0..).map(|(number, id)| self.region(*number, id)))
    }
}

impl Regions<'_> {
    fn id(&self, region: u32) -> Option<u32> {
        self.ids.get(&region).copied()
    }

    fn region(&self, number: u32, id: u32) -> RegionDoc {
        let profile = self.set.profile();
        let region = &profile.regions[number as usize];
        let summary = &self.set.summaries()[number as usize];
        let is_text = str::from_utf8(&region.name).is_ok();
        let hex = || region.name.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut tags = BTreeMap::new();
        for tag in &region.tags {
            // The first text of a key counts.
            tags.entry(lossy(&tag.key)).or_insert_with(|| lossy(&tag.text));
        }
        let has_place = !region.file.is_empty();
        RegionDoc {
            id,
            parent: region.parent.and_then(|parent| self.id(parent)),
            name: lossy(&region.name),
            name_hex: (!is_text).then(hex),
            path: short_path(profile, number),
            kind: region.kind.word(),
            location: Location {
                file: has_place.then(|| lossy(&region.file)),
                line: (has_place && region.line > 0).then_some(region.line),
            },
            tags,
            total: figures(&summary.total, profile),
            ranks: ranks(&summary.ranks),
            rows: rows::of(self.set, number, self.selection),
        }
    }
}

impl<'a> Document<'a> {
    /// The document of a profile.
    pub fn new(set: &'a Set, selection: &'a Selection) -> Self {
        let overview = Overview::of(set);
        let profile = set.profile();
        let shown = selection.regions(set);
        let ids = shown.iter().copied().zip(0..).collect();
        let regions = Regions { set, selection, shown, ids };
        let mut slowest = Vec::new();
        for (number, id) in regions.shown.iter().zip(0..) {
            slowest.extend(set.summaries()[*number as usize].slowest.iter().map(|slow| Slow {
                id,
                rank: slow.rank,
                thread: slow.thread,
                execution: slow.execution,
                iteration: slow.iteration,
                time_ns: slow.time_ns,
            }));
        }
        slowest.sort_by_key(|slow| std::cmp::Reverse(slow.time_ns));
        let stands_out = overview.stands_out.iter().filter_map(|out| {
            let region = regions.id(out.region)?;
            let (kind, sentence) = (out.kind.word(), out.sentence.clone());
            Some(StandsOut { kind, region, rank: out.rank, seconds: out.seconds, sentence })
        });
        let notices = overview.notices.iter().map(|notice| Notice {
            code: notice.code.word(),
            count: notice.count,
            name: (!notice.name.is_empty()).then(|| lossy(&notice.name)),
            path: notice.region.and_then(|region| short_path(profile, region)),
        });
        let [lost_regions, names, metrics, tags, visits] = profile.lost.numbers();
        Self {
            schema: SchemaVersion::V1,
            profile: job(set),
            by: selection.by.iter().copied().map(ByWord::from).collect(),
            stands_out: stands_out.collect(),
            outside: Outside { io: io(&profile.outside) },
            slowest,
            overhead: Overhead {
                annotations: profile.overhead.annotations,
                annotation_seconds: profile.overhead.annotation_ns as f64 / 1e9,
                flush_seconds: profile.overhead.flush_ns as f64 / 1e9,
                percent: 100.0 * overview.overhead,
            },
            notices: notices.collect(),
            lost: Lost { regions: lost_regions, names, metrics, tags, visits },
            regions,
        }
    }
}

impl std::fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

/// The JSON schema (draft 2020-12) of a [`Document`].
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    crate::json::schema_of::<Document<'_>>()
}

fn job(set: &Set) -> Job {
    let profile = set.profile();
    let head = &profile.head;
    let started = i64::try_from(head.started_ns / 1_000_000_000).ok().filter(|second| *second > 0);
    let processes = profile.processes.iter().map(|process| ProcessDoc {
        rank: process.rank,
        pid: process.pid,
        host: lossy(&process.host),
        threads: process.threads,
        ending: process.ending.word(),
    });
    Job {
        name: lossy(&head.name),
        program: lossy(&head.program),
        state: head.state.word(),
        started: started.map(|second| crate::text::date(second, "%Y-%m-%dT%H:%M:%SZ")),
        seconds: head.duration_ns as f64 / 1e9,
        ranks: head.ranks,
        rank_kind: head.rank_kind.word(),
        executions: head.executions,
        files: set.paths().map(|path| path.to_string_lossy().into_owned()).collect(),
        processes: processes.collect(),
    }
}

pub(super) fn figures(figures: &Figures, profile: &Profile) -> FiguresDoc {
    let visited = figures.calls > 0;
    FiguresDoc {
        calls: figures.calls,
        open: figures.open,
        time_ns: figures.time_ns,
        exclusive_ns: Some(figures.exclusive_ns),
        min_ns: visited.then_some(figures.min_ns),
        max_ns: visited.then_some(figures.max_ns),
        metrics: metrics(&figures.metrics, profile),
        io: io(&figures.io),
    }
}

fn metrics(list: &[Metric], profile: &Profile) -> BTreeMap<String, MetricDoc> {
    let mut found = BTreeMap::new();
    for Metric { metric, measure } in list {
        let full =
            profile.metrics.get(*metric as usize).map(|name| lossy(name)).unwrap_or_default();
        let (short, unit) = insight::unit(&full);
        let unit = unit.map(str::to_owned);
        let doc = match *measure {
            Measure::Count { calls, sum } => MetricDoc::Count { unit, calls: Some(calls), sum },
            Measure::Value { calls, sum, min, max, last } => {
                let finite = |value: f64| value.is_finite().then_some(value);
                let (min, max, last) = (finite(min), finite(max), finite(last));
                MetricDoc::Value { unit, calls: Some(calls), sum: finite(sum), min, max, last }
            }
        };
        // Two that differ only in their unit keep it in their names.
        let name = if found.contains_key(short) { full.clone() } else { short.to_owned() };
        found.insert(name, doc);
    }
    found
}

pub(super) fn io(list: &[(ioglass_profile::Layer, Io)]) -> BTreeMap<&'static str, IoDoc> {
    let doc = |io: &Io| IoDoc {
        opens: io.opens,
        reads: io.reads,
        writes: io.writes,
        bytes_read: io.bytes_read,
        bytes_written: io.bytes_written,
        other: io.other,
        read_ns: io.read_ns,
        write_ns: io.write_ns,
        metadata_ns: io.metadata_ns,
    };
    list.iter().map(|(layer, io)| (layer.word(), doc(io))).collect()
}

fn ranks(ranks: &Ranks) -> RanksDoc {
    let there = ranks.count > 0;
    RanksDoc {
        count: ranks.count,
        min_ns: there.then_some(ranks.min_ns),
        mean_ns: there.then(|| ranks.mean_ns()),
        max_ns: there.then_some(ranks.max_ns),
        stddev_ns: there.then(|| ranks.variance().sqrt()),
        imbalance: ranks.imbalance(),
    }
}

/// Names of a path that are told, so that a document is not the square of a deep profile. The names of
/// a longer one follow from `parent`.
const LONGEST_PATH: usize = 1024;

/// The names of a path, unless they are too many.
fn short_path(profile: &Profile, region: u32) -> Option<Vec<String>> {
    let above = |at: &u32| profile.regions[*at as usize].parent;
    let length = std::iter::successors(Some(region), above).take(LONGEST_PATH + 1).count();
    (length <= LONGEST_PATH).then(|| path(profile, region))
}

pub(super) fn path(profile: &Profile, region: u32) -> Vec<String> {
    let path = insight::path(&profile.regions, region);
    path.into_iter().map(|region| lossy(&profile.regions[region as usize].name)).collect()
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
