//! The regions in the captures of a job become one profile.

mod cells;
pub mod message;
mod nodes;
mod outside;
mod rows;
mod series;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use ioglass_profile::{
    Builder, Ending, Head, Lost, NoticeCode, Overhead, Process, Profile, RankKind, State,
};
use ioglass_shm::{self as shm, Kind, Pod, RegionLoss};

use crate::capture::{Capture, Fate};
use crate::job::Run;
use crate::time::Timeline;
use crate::write::{Error, Harvest};
use crate::{NoMemory, Source, push};
use cells::Cells;

pub(crate) use cells::{latest, text_at};
pub(crate) use rows::of_counts;

/// The caller's knowledge of a profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProfileOf {
    /// Its origin.
    pub state: State,
    /// True for a part of the job: it is made even if it has no region.
    pub is_part: bool,
}

/// Settings that concern regions; one that makes no sense is told.
const SETTINGS: [&[u8]; 8] = [
    b"IOGLASS_REGIONS",
    b"IOGLASS_REGION_MEMORY",
    b"IOGLASS_REGION_PATH",
    b"IOGLASS_ITERATIONS",
    b"IOGLASS_PROFILE",
    b"IOGLASS_PROFILE_FILES",
    b"IOGLASS_SNAPSHOT",
    b"IOGLASS_MPI_TIMEOUT",
];

/// The profile of a job. `None` if there was no region.
pub fn profile(
    sources: &[Source<'_>],
    run: &Run<'_>,
    of: ProfileOf,
) -> Result<Option<Profile>, Error<core::convert::Infallible>> {
    let job = Harvest::new(sources, run)?;
    if !of.is_part && !job.captures.iter().any(|capture| capture.has_region) {
        return Ok(None);
    }
    Ok(Some(build(&job, run, of)?))
}

fn build(job: &Harvest<'_>, run: &Run<'_>, of: ProfileOf) -> Result<Profile, NoMemory> {
    let captures = &job.captures;
    let ranks = job.ranks.of_captures(captures.len())?;
    let mut builder = Builder::new(head(job, run, of, &ranks)?);
    let parents = Parents::of(captures)?;
    for (at, (capture, time)) in captures.iter().zip(&job.times).enumerate() {
        let cells = Cells::of(capture)?;
        outside::add(&mut builder, capture, time, &cells)?;
        builder.lost(&lost(capture));
        if !capture.has_region && cells.io.is_empty() {
            // Mistakes can be made without entering a region.
            notices(&mut builder, &cells, &[])?;
            continue;
        }
        let last = last_tick(capture, time, job);
        let nodes = nodes::nodes(&mut builder, capture, &cells, time, last)?;
        // They are numbered by their first annotation, which may have been a mistake.
        let visited = cells.regions.iter().filter(|cell| cell.calls > 0);
        let threads = visited.map(|cell| cell.thread.saturating_add(1)).max().unwrap_or(0);
        let process = Process {
            rank: parents.rank(at, &ranks).and_then(|rank| u32::try_from(rank).ok()).unwrap_or(0),
            started_ns: capture.header.start.real_ns,
            host: copy(capture.host())?,
            pid: capture.header.pid.into(),
            threads,
            ending: ending(capture),
        };
        let regions = builder.process(process, nodes)?;
        notices(&mut builder, &cells, &regions)?;
        for entry in capture.of(Kind::Note) {
            if let Some(name) = ignored_setting(entry.bytes) {
                builder.notice(NoticeCode::Setting, name, None, 1)?;
            }
        }
        builder.overhead(&overhead(capture, &cells, time));
    }
    Ok(builder.finish()?)
}

/// Generations that are looked at; a capture may claim anything.
const MOST_ANCESTORS: usize = 64;

/// Captures by process, to find the parents of processes.
struct Parents<'c> {
    captures: &'c [Capture<'c>],
    /// Host, namespace and number of a process, and its capture; sorted.
    known: Vec<(&'c [u8], u64, u32, usize)>,
}

impl<'c> Parents<'c> {
    fn of(captures: &'c [Capture<'c>]) -> Result<Self, NoMemory> {
        let mut known = Vec::new();
        for (at, capture) in captures.iter().enumerate() {
            let header = &capture.header;
            push(&mut known, (&header.host[..], header.pid_namespace, header.pid, at))?;
        }
        known.sort_unstable();
        Ok(Self { captures, known })
    }

    /// The rank of a capture, or that of the nearest ancestor that has one: what a process without a
    /// rank does in a region of another counts for that one.
    fn rank(&self, at: usize, ranks: &[Option<i64>]) -> Option<i64> {
        let parent = |at: &usize| {
            let header = &self.captures.get(*at)?.header;
            // Captures are in the order in which they began; process numbers are used again.
            let key = (&header.host[..], header.pid_namespace, header.ppid, *at);
            let before = self.known.partition_point(|known| *known < key).checked_sub(1)?;
            let known = self.known.get(before)?;
            (known.0 == key.0 && (known.1, known.2) == (key.1, key.2)).then_some(known.3)
        };
        let mut line = core::iter::successors(Some(at), parent).take(MOST_ANCESTORS);
        line.find_map(|at| ranks.get(at).copied().flatten())
    }
}

