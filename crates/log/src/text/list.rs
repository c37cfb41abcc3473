//! Every counter of every record, one per line, and figures computed from them.

use std::io::{self, Write};

use ioglass_schema::{FixedRecord, Layout, Module, RecordRef, Unit};
use ioglass_schema::{apmpi, bgq, daos, dfs, heatmap, lustre, mdhim};

use super::output::{Output, Stop};
use super::{head, number};
use crate::derive::{self, Figures, FileGroups, Performance, Wanted};
use crate::error::Error;
use crate::read::{Log, ModuleInfo, Special};
use crate::record::{Apmpi, Heatmap, Lustre, MdhimServers};

/// Options of [`list`]: the parts to print.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Every counter of every record.
    pub base: bool,
    /// Totals of each module.
    pub total: bool,
    /// Performance estimates.
    pub perf: bool,
    /// Numbers of files by kind.
    pub file: bool,
    /// Go on where a module lost records.
    pub show_incomplete: bool,
}

impl ListOptions {
    /// The figures among what is to be printed.
    pub fn figures(self) -> Wanted {
        Wanted { total: self.total, performance: self.perf, files: self.file }
    }
}

/// Prints `log`. The result is what was wrong with the log; an error is one of `sink`.
///
/// A module that is damaged is printed as far as it goes; its figures are left out.
pub fn list(log: &Log, options: ListOptions, sink: &mut dyn Write) -> io::Result<Vec<Error>> {
    let mut out = Output::new(sink);
    let mut problems = Vec::new();
    head::put(&mut out, log);
    if options.base {
        put_columns(&mut out);
    }
    for info in log.modules() {
        match list_module(&mut out, log, info, options) {
            Ok(()) => {}
            Err(Stop::Output(error)) => return Err(error),
            Err(Stop::Log(error)) => {
                let stop = matches!(error, Error::Incomplete(_));
                problems.push(error);
                if stop {
                    break;
                }
            }
        }
    }
    if log.modules().all(|info| info.extent.len == 0) {
        out.line("");
        out.line("# no module data available.");
    }
    out.flush()?;
    Ok(problems)
}

fn list_module(
    out: &mut Output<'_>,
    log: &Log,
    info: ModuleInfo,
    options: ListOptions,
) -> Result<(), Stop> {
    let module = info.id.module();
    if info.extent.len > 0 {
        match module {
            None => {
                let (id, len) = (info.id.0, info.extent.len);
                out.line("");
                out.line(&format!("# module {id} is not known; its {len} bytes are not shown"));
                return Ok(());
            }
            // Traces have a listing of their own; nothing current prints APXC.
            Some(module) if matches!(module.layout, Layout::Dxt | Layout::Apxc) => return Ok(()),
            Some(module) if !options.base && !derive::is_supported(module) => return Ok(()),
            Some(_) => {}
        }
    }
    head::put_module(out, info, options.show_incomplete)?;
    let Some(module) = module.filter(|_| info.extent.len > 0) else {
        return Ok(());
    };
    if options.base {
        describe(out, module, info.version);
        out.line("");
        out.line("#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>");
    }
    match module.layout {
        Layout::Counters => list_counters(out, log, module, options),
        Layout::Lustre => list_special::<Lustre>(out, log, put_lustre),
        Layout::Heatmap => list_special::<Heatmap>(out, log, put_heatmap),
        Layout::Mdhim => list_special::<MdhimServers>(out, log, put_mdhim),
        Layout::Apmpi => list_apmpi(out, log),
        Layout::Dxt | Layout::Apxc => Ok(()),
    }
}

fn put_columns(out: &mut Output<'_>) {
    out.heading("columns");
    out.line("#   <module>: the interface that was called");
    out.line("#   <rank>: the rank that called it, or -1 for all ranks together");
    out.line("#   <record id>: hash of the file's name");
    out.line("#   <counter>, <value>: what was counted; -1 if it was not monitored");
    out.line("#   <file name>: the file");
    out.line("#   <mount pt>, <fs type>: the file system it is on");
}

fn describe(out: &mut Output<'_>, module: &Module, version: u32) {
    out.line("");
    out.line(&format!("# {}", module.doc));
    for counter in module.ints.iter().chain(module.floats) {
        let (name, doc) = (counter.name, counter.doc);
        if counter.since > version {
            out.line(&format!("#   {name}: {doc} (not in version {version}, so unknown)"));
        } else {
            out.line(&format!("#   {name}: {doc}"));
        }
    }
}

