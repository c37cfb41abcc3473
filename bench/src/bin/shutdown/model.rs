//! What the measurements say about more ranks than were measured: time = a + b·log2(ranks) + c·ranks, by
//! least squares, of each workload.

use std::fmt::Write as _;

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

/// Milliseconds.
struct Fit([f64; 3]);

impl Fit {
    fn at(&self, ranks: f64) -> f64 {
        let Self([a, b, c]) = self;
        a + b * ranks.log2() + c * ranks
    }
}

/// The best fit that has no negative part; parts that would be are left out.
fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let all = [[true, true, true], [true, true, false], [true, false, true], [false, true, true]];
    let few = [[true, false, false], [false, true, false], [false, false, true]];
    let error = |fit: &Fit| points.iter().map(|(x, y)| ((fit.at(*x) - y) / y).powi(2)).sum::<f64>();
    all.iter()
        .chain(&few)
        .filter(|used| used.iter().filter(|used| **used).count() <= points.len())
        .filter_map(|used| solve(points, *used))
        .filter(|fit| fit.0.iter().all(|part| *part >= 0.0))
        .min_by(|one, other| error(one).total_cmp(&error(other)))
}

/// Least squares of relative errors over the parts that are used.
fn solve(points: &[(f64, f64)], used: [bool; 3]) -> Option<Fit> {
    let mut matrix = [[0.0; 4]; 3];
    for (ranks, time) in points {
        let row = [1.0, ranks.log2(), *ranks].map(|value: f64| value / time);
        for i in 0..3 {
            for j in 0..3 {
                matrix[i][j] += row[i] * row[j];
            }
            matrix[i][3] += row[i];
        }
    }
    for (i, used) in used.into_iter().enumerate() {
        if !used {
            matrix.iter_mut().for_each(|row| row[i] = 0.0);
            matrix[i] = [0.0; 4];
            matrix[i][i] = 1.0;
        }
    }
    for pivot in 0..3 {
        let best = (pivot..3)
            .max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()))?;
        matrix.swap(pivot, best);
        let head = matrix[pivot];
        if head[pivot].abs() < 1e-12 {
            return None;
        }
        for (i, row) in matrix.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
            let _ = i;
            let factor = row[pivot] / head[pivot];
            row.iter_mut().zip(head).for_each(|(value, head)| *value -= factor * head);
        }
    }
    Some(Fit([0, 1, 2].map(|i| matrix[i][3] / matrix[i][i])))
}

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
