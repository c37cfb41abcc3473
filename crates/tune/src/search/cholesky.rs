//! Symmetric positive matrices: a factor, solutions and the inverse.

/// The lower factor of a symmetric positive matrix, row by row.
#[derive(Debug, Clone)]
pub(super) struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// The factor of a matrix of which the lower half is read; none if it is not positive.
    pub(super) fn new(size: usize, mut matrix: Vec<f64>) -> Option<Cholesky> {
        for row in 0..size {
            for column in 0..=row {
                let (a, b) = (row * size, column * size);
                let sum: f64 = (0..column).map(|k| matrix[a + k] * matrix[b + k]).sum();
                let rest = matrix[a + column] - sum;
                matrix[a + column] = if row > column {
                    rest / matrix[b + column]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return None;
                };
            }
        }
        Some(Cholesky { size, factor: matrix })
    }

    /// Solves with the factor alone, in place.
    pub(super) fn forward(&self, vector: &mut [f64]) {
        for row in 0..self.size {
            let line = &self.factor[row * self.size..=row * self.size + row];
            let sum: f64 = line[..row].iter().zip(&vector[..row]).map(|(a, b)| a * b).sum();
            vector[row] = (vector[row] - sum) / line[row];
        }
    }

    /// Solves with the matrix, in place.
    pub(super) fn solve(&self, vector: &mut [f64]) {
        self.forward(vector);
        for row in (0..self.size).rev() {
            let sum: f64 =
                (row + 1..self.size).map(|k| self.factor[k * self.size + row] * vector[k]).sum();
            vector[row] = (vector[row] - sum) / self.factor[row * self.size + row];
        }
    }

    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let size = self.size;
        // The inverse of the factor, as columns that are stored as rows.
        let mut columns = vec![0.0; size * size];
        for column in 0..size {
            let vector = &mut columns[column * size..(column + 1) * size];
            vector[column] = 1.0 / self.factor[column * size + column];
            for row in column + 1..size {
                let line = &self.factor[row * size..row * size + row];
                let sum: f64 =
                    line[column..].iter().zip(&vector[column..row]).map(|(a, b)| a * b).sum();
                vector[row] = -sum / self.factor[row * size + row];
            }
        }
        let mut inverse = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let (a, b) = (&columns[row * size..], &columns[column * size..]);
                let sum: f64 = (row..size).map(|k| a[k] * b[k]).sum();
                inverse[row * size + column] = sum;
                inverse[column * size + row] = sum;
            }
        }
        inverse
    }

    /// The logarithm of the determinant of the matrix.
    pub(super) fn log_determinant(&self) -> f64 {
        (0..self.size).map(|k| 2.0 * self.factor[k * self.size + k].ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_and_inverts() {
        let matrix = vec![4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let factor = Cholesky::new(3, matrix.clone()).unwrap();
        let mut vector = vec![1.0, -2.0, 0.5];
        factor.solve(&mut vector);
        for (row, right) in [1.0, -2.0, 0.5].into_iter().enumerate() {
            let left: f64 = (0..3).map(|k| matrix[row * 3 + k] * vector[k]).sum();
            assert!((left - right).abs() < 1e-12);
        }
        let inverse = factor.inverse();
        for row in 0..3 {
            for column in 0..3 {
                let one: f64 = (0..3).map(|k| matrix[row * 3 + k] * inverse[k * 3 + column]).sum();
                assert!((one - f64::from(u8::from(row == column))).abs() < 1e-12);
            }
        }
        assert!((factor.log_determinant() - 48.2_f64.ln()).abs() < 0.2);
        assert!(Cholesky::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
