//! The room: memory in which the ranks of one node exchange messages to write their log.
//!
//! It is a file that all ranks of a job map: a [`Room`], then a [`Seat`] for each rank. A rank
//! takes its seat when MPI begins. When MPI ends, the first rank to arrive decides for all: if
//! every seat is taken, messages are [`Letter`]s, otherwise they go through MPI. A new room is all
//! zero. Words are read and changed atomically.
//!
//! Ranks also meet in it to write a profile, any number of times. Meetings are numbered from 1. They
//! use words of their own, so that the letters stay for the log.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The head of a room.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Room {
    /// Ranks that have taken their seats.
    pub seated: u32,
    /// A [`Ways`].
    pub ways: u32,
    /// A [`Fate`].
    pub fate: u32,
    /// The last meeting and its [`MeetingState`], as [`meeting`] puts them together.
    pub meeting: u32,
    /// Number of the last meeting that is over.
    pub closed: u32,
    /// The error number of that meeting; 0 if its profile is written.
    pub outcome: u32,
    /// Rises when a rank arrives at a meeting or has done its part.
    pub stir: u32,
    /// Reserved for later versions.
    pub reserved: [u32; 61],
    /// Messages of the first rank to all, in order.
    pub boards: [Letter; BOARDS],
}

/// The place of one rank in a room.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Seat {
    /// Process id of the rank; 0 if the seat is free.
    pub pid: u32,
    /// The last meeting at which the rank has arrived, as [`arrival`] gives it.
    pub arrived: u32,
    /// The last meeting at which the rank has done its part.
    pub done: u32,
    /// The error number of that part; 0 if it has succeeded.
    pub outcome: u32,
    /// Path of its capture, up to a NUL. Others read it at a meeting. It is removed once the log is
    /// written.
    pub capture: [u8; CAPTURE],
    /// Message from this rank to a lower one.
    pub to_lower: Letter,
    /// Message from a lower rank to this one.
    pub from_lower: Letter,
}

/// Room for one message.
#[repr(C)]
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
pub struct Letter {
    /// A [`Sealed`]; ranks that wait for it sleep on this word.
    pub sealed: u32,
    /// Reserved for later versions.
    pub reserved: u32,
    /// Bytes of the message.
    pub len: u64,
    /// The message, if it fits.
    pub bytes: [u8; LETTER],
}

/// Number of messages that the first rank can send to all.
pub const BOARDS: usize = 2;
/// Length of the longest message that fits in a letter.
pub const LETTER: usize = 3944;
/// Length of the longest path of a capture, with its NUL.
pub const CAPTURE: usize = 256;

/// The way of messages between ranks.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ways {
    /// Not decided yet.
    Open,
    /// Through the room: all ranks have a seat.
    Room,
    /// Through MPI: at least one rank has no seat.
    Mpi,
}

/// The state of the log.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The ranks are collecting their parts.
    Open,
    /// The first rank has all parts and writes the log.
    Writing,
    /// A rank has given up before that, so all ranks do.
    Abandoned,
}

/// The state of a meeting.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeetingState {
    /// Ranks arrive.
    Open,
    /// All ranks are here, and some of them write the profile.
    Writing,
    /// A rank has given up before all were here, so all ranks do.
    Abandoned,
    /// Some ranks end MPI, and others have come for another profile.
    Mismatched,
}

/// The word of a meeting in this state.
pub const fn meeting(number: u32, state: MeetingState) -> u32 {
    number << 2 | state as u32
}

/// The word of a rank that arrives at a meeting; `is_last` if it comes to no other.
pub const fn arrival(number: u32, is_last: bool) -> u32 {
    number << 1 | is_last as u32
}

/// The state of a letter.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// It is empty.
    Empty,
    /// It holds the message.
    Here,
    /// The message is in a separate file.
    Beside,
    /// The sender could not make a message.
    Cannot,
}

crate::pod::pod! {
    Room: PAGES;
    Seat: PAGES;
}
/// Size of the head of a room and of a seat: whole pages, so that seats do not share one.
const PAGES: usize = 2 * 4096;

/// Bytes of a room for `ranks` ranks.
pub const fn size(ranks: u32) -> usize {
    size_of::<Room>() + ranks as usize * size_of::<Seat>()
}
