//! Parts of a profile: what some of its ranks did.

use std::ops::Range;

use crate::build::Builder;
use crate::model::{Profile, Region};
use crate::{Groups, NoMemory};

impl Profile {
    /// The parts of these groups of ranks. Together they are the whole; what belongs to no rank is in
    /// the first of them.
    pub fn parts(&self, groups: Groups) -> impl Iterator<Item = Result<Self, NoMemory>> {
        let last = groups.count() - 1;
        (0..=last).map(move |group| {
            let ranks = groups.ranks(group);
            // A rank beyond those of the job is not lost.
            let end = if group == last { u32::MAX } else { ranks.end };
            let mut builder = Builder::default();
            builder.profile(self.part(&(ranks.start..end), group == 0))?;
            builder.finish()
        })
    }

    fn part(&self, ranks: &Range<u32>, is_first: bool) -> Self {
        // Processes are in the order of ranks, and rows in that of processes.
        let from = self.processes.partition_point(|process| process.rank < ranks.start);
        let to = self.processes.partition_point(|process| process.rank < ranks.end);
        let own = from as u32..to as u32;
        let rows = |region: &Region| {
            let from = region.rows.partition_point(|row| row.process < own.start);
            let to = region.rows.partition_point(|row| row.process < own.end);
            from..to
        };
        let has_tag = |region: &Region| region.tags.iter().any(|tag| ranks.contains(&tag.rank));
        let mut is_kept: Vec<bool> = self.regions.iter().map(has_tag).collect();
        for (region, is_kept) in self.regions.iter().zip(&mut is_kept) {
            *is_kept |= !rows(region).is_empty() || is_first && region.rows.is_empty();
        }
        if is_first {
            let noticed = self.notices.iter().filter_map(|notice| notice.region);
            noticed.for_each(|region| is_kept[region as usize] = true);
        }
        for at in (0..is_kept.len()).rev() {
            if let Some(parent) = self.regions[at].parent.filter(|_| is_kept[at]) {
                is_kept[parent as usize] = true;
            }
        }
        let mut places = vec![None; self.regions.len()];
        let mut regions = Vec::new();
        for (at, region) in self.regions.iter().enumerate().filter(|(at, _)| is_kept[*at]) {
            places[at] = Some(regions.len() as u32);
            let mut rows = region.rows[rows(region)].to_vec();
            rows.iter_mut().for_each(|row| row.process -= own.start);
            regions.push(Region {
                parent: region.parent.and_then(|parent| places[parent as usize]),
                name: region.name.clone(),
                kind: region.kind,
                file: region.file.clone(),
                line: region.line,
                tags: region.tags.iter().filter(|tag| ranks.contains(&tag.rank)).cloned().collect(),
                rows,
            });
        }
        let mut part = Self {
            head: self.head.clone(),
            processes: self.processes[from..to].to_vec(),
            metrics: self.metrics.clone(),
            regions,
            ..Self::default()
        };
        if is_first {
            part.outside.clone_from(&self.outside);
            part.overhead = self.overhead;
            part.lost = self.lost;
            part.notices.clone_from(&self.notices);
            for notice in &mut part.notices {
                notice.region = notice.region.and_then(|region| places[region as usize]);
            }
        }
        part
    }
}
