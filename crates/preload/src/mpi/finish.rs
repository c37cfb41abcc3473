//! The log of ranks that no `ioglass run` gathers: all ranks write it together when MPI ends.
//!
//! Ranks form a binomial tree in which the ranks below a rank follow it without a gap. If one rank
//! fails at a step, all ranks stop: then each writes its own log, and `ioglass merge` combines them
//! into one.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use alloc::vec::Vec;
use ioglass_harvest::team::{Agreement, LogPart, Member};
use ioglass_harvest::{Fate, Run, Source};
use ioglass_recorder::capture::Which;
use ioglass_recorder::sys::Errno;
use ioglass_recorder::thread::InMpi;
use ioglass_recorder::{process, rank};
use ioglass_shm::{Header, Pod};

use super::ask::Library;
use super::channel::{Channel, Message, Trouble};
use super::holders::{self, Holders};
use super::{interpose_mpi, nodes};
use crate::exitlog::{self, Desk};
use crate::libraries;
use crate::profile::{self, Occasion};

/// Memory for messages of other ranks, as far as it is available.
const ROOM_FOR_OTHERS: usize = 1 << 30;

/// True once ranks were asked to write their log. Another tool may pass the end of MPI on to us
/// again.
static ASKED: AtomicBool = AtomicBool::new(false);

interpose_mpi! {
    fn MPI_Finalize PMPI_Finalize() = |real| {
        // `InMpi` must end before MPI itself ends: files that are closed then belong to the
        // program.
        if let Some(_outermost) = InMpi::enter() {
            ends(Library::with(real as usize));
        }
        real()
    };
}

/// MPI is about to end.
pub(super) fn ends(library: Library) {
    if rank::writes_with_others() && !ASKED.swap(true, Relaxed) {
        write_together(library);
    }
    rank::ends();
}

fn write_together(library: Library) {
    let Some(world) = rank::world_rank() else { return };
    // Before other threads may wait for this one.
    let libraries = libraries::now();
    if !exitlog::begin() {
        return;
    }
    process::notes_end(libraries);
    // Calls of other threads from now on are in exactly one log.
    let left = process::begin_anew();
    let Some(mut desk) = Desk::open(left, ROOM_FOR_OTHERS) else {
        Channel::refuse(world);
        return exitlog::begin_again();
    };
    // Before the captures are removed.
    let mut channel = None;
    let has_profile = match profile::is_of_several_nodes(world) {
        true => {
            channel = Channel::begin_with_mpi(library, world);
            let channel = channel.as_mut();
            let written = channel.map(|channel| nodes::write(channel, &mut desk, Occasion::End));
            match written {
                Some(Ok(())) => {
                    profile::is_of_all();
                    true
                }
                _ => profile::write_of_rank(&mut desk, world),
            }
        }
        false => profile::write_at_end_of_mpi(&mut desk, left, world),
    };
    let records = desk.records_io();
    let begin = || Channel::begin(library, world, desk.path());
    let channel = if records { channel.or_else(begin) } else { None };
    let seconds = process::settings().mpi_timeout;
    let outcome = match channel {
        Some(channel) => WritingRank { channel, desk: &mut desk, has_profile }.write(seconds),
        None if records => Err(Trouble::Silence),
        None => Ok(()),
    };
    if (outcome.is_ok() || desk.write_alone(false, None).is_some()) && has_profile {
        desk.remove_capture();
    }
    match outcome {
        Err(Trouble::Silence) => desk.abandon(),
        _ => desk.close(),
    }
    exitlog::begin_again();
}

/// A rank that takes part in writing the log.
struct WritingRank<'d> {
    channel: Channel,
    desk: &'d mut Desk,
    /// True if the profile needs no capture any more.
    has_profile: bool,
}

