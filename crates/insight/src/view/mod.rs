//! What a page shows beside findings: tables, heat maps, and the trace as finely as there is room.
//!
//! Everything here is bounded, whatever a log holds: rows of tables, cells of maps and single calls
//! have limits, and what was left out is counted.

mod files;
mod interfaces;
mod ladder;
mod origin;
mod systems;

pub use files::{FileRow, FileTable, MOST_FILES};
pub use interfaces::{Group, Groups, Interface, Things};
pub use ladder::Rung;
pub use origin::{Origin, Part};
pub use systems::System;

use ioglass_log::Log;

use crate::model::Run;

/// All that is shown of a run, beside what is said of it.
#[derive(Debug)]
pub struct View<'r> {
    /// The log.
    pub origin: Origin,
    /// What each interface was used for, the highest first.
    pub interfaces: Vec<Interface<'r>>,
    /// Bytes at each layer, if layers disagree.
    pub ladder: Vec<Rung>,
    /// Where the bytes went, by mounted file system.
    pub systems: Vec<System<'r>>,
    /// The files that took most seconds.
    pub files: FileTable<'r>,
}

impl<'r> View<'r> {
    /// What is shown of this run, which was made of this log.
    pub fn of(log: &Log, run: &'r Run) -> Self {
        let interfaces = interfaces::of(run);
        Self {
            origin: Origin::of(log),
            ladder: ladder::of(run, &interfaces),
            interfaces,
            systems: systems::of(run),
            files: FileTable::of(run),
        }
    }
}
