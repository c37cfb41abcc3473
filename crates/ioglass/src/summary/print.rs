//! The summary as text.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Effects, Style};
use ioglass_harvest::process::Process;

use super::Summary;
use super::budget::{self, Part};
use crate::units::{bytes, counted, seconds, thousands};
use crate::words::{date, program, shorten, shorten_path, wrap};

/// I/O below this share of the run is not worth anybody's time.
const LITTLE: f64 = 0.05;

const BOLD: Style = Style::new().effects(Effects::BOLD);
const DIM: Style = Style::new().effects(Effects::DIMMED);
const WARN: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// Columns of the terminal that standard error is, or 80.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stderr());
    terminal.map_or(80, |(width, _)| usize::from(width.0)).clamp(60, 120)
}

impl Summary {
    /// All but the last line.
    pub(crate) fn print(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        self.print_head(out)?;
        self.print_warnings(out)?;
        if self.is_empty() {
            return writeln!(out, "\n{BOLD}No I/O was recorded.{BOLD:#}\n");
        }
        writeln!(out, "\n{BOLD}{}{BOLD:#}\n", self.verdict())?;
        self.print_time(out, width)?;
        self.print_moved(out, width)?;
        self.print_where(out, width)?;
        writeln!(out)?;
        self.print_files(out, width)
    }

    /// How much of the run was I/O, and how to see more.
    pub(crate) fn print_last(&self, out: &mut impl Write) -> io::Result<()> {
        let of_run = of(self.time.all(), self.log.run_time());
        let log = quoted(&self.path);
        if self.is_incomplete() {
            return writeln!(out, "{WARN}!{WARN:#} I/O {of_run}, incomplete   ioglass info {log}");
        }
        writeln!(out, "{GOOD}✓{GOOD:#} I/O {of_run}   ioglass info {log}")
    }

    /// The last line if nothing could be recorded.
    pub(crate) fn print_nothing(&self, out: &mut impl Write, why: &str) -> io::Result<()> {
        let log = quoted(&self.path);
        writeln!(out, "{BAD}▲{BAD:#} nothing could be recorded: {why}   ioglass info {log}")
    }

    /// Whether something was not recorded for want of room.
    fn is_incomplete(&self) -> bool {
        self.log.modules().any(|module| module.partial)
            || self.log.job().metadata_value(super::UNRECORDED).is_some()
    }

    fn print_head(&self, out: &mut impl Write) -> io::Result<()> {
        let job = self.log.job();
        let program = shorten(&program(&job.exe()), 40);
        let ranks = counted(job.nprocs.max(0).cast_unsigned(), "process", "processes");
        let (run_time, jobid) = (seconds(self.log.run_time()), job.jobid);
        let when = date(job.start_sec, "%Y-%m-%d %H:%M UTC");
        writeln!(out, "{BOLD}{program}{BOLD:#}  {ranks}  {run_time}  job {jobid}  {when}")?;
        let file = self.path.file_name().map_or(Cow::from("-"), |name| name.to_string_lossy());
        let state = if self.is_incomplete() { "incomplete" } else { "complete" };
        let trace = ioglass_log::dxt::POSIX.id;
        let traced = match self.log.module_info(trace).extent.len {
            0 => "no trace",
            _ => "traced",
        };
        writeln!(out, "{DIM}{file}  {state}  {traced}{DIM:#}")
    }

