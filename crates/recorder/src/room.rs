//! The room of this node, where ranks that write a log together meet ([`ioglass_shm::room`]).
//!
//! Ranks find it by the facts that tell their launch from others: the launcher's variables, and the
//! process that launched them. If a rank cannot enter, its seat stays empty, and at the end all
//! ranks use MPI.

use core::ffi::CStr;
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Release,
};

use ioglass_schema::hash;
use ioglass_shm::VERSION;
use ioglass_shm::place;
use ioglass_shm::room::{self, Room, Seat, Ways};

use crate::memory::Shared;
use crate::path::{OwnPath, PathBuffer, parent};
use crate::settings::WorldRank;
use crate::{capture, neighbour, process, sys};

/// The most ranks on one node; a larger room would take too much memory.
const MOST_RANKS: u32 = 1024;

/// The most processes between a rank and its launcher.
const MOST_WRAPPERS: u32 = 16;

/// The room that this process has entered.
static ENTERED: AtomicPtr<Room> = AtomicPtr::new(ptr::null_mut());
/// Its path, even after it was removed.
static PATH: Shared<OwnPath> = Shared::new(OwnPath::new());

/// Takes the seat of this rank.
pub(crate) fn enter(world: WorldRank) {
    if (2..=MOST_RANKS).contains(&world.ranks) && ENTERED.load(Acquire).is_null() {
        let _ = take_seat(world);
    }
}

fn take_seat(world: WorldRank) -> Option<()> {
    // SAFETY: MPI begins once, in one thread.
    let path = unsafe { &mut *PATH.get() };
    // Only there all processes that see it are on the same node.
    process::make_user_folder(path, place::ROOTS[0])?;
    process::is_ours_alone(path).then_some(())?;
    path.push(b"/");
    path.push_number(key(world)?, 16);
    path.push(place::ROOM_SUFFIX.as_bytes());
    let flags = libc::O_CREAT | libc::O_RDWR | libc::O_NOFOLLOW;
    let file = sys::open(path.as_c_str(), flags, 0o600).ok()?;
    let size = room::size(world.ranks);
    // Space that is used later must be allocated now: otherwise the program would get a signal.
    let mapped = capture::check_room(&file, 0, size as u64)
        .and_then(|()| sys::allocate(&file, size))
        .and_then(|()| sys::map_shared(&file, 0, size));
    let Ok(room) = mapped else {
        // A seat stays empty, so nobody will need the room.
        let _ = sys::unlink(path.as_c_str());
        return None;
    };
    let room = room.cast::<Room>();
    let room = Entered { room, world };
    // SAFETY: all of it is mapped, and is changed only atomically.
    let (seat, seated) = unsafe { (word(&raw mut (*room.seat(world.rank)).pid), room.seated()) };
    if seat.compare_exchange(0, sys::pid(), AcqRel, Acquire).is_err() {
        // SAFETY: nobody else knows this mapping. The room belongs to another launch.
        unsafe { sys::unmap(room.room.cast(), size) };
        return None;
    }
    if seated.fetch_add(1, AcqRel) + 1 == world.ranks {
        let _ = sys::unlink(path.as_c_str());
    }
    ENTERED.store(room.room, Release);
    Some(())
}

/// The hash of the facts that ranks of one launch on this node share.
fn key(world: WorldRank) -> Option<u64> {
    let launcher = launcher()?;
    // The first process adopts orphans, and a parent outside of a container appears as 0.
    let began = (launcher > 1).then(|| neighbour::began(launcher))??;
    let launch = process::settings().launch;
    let numbers = [VERSION.into(), launch, launcher.into(), began, world.ranks.into()];
    Some(numbers.iter().fold(0, |sum, number| hash(&number.to_le_bytes(), sum)))
}

/// The process that has launched this rank: the nearest one around it that is not of this rank. A
/// script may stand between them.
pub(crate) fn launcher() -> Option<u32> {
    let mut process = sys::parent_pid();
    let Some((name, rank)) = process::settings().rank_variable else { return Some(process) };
    let mut variable: PathBuffer<64> = PathBuffer::new();
    variable.push(name.as_bytes());
    variable.push(b"=");
    variable.push_number(rank.into(), 10);
    for _ in 0..MOST_WRAPPERS {
        if process <= 1 || !neighbour::has_variable(process, variable.as_bytes()) {
            return Some(process);
        }
        process = neighbour::parent(process)?;
    }
    None
}

/// A room, with the seat of this rank.
#[derive(Debug, Clone, Copy)]
pub struct Entered {
    room: *mut Room,
    /// Rank of this process, and the number of ranks.
    pub world: WorldRank,
}

