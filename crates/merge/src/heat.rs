//! Heat maps: all on one scale, no byte lost.

use std::collections::HashMap;
use std::fs::File;

use ioglass_log::{Heatmap, ModuleWriter, heatmap};

use crate::Result;
use crate::plan::{Key, Plan};
use crate::time::Shift;
use crate::write::Work;

/// A log has this many bins at most, unless one of its sources had more.
const MOST_BINS: usize = 200;

/// The scale of the new log.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    width: f64,
    bins: usize,
}

pub(crate) fn merge(work: &mut Work<'_>, out: &mut ModuleWriter<'_, File>) -> Result<()> {
    let mut keys: Vec<Key> = Vec::new();
    let mut needs = Needs { end: work.run_seconds(), ..Needs::default() };
    work.each_special(|map: Heatmap, place| {
        if !place.keeps(map.base.rank) {
            return Ok(());
        }
        keys.push((map.base.id, place.rank(map.base.rank)));
        needs.look_at(&map, place.shift);
        Ok(())
    })?;
    let scale = needs.scale();
    let mut plan = Plan::new(keys, 0);
    let mut held: HashMap<Key, Heatmap> = HashMap::new();
    let mut joined = 0;
    work.each_special(|map: Heatmap, place| {
        if !place.keeps(map.base.rank) {
            return Ok(());
        }
        let key = (map.base.id, place.rank(map.base.rank));
        let mut moved = scale.empty(&map, key.1);
        scale.add(&map, place.shift, &mut moved);
        if let Some(left) = plan.left(key) {
            if let Some(before) = held.remove(&key) {
                scale.add(&before, Shift::new(0), &mut moved);
                joined += 1;
            }
            if left > 0 {
                held.insert(key, moved);
                return Ok(());
            }
        }
        Ok(out.record(&moved)?)
    })?;
    work.summary.joined += joined;
    Ok(())
}

/// The requirements of a scale.
#[derive(Debug, Clone, Copy, Default)]
struct Needs {
    width: f64,
    /// Seconds.
    end: f64,
    most_bins: usize,
}

impl Needs {
    fn look_at(&mut self, map: &Heatmap, shift: Shift) {
        if !is_sound(map) {
            return;
        }
        self.width = self.width.max(map.bin_width);
        self.most_bins = self.most_bins.max(map.writes.len());
        let used = |bins: &[i64]| bins.iter().rposition(|bytes| *bytes != 0);
        if let Some(last) = used(&map.writes).max(used(&map.reads)) {
            self.end = self.end.max(middle(last, map, shift));
        }
    }

    fn scale(&self) -> Scale {
        let most = self.most_bins.max(MOST_BINS);
        let mut width = if self.width > 0.0 { self.width } else { heatmap::FIRST_BIN_WIDTH };
        // The end of what is used lies in the last bin, not behind it.
        let bins = |width: f64| (self.end / width).floor() as usize + 1;
        while bins(width) > most {
            width *= 2.0;
        }
        Scale { width, bins: bins(width) }
    }
}

impl Scale {
    fn empty(self, like: &Heatmap, rank: i64) -> Heatmap {
        let mut base = like.base;
        base.rank = rank;
        let bins = vec![0; self.bins];
        Heatmap { base, bin_width: self.width, writes: bins.clone(), reads: bins }
    }

    /// Adds the bytes of a map, each bin's to where its middle is.
    fn add(self, map: &Heatmap, shift: Shift, to: &mut Heatmap) {
        for (from, to) in [(&map.writes, &mut to.writes), (&map.reads, &mut to.reads)] {
            for (bin, bytes) in from.iter().enumerate().filter(|(_, bytes)| **bytes != 0) {
                let place = (middle(bin, map, shift) / self.width) as usize;
                let place = place.min(self.bins - 1);
                to[place] = to[place].saturating_add(*bytes);
            }
        }
    }
}

/// The middle of a bin, in seconds since the job began.
fn middle(bin: usize, map: &Heatmap, shift: Shift) -> f64 {
    if is_sound(map) { shift.seconds() + (bin as f64 + 0.5) * map.bin_width } else { 0.0 }
}

/// Returns true if its bins have a width, so that there is a time for each.
fn is_sound(map: &Heatmap) -> bool {
    map.bin_width.is_finite() && map.bin_width > 1e-9 && map.bin_width < 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: f64, writes: &[i64]) -> Heatmap {
        let reads = vec![0; writes.len()];
        Heatmap { bin_width: width, writes: writes.into(), reads, ..Heatmap::default() }
    }

    fn merged(maps: &[(Heatmap, Shift)], run: f64) -> Heatmap {
        let mut needs = Needs { end: run, ..Needs::default() };
        maps.iter().for_each(|(map, shift)| needs.look_at(map, *shift));
        let scale = needs.scale();
        let mut all = scale.empty(&maps[0].0, 3);
        maps.iter().for_each(|(map, shift)| scale.add(map, *shift, &mut all));
        all
    }

    #[test]
    fn a_map_that_is_not_moved_stays() {
        let one = map(0.1, &[1, 2, 0, 4]);
        let same = merged(&[(one.clone(), Shift::new(0))], 0.35);
        assert_eq!((same.bin_width, &same.writes, same.base.rank), (0.1, &one.writes, 3));
    }

    #[test]
    fn moved_and_widened_maps_keep_their_bytes() {
        let early = map(0.1, &[1, 2, 3, 4]);
        let late = map(0.2, &[10, 20]);
        let all = merged(&[(early, Shift::new(0)), (late, Shift::new(1_000_000_000))], 1.3);
        assert_eq!((all.bin_width, &all.writes[..]), (0.2, &[3, 7, 0, 0, 0, 10, 20][..]));
        let hours = map(0.1, &[5]);
        let all = merged(&[(map(0.1, &[1]), Shift::new(0)), (hours, Shift::new(3_600 << 30))], 0.1);
        assert!(all.writes.len() <= 200 && all.writes.iter().sum::<i64>() == 6);
        let broken = merged(&[(map(f64::NAN, &[7, 1]), Shift::new(5))], 0.1);
        assert_eq!(broken.writes.iter().sum::<i64>(), 8);
    }
}
