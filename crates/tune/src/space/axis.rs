//! The values of a parameter as places on a line.

use ioglass_param::{Kind, Value};

use super::{DEFAULT, Parameter};

/// A parameter as searchers see it: values by their places, and how near they are to each other.
#[derive(Debug, Clone)]
pub struct Axis {
    /// All values: those to search, then the default if it is not one of them.
    pub values: Vec<String>,
    /// The place of the default.
    pub default: u16,
    /// The number of values to search.
    pub searched: u16,
    /// For each value its coordinates from 0 to 1, one per number that it has. Values without are words,
    /// and as far from each other as can be.
    pub coordinates: Vec<Option<Vec<f64>>>,
}

impl Axis {
    pub(super) fn new(parameter: &Parameter) -> Axis {
        let mut values = parameter.values.clone();
        let searched = values.len() as u16;
        let default = values.iter().position(|value| *value == parameter.default);
        let default = default.unwrap_or_else(|| {
            values.push(parameter.default.clone());
            values.len() - 1
        });
        let coordinates = coordinates(&values);
        Axis { values, default: default as u16, searched, coordinates }
    }

    /// The default is one of the values to search.
    pub fn searches_default(&self) -> bool {
        self.default < self.searched
    }

    /// The number of coordinates of a value that has any.
    pub fn dimensions(&self) -> usize {
        self.coordinates.iter().flatten().map(Vec::len).max().unwrap_or(0)
    }
}

/// Coordinates of all values, if each is a number or as many numbers as the others.
fn coordinates(values: &[String]) -> Vec<Option<Vec<f64>>> {
    let words = vec![None; values.len()];
    let numbers: Vec<Option<Vec<f64>>> = values.iter().map(|value| numbers(value)).collect();
    let Some(dimensions) = numbers.iter().flatten().map(Vec::len).next() else { return words };
    let is_sound = values.iter().zip(&numbers).all(|(value, numbers)| match numbers {
        Some(numbers) => numbers.len() == dimensions,
        None => value == DEFAULT,
    });
    if !is_sound {
        return words;
    }
    let range = |dimension: usize| {
        let column = numbers.iter().flatten().map(|numbers| numbers[dimension]);
        column.fold((f64::MAX, f64::MIN), |(low, high), one| (low.min(one), high.max(one)))
    };
    // A dimension in which all are the same tells nothing.
    let ranges: Vec<_> =
        (0..dimensions).map(|d| (d, range(d))).filter(|(_, r)| r.0 < r.1).collect();
    if ranges.is_empty() {
        return words;
    }
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (dimension, _) in &ranges {
        let mut column: Vec<f64> = numbers.iter().flatten().map(|one| one[*dimension]).collect();
        column.sort_by(f64::total_cmp);
        column.dedup();
        columns.push(column);
    }
    // Half of a coordinate is the logarithm, half the place among all values: lists are closer where
    // values matter.
    let scaled = |numbers: Vec<f64>| {
        let parts = ranges.iter().zip(&columns);
        let parts = parts.map(|((dimension, (low, high)), column)| {
            let number = numbers[*dimension];
            let place = column.partition_point(|one| *one < number) as f64;
            ((number - low) / (high - low) + place / (column.len() - 1) as f64) / 2.0
        });
        parts.collect()
    };
    numbers.into_iter().map(|numbers| numbers.map(scaled)).collect()
}

/// The logarithms of the numbers of a value.
fn numbers(value: &str) -> Option<Vec<f64>> {
    const ANY: Kind = Kind::Bytes { min: 0, max: i64::MAX as u64, unit: 1 };
    let number = |part: &str| match ANY.parse(part) {
        Ok(Value::Number(number)) => Some(number as f64),
        _ => part.trim().parse::<f64>().ok().filter(|number| *number >= 0.0 && number.is_finite()),
    };
    value.split(',').map(|part| Some(number(part)?.ln_1p())).collect()
}
