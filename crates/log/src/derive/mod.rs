//! Figures computed from a module's records: totals, performance, kinds of files.

mod files;
mod performance;
mod total;

use ioglass_schema::{Module, RecordRef, daos, dfs, mpiio, posix, stdio};

use crate::error::{Damage, Error, LogRegion};
use crate::read::Log;
use crate::reduce::Landmarks;

use files::FilesBuilder;
pub use files::{FileGroup, FileGroups};
pub use performance::Performance;
use performance::PerformanceBuilder;
use total::Total;

/// Modules that have figures.
static MODULES: [&Module; 5] =
    [&posix::MODULE, &mpiio::MODULE, &stdio::MODULE, &dfs::MODULE, &daos::MODULE];

/// Returns true if `module` has figures.
pub(crate) fn is_supported(module: &Module) -> bool {
    MODULES.iter().any(|supported| supported.id == module.id)
}

/// The figures to compute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Totals.
    pub total: bool,
    /// Performance estimates.
    pub performance: bool,
    /// Numbers of files by kind.
    pub files: bool,
}

/// The figures of one module, computed in one pass over its records.
///
/// The memory for files and ranks has a limit that follows from the log's size, so that a
/// log which lies about its records cannot take all memory.
#[derive(Debug, Clone)]
pub struct Figures {
    total: Option<Total>,
    performance: Option<PerformanceBuilder>,
    files: Option<FilesBuilder>,
    budget: u64,
    module: &'static Module,
    offset: u64,
}

impl Figures {
    /// Figures of no records yet. Modules other than POSIX, MPI-IO, STDIO and DAOS have none.
    pub fn new(log: &Log, module: &'static Module, wanted: Wanted) -> Self {
        let can = |wanted: bool| wanted && is_supported(module);
        Self {
            total: can(wanted.total).then(|| Total::new(module)),
            performance: can(wanted.performance).then(|| PerformanceBuilder::new(module)),
            files: can(wanted.files).then(|| FilesBuilder::new(module)),
            budget: log.budget(),
            module,
            offset: log.module_info(module.id).extent.offset,
        }
    }

    /// Adds a record. An error if there are more files and ranks than the log can mean.
    pub fn add(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        if let Some(total) = &mut self.total {
            total.add(record);
        }
        let mut memory = 0;
        if let Some(performance) = &mut self.performance {
            performance.add(record);
            memory += performance.memory();
        }
        if let Some(files) = &mut self.files {
            files.add(record);
            memory += files.memory();
        }
        if memory > self.budget {
            let damage = Damage::Many("files and ranks");
            return Err(Error::corrupt(LogRegion::Module(self.module.id), self.offset, damage));
        }
        Ok(())
    }

    /// All records as one, if it was wanted.
    pub fn total(&self) -> Option<RecordRef<'_>> {
        self.total.as_ref().map(Total::record)
    }

    /// Time and bandwidth, if they were wanted.
    pub fn performance(&self) -> Option<Performance> {
        self.performance.as_ref().map(PerformanceBuilder::finish)
    }

    /// Files by kind, if they were wanted.
    pub fn files(&mut self) -> Option<FileGroups> {
        self.files.as_mut().map(FilesBuilder::finish)
    }
}

fn moved(landmarks: &Landmarks, record: RecordRef<'_>) -> (i64, i64) {
    let int = |index: Option<usize>| index.map_or(0, |i| record.int[i]);
    (int(landmarks.bytes_read), int(landmarks.bytes_written))
}