fn list_counters(
    out: &mut Output<'_>,
    log: &Log,
    module: &'static Module,
    options: ListOptions,
) -> Result<(), Stop> {
    let mut figures = Figures::new(log, module, options.figures());
    let mut lines = LinePrinter::default();
    let mut records = log.records(module)?;
    while let Some(record) = records.next()? {
        if options.base {
            put_record(out, &mut lines, log, record);
            out.breathe()?;
        }
        figures.add(record)?;
    }
    if records.left_out() > 0 {
        let count = records.left_out();
        out.line("");
        out.line(&format!(
            "# {count} records of C streams are left out: this version mixed them in"
        ));
    }

    if let Some(total) = figures.total() {
        put_total(out, total);
    }
    if let Some(files) = figures.files() {
        put_files(out, &files);
    }
    if let Some(performance) = figures.performance() {
        put_performance(out, &performance);
    }
    Ok(())
}

fn put_total(out: &mut Output<'_>, record: RecordRef<'_>) {
    out.line("");
    for (counter, value) in record.module.ints.iter().zip(record.int) {
        out.put(b"total_");
        out.put(counter.name.as_bytes());
        out.put(b": ");
        number::int(&mut out.text, *value);
        out.put(b"\n");
    }
    for (counter, value) in record.module.floats.iter().zip(record.float) {
        out.put(b"total_");
        out.put(counter.name.as_bytes());
        out.put(b": ");
        number::fixed::<6>(&mut out.text, *value);
        out.put(b"\n");
    }
}

fn put_files(out: &mut Output<'_>, files: &FileGroups) {
    out.heading("files (kind, number, bytes moved, highest offset)");
    for (name, group) in files.named() {
        let (count, bytes, offset) = (group.count, group.bytes, group.max_offset);
        out.line(&format!("# {name}: {count} {bytes} {offset}"));
    }
}

fn put_performance(out: &mut Output<'_>, perf: &Performance) {
    let seconds = |out: &mut Output<'_>, label: &str, value: f64, unit: &str| {
        out.put(label.as_bytes());
        number::fixed::<6>(&mut out.text, value);
        out.line(unit);
    };
    out.heading("performance, by the slowest rank");
    out.line(&format!("# total_bytes: {}", perf.total_bytes));
    out.line("#");
    out.line("# time in files of one rank each:");
    seconds(out, "# unique files: slowest_rank_io_time: ", perf.unique_time, "");
    seconds(out, "# unique files: slowest_rank_meta_only_time: ", perf.unique_meta_time, "");
    seconds(out, "# unique files: slowest_rank_rw_only_time: ", perf.unique_rw_time, "");
    out.line(&format!("# unique files: slowest_rank: {}", perf.unique_rank));
    out.line("#");
    out.line("# time in files of all ranks:");
    seconds(out, "# shared files: time_by_slowest: ", perf.shared_time, "");
    out.line("#");
    out.line("# both together:");
    seconds(out, "# agg_time_by_slowest: ", perf.time, " # seconds");
    seconds(out, "# agg_perf_by_slowest: ", perf.mib_per_second, " # MiB/s");
}

/// The parts of a line that are the same for all lines of a record.
#[derive(Default)]
struct LinePrinter {
    /// Module, rank and id, with their tabs.
    before: Vec<u8>,
    /// File, mount point and type, with their tabs and the line's end.
    after: Vec<u8>,
}

impl LinePrinter {
    fn set(&mut self, module: &Module, base: ioglass_schema::Base, after: &[&[u8]; 3]) {
        self.before.clear();
        self.before.extend_from_slice(module.name.as_bytes());
        self.before.push(b'\t');
        number::int(&mut self.before, base.rank);
        self.before.push(b'\t');
        number::unsigned(&mut self.before, base.id);
        self.before.push(b'\t');
        self.after.clear();
        for part in after {
            self.after.push(b'\t');
            self.after.extend_from_slice(part);
        }
        self.after.push(b'\n');
    }

    /// For a record that is a file.
    fn set_file(&mut self, log: &Log, module: &Module, base: ioglass_schema::Base) {
        let name = log.names().get(base.id);
        let mount = name.and_then(|name| log.job().mount_of(name));
        let shown = match name {
            Some(name) => name,
            None if module.id == bgq::MODULE.id => bgq::RECORD_NAME.as_bytes(),
            None => b"(null)",
        };
        let unknown = b"UNKNOWN".as_slice();
        let path = mount.map_or(unknown, |mount| &mount.path);
        let fs_type = mount.map_or(unknown, |mount| &mount.fs_type);
        self.set(module, base, &[shown, path, fs_type]);
    }

