//! The contents of a log's modules, counted in one pass.

use ioglass_log::{
    Apmpi, Apxc, ApxcHeader, Error, Heatmap, Layout, Log, Lustre, MdhimServers, ModuleInfo,
    Special, apxc,
};
use ioglass_report::number::{bytes, counted, seconds, thousands};
use serde_json::{Value, json};

/// All modules of a log.
pub(super) struct Contents {
    pub(super) modules: Vec<Module>,
}

/// One module, and the fault that ended the reading.
pub(super) struct Module {
    pub(super) info: ModuleInfo,
    holds: Holds,
    problem: Option<Error>,
}

/// The contents of a module.
enum Holds {
    Nothing,
    Unknown,
    Counters { records: u64, shared: u64, left_out: u64, read: Option<u64>, written: Option<u64> },
    Layouts { records: u64, targets: u64 },
    Heatmaps { records: u64, bins: u64, bin_width: f64 },
    Segments { records: u64, writes: u64, reads: u64, threads: bool },
    Servers { records: u64, servers: u64 },
    MpiRanks { ranks: u64, calls: u64 },
    Routers { header: Option<ApxcHeader>, routers: u64, flits: u64, stalls: u64 },
}

impl Contents {
    pub(super) fn read(log: &Log) -> Self {
        let modules = log.modules().map(|info| {
            let mut holds = Holds::of(info);
            let problem = holds.count(log, info).err();
            Module { info, holds, problem }
        });
        Self { modules: modules.collect() }
    }

    pub(super) fn problems(&self) -> impl Iterator<Item = &Error> {
        self.modules.iter().filter_map(|module| module.problem.as_ref())
    }

    pub(super) fn has_trace(&self) -> bool {
        let is_trace = |module: &Module| matches!(module.holds, Holds::Segments { .. });
        self.modules.iter().any(is_trace)
    }
}

impl Holds {
    fn of(info: ModuleInfo) -> Self {
        if info.extent.len == 0 {
            return Self::Nothing;
        }
        match info.id.module().map(|module| module.layout) {
            None => Self::Unknown,
            Some(Layout::Counters) => {
                Self::Counters { records: 0, shared: 0, left_out: 0, read: None, written: None }
            }
            Some(Layout::Lustre) => Self::Layouts { records: 0, targets: 0 },
            Some(Layout::Heatmap) => Self::Heatmaps { records: 0, bins: 0, bin_width: 0.0 },
            Some(Layout::Dxt) => Self::Segments { records: 0, writes: 0, reads: 0, threads: false },
            Some(Layout::Mdhim) => Self::Servers { records: 0, servers: 0 },
            Some(Layout::Apmpi) => Self::MpiRanks { ranks: 0, calls: 0 },
            Some(Layout::Apxc) => Self::Routers { header: None, routers: 0, flits: 0, stalls: 0 },
        }
    }

    fn count(&mut self, log: &Log, info: ModuleInfo) -> Result<(), Error> {
        let Some(module) = info.id.module() else {
            return Ok(());
        };
        match self {
            Self::Nothing | Self::Unknown => Ok(()),
            Self::Counters { records, shared, left_out, read, written } => {
                let column = |end| module.ints.iter().position(|c| c.name.ends_with(end));
                let (reads, writes) = (column("_BYTES_READ"), column("_BYTES_WRITTEN"));
                let add = |sum: &mut Option<u64>, value: Option<i64>| {
                    // −1 is "not monitored".
                    let value = value.and_then(|value| u64::try_from(value).ok());
                    if let Some(value) = value {
                        *sum = Some(sum.unwrap_or(0).saturating_add(value));
                    }
                };
                let mut reader = log.records(module)?;
                while let Some(record) = reader.next()? {
                    *records += 1;
                    *shared += u64::from(record.base.rank < 0);
                    add(read, reads.map(|i| record.int[i]));
                    add(written, writes.map(|i| record.int[i]));
                }
                *left_out = reader.left_out();
                Ok(())
            }
            Self::Layouts { records, targets } => {
                let mut seen = std::collections::BTreeSet::new();
                each(log, |layout: Lustre| {
                    *records += 1;
                    seen.extend(layout.osts.into_iter().take(MOST_TARGETS));
                    while seen.len() > MOST_TARGETS {
                        seen.pop_last();
                    }
                    *targets = seen.len() as u64;
                })
            }
            Self::Heatmaps { records, bins, bin_width } => each(log, |map: Heatmap| {
                *records += 1;
                *bins = map.writes.len() as u64;
                *bin_width = map.bin_width;
            }),
            Self::Segments { records, writes, reads, threads } => {
                let mut reader = log.dxt(module)?;
                *threads = reader.has_threads();
                while reader.next_record()?.is_some() {
                    *records += 1;
                    // Counted, not believed: the head may promise more than there is.
                    while let Some(chunk) = reader.next_chunk()? {
                        let count = chunk.segments.len() as u64;
                        match chunk.operation {
                            ioglass_log::Operation::Write => *writes += count,
                            ioglass_log::Operation::Read => *reads += count,
                        }
                    }
                }
                Ok(())
            }
            Self::Servers { records, servers } => each(log, |stored: MdhimServers| {
                *records += 1;
                *servers = stored.servers.len() as u64;
            }),
            Self::MpiRanks { ranks, calls } => each(log, |stored: Apmpi| {
                if let Apmpi::Rank(rank) = stored {
                    *ranks += 1;
                    let counts = ioglass_log::apmpi::ints().zip(&rank.ints);
                    let counts = counts.filter(|((_, suffix), _)| *suffix == "_CALL_COUNT");
                    *calls = counts.fold(*calls, |sum, (_, count)| sum.saturating_add(*count));
                }
            }),
            Self::Routers { header, routers, flits, stalls } => {
                each(log, |stored: Apxc| match stored {
                    Apxc::Header(found) => *header = Some(found),
                    Apxc::Router(router) => {
                        *routers += 1;
                        for (counter, count) in router.counters.iter().enumerate() {
                            let sum =
                                if apxc::is_stall(counter) { &mut *stalls } else { &mut *flits };
                            *sum = sum.saturating_add(*count);
                        }
                    }
                })
            }
        }
    }
}

