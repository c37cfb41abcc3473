//! Messages between ranks of one node through shared memory, without MPI. A rank that waits sleeps.

use core::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use core::{ptr, slice};

use alloc::vec::Vec;
use ioglass_recorder::path::OwnPath;
use ioglass_recorder::room::Entered;
use ioglass_recorder::{neighbour, sys, wait};
use ioglass_shm::room::{BOARDS, Fate, LETTER, Letter, Sealed};

use super::{Message, Trouble};

/// Longest sleep before the rank checks whether the others live.
const SLEEP: u64 = 50_000_000;
/// The same while other ranks may still need MPI's progress to arrive.
const NAP: u64 = 1_000_000;
/// Extra waiting time while the log is being written.
const WHILE_WRITING: u64 = 600_000_000_000;

/// The letters of a rank.
pub(super) struct Letters {
    pub(super) room: Entered,
    /// End of the waiting time, in nanoseconds of the monotonic clock.
    pub(super) deadline: u64,
    /// Number of boards that were read or written.
    boards: usize,
}

/// A letter, and the parts of its file's name, used if the message is long. They include the
/// writer, which shows when the file is no longer needed.
struct LetterSlot {
    letter: *mut Letter,
    mark: &'static [u8],
    number: u32,
    writer: u32,
}

impl LetterSlot {
    fn sealed(&self) -> &AtomicU32 {
        // SAFETY: mapped permanently, and changed only atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.letter).sealed) }
    }

    /// Path of the file for a long message.
    fn beside(&self) -> OwnPath {
        let mut path = OwnPath::new();
        path.push(Entered::path().to_bytes());
        path.push(self.mark);
        path.push_number(self.number.into(), 10);
        path.push(b"-");
        path.push_number(self.writer.into(), 10);
        path
    }

    /// Writes and seals the letter, so that others can read it.
    fn put(&self, message: Option<&[u8]>) {
        let sealed = match message {
            None => Sealed::Cannot,
            Some(message) if message.len() <= LETTER => {
                // SAFETY: nobody reads it before it is sealed.
                unsafe {
                    let bytes = (&raw mut (*self.letter).bytes).cast::<u8>();
                    ptr::copy_nonoverlapping(message.as_ptr(), bytes, message.len());
                }
                Sealed::Here
            }
            Some(message) => match write_beside(&self.beside(), message) {
                Some(()) => Sealed::Beside,
                None => Sealed::Cannot,
            },
        };
        // SAFETY: as above.
        unsafe { (*self.letter).len = message.map_or(0, |message| message.len() as u64) };
        self.sealed().store(sealed as u32, Release);
        sys::wake(self.sealed());
    }

    /// Removes the file of a long message, if there is one.
    fn clear(&self) {
        if self.sealed().load(Acquire) == Sealed::Beside as u32 {
            let _ = sys::unlink(self.beside().as_c_str());
        }
    }

    /// Reads a sealed letter.
    fn read(&self, sealed: u32) -> Result<Message, Trouble> {
        // SAFETY: a sealed letter does not change.
        let len = usize::try_from(unsafe { (*self.letter).len }).map_err(|_| Trouble::Silence)?;
        if sealed == Sealed::Cannot as u32 {
            return Err(Trouble::Cannot);
        }
        if sealed == Sealed::Here as u32 && len <= LETTER {
            // SAFETY: as above, and the letter has that many bytes.
            let bytes = unsafe {
                slice::from_raw_parts((&raw const (*self.letter).bytes).cast::<u8>(), len)
            };
            let mut message = Vec::new();
            message.try_reserve_exact(len).map_err(|_| Trouble::Silence)?;
            message.extend_from_slice(bytes);
            return Ok(Message::Owned(message));
        }
        let file = sys::open(self.beside().as_c_str(), libc::O_RDONLY | libc::O_NOFOLLOW, 0);
        let file = file.map_err(|_| Trouble::Silence)?;
        let is_whole = sys::stat_fd(file.0).is_ok_and(|stat| stat.st_size as usize == len);
        let mapped = is_whole.then(|| sys::map_to_read(&file, len, true).ok()).flatten();
        // SAFETY: these bytes are mapped, and the file no longer changes.
        mapped
            .map(|bytes| Message::Mapped(unsafe { slice::from_raw_parts(bytes, len) }))
            .ok_or(Trouble::Silence)
    }
}

fn write_beside(path: &OwnPath, message: &[u8]) -> Option<()> {
    let limit = sys::limit(libc::RLIMIT_FSIZE).ok()?.0;
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
    let file = sys::open(path.as_c_str(), flags, 0o600).ok()?;
    let written = message.len() as u64 <= limit && sys::write_at(&file, message, 0).is_ok();
    if !written {
        let _ = sys::unlink(path.as_c_str());
    }
    written.then_some(())
}