    fn int(&self, text: &mut Vec<u8>, name: &str, value: i64) {
        self.begin(text, name);
        number::int(text, value);
        text.extend_from_slice(&self.after);
    }

    fn unsigned(&self, text: &mut Vec<u8>, name: &str, value: u64) {
        self.begin(text, name);
        number::unsigned(text, value);
        text.extend_from_slice(&self.after);
    }

    fn float(&self, text: &mut Vec<u8>, name: &str, value: f64) {
        self.begin(text, name);
        number::fixed::<6>(text, value);
        text.extend_from_slice(&self.after);
    }

    fn word(&self, text: &mut Vec<u8>, name: &str, value: &[u8]) {
        self.begin(text, name);
        text.extend_from_slice(value);
        text.extend_from_slice(&self.after);
    }

    fn begin(&self, text: &mut Vec<u8>, name: &str) {
        text.extend_from_slice(&self.before);
        text.extend_from_slice(name.as_bytes());
        text.push(b'\t');
    }
}

fn put_record(out: &mut Output<'_>, lines: &mut LinePrinter, log: &Log, record: RecordRef<'_>) {
    let module = record.module;
    if module.id == dfs::MODULE.id {
        let name = log.names().get(record.base.id).unwrap_or(b"(null)");
        lines.set(module, record.base, &[name, dfs_container(record).as_bytes(), b"N/A"]);
    } else if module.id == daos::MODULE.id {
        let object = format!("{}.{}", record.words[0], record.words[1]);
        let container = format!("{}:{}", uuid(record.uuids[0]), uuid(record.uuids[1]));
        lines.set(module, record.base, &[object.as_bytes(), container.as_bytes(), b"N/A"]);
    } else {
        lines.set_file(log, module, record.base);
    }
    let text = &mut out.text;
    for (counter, value) in module.ints.iter().zip(record.int) {
        match counter.unit {
            Unit::Id => lines.unsigned(text, counter.name, value.cast_unsigned()),
            _ => lines.int(text, counter.name, *value),
        }
    }
    for (counter, value) in module.floats.iter().zip(record.float) {
        lines.float(text, counter.name, *value);
    }
    for (link, id) in module.link.iter().zip(record.link) {
        lines.unsigned(text, link.name, *id);
    }
}

