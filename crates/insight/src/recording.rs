//! The seam through which a run is fed: records of a run, wherever they are kept.
//!
//! A [`Log`] is a recording, and so is a
//! [`MemoryRecording`](crate::memory::MemoryRecording), which needs no file.

use ioglass_log::{
    DxtHead, Error, Heatmap, Job, Log, Lustre, Module, ModuleId, ModuleInfo, Names, Operation,
    RecordRef, Segment, Version,
};

/// A module of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedModule {
    /// Number of the module.
    pub id: ModuleId,
    /// Version of its records, as they are stored.
    pub version: u32,
    /// Bytes of its records, as they are stored; 0 if all were lost.
    pub bytes: u64,
    /// True if it lost records.
    pub is_partial: bool,
}

/// A recorded run, as far as a diagnosis needs it.
///
/// Every method that hands out records can be called several times and hands out the same records
/// in the same order: a trace is read in passes and never held whole. Such a method fails where the
/// records become unreadable; those before were handed out and count.
pub trait Recording {
    /// The job.
    fn job(&self) -> &Job;

    /// Duration of the job in seconds.
    fn run_time(&self) -> f64;

    /// Names of records.
    fn names(&self) -> &Names;

    /// Modules that have records or lost some, by number.
    fn modules(&self) -> Vec<RecordedModule>;

    /// Hands out the records of a module that is made of counters.
    fn each_record(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&RecordRef<'_>),
    ) -> Result<(), Error>;

    /// Hands out the heat maps.
    fn each_heatmap(&self, each: &mut dyn FnMut(&Heatmap)) -> Result<(), Error>;

    /// Hands out the Lustre layouts of files.
    fn each_layout(&self, each: &mut dyn FnMut(&Lustre)) -> Result<(), Error>;

    /// Hands out the segments of a trace, some at a time; all of one call share a head.
    fn each_segments(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&DxtHead, Operation, &[Segment]),
    ) -> Result<(), Error>;

    /// Bytes of the recording. The memory that a diagnosis may take depends on it.
    fn size(&self) -> u64;

    /// Version of the log format; none if there is no log.
    fn format(&self) -> Option<Version> {
        None
    }

    /// True if the end of the recording is missing.
    fn is_cut_off(&self) -> bool {
        false
    }

    /// Problems of the recording as a whole, as sentences; those of single modules are errors of
    /// the methods that hand out their records.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// A table that only our recorder writes, as text: a line of column names, then rows. None if
    /// the recording has no such table.
    fn table(&self, _name: &str) -> Option<String> {
        None
    }
}

impl Recording for Log {
    fn job(&self) -> &Job {
        self.job()
    }

    fn run_time(&self) -> f64 {
        self.run_time()
    }

    fn names(&self) -> &Names {
        self.names()
    }

    fn modules(&self) -> Vec<RecordedModule> {
        let module = |info: ModuleInfo| RecordedModule {
            id: info.id,
            version: info.version,
            bytes: info.extent.len,
            is_partial: info.partial,
        };
        self.modules().map(module).collect()
    }

    fn each_record(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&RecordRef<'_>),
    ) -> Result<(), Error> {
        let mut records = self.records(module)?;
        while let Some(record) = records.next()? {
            each(&record);
        }
        Ok(())
    }

    fn each_heatmap(&self, each: &mut dyn FnMut(&Heatmap)) -> Result<(), Error> {
        self.special::<Heatmap>()?.try_for_each(|map| map.map(|map| each(&map)))
    }

    fn each_layout(&self, each: &mut dyn FnMut(&Lustre)) -> Result<(), Error> {
        self.special::<Lustre>()?.try_for_each(|layout| layout.map(|layout| each(&layout)))
    }

    fn each_segments(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&DxtHead, Operation, &[Segment]),
    ) -> Result<(), Error> {
        let mut reader = self.dxt(module)?;
        while let Some(head) = reader.next_record()? {
            while let Some(chunk) = reader.next_chunk()? {
                each(&head, chunk.operation, chunk.segments);
            }
        }
        Ok(())
    }

    fn size(&self) -> u64 {
        self.size()
    }

    fn format(&self) -> Option<Version> {
        Some(self.header().version)
    }

    fn is_cut_off(&self) -> bool {
        self.claimed_size() > self.size()
    }

    fn problems(&self) -> Vec<String> {
        self.warnings().map(ToString::to_string).collect()
    }

    fn table(&self, name: &str) -> Option<String> {
        // A log is untrusted, so the size of a table is limited.
        let longest = (4 << 20) + self.size() / 2;
        let bytes = self.block_section(name, longest).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
