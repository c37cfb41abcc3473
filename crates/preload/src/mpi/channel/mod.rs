//! How ranks that write a log together talk to each other: in memory that they share if all are on one node
//! ([`letters`]), otherwise through MPI ([`messages`]). Either way in limited time.

mod letters;
mod messages;

use core::ffi::{CStr, c_int};
use core::ops::Deref;

use alloc::vec::Vec;
use ioglass_recorder::room::Entered;
use ioglass_recorder::settings::Place;
use ioglass_recorder::sys;

use super::ask::{Library, ask};
use letters::Letters;
use messages::Messages;

/// Seconds that a rank waits for others that are known to have come this far.
const ANSWER: u64 = 30;

/// Why a message has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The time is over, a rank is dead, or MPI failed.
    Silence,
    /// The other rank has nothing to tell, so no rank has.
    Cannot,
}

/// What another rank has sent.
pub(super) enum Message {
    Owned(Vec<u8>),
    /// A mapping of ours alone.
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
            // SAFETY: what is read of it is gone by now.
            unsafe { sys::unmap(bytes.as_ptr().cast_mut(), bytes.len()) };
        }
    }
}

/// A rank's way to the others.
pub(super) struct Channel {
    library: Library,
    pub(super) place: Place,
    way: Way,
    /// Whether all ranks are known to be here.
    has_met: bool,
}

enum Way {
    /// There are no others.
    Alone,
    Letters(Letters),
    Messages(Messages),
}

impl Channel {
    /// Begins to meet the others; `capture` is what this rank has recorded.
    pub(super) fn begin(library: Library, place: Place, capture: Option<&CStr>) -> Option<Self> {
        let way = match Entered::by_all(place) {
            _ if place.ranks == 1 => Way::Alone,
            Some(room) => {
                capture.inspect(|capture| room.tell_capture(capture));
                Way::Letters(Letters::new(room))
            }
            None => Way::Messages(Messages::begin(library)?),
        };
        Some(Self { library, place, way, has_met: false })
    }

    /// Says to those who can hear it without MPI that this rank will not take part.
    pub(super) fn refuse(place: Place) {
        drop(Entered::by_all(place).map(Letters::new));
    }

    /// Waits so many seconds for all ranks to be here, now or when something is heard of them.
    pub(super) fn meet(&mut self, seconds: u64) -> Result<(), Trouble> {
        self.wait_at_most(seconds);
        if let Way::Messages(messages) = &mut self.way {
            messages.meet()?;
            self.all_are_here(seconds);
        }
        Ok(())
    }

    /// Says that all ranks are here; they do not take long any more.
    pub(super) fn all_are_here(&mut self, seconds: u64) {
        self.has_met = true;
        self.wait_at_most(seconds.min(ANSWER));
    }

    /// Sets how long it waits from now on.
    fn wait_at_most(&mut self, seconds: u64) {
        let now = sys::clock_ns(libc::CLOCK_MONOTONIC);
        let deadline = now.saturating_add(seconds.saturating_mul(1_000_000_000));
        match &mut self.way {
            Way::Alone => {}
            Way::Letters(letters) => letters.deadline = deadline,
            Way::Messages(messages) => messages.deadline = deadline,
        }
    }

    /// Sends a message, or says that there is none.
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

    /// What the first rank tells all, which came to it from `parent` through MPI.
    pub(super) fn hear(&mut self, parent: u32, whom: Option<u32>) -> Result<Message, Trouble> {
        let library = self.library;
        match &mut self.way {
            Way::Letters(letters) => {
                letters.hear(whom, (!self.has_met).then_some(&|| progress(library)))
            }
            _ => self.receive(parent),
        }
    }

    /// Tells all ranks, as the first, or hands on what was heard.
    pub(super) fn tell(
        &mut self,
        below: impl Iterator<Item = u32>,
        message: Option<&[u8]>,
    ) -> Result<(), Trouble> {
        match &mut self.way {
            Way::Letters(letters) if self.place.rank == 0 => letters.announce(message),
            Way::Letters(_) => Ok(()),
            _ => below.into_iter().try_for_each(|rank| self.send(rank, message)),
        }
    }

    /// The log is whole, so that nothing of what is in it need be kept.
    pub(super) fn is_written(&self) {
        if let Way::Letters(letters) = &self.way {
            letters.room.remove_captures();
        }
    }

    /// The first rank has everything. Fails if others have given up.
    pub(super) fn commit(&self) -> Result<(), Trouble> {
        match &self.way {
            Way::Letters(letters) => letters.commit(),
            _ => Ok(()),
        }
    }
}

/// Lets MPI do what others wait for before they come here.
fn progress(library: Library) {
    let Some(world) = library.abi().comm_world() else { return };
    let (mut found, mut status): (c_int, messages::Status) = (0, [0; 16]);
    let _ = ask!(library, PMPI_Iprobe(
        0 => c_int, 0 => c_int, world => usize, &raw mut found => *mut c_int,
        &raw mut status => *mut messages::Status
    ));
}
