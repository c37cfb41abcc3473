//! Sets of modules and of ranks.

use ioglass_schema::{ModuleId, dxt, mpiio};

use super::{Fault, value};

/// Names of modules by their numbers. The schema has them too, but in tables that would have to be
/// relocated in every process.
const NAMES: [&str; 18] = [
    "",
    "POSIX",
    "MPI-IO",
    "H5F",
    "H5D",
    "PNETCDF_FILE",
    "PNETCDF_VAR",
    "BG/Q",
    "LUSTRE",
    "STDIO",
    "DXT_POSIX",
    "DXT_MPIIO",
    "MDHIM",
    "APXC",
    "APMPI",
    "HEATMAP",
    "DFS",
    "DAOS",
];

/// A set of modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modules(u64);

impl Modules {
    /// Every module.
    pub const ALL: Self = Self(!0);
    /// All but the traces.
    pub(super) const DEFAULT: Self =
        Self(!(1 << dxt::POSIX.id.index() | 1 << dxt::MPIIO.id.index()));

    /// Returns true if the module is in the set.
    #[inline]
    pub const fn has(self, module: ModuleId) -> bool {
        self.0 >> (module.0 & 63) & 1 != 0
    }

    /// The modules of a list such as `POSIX,STDIO` or `*`.
    pub(super) fn named(names: &[u8]) -> Option<Self> {
        let mut set = 0;
        for name in value::list(names) {
            set |= match name {
                b"*" => Self::ALL.0,
                b"MPIIO" => 1 << mpiio::MODULE.id.index(),
                name => 1 << NAMES.iter().position(|known| known.as_bytes() == name)?,
            };
        }
        (set != 0).then_some(Self(set))
    }

    pub(super) fn set(&mut self, modules: impl Into<Self>, on: bool) {
        let Self(bits) = modules.into();
        if on { self.0 |= bits } else { self.0 &= !bits }
    }
}

impl<const N: usize> From<[ModuleId; N]> for Modules {
    fn from(modules: [ModuleId; N]) -> Self {
        Self(modules.iter().fold(0, |set, module| set | 1 << module.index()))
    }
}

const MAX_RANGES: usize = 32;

/// Ranks, as ranges with both ends included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranges {
    ranges: [(i64, i64); MAX_RANGES],
    len: usize,
}

impl Ranges {
    pub(super) const NONE: Self = Self { ranges: [(0, 0); MAX_RANGES], len: 0 };

    /// Adds the ranges of a list such as `0,4:7,16:` or `*`.
    pub(super) fn add(&mut self, text: &[u8]) -> Result<(), Fault> {
        for element in value::list(text) {
            let range = range(element).ok_or(Fault::Value)?;
            *self.ranges.get_mut(self.len).ok_or(Fault::TooLong)? = range;
            self.len += 1;
        }
        Ok(())
    }

    pub(super) fn has(&self, rank: i64) -> bool {
        self.ranges[..self.len].iter().any(|&(low, high)| (low..=high).contains(&rank))
    }
}

fn range(text: &[u8]) -> Option<(i64, i64)> {
    let end = |text: &[u8], open: i64| {
        if text.is_empty() { Some(open) } else { i64::try_from(value::number(text)?).ok() }
    };
    if text == b"*" {
        return Some((0, i64::MAX));
    }
    match text.iter().position(|&byte| byte == b':') {
        Some(_) if text.len() == 1 => None,
        Some(colon) => Some((end(&text[..colon], 0)?, end(&text[colon + 1..], i64::MAX)?)),
        None => end(text, 0).map(|rank| (rank, rank)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_those_of_the_schema() {
        let names = ioglass_schema::MODULES.map(|module| module.map_or("", |module| module.name));
        assert_eq!(super::NAMES, names);
    }
}