fn dfs_container(record: RecordRef<'_>) -> String {
    if record.uuids.contains(&[0; 16]) {
        return "UNKNOWN".into();
    }
    format!("{}:{}", uuid(record.uuids[0]), uuid(record.uuids[1]))
}

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn uuid(bytes: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn list_special<T: Special>(out: &mut Output<'_>, log: &Log, put: Put<T>) -> Result<(), Stop> {
    let mut lines = LinePrinter::default();
    for record in log.special::<T>()? {
        put(out, &mut lines, log, &record?)?;
        out.breathe()?;
    }
    Ok(())
}

/// Prints one record. Its lines may be many and long, so text is handed on between them.
type Put<T> = fn(&mut Output<'_>, &mut LinePrinter, &Log, &T) -> io::Result<()>;

fn put_lustre(
    out: &mut Output<'_>,
    lines: &mut LinePrinter,
    log: &Log,
    record: &Lustre,
) -> io::Result<()> {
    lines.set_file(log, &lustre::MODULE, record.base);
    let text = &mut out.text;
    lines.int(text, lustre::NUM_COMPONENTS, record.components.len() as i64);
    lines.int(text, lustre::NUM_STRIPES, record.osts.len() as i64);
    for (i, (component, targets)) in record.targets().enumerate() {
        let prefix = format!("{}{}_", lustre::COMPONENT, i + 1);
        let text = &mut out.text;
        for (name, value) in lustre::COMPONENT_COUNTERS.iter().zip(component.counters()) {
            let full = format!("{prefix}{name}");
            match *name {
                "STRIPE_PATTERN" => lines.word(text, &full, pattern(value).as_bytes()),
                "FLAGS" => lines.word(text, &full, flags(value).as_bytes()),
                _ => lines.int(text, &full, value),
            }
        }
        let pool = Some(component.pool_name()).filter(|name| !name.is_empty());
        lines.word(text, &format!("{prefix}{}", lustre::POOL_NAME), pool.unwrap_or(b"N/A"));
        for (j, target) in targets.iter().enumerate() {
            lines.int(&mut out.text, &format!("{prefix}{}{j}", lustre::OST_ID), *target);
            out.breathe()?;
        }
        out.breathe()?;
    }
    Ok(())
}

fn pattern(value: i64) -> &'static str {
    let known = lustre::PATTERNS.iter().find(|(number, _)| *number == value);
    known.map_or("N/A", |(_, word)| word)
}

fn flags(value: i64) -> String {
    match value {
        -1 => "N/A".into(),
        _ => {
            let set = (0..).zip(lustre::FLAGS).filter(|(bit, _)| value >> bit & 1 == 1);
            let words: Vec<&str> = set.map(|(_, word)| word).collect();
            if words.is_empty() { "0".into() } else { words.join(",") }
        }
    }
}

fn put_heatmap(
    out: &mut Output<'_>,
    lines: &mut LinePrinter,
    log: &Log,
    map: &Heatmap,
) -> io::Result<()> {
    lines.set_file(log, &heatmap::MODULE, map.base);
    lines.float(&mut out.text, heatmap::BIN_WIDTH, map.bin_width);
    let mut name = String::new();
    for (prefix, bins) in [(heatmap::READ_BIN, &map.reads), (heatmap::WRITE_BIN, &map.writes)] {
        for (i, bytes) in bins.iter().enumerate() {
            name.clear();
            name.push_str(prefix);
            name.push_str(itoa::Buffer::new().format(i));
            lines.int(&mut out.text, &name, *bytes);
            out.breathe()?;
        }
    }
    Ok(())
}

fn put_mdhim(
    out: &mut Output<'_>,
    lines: &mut LinePrinter,
    log: &Log,
    stored: &MdhimServers,
) -> io::Result<()> {
    let record = stored.record.view();
    lines.set_file(log, &mdhim::MODULE, record.base);
    let text = &mut out.text;
    for (counter, value) in record.module.ints.iter().zip(record.int) {
        lines.int(text, counter.name, *value);
    }
    for (counter, value) in record.module.floats.iter().zip(record.float) {
        lines.float(text, counter.name, *value);
    }
    let servers = usize::try_from(record.int[mdhim::SERVERS]).unwrap_or(0);
    for (i, operations) in stored.servers.iter().take(servers).enumerate() {
        lines.int(&mut out.text, &format!("{}{i}", mdhim::SERVER), *operations);
        out.breathe()?;
    }
    Ok(())
}

fn list_apmpi(out: &mut Output<'_>, log: &Log) -> Result<(), Stop> {
    let mut lines = LinePrinter::default();
    let mut timed_sync = false;
    let no_file: [&[u8]; 3] = [b"", b"", b""];
    let mut name = String::new();
    let mut full = |(operation, suffix): (&str, &str)| {
        name.clear();
        name.push_str(operation);
        name.push_str(suffix);
        name.clone()
    };
    for record in log.special::<Apmpi>()? {
        let text = &mut out.text;
        match record? {
            Apmpi::Header(header) => {
                timed_sync = header.sync != 0;
                lines.set(&apmpi::MODULE, header.base, &no_file);
                let shown = if timed_sync { 2 } else { 1 };
                for (name, value) in apmpi::VARIANCES.iter().zip(header.variances).take(shown) {
                    lines.float(text, name, value);
                }
            }
            Apmpi::Rank(rank) => {
                lines.set(&apmpi::MODULE, rank.base, &no_file);
                lines.word(text, apmpi::NODE_NAME, &rank.node_name);
                for (name, value) in apmpi::ints().zip(&rank.ints) {
                    lines.unsigned(text, &full(name), *value);
                }
                for (name, value) in apmpi::times().zip(&rank.times) {
                    lines.float(text, &full(name), *value);
                }
                if timed_sync {
                    for (name, value) in apmpi::sync_times().zip(&rank.sync_times) {
                        lines.float(text, &full(name), *value);
                    }
                }
                let shown = if timed_sync { 2 } else { 1 };
                for (name, value) in apmpi::GLOBAL_TIMES.iter().zip(rank.global).take(shown) {
                    lines.float(text, name, value);
                }
            }
        }
        out.breathe()?;
    }
    Ok(())
}
