//! A comparison for programs: `ioglass.compare/1`.
//!
//! The order of fields is the order in the text. `docs/compare.schema.json` is made from these types.

use ioglass_insight::compare::{
    self as insight, Better, ChangeKind, Comparison, Interface, Meaning, State, WorkState,
};
use ioglass_insight::estimate::{Certainty as InsightCertainty, Estimate};
use ioglass_insight::{Level, Quantity, Role};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::{Report, finite};

/// Runs before a change against runs after it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(extend("$id" = "ioglass.compare/1")))]
pub struct Document {
    /// Name and version of this format.
    schema: SchemaVersion,
    /// The runs before.
    before: Side,
    /// The runs after.
    after: Side,
    /// Whether both sides did the same work.
    same_work: SameWork,
    /// The judgement.
    verdict: Verdict,
    /// What the findings that are gone had promised; null if none is gone, or seconds are not
    /// compared.
    promise: Option<Promise>,
    /// Numbers of both sides, always all of them.
    quantities: Vec<Measured>,
    /// Findings that fired in some run, and checks that could be made on one side only.
    findings: Vec<Finding>,
    /// Faults of the data, a sentence each.
    warnings: Vec<String>,
}

impl Document {
    /// Makes the document of a comparison. `has_reports` adds the reports of all runs; `unread` are logs
    /// of each side that could not be read, with the reason.
    pub fn new(
        comparison: &Comparison,
        has_reports: bool,
        unread: &[Vec<insight::LeftOut>; 2],
    ) -> Self {
        let [before, after] =
            [0, 1].map(|at| Side::new(&comparison.sides[at], has_reports, &unread[at]));
        Self {
            schema: SchemaVersion::V1,
            before,
            after,
            same_work: SameWork::from(&comparison.same_work),
            verdict: Verdict::from(&comparison.verdict),
            promise: comparison.promise.as_ref().map(Promise::from),
            quantities: comparison.measures.iter().map(Measured::from).collect(),
            findings: comparison.findings.iter().map(Finding::from).collect(),
            warnings: comparison.warnings.clone(),
        }
    }
}

/// Returns the JSON schema (draft 2020-12) of a [`Document`] that this version writes.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    crate::json::schema_of::<Document>()
}

/// A version of the format. The number changes when a field goes or changes its meaning.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
enum SchemaVersion {
    /// The only version so far.
    #[serde(rename = "ioglass.compare/1")]
    V1,
}

/// The runs of one side.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Side {
    /// The logs that are compared.
    logs: Vec<String>,
    /// The logs that are not.
    left_out: Vec<LeftOut>,
    /// The program.
    program: String,
    /// The number of ranks or processes.
    ranks: u64,
    /// The run times, in the order of `logs`.
    run_seconds: Vec<Option<f64>>,
    /// The report of each run, in the order of `logs`; null without `-v`.
    reports: Option<Vec<Report>>,
}

impl Side {
    fn new(side: &insight::Side, has_reports: bool, unread: &[insight::LeftOut]) -> Self {
        let subject = &side.first().subject;
        let report = |run: &insight::Repetition| Report::new(&run.diagnosis, &run.log);
        Self {
            logs: side.runs.iter().map(|run| run.log.to_string_lossy().into_owned()).collect(),
            left_out: side.left_out.iter().chain(unread).map(LeftOut::from).collect(),
            program: subject.program.clone(),
            ranks: subject.ranks,
            run_seconds: side.run_seconds().into_iter().map(finite).collect(),
            reports: has_reports.then(|| side.runs.iter().map(report).collect()),
        }
    }
}

/// A log that is not compared.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct LeftOut {
    /// The log.
    log: String,
    /// Why.
    reason: String,
}

impl From<&insight::LeftOut> for LeftOut {
    fn from(left_out: &insight::LeftOut) -> Self {
        Self { log: left_out.log.to_string_lossy().into_owned(), reason: left_out.reason.clone() }
    }
}

/// Whether both sides did the same work.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct SameWork {
    /// The answer.
    state: WorkState,
    /// The interface at which bytes are counted: the highest that all runs have.
    interface: Interface,
    /// What differs.
    differences: Vec<Difference>,
}

impl From<&insight::SameWork> for SameWork {
    fn from(work: &insight::SameWork) -> Self {
        let difference = |difference: &insight::Difference| Difference {
            what: difference.what,
            before: difference.before.clone(),
            after: difference.after.clone(),
            decides: difference.decides,
        };
        Self {
            state: work.state,
            interface: work.interface,
            differences: work.differences.iter().map(difference).collect(),
        }
    }
}

/// Something that is not the same on both sides.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Difference {
    /// Its name: `repetitions`, `program`, `ranks`, `bytes`, `arguments`, `files` or `counted at`.
    what: &'static str,
    /// How it was; null if there was nothing.
    before: Option<String>,
    /// How it is; null if there is nothing.
    after: Option<String>,
    /// True if it makes the work different.
    decides: bool,
}

/// How far a change of the run time can be trusted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Certainty {
    /// One run on each side.
    Single,
    /// The interval holds the truth in less than 90 % of such comparisons.
    Weak,
    /// The interval holds the truth in at least 90 % of such comparisons.
    Interval,
}

impl From<InsightCertainty> for Certainty {
    fn from(certainty: InsightCertainty) -> Self {
        match certainty {
            InsightCertainty::Single => Self::Single,
            InsightCertainty::Weak => Self::Weak,
            InsightCertainty::Interval => Self::Interval,
        }
    }
}

