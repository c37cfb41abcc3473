//! Traces of many operations: what they cost in all, at exit and on disk, and that they are whole.

use std::fmt::Write as _;

use ioglass_log::{Log, dxt};

use crate::driver::{Bench, Outcome};
use crate::limits::{self, mark};
use crate::variant::Variant::{
    self, Bare, Ours, OursTrace, Reference, ReferenceTrace, Run, RunTrace,
};

const OPERATIONS: u32 = 1_000_000;
const TEN_MILLION: u32 = 10_000_000;
const KINDS: [(&str, &str); 3] = [
    ("write", "write 64 B sequential"),
    ("pwrite", "pwrite 64 B sequential"),
    ("varied", "pwrite random size and offset"),
];

/// The least of several runs, per operation.
#[derive(Clone, Copy)]
struct Cost {
    /// CPU ns of everything, harvest included.
    total: f64,
    /// CPU ns of the process after its last operation.
    exit: f64,
    /// Bytes of the log.
    log: f64,
    /// Peak memory of the process in bytes, not divided.
    peak: f64,
}

impl Cost {
    const HIGHEST: Self =
        Self { total: f64::INFINITY, exit: f64::INFINITY, log: f64::INFINITY, peak: f64::INFINITY };

    fn of(outcome: &Outcome) -> anyhow::Result<Self> {
        let operations = f64::from(OPERATIONS);
        Ok(Self {
            total: outcome.last("cpu")? / operations,
            exit: (outcome.first("cpu")? - outcome.first("until exit")?) / operations,
            log: outcome.log_size() as f64 / operations,
            peak: outcome.first("peak")?,
        })
    }

    fn least(self, other: Self) -> Self {
        Self {
            total: self.total.min(other.total),
            exit: self.exit.min(other.exit),
            log: self.log.min(other.log),
            peak: self.peak.min(other.peak),
        }
    }
}

/// A million operations, regular and not.
pub(crate) fn trace(bench: &Bench) -> anyhow::Result<String> {
    let variants: [Variant; 7] = [Bare, Ours, OursTrace, Run, RunTrace, Reference, ReferenceTrace];
    let variants = bench.possible(&variants);
    let mut text = format!("{:<30} {:<11}", "a million operations", "under");
    text += "   total ns/op   at exit ns/op   log B/op   memory MB\n";
    for (kind, name) in KINDS {
        let mut costs = vec![Cost::HIGHEST; variants.len()];
        for _ in 0..bench.runs.div_ceil(4) {
            for (variant, cost) in variants.iter().zip(&mut costs) {
                let mode = ["stream", kind, &OPERATIONS.to_string()];
                *cost = cost.least(Cost::of(&bench.run(*variant, &mode)?)?);
            }
        }
        let bare = costs[0];
        writeln!(text, "{name:<30} {:<11} {:>13.0}", Bare.label(), bare.total)?;
        for (variant, cost) in variants.iter().zip(&costs).skip(1) {
            let exit = cost.exit - bare.exit;
            write!(
                text,
                "{:<30} {:<11} {:>+13.0} {exit:>+15.1} {:>10.3} {:>+11.1}",
                "",
                variant.label(),
                cost.total - bare.total,
                cost.log,
                (cost.peak - bare.peak) / 1e6
            )?;
            // The harvest is the work of `run`, not of the program.
            let met = *variant != RunTrace || exit < limits::EXIT;
            writeln!(text, "{}", mark(met))?;
        }
    }
    Ok(text)
}

/// Ten million operations: the program ends well, and every operation is in the trace or counted as
/// lost, also where the trace may not grow that large.
pub(crate) fn ten_million(bench: &Bench) -> anyhow::Result<String> {
    let mut text = String::new();
    for limit in ["", "IOGLASS_TRACE_MEMORY=16"] {
        for variant in bench.possible(&[OursTrace, RunTrace]) {
            write!(text, "{:<11} {limit:<24}", variant.label())?;
            let mut words = bench.words(&["stream", "varied", &TEN_MILLION.to_string()]);
            if !limit.is_empty() {
                words.insert(0, limit.into());
            }
            let outcome = bench.cost(variant, &words)?;
            text += &account(&outcome)?;
        }
    }
    Ok(text)
}

fn account(outcome: &Outcome) -> anyhow::Result<String> {
    if outcome.log_size() == 0 {
        return Ok(format!("no log{}\n", mark(false)));
    }
    let log = Log::open(&outcome.log)?;
    let traced = log.dxt_columns(&dxt::POSIX)?.len() as u64;
    let lost = lost_from_trace(&log)?;
    let all = mark(traced + lost == u64::from(TEN_MILLION));
    Ok(format!("{traced} operations traced, {lost} counted as lost{all}\n"))
}

/// Operations that found no room in the trace, as the log says.
fn lost_from_trace(log: &Log) -> anyhow::Result<u64> {
    let Some(section) = log.block_section("lost", 1 << 20)? else { return Ok(0) };
    let table = String::from_utf8(section)?;
    let count = table.lines().find_map(|line| line.strip_prefix("trace\t"));
    Ok(count.map_or(Ok(0), str::parse)?)
}
