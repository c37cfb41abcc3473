//! The runs on one side: what each moved, and which of them did something else than the others.

use std::path::PathBuf;

use ioglass_log::Version;
use serde::{Deserialize, Serialize};

use super::SAME_BYTES;
use crate::estimate::median;
use crate::finding::Diagnosis;
use crate::model::{Exit, Run};
use crate::number;

/// The interface at which bytes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Interface {
    /// Datasets of HDF5.
    #[serde(rename = "HDF5")]
    Hdf5,
    /// Variables of PnetCDF.
    #[serde(rename = "PnetCDF")]
    Pnetcdf,
    /// Files of MPI-IO.
    #[serde(rename = "MPI-IO")]
    MpiIo,
    /// Files of POSIX and streams of the C library, together.
    #[serde(rename = "POSIX")]
    Posix,
}

impl Interface {
    /// All of them, the highest first.
    pub const ALL: [Self; 4] = [Self::Hdf5, Self::Pnetcdf, Self::MpiIo, Self::Posix];

    /// As reports write it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hdf5 => "HDF5 datasets",
            Self::Pnetcdf => "PnetCDF variables",
            Self::MpiIo => "MPI-IO",
            Self::Posix => "POSIX and streams",
        }
    }
}

/// One run of a side.
#[derive(Debug)]
pub struct Repetition {
    /// The log, as the user named it.
    pub log: PathBuf,
    /// Its diagnosis.
    pub diagnosis: Diagnosis,
    /// Bytes read and written, by interface.
    pub(super) moved: [[u64; 2]; Interface::ALL.len()],
    /// The smallest difference of run times that its clock shows, in seconds.
    pub(super) resolution: f64,
}

impl Repetition {
    /// Takes from a run what a comparison needs. `format` is that of its log, if there is one.
    pub fn of(log: PathBuf, run: &Run, diagnosis: Diagnosis, format: Option<Version>) -> Self {
        let ways = |usage: &crate::model::Usage| usage.ways.each_ref().map(|way| way.bytes);
        let add = |a: [u64; 2], b: [u64; 2]| [a[0].saturating_add(b[0]), a[1].saturating_add(b[1])];
        let datasets = |is_pnetcdf| {
            let own = run.datasets.iter().filter(|dataset| dataset.is_pnetcdf == is_pnetcdf);
            own.map(|dataset| ways(&dataset.usage)).fold([0, 0], add)
        };
        let moved = Interface::ALL.map(|interface| match interface {
            Interface::Hdf5 => datasets(false),
            Interface::Pnetcdf => datasets(true),
            Interface::MpiIo => ways(&run.mpiio.sum),
            Interface::Posix => [&run.posix, &run.stdio, &run.daos]
                .map(|it| ways(&it.sum))
                .into_iter()
                .fold([0, 0], add),
        });
        // Logs before 3.41 have whole seconds.
        let is_fine = format.is_none_or(Version::is_current);
        Self { log, diagnosis, moved, resolution: if is_fine { 0.0 } else { 1.0 } }
    }

    /// Bytes read and written.
    pub(super) fn ways(&self, interface: Interface) -> [u64; 2] {
        self.moved[interface as usize]
    }

    /// All bytes moved.
    pub(super) fn bytes(&self, interface: Interface) -> u64 {
        self.ways(interface).iter().fold(0, |a, b| a.saturating_add(*b))
    }
}

/// A run that is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its log.
    pub log: PathBuf,
    /// Why.
    pub reason: String,
}

/// The runs before, or those after.
#[derive(Debug)]
pub struct Side {
    /// Those that are compared, at least one.
    pub runs: Vec<Repetition>,
    /// Those that did something else.
    pub left_out: Vec<LeftOut>,
    /// What differs between the runs, if none can be told to be the odd one.
    pub disagreement: Option<String>,
}

