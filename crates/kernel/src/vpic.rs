//! VPIC: particles of a plasma. Each rank writes one contiguous slab of each of eight datasets.

use crate::shape::{Element, Part};

/// Position and momentum, and the parts of an id.
const DATASETS: [(&str, Element); 8] = [
    ("x", Element::Float),
    ("y", Element::Float),
    ("z", Element::Float),
    ("px", Element::Float),
    ("py", Element::Float),
    ("pz", Element::Float),
    ("id1", Element::Int),
    ("id2", Element::Int),
];

/// Particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vpic {
    /// Particles of a rank.
    pub particles: u64,
}

impl Default for Vpic {
    fn default() -> Self {
        Vpic { particles: 8 << 20 }
    }
}

impl Vpic {
    pub(crate) fn parts(&self, rank: u64, ranks: u64) -> Vec<Part> {
        let own = self.particles;
        let part = |(name, element)| Part {
            name,
            element,
            extent: vec![own.saturating_mul(ranks)],
            start: vec![own.saturating_mul(rank)],
            count: vec![own],
        };
        DATASETS.into_iter().map(part).collect()
    }
}
