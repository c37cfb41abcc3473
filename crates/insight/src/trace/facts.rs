//! The facts of a trace: plain numbers, the same for any order of records.

use super::{Quality, Ticks, TraceLimits};

/// All facts of a trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceFacts {
    /// Quality of the trace.
    pub quality: Quality,
    /// Limits of small requests and the like.
    pub limits: TraceLimits,
    /// Phases are those of MPI-IO, because there is no trace of POSIX.
    pub phases_are_of_mpi_io: bool,
    /// Seconds without I/O that end a phase.
    pub gap: f64,
    /// Times of I/O with nothing for longer than the gap between them, in order; at most 101.
    pub phases: Vec<Phase>,
    /// Ranks in the trace, by number.
    pub ranks: Vec<RankFacts>,
    /// Names of hosts in the trace, in order.
    pub hosts: Vec<String>,
    /// Files in the trace, by id.
    pub files: Vec<FileFacts>,
    /// Storage targets of files with a known layout, by number.
    pub targets: Vec<TargetFacts>,
}

impl TraceFacts {
    /// Facts of the file with this id.
    pub fn file(&self, id: u64) -> Option<&FileFacts> {
        let place = self.files.binary_search_by_key(&id, |file| file.id).ok()?;
        self.files.get(place)
    }

    /// The host of a rank; empty if not known.
    pub fn host_of(&self, rank: u32) -> &str {
        let place = self.ranks.binary_search_by_key(&rank, |facts| facts.rank).ok();
        let host = place.and_then(|place| self.hosts.get(self.ranks[place].host as usize));
        host.map_or("", String::as_str)
    }
}

/// A time of I/O.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Phase {
    /// Seconds after the start of the job.
    pub begin: f64,
    /// Seconds after the start of the job.
    pub end: f64,
    /// Calls.
    pub requests: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Seconds in calls, of all ranks.
    pub time: Ticks,
    /// Ranks that took part; 0 if there were too many ranks to look at each.
    pub ranks: u64,
    /// The rank that was done last, the lowest of several.
    pub last_rank: u32,
    /// Time at which half of the ranks were done.
    pub median_end: f64,
}

impl Phase {
    /// Seconds it took.
    pub fn seconds(&self) -> f64 {
        self.end - self.begin
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    /// Bytes per second; none if it took no time.
    pub fn rate(&self) -> Option<f64> {
        (self.seconds() > 0.0).then(|| self.bytes() as f64 / self.seconds())
    }

    /// Seconds between the middle rank and the last.
    pub fn tail(&self) -> f64 {
        if self.ranks == 0 { 0.0 } else { self.end - self.median_end }
    }
}

/// Facts of one rank, through POSIX unless said otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankFacts {
    /// Its number.
    pub rank: u32,
    /// Its host, an index into [`TraceFacts::hosts`].
    pub host: u32,
    /// Seconds in reads.
    pub read: Ticks,
    /// Seconds in writes.
    pub write: Ticks,
    /// Seconds in MPI-IO calls.
    pub asked: Ticks,
    /// Calls, through POSIX and through MPI-IO.
    pub calls: [u64; 2],
    /// Time at which its last call, of either kind, returned.
    pub last_end: f64,
    /// Seconds in requests below [`TraceLimits::small`].
    pub small: Ticks,
    /// Seconds in small requests that continue each other.
    pub in_runs: Ticks,
    /// Seconds in small extents that nearly all ranks read.
    pub in_common: Ticks,
    /// Seconds in reads that returned nothing.
    pub empty: Ticks,
}

/// Facts of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileFacts {
    /// Its id in the log.
    pub id: u64,
    /// Its stripe, or what it should be aligned to; 0 if not known.
    pub unit: u64,
    /// The unit is a stripe of Lustre.
    pub is_striped: bool,
    /// Reads through POSIX.
    pub reads: Flow,
    /// Writes through POSIX.
    pub writes: Flow,
    /// Requests to MPI-IO, if there were any.
    pub asked: Option<Box<Asked>>,
    /// Only sums are known: what needs sorting (all that is zero then) is not.
    pub is_summed_only: bool,
    /// Small extents that nearly all ranks read.
    pub common: CommonReads,
    /// Reads of what another rank had written.
    pub handed_over: HandedOver,
    /// Units written by several ranks.
    pub sharing: UnitSharing,
    /// Requests of each rank, if there is no record of counters.
    pub by_rank: Vec<OwnPart>,
}

/// Requests of one rank to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OwnPart {
    /// The rank.
    pub rank: u32,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Seconds in both.
    pub time: Ticks,
}

/// All requests of one kind to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Flow {
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
    /// Seconds of all ranks.
    pub time: Ticks,
    /// Seconds of the rank that spent most.
    pub slowest: Ticks,
    /// Ranks.
    pub ranks: u64,
    /// Hosts of these ranks.
    pub hosts: u64,
    /// Ranks on the host that has most of them.
    pub most_on_a_host: u64,
    /// Requests below [`TraceLimits::small`].
    pub small: u64,
    /// Seconds in these.
    pub small_time: Ticks,
    /// Requests that moved nothing.
    pub empty: u64,
    /// Seconds in these.
    pub empty_time: Ticks,
    /// Requests that do not begin at a multiple of the unit.
    pub misaligned_offsets: u64,
    /// Requests that do not end at a multiple of the unit.
    pub misaligned_ends: u64,
    /// Requests that do one of these.
    pub misaligned: u64,
    /// Bytes whose place is known.
    pub placed: u64,
    /// End of the last of them.
    pub extent: u64,
    /// Different bytes among them.
    pub unique: u64,
    /// Sum over ranks of each rank's different bytes.
    pub own: u64,
    /// Small requests that continue each other.
    pub runs: Runs,
}

