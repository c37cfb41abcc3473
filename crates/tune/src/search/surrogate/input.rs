//! Points as a process sees them: dimensions with distances.

use crate::space::Space;

/// A point: all coordinates of all parameters.
pub(super) type Input = Vec<Dimension>;

/// A coordinate, or a word with its number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dimension {
    word: u16,
    coordinate: f64,
}

/// No word: the coordinate counts.
const NUMBER: u16 = u16::MAX;

impl Dimension {
    /// The square of the distance: that of coordinates, or 1 between different words.
    pub(super) fn apart(self, other: Dimension) -> f64 {
        if self.word == other.word { (self.coordinate - other.coordinate).powi(2) } else { 1.0 }
    }
}

/// The dimensions of a point.
pub(super) fn input(space: &Space, point: &[u16]) -> Input {
    let mut input = Input::new();
    for (axis, &value) in space.axes().iter().zip(point) {
        match &axis.coordinates[usize::from(value)] {
            Some(coordinates) => input.extend(
                coordinates.iter().map(|&coordinate| Dimension { word: NUMBER, coordinate }),
            ),
            None => {
                let word = Dimension { word: value, coordinate: 0.0 };
                input.extend(std::iter::repeat_n(word, axis.dimensions().max(1)));
            }
        }
    }
    input
}

/// For each dimension: it has words only.
pub(super) fn is_word(space: &Space) -> Vec<bool> {
    let axes = space.axes().iter();
    axes.flat_map(|axis| std::iter::repeat_n(axis.dimensions() == 0, axis.dimensions().max(1)))
        .collect()
}
