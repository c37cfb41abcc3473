//! Meetings: the ranks of one node come together in their [`room`], any number of times, and some of
//! them write a profile of all.
//!
//! Every rank arrives and tells where its capture is. The first rank, the chair, waits for all. If one
//! does not come in time, or comes to its last meeting while others do not, the meeting is abandoned.
//! At the end of MPI a rank that was never annotated does not come: the others meet without it.
//! Otherwise some ranks read the captures of others and write; the rest sleeps until the chair closes
//! the meeting. No message is sent, and nothing is used up that the log needs.
//!
//! There may be many more ranks than processors. Whoever wakes up takes time from those who write, so
//! ranks are woken once, and look around rarely.

use core::cell::Cell;
use core::ffi::CStr;
use core::sync::atomic::{
    AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use ioglass_shm::room::{MeetingState, arrival, meeting};

use crate::path::OwnPath;
use crate::room::{self, Entered};
use crate::settings::WorldRank;
use crate::wait::wait;
use crate::{neighbour, sys};

/// Longest sleep of a rank while others may need it to make progress in MPI.
const NAP: u64 = 1_000_000;
/// Time after which a rank looks whether the one that it waits for lives.
const LOOK_AGAIN: u64 = 20_000_000;
/// Time after which ranks that end MPI do not wait for those that have never come to the room: they
/// are not annotated.
const GRACE: u64 = 2_000_000_000;
/// Time that ranks have to write.
const WHILE_WRITING: u64 = 600_000_000_000;

/// Meetings of this process so far.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The way in which a meeting has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// There is no room in which all ranks can meet.
    NoRoom,
    /// A rank did not come in time, or has died.
    Silence,
    /// Some ranks end MPI, and others do not.
    Mismatch,
}

/// A meeting that this rank takes part in.
#[derive(Debug)]
pub struct Meeting {
    room: Entered,
    number: u32,
    is_last: bool,
    began: u64,
    deadline: u64,
    /// When this rank has looked last whether another one lives.
    looked: Cell<u64>,
}

/// What a rank does at a meeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It writes once all are here, or has others write.
    Writes,
    /// It waits until all is written.
    Waits,
}

/// Tells the other ranks that this one comes to no meeting, because it counts no regions.
pub(crate) fn stay_away(world: WorldRank) {
    if let Some(room) = Entered::here(world) {
        room.arrived(world.rank).store(u32::MAX, Release);
        room.stir().fetch_add(1, Release);
        sys::wake(room.stir());
    }
}

impl Meeting {
    /// Meets all other ranks, for at most `seconds`. `capture` is what this rank shows them;
    /// `is_last` if it ends MPI. `progress` is called while other ranks may need it to arrive.
    pub fn begin(
        world: WorldRank,
        role: Role,
        capture: Option<&CStr>,
        is_last: bool,
        seconds: u64,
        progress: &dyn Fn(),
    ) -> Result<Self, Failed> {
        room::enter(world);
        let room = Entered::here(world).ok_or(Failed::NoRoom)?;
        let mut number = COUNT.load(Relaxed) + 1;
        if is_last {
            // Meetings that were over before this rank came do not concern it.
            let known = room.meeting().load(Acquire);
            let is_open = known == meeting(known >> 2, MeetingState::Open);
            number = number.max((known >> 2) + u32::from(!is_open));
        }
        COUNT.store(number, Relaxed);
        let began = sys::clock_ns(libc::CLOCK_MONOTONIC);
        let deadline = began.saturating_add(seconds.saturating_mul(1_000_000_000));
        let own = Self { room, number, is_last, began, deadline, looked: Cell::new(began) };
        own.open();
        room.tell_capture(capture.unwrap_or(c""));
        room.arrived(world.rank).store(arrival(number, is_last), Release);
        own.stir();
        if world.rank == 0 {
            own.wait_for_all(progress)?;
        }
        let is_closed = || room.closed().load(Acquire) >= number;
        let is_decided =
            |_| is_closed() || room.meeting().load(Acquire) != own.word(MeetingState::Open);
        // Nobody sleeps on a word that changes before there is something to do.
        let word = match role {
            Role::Writes => room.meeting(),
            Role::Waits => room.closed(),
        };
        wait(word, is_decided, NAP, || {
            progress();
            own.go_on(0)
        })?;
        let word = room.meeting().load(Acquire);
        // Other ranks may have come to the next meeting already.
        if word == own.word(MeetingState::Writing) || is_closed() {
            return Ok(own);
        }
        match word == own.word(MeetingState::Abandoned) {
            true => Err(Failed::Silence),
            false => Err(Failed::Mismatch),
        }
    }

    /// Rank and ranks.
    pub fn world(&self) -> WorldRank {
        self.room.world
    }

    /// Path of the capture of a rank; empty if it has none.
    pub fn capture(&self, rank: u32) -> OwnPath {
        self.room.told_capture(rank)
    }