    fn print_warnings(&self, out: &mut impl Write) -> io::Result<()> {
        let lost = |kind: &str| -> u64 {
            let all = self.processes.iter().flat_map(|process| &process.lost);
            all.filter(|(name, _)| name == kind).map(|(_, count)| count).sum()
        };
        for (kind, one, many, what) in [
            ("records", "call", "calls", "there was no room for more files"),
            ("trace", "operation", "operations", "the trace was full"),
            ("nested", "call", "calls", "a signal handler made them inside another call"),
        ] {
            let count = lost(kind);
            if count > 0 {
                let lost = counted(count, one, many);
                writeln!(out, "{WARN}! {lost} not recorded:{WARN:#} {what}.")?;
            }
        }
        let ending = |ending: &str| {
            self.processes.iter().filter(|process| process.ending == ending).count() as u64
        };
        let (running, unseen) = (ending("running"), ending("unseen"));
        let killed = |process: &&Process| {
            let ending = process.ending.as_str();
            matches!(ending, "killed" | "abort") || ending.starts_with("signal")
        };
        let killed = self.processes.iter().filter(killed).count() as u64;
        if killed > 0 {
            let killed = counted(killed, "process was", "processes were");
            writeln!(
                out,
                "{WARN}! {killed} killed:{WARN:#} what was done until then is in the log."
            )?;
        }
        if running > 0 {
            let living = counted(running, "process lives on", "processes live on");
            writeln!(out, "{WARN}! {living}:{WARN:#} what was done so far is in the log.")?;
        }
        if let Some(count) = self.log.job().metadata_value(super::UNRECORDED) {
            writeln!(
                out,
                "{WARN}! {count} not recorded:{WARN:#} limits or a full disk forbade it."
            )?;
        }
        if unseen > 0 {
            let unseen = counted(unseen, "process was", "processes were");
            writeln!(out, "{WARN}! {unseen} started out of our sight.{WARN:#}")?;
        }
        Ok(())
    }

