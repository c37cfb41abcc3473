//! Recordings in memory: a run is diagnosed without a log.

use std::collections::BTreeMap;

use ioglass_log::{
    DxtHead, Error, Heatmap, Job, Layout, Lustre, Module, ModuleId, Names, Operation, RecordBuf,
    RecordRef, Segment, Version, dxt, heatmap, lustre,
};

use crate::recording::{RecordedModule, Recording};

/// A recorded run whose records are in memory.
///
/// ```
/// use ioglass_insight::{Diagnosis, memory::MemoryRecording, threshold::Thresholds};
/// use ioglass_log::{FixedRecord as _, Job, posix::{self, Posix}, record_id};
///
/// let mut job = Job::default();
/// (job.start_sec, job.end_sec, job.nprocs) = (1_700_000_000, 1_700_000_060, 1);
/// let id = record_id(b"/scratch/data");
/// let mut run = MemoryRecording::new(job, [(id, "/scratch/data")].into_iter().collect());
/// let mut record = Posix::new(id, 0);
/// record.int[posix::OPENS] = 1;
/// run.add_record(&record.view());
/// let diagnosis = Diagnosis::of(&run, &Thresholds::default());
/// assert_eq!(diagnosis.subject.run_time, 60.0);
/// ```
#[derive(Debug, Default)]
pub struct MemoryRecording {
    job: Job,
    run_time: f64,
    names: Names,
    records: BTreeMap<ModuleId, Vec<RecordBuf>>,
    heatmaps: Vec<Heatmap>,
    layouts: Vec<Lustre>,
    traces: BTreeMap<ModuleId, Vec<TracePiece>>,
    modules: BTreeMap<ModuleId, HeldModule>,
    is_cut_off: bool,
    problems: Vec<String>,
    tables: BTreeMap<String, String>,
}

/// Tables of our recorder that a diagnosis looks at.
const TABLES: [&str; 8] =
    ["processes", "operations", "metadata", "contexts", "settings", "files", "waiting", "job"];

/// Size and state of a module.
#[derive(Debug, Default)]
struct HeldModule {
    bytes: u64,
    is_partial: bool,
}

/// Consecutive segments of one head.
#[derive(Debug)]
struct TracePiece {
    head: DxtHead,
    operation: Operation,
    segments: Vec<Segment>,
}

impl MemoryRecording {
    /// Begins a recording of a job, whose records have these names.
    pub fn new(job: Job, names: Names) -> Self {
        Self { run_time: job.run_time(Version::CURRENT), job, names, ..Self::default() }
    }

    /// Copies another recording. Fails if a part of it cannot be read.
    ///
    /// Modules that no diagnosis looks at, because they have neither counters nor a trace, are left
    /// out.
    pub fn copy_of(other: &dyn Recording) -> Result<Self, Error> {
        let names = other.names().iter().collect();
        let mut copy = Self::new(other.job().clone(), names);
        copy.run_time = other.run_time();
        (copy.is_cut_off, copy.problems) = (other.is_cut_off(), other.problems());
        for found in other.modules() {
            if found.is_partial {
                copy.set_partial(found.id);
            }
            let Some(module) = found.id.module() else { continue };
            match module.layout {
                Layout::Counters => {
                    other.each_record(module, &mut |record| copy.add_record(record))?;
                }
                Layout::Dxt => other.each_segments(module, &mut |head, operation, segments| {
                    copy.add_segments(module, head, operation, segments);
                })?,
                _ => {}
            }
        }
        other.each_heatmap(&mut |map| copy.add_heatmap(map.clone()))?;
        other.each_layout(&mut |layout| copy.add_layout(layout.clone()))?;
        for name in TABLES {
            if let Some(text) = other.table(name) {
                copy.set_table(name, text);
            }
        }
        Ok(copy)
    }

    /// Sets a table of our recorder: a line of column names, then rows, columns separated by tabs.
    pub fn set_table(&mut self, name: &str, text: String) {
        self.tables.insert(name.to_owned(), text);
    }

    /// Adds a record that is made of counters.
    pub fn add_record(&mut self, record: &RecordRef<'_>) {
        self.count(record.module, record.module.record_size(record.module.version));
        self.records.entry(record.module.id).or_default().push((*record).into());
    }

    /// Adds a heat map. All of an interface have bins of one width.
    pub fn add_heatmap(&mut self, map: Heatmap) {
        let bins = map.writes.len() + map.reads.len();
        self.count(&heatmap::MODULE, heatmap::HEAD_SIZE + 8 * bins);
        self.heatmaps.push(map);
    }

    /// Adds the Lustre layout of a file.
    pub fn add_layout(&mut self, layout: Lustre) {
        let components = layout.components.len() * lustre::COMPONENT_SIZE;
        self.count(&lustre::MODULE, lustre::HEAD_SIZE + components + 8 * layout.osts.len());
        self.layouts.push(layout);
    }

    /// Adds segments to the trace `module`, [`dxt::POSIX`] or [`dxt::MPIIO`].
    pub fn add_segments(
        &mut self,
        module: &'static Module,
        head: &DxtHead,
        operation: Operation,
        segments: &[Segment],
    ) {
        self.count(module, segments.len() * dxt::SEGMENT_SIZE);
        let pieces = self.traces.entry(module.id).or_default();
        match pieces.last_mut() {
            Some(last) if last.operation == operation && last.head == *head => {
                last.segments.extend_from_slice(segments);
            }
            _ => pieces.push(TracePiece {
                head: head.clone(),
                operation,
                segments: segments.to_vec(),
            }),
        }
    }

