//! The channel between ranks that write a log together: shared memory if all are on one node
//! ([`letters`]), otherwise MPI ([`messages`]). Both have time limits.

mod letters;
mod messages;

use core::ffi::{CStr, c_int};
use core::ops::Deref;

use alloc::vec::Vec;
use ioglass_recorder::room::Entered;
use ioglass_recorder::settings::WorldRank;
use ioglass_recorder::sys;

use super::ask::{Library, ask};
use letters::Letters;
use messages::Messages;

/// Seconds that a rank waits for ranks that are known to have come this far.
const ANSWER: u64 = 30;

/// The reason why a message has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The time is over, a rank is dead, or MPI failed.
    Silence,
    /// The other rank has no message, so the ranks write no log together.
    Cannot,
}

/// A message from another rank.
pub(super) enum Message {
    Owned(Vec<u8>),
    /// A private mapping.
    Mapped(&'static [u8]),
}

impl Deref for Message {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        if let Self::Mapped(bytes) = self {
            // SAFETY: nothing refers to it any more.
            unsafe { sys::unmap(bytes.as_ptr().cast_mut(), bytes.len()) };
        }
    }
}

/// A rank's connection to the others.
pub(crate) struct Channel {
    library: Library,
    pub(super) world: WorldRank,
    way: Way,
    /// True if all ranks are known to be here.
    has_met: bool,
}

enum Way {
    /// There are no other ranks.
    Alone,
    Letters(Letters),
    Messages(Messages),
}

impl Channel {
    /// Starts to meet the other ranks; `capture` is the capture of this rank.
    pub(super) fn begin(
        library: Library,
        world: WorldRank,
        capture: Option<&CStr>,
    ) -> Option<Self> {
        let way = match Entered::by_all(world) {
            _ if world.ranks == 1 => Way::Alone,
            Some(room) => {
                capture.inspect(|capture| room.tell_capture(capture));
                Way::Letters(Letters::new(room))
            }
            None => Way::Messages(Messages::begin(library)?),
        };
        Some(Self { library, world, way, has_met: false })
    }

    /// Starts to meet the other ranks through MPI.
    pub(super) fn begin_with_mpi(library: Library, world: WorldRank) -> Option<Self> {
        let way = Way::Messages(Messages::begin(library)?);
        Some(Self { library, world, way, has_met: false })
    }

    /// Tells ranks that can be reached without MPI that this rank will not take part.
    pub(super) fn refuse(world: WorldRank) {
        drop(Entered::by_all(world).map(Letters::new));
    }

    /// Waits at most `seconds` for all ranks to be here, now or at the next message.
    pub(super) fn meet(&mut self, seconds: u64) -> Result<(), Trouble> {
        self.wait_at_most(seconds);
        if let Way::Messages(messages) = &mut self.way {
            messages.meet()?;
            self.all_are_here(seconds);
        }
        Ok(())
    }

    /// Notes that all ranks are here; from now on they answer soon.
    pub(super) fn all_are_here(&mut self, seconds: u64) {
        self.has_met = true;
        self.wait_at_most(seconds.min(ANSWER));
    }

    /// Limits the waiting time from now on.
    fn wait_at_most(&mut self, seconds: u64) {
        let now = sys::clock_ns(libc::CLOCK_MONOTONIC);
        let deadline = now.saturating_add(seconds.saturating_mul(1_000_000_000));
        match &mut self.way {
            Way::Alone => {}
            Way::Letters(letters) => letters.deadline = deadline,
            Way::Messages(messages) => messages.deadline = deadline,
        }
    }

    /// Sends a message, or reports that there is none.
    pub(super) fn send(&self, to: u32, message: Option<&[u8]>) -> Result<(), Trouble> {
        match &self.way {
            Way::Alone => Err(Trouble::Silence),
            Way::Letters(letters) => letters.send(to, message),
            Way::Messages(messages) => messages.send(to, message),
        }
    }

    /// Receives a message.
    pub(super) fn receive(&self, from: u32) -> Result<Message, Trouble> {
        match &self.way {
            Way::Alone => Err(Trouble::Silence),
            Way::Letters(letters) => {
                letters.receive(from, (!self.has_met).then_some(&|| progress(self.library)))
            }
            Way::Messages(messages) => messages.receive(from).map(Message::Owned),
        }
    }

    /// Receives the message of the first rank to all; through MPI it comes from `parent`.
    pub(super) fn hear(&mut self, parent: u32, whom: Option<u32>) -> Result<Message, Trouble> {
        let library = self.library;
        match &mut self.way {
            Way::Letters(letters) => {
                letters.hear(whom, (!self.has_met).then_some(&|| progress(library)))
            }
            _ => self.receive(parent),
        }
    }

    /// Sends a message to all ranks, as the first rank, or passes on a received one.
    pub(super) fn tell(
        &mut self,
        below: impl Iterator<Item = u32>,
        message: Option<&[u8]>,
    ) -> Result<(), Trouble> {
        match &mut self.way {
            Way::Letters(letters) if self.world.rank == 0 => letters.announce(message),
            Way::Letters(_) => Ok(()),
            _ => below.into_iter().try_for_each(|rank| self.send(rank, message)),
        }
    }

    /// Notes that the log is complete, so that no capture in it needs to be kept.
    pub(super) fn is_written(&self) {
        if let Way::Letters(letters) = &self.way {
            letters.room.remove_captures();
        }
    }

    /// Notes that the first rank has everything. Fails if others have given up.
    pub(super) fn commit(&self) -> Result<(), Trouble> {
        match &self.way {
            Way::Letters(letters) => letters.commit(),
            _ => Ok(()),
        }
    }
}

/// Lets MPI make progress that other ranks wait for before they come here.
pub(super) fn progress(library: Library) {
    let Some(world) = library.abi().comm_world() else { return };
    let (mut found, mut status): (c_int, messages::Status) = (0, [0; 16]);
    let _ = ask!(library, PMPI_Iprobe(
        0 => c_int, 0 => c_int, world => usize, &raw mut found => *mut c_int,
        &raw mut status => *mut messages::Status
    ));
}