/// Adds the notices of a process with these regions.
fn notices(builder: &mut Builder, cells: &Cells<'_>, regions: &[u32]) -> Result<(), NoMemory> {
    for notice in &cells.notices {
        let Some(code) = usize::try_from(notice.code)
            .ok()
            .and_then(|code| shm::NoticeCode::NAMES.get(code))
            .and_then(|name| NoticeCode::of_word(name))
        else {
            continue;
        };
        let region = cells.place(notice.region).and_then(|at| regions.get(at)).copied();
        builder.notice(code, cells.text(notice.name), region, notice.count)?;
    }
    Ok(())
}

fn head(
    job: &Harvest<'_>,
    run: &Run<'_>,
    of: ProfileOf,
    ranks: &[Option<i64>],
) -> Result<Head, NoMemory> {
    let captures = &job.captures;
    // Of several names that of the lowest rank counts, and of its own the last.
    let named = captures.iter().zip(ranks).filter_map(|(capture, rank)| {
        let entry = capture.of(Kind::RegionProfile).last()?;
        Some((rank.unwrap_or(i64::MAX), cells::text(entry.bytes)?))
    });
    // The command may be a launcher, and `ioglass region` is not the program.
    let annotated = captures.iter().filter(|capture| capture.has_region);
    let annotated = annotated.filter_map(|capture| capture.of(Kind::Command).next());
    let mut annotated = annotated.map(|entry| program(entry.bytes));
    let annotated = annotated.find(|program| *program != b"ioglass");
    let program = annotated.unwrap_or_else(|| program(run.command));
    let name = named.min_by_key(|(rank, _)| *rank).map_or(program, |(_, name)| name);
    let executions = captures.iter().filter(|capture| capture.has_region);
    let executions = executions.map(|capture| capture.header.region_executions).max();
    Ok(Head {
        name: copy(name)?,
        program: copy(run.command)?,
        job: run.jobid,
        uid: run.uid,
        state: of.state,
        started_ns: job.start_ns,
        duration_ns: job.end_ns - job.start_ns,
        ranks: u32::try_from(job.ranks.count).unwrap_or(u32::MAX),
        rank_kind: RankKind::of_word(job.ranks.numbered_by).unwrap_or_default(),
        executions: u32::try_from(executions.unwrap_or(1)).unwrap_or(u32::MAX),
        has_io: captures.iter().any(|capture| capture.header.records_io != 0),
    })
}

/// The name of the program that a command line starts.
fn program(command: &[u8]) -> &[u8] {
    let program = command.split(|byte| matches!(byte, b' ' | 0)).next().unwrap_or_default();
    program.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

fn copy(bytes: &[u8]) -> Result<Vec<u8>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(bytes.len()).map_err(|_| NoMemory)?;
    list.extend_from_slice(bytes);
    Ok(list)
}

/// The last moment that is known of a process, in its ticks.
fn last_tick(capture: &Capture<'_>, time: &Timeline, job: &Harvest<'_>) -> u64 {
    let known = capture.header.last.tick.max(capture.latest);
    let has_told = capture.header.ending != shm::Ending::None as u32;
    // The command has seen the end of its program; ranks of MPI end together.
    let ends_with_job = match capture.fate {
        Fate::Running | Fate::Signal(_) | Fate::Status(_) => true,
        Fate::Gone => capture.header.by_mpi == 1,
    };
    if has_told || !ends_with_job {
        return known;
    }
    known.max(time.tick_at(job.end_ns - job.start_ns))
}

fn ending(capture: &Capture<'_>) -> Ending {
    const ABORT: i32 = 6;
    match (capture.fate, capture.ending()) {
        (_, shm::Ending::Exec) => Ending::Exec,
        (Fate::Running, _) => Ending::Running,
        (_, shm::Ending::Abort) | (Fate::Signal(ABORT), _) => Ending::Abort,
        (Fate::Signal(_), _) | (Fate::Gone, shm::Ending::None) => Ending::Killed,
        (_, shm::Ending::QuickExit) => Ending::QuickExit,
        (_, shm::Ending::Exit) | (Fate::Status(_), shm::Ending::None) => Ending::Exit,
    }
}

/// The variable of a setting for regions that was ignored.
fn ignored_setting(note: &[u8]) -> Option<&'static [u8]> {
    let rest = note.strip_prefix(b"ignored=")?;
    let name = rest.split(|byte| *byte == b' ').next()?;
    SETTINGS.into_iter().find(|known| known.strip_prefix(b"IOGLASS_") == Some(name))
}

fn lost(capture: &Capture<'_>) -> Lost {
    let of = |loss: RegionLoss| capture.header.region_lost[loss as usize];
    Lost {
        regions: of(RegionLoss::Regions),
        names: of(RegionLoss::Names),
        metrics: of(RegionLoss::Metrics),
        tags: of(RegionLoss::Tags),
        visits: of(RegionLoss::Visits),
    }
}

/// The cost of the annotations of a process.
fn overhead(capture: &Capture<'_>, cells: &Cells<'_>, time: &Timeline) -> Overhead {
    let visits = cells.regions.iter().map(|cell| (cell.calls, cell.open));
    let visits = visits.fold(0_u64, |sum, (calls, open)| {
        sum.saturating_add(calls.saturating_mul(2).saturating_sub(open))
    });
    let metrics =
        cells.metrics.iter().fold(0_u64, |sum, (_, metric)| sum.saturating_add(metric.calls));
    let annotations = visits.saturating_add(metrics);
    let ticks = annotations.saturating_mul(capture.header.region_cost);
    Overhead { annotations, annotation_ns: time.ns(ticks), flush_ns: capture.header.flush_ns }
}

/// A value at the start of an entry.
fn read<T: Pod>(entry: &[u8]) -> Option<T> {
    T::read(entry)
}
