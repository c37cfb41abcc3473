//! The types of a profile.

use alloc::vec::Vec;

/// The regions of a job and what was counted in them.
///
/// Its order is fixed, so that equal jobs give equal profiles: processes by rank, time and name of
/// the host; regions parents first, siblings by time and then by name; rows by process, thread and
/// execution; everything else by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// The job.
    pub head: Head,
    /// Its processes.
    pub processes: Vec<Process>,
    /// The names of all metrics, units included, which rows refer to.
    pub metrics: Vec<Vec<u8>>,
    /// The tree.
    pub regions: Vec<Region>,
    /// I/O in no region, by layer, each once.
    pub outside: Vec<(Layer, Io)>,
    /// The cost of measuring.
    pub overhead: Overhead,
    /// Mistakes in annotations.
    pub notices: Vec<Notice>,
    /// What could not be kept.
    pub lost: Lost,
}

/// A job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Name of the profile: given by the program, else that of its executable.
    pub name: Vec<u8>,
    /// The command line.
    pub program: Vec<u8>,
    /// The scheduler's number, or a process id.
    pub job: i64,
    /// Real user id.
    pub uid: i64,
    /// Whether it has ended.
    pub state: State,
    /// Begin, in nanoseconds since 1970.
    pub started_ns: u64,
    /// Time from begin to end.
    pub duration_ns: u64,
    /// Ranks of the job, also those without a region.
    pub ranks: u32,
    /// Where ranks come from.
    pub rank_kind: RankKind,
    /// The most executions of a process.
    pub executions: u32,
    /// True if the recorder was on, so that no I/O means that there was none.
    pub has_io: bool,
}

/// How a profile came about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// At the end.
    #[default]
    Complete,
    /// From what killed processes left.
    Recovered,
    /// While the program ran.
    Running,
}

/// Where ranks come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum RankKind {
    /// Processes are numbered.
    #[default]
    Process,
    /// The launcher said them.
    Launcher,
    /// MPI said them.
    Mpi,
}

/// A process.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    /// Its rank.
    pub rank: u32,
    /// Begin, in nanoseconds since 1970.
    pub started_ns: u64,
    /// Name of its host.
    pub host: Vec<u8>,
    /// Process id.
    pub pid: u64,
    /// Threads, up to the last one with a region.
    pub threads: u32,
    /// Its end.
    pub ending: Ending,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Ending {
    /// `exit`, or `main` returned.
    #[default]
    Exit,
    /// `_exit` or `quick_exit`.
    QuickExit,
    /// `SIGABRT`, or `MPI_Abort`.
    Abort,
    /// It became another program.
    Exec,
    /// Any other signal, or unknown.
    Killed,
    /// It had not ended.
    Running,
}

/// A path: a name below other names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Region {
    /// The region above it, which comes before it.
    pub parent: Option<u32>,
    /// Its name: any bytes.
    pub name: Vec<u8>,
    /// Its kind.
    pub kind: Kind,
    /// File of the annotation; empty if it is not known.
    pub file: Vec<u8>,
    /// Line of the annotation.
    pub line: u32,
    /// Its texts, by key and rank: the first of a key counts.
    pub tags: Vec<Tag>,
    /// Its figures.
    pub rows: Vec<Row>,
}

/// The kind of a region.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// What may overlap others: its time is not taken off its parent's.
    Span,
    /// Number and sum of visits.
    #[default]
    Region,
    /// Every visit has a time of its own.
    Iteration,
}

/// A text of a region.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag {
    /// Its key.
    pub key: Vec<u8>,
    /// The lowest rank that gave it.
    pub rank: u32,
    /// The text.
    pub text: Vec<u8>,
    /// Number of processes that gave it.
    pub processes: u32,
}

/// The figures of a region in one process, thread and execution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The process, as a position in [`Profile::processes`].
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// The execution, or the first of them.
    pub execution: u32,
    /// The number of executions after it that are put together with it.
    pub more_executions: u32,
    /// Visits.
    pub calls: u64,
    /// Those of them that had not ended.
    pub open: u64,
    /// Time in it, children included.
    pub time_ns: u64,
    /// Time in it, without that of its children on the same thread.
    pub exclusive_ns: u64,
    /// The shortest visit.
    pub min_ns: u64,
    /// The longest visit.
    pub max_ns: u64,
    /// Its own metrics, by [`Profile::metrics`], each once.
    pub metrics: Vec<Metric>,
    /// Its own I/O, by layer, each once.
    pub io: Vec<(Layer, Io)>,
    /// Its iterations, if it is of that kind.
    pub series: Option<alloc::boxed::Box<Series>>,
    /// Its slowest iterations, the slowest first.
    pub slowest: Vec<Slow>,
}

