//! Facts that only a trace has.
//!
//! The first pass over the trace adds up what needs no order; later ones take the calls of some
//! files at a time, sort them by time and by place, and go through them. Memory depends on neither
//! the number of segments nor what a log claims: at most [`MOST_CALLS`] calls of 32 bytes are held
//! at a time, and at most [`MOST_PASSES`] passes are made. Files that do not fit keep their sums
//! ([`FileFacts::is_summed_only`]).

mod context;
mod extents;
mod facts;
mod history;
mod measure;
mod op;
mod phases;
mod quality;
mod rounds;
mod runs;
#[cfg(test)]
pub(crate) mod sample;
mod sharing;
mod survey;
mod sweep;
mod targets;
#[cfg(test)]
mod tests;

use ioglass_log::{DxtHead, Error, Module, Operation, Segment, dxt};

pub use context::{FileLayout, LayoutPart, TraceContext, TraceLimits};
pub use facts::*;
pub use measure::Ticks;
pub use quality::Quality;

pub(crate) use op::Op;

use crate::recording::{RecordedModule, Recording};
use phases::Phases;
use survey::Survey;
use sweep::{Batch, Sweeper};

/// Rounds of a file that are kept one by one.
pub const MOST_ROUNDS: usize = 32;
/// Calls of several files that are held in memory at a time.
pub const MOST_CALLS: u64 = 4 << 20;
/// Calls of a single file that are held in memory.
pub const MOST_CALLS_OF_A_FILE: u64 = 8 << 20;
/// Passes over a trace to sort calls.
pub const MOST_PASSES: usize = 8;

/// Interface of a traced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    Posix,
    MpiIo,
}

impl Layer {
    pub(crate) const ALL: [Self; 2] = [Self::Posix, Self::MpiIo];

    fn module(self) -> &'static Module {
        match self {
            Self::Posix => &dxt::POSIX,
            Self::MpiIo => &dxt::MPIIO,
        }
    }
}

/// Returns true if the recording has a trace.
pub fn is_in(recording: &dyn Recording) -> bool {
    let is_trace = |id| Layer::ALL.iter().any(|layer| layer.module().id == id);
    recording.modules().iter().any(|module| module.bytes > 0 && is_trace(module.id))
}

/// Gathers the facts of a trace; none if the recording has no trace.
///
/// Of a damaged trace the part before the damage counts. Fails only if the trace is of a version
/// that cannot be read.
pub fn analyse(
    recording: &dyn Recording,
    about: &TraceContext,
) -> Result<Option<TraceFacts>, Error> {
    if !is_in(recording) {
        return Ok(None);
    }
    let mut survey = Survey::new(about);
    let mut damage = None;
    for layer in Layer::ALL {
        let mut add = |head: &DxtHead, operation, segments: &[Segment]| {
            survey.add(layer, head, operation, segments);
        };
        damage = visit(recording, layer, &mut add)?.or(damage);
    }
    survey.quality.damage = damage;
    let modules = recording.modules();
    let lost_some = |module: &RecordedModule, id| module.id == id && module.is_partial;
    let is_partial =
        |module: &&Module| modules.iter().any(|recorded| lost_some(recorded, module.id));
    let partial = Layer::ALL.map(Layer::module).into_iter().filter(is_partial);
    survey.quality.partial = partial.map(|module| module.name).collect();
    later_passes(recording, about, survey).map(Some)
}

fn later_passes(
    recording: &dyn Recording,
    about: &TraceContext,
    mut survey: Survey<'_>,
) -> Result<TraceFacts, Error> {
    let hosts = survey.sort_hosts();
    let of_phases = if survey.has(Layer::Posix) { Layer::Posix } else { Layer::MpiIo };
    let (span, median) = survey.times(of_phases);
    let highest = survey.ranks.last_key_value().map_or(0, |(rank, _)| u64::from(*rank) + 1);
    let mut phases = Phases::new(about.run_time.max(span), median, highest);
    let gap = phases.gap();

    let batches = plan(&mut survey);
    let mut parts = 0;
    for number in 0..batches.len().max(1) {
        let ids = batches.get(number).map_or(&[][..], Vec::as_slice);
        let mut batch = Batch::new(ids.iter().filter_map(|id| survey.files.get(id)));
        for layer in Layer::ALL {
            visit(recording, layer, &mut |head, operation, segments| {
                if number == 0 && layer == of_phases {
                    phases.add_all(head, operation, segments);
                }
                batch.add(layer, head, operation, segments);
            })?;
        }
        let Survey { files, ranks, quality, .. } = &mut survey;
        let scratch = extents::PerRank::default();
        let mut sweeper = Sweeper { about, ranks, quality, scratch, parts };
        batch.sweep(&mut sweeper, files);
        parts = sweeper.parts;
    }
    Ok(TraceFacts {
        phases_are_of_mpi_io: of_phases == Layer::MpiIo && survey.has(Layer::MpiIo),
        gap,
        phases: phases.finish(),
        hosts,
        targets: survey.targets.facts(),
        ranks: survey.ranks.into_values().collect(),
        files: survey.files.into_values().collect(),
        quality: survey.quality,
        limits: about.limits,
    })
}

/// Assigns files to passes that sort them; marks files for which there is no room.
fn plan(survey: &mut Survey<'_>) -> Vec<Vec<u64>> {
    let mut batches: Vec<Vec<u64>> = Vec::new();
    let mut room = 0;
    for file in survey.files.values_mut() {
        let calls = file.requests();
        let needs_pass = batches.is_empty() || calls > room;
        if calls > MOST_CALLS_OF_A_FILE || (needs_pass && batches.len() == MOST_PASSES) {
            file.is_summed_only = true;
            survey.quality.files_summed_only += 1;
            continue;
        }
        if needs_pass {
            batches.push(Vec::new());
            room = MOST_CALLS.max(calls);
        }
        room -= calls;
        if let Some(batch) = batches.last_mut() {
            batch.push(file.id);
        }
    }
    batches
}

/// Hands out all segments of a layer; returns the reason if the trace ends too early.
pub(crate) fn visit(
    recording: &dyn Recording,
    layer: Layer,
    each: &mut dyn FnMut(&DxtHead, Operation, &[Segment]),
) -> Result<Option<String>, Error> {
    match recording.each_segments(layer.module(), each) {
        Err(error @ Error::ModuleVersion { .. }) => Err(error),
        Err(damage) => Ok(Some(damage.to_string())),
        Ok(()) => Ok(None),
    }
}
