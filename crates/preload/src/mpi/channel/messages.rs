//! Messages between ranks through MPI, on our own communicator, with time limits.
//!
//! Nothing here blocks inside MPI: a message is started and polled, with pauses in which other
//! ranks on the same processor can run, until it has arrived or the time is over. Then the rank
//! continues alone.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

use alloc::boxed::Box;
use alloc::vec::Vec;
use ioglass_recorder::sys;

use super::Trouble;
use crate::mpi::ask::{Library, ask};

/// The communicator, and the request that makes it or in which ranks meet. MPI may write to them at
/// any time.
static COMMUNICATOR: AtomicUsize = AtomicUsize::new(0);
static REQUEST: AtomicUsize = AtomicUsize::new(0);
/// True once the communicator is complete.
static IS_COMPLETE: AtomicBool = AtomicBool::new(false);
/// True if a rank did not come: messages that were begun may still arrive, or never.
static IS_BROKEN: AtomicBool = AtomicBool::new(false);
/// Number of times that the ranks have met. A message has it as its tag.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The most bytes of one MPI message.
const MOST: usize = 1 << 30;
/// Size of a message's first part: the length of the message and as much of it as fits. MPI
/// delivers a part this small at once, whether or not the other rank waits for it.
const HEAD: usize = 2 << 10;
/// The length that marks a message that a rank could not make.
const CANNOT: u64 = u64::MAX;
/// Tags begin anew after this number, which every MPI has.
const TAGS: u32 = 32_767;
/// Number of polls before a pause, and length of the pause in nanoseconds.
const ASKS_BEFORE_PAUSE: u32 = 64;
const FIRST_PAUSE: u64 = 20_000;
const LONGEST_PAUSE: u64 = 1_000_000;

/// Buffer for a status of any MPI.
pub(super) type Status = [u64; 16];

/// A rank's messages.
pub(super) struct Messages {
    library: Library,
    communicator: usize,
    byte: usize,
    tag: c_int,
    /// End of the waiting time, in nanoseconds of the monotonic clock.
    pub(super) deadline: u64,
}

/// Splits a message into the part that is sent with its size and the rest.
fn split(message: &[u8]) -> (&[u8], &[u8]) {
    message.split_at(message.len().min(HEAD - size_of::<u64>()))
}

impl Messages {
    /// Starts to meet the other ranks. The first time a communicator is made, which is complete when
    /// all ranks are here. It must not be made earlier: if a rank is not recorded it never comes, and
    /// the program's own communication would wait for it, too.
    pub(super) fn begin(library: Library) -> Option<Self> {
        let (byte, world) = (library.abi().byte()?, library.abi().comm_world()?);
        let tag = (COUNT.fetch_add(1, Relaxed) % TAGS) as c_int;
        let begun = match IS_COMPLETE.load(Relaxed) {
            _ if IS_BROKEN.load(Relaxed) => false,
            true => ask!(library, PMPI_Ibarrier(
                COMMUNICATOR.load(Relaxed) => usize, REQUEST.as_ptr() => *mut usize
            )),
            false => ask!(library, PMPI_Comm_idup(
                world => usize,
                COMMUNICATOR.as_ptr() => *mut usize,
                REQUEST.as_ptr() => *mut usize
            )),
        };
        begun.then_some(Self { library, communicator: 0, byte, tag, deadline: 0 })
    }

    /// Waits for all ranks to be here.
    pub(super) fn meet(&mut self) -> Result<(), Trouble> {
        if self.communicator != 0 {
            return Ok(());
        }
        self.wait(REQUEST.as_ptr())?;
        let communicator = COMMUNICATOR.load(Relaxed);
        if !IS_COMPLETE.swap(true, Relaxed) {
            let returns = self.library.abi().errors_return().ok_or(Trouble::Silence)?;
            let returns = ask!(self.library, PMPI_Comm_set_errhandler(
                communicator => usize, returns => usize
            ));
            returns.then_some(()).ok_or(Trouble::Silence)?;
        }
        self.communicator = communicator;
        Ok(())
    }

