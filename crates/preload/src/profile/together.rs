//! The profile of all ranks, which they write together.
//!
//! The ranks of a node meet. The first rank of each group maps the captures of its group, which can be
//! read at any moment, and writes one file. If the ranks cannot meet, each writes a profile of its own.

use core::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use alloc::vec::Vec;
use ioglass_harvest::message;
use ioglass_profile::{Groups, Head, Manifest};
use ioglass_recorder::capture::Recorded;
use ioglass_recorder::meeting::{Failed, Meeting, Role};
use ioglass_recorder::path::{PathBuffer, file_name};
use ioglass_recorder::process;
use ioglass_recorder::settings::WorldRank;
use ioglass_recorder::sys::{self, Errno};
use ioglass_recorder::wait::wait;

use super::place::{self, Part};
use super::{NO_MEMORY, Occasion};
use crate::exitlog::{self, Desk};
use crate::mpi;

/// Bytes of memory for each byte of another capture.
const PER_BYTE: usize = 8;

/// Writes the profile of all ranks, if they meet. `own` is the capture that this rank shows, and `desk`
/// the desk that it has, if any.
pub(super) fn write(
    world: WorldRank,
    own: Option<Recorded>,
    occasion: Occasion,
    desk: Option<&mut Desk>,
) -> Result<(), Errno> {
    let groups = Groups::new(world.ranks, process::settings().profile_files);
    let led = groups.led_by(world.rank);
    let role = if led.is_some() { Role::Writes } else { Role::Waits };
    let meeting = meet(world, role, own, occasion)?;
    let led = led.map(|group| lead(&meeting, groups, group, own, occasion, desk));
    let outcome = match led {
        Some(outcome) if world.rank == 0 => {
            meeting.close(outcome);
            Ok(outcome)
        }
        _ => meeting.wait_until_closed(),
    };
    result(outcome)
}

/// The result of a meeting with this outcome.
fn result(outcome: Result<i32, Failed>) -> Result<(), Errno> {
    match outcome {
        Ok(0) => Ok(()),
        Ok(errno) => Err(Errno(errno)),
        Err(_) => Err(Errno(libc::ETIMEDOUT)),
    }
}

/// Has the command of the job write the profile, once all ranks are here.
pub(super) fn ask_command(world: WorldRank) -> Result<(), Errno> {
    let role = if world.rank == 0 { Role::Writes } else { Role::Waits };
    let meeting = meet(world, role, None, Occasion::Flush)?;
    if role == Role::Waits {
        return result(meeting.wait_until_closed());
    }
    let written = super::ask_command();
    meeting.close(outcome(&written));
    written
}

/// Returns true if all ranks are on this node, as far as the launcher tells.
pub(super) fn is_one_node(world: WorldRank) -> bool {
    process::settings().ranks_here.is_none_or(|here| here == world.ranks)
}

fn meet(
    world: WorldRank,
    role: Role,
    own: Option<Recorded>,
    occasion: Occasion,
) -> Result<Meeting, Errno> {
    let seconds = process::settings().mpi_timeout;
    let path = own.map(|own| own.path);
    let progress = mpi::progress();
    let is_last = occasion == Occasion::End;
    loop {
        match Meeting::begin(world, role, path, is_last, seconds, &progress) {
            Ok(meeting) => return Ok(meeting),
            // The others have wanted another meeting first.
            Err(Failed::Mismatch) if is_last => {}
            Err(Failed::NoRoom) => return Err(Errno(libc::EPERM)),
            Err(Failed::Silence | Failed::Mismatch) => return Err(Errno(libc::ETIMEDOUT)),
        }
    }
}

/// Writes the file of a group. The chair also waits for the others, writes the manifest and returns
/// the outcome for all.
fn lead(
    meeting: &Meeting,
    groups: Groups,
    group: u32,
    own: Option<Recorded>,
    occasion: Occasion,
    desk: Option<&mut Desk>,
) -> i32 {
    // The chair writes the files of first ranks that take no part.
    let is_chair = meeting.world().rank == 0;
    let is_own =
        |other: &u32| *other == group || is_chair && !meeting.has(groups.ranks(*other).start);
    let ranks = (0..groups.count()).filter(is_own).flat_map(|group| groups.ranks(group));
    let sizes = ranks.map(|rank| size_of_capture(meeting, rank));
    let more = sizes.fold(0, usize::saturating_add).saturating_mul(PER_BYTE);
    let led = exitlog::at_desk(desk, occasion.errand(), own, more, |desk| {
        let written = desk.work(|| write_group(meeting, groups, group, occasion));
        let written = written.unwrap_or(Err(NO_MEMORY));
        let mut all = outcome(&written);
        meeting.is_done(all);
        if !is_chair {
            return Ok(all);
        }
        for other in 1..groups.count() {
            let other = if is_own(&other) {
                let written = desk.work(|| write_group(meeting, groups, other, occasion));
                outcome(&written.unwrap_or(Err(NO_MEMORY)))
            } else {
                meeting.part_of(groups.ranks(other).start).unwrap_or(libc::ETIMEDOUT)
            };
            all = if all == 0 { other } else { all };
        }
        match written {
            Ok(Some(manifest)) if all == 0 => {
                let written = desk.work(|| {
                    place::write(Mapped::of(meeting, 0).0, Part::Whole, &manifest).map(drop)
                });
                Ok(outcome(&written.unwrap_or(Err(NO_MEMORY))))
            }
            _ => Ok(all),
        }
    });
    if led.is_err() {
        meeting.is_done(outcome(&led));
    }
    led.unwrap_or_else(|errno| errno.0)
}