/// The judgement. Numbers are null if seconds are not compared; those of an interval also if there is
/// one run on each side.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Verdict {
    /// The judgement.
    state: State,
    /// How far it can be trusted.
    certainty: Option<Certainty>,
    /// The judgement in words.
    sentence: String,
    /// Run time after ÷ before: the median of the ratios of all pairs of runs.
    ratio: Option<f64>,
    /// The lower end of its interval.
    low: Option<f64>,
    /// The upper end of its interval.
    high: Option<f64>,
    /// The part of such comparisons in which the interval holds the true ratio.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    coverage: Option<f64>,
    /// Median run time before × (1 − ratio); negative if seconds are lost.
    saved_seconds: Option<f64>,
    /// The lower end of its interval.
    saved_low: Option<f64>,
    /// The upper end of its interval.
    saved_high: Option<f64>,
}

impl From<&insight::Verdict> for Verdict {
    fn from(verdict: &insight::Verdict) -> Self {
        let (ratio, low, high) = ends(verdict.estimate.as_ref());
        let interval = verdict.estimate.and_then(|estimate| estimate.interval);
        let range = verdict.saved.and_then(|(_, range)| range);
        Self {
            state: verdict.state,
            certainty: verdict.estimate.map(|estimate| estimate.certainty().into()),
            sentence: verdict.sentence.clone(),
            ratio,
            low,
            high,
            coverage: interval.map(|interval| interval.coverage),
            saved_seconds: verdict.saved.and_then(|(seconds, _)| finite(seconds)),
            saved_low: range.and_then(|(low, _)| finite(low)),
            saved_high: range.and_then(|(_, high)| finite(high)),
        }
    }
}

/// A ratio and the ends of its interval.
fn ends(estimate: Option<&Estimate>) -> (Option<f64>, Option<f64>, Option<f64>) {
    let interval = estimate.and_then(|estimate| estimate.interval);
    (
        estimate.and_then(|estimate| finite(estimate.ratio)),
        interval.and_then(|interval| finite(interval.low)),
        interval.and_then(|interval| finite(interval.high)),
    )
}

/// What the findings that are gone had promised, and what came of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Promise {
    /// What they had at stake, an upper bound: the median of `seconds_net` before, summed.
    promised_seconds: f64,
    /// The difference of the median run times.
    saved_seconds: f64,
    /// Saved ÷ promised; null if nothing was promised.
    kept: Option<f64>,
    /// Seconds that are still avoidable after: the median.
    left_seconds: f64,
}

impl From<&insight::Promise> for Promise {
    fn from(promise: &insight::Promise) -> Self {
        Self {
            promised_seconds: promise.promised,
            saved_seconds: promise.saved,
            kept: promise.kept.and_then(finite),
            left_seconds: promise.left,
        }
    }
}

/// A number of both sides.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Quantity"))]
struct Measured {
    /// Its name, such as `run_seconds`.
    name: &'static str,
    /// Its unit.
    unit: Quantity,
    /// The median before; null if it is absent.
    before: Option<f64>,
    /// The median after; null if it is absent.
    after: Option<f64>,
    /// After ÷ before: the median of the ratios of all pairs of runs. Null if it is absent on a side, 0
    /// before, or cannot be compared.
    ratio: Option<f64>,
    /// The lower end of its interval; null with one run on each side.
    low: Option<f64>,
    /// The upper end of its interval; null with one run on each side.
    high: Option<f64>,
    /// The direction in which it is better; null if there is none.
    better: Option<Better>,
    /// What the change means; null if it cannot be compared.
    meaning: Option<Meaning>,
}

impl From<&insight::Measured> for Measured {
    fn from(measured: &insight::Measured) -> Self {
        let (ratio, low, high) = ends(measured.estimate.as_ref());
        Self {
            name: measured.measure.name,
            unit: measured.measure.unit,
            before: measured.medians[0],
            after: measured.medians[1],
            ratio,
            low,
            high,
            better: measured.measure.better,
            meaning: measured.meaning,
        }
    }
}

/// What became of a finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct Finding {
    /// Its code.
    code: &'static str,
    /// Its name.
    name: &'static str,
    /// What became of it.
    change: ChangeKind,
    /// It in the runs before.
    before: FindingSide,
    /// It in the runs after.
    after: FindingSide,
    /// Its seconds after ÷ before; null unless it fired on both sides.
    ratio: Option<f64>,
    /// The lower end of its interval.
    low: Option<f64>,
    /// The upper end of its interval.
    high: Option<f64>,
}

impl From<&insight::FindingChange> for Finding {
    fn from(change: &insight::FindingChange) -> Self {
        let (ratio, low, high) = ends(change.estimate.as_ref());
        let [before, after] = change.sides.each_ref().map(FindingSide::from);
        let (code, name) = (change.detector.code, change.detector.slug);
        Self { code, name, change: change.change, before, after, ratio, low, high }
    }
}

/// A check in the runs of one side.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct FindingSide {
    /// Runs in which it fired.
    fired: usize,
    /// Runs in which it could be made.
    checked: usize,
    /// All runs.
    of: usize,
    /// Its highest level; null if it could not be made.
    level: Option<Level>,
    /// Cause or consequence: cause if it was that in some run; null if it was neither.
    role: Option<Role>,
    /// The median of what it costs, over the runs in which it fired; null if there is none.
    seconds: Option<f64>,
    /// The sentence of the finding; null if it did not fire.
    title: Option<String>,
}

impl From<&insight::FindingSide> for FindingSide {
    fn from(side: &insight::FindingSide) -> Self {
        Self {
            fired: side.fired,
            checked: side.checked,
            of: side.of,
            level: side.level,
            role: side.role,
            seconds: side.seconds.and_then(finite),
            title: crate::json::some(&side.title),
        }
    }
}
