//! Where ranks of one node hand each other what becomes their log: a [`Room`], then a [`Seat`] for each rank.
//!
//! A file that all ranks of a job map. A rank takes its seat when MPI begins; when MPI ends, the first
//! decides whether all sit here. If they do, their messages are [`Letter`]s; otherwise they go through MPI.
//! All zero is a new room. Words are read and changed atomically.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What a room begins with.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Room {
    /// Ranks that have taken their seats.
    pub seated: u32,
    /// A [`Ways`].
    pub ways: u32,
    /// A [`Fate`].
    pub fate: u32,
    /// Nothing yet.
    pub reserved: [u32; 65],
    /// What the first rank has to say to all, one after the other.
    pub boards: [Letter; BOARDS],
}

/// The place of a rank.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Seat {
    /// The process that sits here.
    pub pid: u32,
    /// Nothing yet.
    pub reserved: [u32; 3],
    /// Where its capture is, up to a NUL: what is in the log need not be kept, whoever still lives then.
    pub capture: [u8; CAPTURE],
    /// From this rank to a lower one.
    pub to_lower: Letter,
    /// From a lower rank to this one.
    pub from_lower: Letter,
}

/// A message, or none.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Letter {
    /// A [`Sealed`]; whoever waits for it sleeps on this word.
    pub sealed: u32,
    /// Nothing yet.
    pub reserved: u32,
    /// Bytes of the message.
    pub len: u64,
    /// The message, if it is that short.
    pub bytes: [u8; LETTER],
}

/// Messages that the first rank can have for all.
pub const BOARDS: usize = 2;
/// The longest message that lies in a letter itself.
pub const LETTER: usize = 3944;
/// The longest path of a capture that is told, with the NUL.
pub const CAPTURE: usize = 256;

/// How ranks talk to each other.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// Not decided yet.
    Open,
    /// All sit in the room.
    Room,
    /// At least one does not, so all go through MPI.
    Mpi,
}

/// What becomes of the log.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Ranks are at it.
    Open,
    /// The first rank has everything and writes.
    Writing,
    /// A rank has given up before that, so all do.
    Abandoned,
}

/// What a letter holds.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// Nothing.
    Empty,
    /// The message.
    Here,
    /// Where the message is: in a file of its own.
    Beside,
    /// That there is no message.
    Cannot,
}

crate::pod::pod! {
    Room: PAGES;
    Seat: PAGES;
}
/// No two ranks write to the same page, but for the first ones.
const PAGES: usize = 2 * 4096;

/// Bytes of a room for so many ranks.
pub const fn size(ranks: u32) -> usize {
    size_of::<Room>() + ranks as usize * size_of::<Seat>()
}