impl Flow {
    /// Bytes of an average request.
    pub fn mean(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { self.bytes as f64 / self.requests as f64 }
    }

    /// Bytes that the same rank moved before.
    pub fn repeated(&self) -> u64 {
        self.placed.saturating_sub(self.own)
    }

    /// Bytes that another rank moved as well.
    pub fn duplicated(&self) -> u64 {
        self.own.saturating_sub(self.unique)
    }
}

/// Small requests of one rank that begin where its previous one ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Runs {
    /// Requests in runs of two and more.
    pub requests: u64,
    /// Requests of [`TraceLimits::merged`] that could take their place.
    pub merged: u64,
    /// Seconds in them.
    pub time: Ticks,
    /// Seconds of the rank that spent most.
    pub slowest: Ticks,
}

/// Extents below [`TraceLimits::common`] read by at least [`TraceLimits::nearly_all`] of the ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CommonReads {
    /// Extents.
    pub extents: u64,
    /// Reads of them.
    pub requests: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Seconds of these.
    pub time: Ticks,
    /// Seconds of the rank that spent most.
    pub slowest: Ticks,
}

/// Reads of bytes whose last writer was another rank, done before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HandedOver {
    /// Reads with such bytes.
    pub requests: u64,
    /// Such bytes.
    pub bytes: u64,
    /// Seconds of these reads.
    pub time: Ticks,
    /// Seconds of the rank that spent most.
    pub slowest: Ticks,
}

/// Units of a file (stripes, blocks) and who wrote to them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct UnitSharing {
    /// Units written to.
    pub units: u64,
    /// Units written to by several ranks.
    pub shared: u64,
    /// Most ranks on a unit.
    pub most_ranks: u64,
}

impl UnitSharing {
    /// The part of all units that several ranks wrote to.
    pub fn share(&self) -> f64 {
        if self.units == 0 { 0.0 } else { self.shared as f64 / self.units as f64 }
    }
}

/// Requests to MPI-IO on one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Reads.
    pub reads: Flow,
    /// Writes.
    pub writes: Flow,
    /// Rounds of reads: calls of all ranks together.
    pub read_rounds: Rounds,
    /// Rounds of writes.
    pub write_rounds: Rounds,
}

/// Calls that all ranks made together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rounds {
    /// Rounds; 0 unless at least two ranks called.
    pub count: u64,
    /// The longest, at most [`MOST_ROUNDS`](super::MOST_ROUNDS), in order of time.
    pub longest: Vec<Round>,
    /// All of them, by the part of their time that POSIX calls of the busiest aggregator
    /// take: below 5 %,
    /// below 10 %, … Empty if there are none.
    pub by_busy_share: Vec<RoundSum>,
}

/// One round.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Round {
    /// Time of the first rank's call.
    pub begin: f64,
    /// Time of the last rank's call.
    pub complete: f64,
    /// Time at which the last rank was done.
    pub end: f64,
    /// Bytes that were asked for.
    pub asked: u64,
    /// POSIX reads in that time.
    pub reads: u64,
    /// POSIX writes in that time.
    pub writes: u64,
    /// Bytes read by POSIX.
    pub read: u64,
    /// Bytes written by POSIX.
    pub written: u64,
    /// Ranks that made POSIX calls.
    pub aggregators: u64,
    /// Seconds in these calls of the rank that spent most.
    pub busiest: Ticks,
}

impl Round {
    /// Seconds from the last rank's call until all were done.
    pub fn seconds(&self) -> f64 {
        (self.end - self.complete).max(0.0)
    }

    /// Seconds that the busiest aggregator spent in POSIX calls, never more than the round has.
    pub fn busy(&self) -> f64 {
        self.busiest.seconds().min(self.seconds())
    }
}

/// Some rounds together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RoundSum {
    /// Rounds.
    pub count: u64,
    /// Their seconds.
    pub time: Ticks,
    /// Seconds of them that the busiest aggregator of each spent in POSIX calls.
    pub busy: Ticks,
    /// Aggregators, added up over rounds.
    pub aggregators: u64,
    /// Bytes asked for.
    pub asked: u64,
}

/// Load of one storage target.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TargetFacts {
    /// Its number.
    pub target: u32,
    /// Bytes read, exactly.
    pub read: u64,
    /// Bytes written, exactly.
    pub written: u64,
    /// Reads that touched it.
    pub reads: u64,
    /// Writes that touched it.
    pub writes: u64,
    /// Reads that touched nothing else and took time.
    pub lone_reads: u64,
    /// Their median rate in bytes per second.
    pub read_rate: f64,
    /// Writes that touched nothing else and took time.
    pub lone_writes: u64,
    /// Their median rate in bytes per second.
    pub write_rate: f64,
}