impl WritingRank<'_> {
    fn parent(&self) -> Option<u32> {
        let rank = self.channel.world.rank;
        (rank != 0).then(|| rank & (rank - 1))
    }

    /// The ranks directly below, in order.
    fn children(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        let (rank, ranks) = (self.channel.world.rank, self.channel.world.ranks);
        let below = if rank == 0 { u32::BITS } else { rank.trailing_zeros() };
        (0..below)
            .filter_map(move |step| rank.checked_add(1_u32.checked_shl(step)?))
            .filter(move |child| *child < ranks)
    }

    /// Writes the log with the others, if all arrive in `seconds`; `Ok` if the whole log is
    /// written.
    fn write(mut self, seconds: u64) -> Result<(), Trouble> {
        let capture = self.desk.capture;
        let source = capture.map(|bytes| Source { bytes, fate: Fate::Gone });
        let run = match capture.and_then(Header::read) {
            Some(header) => exitlog::run_of(&header),
            None => Run::default(),
        };
        let world = self.channel.world;
        let (rank, ranks) = (world.rank.into(), world.ranks.into());
        let open = || Member::open(source.as_slice(), run, rank, ranks);
        // A rank that cannot read its capture must not look like one that recorded nothing.
        let mut member = match self.desk.is_whole() {
            true => self.desk.work(open).flatten(),
            false => None,
        };
        // Done while other ranks are still on their way.
        let own =
            member.as_ref().and_then(|member| self.desk.work(|| member.agreement()).flatten());
        self.channel.meet(seconds)?;
        let agreed = self.agree(own)?;
        self.channel.all_are_here(seconds);
        let (part, held) = self.gather(member.as_mut(), &agreed)?;
        let written = if world.rank == 0 {
            self.channel.commit()?;
            let holders = Holders::new(&self.channel);
            let written = member.zip(part).and_then(|(member, part)| {
                self.desk.work(|| put(capture, &member, &holders, &agreed, &part)).flatten()
            });
            let dismissed = holders.dismiss(written);
            match written {
                // A rank that could not be told is dead, and the log has everything.
                Some(()) if self.has_profile => self.channel.is_written(),
                Some(()) => {}
                None => dismissed?,
            }
            written
        } else {
            if world.rank.is_multiple_of(holders::apart(world.ranks)) {
                self.fill_gaps(&held)?;
            }
            self.answer()?
        };
        self.channel.tell(self.children().rev(), written.map(|()| [].as_slice()))?;
        written.ok_or(Trouble::Cannot)
    }

    /// The facts that all ranks have in common.
    fn agree(&mut self, mut own: Option<Agreement>) -> Result<Agreement, Trouble> {
        for child in self.children() {
            // All ranks below must be heard, even if there is nothing to do.
            let theirs = match self.channel.receive(child) {
                Err(Trouble::Cannot) => None,
                message => Some(message?),
            };
            own = own.zip(theirs).and_then(|(mut own, theirs)| {
                self.desk.work(move || {
                    own.merge(&Agreement::decode(&theirs)?);
                    Some(own)
                })?
            });
        }
        let message = own.as_ref().and_then(|own| self.desk.work(|| own.encode()));
        let agreed = match self.parent() {
            None => message.map(Message::Owned),
            Some(parent) => {
                self.channel.send(parent, message.as_deref())?;
                match self.channel.hear(parent, None) {
                    Err(Trouble::Cannot) => None,
                    message => Some(message?),
                }
            }
        };
        self.channel.tell(self.children().rev(), agreed.as_deref())?;
        let agreed = agreed.ok_or(Trouble::Cannot)?;
        self.desk.work(|| Agreement::decode(&agreed)).flatten().ok_or(Trouble::Cannot)
    }

    /// Collects the parts of this rank and of those below, and the captures that this rank holds.
    /// All but the first rank send the parts on.
    fn gather(
        &mut self,
        member: Option<&mut Member<'_>>,
        agreed: &Agreement,
    ) -> Result<(Option<LogPart>, Vec<Vec<u8>>), Trouble> {
        let world = self.channel.world;
        let apart = holders::apart(world.ranks);
        let mut own = member.and_then(|member| self.desk.work(|| member.part(agreed)).flatten());
        let mut held = None;
        let holds = world.rank != 0 && world.rank.is_multiple_of(apart);
        let mut hold = |desk: &mut Desk, own: &mut Option<LogPart>| {
            if let Some(part) = own.as_mut().filter(|_| holds && held.is_none()) {
                held = desk.work(|| part.hold(world.rank));
                if held.is_none() {
                    *own = None;
                }
            }
        };
        for child in self.children() {
            // The ranks from here on have other holders.
            if child - world.rank >= apart {
                hold(self.desk, &mut own);
            }
            let theirs = match self.channel.receive(child) {
                Err(Trouble::Cannot) => None,
                message => Some(message?),
            };
            own = own.zip(theirs).and_then(|(mut own, theirs)| {
                self.desk.work(move || {
                    own.append_message(&theirs)?;
                    Some(own)
                })?
            });
        }
        hold(self.desk, &mut own);
        let held = held.unwrap_or_default();
        let Some(parent) = self.parent() else { return Ok((own, held)) };
        let message = own.and_then(|own| self.desk.work(move || own.to_message()));
        self.channel.send(parent, message.as_deref())?;
        Ok((None, held))
    }

    /// Writes the captures that this rank holds into the gaps that the first rank has left for
    /// them, or sends them to it if the file cannot be reached from here.
    fn fill_gaps(&mut self, held: &[Vec<u8>]) -> Result<(), Trouble> {
        loop {
            let gaps = match self.channel.receive(0) {
                Err(Trouble::Cannot) => return Ok(()),
                message => message?,
            };
            if gaps.is_empty() {
                return Ok(());
            }
            let filled = self.desk.work(|| holders::fill(&gaps, held)).flatten();
            self.channel.send(0, filled.map(|()| [].as_slice()))?;
            if filled.is_none() {
                for bytes in held {
                    self.channel.send(0, Some(bytes))?;
                }
            }
        }
    }

    /// The first rank's answer: `Some` if the log was written.
    fn answer(&mut self) -> Result<Option<()>, Trouble> {
        let Some(parent) = self.parent() else { return Ok(None) };
        match self.channel.hear(parent, Some(0)) {
            Ok(_) => Ok(Some(())),
            Err(Trouble::Cannot) => Ok(None),
            Err(Trouble::Silence) => Err(Trouble::Silence),
        }
    }
}

/// Writes the log of all parts to the first place that accepts it.
fn put(
    capture: Option<&[u8]>,
    member: &Member<'_>,
    holders: &Holders<'_>,
    agreed: &Agreement,
    part: &LogPart,
) -> Option<()> {
    exitlog::write_first(capture, Which::Left, |run, file| {
        let gaps = member.write(run, agreed, part, &mut *file);
        gaps.ok()
            .and_then(|gaps| holders.fill(file, &gaps))
            .map(|()| part.is_worth_it())
            .ok_or(file.error.unwrap_or(Errno(libc::ENOMEM)))
    })
}
