//! The numbers that are compared: one table.

use serde::{Deserialize, Serialize};

use super::side::Side;
use super::work::WorkState;
use super::{Call, call};
use crate::estimate::{Estimate, median, unpaired};
use crate::finding::{Diagnosis, Quantity, Spent};

/// The direction in which a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The less, the better.
    Lower,
    /// The more, the better.
    Higher,
}

/// A number of each run.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its name on screens.
    pub title: &'static str,
    /// Its unit.
    pub unit: Quantity,
    /// The direction in which it is better, if there is one.
    pub better: Option<Better>,
    /// True if it depends on the interface at which a report counts bytes and requests.
    is_counted: bool,
    /// Its value for a run.
    value: fn(&Diagnosis) -> Option<f64>,
}

const fn row(
    name: &'static str,
    title: &'static str,
    unit: Quantity,
    better: Option<Better>,
    value: fn(&Diagnosis) -> Option<f64>,
) -> Measure {
    Measure { name, title, unit, better, is_counted: false, value }
}

/// A number that depends on the interface of the report.
const fn counted(measure: Measure) -> Measure {
    Measure { is_counted: true, ..measure }
}

const LOWER: Option<Better> = Some(Better::Lower);
const HIGHER: Option<Better> = Some(Better::Higher);

/// All numbers that are compared.
pub static MEASURES: [Measure; 19] = [
    row("run_seconds", "run time", Quantity::Seconds, LOWER, |it| Some(it.subject.run_time)),
    row("io_seconds", "I/O time", Quantity::Seconds, LOWER, |it| Some(it.budget.io)),
    row("io_share", "I/O share of run", Quantity::Share, LOWER, |it| {
        (it.budget.run_time > 0.0).then(|| it.budget.io / it.budget.run_time)
    }),
    row("read_seconds", "read time", Quantity::Seconds, LOWER, |it| spent(it, Spent::Read)),
    row("write_seconds", "write time", Quantity::Seconds, LOWER, |it| spent(it, Spent::Write)),
    row("mpiio_seconds", "MPI-IO time", Quantity::Seconds, LOWER, |it| spent(it, Spent::MpiIo)),
    row("hdf5_seconds", "HDF5 time", Quantity::Seconds, LOWER, |it| spent(it, Spent::Hdf5)),
    row("pnetcdf_seconds", "PnetCDF time", Quantity::Seconds, LOWER, |it| {
        spent(it, Spent::Pnetcdf)
    }),
    row("text_seconds", "time in streams", Quantity::Seconds, LOWER, |it| {
        let streams = [Spent::Text, Spent::StreamReads, Spent::StreamWrites, Spent::Streams];
        streams.into_iter().find_map(|on| spent(it, on))
    }),
    row("metadata_seconds", "metadata time", Quantity::Seconds, LOWER, |it| {
        spent(it, Spent::Metadata)
    }),
    row("waiting_seconds", "waiting for others", Quantity::Seconds, LOWER, |it| {
        spent(it, Spent::Waiting)
    }),
    counted(row("bytes_read", "bytes read", Quantity::Bytes, None, |it| {
        Some(it.moved.read as f64)
    })),
    counted(row("bytes_written", "bytes written", Quantity::Bytes, None, |it| {
        Some(it.moved.written as f64)
    })),
    counted(row("bytes_per_second", "data rate", Quantity::BytesPerSecond, HIGHER, |it| {
        it.moved.rate
    })),
    counted(row("requests", "requests", Quantity::Count, LOWER, |it| {
        // Streams have no requests of their own.
        let is_counted = it.moved.requests > 0 || it.moved.read + it.moved.written == 0;
        is_counted.then_some(it.moved.requests as f64)
    })),
    counted(row("common_size", "commonest size", Quantity::Bytes, None, |it| {
        it.moved.common_size.map(|size| size as f64)
    })),
    row("files", "files", Quantity::Count, None, |it| Some(it.place.files as f64)),
    row("ranks", "ranks", Quantity::Count, None, |it| Some(it.subject.ranks as f64)),
    row("avoidable_seconds", "avoidable", Quantity::Seconds, LOWER, |it| {
        Some(it.verdict.avoidable)
    }),
];

/// Seconds of a part of the budget.
fn spent(diagnosis: &Diagnosis, on: Spent) -> Option<f64> {
    diagnosis.budget.parts.iter().find(|part| part.on == on).map(|part| part.seconds)
}

/// What a change of a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// It is better, beyond what runs differ by anyway.
    Better,
    /// It is worse, beyond what runs differ by anyway.
    Worse,
    /// It is another number, which is neither good nor bad.
    Changed,
    /// No change that could be told.
    Same,
}

/// A number on both sides.
#[derive(Debug)]
pub struct Measured {
    /// What it is.
    pub measure: &'static Measure,
    /// The values of the runs before, and of those after.
    pub values: [Vec<f64>; 2],
    /// Their medians; none where it is absent.
    pub medians: [Option<f64>; 2],
    /// The change; none if it is absent on a side, or cannot be compared.
    pub estimate: Option<Estimate>,
    /// What the change means; none if there is none.
    pub meaning: Option<Meaning>,
}

/// The numbers of both sides. Seconds of different work are not compared.
pub(super) fn of(sides: &[Side; 2], work: WorkState) -> Vec<Measured> {
    let all = || sides.iter().flat_map(|side| &side.runs).map(|run| &run.diagnosis);
    let by = sides[0].first().moved.by;
    let is_counted_alike = all().all(|diagnosis| diagnosis.moved.by == by);
    let measured = |measure: &'static Measure| {
        let is_anywhere = all().any(|diagnosis| (measure.value)(diagnosis).is_some());
        // Where some run has such a part of its time, the others have none of it.
        let is_part = is_anywhere && measure.unit == Quantity::Seconds;
        let value = |diagnosis| (measure.value)(diagnosis).or(is_part.then_some(0.0));
        let values = sides.each_ref().map(|side| {
            side.runs.iter().filter_map(|run| value(&run.diagnosis)).collect::<Vec<f64>>()
        });
        let medians = values.each_ref().map(|values| match measure.name {
            // Between two sizes lies none.
            "common_size" if values.iter().any(|value| *value != values[0]) => None,
            _ => median(values),
        });
        let is_comparable = (work != WorkState::Different || measure.unit != Quantity::Seconds)
            && (is_counted_alike || !measure.is_counted)
            && medians.iter().all(Option::is_some);
        let estimate = is_comparable.then(|| unpaired(&values[0], &values[1])).flatten();
        // A count of other work is neither better nor worse.
        let is_judged = work != WorkState::Different || measure.unit != Quantity::Count;
        let better = measure.better.filter(|_| is_judged);
        let meaning = is_comparable.then(|| meaning(better, medians, estimate));
        Measured { measure, values, medians, estimate, meaning }
    };
    MEASURES.iter().map(measured).collect()
}

fn meaning(
    better: Option<Better>,
    medians: [Option<f64>; 2],
    estimate: Option<Estimate>,
) -> Meaning {
    let Some(better) = better else {
        return if medians[0] == medians[1] { Meaning::Same } else { Meaning::Changed };
    };
    match (estimate.as_ref().map(call), better) {
        (Some(Call::Less), Better::Lower) | (Some(Call::More), Better::Higher) => Meaning::Better,
        (Some(Call::More), Better::Lower) | (Some(Call::Less), Better::Higher) => Meaning::Worse,
        _ => Meaning::Same,
    }
}
