//! Records out of the values that lines gave.

use ioglass_schema::mdhim::{self, Mdhim};
use ioglass_schema::{Base, ModuleId, apmpi, heatmap, lustre};

use super::shape::{COMPONENT_SLOTS, LUSTRE_HEAD, PLACE, TARGET, TARGET_BITS};
use super::strings::WordTable;
use super::value::{Component, DaosPlace};
use crate::error::{Error, LogRegion};
use crate::log_region::LARGEST_RECORD;
use crate::record::{
    ApmpiHeader, ApmpiRank, Heatmap, Lustre, LustreComponent, MdhimServers, RecordBuf,
};

/// Bytes that records without a fixed size may take together. Such a record is as large as the
/// highest number that a line names, so a few lines could ask for a log without end.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    used: u64,
}

impl Budget {
    /// Room for the log that a text of `size` bytes may become.
    pub(super) fn of_text(size: u64) -> Self {
        Self { limit: (64 << 20) + 64_u64.saturating_mul(size), used: 0 }
    }

    fn take(&mut self, module: ModuleId, size: u64) -> Result<(), Error> {
        self.used = self.used.saturating_add(size);
        let log_region = LogRegion::Module(module);
        if size > LARGEST_RECORD {
            return Err(Error::TooLarge { log_region, size, limit: LARGEST_RECORD });
        }
        if self.used > self.limit {
            return Err(Error::TooLarge { log_region, size: self.used, limit: self.limit });
        }
        Ok(())
    }
}

/// Values by slot.
type Cells<'c> = &'c mut dyn Iterator<Item = (u32, u64)>;

/// Fills a record made of counters.
pub(super) fn counters(record: &mut RecordBuf, base: Base, cells: Cells<'_>, places: &[DaosPlace]) {
    record.base = base;
    record.link.fill(0);
    record.int.fill(0);
    record.float.fill(0.0);
    record.uuids.fill([0; 16]);
    record.words.fill(0);
    let (ints, floats) = (record.int.len(), record.float.len());
    for (slot, value) in cells {
        if slot == PLACE {
            let place = places.get(value as usize).copied().unwrap_or_default();
            record.uuids.iter_mut().zip(place.uuids).for_each(|(own, uuid)| *own = uuid);
            record.words.iter_mut().zip(place.words).for_each(|(own, word)| *own = word);
            continue;
        }
        let slot = slot as usize;
        if let Some(int) = record.int.get_mut(slot) {
            *int = value.cast_signed();
        } else if let Some(float) = record.float.get_mut(slot - ints) {
            *float = f64::from_bits(value);
        } else if let Some(link) = record.link.get_mut(slot - ints - floats) {
            *link = value;
        }
    }
}

pub(super) fn mdhim(
    base: Base,
    cells: Cells<'_>,
    budget: &mut Budget,
) -> Result<MdhimServers, Error> {
    let mut record = Mdhim::new(base.id, base.rank);
    let (ints, floats) = (record.int.len(), record.float.len());
    let mut servers = Vec::new();
    for (slot, value) in cells {
        let slot = slot as usize;
        if let Some(int) = record.int.get_mut(slot) {
            *int = value.cast_signed();
        } else if let Some(float) = record.float.get_mut(slot - ints) {
            *float = f64::from_bits(value);
        } else {
            servers.push((slot - ints - floats, value.cast_signed()));
        }
    }
    // The histogram is as long as the counter says, and one server is stored even if none is.
    let named = servers.iter().map(|(server, _)| *server as i64 + 1).max().unwrap_or(0);
    let count = &mut record.int[mdhim::SERVERS];
    *count = named.max(*count);
    let stored = MdhimServers::stored_servers(&record);
    budget.take(mdhim::MODULE.id, stored.saturating_mul(8))?;
    let servers = filled(stored, servers);
    Ok(MdhimServers { record, servers })
}

pub(super) fn heatmap(base: Base, cells: Cells<'_>, budget: &mut Budget) -> Result<Heatmap, Error> {
    let mut map = Heatmap { base, bin_width: heatmap::FIRST_BIN_WIDTH, ..Heatmap::default() };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut bins = 0;
    for (slot, value) in cells {
        let Some(bin) = slot.checked_sub(1) else {
            map.bin_width = f64::from_bits(value);
            continue;
        };
        bins = bins.max(u64::from(bin / 2) + 1);
        let list = if bin % 2 == 0 { &mut reads } else { &mut writes };
        list.push((bin as usize / 2, value.cast_signed()));
    }
    budget.take(heatmap::MODULE.id, bins.saturating_mul(16))?;
    (map.reads, map.writes) = (filled(bins, reads), filled(bins, writes));
    Ok(map)
}

/// A list of `count` numbers; those not given are 0.
fn filled(count: u64, given: Vec<(usize, i64)>) -> Vec<i64> {
    let mut list = vec![0; count as usize];
    for (position, value) in given {
        if let Some(place) = list.get_mut(position) {
            *place = value;
        }
    }
    list
}

pub(super) fn apmpi_header(base: Base, cells: Cells<'_>) -> ApmpiHeader {
    let mut header = ApmpiHeader { base, ..ApmpiHeader::default() };
    for (slot, value) in cells {
        if let Some(variance) = header.variances.get_mut(slot as usize) {
            *variance = f64::from_bits(value);
        }
    }
    header
}

