//! The life of the recorder in a process: start, fork, exec, end.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Ending, Header, Kind, Moment, Process, place};

use crate::capture::Recorded;
use crate::hot::HOT;
use crate::memory::Shared;
use crate::path::{OwnPath, file_name};
use crate::settings::{Environment, Mode, Settings, WorldRank, module};
use crate::sys::{self, Fd};
use crate::{
    capture, clock, deferred, file, hdf5, heat, mapping, memory, metadata, naming, pending,
    pnetcdf, rank, region, room, stdio, thread,
};

const UNSTARTED: u32 = 0;
const STARTING: u32 = 1;
const RECORDING: u32 = 2;
const OFF: u32 = 3;

/// With a lower limit on descriptors, the program may use all of them before the first is recorded.
const FEW_DESCRIPTORS: u64 = 64;
/// Yields of a thread that waits for another one to continue the recording in a child.
const MAX_YIELDS: u32 = 20_000;

static STATE: AtomicU32 = AtomicU32::new(UNSTARTED);
static SETTINGS: Shared<Settings> = Shared::new(Settings::off());
static ROOT_CHANGED: AtomicBool = AtomicBool::new(false);
static FILTERED: AtomicBool = AtomicBool::new(false);
/// The words of the command line, contiguous as the kernel stores them.
static COMMAND: Shared<&[u8]> = Shared::new(&[]);
/// The function that writes log and profile when the process ends.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// The function that begins to take snapshots of the profile.
static SNAPSHOTS: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Tells the libraries that the program began with, as bits; and all of them, when it ends.
static LIBRARIES: [AtomicPtr<()>; 2] = [const { AtomicPtr::new(core::ptr::null_mut()) }; 2];

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

/// Number of the job of a profile: the scheduler's, or the process id of the launcher of a rank, or
/// that of the program, which its forked children have in common.
fn profile_job() -> u64 {
    let launcher = || rank::own().and_then(|_| room::launcher());
    let job = || launcher().unwrap_or(FIRST_PID.load(Relaxed)).into();
    settings().jobid.unwrap_or_else(job)
}