impl Entered {
    /// The room in which all ranks of the job sit. The first caller decides for all ranks.
    pub fn by_all(world: WorldRank) -> Option<Self> {
        let room = Self { room: ENTERED.load(Acquire), world };
        if room.room.is_null() {
            return None;
        }
        // SAFETY: mapped permanently, and changed only atomically.
        let ways = unsafe { word(&raw mut (*room.room).ways) };
        let proposed = if room.is_full() { Ways::Room } else { Ways::Mpi };
        let decided = ways.compare_exchange(Ways::Open as u32, proposed as u32, AcqRel, Acquire);
        if decided.err().unwrap_or(proposed as u32) == Ways::Room as u32 {
            return Some(room);
        }
        let _ = sys::unlink(Self::path());
        None
    }

    /// Path of the room, even after it was removed: names of other files begin with it.
    pub fn path() -> &'static CStr {
        // SAFETY: written before the room is entered.
        unsafe { &*PATH.get() }.as_c_str()
    }

    /// The head of the room.
    pub fn room(&self) -> *mut Room {
        self.room
    }

    /// The seat of a rank, which exists.
    pub fn seat(&self, rank: u32) -> *mut Seat {
        // SAFETY: as many seats as ranks follow.
        unsafe { self.room.add(1).cast::<Seat>().add(rank.min(self.world.ranks - 1) as usize) }
    }

    /// The process id of a rank.
    pub fn pid(&self, rank: u32) -> u32 {
        self.process(rank).load(Acquire)
    }

    /// Tells the other ranks the path of this rank's capture, before it sends its contents.
    pub fn tell_capture(&self, path: &CStr) {
        let path = path.to_bytes_with_nul();
        if path.len() <= room::CAPTURE {
            // SAFETY: only this rank writes this seat, and others read it after this rank has sent
            // its part.
            unsafe {
                let told = (&raw mut (*self.seat(self.world.rank)).capture).cast::<u8>();
                ptr::copy_nonoverlapping(path.as_ptr(), told, path.len());
            }
        }
    }

    /// Removes the captures of all ranks: their contents are in the log.
    pub fn remove_captures(&self) {
        let folder = parent(Self::path().to_bytes());
        for rank in 0..self.world.ranks {
            // SAFETY: its rank no longer writes it.
            let told = unsafe { (*self.seat(rank)).capture };
            let Ok(path) = CStr::from_bytes_until_nul(&told) else { continue };
            // Only captures are removed, whatever the seat says.
            let is_capture = path.to_bytes().ends_with(place::CAPTURE_SUFFIX.as_bytes());
            if is_capture && parent(parent(path.to_bytes())) == folder {
                let _ = sys::unlink(path);
            }
        }
    }

    /// The room that this process has entered, even if not all ranks have.
    pub(crate) fn here(world: WorldRank) -> Option<Self> {
        let room = Self { room: ENTERED.load(Acquire), world };
        (!room.room.is_null()).then_some(room)
    }

    /// Returns true if all ranks sit in it.
    pub(crate) fn is_full(&self) -> bool {
        self.seated().load(Acquire) == self.world.ranks
    }

    /// The path that a rank has told.
    pub(crate) fn told_capture(&self, rank: u32) -> OwnPath {
        // SAFETY: its rank writes it only before it arrives at a meeting.
        let told = unsafe { (*self.seat(rank)).capture };
        let mut path = OwnPath::new();
        path.push(CStr::from_bytes_until_nul(&told).unwrap_or_default().to_bytes());
        path
    }
}

/// Words of a room, and of the seat of a rank.
macro_rules! words {
    (@of $self:ident) => { $self.room };
    (@of $self:ident $rank:ident) => { $self.seat($rank) };
    ($($(#[$about:meta])* $vis:vis fn $name:ident $(($rank:ident))? = $field:ident;)*) => {
        impl Entered {$(
            $(#[$about])*
            $vis fn $name(&self $(, $rank: u32)?) -> &AtomicU32 {
                // SAFETY: mapped permanently, and changed only atomically.
                unsafe { word(&raw mut (*words!(@of self $($rank)?)).$field) }
            }
        )*}
    };
}

words! {
    fn seated = seated;
    fn process(rank) = pid;
    /// The state of the log.
    pub fn fate = fate;
    /// The last meeting and its state.
    pub(crate) fn meeting = meeting;
    /// The last meeting that is over.
    pub(crate) fn closed = closed;
    /// Its outcome.
    pub(crate) fn outcome = outcome;
    /// Rises when something happens at a meeting.
    pub(crate) fn stir = stir;
    /// The last meeting at which a rank has arrived.
    pub(crate) fn arrived(rank) = arrived;
    /// The last meeting at which a rank has done its part.
    pub(crate) fn done(rank) = done;
    /// The outcome of its part.
    pub(crate) fn outcome_of(rank) = outcome;
}

/// # Safety
/// The word is mapped as long as it is used.
unsafe fn word<'w>(word: *mut u32) -> &'w AtomicU32 {
    // SAFETY: the caller vouches.
    unsafe { AtomicU32::from_ptr(word) }
}