    /// How much is at stake, in one sentence.
    fn verdict(&self) -> String {
        let (time, run_time) = (self.time, self.log.run_time());
        let (took, on_it) = match self.log.job().nprocs > 1 {
            true => ("The process with most I/O spent", " on it"),
            false => ("I/O took", ""),
        };
        let of_run = of(time.all(), run_time);
        if self.is_incomplete() {
            return format!("{took} {of_run}{on_it}, as far as it was recorded.");
        }
        if time.all() < LITTLE * run_time {
            return format!("{took} {of_run}{on_it}: little to gain.");
        }
        let kinds = [(time.read, "reading"), (time.write, "writing"), (time.meta, "metadata")];
        let most = kinds.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).map_or("", |kind| kind.1);
        if time.all() > run_time {
            let (spent, run_time) = (seconds(time.all()), seconds(run_time));
            return format!("Threads spent {spent} on I/O in {run_time}, most of that {most}.");
        }
        let share = share(time.all(), run_time);
        format!("{took} {share} of the run{on_it}, most of that {most}.")
    }

    fn print_time(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let time = self.time;
        // Threads can spend more than the run lasts.
        let whole = self.log.run_time().max(time.all());
        let most = time.read.max(time.write).max(time.meta);
        let parts = budget::parts(time.read, time.write, time.meta, whole);
        let cells = width - 20;
        let bar = budget::bar(&parts, cells);
        writeln!(out, "  time    {bar:<cells$}{:>10}", seconds(whole))?;
        let mut line = String::new();
        for part in &parts {
            let Part { name, seconds: spent, texture } = *part;
            let share = match spent == most && texture != '░' {
                true => format!(", {}", share(spent, whole)),
                false => String::new(),
            };
            let words = format!("{texture} {name} {}{share}", seconds(spent));
            let room = width - 10;
            if !line.is_empty() && line.chars().count() + 3 + words.chars().count() > room {
                writeln!(out, "          {line}")?;
                line.clear();
            }
            line += if line.is_empty() { "" } else { "   " };
            line += &words;
        }
        writeln!(out, "          {line}")
    }

    fn print_moved(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let all = self.all_ranks;
        let moved = [(self.written, "written", all.write), (self.read, "read", all.read)];
        let mut words: Vec<String> = Vec::new();
        for (amount, verb, spent) in moved.into_iter().filter(|(amount, ..)| *amount > 0) {
            // A rate over less than a millisecond says nothing.
            let rate = match spent > 1e-3 {
                true => format!(" at {}/s", bytes((amount as f64 / spent) as u64)),
                false => String::new(),
            };
            words.push(format!("{} {verb}{rate}", bytes(amount)));
        }
        if words.is_empty() {
            words.push("nothing".into());
        }
        words.push(counted(self.requests, "request", "requests"));
        if let Some((size, count)) = self.common.filter(|(size, count)| *size > 0 && *count > 0) {
            let share = count as f64 / self.requests.max(1) as f64;
            let often = if share > 0.995 { "all of" } else { "most often" };
            if share >= 0.2 {
                words.push(format!("{often} {}", bytes(size.unsigned_abs())));
            }
        }
        print_wrapped(out, "moved", &words.join(", "), width)
    }

    fn print_where(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        let job = self.log.job();
        let mut used: Vec<(usize, String)> = Vec::new();
        for (_, name) in self.log.names().iter().filter(|(_, name)| name.starts_with(b"/")) {
            let place = match job.mount_of(name) {
                Some(mount) => format!(
                    "{} {}",
                    String::from_utf8_lossy(&mount.fs_type),
                    String::from_utf8_lossy(&mount.path)
                ),
                None => "other file systems".into(),
            };
            match used.iter_mut().find(|(_, known)| *known == place) {
                Some((count, _)) => *count += 1,
                None => used.push((1, place)),
            }
        }
        used.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut words: Vec<String> = used.into_iter().take(2).map(|(_, place)| place).collect();
        words = vec![words.join(" and ")];
        words.retain(|place| !place.is_empty());
        words.push(counted(self.files as u64, "file", "files"));
        if self.shared > 0 {
            words.push(format!("{} used by several processes", thousands(self.shared as u64)));
        }
        let excluded = self.excluded();
        if excluded > 0 {
            words.push(format!("{} of system files left out", counted(excluded, "open", "opens")));
        }
        print_wrapped(out, "where", &words.join(", "), width)
    }

    fn print_files(&self, out: &mut impl Write, width: usize) -> io::Result<()> {
        writeln!(out, "  {DIM}   seconds       bytes       calls  most expensive files{DIM:#}")?;
        let here = std::env::current_dir().unwrap_or_default();
        for file in &self.costly {
            let time = seconds(file.time.all());
            let time = time.strip_suffix(" s").unwrap_or(&time);
            let (moved, calls) = (bytes(file.bytes), thousands(file.calls));
            let name = Path::new(&file.name);
            let name = match name.strip_prefix(&here) {
                Ok(below) if below.as_os_str().is_empty() => Path::new("."),
                Ok(below) => below,
                Err(_) => name,
            };
            let name = shorten_path(&name.to_string_lossy(), width.saturating_sub(38).max(20));
            writeln!(out, "  {time:>10}  {moved:>10}  {calls:>10}  {name}")?;
        }
        writeln!(out)
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// A line of the budget, continued under itself.
fn print_wrapped(out: &mut impl Write, label: &str, text: &str, width: usize) -> io::Result<()> {
    let room = width - 10;
    for (i, line) in wrap(text, room).into_iter().enumerate() {
        let label = if i == 0 { label } else { "" };
        writeln!(out, "  {label:<7} {}", shorten(&line, room))?;
    }
    Ok(())
}

/// `0.03 of 3 s`: the unit once, if it is the same. Threads can spend `8 s in 3 s`.
fn of(part: f64, whole: f64) -> String {
    if part > whole {
        return format!("{} in {}", seconds(part), seconds(whole));
    }
    let (part, whole) = (seconds(part), seconds(whole));
    let part = part.strip_suffix(" s").filter(|_| whole.ends_with(" s")).unwrap_or(&part);
    format!("{part} of {whole}")
}

/// A share of the run in per cent.
fn share(part: f64, whole: f64) -> String {
    let share = 100.0 * part / whole;
    if !share.is_finite() {
        "?".into()
    } else if share >= 9.95 {
        format!("{share:.0} %")
    } else {
        format!("{share:.1} %")
    }
}
