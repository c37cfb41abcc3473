//! APXC (AutoPerf): tile counters of Cray XC routers. Only old logs have it.

use super::special;
use crate::module::{Layout, Module};

/// The module's table.
pub static MODULE: Module =
    special(13, "APXC", (1, 1), Layout::Apxc, "Network tile counters of Cray XC routers.");

/// Bytes of the header record.
pub const HEADER_SIZE: usize = 72;
/// Bytes of a router's record.
pub const RECORD_SIZE: usize = 3184;
/// Counters of a router.
pub const COUNTERS: usize = 392;
/// `AUTOPERF` as a number, first letter highest.
pub const MAGIC: i64 = 0x4155_544F_5045_5246;

/// Words for the header's memory mode.
pub const MEMORY_MODES: [&str; 5] = ["unknown", "flat", "equal", "split", "cache"];
/// Words for the header's cluster mode.
pub const CLUSTER_MODES: [&str; 6] = ["unknown", "all2all", "quad", "hemi", "snc4", "snc2"];
/// Set in a mode when the nodes of the job did not agree.
pub const NON_UNIFORM: i64 = 1 << 31;

/// Counters of a router tile: flits on eight channels, then stalls.
const ROUTER_TILE: usize = 9;
/// Router tiles, which come first.
const ROUTER_TILES: usize = 40;
/// Counters of a processor tile: flits on two channels, then two kinds of stalls.
const PROCESSOR_TILE: usize = 4;

/// Returns true if counter `index` of a router counts stalls; the others count flits.
pub const fn is_stall(index: usize) -> bool {
    if index < ROUTER_TILES * ROUTER_TILE {
        index % ROUTER_TILE == ROUTER_TILE - 1
    } else {
        (index - ROUTER_TILES * ROUTER_TILE) % PROCESSOR_TILE >= 2
    }
}

/// The word for a mode of the header.
pub fn mode<'w>(words: &[&'w str], mode: i64) -> &'w str {
    if mode & NON_UNIFORM != 0 {
        return "mixed";
    }
    usize::try_from(mode).ok().and_then(|mode| words.get(mode).copied()).unwrap_or("unknown")
}
