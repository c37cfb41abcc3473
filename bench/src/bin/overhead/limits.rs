//! What is claimed: the most that recording may add.

use std::borrow::Cow;

/// A limit for one row of a table.
pub(crate) struct Limit {
    /// The row.
    pub(crate) name: Cow<'static, str>,
    /// The most, in the table's unit.
    pub(crate) most: f64,
}

const fn limit(name: &'static str, most: f64) -> Limit {
    Limit { name: Cow::Borrowed(name), most }
}

/// Nanoseconds per call. Where none is claimed here, a third of what the reference adds.
pub(crate) const CALLS: &[Limit] = &[
    limit("pwrite 64 B", 70.0),
    limit("pread 64 B", 70.0),
    limit("write 64 B", 70.0),
    limit("read 64 B", 70.0),
    limit("pwrite 4 KiB", 70.0),
    limit("pread 4 KiB", 70.0),
    limit("write 4 KiB", 70.0),
    limit("read 4 KiB", 70.0),
    limit("lseek", 25.0),
    limit("open+close", 190.0),
    limit("open+close, 256 files", 190.0),
    limit("untracked pwrite", 15.0),
    limit("fwrite 64 B", 30.0),
    limit("fread 64 B", 30.0),
    limit("fscanf", 40.0),
    limit("getc", 10.0),
    limit("putc", 10.0),
    limit("fgetc", 10.0),
    limit("fputc", 10.0),
    limit("getc_unlocked", 10.0),
    limit("putc_unlocked", 10.0),
    limit("fgetc_unlocked", 10.0),
    limit("fputc_unlocked", 10.0),
    limit("failed stat", 60.0),
    limit("access", 60.0),
    limit("unlink", 60.0),
    limit("readdir", 5.0),
];

/// The same with several threads.
pub(crate) const THREADS: &[Limit] =
    &[limit("pwrite, own files", DATA_CALL), limit("pread, own files", DATA_CALL)];

/// The most of what the reference adds.
pub(crate) const SHARE: f64 = 1.0 / 3.0;
/// Below this the reference does not record the call at all.
pub(crate) const NOTHING: f64 = 5.0;
/// Nanoseconds per data call, whatever else goes on: the number of threads and open files.
pub(crate) const DATA_CALL: f64 = 70.0;
/// Nanoseconds that a trace adds to a recorded call.
pub(crate) const TRACE: f64 = 20.0;
/// Nanoseconds per traced operation at the exit of a program under `run`: nothing but what the kernel
/// takes to unmap the trace.
pub(crate) const EXIT: f64 = 5.0;
/// Milliseconds of start and end of a process. Where none is claimed here, a third of what the reference
/// adds.
pub(crate) const PROCESSES: &[Limit] = &[limit("/bin/true", 0.4)];
/// Bytes of a process that has done nothing yet.
pub(crate) const IDLE: f64 = 1e6;
/// Bytes per file with 8 sizes and strides.
pub(crate) const PER_FILE: f64 = 1500.0;

/// Marks a claim that does not hold.
pub(crate) fn mark(met: bool) -> &'static str {
    if met { "" } else { "  <-- NOT MET" }
}
