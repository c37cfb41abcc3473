//! Profiles in the formats of other tools.
//!
//! Names may be any bytes, and each format escapes them in its own way. None of them lets a control
//! character through to a terminal.

mod caliper;
mod chrome;
mod hatchet;
mod parquet;
mod pprof;
mod stacks;
mod tinyprof;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use ioglass_profile::Set;

use super::json::lossy;
use super::rows::{self, Key};
use super::{By, Selection, deep};

pub use caliper::{cali, caliper_json};
pub use chrome::chrome;
pub use hatchet::{hatchet, hatchet_literal};
pub use parquet::parquet;
pub use pprof::pprof;
pub use stacks::{folded, speedscope};
pub use tinyprof::{ParseError, parse_tinyprof, tinyprof};

/// More ranks than any job has: beyond it, ranks without a region are left out.
const RANKS: u32 = 1 << 20;

/// What becomes of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Each has its own figures.
    All,
    /// The sum of all.
    Sum,
    /// The sum divided by the ranks of the job.
    Mean,
    /// The slowest of each region.
    Max,
}

/// The figures of a region at one place.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    calls: f64,
    time_ns: f64,
    exclusive_ns: f64,
}

/// The figures of all regions.
struct Table<'s> {
    set: &'s Set,
    /// The dimensions that are kept apart.
    by: Vec<By>,
    /// For each region of the profile, in order.
    values: Vec<BTreeMap<Key, Value>>,
}

impl<'s> Table<'s> {
    fn new(set: &'s Set, by: &[By], together: Together) -> Self {
        let mut dimensions = by.to_vec();
        if together == Together::All {
            dimensions.push(By::Rank);
        }
        dimensions.sort();
        dimensions.dedup();
        if together != Together::All {
            dimensions.retain(|by| *by != By::Rank);
        }
        // The slowest rank must be found before ranks are put together.
        let mut read = dimensions.clone();
        if together == Together::Max {
            read.insert(0, By::Rank);
        }
        let selection = Selection { by: read, ..Selection::default() };
        let ranks = f64::from(set.profile().head.ranks.max(1));
        let mut values = Vec::new();
        for region in 0..set.profile().regions.len() as u32 {
            let mut own: BTreeMap<Key, Value> = BTreeMap::new();
            for (key, sums) in rows::of(set, region, &selection) {
                let value = Value {
                    calls: sums.figures.calls as f64,
                    time_ns: sums.figures.time_ns as f64,
                    // Of a single iteration it is not known.
                    exclusive_ns: match sums.io_total {
                        Some(_) => sums.figures.time_ns as f64,
                        None => sums.figures.exclusive_ns as f64,
                    },
                };
                match together {
                    Together::All | Together::Sum => drop(own.insert(key, value)),
                    Together::Mean => {
                        let [calls, time_ns, exclusive_ns] =
                            [value.calls, value.time_ns, value.exclusive_ns].map(|sum| sum / ranks);
                        own.insert(key, Value { calls, time_ns, exclusive_ns });
                    }
                    Together::Max => {
                        let known = own.entry(Key { rank: None, ..key }).or_default();
                        if value.time_ns >= known.time_ns {
                            *known = value;
                        }
                    }
                }
            }
            values.push(own);
        }
        Self { set, by: dimensions, values }
    }

    /// All places of the profile: with ranks alone all ranks of the job, also those without a region.
    fn keys(&self) -> Vec<Key> {
        let mut keys: BTreeSet<Key> =
            self.values.iter().flat_map(BTreeMap::keys).copied().collect();
        if self.by == [By::Rank] {
            let ranks = 0..self.set.profile().head.ranks.min(RANKS);
            keys.extend(ranks.map(|rank| Key { rank: Some(rank), ..Key::default() }));
        }
        if keys.is_empty() {
            keys.insert(Key::default());
        }
        keys.into_iter().collect()
    }

    fn name(&self, region: usize) -> String {
        lossy(&self.set.profile().regions[region].name)
    }

    fn parent(&self, region: usize) -> Option<usize> {
        self.set.profile().regions[region].parent.map(|parent| parent as usize)
    }

    /// The regions from the outermost one to this one.
    fn path(&self, region: usize) -> Vec<usize> {
        let mut path = vec![region];
        while let Some(parent) = path.last().and_then(|last| self.parent(*last)) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// An error if the paths of all places are too long to be written. `name` is the number of bytes of
    /// a region's name in a path.
    fn check_depth(&self, name: impl Fn(usize) -> usize) -> io::Result<()> {
        let regions = 0..self.values.len();
        deep::check(self.set, regions, name, |region| self.values[region].len())
    }

    fn children(&self) -> Vec<Vec<usize>> {
        let count = self.set.profile().regions.len();
        let mut children = vec![Vec::new(); count];
        for region in 0..count {
            if let Some(parent) = self.parent(region) {
                children[parent].push(region);
            }
        }
        children
    }
}

/// The number of a place in one dimension.
fn part(key: &Key, by: By) -> Option<u64> {
    match by {
        By::Rank => key.rank.map(u64::from),
        By::Thread => key.thread.map(u64::from),
        By::Execution => key.execution.map(u64::from),
        By::Iteration => key.iteration,
    }
}

/// Text for formats that have no escape for characters that control a terminal or reverse the direction
/// of text: these are written as JSON would, so that two names stay two.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\n' | '\t') || !crate::text::is_harmful(c) {
            visible.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            visible.push_str(&format!("\\u{unit:04x}"));
        }
    }
    visible
}

fn seconds(ns: f64) -> f64 {
    ns / 1e9
}