/// A metric of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Its name, as a position in [`Profile::metrics`].
    pub metric: u32,
    /// Its figures.
    pub measure: Measure,
}

/// The figures of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// A sum.
    Count {
        /// Number of calls.
        calls: u64,
        /// The sum, which stops at the ends of the range.
        sum: i64,
    },
    /// Values.
    Value {
        /// Number of calls, those with values that are not finite included.
        calls: u64,
        /// Sum of the finite values.
        sum: f64,
        /// The least of them; infinite if there is none.
        min: f64,
        /// The largest of them; negative infinite if there is none.
        max: f64,
        /// The last of them; not a number if there is none.
        last: f64,
    },
}

/// A layer of I/O. Later ones lie above earlier ones, except that POSIX and STDIO are side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Layer {
    /// System calls.
    Posix,
    /// Streams of C.
    Stdio,
    /// MPI-IO.
    Mpiio,
    /// HDF5.
    Hdf5,
    /// PnetCDF.
    Pnetcdf,
}

/// I/O in one layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Io {
    /// Opens.
    pub opens: u64,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Metadata calls that are no open.
    pub other: u64,
    /// Time in reads.
    pub read_ns: u64,
    /// Time in writes.
    pub write_ns: u64,
    /// Time in opens and other metadata calls.
    pub metadata_ns: u64,
}

/// Iterations, in columns of equal length. An entry stands for `each` of them, the last one for what
/// is left. Of several executions those with the same number are one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Iterations of an entry, at least 1.
    pub each: u64,
    /// Number of iterations, of several executions the most of one.
    pub iterations: u64,
    /// Time.
    pub time_ns: Vec<u64>,
    /// Visits, if they are those of several executions; else empty.
    pub visits: Vec<u64>,
    /// Bytes read meanwhile by the thread, children included; empty if the recorder was off.
    pub bytes_read: Vec<u64>,
    /// Bytes written meanwhile, likewise.
    pub bytes_written: Vec<u64>,
    /// Time in I/O meanwhile, likewise.
    pub io_ns: Vec<u64>,
    /// Its metrics, by [`Profile::metrics`], each once.
    pub metrics: Vec<(u32, MetricSeries)>,
}

/// A metric in each entry of a series; `None` where it was not given.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricSeries {
    /// Sums.
    Count(Vec<Option<i64>>),
    /// The last value.
    Value(Vec<Option<f64>>),
}

/// A slow iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Slow {
    /// Its number.
    pub iteration: u64,
    /// Its time.
    pub time_ns: u64,
}

/// The cost of measuring.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overhead {
    /// Calls of annotations in all processes.
    pub annotations: u64,
    /// Time in them, estimated, in all processes together.
    pub annotation_ns: u64,
    /// Time in which the profile was written, of the slowest process.
    pub flush_ns: u64,
}

/// A mistake in annotations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// Its kind.
    pub code: NoticeCode,
    /// The name that was given, or the variable that made no sense.
    pub name: Vec<u8>,
    /// The region in which it happened.
    pub region: Option<u32>,
    /// How often.
    pub count: u64,
}

/// The kind of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum NoticeCode {
    /// Leave of what is not open.
    StrayLeave,
    /// Ended because an outer region was left.
    OutOfOrder,
    /// Stop of a span that is stopped or unknown.
    StrayStop,
    /// A thread ended with it.
    LeftOpen,
    /// A metric or tag where nothing is open.
    Nowhere,
    /// A metric as count and as value.
    MetricKind,
    /// A tag with a second text.
    TagChanged,
    /// An empty name.
    Unnamed,
    /// A value that is not finite.
    NotFinite,
    /// A path of too many names.
    TooDeep,
    /// Attach to something stale, or detach without attach.
    StrayAttach,
    /// The hint `ranks` is wrong.
    HintWrong,
    /// A variable of the environment makes no sense.
    Setting,
}

/// Numbers of things that could not be kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lost {
    /// Visits that were put together as `(more)`.
    pub regions: u64,
    /// Names that were cut.
    pub names: u64,
    /// Metrics, and sums beyond the range.
    pub metrics: u64,
    /// Tags.
    pub tags: u64,
    /// Visits.
    pub visits: u64,
}

/// Implements what a table of words and values gives: all values, words, and values by number.
macro_rules! words {
    ($type:ident { $($variant:ident => $word:literal,)+ }) => {
        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Its word.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The one with this word.
            pub fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }

            /// The one with this number.
            pub fn of_number(number: u8) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| *one as u8 == number)
            }
        }
    };
}

