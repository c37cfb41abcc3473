//! The profile of a process, written by the library where no `ioglass run` does.

pub(crate) mod place;
pub(crate) mod snapshot;
mod together;

pub(crate) use together::{write_manifest, write_parts};

use alloc::vec::Vec;

use ioglass_harvest::{Fate, ProfileOf, Run, Source};
use ioglass_profile::{Compression, Head, Profile, State};
use ioglass_recorder::capture::Recorded;
use ioglass_recorder::path::PathBuffer;
use ioglass_recorder::settings::WorldRank;
use ioglass_recorder::sys::{self, Errno};
use ioglass_recorder::{capture, clock, command, process, rank, region, thread};
use ioglass_shm::{Clock, Header, Pod};

use crate::exitlog::{self, Desk, Errand};
use crate::mpi::nodes;
use place::Part;

/// Memory for messages of other ranks, as far as it is available.
const ROOM_FOR_OTHERS: usize = 1 << 30;
const NO_MEMORY: Errno = Errno(libc::ENOMEM);

/// Begins, when the library is loaded.
pub(crate) fn begin() {
    place::begin();
    process::set_snapshots(snapshot::start);
}

/// The occasion on which a profile is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The program goes on.
    Flush,
    /// The process or MPI ends.
    End,
}

impl Occasion {
    fn state(self) -> State {
        match self {
            Self::Flush => State::Running,
            Self::End => State::Complete,
        }
    }

    fn errand(self) -> Errand {
        match self {
            Self::Flush => Errand::Flush,
            Self::End => Errand::End,
        }
    }
}

/// The profile of these captures, at a desk; `None` if they have no region. `first` tells the facts of
/// the job.
fn of_captures(
    captures: &[&[u8]],
    first: &[u8],
    part: Part,
    occasion: Occasion,
) -> Result<Option<Profile>, Errno> {
    let Some(header) = Header::read(first) else { return Ok(None) };
    let command = ioglass_harvest::command(first).unwrap_or_default();
    let ends = captures.iter().filter_map(|bytes| Header::read(bytes));
    let mut run = Run {
        command: &command,
        jobid: header.profile_job.cast_signed(),
        end_ns: ends.map(|header| header.last.real_ns).max(),
        ..exitlog::run_of(&header)
    };
    let mut fate = Fate::Gone;
    if occasion == Occasion::Flush {
        let now = clock::moment();
        run.end_ns = Some(now.real_ns);
        let ns = now.mono_ns.saturating_sub(header.start.mono_ns);
        let ticks = now.tick.saturating_sub(header.start.tick);
        let is_counter = header.clock == Clock::Tsc as u32 && ns > 0;
        run.ticks_per_second = is_counter.then(|| ticks as f64 * 1e9 / ns as f64);
        fate = Fate::Running;
    }
    let mut sources = Vec::new();
    sources.try_reserve_exact(captures.len()).map_err(|_| NO_MEMORY)?;
    sources.extend(captures.iter().map(|bytes| Source { bytes, fate }));
    let is_part = matches!(part, Part::Group(_));
    let of = ProfileOf { state: occasion.state(), is_part };
    ioglass_harvest::profile(&sources, &run, of).map_err(|_| NO_MEMORY)
}

/// Writes the profile when the process exits. Returns true if nothing is left to do.
pub(crate) fn write_at_exit(desk: &mut Desk) -> bool {
    if !process::writes_its_profile() {
        return true;
    }
    let is_written = write_own(desk, own_part(), Occasion::End, |_| ()).is_ok();
    if is_written {
        snapshot::remove();
    }
    is_written
}

/// Writes the profile when MPI ends: that of all ranks, or that of this rank alone. `left` is the
/// capture that it has left. Returns true if nothing is left to do.
pub(crate) fn write_at_end_of_mpi(
    desk: &mut Desk,
    left: Option<Recorded>,
    world: WorldRank,
) -> bool {
    if !process::writes_its_profile() {
        return true;
    }
    let is_written = match world.ranks {
        1 => write_own(desk, Part::Whole, Occasion::End, |_| ()).is_ok(),
        _ => together::write(world, left, Occasion::End, Some(&mut *desk)).is_ok(),
    };
    if is_written {
        is_of_all();
    }
    is_written || write_of_rank(desk, world)
}

/// The profile of all ranks is written, at a desk: what this rank has written alone is not needed.
pub(crate) fn is_of_all() {
    place::remove_that_of_rank();
    snapshot::remove();
}

/// Writes the profile of this rank alone when MPI ends. Returns true if nothing is left to do.
pub(crate) fn write_of_rank(desk: &mut Desk, world: WorldRank) -> bool {
    let is_written = write_own(desk, Part::Rank(world.rank), Occasion::End, |_| ()).is_ok();
    if is_written {
        snapshot::remove();
    }
    is_written
}

