//! The numbers of a run, from its log and profile.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use ioglass_insight::Diagnosis;
use ioglass_insight::model::{Direction, Run};
use ioglass_insight::settings::SettingOutcome;
use ioglass_insight::threshold::Thresholds;
use ioglass_job::Job;
use ioglass_job::trial::TrialEnd;
use ioglass_log::Log;
use ioglass_profile::Reader;
use ioglass_settings::Settings;
use ioglass_tune::journal::Bytes;
use ioglass_tune::objective::Objective;
use ioglass_tune::runner::RunnerError;
use ioglass_tune::tuning::Seed;

use super::super::known::Known;
use super::super::seeds;
use super::folder::Place;
use crate::cmd::apply::verify;

/// The numbers of a run.
pub(super) struct Measured {
    /// Seconds of I/O.
    pub(super) io: f64,
    /// Seconds of reads.
    pub(super) read: f64,
    /// Seconds of writes.
    pub(super) write: f64,
    /// Bytes moved.
    pub(super) bytes: Bytes,
    /// Seconds in the regions of the objective.
    pub(super) regions: Option<f64>,
    /// What became of the settings.
    pub(super) settings: Vec<SettingOutcome>,
    log: Log,
    run: Run,
    diagnosis: Diagnosis,
}

/// Makes the log of a job that has ended, and measures it.
pub(super) fn of_job(
    mut job: Job,
    end: &TrialEnd,
    place: &Place,
    (settings, command): (&Settings, &[OsString]),
    objective: &Objective,
) -> Result<Measured, RunnerError> {
    let harvested =
        job.finish(end.ended).map_err(|error| RunnerError(format!("no log: {error}")))?;
    let harvested = harvested.ok_or_else(|| RunnerError("there is no log".into()))?;
    let opened = harvested.log.as_deref().map(Log::open).transpose();
    job.close(&harvested, true);
    let log = opened.map_err(|error| RunnerError(format!("the log cannot be read: {error}")))?;
    let log = log.ok_or_else(|| RunnerError("there is no log".into()))?;
    let run = Run::with_limits(&log, &Thresholds::default());
    let diagnosis = Diagnosis::of_run(&run, &Thresholds::default());
    let regions = match objective {
        Objective::Regions(name) => Some(regions(&place.profile(), name)),
        _ => None,
    };
    let way = |direction| {
        let below = if run.all_mpiio.slowest > run.all_posix.slowest {
            &run.all_mpiio
        } else {
            &run.all_posix
        };
        [below, &run.all_stdio, &run.daos].iter().map(|one| one.slowest_way(direction)).sum()
    };
    Ok(Measured {
        io: diagnosis.budget.io,
        read: way(Direction::Read),
        write: way(Direction::Write),
        bytes: Bytes { read: diagnosis.moved.read, written: diagnosis.moved.written },
        regions,
        settings: verify::outcomes(&log, settings, &verify::stack(&log), command),
        log,
        run,
        diagnosis,
    })
}

impl Measured {
    /// The run as its log has it.
    pub(super) fn run(&self) -> &Run {
        &self.run
    }

    /// What the log tells of the program.
    pub(super) fn learned(&self) -> (Known, Vec<Seed>) {
        let seeds = seeds::of(&self.diagnosis);
        (Known::of(&self.log, &self.run, &self.diagnosis, &seeds), seeds)
    }
}

/// Seconds of all regions of a name on the slowest rank. Of those inside each other the outermost counts.
fn regions(profile: &Path, name: &str) -> f64 {
    let Ok(reader) = Reader::open(profile) else { return 0.0 };
    let (profile, _) = reader.whole();
    let is_its = |region: u32| {
        profile.regions.get(region as usize).is_some_and(|region| region.name == name.as_bytes())
    };
    let mut ranks: BTreeMap<u32, u64> = BTreeMap::new();
    for (number, region) in profile.regions.iter().enumerate() {
        let mut above = region.parent;
        while let Some(parent) = above.filter(|parent| !is_its(*parent)) {
            above = profile.regions.get(parent as usize).and_then(|region| region.parent);
        }
        if !is_its(number as u32) || above.is_some() {
            continue;
        }
        for row in &region.rows {
            let process = profile.processes.get(row.process as usize);
            let rank = process.map_or(row.process, |process| process.rank);
            let time = ranks.entry(rank).or_default();
            *time = time.saturating_add(row.time_ns);
        }
    }
    ranks.into_values().max().unwrap_or(0) as f64 / 1e9
}
