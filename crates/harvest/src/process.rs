//! The table of processes in the `IOGLASS` block: written here, and read here.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

use ioglass_log::block::SectionWriter;
use ioglass_log::table::{Row, Table};
use ioglass_shm::{Ending, Kind, Library, Loss, Pod};

use crate::capture::{Capture, Fate};
use crate::time::Timeline;

/// Name of the section.
pub const SECTION: &str = "processes";

/// In a log's metadata: its processes are whole in it, also what an earlier log has of them.
pub const WHOLE: &str = "whole";

/// Its first line.
pub const COLUMNS: &str =
    "rank\tpid\tppid\thost\tstart\tend\tending\texcluded\tlost\tlibraries\tcommand";

/// One process, or what it was before it became another program.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Its rank, if it did I/O.
    pub rank: Option<i64>,
    /// Process id; 0 if it is not known.
    pub pid: u64,
    /// Its parent's.
    pub ppid: u64,
    /// Name of the host.
    pub host: String,
    /// Begin, in seconds since the job began.
    pub start: f64,
    /// End, or the last that is known.
    pub end: Option<f64>,
    /// Its end: `exit N`, `_exit N`, `signal N`, `killed`, `exec`, `abort`, `running`, or
    /// `unseen` if it was never recorded.
    pub ending: String,
    /// Opens of excluded paths.
    pub excluded: u64,
    /// Numbers of lost things, by kind.
    pub lost: Vec<(String, u64)>,
    /// Known runtimes and libraries of its program, by the names of [`Library`]; older logs have none.
    pub libraries: Vec<String>,
    /// Its command line.
    pub command: String,
}

/// The rows of the section; lines that are none are passed over.
pub fn parse(section: &str) -> Vec<Process> {
    let table = Table::new(section);
    let [rank, pid, ppid, host, start] =
        ["rank", "pid", "ppid", "host", "start"].map(|name| table.column(name));
    let [end, ending, excluded, lost, libraries, command] =
        ["end", "ending", "excluded", "lost", "libraries", "command"]
            .map(|name| table.column(name));
    let process = |row: Row<'_>| {
        Some(Process {
            rank: row.number(rank),
            pid: row.number(pid)?,
            ppid: row.number(ppid)?,
            host: row.get(host)?.into(),
            start: row.number(start)?,
            end: row.number(end),
            ending: row.get(ending)?.into(),
            excluded: row.number(excluded)?,
            lost: row.get(lost)?.split(',').filter_map(parse_loss).collect(),
            libraries: parse_list(row.get(libraries).unwrap_or("-")),
            command: row.get(command)?.into(),
        })
    };
    table.rows().filter_map(process).collect()
}

fn parse_list(text: &str) -> Vec<String> {
    let names = text.split(',').filter(|name| !matches!(*name, "" | "-"));
    names.map(String::from).collect()
}

fn parse_loss(text: &str) -> Option<(String, u64)> {
    let (kind, count) = text.split_once('=')?;
    Some((kind.into(), count.parse().ok()?))
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(f, "{rank}")?,
            None => f.write_char('-')?,
        }
        write!(f, "\t{}\t{}\t{}\t{:.6}\t", self.pid, self.ppid, self.host, self.start)?;
        match self.end {
            Some(end) => write!(f, "{end:.6}")?,
            None => f.write_char('-')?,
        }
        write!(f, "\t{}\t{}\t", self.ending, self.excluded)?;
        for (i, (kind, count)) in self.lost.iter().enumerate() {
            write!(f, "{}{kind}={count}", if i > 0 { "," } else { "" })?;
        }
        if self.lost.is_empty() {
            f.write_char('-')?;
        }
        f.write_char('\t')?;
        for (i, name) in self.libraries.iter().enumerate() {
            write!(f, "{}{name}", if i > 0 { "," } else { "" })?;
        }
        if self.libraries.is_empty() {
            f.write_char('-')?;
        }
        write!(f, "\t{}", self.command)
    }
}

