//! Records with shapes of their own.

use ioglass_schema::Base;
use ioglass_schema::apmpi::{INTS, NODE_NAME_SIZE, SYNC_TIMES, TIMES};
use ioglass_schema::apxc;
use ioglass_schema::dxt::{HOSTNAME_SIZE, SEGMENT_SIZE};
use ioglass_schema::lustre::{COMPONENT_SIZE, POOL_SIZE};
use ioglass_schema::mdhim::{self, Mdhim};

use super::Cursor;
use crate::bytes::{Order, until_nul};
use crate::record::{
    ApmpiHeader, ApmpiRank, ApxcHeader, ApxcRouter, DxtHead, Heatmap, Lustre, LustreComponent,
    MdhimServers, Segment,
};

impl ApmpiHeader {
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        let base = Base { id: cursor.u64(), rank: cursor.i64() };
        cursor.i64(); // magic
        let sync = cursor.u32();
        cursor.u32();
        Self { base, sync, variances: [cursor.f64(), cursor.f64()] }
    }
}

impl ApmpiRank {
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        Self {
            base: Base { id: cursor.u64(), rank: cursor.i64() },
            ints: (0..INTS).map(|_| cursor.u64()).collect(),
            times: (0..TIMES).map(|_| cursor.f64()).collect(),
            sync_times: (0..SYNC_TIMES).map(|_| cursor.f64()).collect(),
            global: [cursor.f64(), cursor.f64()],
            node_name: until_nul(&cursor.array::<NODE_NAME_SIZE>()).into(),
        }
    }
}

impl ApxcHeader {
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        let base = Base { id: cursor.u64(), rank: cursor.i64() };
        cursor.i64(); // magic
        Self {
            base,
            blades: cursor.i64(),
            chassis: cursor.i64(),
            groups: cursor.i64(),
            memory_mode: cursor.i64(),
            cluster_mode: cursor.i64(),
            appid: cursor.u64(),
        }
    }
}

impl ApxcRouter {
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        Self {
            base: Base { id: cursor.u64(), rank: cursor.i64() },
            place: [cursor.i64(), cursor.i64(), cursor.i64(), cursor.i64()],
            counters: (0..apxc::COUNTERS).map(|_| cursor.u64()).collect(),
        }
    }
}

impl DxtHead {
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        Self {
            base: Base { id: cursor.u64(), rank: cursor.i64() },
            shared: cursor.i64(),
            hostname: until_nul(&cursor.array::<HOSTNAME_SIZE>()).into(),
            // A negative count is a lie that reads as one too large for any log region.
            writes: cursor.u64(),
            reads: cursor.u64(),
        }
    }
}

impl Segment {
    #[inline]
    pub(crate) fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        Self { offset: cursor.i64(), length: cursor.i64(), start: cursor.f64(), end: cursor.f64() }
    }

    /// Appends all segments in `bytes`, which stand close together.
    pub(crate) fn decode_all(bytes: &[u8], order: Order, segments: &mut Vec<Self>) {
        let (stored, _) = bytes.as_chunks::<SEGMENT_SIZE>();
        // One loop for each order, so that neither asks for it at every number.
        match order {
            Order::Little => {
                segments.extend(stored.iter().map(|bytes| Self::decode(bytes, Order::Little)));
            }
            Order::Big => {
                segments.extend(stored.iter().map(|bytes| Self::decode(bytes, Order::Big)));
            }
        }
    }
}

impl Heatmap {
    /// Reads the fixed part; the second value is the number of bins that follow, twice.
    pub(crate) fn decode_head(bytes: &[u8], order: Order) -> (Self, i64) {
        let mut cursor = Cursor::new(bytes, order);
        let base = Base { id: cursor.u64(), rank: cursor.i64() };
        let head = Self { base, bin_width: cursor.f64(), ..Self::default() };
        (head, cursor.i64())
    }

    pub(crate) fn decode_bins(&mut self, bytes: &[u8], order: Order) {
        let bins = bytes.len() / 16;
        let mut cursor = Cursor::new(bytes, order);
        self.writes = (0..bins).map(|_| cursor.i64()).collect();
        self.reads = (0..bins).map(|_| cursor.i64()).collect();
    }

    /// Some runtimes (3.4.0 to 3.4.3) disagreed by one bin between ranks: follow the first record.
    pub(crate) fn align_with(&mut self, first: &(usize, f64)) {
        let (bins, width) = *first;
        if self.bin_width == width && self.writes.len().abs_diff(bins) == 1 {
            self.writes.resize(bins, 0);
            self.reads.resize(bins, 0);
        }
    }
}

impl Lustre {
    /// A version 1 record has one component and says less about it.
    pub(crate) fn decode_v1(head: &[u8], targets: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(head, order);
        let base = Base { id: cursor.u64(), rank: cursor.i64() };
        cursor.array::<24>(); // number of OSTs and MDTs, stripe offset
        let component = LustreComponent {
            stripe_size: cursor.i64(),
            stripe_count: cursor.i64(),
            pattern: -1,
            flags: -1,
            start: 0,
            end: -1,
            mirror: -1,
            pool: [0; POOL_SIZE],
        };
        Self { base, components: vec![component], osts: decode_targets(targets, order) }
    }

    pub(crate) fn decode(base: Base, components: &[u8], targets: &[u8], order: Order) -> Self {
        let mut components: Vec<LustreComponent> = components
            .chunks_exact(COMPONENT_SIZE)
            .map(|bytes| LustreComponent::decode(bytes, order))
            .collect();
        // The runtime marks components it did not use; memory-mapped logs still contain them.
        if let Some(used) = components.iter().position(|component| component.stripe_size == -1) {
            components.truncate(used);
            components.shrink_to_fit();
        }
        let stripes = components
            .iter()
            .fold(0_i64, |stripes, component| stripes.saturating_add(component.stripe_count));
        let named = usize::try_from(stripes).unwrap_or(0).saturating_mul(8).min(targets.len());
        Self { base, components, osts: decode_targets(&targets[..named], order) }
    }
}

impl LustreComponent {
    fn decode(bytes: &[u8], order: Order) -> Self {
        let mut cursor = Cursor::new(bytes, order);
        Self {
            stripe_size: cursor.i64(),
            stripe_count: cursor.i64(),
            pattern: cursor.i64(),
            flags: cursor.i64(),
            start: cursor.i64(),
            end: cursor.i64(),
            mirror: cursor.i64(),
            pool: cursor.array(),
        }
    }
}

fn decode_targets(bytes: &[u8], order: Order) -> Vec<i64> {
    bytes.chunks_exact(8).map(|bytes| Cursor::new(bytes, order).i64()).collect()
}

impl MdhimServers {
    /// Entries stored behind the counters: one even if there is no server.
    pub(crate) fn stored_servers(record: &Mdhim) -> u64 {
        record.int[mdhim::SERVERS].max(1).cast_unsigned()
    }
}