/// Notes the rank of the process in its capture.
pub(crate) fn is_rank(world: WorldRank) {
    if let Some(header) = capture::header() {
        // SAFETY: fields of the mapping that nobody else changes.
        unsafe {
            (*header).rank = world.rank as i32;
            (*header).ranks = world.ranks as i32;
            (*header).by_mpi = 1;
            if region::is_on_here() {
                (*header).profile_job = profile_job();
            }
        }
    }
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

/// Makes the capture before the program changes its root, while the directory can be reached.
pub fn root_changes() {
    if !thread::is_vforked()
        && file::is_open()
        && may_call_kernel()
        && let Some(_guard) = thread::Guard::enter()
    {
        capture::ensure();
    }
}

/// Notes that the program has changed its root: it can no longer reach the job's directory.
pub fn root_changed() {
    ROOT_CHANGED.store(true, Relaxed);
}

/// Notes a child that was forked after a change of the root, because it cannot be recorded. Called
/// in the parent.
pub fn forked() {
    if ROOT_CHANGED.load(Relaxed) && file::is_open_here() {
        let command = [c"(fork after chroot)".as_ptr(), core::ptr::null()];
        // SAFETY: ends with null.
        unsafe { unseen(command.as_ptr()) };
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

/// Continues the recording in a forked child. Its first calls may come from several threads at
/// once: one does the work, the others wait. Signals are blocked: a handler would wait for its own
/// thread.
#[cold]
fn go_on_in_child() {
    if !may_call_kernel() {
        return after_fork();
    }
    let blocked = sys::block_signals();
    if file::is_first_in_child() {
        after_fork();
    }
    for _ in 0..MAX_YIELDS {
        if file::is_open_here() {
            break;
        }
        sys::yield_now();
    }
    sys::set_signals(blocked);
}

/// Resets the recorder in a child. The first call to record makes a new capture.
fn after_fork() {
    memory::after_fork();
    capture::after_fork();
    heat::after_fork();
    thread::after_fork();
    deferred::after_fork();
    mapping::after_fork();
    metadata::after_fork();
    pending::after_fork();
    naming::after_fork();
    hdf5::after_fork();
    pnetcdf::after_fork();
    file::after_fork();
    region::after_fork();
    file::open_table();
}

/// Goes on with regions in a forked child.
#[cold]
pub(crate) fn go_on_with_regions() {
    if STATE.load(Acquire) == RECORDING || !may_call_kernel() {
        wake();
        return;
    }
    let blocked = sys::block_signals();
    if file::is_first_in_child() {
        memory::after_fork();
        capture::after_fork();
        thread::after_fork();
        deferred::after_fork();
        region::after_fork();
    }
    for _ in 0..MAX_YIELDS {
        if region::is_on_here() {
            break;
        }
        sys::yield_now();
    }
    sys::set_signals(blocked);
}

/// Makes the file of this process's capture and stores its path in `path`.
pub fn make_capture_file(path: &mut OwnPath) -> Option<Fd> {
    if let Mode::Job(folder) = mode() {
        let folder = folder.to_bytes();
        path.clear();
        path.push(folder);
        capture_in(path).or_else(|| {
            // If the job's directory cannot be reached, this is most likely a container. Its first
            // root is private and ends with it, so the other root is tried first.
            place::ROOTS.iter().rev().find_map(|root| {
                make_user_folder(path, root)?;
                make_folder(path, file_name(folder))?;
                capture_in(path)
            })
        })
    } else {
        place::ROOTS.iter().find_map(|root| {
            make_user_folder(path, root)?;
            path.push(b"/");
            path.push_number(sys::pid().into(), 10);
            path.push(b"-");
            path.push_number(clock::tick(), 16);
            sys::make_dir(path.as_c_str(), 0o700).ok()?;
            capture_in(path)
        })
    }
}

/// Makes the directory of this user below a root, if it does not exist.
pub(crate) fn make_user_folder(path: &mut OwnPath, root: &str) -> Option<()> {
    path.clear();
    path.push(root.as_bytes());
    path.push(b"/");
    path.push(place::USER_PREFIX.as_bytes());
    path.push_number(sys::effective_uid().into(), 10);
    match sys::make_dir(path.as_c_str(), 0o700) {
        Ok(()) | Err(sys::Errno(libc::EEXIST)) => Some(()),
        Err(_) => None,
    }
}

fn make_folder(path: &mut OwnPath, name: &[u8]) -> Option<()> {
    path.push(b"/");
    path.push(name);
    match sys::make_dir(path.as_c_str(), 0o700) {
        Ok(()) | Err(sys::Errno(libc::EEXIST)) => Some(()),
        Err(_) => None,
    }
}

/// Returns true if a directory belongs to this user and nobody else may write to it.
pub(crate) fn is_ours_alone(folder: &OwnPath) -> bool {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH;
    let Ok(folder) = sys::open(folder.as_c_str(), flags, 0) else { return false };
    let is_ours =
        |stat: libc::stat| stat.st_uid == sys::effective_uid() && stat.st_mode & 0o022 == 0;
    sys::stat_fd(folder.0).is_ok_and(is_ours)
}

/// Makes the capture in the directory `path`, if that is ours alone, and appends its name.
fn capture_in(path: &mut OwnPath) -> Option<Fd> {
    // The directory is not kept open: there may be no second free descriptor, and nobody else can
    // change a directory that is ours alone.
    is_ours_alone(path).then_some(())?;
    path.push(b"/");
    path.push_number(sys::pid().into(), 10);
    path.push(b"-");
    path.push_number(clock::tick(), 16);
    path.push(place::CAPTURE_SUFFIX.as_bytes());
    if path.is_cut() {
        return None;
    }
    let flags = libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_NOFOLLOW;
    sys::open(path.as_c_str(), flags, 0o600).ok()
}

/// The header that a new capture of this process would have now.
pub fn new_header() -> Header {
    // SAFETY: all zero is a header.
    let mut header = unsafe { core::mem::zeroed() };
    fill_header(&mut header);
    header
}

/// Fills in the process, its rank, its host and the time.
pub fn fill_header(header: &mut Header) {
    header.pid = sys::pid();
    header.ppid = sys::parent_pid();
    header.uid = sys::uid();
    let by_mpi = rank::world_rank();
    let world = by_mpi.or(settings().world);
    header.rank = world.map_or(-1, |world| world.rank as i32);
    header.ranks = world.map_or(-1, |world| world.ranks as i32);
    header.by_mpi = by_mpi.is_some().into();
    header.keeps_ranks = (!settings().reduce_shared).into();
    header.jobid = settings().jobid.unwrap_or(0);
    header.profile_job = if region::is_on() { profile_job() } else { 0 };
    header.traced = u32::from(is_tracing());
    header.start = clock::moment();
    header.last = header.start;
    header.boot_ns = sys::clock_ns(libc::CLOCK_BOOTTIME);
    header.origin_real_ns = match (settings().origin_ns, BEGAN_NS.load(Relaxed)) {
        (Some(origin), _) => origin,
        (None, 0) => header.start.real_ns,
        (None, began) => began,
    };
    header.pid_namespace = sys::pid_namespace();
    header.libraries = libraries(0);
    header.region_lost = region::early_losses();
    header.region_cost = region::cost_of_annotation();
    header.region_executions = region::executions();
    header.records_io = (!is_off()).into();
    // SAFETY: the kernel fills it.
    unsafe {
        let mut names: libc::utsname = core::mem::zeroed();
        if sys::call(libc::SYS_uname, [&raw mut names as usize, 0, 0, 0, 0, 0]).is_ok() {
            for (to, from) in header.host.iter_mut().zip(names.nodename) {
                *to = from as u8;
            }
        }
    }
}

/// True once the process has left its first capture, which becomes a log.
static BEGUN_ANEW: AtomicBool = AtomicBool::new(false);

/// Returns true if the process has left its first capture, which becomes a log.
pub fn has_begun_anew() -> bool {
    BEGUN_ANEW.load(Relaxed)
}

/// Leaves the capture before its log is written, and returns it. Calls from now on are recorded in
/// a new one.
pub fn begin_anew() -> Option<Recorded> {
    let _guard = thread::Guard::enter()?;
    BEGUN_ANEW.store(true, Relaxed);
    let left = capture::begin_anew();
    heat::begin_anew();
    thread::begin_anew();
    file::begin_anew();
    region::begin_anew();
    left
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

/// The words of the command line, each ended by NUL. Before our constructor has run, the kernel is
/// asked for them.
fn command(buffer: &mut [u8]) -> &[u8] {
    // SAFETY: written once, before the program has threads.
    let known = unsafe { *COMMAND.get() };
    if !known.is_empty() {
        return known;
    }
    let len = sys::read_file(c"/proc/self/cmdline", buffer).unwrap_or(0);
    &buffer[..len]
}

/// Passes the entries that describe the process to `put`.
pub fn describe(mut put: impl FnMut(Kind, &[u8])) {
    let mut buffer = [0; 512];
    put(Kind::Command, command(&mut buffer));
    for problem in settings().problems() {
        let mut note = [0; 64];
        let mut len = 0;
        for piece in [b"ignored=", problem.setting, b" (", problem.fault.text().as_bytes(), b")"] {
            let piece = &piece[..piece.len().min(note.len() - len)];
            note[len..len + piece.len()].copy_from_slice(piece);
            len += piece.len();
        }
        put(Kind::Note, &note[..len]);
    }
}

/// Notes the ending of the process. If the process exits and writes its own log, that is done now.
pub fn ends(ending: Ending, status: Option<i32>) {
    if thread::is_vforked() || !file::is_open_here() && !region::is_on_here() {
        return;
    }
    catch_up();
    if let Some(header) = capture::header() {
        // SAFETY: fields that only this function changes.
        unsafe {
            (*header).last = clock::moment();
            (*header).status = status.unwrap_or((*header).status);
            // MPI_Abort may end with _exit.
            if (*header).ending != Ending::Abort as u32 {
                (*header).ending = ending as u32;
            }
        }
    } else {
        capture::leave_excluded();
    }
    if ending == Ending::Exit || ending == Ending::QuickExit {
        note_libraries();
        let hook = AT_END.load(Acquire);
        if job_folder().is_none() && !hook.is_null() && may_call_kernel() {
            // SAFETY: only `at_end` stores here.
            let hook = unsafe { core::mem::transmute::<*mut (), fn()>(hook) };
            hook();
        }
    }
}

/// Books what was done and not counted yet.
pub fn catch_up() {
    if file::is_open_here() {
        stdio::catch_up_all();
        metadata::catch_up();
    }
}

/// Notes the time in the capture, if there is one.
pub(crate) fn notes_time() {
    if let Some(header) = capture::header() {
        // SAFETY: as in `ends`.
        unsafe { (*header).last = clock::moment() };
    }
}

/// Notes the end of the recording before its log is written, while the process continues.
pub fn notes_end() {
    if let Some(header) = capture::header()
        && let Some(_guard) = thread::Guard::enter()
    {
        // SAFETY: as in `ends`.
        unsafe {
            (*header).last = clock::moment();
            (*header).ending = Ending::Exit as u32;
        }
        note_libraries();
    }
}

/// Notes the status given to `exit`, before destructors run.
pub fn exits_with(status: i32) {
    if let Some(header) = capture::header()
        && !thread::is_vforked()
        && (file::is_open_here() || region::is_on_here())
    {
        // SAFETY: a field of the mapping.
        unsafe { (*header).status = status };
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

/// Sets the function that writes log and profile of a process that is recorded on its own.
pub fn at_end(hook: fn()) {
    AT_END.store(hook as *mut (), Release);
}

/// Sets the function that begins to take snapshots of the profile, if that is asked for. It is called
/// at the first region of a process, and perhaps again later.
pub fn set_snapshots(hook: fn()) {
    if settings().snapshot_ns > 0 && writes_its_profile() {
        SNAPSHOTS.store(hook as *mut (), Release);
        // Constructors of other libraries may have been in regions.
        if capture::header().is_some() {
            hook();
        }
    }
}

/// Has snapshots taken from now on, if they are asked for.
pub(crate) fn begin_snapshots() {
    let hook = SNAPSHOTS.load(Acquire);
    if !hook.is_null() {
        // SAFETY: only `set_snapshots` stores here.
        unsafe { core::mem::transmute::<*mut (), fn()>(hook)() };
    }
}

/// Sets what tells the libraries of the process, as bits: those that it began with, and all of them,
/// which is asked when the process ends. The first is called under a lock, and must take none.
pub fn set_libraries(at_start: fn() -> u64, at_end: fn() -> u64) {
    LIBRARIES[0].store(at_start as *mut (), Release);
    LIBRARIES[1].store(at_end as *mut (), Release);
    // Constructors of other libraries come first.
    if let Some(header) = capture::header() {
        // SAFETY: a field that only this function and `note_libraries` change.
        unsafe { (*header).libraries |= at_start() };
    }
}

fn libraries(when: usize) -> u64 {
    let hook = LIBRARIES[when].load(Acquire);
    if hook.is_null() {
        return 0;
    }
    // SAFETY: only `set_libraries` stores here.
    unsafe { core::mem::transmute::<*mut (), fn() -> u64>(hook)() }
}

/// Notes the libraries that the process has loaded so far.
fn note_libraries() {
    if let Some(header) = capture::header()
        && may_call_kernel()
    {
        // SAFETY: as in `set_libraries`.
        unsafe { (*header).libraries |= libraries(1) };
    }
}

/// Notes the command line of a program that is started without the library.
///
/// # Safety
/// `arguments` is an array of C strings that ends with null.
pub unsafe fn unseen(arguments: *const *const c_char) {
    // SAFETY: as the caller says.
    let words = || unsafe {
        (0..256).map(|i| *arguments.add(i)).take_while(|word| !word.is_null()).map(|word| {
            let bytes = CStr::from_ptr(word).to_bytes_with_nul();
            &bytes[..bytes.len().min(1024)]
        })
    };
    let size = words().map(<[u8]>::len).sum::<usize>();
    let Some(taken) = capture::take(size_of::<Process>() + size) else { return };
    // SAFETY: the entry has room for all of it.
    unsafe {
        taken.payload().cast::<Process>().write(Process { tick: clock::tick(), pid: 0 });
        let mut at = taken.payload().add(size_of::<Process>());
        for word in words() {
            core::ptr::copy_nonoverlapping(word.as_ptr(), at, word.len());
            at = at.add(word.len());
        }
    }
    taken.complete(Kind::Unseen);
}

/// Stops recording permanently.
pub fn disable() {
    STATE.store(OFF, Release);
    file::close_table();
    region::stop();
}

/// Start of the capture, if there is one.
pub fn start_moment() -> Option<Moment> {
    // SAFETY: does not change after it was published.
    capture::header().map(|header| unsafe { (*header).start })
}
