//! Small logs, made record by record.

use ioglass_insight::compat::{Compat, Trigger, drishti};
use ioglass_insight::threshold::Thresholds;
use ioglass_log::{
    Compression, FixedRecord, Job, Log, LogWriter, Module, ModuleId, Mount, mpiio, mpiio::Mpiio,
    posix, posix::Posix, record_id, stdio, stdio::Stdio,
};

/// A log that is being made.
pub(super) struct Build {
    pub(super) job: Job,
    names: Vec<(u64, Vec<u8>)>,
    posix: Vec<Posix>,
    mpiio: Vec<Mpiio>,
    stdio: Vec<Stdio>,
    /// Modules with version and bytes.
    raw: Vec<(ModuleId, u32, Vec<u8>)>,
}

impl Build {
    /// A job that did nothing.
    pub(super) fn new() -> Self {
        let mut job = Job::default();
        job.nprocs = 4;
        job.metadata = b"lib_ver=3.4.7\nh=romio_no_indep_rw=true;cb_nodes=4\n".into();
        let mount = Mount { path: b"/".into(), fs_type: b"ext4".into() };
        job.set_command(b"./app --fast", &[mount]);
        let (names, raw) = (Vec::new(), Vec::new());
        Self { job, names, posix: Vec::new(), mpiio: Vec::new(), stdio: Vec::new(), raw }
    }

    /// Sets the metadata.
    pub(super) fn metadata(mut self, metadata: &[u8]) -> Self {
        self.job.metadata = metadata.into();
        self
    }

    /// Adds a POSIX record with some counters.
    pub(super) fn posix(mut self, path: &str, rank: i64, ints: &[(usize, i64)]) -> Self {
        let mut record = Posix::new(self.name(path), rank);
        ints.iter().for_each(|(counter, value)| record.int[*counter] = *value);
        self.posix.push(record);
        self
    }

    /// Gives the last POSIX record some times.
    pub(super) fn times(mut self, floats: &[(usize, f64)]) -> Self {
        let record = self.posix.last_mut().unwrap();
        floats.iter().for_each(|(counter, value)| record.float[*counter] = *value);
        self
    }

    /// Adds an MPI-IO record with some counters.
    pub(super) fn mpiio(mut self, path: &str, rank: i64, ints: &[(usize, i64)]) -> Self {
        let mut record = Mpiio::new(self.name(path), rank);
        ints.iter().for_each(|(counter, value)| record.int[*counter] = *value);
        self.mpiio.push(record);
        self
    }

    /// Adds a STDIO record that moved bytes.
    pub(super) fn stdio(mut self, path: &str, written: i64) -> Self {
        let mut record = Stdio::new(self.name(path), 0);
        record.int[stdio::BYTES_WRITTEN] = written;
        self.stdio.push(record);
        self
    }

    /// Adds a module as bytes; by number, after those made of records.
    pub(super) fn raw(mut self, module: ModuleId, version: u32, bytes: Vec<u8>) -> Self {
        self.raw.push((module, version, bytes));
        self
    }

    /// Gives a record a name, and its id.
    pub(super) fn name(&mut self, path: &str) -> u64 {
        let id = record_id(path.as_bytes());
        if self.names.iter().all(|(known, _)| *known != id) {
            self.names.push((id, path.as_bytes().into()));
        }
        id
    }

    /// Spoils or drops the names.
    pub(super) fn names(mut self, change: impl FnOnce(&mut Vec<(u64, Vec<u8>)>)) -> Self {
        change(&mut self.names);
        self
    }

    /// The log's bytes, which are not compressed.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut writer = LogWriter::new(Vec::new(), Compression::None).unwrap();
        writer.job(&self.job).unwrap();
        writer.names(self.names.iter().map(|(id, name)| (*id, name.as_slice()))).unwrap();
        write(&mut writer, &posix::MODULE, &self.posix);
        write(&mut writer, &mpiio::MODULE, &self.mpiio);
        write(&mut writer, &stdio::MODULE, &self.stdio);
        for (module, version, bytes) in &self.raw {
            let mut out = writer.raw_module(*module, *version).unwrap();
            out.bytes(bytes).unwrap();
            out.finish().unwrap();
        }
        writer.finish().unwrap()
    }

    /// What the original says.
    pub(super) fn judge(&self) -> Compat {
        judge(self.bytes())
    }

    /// The codes that fire.
    pub(super) fn codes(&self) -> Vec<&'static str> {
        let compat = self.judge();
        assert_eq!(compat.failed, None);
        compat.triggers.iter().map(|trigger| trigger.code).collect()
    }

    /// The trigger with this code; `None` if it does not fire.
    pub(super) fn trigger(&self, code: &str) -> Option<Trigger> {
        let compat = self.judge();
        assert_eq!(compat.failed, None);
        compat.triggers.into_iter().find(|trigger| trigger.code == code)
    }

    /// Whether a code fires.
    pub(super) fn fires(&self, code: &str) -> bool {
        self.trigger(code).is_some()
    }

    /// Why the original fails.
    pub(super) fn failure(&self) -> String {
        let compat = self.judge();
        assert_eq!(compat.triggers, []);
        compat.failed.expect("the original fails")
    }
}

/// What the original says about a log.
pub(super) fn judge(bytes: Vec<u8>) -> Compat {
    drishti(&Log::from_bytes(bytes).unwrap(), &Thresholds::default()).unwrap()
}

fn write<T: FixedRecord>(writer: &mut LogWriter<Vec<u8>>, module: &Module, records: &[T]) {
    if records.is_empty() {
        return;
    }
    let mut out = writer.module(module).unwrap();
    records.iter().for_each(|record| out.record(&record.view()).unwrap());
    out.finish().unwrap();
}
