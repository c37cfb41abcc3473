//! The life of the recorder in a process: its start, its settings and its state.

mod end;
mod facts;
mod folder;
mod fork;

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::hot::HOT;
use crate::memory::Shared;
use crate::settings::{Environment, Mode, Settings, module};
use crate::sys;
use crate::{capture, clock, file, rank, region, thread};
pub use end::*;
pub use facts::*;
pub use folder::*;
pub use fork::*;

const UNSTARTED: u32 = 0;
const STARTING: u32 = 1;
const RECORDING: u32 = 2;
const OFF: u32 = 3;

/// With a lower limit on descriptors, the program may use all of them before the first is recorded.
const FEW_DESCRIPTORS: u64 = 64;

static STATE: AtomicU32 = AtomicU32::new(UNSTARTED);
static SETTINGS: Shared<Settings> = Shared::new(Settings::off());
static FILTERED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// The environment, even before the C library has set `environ`.
///
/// # Safety
/// Nobody changes it meanwhile.
unsafe fn environment() -> *const *const c_char {
    // SAFETY: words and environment each end with null.
    unsafe {
        match sys::first_stack() {
            Some(count) if environ.is_null() => count.add(1 + *count + 1).cast(),
            _ => environ,
        }
    }
}

/// The value of an environment variable, as `getenv` would return it.
///
/// # Safety
/// Nobody changes the environment meanwhile.
pub unsafe fn variable(name: &[u8]) -> Option<&'static [u8]> {
    // SAFETY: the caller vouches.
    let mut variables = unsafe { Environment::new(environment()) };
    variables.find_map(|variable| variable.strip_prefix(name)?.strip_prefix(b"="))
}

/// Returns true if nothing is recorded. If MPI begins, that may change.
#[inline]
pub(crate) fn is_off() -> bool {
    STATE.load(Relaxed) == OFF
}

/// Starts recording, or continues in a forked child. Returns true if this process is recorded.
pub fn wake() -> bool {
    match STATE.load(Acquire) {
        OFF | STARTING => false,
        RECORDING => {
            if !thread::is_vforked() && !file::is_open_here() {
                go_on_in_child();
            }
            true
        }
        _ => start(),
    }
}

#[cold]
fn start() -> bool {
    if STATE.compare_exchange(UNSTARTED, STARTING, Acquire, Relaxed).is_err() {
        return false;
    }
    // The layout of streams and the arguments of constructors are those of glibc.
    let is_glibc = sys::is_glibc();
    if is_glibc {
        read_settings();
    }
    let (records, counts) = (is_glibc && records_io(), is_glibc && counts_regions());
    if records || counts {
        start_clock();
    }
    let recording = records && file::start();
    if counts && !region::is_on() {
        region::start(settings());
    }
    if recording {
        set_hot();
        capture::records_io();
        file::open_table();
        if sys::limit(libc::RLIMIT_NOFILE).is_ok_and(|(soft, _)| soft < FEW_DESCRIPTORS) {
            capture::ensure();
        }
    }
    STATE.store(if recording { RECORDING } else { OFF }, Release);
    recording
}

/// Returns true if regions are to be counted: the command or the process itself writes the profile.
fn counts_regions() -> bool {
    match (mode(), settings().regions) {
        (_, Some(false)) | (Mode::LeftOut, _) => false,
        (Mode::Job(_), _) => true,
        (_, wanted) => wanted == Some(true) && !sys::is_secure(),
    }
}

/// True once the settings were read. A process that starts again with MPI keeps them.
static WAS_READ: AtomicBool = AtomicBool::new(false);

/// Start of the recording, in nanoseconds since 1970; 0 before. It is the start of the job if the
/// settings do not have one.
static BEGAN_NS: AtomicU64 = AtomicU64::new(0);
/// Process id of the first process with this memory: its children are forks of it.
static FIRST_PID: AtomicU32 = AtomicU32::new(0);
/// True once MPI has begun in a process that is recorded only with MPI.
static GOES_ON_ALONE: AtomicBool = AtomicBool::new(false);

/// Reads the settings.
fn read_settings() {
    if !WAS_READ.swap(true, Relaxed) {
        let mut buffer = [0; 512];
        let argv0 = command(&mut buffer).split(|byte| *byte == 0).next().unwrap_or_default();
        // SAFETY: one thread starts, the environment stays meanwhile, and nobody has read the
        // settings yet.
        unsafe {
            let is_secure = sys::is_secure();
            let is_read = move |text: &&[u8]| !is_secure || !text.starts_with(b"IOGLASS_");
            let variables = Environment::new(environment()).filter(is_read);
            *SETTINGS.get() = Settings::read(variables, argv0);
        }
    }
}

/// True if the library was loaded too late to interpose anything.
static IS_LATE: AtomicBool = AtomicBool::new(false);

/// Notes that the program itself has loaded the library: only regions can be counted.
pub fn is_loaded_late() {
    IS_LATE.store(true, Relaxed);
}

/// Returns true if the program itself has loaded the library.
pub fn is_late() -> bool {
    IS_LATE.load(Relaxed)
}