/// Writes the rows of the section: every capture is one, and every child that none is known of.
pub(crate) fn write(
    out: &mut SectionWriter,
    captures: &[Capture<'_>],
    times: &[Timeline],
    ranks: &[Option<i64>],
    run_seconds: f64,
) -> fmt::Result {
    for ((capture, time), rank) in captures.iter().zip(times).zip(ranks) {
        let process = row(capture, time, *rank, run_seconds);
        writeln!(out, "{process}")?;
        for entry in capture.of(Kind::Unseen) {
            let Some(child) = ioglass_shm::Process::read(entry.bytes) else { continue };
            let is_child = |other: &Capture<'_>| {
                let (theirs, ours) = (&other.header, &capture.header);
                u64::from(theirs.pid) == child.pid && theirs.pid_namespace == ours.pid_namespace
            };
            if child.pid != 0 && captures.iter().any(is_child) {
                continue;
            }
            let command = entry.bytes.get(size_of::<ioglass_shm::Process>()..).unwrap_or_default();
            let unseen = Process {
                rank: None,
                pid: child.pid,
                ppid: process.pid,
                host: process.host.clone(),
                start: time.second_of(child.tick),
                end: None,
                ending: "unseen".into(),
                excluded: 0,
                lost: Vec::new(),
                libraries: Vec::new(),
                command: words(command),
            };
            writeln!(out, "{unseen}")?;
        }
    }
    Ok(())
}

fn row(capture: &Capture<'_>, time: &Timeline, rank: Option<i64>, run_seconds: f64) -> Process {
    let header = &capture.header;
    let command = capture.of(Kind::Command).next();
    let lost = Loss::NAMES.iter().zip(header.lost).filter(|(_, count)| *count > 0);
    let last = time.second_of(header.last.tick.max(capture.latest));
    let command = command.map(|entry| words(entry.bytes)).unwrap_or_default();
    Process {
        rank,
        pid: header.pid.into(),
        ppid: header.ppid.into(),
        host: words(capture.host()),
        start: time.second_of(header.start.tick),
        end: Some(if capture.fate == Fate::Running { run_seconds } else { last }),
        ending: ending(capture),
        excluded: header.excluded,
        lost: lost.map(|(kind, count)| (kind.to_string(), count)).collect(),
        libraries: libraries(header.libraries, &command),
        command,
    }
}

/// The libraries that the recorder has seen, and the runtime that the program itself is.
fn libraries(seen: u64, command: &str) -> Vec<String> {
    let program = command.split(' ').next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    let is_program = |library: &Library| library.is_program(program.as_bytes());
    let all =
        Library::ALL.iter().filter(|library| seen & library.bit() != 0 || is_program(library));
    all.map(|library| library.name().into()).collect()
}

fn ending(capture: &Capture<'_>) -> String {
    let status = capture.header.status & 0xFF;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = match (capture.fate, capture.ending()) {
        (_, Ending::Exec) => write!(text, "exec"),
        (Fate::Running, _) => write!(text, "running"),
        (_, Ending::Abort) => write!(text, "abort"),
        (Fate::Signal(signal), _) => write!(text, "signal {signal}"),
        (_, Ending::Exit) => write!(text, "exit {status}"),
        (_, Ending::QuickExit) => write!(text, "_exit {status}"),
        (Fate::Status(status), Ending::None) => write!(text, "exit {status}"),
        (Fate::Gone, Ending::None) => write!(text, "killed"),
    };
    text
}

/// Words that NULs end, as one line of text.
pub(crate) fn words(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let mut text = String::new();
    for chunk in bytes.get(..end).unwrap_or_default().utf8_chunks() {
        text.extend(chunk.valid().chars().map(|c| if c.is_control() { ' ' } else { c }));
        for byte in chunk.invalid() {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
