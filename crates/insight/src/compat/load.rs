//! Faults of a log that keep the original from reading it, or from printing its report.

use ioglass_log::{Error, Heatmap, Log, LogRegion, Lustre, lustre, mdhim};

use super::Stop;
use super::records::no_record;

/// The seconds that can be shown as a date: years 1 (but for its first day) to 9999.
const DATES: std::ops::RangeInclusive<i64> = -62_135_510_400..=253_402_300_799;

/// Different heat maps that are told apart. A log has one for each of five modules.
const MOST_HEATMAPS: usize = 16;

/// Checks what the original reads of a log first.
pub(super) fn check(log: &Log) -> Result<(), Stop> {
    let job = log.job();
    let metadata = text(&job.metadata, "the job's metadata")?;
    if metadata_lines(metadata).any(|line| !line.contains('=')) {
        return Err(Stop::fails("a line of the job's metadata has no value"));
    }
    text(job.command(), "the command line")?;
    if !DATES.contains(&job.start_sec) || !DATES.contains(&job.end_sec) {
        return Err(Stop::fails("the job's start or end is no date"));
    }
    for mount in job.mounts() {
        text(&mount.path, "a mount point")?;
        text(&mount.fs_type, "a file system's type")?;
    }
    for module in log.modules().filter(|module| module.extent.len > 0) {
        match module.id.module() {
            None => return Err(Stop::fails(format!("module {} is not known", module.id.0))),
            Some(known) if known.id == mdhim::MODULE.id => {
                return Err(Stop::fails("records of MDHIM cannot be read"));
            }
            Some(_) => {}
        }
    }
    for (_, name) in log.names().iter() {
        text(name, "a file name")?;
    }
    let is_damaged =
        |problem: &Error| matches!(problem, Error::Corrupt { log_region: LogRegion::Names, .. });
    if log.warnings().any(is_damaged) {
        return Err(Stop::fails("the table of names is damaged"));
    }
    check_lustre(log)?;
    check_heatmaps(log)
}

/// Layouts are read, as far as they are sound, though nothing depends on them.
fn check_lustre(log: &Log) -> Result<(), Stop> {
    if log.module_info(lustre::MODULE.id).extent.len == 0 {
        return Ok(());
    }
    let mut has_name = false;
    for record in log.special::<Lustre>()?.map_while(Result::ok) {
        let mut counts = record.components.iter().map(|component| component.stripe_count);
        if record.components.is_empty() || counts.any(|count| count < 0) {
            return Err(Stop::fails("a Lustre layout has no components, or fewer than no stripes"));
        }
        for component in &record.components {
            text(component.pool_name(), "a Lustre pool's name")?;
        }
        has_name |= log.names().get(record.base.id).is_some();
    }
    if has_name { Ok(()) } else { Err(no_record(&lustre::MODULE)) }
}

/// Heat maps of one module have to be alike, as far as they are sound.
fn check_heatmaps(log: &Log) -> Result<(), Stop> {
    let mut shapes: Vec<(u64, usize, f64)> = Vec::new();
    for map in log.special::<Heatmap>().into_iter().flatten().map_while(Result::ok) {
        let shape = (map.base.id, map.writes.len(), map.bin_width);
        let first = shapes.iter().find(|(id, ..)| *id == map.base.id).copied();
        // A width that is not a number is not even like itself.
        if first.unwrap_or(shape) != shape {
            return Err(Stop::fails("heat maps of one module differ in their bins"));
        }
        if first.is_none() && shapes.len() < MOST_HEATMAPS {
            shapes.push(shape);
        }
    }
    Ok(())
}

/// Checks the hints of the log's own writer, which the original takes for the program's. It reads
/// them only if there is MPI-IO.
pub(super) fn check_hints(log: &Log) -> Result<(), Stop> {
    let metadata = String::from_utf8_lossy(&log.job().metadata);
    // Of lines with one key the last counts.
    let hints = metadata_lines(&metadata).filter_map(|line| line.strip_prefix("h=")).last();
    let Some(hints) = hints.filter(|hints| !hints.is_empty()) else { return Ok(()) };
    let mut is_first = true;
    for hint in hints.split(';') {
        if hint == "no" && is_first {
            return Err(Stop::fails("the log's hints begin with \"no\""));
        }
        if hint != "no" && hint.matches('=').count() != 1 {
            return Err(Stop::fails(format!("the hint {hint:?} is no pair of key and value")));
        }
        is_first = false;
    }
    Ok(())
}

/// The report begins with the first word of the command line.
pub(super) fn check_command(log: &Log) -> Result<(), Stop> {
    let job = log.job();
    // A command line that no line break ends is not seen at all.
    let words = if job.is_command_ended() { job.exe() } else { "".into() };
    match words.chars().all(is_blank) {
        true => Err(Stop::fails("the log has no command line")),
        false => Ok(()),
    }
}

/// White space, by a table that has four control characters more than Rust's.
fn is_blank(character: char) -> bool {
    character.is_whitespace() || ('\x1C'..='\x1F').contains(&character)
}

/// The lines of the metadata that are looked at: the last one is not. It is empty unless the
/// metadata was cut.
fn metadata_lines(metadata: &str) -> impl Iterator<Item = &str> {
    let lines = metadata.rsplit_once('\n').map(|(lines, _)| lines);
    lines.into_iter().flat_map(|lines| lines.split('\n'))
}

fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Stop> {
    std::str::from_utf8(bytes).map_err(|_| Stop::fails(format!("{what} is not valid UTF-8")))
}
