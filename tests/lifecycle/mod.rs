//! `ioglass run`: whatever becomes of a process, what it did is in the job's log; and the command
//! itself behaves as if it were not there.

mod command_line;
mod ends;
mod everyday;
mod families;
mod limits;
mod places;
pub(crate) mod programs;
mod pythons;
pub(crate) mod recording;
mod recover;
pub(crate) mod room;
mod signals;
mod terminal;
mod unseen;
