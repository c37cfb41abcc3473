//! Shapes: what each rank writes in a step.

use crate::{Gcrm, Vorpal, Vpic};

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Floating-point numbers of 4 bytes.
    Float,
    /// Floating-point numbers of 8 bytes.
    Double,
    /// Integers of 4 bytes.
    Int,
}

impl Element {
    /// The bytes of one.
    pub const fn bytes(self) -> u64 {
        match self {
            Element::Float | Element::Int => 4,
            Element::Double => 8,
        }
    }
}

/// The part of a dataset that a rank writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name of the dataset in the group of the step.
    pub name: &'static str,
    /// The type of its elements.
    pub element: Element,
    /// Its lengths, slowest first.
    pub extent: Vec<u64>,
    /// Where the part begins.
    pub start: Vec<u64>,
    /// The lengths of the part.
    pub count: Vec<u64>,
}

impl Part {
    /// The elements of the part.
    pub fn points(&self) -> u64 {
        self.count.iter().product()
    }

    /// The bytes of the whole dataset.
    pub fn dataset_bytes(&self) -> u64 {
        self.extent.iter().fold(self.element.bytes(), |bytes, side| bytes.saturating_mul(*side))
    }
}

/// The pattern of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Particles.
    Vpic(Vpic),
    /// Blocks of a field.
    Vorpal(Vorpal),
    /// Ranges of a mesh.
    Gcrm(Gcrm),
}

/// A shape that these ranks cannot write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misfit(pub String);

impl Shape {
    /// The name of the kernel.
    pub const fn name(&self) -> &'static str {
        match self {
            Shape::Vpic(_) => "vpic",
            Shape::Vorpal(_) => "vorpal",
            Shape::Gcrm(_) => "gcrm",
        }
    }

    /// The steps that a run has unless it is told.
    pub const fn steps(&self) -> u64 {
        match self {
            Shape::Vpic(_) => 1,
            Shape::Vorpal(_) | Shape::Gcrm(_) => 4,
        }
    }

    /// The parts that a rank writes in a step.
    ///
    /// # Errors
    /// If so many ranks cannot write this shape; all of them get the same error.
    pub fn parts(&self, rank: u64, ranks: u64) -> Result<Vec<Part>, Misfit> {
        let parts = match self {
            Shape::Vpic(vpic) => vpic.parts(rank, ranks),
            Shape::Vorpal(vorpal) => vec![vorpal.part(rank, ranks)?],
            Shape::Gcrm(gcrm) => vec![gcrm.part(rank, ranks)?],
        };
        let too_large = |part: &Part| part.dataset_bytes() > i64::MAX as u64;
        match parts.iter().find(|part| too_large(part)) {
            Some(part) => Err(Misfit(format!("the dataset {} is too large", part.name))),
            None => Ok(parts),
        }
    }
}
