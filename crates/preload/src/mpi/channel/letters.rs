//! Messages between ranks of one node, in memory that they share: nobody asks MPI, and who waits sleeps.

use core::sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release};
use core::{ptr, slice};

use alloc::vec::Vec;
use ioglass_recorder::path::OwnPath;
use ioglass_recorder::room::Entered;
use ioglass_recorder::{neighbour, sys};
use ioglass_shm::room::{BOARDS, Fate, LETTER, Letter, Sealed};

use super::{Message, Trouble};

/// How long a rank asks before it sleeps, if nobody else needs the processor, in nanoseconds, and from when on
/// somebody does.
const AWAKE: u64 = 100_000;
const SOMEBODY_ELSE: u64 = 5_000;
/// How long it sleeps at most before it looks whether the others live.
const SLEEP: u64 = 50_000_000;
/// The same while others may still need MPI to come here.
const NAP: u64 = 1_000_000;
/// How much longer it waits for a log that is being written.
const WHILE_WRITING: u64 = 600_000_000_000;

/// Letters of a rank.
pub(super) struct Letters {
    pub(super) room: Entered,
    /// Nanoseconds of the monotonic clock until which it waits.
    pub(super) deadline: u64,
    /// Boards that were read or written.
    boards: usize,
}

/// A letter, and what the file of a longer one is called: by whom it is, so that it is known when nobody
/// needs it any more.
struct Slot {
    letter: *mut Letter,
    mark: &'static [u8],
    number: u32,
    writer: u32,
}

impl Slot {
    fn sealed(&self) -> &AtomicU32 {
        // SAFETY: mapped for good, and only changed atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.letter).sealed) }
    }

    /// The file of a long letter.
    fn beside(&self) -> OwnPath {
        let mut path = OwnPath::new();
        path.push(Entered::path().to_bytes());
        path.push(self.mark);
        path.push_number(self.number.into(), 10);
        path.push(b"-");
        path.push_number(self.writer.into(), 10);
        path
    }

    /// Closes a letter, so that others read it.
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

    /// Removes the file of a long letter that is still there.
    fn clear(&self) {
        if self.sealed().load(Acquire) == Sealed::Beside as u32 {
            let _ = sys::unlink(self.beside().as_c_str());
        }
    }

    /// Reads a letter that is sealed.
    fn read(&self, sealed: u32) -> Result<Message, Trouble> {
        // SAFETY: whoever has sealed it does not change it any more.
        let len = usize::try_from(unsafe { (*self.letter).len }).map_err(|_| Trouble::Silence)?;
        if sealed == Sealed::Cannot as u32 {
            return Err(Trouble::Cannot);
        }
        if sealed == Sealed::Here as u32 && len <= LETTER {
            // SAFETY: as above, and so many bytes are there.
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
        // SAFETY: so many bytes are mapped, and nobody changes the file any more.
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

/// Who leaves before everything is told does not come back, so nobody waits for it. Nothing is left beside the
/// room: who leaves reads nothing any more, and the first leaves when all have read what it told them.
impl Drop for Letters {
    fn drop(&mut self) {
        self.decide(Fate::Abandoned);
        let rank = self.room.place.rank;
        let own = [self.between(rank, 0), self.between(0, rank)];
        own.iter().filter(|_| rank > 0).for_each(Slot::clear);
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

    /// A pair of ranks has two letters, at the seat of the higher one.
    fn between(&self, from: u32, to: u32) -> Slot {
        let (number, writer) = (from.max(to), self.room.pid(from));
        let seat = self.room.seat(number);
        // SAFETY: mapped for good.
        unsafe {
            if from > to {
                Slot { letter: &raw mut (*seat).to_lower, mark: b"-up-", number, writer }
            } else {
                Slot { letter: &raw mut (*seat).from_lower, mark: b"-down-", number, writer }
            }
        }
    }

    fn next_board(&mut self) -> Result<Slot, Trouble> {
        if self.boards >= BOARDS {
            return Err(Trouble::Silence);
        }
        // SAFETY: mapped for good, and one of the boards.
        let letter = unsafe { &raw mut (*self.room.room()).boards[self.boards] };
        let (number, writer) = (self.boards as u32, self.room.pid(0));
        self.boards += 1;
        Ok(Slot { letter, mark: b"-all-", number, writer })
    }

    pub(super) fn send(&self, to: u32, message: Option<&[u8]>) -> Result<(), Trouble> {
        let slot = self.between(self.room.place.rank, to);
        // One after the other.
        self.wait(slot.sealed(), |sealed| sealed == Sealed::Empty as u32, Some(to), None)?;
        slot.put(message);
        Ok(())
    }

    /// `progress` is called now and then, as long as others may need it to come here.
    pub(super) fn receive(
        &self,
        from: u32,
        progress: Option<&dyn Fn()>,
    ) -> Result<Message, Trouble> {
        let slot = self.between(from, self.room.place.rank);
        let sealed = self.wait_for_letter(slot.sealed(), Some(from), progress)?;
        let message = slot.read(sealed);
        slot.clear();
        slot.sealed().store(Sealed::Empty as u32, Release);
        sys::wake(slot.sealed());
        message
    }

    /// Tells all ranks, as the first.
    pub(super) fn announce(&mut self, message: Option<&[u8]>) -> Result<(), Trouble> {
        self.next_board()?.put(message);
        Ok(())
    }

    /// What the first rank tells all. `whom` it depends on, if not on all.
    pub(super) fn hear(
        &mut self,
        whom: Option<u32>,
        progress: Option<&dyn Fn()>,
    ) -> Result<Message, Trouble> {
        let board = self.next_board()?;
        let sealed = self.wait_for_letter(board.sealed(), whom, progress)?;
        board.read(sealed)
    }

    /// From now on nobody gives up any more; fails if somebody has.
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
        let began = sys::clock_ns(libc::CLOCK_MONOTONIC);
        let mut now = began;
        let mut is_alone = true;
        loop {
            let value = word.load(Acquire);
            if is_it(value) {
                return Ok(value);
            }
            if is_alone && now < began + AWAKE {
                sys::yield_now();
                let then = now;
                now = sys::clock_ns(libc::CLOCK_MONOTONIC);
                is_alone = now < then + SOMEBODY_ELSE;
                continue;
            }
            let woken = sys::sleep_on(word, value, if progress.is_some() { NAP } else { SLEEP });
            if !woken {
                progress.inspect(|progress| progress());
                if let Err(trouble) = self.look_around(whom) {
                    // It may have come just before whoever sent it went.
                    let value = word.load(Acquire);
                    return if is_it(value) { Ok(value) } else { Err(trouble) };
                }
            }
        }
    }

    /// Whether there is still something to wait for. While the first rank writes, the others wait longer: their
    /// bytes would otherwise be in two logs.
    fn look_around(&self, whom: Option<u32>) -> Result<(), Trouble> {
        let lives = |rank: u32| neighbour::lives(self.room.pid(rank));
        let all_live = match whom {
            Some(rank) => lives(rank),
            None => (0..self.room.place.ranks).all(lives),
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