    /// Sends a message, or reports that there is none.
    pub(super) fn send(&self, to: u32, message: Option<&[u8]>) -> Result<(), Trouble> {
        let size = message.map_or(CANNOT, |message| message.len() as u64);
        let (begin, rest) = split(message.unwrap_or_default());
        // This memory stays allocated if MPI is not done with it in time.
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(&size.to_le_bytes());
        head.extend_from_slice(begin);
        self.move_bytes(to, &mut head, true)?;
        for chunk in rest.chunks(MOST) {
            // MPI only reads it.
            let chunk = (chunk.as_ptr().cast_mut(), chunk.len());
            self.move_raw(to, chunk, true)?;
        }
        Ok(())
    }

    /// Receives a message into new memory.
    pub(super) fn receive(&self, from: u32) -> Result<Vec<u8>, Trouble> {
        let mut head = Box::new([0; HEAD]);
        self.move_bytes(from, &mut head[..], false)?;
        let (size, begin) = head.split_first_chunk().ok_or(Trouble::Silence)?;
        let size = match u64::from_le_bytes(*size) {
            CANNOT => return Err(Trouble::Cannot),
            size => usize::try_from(size).map_err(|_| Trouble::Silence)?,
        };
        let mut message = Vec::new();
        message.try_reserve_exact(size).map_err(|_| Trouble::Silence)?;
        message.extend_from_slice(&begin[..size.min(begin.len())]);
        let begun = message.len();
        message.resize(size, 0);
        for chunk in message[begun..].chunks_mut(MOST) {
            self.move_bytes(from, chunk, false)?;
        }
        Ok(message)
    }

    fn move_bytes(&self, peer: u32, bytes: &mut [u8], sends: bool) -> Result<(), Trouble> {
        self.move_raw(peer, (bytes.as_mut_ptr(), bytes.len()), sends)
    }

    fn move_raw(&self, peer: u32, bytes: (*mut u8, usize), sends: bool) -> Result<(), Trouble> {
        let mut request = 0_usize;
        let (communicator, byte, tag) = (self.communicator, self.byte, self.tag);
        let (count, peer) = (bytes.1 as c_int, peer as c_int);
        let begun = if sends {
            ask!(self.library, PMPI_Isend(
                bytes.0 => *mut u8, count => c_int, byte => usize, peer => c_int, tag => c_int,
                communicator => usize, &raw mut request => *mut usize
            ))
        } else {
            ask!(self.library, PMPI_Irecv(
                bytes.0 => *mut u8, count => c_int, byte => usize, peer => c_int, tag => c_int,
                communicator => usize, &raw mut request => *mut usize
            ))
        };
        if !begun {
            return Err(Trouble::Silence);
        }
        self.wait(&raw mut request).inspect_err(|_| {
            // At its end MPI reports requests that are still pending.
            if !sends && ask!(self.library, PMPI_Cancel(&raw mut request => *mut usize)) {
                self.give_back(&raw mut request);
            }
        })
    }

    /// Frees a request that was cancelled, if MPI completes it soon.
    fn give_back(&self, request: *mut usize) {
        let mut status: Status = [0; 16];
        let mut done: c_int = 0;
        for _ in 0..ASKS_BEFORE_PAUSE {
            let asked = ask!(self.library, PMPI_Test(
                request => *mut usize, &raw mut done => *mut c_int, &raw mut status => *mut Status
            ));
            if !asked || done != 0 {
                return;
            }
        }
    }

    /// Waits until a request is complete. A request that is not complete in time belongs to MPI for
    /// good: its memory must stay.
    fn wait(&self, request: *mut usize) -> Result<(), Trouble> {
        let mut status: Status = [0; 16];
        let (mut asks, mut pause) = (0, FIRST_PAUSE);
        loop {
            let mut done: c_int = 0;
            let asked = ask!(self.library, PMPI_Test(
                request => *mut usize, &raw mut done => *mut c_int, &raw mut status => *mut Status
            ));
            if !asked {
                return Err(Trouble::Silence);
            }
            if done != 0 {
                return Ok(());
            }
            asks += 1;
            if asks < ASKS_BEFORE_PAUSE {
                sys::yield_now();
                continue;
            }
            if sys::clock_ns(libc::CLOCK_MONOTONIC) > self.deadline {
                IS_BROKEN.store(true, Relaxed);
                return Err(Trouble::Silence);
            }
            sys::pause(pause);
            pause = (pause + pause / 4).min(LONGEST_PAUSE);
        }
    }
}