pub(super) fn apmpi_rank(base: Base, cells: Cells<'_>, words: &WordTable) -> ApmpiRank {
    let mut rank = ApmpiRank { base, ..ApmpiRank::default() };
    for (slot, value) in cells {
        let Some(mut slot) = (slot as usize).checked_sub(1) else {
            rank.node_name = words.get(value).into();
            continue;
        };
        if let Some(int) = rank.ints.get_mut(slot) {
            *int = value;
            continue;
        }
        slot -= rank.ints.len();
        let mut times = rank.times.iter_mut().chain(&mut rank.sync_times).chain(&mut rank.global);
        if let Some(time) = times.nth(slot) {
            *time = f64::from_bits(value);
        }
    }
    rank
}

/// Returns true if a value of a rank's record, or of the header, exists only where synchronisation was timed.
pub(super) fn is_sync(is_header: bool, slot: u32) -> bool {
    if is_header {
        return slot == 1;
    }
    let first = (1 + apmpi::INTS + apmpi::TIMES) as u32;
    let last_time = first + (apmpi::SYNC_TIMES + apmpi::GLOBAL_TIMES.len() - 1) as u32;
    (first..first + apmpi::SYNC_TIMES as u32).contains(&slot) || slot == last_time
}

/// A layout under construction.
#[derive(Debug, Default)]
struct LayoutParts {
    components: Vec<ComponentParts>,
    /// Component, position and target.
    targets: Vec<(usize, usize, i64)>,
    num_components: usize,
    num_stripes: Option<u64>,
}

#[derive(Debug, Default)]
struct ComponentParts {
    component: LustreComponent,
    counted: bool,
    /// Targets up to the highest that is named.
    named: u64,
}

impl LayoutParts {
    fn part(&mut self, number: usize) -> &mut ComponentParts {
        if self.components.len() <= number {
            self.components.resize_with(number + 1, ComponentParts::default);
        }
        &mut self.components[number]
    }

    fn set(&mut self, slot: u32, value: u64, words: &WordTable) {
        match slot {
            0 => self.num_components = value as usize,
            1 => self.num_stripes = Some(value),
            _ if slot & TARGET != 0 => {
                let number = ((slot & !TARGET) >> TARGET_BITS) as usize;
                let position = slot & ((1 << TARGET_BITS) - 1);
                self.add_target(number, u64::from(position), value.cast_signed());
            }
            _ => {
                let slot = slot - LUSTRE_HEAD;
                let field = (slot % COMPONENT_SLOTS) as usize;
                let part = self.part((slot / COMPONENT_SLOTS) as usize);
                if let Some(counter) = part.component.counters_mut().into_iter().nth(field) {
                    *counter = value.cast_signed();
                } else {
                    let pool = words.get(value);
                    let len = pool.len().min(lustre::POOL_SIZE);
                    part.component.pool[..len].copy_from_slice(&pool[..len]);
                }
                part.counted |= lustre::COMPONENT_COUNTERS.get(field) == Some(&"STRIPE_COUNT");
            }
        }
    }

    fn add_target(&mut self, number: usize, position: u64, target: i64) {
        let part = self.part(number);
        part.named = part.named.max(position + 1);
        self.targets.push((number, position as usize, target));
    }

    /// Puts the record together. Every component but the last has as many targets as it has
    /// stripes, because the targets of the next follow; the count of all stripes tells how many
    /// the last has.
    fn build(mut self, base: Base, budget: &mut Budget) -> Result<Lustre, Error> {
        if self.num_components > 0 {
            self.part(self.num_components - 1);
        }
        let mut starts = Vec::with_capacity(self.components.len());
        let mut stripes = 0_u64;
        let last = self.components.len().wrapping_sub(1);
        for (i, part) in self.components.iter_mut().enumerate() {
            let count = &mut part.component.stripe_count;
            let named = part.named.cast_signed();
            *count = if part.counted && part.named == 0 { *count } else { named.max(*count) };
            let mut width = u64::try_from(*count).unwrap_or(0);
            if let Some(all) = self.num_stripes
                && i == last
            {
                width = width.min(all.saturating_sub(stripes)).max(part.named);
            }
            starts.push(stripes);
            stripes = stripes.saturating_add(width);
        }
        let components = (self.components.len() * lustre::COMPONENT_SIZE) as u64;
        budget.take(lustre::MODULE.id, components.saturating_add(stripes.saturating_mul(8)))?;
        let mut osts = vec![0; stripes as usize];
        for (component, position, target) in self.targets {
            if let Some(place) = osts.get_mut(starts[component] as usize + position) {
                *place = target;
            }
        }
        let components = self.components.into_iter().map(|part| part.component).collect();
        Ok(Lustre { base, components, osts })
    }
}

pub(super) fn lustre(
    base: Base,
    cells: Cells<'_>,
    words: &WordTable,
    budget: &mut Budget,
) -> Result<Lustre, Error> {
    let mut parts = LayoutParts::default();
    for (slot, value) in cells {
        parts.set(slot, value, words);
    }
    parts.build(base, budget)
}

/// A layout from what a trace shows of it. What it does not show is unknown.
pub(super) fn traced_layout<'l>(
    id: u64,
    components: impl Iterator<Item = Component<'l>>,
    budget: &mut Budget,
) -> Result<Lustre, Error> {
    let mut layout = Lustre { base: Base { id, rank: -1 }, ..Lustre::default() };
    for shown in components {
        layout.osts.extend(shown.targets());
        layout.components.push(LustreComponent {
            stripe_size: shown.stripe_size,
            stripe_count: shown.stripe_count,
            pattern: -1,
            flags: -1,
            start: shown.start,
            end: shown.end,
            mirror: -1,
            pool: [0; lustre::POOL_SIZE],
        });
    }
    let size = layout.components.len() * lustre::COMPONENT_SIZE + layout.osts.len() * 8;
    budget.take(lustre::MODULE.id, size as u64)?;
    Ok(layout)
}
