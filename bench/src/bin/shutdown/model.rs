//! What the measurements say about more ranks than were measured, of each workload.

use std::fmt::Write as _;

use ioglass_bench::fit::fit;

use crate::launch::{WORKLOADS, Workload};
use crate::measured::Row;
use crate::tree::Outcome;

/// Ranks of the paper's largest runs.
const PAPER_RANKS: f64 = 12_000.0;
/// What the paper tells of them, by workload: seconds as its text and figures have them, and bytes.
const PAPER: [(&str, &str); 4] = [
    ("about 0.1 s", "1,075 B"),
    ("slightly more", "54.6 KiB"),
    ("below 2 s", "2.79 MiB"),
    ("below 7 s", "559 MiB"),
];

/// The fits, and what they say of the paper's ranks.
pub(crate) fn section(
    measured: &[Row],
    simulated: &[(Workload, u32, Outcome)],
) -> anyhow::Result<String> {
    let mut text = String::from("\nms = a + b·log2(ranks) + c·ranks\n");
    writeln!(
        text,
        "{:<17} {:<9} {:>9} {:>9} {:>9} {:>14}   the paper",
        "files", "of", "a", "b", "c", "12,000 ranks"
    )?;
    for (workload, (time, bytes)) in WORKLOADS.into_iter().zip(PAPER) {
        let same = |files, shared| files == workload.files && shared == workload.shared;
        let rows = measured.iter().filter(|row| same(row.files, row.shared));
        let rows: Vec<_> = rows.map(|row| (f64::from(row.ranks), row.ours)).collect();
        let points = simulated.iter().filter(|(other, ..)| same(other.files, other.shared));
        let points: Vec<_> = points
            .map(|(_, ranks, outcome)| (f64::from(*ranks), outcome.seconds() * 1e3))
            .collect();
        for (name, points) in [("programs", rows), ("the tree", points)] {
            let Some(fit) = fit(&points) else { continue };
            let [a, b, c] = fit.0;
            let then = fit.at(PAPER_RANKS) / 1e3;
            writeln!(
                text,
                "{workload:<17} {name:<9} {a:>9.3} {b:>9.3} {c:>9.4} {then:>12.2} s   {time}, {bytes}"
            )?;
        }
    }
    Ok(text)
}
