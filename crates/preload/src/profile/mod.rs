//! The profile of a process, written by the library where no `ioglass run` does.

pub(crate) mod place;
pub(crate) mod snapshot;

use ioglass_harvest::{Fate, ProfileOf, Run, Source};
use ioglass_profile::{Compression, Profile, State};
use ioglass_recorder::path::PathBuffer;
use ioglass_recorder::sys::{self, Errno};
use ioglass_recorder::{capture, clock, process, rank, thread};
use ioglass_shm::{Clock, Header, Pod};

use crate::exitlog::{self, Desk, Errand};
use place::Part;

const NO_MEMORY: Errno = Errno(libc::ENOMEM);

/// Begins, when the library is loaded.
pub(crate) fn begin() {
    place::begin();
    process::set_snapshots(snapshot::start);
}

/// The profile of a capture of this process, at a desk; `None` if it has no region. If the state is
/// `Running`, the process goes on.
pub(crate) fn of_capture(bytes: &[u8], state: State) -> Result<Option<Profile>, Errno> {
    let Some(header) = Header::read(bytes) else { return Ok(None) };
    let command = ioglass_harvest::command(bytes).unwrap_or_default();
    let mut run = Run {
        command: &command,
        jobid: process::profile_job().cast_signed(),
        ..exitlog::run_of(&header)
    };
    let mut fate = Fate::Gone;
    if state == State::Running {
        let now = clock::moment();
        run.end_ns = Some(now.real_ns);
        let ns = now.mono_ns.saturating_sub(header.start.mono_ns);
        let ticks = now.tick.saturating_sub(header.start.tick);
        let is_counter = header.clock == Clock::Tsc as u32 && ns > 0;
        run.ticks_per_second = is_counter.then(|| ticks as f64 * 1e9 / ns as f64);
        fate = Fate::Running;
    }
    ioglass_harvest::profile(&[Source { bytes, fate }], &run, ProfileOf { state })
        .map_err(|_| NO_MEMORY)
}

/// Writes the profile when the process exits. Returns true if nothing is left to do.
pub(crate) fn write_at_exit(desk: &mut Desk) -> bool {
    if !process::writes_its_profile() {
        return true;
    }
    let is_written = write_own(desk, own_part(), State::Complete, |_| ()).is_ok();
    if is_written {
        snapshot::remove();
    }
    is_written
}

/// Writes the profile of this process as it is now. Returns 0 or an error number.
pub(crate) fn flush() -> i32 {
    let flushed = undisturbed(flush_now);
    flushed.map_or(libc::EPERM, |flushed| flushed.map_or_else(|errno| errno.0, |()| 0))
}

/// Writes a snapshot of this process now, unless somebody writes the profile.
pub(crate) fn snapshot() {
    undisturbed(snapshot::take);
}

/// Runs `work` with signals blocked: a handler would interrupt it, and then wait for it. `None` if no
/// system call may be made, or in a child of `vfork`, whose memory is that of its parent.
fn undisturbed<T>(work: impl FnOnce() -> T) -> Option<T> {
    if thread::is_vforked() || !process::may_call_kernel() {
        return None;
    }
    let blocked = sys::block_signals();
    process::catch_up();
    let result = work();
    sys::set_signals(blocked);
    Some(result)
}

fn flush_now() -> Result<(), Errno> {
    let begin = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let Some(recorded) = capture::recorded() else { return Ok(()) };
    let desk = Desk::open_for(Errand::Flush, Some(recorded), 0);
    let mut desk = desk.ok_or(Errno(libc::EAGAIN))?;
    let written = match exitlog::has_begun() {
        true => Err(Errno(libc::ECANCELED)),
        false => write_own(&mut desk, own_part(), State::Running, |_| ()),
    };
    desk.close();
    let end = sys::clock_ns(libc::CLOCK_MONOTONIC);
    capture::add_flush_time(end.saturating_sub(begin));
    written
}

/// Writes the profile of this process alone. `then` gets the path of the file.
fn write_own(
    desk: &mut Desk,
    part: Part,
    state: State,
    then: impl FnOnce(&PathBuffer),
) -> Result<(), Errno> {
    let begin = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let capture = desk.capture.ok_or(Errno(libc::ENOENT))?;
    let written = desk.work(|| {
        let Some(mut profile) = of_capture(capture, state)? else { return Ok(()) };
        let until_now = sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_sub(begin);
        profile.overhead.flush_ns = profile.overhead.flush_ns.saturating_add(until_now);
        let bytes = ioglass_profile::write(&profile, Compression::Deflate);
        then(&place::write(capture, part, &bytes.map_err(|_| NO_MEMORY)?)?);
        Ok(())
    });
    written.unwrap_or(Err(NO_MEMORY))
}

/// The file for the profile of this process alone.
fn own_part() -> Part {
    match rank::own() {
        None => Part::Process,
        Some(world) if process::has_begun_anew() => Part::Rest(world.rank),
        Some(world) => Part::Rank(world.rank),
    }
}
