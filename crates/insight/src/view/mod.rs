//! The data that a page shows beside findings: tables, heat maps, and the trace as finely as there
//! is room.
//!
//! Everything here is bounded for any log: rows of tables, cells of maps and single calls have
//! limits, and the things left out are counted.

mod files;
mod heat;
mod interfaces;
mod ladder;
mod nodes;
mod notable;
mod origin;
mod proof;
mod ranks;
mod room;
mod rows;
mod space;
mod spot;
mod strips;
mod systems;
mod timeline;
mod traced;

pub use files::{FileRow, FileTable, MOST_FILES};
pub use heat::{HeatMap, MapMeasure, MapSource};
pub use interfaces::{FileGroup, FileGroups, Interface, Things};
pub use ladder::Rung;
pub use nodes::Nodes;
pub use notable::Notable;
pub use origin::{Origin, OriginModule};
pub use proof::{Plot, Proof, Spot};
pub use ranks::{RankCost, RankCosts};
pub use room::Room;
pub use rows::Rows;
pub use space::{Moments, Space};
pub use systems::System;
pub use timeline::{BUSY, Cells, Lane, LaneCall, LaneDetail};
pub use traced::{Cut, Together, TraceView, TracedFile};

use crate::finding::Finding;
use crate::model::Run;
use crate::recording::Recording;
use crate::trace::TargetFacts;

/// All that is shown of a run beside its findings.
#[derive(Debug)]
pub struct View<'r> {
    /// The recording.
    pub origin: Origin,
    /// Seconds from the start to the end of what is shown.
    pub span: f64,
    /// Use of each interface, the highest first.
    pub interfaces: Vec<Interface<'r>>,
    /// Bytes at each layer, if layers disagree.
    pub ladder: Vec<Rung>,
    /// Bytes by mounted file system.
    pub systems: Vec<System<'r>>,
    /// Cost of I/O for each rank, as far as that is known.
    pub ranks: Vec<RankCosts>,
    /// The files that took most seconds.
    pub files: FileTable<'r>,
    /// Time by rank.
    pub heat: Vec<HeatMap>,
    /// Interfaces that moved bytes, but whose bytes over time the log does not have.
    pub untimed: Vec<&'static str>,
    /// The trace, if there is one.
    pub traced: Option<TraceView<'r>>,
    /// Load of storage targets, as far as the trace and layouts tell; by number.
    pub targets: &'r [TargetFacts],
    /// Hosts in the trace.
    pub hosts: u64,
    /// Nodes of ranks, if there are several.
    pub nodes: Option<Nodes<'r>>,
    /// Ranks of the trace that are looked at first.
    pub notable: Notable,
    run: &'r Run,
}

impl<'r> View<'r> {
    /// Gathers what is shown of this run, which was made of this recording, in so much room.
    pub fn of(recording: &dyn Recording, run: &'r Run, room: &Room) -> Self {
        let interfaces = interfaces::of(run);
        let span = span(run);
        let mut heat = heat::recorded(recording, run, span, room);
        let (traced, maps) = traced::of(recording, run, span, room).unzip();
        // The log's own maps are of the whole run; a trace may have ended before.
        let is_new = |map: &HeatMap| {
            let known = |old: &HeatMap| old.name == map.name && old.measure == map.measure;
            !heat.iter().any(known)
        };
        let maps: Vec<HeatMap> = maps.into_iter().flatten().filter(is_new).collect();
        heat.extend(maps);
        // What libraries move is moved again by those below them.
        let moves =
            |one: &&Interface<'_>| one.things == Things::Files && one.totals.sum.bytes() > 0;
        let is_timed = |name: &str| heat.iter().any(|map| map.name == name);
        let moving = interfaces.iter().filter(moves).map(|one| one.name);
        let untimed = moving.filter(|name| !is_timed(name)).collect();
        Self {
            origin: Origin::of(recording),
            span,
            untimed,
            ladder: ladder::of(run, &interfaces),
            interfaces,
            systems: systems::of(run),
            ranks: ranks::of(run),
            files: FileTable::of(run),
            heat,
            traced,
            targets: run.trace.as_ref().map_or(&[], |trace| &trace.targets),
            hosts: run.trace.as_ref().map_or(0, |trace| trace.hosts.len() as u64),
            nodes: nodes::of(run),
            notable: notable::of(run),
            run,
        }
    }

    /// Plots on the page that show a finding.
    pub fn proofs(&self, finding: &Finding) -> Vec<Proof> {
        proof::of(self, self.run, finding)
    }
}

/// The run, and longer if the trace is.
fn span(run: &Run) -> f64 {
    let ends = run.trace.iter().flat_map(|trace| &trace.ranks).map(|rank| rank.last_end);
    ends.fold(run.run_time, f64::max)
}
