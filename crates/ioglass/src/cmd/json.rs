//! Listings as JSON lines.

use std::io::{self, Write};

use ioglass_log::derive::Figures;
use ioglass_log::text::{ListOptions, Stop, TraceOptions};
use ioglass_log::{
    Apmpi, Apxc, Base, Error, FixedRecord, Heatmap, Layout, Log, LogRegion, Lustre, MdhimServers,
    Module, ModuleInfo, Operation, RecordRef, Unit, apmpi, dxt,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Writes every record, then the requested sums, one object per line.
pub(super) fn list(log: &Log, options: ListOptions, out: &mut dyn Write) -> io::Result<Vec<Error>> {
    let mut out = io::BufWriter::with_capacity(256 << 10, out);
    let mut problems = Vec::new();
    line(&mut out, &head(log))?;
    for info in log.modules() {
        let Some(module) = info.id.module().filter(|module| module.layout != Layout::Dxt) else {
            continue;
        };
        if info.partial && !options.show_incomplete {
            problems.push(Error::Incomplete(LogRegion::Module(info.id)));
            break;
        }
        match list_module(&mut out, log, module, options) {
            Ok(()) => {}
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Log(problem)) => problems.push(problem),
        }
    }
    out.flush()?;
    Ok(problems)
}

/// Writes every traced file with its operations, one object per line.
pub(super) fn trace(
    log: &Log,
    options: TraceOptions,
    out: &mut dyn Write,
) -> io::Result<Vec<Error>> {
    let mut out = io::BufWriter::with_capacity(256 << 10, out);
    let mut problems = Vec::new();
    line(&mut out, &head(log))?;
    for module in [&dxt::POSIX, &dxt::MPIIO] {
        let info = log.module_info(module.id);
        if info.extent.len == 0 {
            continue;
        }
        if info.partial && !options.show_incomplete {
            problems.push(Error::Incomplete(LogRegion::Module(info.id)));
            break;
        }
        match trace_module(&mut out, log, module) {
            Ok(()) => {}
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Log(problem)) => problems.push(problem),
        }
    }
    out.flush()?;
    Ok(problems)
}

fn line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    writeln!(out, "{}", ioglass_report::json::line(value))
}

/// Returns the job and the modules; also the body of `info --json`.
pub(super) fn head(log: &Log) -> Value {
    let (header, job) = (log.header(), log.job());
    let metadata: Map<String, Value> =
        job.metadata().map(|(key, value)| (words(key), words(value).into())).collect();
    let mounts: Vec<Value> = job
        .mounts_by_length()
        .into_iter()
        .map(|mount| json!({"path": words(&mount.path), "type": words(&mount.fs_type)}))
        .collect();
    // A program that was killed has no end.
    let ended = |value: f64| job.has_ended().then_some(value);
    json!({
        "schema": "ioglass.log/1",
        "format": header.version.to_string(),
        "compression": header.compression.name().to_lowercase(),
        "size": log.size(),
        "job": {
            "command": job.exe(),
            "uid": job.uid,
            "jobid": job.jobid,
            "nprocs": job.nprocs,
            "start": job.start_sec as f64 + job.start_nsec as f64 / 1e9,
            "end": ended(job.end_sec as f64 + job.end_nsec as f64 / 1e9),
            "run_time": ended(log.run_time()),
            "metadata": metadata,
        },
        "mounts": mounts,
        "modules": log.modules().map(module_head).collect::<Vec<_>>(),
    })
}

fn module_head(info: ModuleInfo) -> Value {
    json!({
        "name": super::info::module_name(info.id),
        "id": info.id.0,
        "version": info.version,
        "size": info.extent.len,
        "incomplete": info.partial,
    })
}