fn outcome<T>(result: &Result<T, Errno>) -> i32 {
    result.as_ref().err().map_or(0, |errno| errno.0)
}

fn size_of_capture(meeting: &Meeting, rank: u32) -> usize {
    let size = sys::stat(meeting.capture(rank).as_c_str()).map(|stat| stat.st_size);
    size.ok().and_then(|size| usize::try_from(size).ok()).unwrap_or(0)
}

/// Writes the file of a group, at a desk. Returns the manifest, if there is more than one group.
fn write_group(
    meeting: &Meeting,
    groups: Groups,
    group: u32,
    occasion: Occasion,
) -> Result<Option<Vec<u8>>, Errno> {
    let first = Mapped::of(meeting, 0);
    let mut mapped: Vec<Mapped> = Vec::new();
    let mut captures: Vec<&[u8]> = Vec::new();
    let ranks = groups.ranks(group);
    mapped.try_reserve_exact(ranks.len()).map_err(|_| NO_MEMORY)?;
    captures.try_reserve_exact(ranks.len()).map_err(|_| NO_MEMORY)?;
    mapped.extend(ranks.map(|rank| Mapped::of(meeting, rank)));
    captures.extend(mapped.iter().map(|mapped| mapped.0));
    write_captures(&captures, first.0, groups, group, occasion)
}

/// The same with the captures as messages; `naming` is that of the first rank.
pub(crate) fn write_parts(
    parts: &[&[u8]],
    naming: &[u8],
    groups: Groups,
    group: u32,
    occasion: Occasion,
) -> Result<Option<Vec<u8>>, Errno> {
    let captures: Vec<Vec<u8>> = parts.iter().filter_map(|part| message::unpack(part)).collect();
    let captures: Vec<&[u8]> = captures.iter().map(|capture| &**capture).collect();
    let first = message::unpack(naming).ok_or(NO_MEMORY)?;
    write_captures(&captures, &first, groups, group, occasion)
}

fn write_captures(
    captures: &[&[u8]],
    first: &[u8],
    groups: Groups,
    group: u32,
    occasion: Occasion,
) -> Result<Option<Vec<u8>>, Errno> {
    let is_one = groups.count() == 1;
    let part = if is_one { Part::Whole } else { Part::Group(group) };
    match super::write_file(captures, first, part, occasion)? {
        Some((path, head)) if group == 0 && !is_one => manifest(path.as_bytes(), head, groups),
        _ => Ok(None),
    }
}

/// The manifest of files with names like that of the first.
fn manifest(path: &[u8], head: Head, groups: Groups) -> Result<Option<Vec<u8>>, Errno> {
    let name = file_name(path);
    let stem = name.strip_suffix(b".0.ioprof").unwrap_or(name);
    let part = |group: u32| {
        let mut file: PathBuffer<256> = PathBuffer::new();
        file.push(stem);
        file.push(b".");
        file.push_number(group.into(), 10);
        file.push(b".ioprof");
        let ranks = groups.ranks(group);
        let name = file.as_bytes().to_vec();
        ioglass_profile::Part { name, first_rank: ranks.start, ranks: ranks.len() as u32 }
    };
    let parts = (0..groups.count()).map(part).collect();
    Manifest { head, parts }.write().map(Some).map_err(|_| NO_MEMORY)
}

/// Writes the manifest, at a desk; `naming` is the message of the first rank.
pub(crate) fn write_manifest(naming: &[u8], manifest: &[u8]) -> Result<(), Errno> {
    let first = message::unpack(naming).ok_or(NO_MEMORY)?;
    place::write(&first, Part::Whole, manifest).map(drop)
}

/// The capture of a rank, mapped; empty if it has none.
struct Mapped(&'static [u8]);

impl Mapped {
    fn of(meeting: &Meeting, rank: u32) -> Self {
        Self(exitlog::map_capture(meeting.capture(rank).as_c_str()).unwrap_or_default())
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            // SAFETY: nothing refers to it any more.
            unsafe { sys::unmap(self.0.as_ptr().cast_mut(), self.0.len()) };
        }
    }
}

/// Thread id of the thread of this process that meets other ranks; 0 if there is none.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Time after which a waiting thread looks whether the other one lives.
const LOOK_AGAIN: u64 = 50_000_000;

/// The right to meet other ranks: one thread of a process has it at a time.
pub(super) struct Turn(());

impl Turn {
    /// Waits for the right. `None` if this very thread has it, which a signal handler has interrupted.
    pub(super) fn take() -> Option<Self> {
        let own = sys::tid();
        while let Err(owner) = OWNER.compare_exchange(0, own, Acquire, Relaxed) {
            if owner == own {
                return None;
            }
            let lives = || sys::thread_lives(sys::pid(), owner);
            let waited =
                wait(&OWNER, |word| word != owner, LOOK_AGAIN, || lives().then_some(()).ok_or(()));
            if waited.is_err() {
                // It has ended inside the call.
                let _ = OWNER.compare_exchange(owner, 0, Relaxed, Relaxed);
            }
        }
        Some(Self(()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        OWNER.store(0, Release);
        sys::wake(&OWNER);
    }
}
