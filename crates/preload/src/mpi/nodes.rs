//! The profile of ranks on several nodes: each sends what the profile needs of its capture to the
//! first rank of its group, which writes a file.

use alloc::vec::Vec;
use ioglass_harvest::message;
use ioglass_profile::Groups;
use ioglass_recorder::sys::Errno;
use ioglass_recorder::{process, rank};

use super::ask::Library;
use super::channel::{Channel, Message, Trouble};
use crate::exitlog::Desk;
use crate::profile::{self, Occasion};

/// The outcome of work that has succeeded, as a message.
const DONE: Option<&[u8]> = Some(&[]);

/// Meets all ranks through MPI, if this thread may call it.
pub(crate) fn meet() -> Result<Channel, Errno> {
    let begin = || {
        let library = Library::known()?;
        library.threads()?;
        Channel::begin_with_mpi(library, rank::running()?)
    };
    let mut channel = begin().ok_or(Errno(libc::EPERM))?;
    match channel.meet(process::settings().mpi_timeout) {
        Ok(()) => Ok(channel),
        Err(_) => Err(Errno(libc::ETIMEDOUT)),
    }
}

/// Writes the profile of all ranks, once they have met.
pub(crate) fn write(
    channel: &mut Channel,
    desk: &mut Desk,
    occasion: Occasion,
) -> Result<(), Errno> {
    let met = channel.meet(process::settings().mpi_timeout);
    match met.and_then(|()| gather(channel, desk, occasion)) {
        Ok(Some(())) => Ok(()),
        Ok(None) | Err(Trouble::Cannot) => Err(Errno(libc::EIO)),
        Err(Trouble::Silence) => Err(Errno(libc::ETIMEDOUT)),
    }
}

/// `Some` if the whole profile is written.
fn gather(
    channel: &mut Channel,
    desk: &mut Desk,
    occasion: Occasion,
) -> Result<Option<()>, Trouble> {
    let world = channel.world;
    let groups = Groups::new(world.ranks, process::settings().profile_files);
    let first_of = |group: u32| groups.ranks(group).start;
    let capture = desk.capture.unwrap_or_default();
    let own = desk.work(|| message::pack(capture)).flatten();
    let Some(group) = groups.led_by(world.rank) else {
        let leader = first_of(groups.of(world.rank));
        channel.send(leader, own.as_deref())?;
        return done(channel, leader);
    };
    let mut parts = Vec::new();
    // The first rank names the profile.
    let naming = match group {
        0 => None,
        _ => Some(channel.receive(0)?),
    };
    for other in (1..groups.count()).filter(|_| group == 0) {
        channel.send(first_of(other), own.as_deref())?;
    }
    for rank in groups.ranks(group).skip(1) {
        match channel.receive(rank) {
            Err(Trouble::Cannot) => {}
            message => parts.push(message?),
        }
    }
    let own = own.map(Message::Owned);
    let naming = naming.as_deref().or(own.as_deref()).unwrap_or_default();
    let parts: Vec<&[u8]> = own.iter().chain(&parts).map(|part| &**part).collect();
    let written = desk.work(|| profile::write_parts(&parts, naming, groups, group, occasion));
    let written = written.unwrap_or(Err(Errno(libc::ENOMEM)));
    let all = match (group, written) {
        (0, written) => {
            let mut all = written.is_ok().then_some(());
            for other in 1..groups.count() {
                all = all.and(done(channel, first_of(other))?);
            }
            if let (Some(()), Ok(Some(manifest))) = (all, written) {
                let put = desk.work(|| profile::write_manifest(naming, &manifest));
                all = put.and_then(Result::ok);
            }
            for other in 1..groups.count() {
                channel.send(first_of(other), all.and(DONE))?;
            }
            all
        }
        (_, written) => {
            channel.send(0, written.ok().and(DONE))?;
            done(channel, 0)?
        }
    };
    for rank in groups.ranks(group).skip(1) {
        channel.send(rank, all.and(DONE))?;
    }
    Ok(all)
}

/// Hears whether a rank has done its work.
fn done(channel: &Channel, rank: u32) -> Result<Option<()>, Trouble> {
    match channel.receive(rank) {
        Ok(_) => Ok(Some(())),
        Err(Trouble::Cannot) => Ok(None),
        Err(Trouble::Silence) => Err(Trouble::Silence),
    }
}