fn list_module(
    out: &mut impl Write,
    log: &Log,
    module: &'static Module,
    options: ListOptions,
) -> Result<(), Stop> {
    match module.layout {
        Layout::Counters => list_counters(out, log, module, options)?,
        Layout::Dxt => {}
        _ if !options.base => {}
        Layout::Lustre => {
            for layout in log.special::<Lustre>()? {
                let layout = layout?;
                let components = layout.targets().map(|(component, targets)| {
                    json!({
                        "stripe_size": component.stripe_size,
                        "stripe_count": component.stripe_count,
                        "pattern": component.pattern,
                        "flags": component.flags,
                        "start": component.start,
                        "end": component.end,
                        "mirror": component.mirror,
                        "pool": words(component.pool_name()),
                        "osts": targets,
                    })
                });
                let components: Vec<Value> = components.collect();
                let mut object = record(log, module, layout.base);
                object["components"] = components.into();
                line(out, &object)?;
            }
        }
        Layout::Heatmap => {
            for map in log.special::<Heatmap>()? {
                let map = map?;
                let mut object = record(log, module, map.base);
                object["bin_width"] = json!(map.bin_width);
                object["read"] = json!(map.reads);
                object["written"] = json!(map.writes);
                line(out, &object)?;
            }
        }
        Layout::Mdhim => {
            for stored in log.special::<MdhimServers>()? {
                let stored = stored?;
                let view = stored.record.view();
                let mut object = record(log, module, view.base);
                object["counters"] = counters(view);
                object["servers"] = json!(stored.servers);
                line(out, &object)?;
            }
        }
        Layout::Apmpi => {
            for stored in log.special::<Apmpi>()? {
                line(out, &apmpi_record(log, module, &stored?))?;
            }
        }
        Layout::Apxc => {
            for stored in log.special::<Apxc>()? {
                line(out, &apxc_record(log, module, &stored?))?;
            }
        }
    }
    Ok(())
}

fn list_counters(
    out: &mut impl Write,
    log: &Log,
    module: &'static Module,
    options: ListOptions,
) -> Result<(), Stop> {
    let mut figures = Figures::new(log, module, options.figures());
    let mut records = log.records(module)?;
    while let Some(view) = records.next()? {
        if options.base {
            let mut object = record(log, module, view.base);
            object["counters"] = counters(view);
            line(out, &object)?;
        }
        figures.add(view)?;
    }
    if let Some(total) = figures.total() {
        line(out, &json!({"module": module.name, "total": counters(total)}))?;
    }
    if let Some(files) = figures.files() {
        let groups = files.named().map(|(name, group)| {
            let sizes = json!({
                "count": group.count,
                "bytes": group.bytes,
                "max_offset": group.max_offset,
            });
            (name.to_owned(), sizes)
        });
        let groups: Map<String, Value> = groups.into_iter().collect();
        line(out, &json!({"module": module.name, "files": groups}))?;
    }
    if let Some(perf) = figures.performance() {
        let estimates = json!({
            "total_bytes": perf.total_bytes,
            "unique_time": perf.unique_time,
            "unique_meta_time": perf.unique_meta_time,
            "unique_rw_time": perf.unique_rw_time,
            "unique_rank": perf.unique_rank,
            "shared_time": perf.shared_time,
            "time": perf.time,
            "mib_per_second": perf.mib_per_second,
        });
        line(out, &json!({"module": module.name, "performance": estimates}))?;
    }
    Ok(())
}

/// Returns the fields of every record. Ids are strings: many readers keep only 53 bits of a number.
fn record(log: &Log, module: &Module, base: Base) -> Value {
    let name = log.names().get(base.id);
    let mount = name.and_then(|name| log.job().mount_of(name));
    json!({
        "module": module.name,
        "rank": base.rank,
        "id": base.id.to_string(),
        "name": name.map(words),
        "mount": mount.map(|mount| words(&mount.path)),
        "fs": mount.map(|mount| words(&mount.fs_type)),
    })
}

fn counters(record: RecordRef<'_>) -> Value {
    let ints = record.module.ints.iter().zip(record.int).map(|(counter, value)| {
        let value = match counter.unit {
            Unit::Id => value.cast_unsigned().to_string().into(),
            _ => (*value).into(),
        };
        (counter.name.to_owned(), value)
    });
    let floats = record
        .module
        .floats
        .iter()
        .zip(record.float)
        .map(|(counter, value)| (counter.name.to_owned(), json!(value)));
    let links = record
        .module
        .link
        .iter()
        .zip(record.link)
        .map(|(link, id)| (link.name.to_owned(), id.to_string().into()));
    Value::Object(ints.chain(floats).chain(links).collect())
}