impl Side {
    /// Leaves out the runs that differ from the others.
    pub(super) fn of(mut runs: Vec<Repetition>) -> Self {
        let interface = highest(&runs.iter().collect::<Vec<_>>());
        let groups: Vec<Vec<bool>> = runs
            .iter()
            .map(|one| {
                runs.iter().map(|other| difference(one, other, interface).is_none()).collect()
            })
            .collect();
        let size = |group: &Vec<bool>| group.iter().filter(|is_in| **is_in).count();
        let largest = groups.iter().map(size).max().unwrap_or(0);
        let mut found = groups.iter().enumerate().filter(|(_, group)| size(group) == largest);
        let Some((anchor, group)) = found.next() else {
            return Self { runs, left_out: Vec::new(), disagreement: None };
        };
        let is_clear =
            largest == runs.len() || largest > 1 && found.all(|(_, other)| other == group);
        if !is_clear {
            let differences =
                runs.iter().filter_map(|run| difference(run, &runs[anchor], interface));
            let disagreement =
                differences.map(|(what, own, other)| format!("{what} {other} and {own}"));
            let disagreement = disagreement.take(1).next();
            return Self { runs, left_out: Vec::new(), disagreement };
        }
        let mut left_out = Vec::new();
        for (run, is_in) in runs.iter().zip(group) {
            if let (false, Some((what, own, others))) =
                (is_in, difference(run, &runs[anchor], interface))
            {
                let reason = format!("it has {what} {own}, the others {others}");
                left_out.push(LeftOut { log: run.log.clone(), reason });
            }
        }
        let mut is_in = group.clone().into_iter();
        runs.retain(|_| is_in.next().unwrap_or(true));
        Self { runs, left_out, disagreement: None }
    }

    /// The run that speaks for all.
    pub fn first(&self) -> &Diagnosis {
        &self.runs[0].diagnosis
    }

    /// The run times, in the order of the runs.
    pub fn run_seconds(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.diagnosis.subject.run_time).collect()
    }

    /// The median of a number of its runs.
    pub(super) fn median(&self, number: impl Fn(&Repetition) -> f64) -> f64 {
        median(&self.runs.iter().map(number).collect::<Vec<f64>>()).unwrap_or(0.0)
    }
}

/// The highest interface that moved bytes in all runs.
pub(super) fn highest(runs: &[&Repetition]) -> Interface {
    let is_everywhere = |interface: &Interface| runs.iter().all(|run| run.bytes(*interface) > 0);
    Interface::ALL.into_iter().find(is_everywhere).unwrap_or(Interface::Posix)
}

/// What of the work differs between two runs, and how it is in both.
fn difference(
    one: &Repetition,
    other: &Repetition,
    interface: Interface,
) -> Option<(&'static str, String, String)> {
    let (own, others) = (&one.diagnosis.subject, &other.diagnosis.subject);
    if own.program != others.program {
        return Some(("program", own.program.clone(), others.program.clone()));
    }
    if own.ranks != others.ranks {
        return Some(("ranks", number::thousands(own.ranks), number::thousands(others.ranks)));
    }
    let (own, others) = (one.bytes(interface), other.bytes(interface));
    (!is_near(own, others)).then(|| ("bytes", number::bytes(own), number::bytes(others)))
}

/// True if two numbers of bytes are those of the same work.
pub(super) fn is_near(one: u64, other: u64) -> bool {
    one.abs_diff(other) as f64 <= SAME_BYTES * one.max(other) as f64
}

/// Different warnings that are told.
const MOST_WARNINGS: usize = 6;

/// Faults of the data, each once, with the side they are on.
pub(super) fn warnings(sides: &[Side; 2]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (side, name) in sides.iter().zip(["Before", "After"]) {
        for run in &side.runs {
            let failed = match run.diagnosis.subject.exit {
                Some(Exit::Status(0)) | None => None,
                Some(Exit::Status(status)) => {
                    Some(format!("a run ended with exit status {status}."))
                }
                Some(Exit::Signal(signal)) => Some(format!("a run was ended by signal {signal}.")),
            };
            let incomplete = run.diagnosis.warnings.iter().filter(|warning| warning.marks);
            let incomplete =
                incomplete.map(|warning| format!("{}.", warning.text.trim_end_matches('.')));
            for text in incomplete.chain(failed) {
                let text = format!("{name}: {text}");
                if !found.contains(&text) {
                    found.push(text);
                }
            }
        }
    }
    if found.len() > MOST_WARNINGS {
        let more = found.len() - MOST_WARNINGS;
        found.truncate(MOST_WARNINGS);
        found.push(format!("There are {more} more warnings of single runs."));
    }
    found
}