    /// Marks a module as one that lost records.
    pub fn set_partial(&mut self, module: ModuleId) {
        self.modules.entry(module).or_default().is_partial = true;
    }

    /// Counts the bytes that a record takes in a log without compression.
    fn count(&mut self, module: &Module, bytes: usize) {
        self.modules.entry(module.id).or_default().bytes += bytes as u64;
    }
}

impl Recording for MemoryRecording {
    fn job(&self) -> &Job {
        &self.job
    }

    fn run_time(&self) -> f64 {
        self.run_time
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn modules(&self) -> Vec<RecordedModule> {
        let module = |(id, held): (&ModuleId, &HeldModule)| RecordedModule {
            id: *id,
            version: id.module().map_or(0, |module| module.version),
            bytes: held.bytes,
            is_partial: held.is_partial,
        };
        self.modules.iter().map(module).collect()
    }

    fn each_record(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&RecordRef<'_>),
    ) -> Result<(), Error> {
        self.records.get(&module.id).into_iter().flatten().for_each(|record| each(&record.view()));
        Ok(())
    }

    fn each_heatmap(&self, each: &mut dyn FnMut(&Heatmap)) -> Result<(), Error> {
        self.heatmaps.iter().for_each(each);
        Ok(())
    }

    fn each_layout(&self, each: &mut dyn FnMut(&Lustre)) -> Result<(), Error> {
        self.layouts.iter().for_each(each);
        Ok(())
    }

    fn each_segments(
        &self,
        module: &'static Module,
        each: &mut dyn FnMut(&DxtHead, Operation, &[Segment]),
    ) -> Result<(), Error> {
        for piece in self.traces.get(&module.id).into_iter().flatten() {
            each(&piece.head, piece.operation, &piece.segments);
        }
        Ok(())
    }

    fn size(&self) -> u64 {
        let names: usize = self.names.iter().map(|(_, name)| 8 + name.len()).sum();
        self.modules.values().map(|module| module.bytes).sum::<u64>() + names as u64
    }

    fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    fn table(&self, name: &str) -> Option<String> {
        self.tables.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use ioglass_log::posix::{self, Posix};
    use ioglass_log::{FixedRecord, record_id};

    use super::*;
    use crate::model::Run;

    const FILE: &str = "/scratch/data";

    /// Two ranks write and read a file; its counters and its trace tell of it.
    fn two_ranks() -> MemoryRecording {
        let mut job = Job::default();
        (job.start_sec, job.end_sec, job.nprocs) = (1_700_000_000, 1_700_000_010, 2);
        let id = record_id(FILE.as_bytes());
        let mut recording = MemoryRecording::new(job, [(id, FILE)].into_iter().collect());
        for rank in 0..2 {
            let mut record = Posix::new(id, rank);
            record.int[posix::OPENS] = 1;
            record.int[posix::WRITES] = 2;
            record.int[posix::BYTES_WRITTEN] = 2048;
            recording.add_record(&record.view());
            let mut head = DxtHead { hostname: b"node".to_vec(), ..DxtHead::default() };
            (head.base.id, head.base.rank) = (id, rank);
            let at = |i: i64| Segment {
                offset: 1024 * i,
                length: 1024,
                start: i as f64,
                end: i as f64 + 0.5,
            };
            recording.add_segments(&dxt::POSIX, &head, Operation::Write, &[at(0)]);
            recording.add_segments(&dxt::POSIX, &head, Operation::Write, &[at(1)]);
            recording.add_segments(&dxt::POSIX, &head, Operation::Read, &[at(0)]);
        }
        recording
    }

    #[test]
    fn a_run_is_made_of_records_alone() {
        let run = Run::of(&two_ranks());
        assert_eq!((run.run_time, run.ranks, run.files.len()), (10.0, 2, 1));
        assert_eq!((&*run.files[0].name, run.all_posix.sum.bytes()), (FILE, 4096));
        let facts = run.trace.unwrap();
        assert_eq!((facts.quality.segments, facts.files[0].writes.requests), (6, 4));
        assert_eq!(facts.hosts, ["node"]);
        assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    }

    #[test]
    fn segments_of_one_head_and_operation_become_one_piece() {
        let recording = two_ranks();
        let mut pieces = Vec::new();
        let mut each = |head: &DxtHead, operation, segments: &[Segment]| {
            pieces.push((head.base.rank, operation, segments.len()));
        };
        recording.each_segments(&dxt::POSIX, &mut each).unwrap();
        let (write, read) = (Operation::Write, Operation::Read);
        assert_eq!(pieces, [(0, write, 2), (0, read, 1), (1, write, 2), (1, read, 1)]);
    }

    #[test]
    fn a_module_that_lost_records_is_known_without_any() {
        let mut recording = two_ranks();
        recording.set_partial(dxt::MPIIO.id);
        let modules = recording.modules();
        let of = |module: &Module| modules.iter().find(|found| found.id == module.id).copied();
        assert_eq!(of(&posix::MODULE).unwrap().bytes, 2 * size_of::<Posix>() as u64);
        assert!(of(&dxt::MPIIO).is_some_and(|module| module.is_partial && module.bytes == 0));
        let warnings = Run::of(&recording).warnings;
        assert!(warnings.iter().any(|warning| warning.text.contains("DXT_MPIIO")), "{warnings:?}");
    }
}
