//! `ioglass info`: the contents of a log, summarized.

mod contents;
mod recorded;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Effects, Style};
use ioglass_harvest::process::Process;
use ioglass_insight::program::program;
use ioglass_log::{Log, ModuleId, Order};
use ioglass_report::json::{line, pretty};
use ioglass_report::number::{bytes, counted, seconds, thousands};
use ioglass_report::text::{date, shorten, wrap};
use serde_json::{Value, json};

use super::{json, open};
use crate::cli;
use crate::failure::{Failure, Message};
use contents::Contents;

pub(super) fn run(args: &cli::Info) -> Result<(), Failure> {
    let mut messages = Vec::new();
    for (i, path) in args.logs.iter().enumerate() {
        let log = match open(path) {
            Ok(log) => log,
            Err(message) => {
                messages.push(message);
                continue;
            }
        };
        let contents = Contents::read(&log);
        if args.json {
            let is_alone = args.logs.len() == 1;
            print_json(path, &log, &contents, is_alone)?;
        } else {
            let mut out = anstream::stdout().lock();
            if i > 0 {
                writeln!(out)?;
            }
            print(&mut out, path, &log, &contents, width())?;
        }
        messages.extend(Message::damaged(
            path,
            &log,
            contents.problems(),
            "What is sound was counted.",
        ));
    }
    if messages.is_empty() { Ok(()) } else { Err(Failure::BadInput(messages)) }
}

/// Columns of the terminal, or 80.
fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout());
    terminal.map_or(80, |(width, _)| usize::from(width.0)).clamp(40, 100)
}

const BOLD: Style = Style::new().effects(Effects::BOLD);
const DIM: Style = Style::new().effects(Effects::DIMMED);
const WARN: Style = AnsiColor::Yellow.on_default();

fn print(
    out: &mut impl Write,
    path: &Path,
    log: &Log,
    contents: &Contents,
    width: usize,
) -> io::Result<()> {
    let (header, job) = (log.header(), log.job());
    let file = path.file_name().map_or(Cow::from("-"), |name| name.to_string_lossy());
    let ranks = counted(job.nprocs.max(0).cast_unsigned(), "rank", "ranks");
    let run_time = seconds(log.run_time());
    let when = date(job.start_sec, "%Y-%m-%d %H:%M UTC");
    let program = shorten(&program(&job.exe()), 40);
    writeln!(out, "{BOLD}{program}{BOLD:#}  {ranks}  {run_time}  job {}  {when}", job.jobid)?;
    let library = match job.metadata_value("lib_ver") {
        Some(version) => format!("Darshan {version}"),
        None => format!("log format {}", header.version),
    };
    let lost = lost_modules(log);
    let state = if log.warnings().chain(contents.problems()).next().is_some() {
        "damaged"
    } else if !job.has_ended() {
        "unfinished"
    } else if lost.is_empty() {
        "complete"
    } else {
        "incomplete"
    };
    let is_traced = contents.has_trace() || job.metadata_value("traced").is_some();
    let traced = if is_traced { "traced" } else { "no trace" };
    let rest = format!("  {library}  {state}  {traced}");
    let file = shorten(&file, width.saturating_sub(rest.chars().count()).max(16));
    writeln!(out, "{DIM}{file}{rest}{DIM:#}")?;
    if !job.has_ended() {
        writeln!(out, "{WARN}! The program did not finish:{WARN:#} its end was never written.")?;
    }
    for name in &lost {
        writeln!(
            out,
            "{WARN}! {name} is incomplete:{WARN:#} it ran out of room, so records are missing."
        )?;
    }
    writeln!(out)?;

    let room = width - 12;
    let command = job.exe();
    let command = if command.is_empty() { "unknown" } else { &command };
    writeln!(out, "  command   {}", shorten(command, room))?;
    let end = date(job.end_sec, "%Y-%m-%d %H:%M:%S");
    let start = date(job.start_sec, "%Y-%m-%d %H:%M:%S");
    let ran = match job.has_ended() {
        true => format!("{start} to {end} UTC"),
        false => format!("{start} UTC to an unknown end"),
    };
    writeln!(out, "  ran       {ran}, user {}", job.uid)?;
    let order = match header.order {
        Order::Little => "",
        Order::Big => ", big-endian",
    };
    let compression = match header.compression {
        ioglass_log::Compression::None => "not compressed".to_owned(),
        method => method.name().to_lowercase(),
    };
    let version = header.version;
    writeln!(out, "  log       {}, format {version}, {compression}{order}", bytes(log.size()))?;
    let names = counted(log.names().len() as u64, "record", "records");
    writeln!(out, "  names     of {names}, {}", bytes(header.names.len))?;
    writeln!(out, "  mounts    {}", shorten(&mounts(log), room))?;
    for (key, value) in job.metadata().filter(|(key, _)| *key != b"lib_ver") {
        let line = format!("{} = {}", json::words(key), json::words(value));
        writeln!(out, "  note      {}", shorten(&line, room))?;
    }
    for (label, text) in recorded::words(log) {
        for (i, line) in wrap(&text, room).into_iter().enumerate() {
            let label = if i == 0 { label } else { "" };
            writeln!(out, "  {label:<9} {}", shorten(&line, room))?;
        }
    }
    for (name, size) in log.block_sections().filter(|(name, _)| !recorded::knows(name)) {
        writeln!(out, "  ioglass   {name}, {}", bytes(size))?;
    }

    writeln!(out)?;
    if contents.modules.is_empty() {
        return writeln!(out, "  No I/O was recorded.");
    }
    writeln!(out, "  {DIM}module        version      size  holds{DIM:#}")?;
    for module in &contents.modules {
        let info = module.info;
        let (name, size) = (module_name(info.id), bytes(info.extent.len));
        let room = width.saturating_sub(35).max(20);
        let mut lines = wrap(&module.words(), room).into_iter();
        let first = lines.next().unwrap_or_default();
        writeln!(out, "  {name:<13} {:>7}  {size:>8}  {first}", info.version)?;
        for line in lines {
            writeln!(out, "{:35}{line}", "")?;
        }
    }
    print_processes(out, &crate::recorded::processes(log), width)
}