words!(State {
    Complete => "complete",
    Recovered => "recovered",
    Running => "running",
});

words!(RankKind {
    Process => "process",
    Launcher => "launcher",
    Mpi => "mpi",
});

words!(Ending {
    Exit => "exit",
    QuickExit => "quick-exit",
    Abort => "abort",
    Exec => "exec",
    Killed => "killed",
    Running => "running",
});

words!(Kind {
    Span => "span",
    Region => "region",
    Iteration => "iteration",
});

words!(Layer {
    Posix => "posix",
    Stdio => "stdio",
    Mpiio => "mpiio",
    Hdf5 => "hdf5",
    Pnetcdf => "pnetcdf",
});

words!(NoticeCode {
    StrayLeave => "stray-leave",
    OutOfOrder => "out-of-order",
    StrayStop => "stray-stop",
    LeftOpen => "left-open",
    Nowhere => "nowhere",
    MetricKind => "metric-kind",
    TagChanged => "tag-changed",
    Unnamed => "unnamed",
    NotFinite => "not-finite",
    TooDeep => "too-deep",
    StrayAttach => "stray-attach",
    HintWrong => "hint-wrong",
    Setting => "setting",
});

impl Row {
    /// True if nothing was counted: the process was not there, it only came from there.
    pub fn is_empty(&self) -> bool {
        let Self { calls, open, time_ns, metrics, io, series, .. } = self;
        (*calls, *open, *time_ns) == (0, 0, 0)
            && metrics.is_empty()
            && io.is_empty()
            && series.is_none()
    }
}

impl Io {
    /// The numbers, in the order of the fields.
    pub fn numbers(&self) -> [u64; 9] {
        let Self { opens, reads, writes, bytes_read, bytes_written, other, .. } = *self;
        let Self { read_ns, write_ns, metadata_ns, .. } = *self;
        [opens, reads, writes, bytes_read, bytes_written, other, read_ns, write_ns, metadata_ns]
    }

    /// The one with these numbers.
    pub fn of_numbers(numbers: [u64; 9]) -> Self {
        let [opens, reads, writes, bytes_read, bytes_written, other, ..] = numbers;
        let [.., read_ns, write_ns, metadata_ns] = numbers;
        let calls = Self { opens, reads, writes, other, ..Self::default() };
        Self { bytes_read, bytes_written, read_ns, write_ns, metadata_ns, ..calls }
    }

    /// Adds another's numbers.
    pub fn add(&mut self, other: &Self) {
        let mut numbers = self.numbers();
        for (number, other) in numbers.iter_mut().zip(other.numbers()) {
            *number = number.saturating_add(other);
        }
        *self = Self::of_numbers(numbers);
    }

    /// Time in all calls.
    pub fn time_ns(&self) -> u64 {
        self.read_ns.saturating_add(self.write_ns).saturating_add(self.metadata_ns)
    }
}

impl Lost {
    /// The numbers, in the order of the fields.
    pub fn numbers(&self) -> [u64; 5] {
        [self.regions, self.names, self.metrics, self.tags, self.visits]
    }

    /// The one with these numbers.
    pub fn of_numbers([regions, names, metrics, tags, visits]: [u64; 5]) -> Self {
        Self { regions, names, metrics, tags, visits }
    }

    /// Adds another's numbers.
    pub fn add(&mut self, other: &Self) {
        let mut numbers = self.numbers();
        for (number, other) in numbers.iter_mut().zip(other.numbers()) {
            *number = number.saturating_add(other);
        }
        *self = Self::of_numbers(numbers);
    }
}

impl Overhead {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.annotations = self.annotations.saturating_add(other.annotations);
        self.annotation_ns = self.annotation_ns.saturating_add(other.annotation_ns);
        self.flush_ns = self.flush_ns.max(other.flush_ns);
    }
}

impl Measure {
    /// Adds another's figures, which come later. Those of another kind are left out.
    pub fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Count { calls, sum }, Self::Count { calls: more, sum: others }) => {
                *calls = calls.saturating_add(*more);
                *sum = sum.saturating_add(*others);
            }
            (
                Self::Value { calls, sum, min, max, last },
                Self::Value { calls: more, sum: others, min: least, max: most, last: latest },
            ) => {
                *calls = calls.saturating_add(*more);
                *sum += others;
                *min = min.min(*least);
                *max = max.max(*most);
                *last = if latest.is_nan() { *last } else { *latest };
            }
            (Self::Count { .. }, Self::Value { .. }) | (Self::Value { .. }, Self::Count { .. }) => {
            }
        }
    }
}