fn apmpi_record(log: &Log, module: &Module, stored: &Apmpi) -> Value {
    match stored {
        Apmpi::Header(header) => {
            let mut object = record(log, module, header.base);
            object["variances"] = json!(header.variances);
            object["sync_timed"] = json!(header.sync != 0);
            object
        }
        Apmpi::Rank(rank) => {
            let full = |(operation, suffix): (&str, &str)| format!("{operation}{suffix}");
            let ints = apmpi::ints().zip(&rank.ints).map(|(name, n)| (full(name), json!(n)));
            let times = apmpi::times().zip(&rank.times).map(|(name, t)| (full(name), json!(t)));
            let sync = apmpi::sync_times().zip(&rank.sync_times);
            let sync = sync.map(|(name, t)| (full(name), json!(t)));
            let global = apmpi::GLOBAL_TIMES.iter().zip(rank.global);
            let global = global.map(|(name, time)| ((*name).to_owned(), json!(time)));
            let mut object = record(log, module, rank.base);
            object["node"] = words(&rank.node_name).into();
            object["counters"] =
                Value::Object(ints.chain(times).chain(sync).chain(global).collect());
            object
        }
    }
}

fn apxc_record(log: &Log, module: &Module, stored: &Apxc) -> Value {
    match stored {
        Apxc::Header(header) => {
            let mut object = record(log, module, header.base);
            object["blades"] = header.blades.into();
            object["chassis"] = header.chassis.into();
            object["groups"] = header.groups.into();
            object["memory_mode"] = header.memory_mode.into();
            object["cluster_mode"] = header.cluster_mode.into();
            object["appid"] = header.appid.into();
            object
        }
        Apxc::Router(router) => {
            let [group, chassis, blade, node] = router.place;
            let mut object = record(log, module, router.base);
            object["place"] =
                json!({"group": group, "chassis": chassis, "blade": blade, "node": node});
            object["counters"] = json!(router.counters);
            object
        }
    }
}

/// A segment of a trace.
#[derive(Serialize)]
struct TracedCall {
    op: &'static str,
    offset: i64,
    length: i64,
    start: f64,
    end: f64,
    thread: Option<String>,
}

fn trace_module(out: &mut impl Write, log: &Log, module: &'static Module) -> Result<(), Stop> {
    let mut reader = log.dxt(module)?;
    while let Some(head) = reader.next_record()? {
        let mut object = record(log, module, head.base);
        object["hostname"] = words(&head.hostname).into();
        let start = ioglass_report::json::line(&object).to_string();
        // A record can have millions of segments, so they are written one by one.
        out.write_all(start.trim_end_matches('}').as_bytes())?;
        out.write_all(b",\"segments\":[")?;
        let mut first = true;
        let mut problem = None;
        while let Some(chunk) = reader.next_chunk().unwrap_or_else(|error| {
            problem = Some(error);
            None
        }) {
            let operation = match chunk.operation {
                Operation::Write => "write",
                Operation::Read => "read",
            };
            for (i, segment) in chunk.segments.iter().enumerate() {
                let object = TracedCall {
                    op: operation,
                    offset: segment.offset,
                    length: segment.length,
                    start: segment.start,
                    end: segment.end,
                    thread: chunk.threads.map(|threads| threads[i].to_string()),
                };
                if !first {
                    out.write_all(b",")?;
                }
                first = false;
                serde_json::to_writer(&mut *out, &object).map_err(io::Error::from)?;
            }
        }
        match problem {
            None => out.write_all(b"]}\n")?,
            Some(problem) => {
                out.write_all(b"],\"damaged\":true}\n")?;
                return Err(problem.into());
            }
        }
    }
    Ok(())
}

/// Returns bytes of a log as text.
pub(super) fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
