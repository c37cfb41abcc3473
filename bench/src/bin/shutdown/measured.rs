//! Programs that end: time and bytes by workload and number of ranks, beside the reference.

use std::fmt::Write as _;

use crate::launch::{Launcher, Outcome, Recorder, WORKLOADS, Workload};

/// The most of the reference's time.
const TIME: f64 = 0.5;
/// The most of the reference's bytes where each rank has one file, with the most ranks; nowhere all of them.
const BYTES_OF_FEW: f64 = 0.6;
const BYTES: f64 = 1.0;
/// Growth over the ranks is that of the reference, but for what a measurement is off by.
const GROWTH: f64 = 1.05;

/// Repetitions of one recorder.
struct Series(Vec<Outcome>);

impl Series {
    /// Milliseconds: the least, and the median.
    fn times(&self) -> (f64, f64) {
        let mut times: Vec<f64> = self.0.iter().map(|outcome| outcome.seconds * 1e3).collect();
        times.sort_by(f64::total_cmp);
        (times[0], times[(times.len() - 1) / 2])
    }

    /// Bytes of the log without the block, the least, and of the block.
    fn bytes(&self) -> (u64, u64) {
        let least = self.0.iter().min_by_key(|outcome| outcome.log - outcome.block);
        least.map_or((0, 0), |outcome| (outcome.log - outcome.block, outcome.block))
    }
}

/// One row: a workload and a number of ranks, the least times and bytes of ours and of the reference.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) ranks: u32,
    pub(crate) files: u64,
    pub(crate) shared: bool,
    /// Milliseconds.
    pub(crate) ours: f64,
    reference: Option<f64>,
    bytes: u64,
    reference_bytes: Option<u64>,
}

/// Prints the table as it comes, and gives back its rows.
pub(crate) fn table(launcher: &Launcher, most_ranks: u32, runs: usize) -> anyhow::Result<Vec<Row>> {
    print!("{:<17} {:>5} {:>9}", "files", "ranks", "bare ms");
    print!(" {:>20} {:>20} {:>8}", "ours ms (median)", "reference ms", "ours/ref");
    println!(" {:>16} {:>10} {:>9}", "bytes + block", "reference", "ours/ref");
    let mut rows = Vec::new();
    for workload in WORKLOADS {
        let first = rows.len();
        for ranks in (0..).map(|power| 1 << power).take_while(|ranks| *ranks <= most_ranks) {
            let mut text = String::new();
            rows.push(row(launcher, workload, ranks, runs, ranks * 2 > most_ranks, &mut text)?);
            print!("{text}");
        }
        let mut text = String::new();
        growth(&rows[first..], &mut text)?;
        print!("{text}");
    }
    Ok(rows)
}

fn row(
    launcher: &Launcher,
    workload: Workload,
    ranks: u32,
    runs: usize,
    is_last: bool,
    text: &mut String,
) -> anyhow::Result<Row> {
    let recorders = launcher.recorders();
    let mut all: Vec<Series> = recorders.iter().map(|_| Series(Vec::new())).collect();
    for _ in 0..runs {
        for (recorder, series) in recorders.iter().zip(&mut all) {
            series.0.push(launcher.run(*recorder, workload, ranks)?);
        }
    }
    let of = |recorder| recorders.iter().position(|other| *other == recorder).map(|at| &all[at]);
    let (ours, reference) = (&all[1], of(Recorder::Reference));
    let ((least, median), (bytes, block)) = (ours.times(), ours.bytes());
    write!(text, "{workload:<17} {ranks:>5} {:>9.3}", all[0].times().0)?;
    write!(text, " {:>20}", format!("{least:.2} ({median:.2})"))?;
    let mut row = Row {
        ranks,
        files: workload.files,
        shared: workload.shared,
        ours: least,
        reference: None,
        bytes,
        reference_bytes: None,
    };
    let Some(reference) = reference else {
        writeln!(text, " {:>30}", format!("{bytes} + {block}"))?;
        return Ok(row);
    };
    let ((other, other_median), (other_bytes, _)) = (reference.times(), reference.bytes());
    let (share, size_share) = (least / other, bytes as f64 / other_bytes as f64);
    let most = if is_last && workload.files == 1 { BYTES_OF_FEW } else { BYTES };
    write!(text, " {:>20} {share:>8.2}", format!("{other:.2} ({other_median:.2})"))?;
    write!(text, " {:>16} {other_bytes:>10} {size_share:>9.2}", format!("{bytes} + {block}"))?;
    writeln!(text, "{}{}", mark(share <= TIME, "time"), mark(size_share <= most, "bytes"))?;
    (row.reference, row.reference_bytes) = (Some(other), Some(other_bytes));
    Ok(row)
}

/// How much more the most ranks take than the fewest, beside the reference's.
fn growth(rows: &[Row], text: &mut String) -> anyhow::Result<()> {
    let [first, .., last] = rows else { return Ok(()) };
    let pairs = [
        ("time", (first.ours, last.ours), first.reference.zip(last.reference)),
        (
            "bytes",
            (first.bytes as f64, last.bytes as f64),
            first.reference_bytes.zip(last.reference_bytes).map(|(a, b)| (a as f64, b as f64)),
        ),
    ];
    for (what, ours, reference) in pairs {
        let Some(reference) = reference else { continue };
        // What is added with the ranks, not the ratio: who begins with less would seem to grow more.
        let (ours, reference) = (ours.1 - ours.0, reference.1 - reference.0);
        let met = ours <= reference * GROWTH;
        writeln!(
            text,
            "  {what} added from {} to {} ranks: {ours:.0}, the reference's {reference:.0}{}",
            first.ranks,
            last.ranks,
            mark(met, "growth")
        )?;
    }
    Ok(())
}

fn mark(met: bool, what: &str) -> String {
    if met { String::new() } else { format!("  <-- NOT MET: {what}") }
}
