//! Datasets of HDF5 and variables of PnetCDF.

use smallvec::SmallVec;

use super::usage::Usage;

/// Dimensions that a record has room for.
pub const DIMENSIONS: usize = 5;

/// A dataset of HDF5, or a variable of PnetCDF.
#[derive(Debug, Clone, Default)]
pub struct Dataset {
    /// Record id.
    pub id: u64,
    /// Its name, as a rule the file's path, a colon and the path inside; not to be trusted.
    pub name: String,
    /// The file it is in, if that is known.
    pub file: Option<u64>,
    /// It belongs to PnetCDF.
    pub is_pnetcdf: bool,
    /// Its usage.
    pub usage: Usage,
    /// Bytes of an element.
    pub element: u64,
    /// Number of its elements; 0 if not known.
    pub points: u64,
    /// Elements of a chunk along each dimension, as a program has them; 0 where there are none.
    pub chunk: [u64; DIMENSIONS],
    /// Number of its dimensions, at most [`DIMENSIONS`].
    pub dimensions: usize,
    /// The commonest accesses: elements along each dimension in the same order, and how often.
    pub accesses: SmallVec<[([u64; DIMENSIONS], u64); 4]>,
    /// Accesses by a list of points.
    pub point_selections: u64,
    /// Accesses by an irregular selection.
    pub irregular_selections: u64,
    /// Accesses were collective.
    pub is_collective: bool,
    /// Functions of old versions were used.
    pub is_deprecated: bool,
}

impl Dataset {
    /// Its name if all dimensions are in the record, so that a command on it can be complete; else
    /// empty.
    pub fn known_name(&self) -> &str {
        let told = self
            .accesses
            .first()
            .map_or(0, |(sides, _)| sides.iter().filter(|side| **side > 0).count());
        if told == self.dimensions && told < DIMENSIONS { &self.name } else { "" }
    }

    /// Bytes of a chunk, if there are chunks.
    pub fn chunk_bytes(&self) -> Option<u64> {
        let sides = self.chunk.iter().copied().filter(|side| *side > 0);
        let elements = sides.reduce(u64::saturating_mul)?;
        Some(elements.saturating_mul(self.element.max(1)))
    }
}
