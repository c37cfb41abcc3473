//! Facts about a run that the analysis of its trace needs.

use std::collections::HashMap;

use crate::model::{File, Run, Stripes};
use crate::threshold::Thresholds;

/// Facts from the rest of the recording.
#[derive(Debug, Clone, Default)]
pub struct TraceContext {
    /// Seconds the run took.
    pub run_time: f64,
    /// Layouts of files on Lustre, by id.
    pub layouts: HashMap<u64, FileLayout>,
    /// Alignments of files without a layout, by id.
    pub alignments: HashMap<u64, u64>,
    /// Limits of small requests and the like.
    pub limits: TraceLimits,
}

/// Limits that decide what is counted while a trace is gone through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TraceLimits {
    /// Requests below this are small.
    pub small: u64,
    /// Requests that small ones could be merged to.
    pub merged: u64,
    /// Extents below this are taken for metadata if nearly all ranks read them.
    pub common: u64,
    /// The part of ranks that is nearly all.
    pub nearly_all: f64,
}

impl TraceLimits {
    /// Limits of a diagnosis.
    pub fn of(thresholds: &Thresholds) -> Self {
        Self {
            small: thresholds.small_bytes as u64,
            merged: (thresholds.coalescable_bytes as u64).max(1),
            common: thresholds.meta_all_ranks_bytes as u64,
            nearly_all: thresholds.meta_all_ranks_part,
        }
    }
}

impl Default for TraceLimits {
    fn default() -> Self {
        Self::of(&Thresholds::default())
    }
}

impl TraceContext {
    /// Gathers the facts of a run.
    pub fn of(run: &Run, thresholds: &Thresholds) -> Self {
        let layout = |file: &File| Some((file.id, FileLayout::of(file.stripes.as_ref()?)));
        let alignment = |file: &File| Some((file.id, file.posix.as_deref()?.alignment));
        Self {
            run_time: run.run_time,
            layouts: run.files.iter().filter_map(layout).collect(),
            alignments: run.files.iter().filter_map(alignment).collect(),
            limits: TraceLimits::of(thresholds),
        }
    }

    /// The unit of a file, 0 if not known, and true if it is a stripe.
    pub(super) fn unit(&self, id: u64) -> (u64, bool) {
        match self.layouts.get(&id).and_then(|layout| layout.parts.first()) {
            Some(part) => (part.unit, true),
            None => (self.alignments.get(&id).copied().unwrap_or(0), false),
        }
    }
}

/// The layout of a file on storage targets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLayout {
    /// Its parts in order, no two of the same bytes.
    pub parts: Vec<LayoutPart>,
}

/// A part of a file with one way of striping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutPart {
    /// First byte.
    pub start: u64,
    /// First byte after it.
    pub stop: u64,
    /// Bytes in a stripe, at least 1.
    pub unit: u64,
    /// Targets in turn; empty if they are not known.
    pub targets: Vec<u32>,
}

impl FileLayout {
    /// The layout of a file. Of mirrors, the first counts.
    pub(crate) fn of(stripes: &Stripes) -> Self {
        let mut parts: Vec<LayoutPart> = Vec::new();
        for component in stripes.components.iter().filter(|component| component.size > 0) {
            let covered = parts.last().map_or(0, |part| part.stop);
            let (start, stop) = (component.start.max(covered), component.end);
            if start < stop {
                let targets = component.targets.iter();
                let targets = targets.filter_map(|target| u32::try_from(*target).ok()).collect();
                parts.push(LayoutPart { start, stop, unit: component.size, targets });
            }
        }
        Self { parts }
    }

    /// The part that holds a byte.
    pub(super) fn part_at(&self, offset: u64) -> Option<&LayoutPart> {
        let next = self.parts.partition_point(|part| part.stop <= offset);
        self.parts.get(next).filter(|part| part.start <= offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Component;

    #[test]
    fn parts_follow_each_other_and_mirrors_are_left_out() {
        let component = |start, end, size, targets: &[i64]| Component {
            start,
            end,
            size,
            targets: targets.into(),
            count: targets.len() as u64,
        };
        let stripes = Stripes {
            components: smallvec::smallvec![
                component(0, 4096, 1024, &[7]),
                component(4096, u64::MAX, 2048, &[8, 9]),
                component(0, u64::MAX, 512, &[10]),
                component(0, u64::MAX, 0, &[11]),
            ],
        };
        let layout = FileLayout::of(&stripes);
        assert_eq!(layout.parts.len(), 2);
        assert_eq!(layout.part_at(4095).unwrap().targets, [7]);
        assert_eq!(layout.part_at(4096).unwrap().targets, [8, 9]);
        assert_eq!(FileLayout::default().part_at(0), None);
    }
}
