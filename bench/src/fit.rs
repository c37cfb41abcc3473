//! Times of more ranks than were measured: time = a + b·log2(ranks) + c·ranks, by least squares.

/// The parts a, b and c, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Fit(pub [f64; 3]);

impl Fit {
    /// The time at so many ranks.
    #[must_use]
    pub fn at(&self, ranks: f64) -> f64 {
        let Self([a, b, c]) = self;
        a + b * ranks.log2() + c * ranks
    }
}

/// The best fit that has no negative part; parts that would be are left out. Points are ranks and
/// milliseconds.
#[must_use]
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
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
