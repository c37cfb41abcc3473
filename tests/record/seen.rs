//! What a log holds, as PyDarshan reads it, or as we do where there is no PyDarshan.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ioglass_log::{Heatmap, Log, Module, Operation, dxt, h5d, h5f, heatmap, mpiio};
use ioglass_log::{pnetcdf_file, pnetcdf_var, posix, stdio};
use serde_json::Value;

use crate::peer;

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) run_time: f64,
    pub(crate) nprocs: i64,
    /// Modules that did not have room for everything.
    pub(crate) partial: Vec<String>,
    pub(crate) records: Vec<Record>,
    /// Those of HDF5 and PnetCDF.
    pub(crate) objects: Vec<Record>,
    pub(crate) traces: Vec<Trace>,
    /// Those of MPI-IO.
    pub(crate) mpi_traces: Vec<Trace>,
    pub(crate) heat: BTreeMap<Heat, i64>,
}

/// Counters that are 0 are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) module: String,
    pub(crate) name: String,
    pub(crate) id: u64,
    pub(crate) rank: i64,
    pub(crate) counters: BTreeMap<String, i64>,
    pub(crate) times: BTreeMap<String, f64>,
}

impl Record {
    pub(crate) fn counter(&self, name: &str) -> i64 {
        self.counters.get(name).copied().unwrap_or(0)
    }
}

/// Segments are offset, length, begin and end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trace {
    pub(crate) name: String,
    pub(crate) rank: i64,
    pub(crate) writes: Vec<[f64; 4]>,
    pub(crate) reads: Vec<[f64; 4]>,
}

/// A row of a heat map, which is summed up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Heat {
    pub(crate) module: String,
    pub(crate) rank: i64,
    pub(crate) write: bool,
}

/// Reads many logs at once, because PyDarshan takes seconds to start.
pub(crate) fn read(logs: &[PathBuf]) -> Vec<Result<Seen, String>> {
    let ours = logs.iter().map(|log| read_one(log));
    let Some(python) = peer::python() else { return ours.collect() };
    let theirs = ask(&python, logs);
    assert_eq!(theirs.len(), logs.len(), "records.py stopped early");
    let both = ours.zip(theirs).map(|(ours, theirs)| match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours != theirs => Err(disagreement(&ours, &theirs)),
        (Err(ours), _) => Err(ours),
        (_, Err(theirs)) => Err(format!("PyDarshan: {theirs}")),
        (_, theirs) => theirs,
    });
    both.collect()
}

/// Where two readings of a log differ first.
fn disagreement(ours: &Seen, theirs: &Seen) -> String {
    let all = |seen: &Seen| [&seen.records[..], &seen.objects].concat();
    for (ours, theirs) in all(ours).iter().zip(&all(theirs)) {
        if ours != theirs {
            return format!("we read {ours:?}, PyDarshan {theirs:?}");
        }
    }
    let summary = |seen: &Seen| {
        let Seen { run_time, nprocs, partial, records, objects, traces, mpi_traces, heat } = seen;
        let records = records.len() + objects.len();
        let (traces, of_mpi) = (traces.len(), mpi_traces.len());
        format!("{run_time} {nprocs} {partial:?} {records} {traces} {of_mpi} {heat:?}")
    };
    format!("we read {}, PyDarshan {}", summary(ours), summary(theirs))
}