/// Returns true if ranks on several nodes write a profile.
pub(crate) fn is_of_several_nodes(world: WorldRank) -> bool {
    process::writes_its_profile() && !together::is_one_node(world)
}

/// Writes the profile as it is now: that of all ranks while MPI runs, else that of this process.
/// Returns 0 or an error number.
pub(crate) fn flush() -> i32 {
    if !may_work() {
        return libc::EPERM;
    }
    let begin = sys::clock_ns(libc::CLOCK_MONOTONIC);
    catch_up();
    let flushed = match rank::running().filter(|world| world.ranks > 1) {
        Some(world) => flush_together(world),
        None if process::job_folder().is_some() => ask_command(),
        None => flush_alone(own_part()),
    };
    let end = sys::clock_ns(libc::CLOCK_MONOTONIC);
    capture::add_flush_time(end.saturating_sub(begin));
    // What this process did is in no file then.
    let refused = capture::refused().map_or(Ok(()), Err);
    flushed.and(refused).map_or_else(|errno| errno.0, |()| 0)
}

/// Writes a snapshot of this process now, unless somebody writes the profile.
pub(crate) fn snapshot() {
    if may_work() {
        catch_up();
        let blocked = sys::block_signals();
        snapshot::take();
        sys::set_signals(blocked);
    }
}

/// Returns false if no system call may be made, and in a child of `vfork`, whose memory is that of its
/// parent.
fn may_work() -> bool {
    process::may_call_kernel() && !thread::is_vforked()
}

/// Books what was done and not counted yet. A handler would interrupt that, and then wait for it.
fn catch_up() {
    let blocked = sys::block_signals();
    process::catch_up();
    sys::set_signals(blocked);
}

/// Has the command of the job write the profile.
fn ask_command() -> Result<(), Errno> {
    region::snapshot();
    match command::ask_for_profile(process::settings().mpi_timeout) {
        0 => Ok(()),
        errno => Err(Errno(errno)),
    }
}

fn flush_together(world: WorldRank) -> Result<(), Errno> {
    let _turn = together::Turn::take().ok_or(Errno(libc::EAGAIN))?;
    region::snapshot();
    if process::job_folder().is_some() {
        return match together::is_one_node(world) {
            true => together::ask_command(world),
            false => ask_command(),
        };
    }
    let recorded = capture::recorded();
    let written = match together::is_one_node(world) {
        true => together::write(world, recorded, Occasion::Flush, None),
        false => nodes::meet().and_then(|mut channel| {
            exitlog::at_desk(None, Errand::Flush, recorded, ROOM_FOR_OTHERS, |desk| {
                nodes::write(&mut channel, desk, Occasion::Flush)
            })
        }),
    };
    match written {
        Ok(()) => Ok(()),
        Err(failed) => flush_alone(Part::Rank(world.rank)).and(Err(failed)),
    }
}

/// Writes the profile of this process alone.
fn flush_alone(part: Part) -> Result<(), Errno> {
    let Some(recorded) = capture::recorded() else { return Ok(()) };
    exitlog::at_desk(None, Errand::Flush, Some(recorded), 0, |desk| match exitlog::has_begun() {
        true => Err(Errno(libc::ECANCELED)),
        false => write_own(desk, part, Occasion::Flush, |_| ()),
    })
}

/// Writes the profile of this process alone, at a desk with its capture. `then` gets the path of the
/// file.
fn write_own(
    desk: &mut Desk,
    part: Part,
    occasion: Occasion,
    then: impl FnOnce(&PathBuffer),
) -> Result<(), Errno> {
    let capture = desk.capture.ok_or(Errno(libc::ENOENT))?;
    let write = || {
        if let Some((path, _)) = write_file(&[capture], capture, part, occasion)? {
            then(&path);
        }
        Ok(())
    };
    desk.work(write).unwrap_or(Err(NO_MEMORY))
}

/// Writes a file with the profile of these captures, at a desk. `first` is the capture that names it.
/// Returns its path and the facts of the job; `None` if there are no regions.
fn write_file(
    captures: &[&[u8]],
    first: &[u8],
    part: Part,
    occasion: Occasion,
) -> Result<Option<(PathBuffer, Head)>, Errno> {
    let begin = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let Some(mut profile) = of_captures(captures, first, part, occasion)? else { return Ok(None) };
    let until_now = sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_sub(begin);
    profile.overhead.flush_ns = profile.overhead.flush_ns.saturating_add(until_now);
    let bytes = ioglass_profile::write(&profile, Compression::Deflate).map_err(|_| NO_MEMORY)?;
    let path = place::write(first, part, &bytes)?;
    Ok(Some((path, profile.head)))
}

/// The file for the profile of this process alone.
fn own_part() -> Part {
    match rank::own() {
        None => Part::Process,
        Some(world) if process::has_begun_anew() => Part::Rest(world.rank),
        Some(WorldRank { ranks: 1, .. }) => Part::Whole,
        Some(world) => Part::Rank(world.rank),
    }
}