/// Most storage targets that are counted; no file system has more.
const MOST_TARGETS: usize = 1 << 16;

fn each<T: Special>(log: &Log, mut count: impl FnMut(T)) -> Result<(), Error> {
    for record in log.special::<T>()? {
        count(record?);
    }
    Ok(())
}

impl Module {
    /// The contents as a clause.
    pub(super) fn words(&self) -> String {
        let words = match &self.holds {
            Holds::Nothing => "nothing; all its records were lost".into(),
            Holds::Unknown => "a module this version does not know; it is kept, not read".into(),
            Holds::Counters { records, shared, left_out, read, written } => {
                let mut words = counted(*records, "record", "records");
                match *shared {
                    0 => {}
                    all if all == *records => words += " of all ranks",
                    1 => words += ", one of all ranks",
                    some => words += &format!(", {} of all ranks", thousands(some)),
                }
                let moved = [(read, "read"), (written, "written")];
                let moved = moved.iter().filter_map(|(amount, verb)| {
                    amount.map(|amount| format!("{} {verb}", bytes(amount)))
                });
                let moved: Vec<String> = moved.collect();
                if !moved.is_empty() {
                    words += &format!("; {}", moved.join(", "));
                }
                if *left_out > 0 {
                    words += &format!("; {left_out} of C streams left out");
                }
                words
            }
            Holds::Layouts { records, targets } => format!(
                "stripe layouts of {}, {}",
                counted(*records, "file", "files"),
                counted(*targets, "storage target", "storage targets")
            ),
            Holds::Heatmaps { records, bins, bin_width } => format!(
                "{}, {} of {}",
                counted(*records, "heat map", "heat maps"),
                counted(*bins, "bin", "bins"),
                seconds(*bin_width)
            ),
            Holds::Segments { records, writes, reads, threads } => format!(
                "{} and {} in {}{}",
                counted(*writes, "write", "writes"),
                counted(*reads, "read", "reads"),
                counted(*records, "trace", "traces"),
                if *threads { ", with threads" } else { "" }
            ),
            Holds::Servers { records, servers } => format!(
                "{}, {}",
                counted(*records, "record", "records"),
                counted(*servers, "server", "servers")
            ),
            Holds::MpiRanks { ranks, calls } => format!(
                "{} by {}",
                counted(*calls, "MPI call", "MPI calls"),
                counted(*ranks, "rank", "ranks")
            ),
            Holds::Routers { header, routers, flits, stalls } => {
                let mut words = format!(
                    "{}: {}, {}",
                    counted(*routers, "router", "routers"),
                    counted(*flits, "flit", "flits"),
                    counted(*stalls, "stall", "stalls")
                );
                if let Some(header) = header {
                    words += &format!(
                        "; {}, {}, {}, memory {}, cluster {}",
                        counted(header.groups.unsigned_abs(), "group", "groups"),
                        counted(header.chassis.unsigned_abs(), "chassis", "chassis"),
                        counted(header.blades.unsigned_abs(), "blade", "blades"),
                        apxc::mode(&apxc::MEMORY_MODES, header.memory_mode),
                        apxc::mode(&apxc::CLUSTER_MODES, header.cluster_mode)
                    );
                }
                words
            }
        };
        match (&self.problem, self.info.partial) {
            (Some(_), _) => format!("{words}, then damage"),
            (None, true) => format!("{words}; incomplete"),
            (None, false) => words,
        }
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        let mut object = json!({
            "name": super::module_name(self.info.id),
            "id": self.info.id.0,
            "version": self.info.version,
            "size": self.info.extent.len,
            "incomplete": self.info.partial,
            "damaged": self.problem.is_some(),
        });
        let counts = match &self.holds {
            Holds::Nothing | Holds::Unknown => return object,
            Holds::Counters { records, shared, left_out, read, written } => json!({
                "records": records, "shared": shared, "left_out": left_out,
                "bytes_read": read, "bytes_written": written,
            }),
            Holds::Layouts { records, targets } => json!({"records": records, "targets": targets}),
            Holds::Heatmaps { records, bins, bin_width } => {
                json!({"records": records, "bins": bins, "bin_width": bin_width})
            }
            Holds::Segments { records, writes, reads, threads } => {
                json!({"records": records, "writes": writes, "reads": reads, "threads": threads})
            }
            Holds::Servers { records, servers } => json!({"records": records, "servers": servers}),
            Holds::MpiRanks { ranks, calls } => json!({"records": ranks, "calls": calls}),
            Holds::Routers { header, routers, flits, stalls } => json!({
                "records": routers, "flits": flits, "stalls": stalls,
                "groups": header.map(|header| header.groups),
                "chassis": header.map(|header| header.chassis),
                "blades": header.map(|header| header.blades),
                "memory_mode": header.map(|h| apxc::mode(&apxc::MEMORY_MODES, h.memory_mode)),
                "cluster_mode": header.map(|h| apxc::mode(&apxc::CLUSTER_MODES, h.cluster_mode)),
                "appid": header.map(|header| header.appid),
            }),
        };
        if let (Value::Object(object), Value::Object(counts)) = (&mut object, counts) {
            object.extend(counts);
        }
        object
    }
}
