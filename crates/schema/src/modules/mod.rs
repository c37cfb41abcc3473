//! The tables, one file per module.

pub mod apmpi;
pub mod apxc;
pub mod bgq;
pub mod daos;
pub mod dfs;
pub mod dxt;
pub mod h5d;
pub mod h5f;
pub mod heatmap;
pub mod lustre;
pub mod mdhim;
pub mod mpiio;
pub mod pnetcdf_file;
pub mod pnetcdf_var;
pub mod posix;
pub mod stdio;

use crate::module::{Layout, Module, ModuleId};

/// Every known module by its number. Number 0 is a template that no log contains.
pub static MODULES: [Option<&Module>; 18] = [
    None,
    Some(&posix::MODULE),
    Some(&mpiio::MODULE),
    Some(&h5f::MODULE),
    Some(&h5d::MODULE),
    Some(&pnetcdf_file::MODULE),
    Some(&pnetcdf_var::MODULE),
    Some(&bgq::MODULE),
    Some(&lustre::MODULE),
    Some(&stdio::MODULE),
    Some(&dxt::POSIX),
    Some(&dxt::MPIIO),
    Some(&mdhim::MODULE),
    Some(&apxc::MODULE),
    Some(&apmpi::MODULE),
    Some(&heatmap::MODULE),
    Some(&dfs::MODULE),
    Some(&daos::MODULE),
];

/// The known modules, in the order of their numbers.
pub fn modules() -> impl Iterator<Item = &'static Module> {
    MODULES.iter().copied().flatten()
}

/// The module that tools call `name`.
pub fn module_named(name: &str) -> Option<&'static Module> {
    modules().find(|module| module.name == name)
}

/// A module without a table of counters; its file says what its records are.
const fn special(
    id: u8,
    name: &'static str,
    versions: (u32, u32),
    layout: Layout,
    doc: &'static str,
) -> Module {
    let (version, newest) = versions;
    Module {
        id: ModuleId(id),
        name,
        version,
        newest,
        doc,
        layout,
        ints: &[],
        floats: &[],
        link: None,
        uuids: 0,
        words: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions() {
        for (number, module) in MODULES.iter().enumerate() {
            if let Some(module) = module {
                assert_eq!(module.id.index(), number, "{}", module.name);
            }
        }
    }

    #[test]
    fn floats_are_times_or_variances() {
        use crate::{Rule, Unit};
        for counter in MODULES.iter().flatten().flat_map(|module| module.floats) {
            let is_variance = match counter.unit {
                Unit::Seconds | Unit::Timestamp => false,
                Unit::SecondsSquared => counter.name.ends_with("_TIME"),
                Unit::BytesSquared => counter.name.ends_with("_BYTES"),
                unit => panic!("{}: {unit:?}", counter.name),
            };
            assert_eq!(counter.rule == Rule::Variance, is_variance, "{}", counter.name);
        }
    }

    #[test]
    fn record_sizes_of_old_versions() {
        for (module, version, size) in [
            (&posix::MODULE, 2, 648),
            (&posix::MODULE, 3, 664),
            (&mpiio::MODULE, 1, 544),
            (&mpiio::MODULE, 2, 544),
            (&h5f::MODULE, 1, 40),
            (&h5f::MODULE, 2, 56),
            (&h5d::MODULE, 1, 904),
            (&stdio::MODULE, 1, 240),
        ] {
            assert_eq!(module.record_size(version), size, "{} v{version}", module.name);
        }
    }
}