fn ask(python: &Path, logs: &[PathBuf]) -> Vec<Result<Seen, String>> {
    let mut command = Command::new(python);
    command.arg(peer::script("records.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let paths: String = logs.iter().map(|log| format!("{}\n", log.display())).collect();
    // The script reads all of it before it prints, so this cannot block.
    child.stdin.take().unwrap().write_all(paths.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| from_json(&serde_json::from_str(line).unwrap())).collect()
}

fn from_json(found: &Value) -> Result<Seen, String> {
    if let Some(problem) = found.get("problem") {
        return Err(problem.to_string());
    }
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let segments = |value: &Value| {
        list(value).iter().map(|row| [0, 1, 2, 3].map(|i| row[i].as_f64().unwrap())).collect()
    };
    let record = |record: &Value| Record {
        module: text(&record["module"]),
        name: text(&record["name"]),
        id: record["id"].as_str().unwrap().parse().unwrap(),
        rank: record["rank"].as_i64().unwrap(),
        counters: pairs(&record["counters"], |value| value.as_i64().unwrap()),
        times: pairs(&record["times"], |value| value.as_f64().unwrap()),
    };
    let trace = |trace: &Value| Trace {
        name: text(&trace["name"]),
        rank: trace["rank"].as_i64().unwrap(),
        writes: segments(&trace["writes"]),
        reads: segments(&trace["reads"]),
    };
    let heat = |row: &Value| {
        let (rank, write) = (row["rank"].as_i64().unwrap(), row["write"].as_bool().unwrap());
        let bytes = row["bytes"].as_i64().unwrap();
        (Heat { module: text(&row["module"]), rank, write }, bytes)
    };
    Ok(Seen {
        run_time: found["run_time"].as_f64().unwrap(),
        nprocs: found["nprocs"].as_i64().unwrap(),
        partial: list(&found["partial"]).iter().map(text).collect(),
        records: list(&found["records"]).iter().map(record).collect(),
        objects: list(&found["objects"]).iter().map(record).collect(),
        traces: list(&found["traces"]).iter().map(trace).collect(),
        mpi_traces: list(&found["mpi_traces"]).iter().map(trace).collect(),
        heat: list(&found["heat"]).iter().map(heat).filter(|(_, bytes)| *bytes != 0).collect(),
    })
}

fn pairs<T>(object: &Value, value: impl Fn(&Value) -> T) -> BTreeMap<String, T> {
    object.as_object().unwrap().iter().map(|(name, found)| (name.clone(), value(found))).collect()
}

fn read_one(path: &Path) -> Result<Seen, String> {
    let explain = |problem: ioglass_log::Error| format!("{}: {problem}", path.display());
    let log = Log::open(path).map_err(explain)?;
    let mut seen = Seen {
        run_time: log.run_time(),
        nprocs: log.job().nprocs,
        partial: log
            .modules()
            .filter(|info| info.partial)
            .filter_map(|info| Some(info.id.module()?.name.to_owned()))
            .collect(),
        ..Seen::default()
    };
    for module in [&posix::MODULE, &stdio::MODULE, &mpiio::MODULE] {
        counters(&log, module, &mut seen.records).map_err(explain)?;
    }
    for module in [&h5f::MODULE, &h5d::MODULE, &pnetcdf_file::MODULE, &pnetcdf_var::MODULE] {
        counters(&log, module, &mut seen.objects).map_err(explain)?;
    }
    seen.traces = traces(&log, &dxt::POSIX).map_err(explain)?;
    seen.mpi_traces = traces(&log, &dxt::MPIIO).map_err(explain)?;
    seen.heat = heat(&log).map_err(explain)?;
    Ok(seen)
}

fn counters(
    log: &Log,
    module: &'static Module,
    found: &mut Vec<Record>,
) -> Result<(), ioglass_log::Error> {
    let mut records = log.records(module)?;
    while let Some(record) = records.next()? {
        let ints = module.ints.iter().zip(record.int).filter(|(_, value)| **value != 0);
        let floats = module.floats.iter().zip(record.float).filter(|(_, value)| **value != 0.0);
        found.push(Record {
            module: module.name.to_owned(),
            name: log.names().lookup(record.base.id).into_owned(),
            id: record.base.id,
            rank: record.base.rank,
            counters: ints.map(|(counter, value)| (counter.name.to_owned(), *value)).collect(),
            times: floats.map(|(counter, value)| (counter.name.to_owned(), *value)).collect(),
        });
    }
    Ok(())
}

fn traces(log: &Log, module: &'static Module) -> Result<Vec<Trace>, ioglass_log::Error> {
    let mut found = Vec::new();
    let mut reader = log.dxt(module)?;
    while let Some(head) = reader.next_record()? {
        let name = log.names().lookup(head.base.id).into_owned();
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        while let Some(chunk) = reader.next_chunk()? {
            let list = if chunk.operation == Operation::Write { &mut writes } else { &mut reads };
            list.extend(chunk.segments.iter().map(|segment| {
                [segment.offset as f64, segment.length as f64, segment.start, segment.end]
            }));
        }
        found.push(Trace { name, rank: head.base.rank, writes, reads });
    }
    Ok(found)
}

fn heat(log: &Log) -> Result<BTreeMap<Heat, i64>, ioglass_log::Error> {
    let mut found = BTreeMap::new();
    if log.module_info(heatmap::MODULE.id).extent.len == 0 {
        return Ok(found);
    }
    for map in log.special::<Heatmap>()? {
        let map = map?;
        let name = log.names().lookup(map.base.id).into_owned();
        let module = name.strip_prefix("heatmap:").unwrap_or(&name).to_owned();
        for (write, bins) in [(true, &map.writes), (false, &map.reads)] {
            let heat = Heat { module: module.clone(), rank: map.base.rank, write };
            let bytes: i64 = bins.iter().sum();
            if bytes != 0 {
                found.insert(heat, bytes);
            }
        }
    }
    Ok(found)
}
