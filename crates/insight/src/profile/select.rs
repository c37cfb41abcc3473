//! The regions that are asked for, in the order that is asked for.

use std::cmp::Reverse;

use ioglass_profile::{Measure, Set};

/// The order of siblings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// By time.
    #[default]
    Time,
    /// By visits.
    Calls,
    /// By the sum of a metric.
    Metric(u32),
}

impl Sort {
    /// The order with this name: `time`, `calls` or a metric, with or without its unit.
    pub fn of(set: &Set, name: &str) -> Option<Self> {
        match name {
            "time" => Some(Self::Time),
            "calls" => Some(Self::Calls),
            _ => {
                let is_named = |metric: &Vec<u8>| {
                    let metric = String::from_utf8_lossy(metric);
                    metric == name || unit(&metric).0 == name
                };
                let at = set.profile().metrics.iter().position(is_named)?;
                Some(Self::Metric(at as u32))
            }
        }
    }
}

/// A metric's name and its unit, which stands in brackets at the end.
pub fn unit(name: &str) -> (&str, Option<&str>) {
    let parts = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    match parts {
        Some((before, unit)) if !before.trim().is_empty() => (before.trim_end(), Some(unit)),
        _ => (name, None),
    }
}

/// The region with this path: names joined by `/`; a `/` or `\` in a name has a `\` before it.
pub fn find(set: &Set, path: &str) -> Option<u32> {
    let regions = &set.profile().regions;
    let mut at: Option<u32> = None;
    for name in split(path) {
        let is_named = |number: &u32| {
            let region = &regions[*number as usize];
            region.parent == at
                && (region.name == name.as_bytes() || String::from_utf8_lossy(&region.name) == name)
        };
        at = Some((0..regions.len() as u32).find(is_named)?);
    }
    at
}

fn split(path: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        match (letter, names.last_mut()) {
            ('/', _) => names.push(String::new()),
            ('\\', Some(last)) => last.extend(letters.next()),
            (letter, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    names
}

/// A path as [`find`] takes it.
pub fn joined(names: &[String]) -> String {
    let escaped = names.iter().map(|name| name.replace('\\', "\\\\").replace('/', "\\/"));
    escaped.collect::<Vec<_>>().join("/")
}

/// The regions from `only` on, down to `depth` levels, parents first and siblings in order.
pub fn select(set: &Set, only: Option<u32>, depth: Option<usize>, sort: Sort) -> Vec<u32> {
    let regions = &set.profile().regions;
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); regions.len()];
    let mut outermost = Vec::new();
    for (region, number) in regions.iter().zip(0..) {
        match region.parent {
            Some(parent) => children[parent as usize].push(number),
            None => outermost.push(number),
        }
    }
    // Siblings are in the order of time already, but that of equal keys stays.
    let key = |number: &u32| {
        let total = &set.summaries()[*number as usize].total;
        match sort {
            Sort::Time => f64_key(total.time_ns as f64),
            Sort::Calls => f64_key(total.calls as f64),
            Sort::Metric(metric) => {
                let own = total.metrics.iter().find(|own| own.metric == metric);
                own.map_or(i64::MIN, |own| match own.measure {
                    Measure::Count { sum, .. } => f64_key(sum as f64),
                    Measure::Value { sum, .. } => f64_key(sum),
                })
            }
        }
    };
    children.iter_mut().for_each(|list| list.sort_by_key(|number| Reverse(key(number))));
    outermost.sort_by_key(|number| Reverse(key(number)));
    let begin = only.map_or(outermost, |only| vec![only]);
    let mut waiting: Vec<(u32, usize)> =
        begin.into_iter().rev().map(|number| (number, 1)).collect();
    let mut selected = Vec::new();
    while let Some((number, level)) = waiting.pop() {
        if depth.is_some_and(|depth| level > depth) {
            continue;
        }
        selected.push(number);
        waiting.extend(children[number as usize].iter().rev().map(|child| (*child, level + 1)));
    }
    selected
}

/// A number by which floating point is ordered.
fn f64_key(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN ^ bits ^ -1 } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_units() {
        assert_eq!(split(r"main/a\/b\\c"), ["main", r"a/b\c"]);
        assert_eq!(joined(&["main".into(), r"a/b\c".into()]), r"main/a\/b\\c");
        assert_eq!(unit("residual [m/s]"), ("residual", Some("m/s")));
        assert_eq!(unit("cells"), ("cells", None));
        assert_eq!(unit("[x]"), ("[x]", None));
        let mut list = [3.0, -2.0, 0.5, -7.0];
        list.sort_by_key(|value| f64_key(*value));
        assert_eq!(list, [-7.0, -2.0, 0.5, 3.0]);
    }
}