/// Returns true if I/O is to be recorded.
fn records_io() -> bool {
    let settings = settings();
    let rank = settings.world.map_or(0, |world| world.rank.into());
    let is_wanted = match mode() {
        Mode::Job(_) | Mode::Alone => true,
        // Calls before MPI begins count too, if MPI is expected.
        Mode::WaitForMpi => rank::is_expected(),
        Mode::Off | Mode::LeftOut => false,
    };
    is_wanted && settings.records && settings.records_rank(rank) && !is_late()
}

/// Starts the clock. It stays as it is if regions were counted before recording starts.
fn start_clock() {
    let now = sys::clock_ns(libc::CLOCK_REALTIME);
    if BEGAN_NS.compare_exchange(0, now, Relaxed, Relaxed).is_ok() {
        clock::choose(settings().clock.unwrap_or_else(clock::probe));
        FIRST_PID.store(sys::pid(), Relaxed);
    }
}

/// Sets the words that every recorded call reads.
fn set_hot() {
    let settings = settings();
    HOT.tracing.store(settings.modules.has(module::DXT_POSIX), Relaxed);
    HOT.tracing_mpiio.store(settings.modules.has(module::DXT_MPIIO), Relaxed);
    HOT.heat.store(settings.modules.has(module::HEATMAP), Relaxed);
    let alignment = settings.memory_alignment.max(1) as usize;
    HOT.alignment_mask.store(alignment.next_power_of_two() - 1, Relaxed);
}

/// The settings.
#[inline]
pub fn settings() -> &'static Settings {
    // SAFETY: written once while starting, read afterwards.
    unsafe { &*SETTINGS.get() }
}

/// The mode of the settings, or `Alone` once MPI has begun in a process that waited for it.
pub(crate) fn mode() -> Mode {
    if GOES_ON_ALONE.load(Relaxed) { Mode::Alone } else { settings().mode }
}

/// Returns true if transfers on descriptors are traced.
#[inline]
pub fn is_tracing() -> bool {
    HOT.tracing.load(Relaxed)
}

/// Returns true if transfers through MPI-IO are traced.
#[inline]
pub fn is_tracing_mpiio() -> bool {
    HOT.tracing_mpiio.load(Relaxed)
}

/// Returns true if heat maps are kept.
#[inline]
pub fn heat_is_on() -> bool {
    HOT.heat.load(Relaxed)
}

/// Bits of an address that are 0 in an aligned buffer.
#[inline]
pub fn alignment_mask() -> usize {
    HOT.alignment_mask.load(Relaxed)
}

/// Bytes that the records of this job on this node may take.
pub fn record_limit() -> u64 {
    settings().record_limit
}

/// Bytes that the traces of this job on this node may take.
pub fn trace_limit() -> u64 {
    settings().trace_limit
}

/// Returns true if the recorder may make system calls. After the program has installed a filter for
/// them, an unexpected one may kill it.
#[inline]
pub fn may_call_kernel() -> bool {
    !FILTERED.load(Relaxed)
}

/// Stops the clock, because the program forbids itself to read the time-stamp counter.
pub fn clock_forbidden() {
    if file::is_open_here() {
        clock::stop();
    }
}

/// The job's directory, if there is one.
pub fn job_folder() -> Option<&'static CStr> {
    match mode() {
        Mode::Job(folder) => Some(folder),
        _ => None,
    }
}

/// Notes that the program is about to install a filter for system calls.
pub fn filter_installed() {
    FILTERED.store(true, Relaxed);
}

/// Notes that the filter was not installed.
pub fn filter_refused() {
    FILTERED.store(false, Relaxed);
}

/// Starts recording because MPI is expected. A call from a constructor that ran before ours may
/// have turned it off.
pub(crate) fn start_after_all() {
    let _ = STATE.compare_exchange(OFF, UNSTARTED, Acquire, Relaxed);
    wake();
}

/// Makes the process write its own log from now on.
pub(crate) fn go_on_alone() {
    GOES_ON_ALONE.store(true, Relaxed);
}

/// Longest command line that is kept.
const MAX_COMMAND: usize = 8 << 10;

/// Starts the recorder when the library is loaded. `words` has the arguments of the program;
/// `is_mpi_linked` returns true if the program is linked with MPI.
///
/// # Safety
/// The arguments are those that the C library passes to constructors.
pub unsafe fn begins(count: i32, words: *const *const c_char, is_mpi_linked: fn() -> bool) {
    // SAFETY: the caller vouches.
    unsafe {
        if count > 0 && !words.is_null() {
            let (first, last) = (*words, *words.add(count as usize - 1));
            let end = last.addr() + CStr::from_ptr(last).count_bytes() + 1;
            // A program that has moved its arguments fails this test.
            if let Some(size) = end.checked_sub(first.addr()).filter(|size| *size < 1 << 22) {
                let size = size.min(MAX_COMMAND);
                *COMMAND.get() = core::slice::from_raw_parts(first.cast(), size);
            }
        }
    }
    wake();
    if rank::is_awaited() && is_mpi_linked() {
        rank::expect();
    }
}

/// Returns true if this process writes its own log or profile, which includes the calls of
/// destructors.
pub fn writes_at_exit() -> bool {
    mode() == Mode::Alone || writes_its_profile()
}

/// Returns true if this process writes its own profile.
pub fn writes_its_profile() -> bool {
    region::is_on() && job_folder().is_none()
}

/// Stops recording permanently.
pub fn disable() {
    STATE.store(OFF, Release);
    file::close_table();
    region::stop();
}