    /// Returns true if a rank takes part.
    pub fn has(&self, rank: u32) -> bool {
        let arrived = self.room.arrived(rank).load(Acquire);
        arrived != u32::MAX && arrived >> 1 >= self.number
    }

    /// Tells the chair that this rank has done its part.
    pub fn is_done(&self, outcome: i32) {
        let rank = self.room.world.rank;
        self.room.outcome_of(rank).store(outcome.cast_unsigned(), Relaxed);
        self.room.done(rank).store(self.number, Release);
        self.stir();
    }

    /// As the chair: waits for the part of a rank and returns its outcome.
    pub fn part_of(&self, rank: u32) -> Result<i32, Failed> {
        loop {
            let stir = self.room.stir().load(Acquire);
            if self.room.done(rank).load(Acquire) == self.number {
                return Ok(self.room.outcome_of(rank).load(Relaxed).cast_signed());
            }
            wait(self.room.stir(), |word| word != stir, LOOK_AGAIN, || self.go_on(rank))?;
        }
    }

    /// As the chair: closes the meeting.
    pub fn close(&self, outcome: i32) {
        self.room.outcome().store(outcome.cast_unsigned(), Relaxed);
        self.room.closed().store(self.number, Release);
        sys::wake(self.room.closed());
    }

    /// Waits until the chair closes the meeting, and returns its outcome.
    pub fn wait_until_closed(&self) -> Result<i32, Failed> {
        let is_closed = |number: u32| number >= self.number;
        wait(self.room.closed(), is_closed, LOOK_AGAIN, || self.go_on(0))?;
        Ok(self.room.outcome().load(Relaxed).cast_signed())
    }

    const fn word(&self, state: MeetingState) -> u32 {
        meeting(self.number, state)
    }

    /// Opens the meeting, unless another rank has.
    fn open(&self) {
        let new = self.word(MeetingState::Open);
        let mut known = self.room.meeting().load(Acquire);
        while known < new
            && let Err(now) = self.room.meeting().compare_exchange(known, new, AcqRel, Acquire)
        {
            known = now;
        }
    }

    fn decide(&self, state: MeetingState) {
        let open = self.word(MeetingState::Open);
        let _ = self.room.meeting().compare_exchange(open, self.word(state), AcqRel, Acquire);
        sys::wake(self.room.meeting());
        if state != MeetingState::Writing {
            sys::wake(self.room.closed());
        }
    }

    /// Wakes the chair.
    fn stir(&self) {
        self.room.stir().fetch_add(1, Release);
        sys::wake(self.room.stir());
    }

    /// As the chair: waits for all ranks and decides.
    fn wait_for_all(&self, progress: &dyn Fn()) -> Result<(), Failed> {
        for rank in 1..self.room.world.ranks {
            loop {
                let stir = self.room.stir().load(Acquire);
                if self.room.arrived(rank).load(Acquire) >> 1 >= self.number {
                    break;
                }
                if self.never_comes(rank) {
                    // Nobody else will take the last seat and remove the room.
                    let _ = sys::unlink(Entered::path());
                    break;
                }
                wait(
                    self.room.stir(),
                    |word| word != stir || self.never_comes(rank),
                    NAP,
                    || {
                        progress();
                        self.go_on(rank)
                    },
                )?;
            }
        }
        self.decide(match self.mismatches() {
            true => MeetingState::Mismatched,
            false => MeetingState::Writing,
        });
        Ok(())
    }

    /// Returns true if it is in vain to wait for a rank that has never come to the room.
    fn never_comes(&self, rank: u32) -> bool {
        let is_late = sys::clock_ns(libc::CLOCK_MONOTONIC) > self.began.saturating_add(GRACE);
        self.is_last && is_late && self.room.pid(rank) == 0
    }

    /// Returns true if some ranks end MPI and others do not.
    fn mismatches(&self) -> bool {
        let own = arrival(self.number, self.is_last);
        (0..self.room.world.ranks).any(|rank| self.room.arrived(rank).load(Acquire) == own ^ 1)
    }

    /// Fails if it is in vain to wait for a rank. Ranks that have not come yet are not known to be
    /// dead.
    fn go_on(&self, whom: u32) -> Result<(), Failed> {
        let state = self.room.meeting().load(Acquire);
        let more = if state == self.word(MeetingState::Writing) { WHILE_WRITING } else { 0 };
        let now = sys::clock_ns(libc::CLOCK_MONOTONIC);
        let pid = self.room.pid(whom);
        let is_time = now >= self.looked.get() + LOOK_AGAIN;
        if is_time {
            self.looked.set(now);
        }
        let lives = pid == 0 || !is_time || neighbour::lives(pid);
        let is_over = state > self.word(MeetingState::Mismatched);
        let has_chair = self.room.world.rank == 0 || !self.never_comes(0);
        if now <= self.deadline.saturating_add(more) && lives && has_chair && !is_over {
            return Ok(());
        }
        self.decide(MeetingState::Abandoned);
        Err(Failed::Silence)
    }
}