/// Processes that are listed; the JSON has all of them.
const LISTED: usize = 12;

/// The table of processes, for logs of our recorder with more than one process.
fn print_processes(out: &mut impl Write, processes: &[Process], width: usize) -> io::Result<()> {
    if processes.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\n  {DIM}rank      pid     seconds  ended       command{DIM:#}")?;
    for process in processes.iter().take(LISTED) {
        let rank = process.rank.map_or("-".into(), |rank| rank.to_string());
        let span = process.end.map_or("-".into(), |end| seconds((end - process.start).max(0.0)));
        let span = span.strip_suffix(" s").unwrap_or(&span).to_owned();
        let ending = shorten(&process.ending, 10);
        let command = shorten(&process.command, width.saturating_sub(40).max(20));
        let pid = process.pid;
        writeln!(out, "  {rank:>4}  {pid:>7}  {span:>10}  {ending:<10}  {command}")?;
    }
    let more = processes.len().saturating_sub(LISTED) as u64;
    if more > 0 {
        writeln!(out, "  {DIM}and {} more: ioglass info --json{DIM:#}", thousands(more))?;
    }
    Ok(())
}

fn print_json(path: &Path, log: &Log, contents: &Contents, is_alone: bool) -> Result<(), Failure> {
    let mut object = json::head(log);
    object["schema"] = "ioglass.info/1".into();
    object["file"] = path.to_string_lossy().into();
    object["names"] = log.names().len().into();
    object["modules"] = contents.modules.iter().map(contents::Module::json).collect();
    let sections = log.block_sections().map(|(name, size)| json!({"name": name, "size": size}));
    object["ioglass"] = sections.collect();
    recorded::add_json(log, &mut object);
    let damage: Vec<Value> = log
        .warnings()
        .chain(contents.problems())
        .map(|problem| problem.to_string().into())
        .collect();
    object["damage"] = damage.into();
    let text = if is_alone { pretty(&object) } else { line(&object) };
    writeln!(io::stdout(), "{text}")?;
    Ok(())
}

/// The name tools use, or a number.
pub(super) fn module_name(id: ModuleId) -> String {
    match id.module() {
        Some(module) => module.name.to_owned(),
        None => format!("module {}", id.0),
    }
}

fn lost_modules(log: &Log) -> Vec<String> {
    log.modules().filter(|info| info.partial).map(|info| module_name(info.id)).collect()
}

/// Mounts that hold named records first, each type once with its path.
fn mounts(log: &Log) -> String {
    let mounts = log.job().mounts();
    let mut used: Vec<(usize, &ioglass_log::Mount)> = Vec::new();
    for (_, name) in log.names().iter() {
        let Some(mount) = log.job().mount_of(name) else { continue };
        match used.iter_mut().find(|(_, known)| *known == mount) {
            Some((count, _)) => *count += 1,
            None => used.push((1, mount)),
        }
    }
    used.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let shown: Vec<String> = used
        .iter()
        .take(3)
        .map(|(_, mount)| format!("{} {}", json::words(&mount.fs_type), json::words(&mount.path)))
        .collect();
    let all = counted(mounts.len() as u64, "file system", "file systems");
    if shown.is_empty() { all } else { format!("{all}; records lie on {}", shown.join(", ")) }
}
