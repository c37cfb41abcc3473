//! LUSTRE: how a file is laid out over storage targets.

use super::special;
use crate::module::{Layout, Module};

/// The module's table.
pub static MODULE: Module =
    special(8, "LUSTRE", (2, 2), Layout::Lustre, "Striping of files on a Lustre file system.");

/// Bytes of a record before its components: base, component count, stripe count.
pub const HEAD_SIZE: usize = 32;
/// Bytes of one component.
pub const COMPONENT_SIZE: usize = 72;
/// Bytes of a pool's name in a component.
pub const POOL_SIZE: usize = 16;
/// Bytes of a version 1 record before its targets.
pub const V1_HEAD_SIZE: usize = 56;

/// Name of the component count in text.
pub const NUM_COMPONENTS: &str = "LUSTRE_NUM_COMPONENTS";
/// Name of the stripe count of all components in text.
pub const NUM_STRIPES: &str = "LUSTRE_NUM_STRIPES";
/// Beginning of a component's names in text; its number, from 1, a `_` and a name follow.
pub const COMPONENT: &str = "LUSTRE_COMP";
/// A component's pool, as text names it after `LUSTRE_COMP<n>_`.
pub const POOL_NAME: &str = "POOL_NAME";
/// Names of a component's targets begin so after `LUSTRE_COMP<n>_`; a number follows.
pub const OST_ID: &str = "OST_ID_";

/// The integers of a component, as text names them after `LUSTRE_COMP<n>_`.
pub const COMPONENT_COUNTERS: [&str; 7] =
    ["STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_PATTERN", "FLAGS", "EXT_START", "EXT_END", "MIRROR_ID"];

/// Stripe patterns and the words for them.
pub const PATTERNS: [(i64, &str); 4] =
    [(0, "raid0"), (2, "mdt"), (4, "raid0,overstriped"), (8, "foreign")];

/// Flags of a component, lowest bit first.
pub const FLAGS: [&str; 12] = [
    "stale",
    "prefrd",
    "prefwr",
    "offline",
    "init",
    "nosync",
    "extension",
    "parity",
    "compress",
    "partial",
    "nocompr",
    "neg",
];