/// A rank that leaves early does not come back, so the others stop waiting. Files of long messages
/// are removed: a rank that leaves reads no more of them, and the first rank leaves after all have
/// read its messages.
impl Drop for Letters {
    fn drop(&mut self) {
        self.decide(Fate::Abandoned);
        let rank = self.room.world.rank;
        let own = [self.between(rank, 0), self.between(0, rank)];
        own.iter().filter(|_| rank > 0).for_each(LetterSlot::clear);
        self.boards = if rank == 0 { 0 } else { usize::MAX };
        while let Ok(board) = self.next_board() {
            board.clear();
        }
    }
}

impl Letters {
    pub(super) fn new(room: Entered) -> Self {
        Self { room, deadline: 0, boards: 0 }
    }

    /// The letter from one rank to another. A pair of ranks has two, at the seat of the higher one.
    fn between(&self, from: u32, to: u32) -> LetterSlot {
        let (number, writer) = (from.max(to), self.room.pid(from));
        let seat = self.room.seat(number);
        // SAFETY: mapped permanently.
        unsafe {
            if from > to {
                LetterSlot { letter: &raw mut (*seat).to_lower, mark: b"-up-", number, writer }
            } else {
                LetterSlot { letter: &raw mut (*seat).from_lower, mark: b"-down-", number, writer }
            }
        }
    }

    fn next_board(&mut self) -> Result<LetterSlot, Trouble> {
        if self.boards >= BOARDS {
            return Err(Trouble::Silence);
        }
        // SAFETY: mapped permanently, and the index is that of a board.
        let letter = unsafe { &raw mut (*self.room.room()).boards[self.boards] };
        let (number, writer) = (self.boards as u32, self.room.pid(0));
        self.boards += 1;
        Ok(LetterSlot { letter, mark: b"-all-", number, writer })
    }

    pub(super) fn send(&self, to: u32, message: Option<&[u8]>) -> Result<(), Trouble> {
        let slot = self.between(self.room.world.rank, to);
        // The previous message must have been read.
        self.wait(slot.sealed(), |sealed| sealed == Sealed::Empty as u32, Some(to), None)?;
        slot.put(message);
        Ok(())
    }

    /// Receives a message. `progress` is called repeatedly while other ranks may need it to arrive.
    pub(super) fn receive(
        &self,
        from: u32,
        progress: Option<&dyn Fn()>,
    ) -> Result<Message, Trouble> {
        let slot = self.between(from, self.room.world.rank);
        let sealed = self.wait_for_letter(slot.sealed(), Some(from), progress)?;
        let message = slot.read(sealed);
        slot.clear();
        slot.sealed().store(Sealed::Empty as u32, Release);
        sys::wake(slot.sealed());
        message
    }

    /// Sends a message to all ranks, as the first rank.
    pub(super) fn announce(&mut self, message: Option<&[u8]>) -> Result<(), Trouble> {
        self.next_board()?.put(message);
        Ok(())
    }

    /// Receives a message of the first rank to all. `whom` is the rank that it depends on, if not
    /// all.
    pub(super) fn hear(
        &mut self,
        whom: Option<u32>,
        progress: Option<&dyn Fn()>,
    ) -> Result<Message, Trouble> {
        let board = self.next_board()?;
        let sealed = self.wait_for_letter(board.sealed(), whom, progress)?;
        board.read(sealed)
    }

    /// Commits to writing the log: from now on no rank gives up. Fails if one has.
    pub(super) fn commit(&self) -> Result<(), Trouble> {
        self.decide(Fate::Writing).then_some(()).ok_or(Trouble::Silence)
    }

    fn decide(&self, fate: Fate) -> bool {
        let decided =
            self.room.fate().compare_exchange(Fate::Open as u32, fate as u32, AcqRel, Acquire);
        decided.is_ok()
    }

    fn wait_for_letter(
        &self,
        sealed: &AtomicU32,
        whom: Option<u32>,
        progress: Option<&dyn Fn()>,
    ) -> Result<u32, Trouble> {
        self.wait(sealed, |sealed| sealed != Sealed::Empty as u32, whom, progress)
    }

    fn wait(
        &self,
        word: &AtomicU32,
        is_it: impl Fn(u32) -> bool,
        whom: Option<u32>,
        progress: Option<&dyn Fn()>,
    ) -> Result<u32, Trouble> {
        let nap = if progress.is_some() { NAP } else { SLEEP };
        wait::wait(word, is_it, nap, || {
            progress.inspect(|progress| progress());
            self.look_around(whom)
        })
    }

    /// Fails if waiting is in vain. While the first rank writes, the others wait longer: otherwise
    /// their records would be in two logs.
    fn look_around(&self, whom: Option<u32>) -> Result<(), Trouble> {
        let lives = |rank: u32| neighbour::lives(self.room.pid(rank));
        let all_live = match whom {
            Some(rank) => lives(rank),
            None => (0..self.room.world.ranks).all(lives),
        };
        let fate = self.room.fate().load(Acquire);
        let more = if fate == Fate::Writing as u32 { WHILE_WRITING } else { 0 };
        let is_in_time = sys::clock_ns(libc::CLOCK_MONOTONIC) <= self.deadline.saturating_add(more);
        if all_live && is_in_time && fate != Fate::Abandoned as u32 {
            return Ok(());
        }
        self.decide(Fate::Abandoned);
        Err(Trouble::Silence)
    }
}
