//! The life of the recorder in a process: start, fork, exec, end.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Ending, Header, Kind, Moment, Process, place};

use crate::capture::Recorded;
use crate::hot::HOT;
use crate::memory::Shared;
use crate::path::{OwnPath, file_name};
use crate::settings::{Environment, Mode, Settings, module};
use crate::sys::{self, Fd};
use crate::{
    capture, clock, file, hdf5, heat, later, mapping, memory, naming, pending, pnetcdf, rank,
    stdio, thread,
};

const UNSTARTED: u32 = 0;
const STARTING: u32 = 1;
const RECORDING: u32 = 2;
const OFF: u32 = 3;

/// With so few descriptors there may be none left when the first file has been opened.
const FEW_DESCRIPTORS: u64 = 64;
/// How long a thread waits for another that goes on in a child.
const MAX_YIELDS: u32 = 20_000;

static STATE: AtomicU32 = AtomicU32::new(UNSTARTED);
static SETTINGS: Shared<Settings> = Shared::new(Settings::off());
static ROOT_CHANGED: AtomicBool = AtomicBool::new(false);
static FILTERED: AtomicBool = AtomicBool::new(false);
/// The words of the command line, one behind the other as the kernel has laid them down.
static COMMAND: Shared<&[u8]> = Shared::new(&[]);
/// Called when the process ends, to write its log.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// The environment, also before the C library knows it.
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

/// The value of a variable in the environment, as `getenv` finds it.
///
/// # Safety
/// Nobody changes the environment meanwhile.
pub unsafe fn variable(name: &[u8]) -> Option<&'static [u8]> {
    // SAFETY: the caller vouches.
    let mut variables = unsafe { Environment::new(environment()) };
    variables.find_map(|variable| variable.strip_prefix(name)?.strip_prefix(b"="))
}

/// True if nothing is recorded, unless MPI begins.
#[inline]
pub(crate) fn is_off() -> bool {
    STATE.load(Relaxed) == OFF
}

/// Starts recording, or goes on in a forked child. Tells whether this process is recorded.
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
    // Streams and constructors are known as glibc has them.
    let recording = sys::is_glibc() && read_settings() && file::start();
    if recording {
        file::open_table();
        if sys::limit(libc::RLIMIT_NOFILE).is_ok_and(|(soft, _)| soft < FEW_DESCRIPTORS) {
            capture::ensure();
        }
    }
    STATE.store(if recording { RECORDING } else { OFF }, Release);
    recording
}

/// Settings are read once, also by a process that begins to record when MPI does.
static WAS_READ: AtomicBool = AtomicBool::new(false);

/// The moment recording began, if the settings do not say when the job did; 0 before.
static BEGAN_NS: AtomicU64 = AtomicU64::new(0);
/// True from when MPI begins in a process that has waited for it.
static GOES_ON_ALONE: AtomicBool = AtomicBool::new(false);

/// Reads the settings, and tells whether to record.
fn read_settings() -> bool {
    if !WAS_READ.swap(true, Relaxed) {
        let mut buffer = [0; 512];
        let argv0 = command(&mut buffer).split(|byte| *byte == 0).next().unwrap_or_default();
        // SAFETY: one thread starts, the strings of the environment stay while it does, and nobody has
        // looked at the settings yet.
        unsafe { *SETTINGS.get() = Settings::read(Environment::new(environment()), argv0) };
    }
    let settings = settings();
    let rank = settings.place.map_or(0, |place| place.rank.into());
    let is_wanted = match mode() {
        Mode::Job(_) | Mode::Alone => true,
        // What it does before MPI begins counts too, where that can be foreseen.
        Mode::WaitForMpi => rank::is_expected(),
        Mode::Off | Mode::LeftOut => false,
    };
    if !is_wanted || !settings.records_rank(rank) {
        return false;
    }
    let _ = BEGAN_NS.compare_exchange(0, sys::clock_ns(libc::CLOCK_REALTIME), Relaxed, Relaxed);
    clock::choose(settings.clock.unwrap_or_else(clock::probe));
    HOT.tracing.store(settings.modules.has(module::DXT_POSIX), Relaxed);
    HOT.tracing_mpiio.store(settings.modules.has(module::DXT_MPIIO), Relaxed);
    HOT.heat.store(settings.modules.has(module::HEATMAP), Relaxed);
    let alignment = settings.memory_alignment.max(1) as usize;
    HOT.alignment_mask.store(alignment.next_power_of_two() - 1, Relaxed);
    true
}

/// The settings.
#[inline]
pub fn settings() -> &'static Settings {
    // SAFETY: written once while starting, read afterwards.
    unsafe { &*SETTINGS.get() }
}

/// The mode of the settings, or that of a process in which MPI has begun.
pub(crate) fn mode() -> Mode {
    if GOES_ON_ALONE.load(Relaxed) { Mode::Alone } else { settings().mode }
}

/// Whether transfers are traced.
#[inline]
pub fn is_tracing() -> bool {
    HOT.tracing.load(Relaxed)
}

/// Whether transfers through MPI-IO are traced.
#[inline]
pub fn is_tracing_mpiio() -> bool {
    HOT.tracing_mpiio.load(Relaxed)
}

/// Whether heat maps are kept.
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

/// Whether the recorder may make system calls. After the program has installed a filter that may
/// kill it for a call it does not expect, no longer.
#[inline]
pub fn may_call_kernel() -> bool {
    !FILTERED.load(Relaxed)
}

/// The program forbids itself to read the time-stamp counter.
pub fn clock_forbidden() {
    if file::is_open_here() {
        clock::stop();
    }
}

/// The folder of the job, if there is one.
pub fn job_folder() -> Option<&'static CStr> {
    match mode() {
        Mode::Job(folder) => Some(folder),
        _ => None,
    }
}

/// The program is about to have another root: what is to be recorded there needs its place now.
pub fn root_changes() {
    if !thread::is_vforked()
        && file::is_open()
        && may_call_kernel()
        && let Some(_guard) = thread::Guard::enter()
    {
        capture::ensure();
    }
}

/// The program has another root now, where the job's folder cannot be reached.
pub fn root_changed() {
    ROOT_CHANGED.store(true, Relaxed);
}

/// After a fork, in the parent: a child with another root cannot be recorded.
pub fn forked() {
    if ROOT_CHANGED.load(Relaxed) && file::is_open_here() {
        let command = [c"(fork after chroot)".as_ptr(), core::ptr::null()];
        // SAFETY: ends with null.
        unsafe { unseen(command.as_ptr()) };
    }
}

/// The program installs a filter for system calls.
pub fn filter_installed() {
    FILTERED.store(true, Relaxed);
}

/// There is no filter after all.
pub fn filter_refused() {
    FILTERED.store(false, Relaxed);
}

/// Goes on in a forked child. Its first calls may come from several threads at once: one goes on, the
/// others wait for it. Signals are kept out, whose handlers would wait for themselves.
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

/// Begins with a capture of its own when there is something to record.
fn after_fork() {
    memory::after_fork();
    capture::after_fork();
    heat::after_fork();
    thread::after_fork();
    later::after_fork();
    mapping::after_fork();
    pending::after_fork();
    naming::after_fork();
    hdf5::after_fork();
    pnetcdf::after_fork();
    file::after_fork();
    file::open_table();
}

/// Makes the file of this process's capture and tells its path.
pub fn make_capture_file(path: &mut OwnPath) -> Option<Fd> {
    if let Mode::Job(folder) = mode() {
        let folder = folder.to_bytes();
        path.clear();
        path.push(folder);
        capture_in(path).or_else(|| {
            // Where the job's folder cannot be reached the first root is most likely another
            // one under the same name, which ends with the container it belongs to.
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

/// The folder of this user below a root.
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

/// Whether a folder is this user's, and nobody else puts anything there.
pub(crate) fn is_ours_alone(folder: &OwnPath) -> bool {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_PATH;
    let Ok(folder) = sys::open(folder.as_c_str(), flags, 0) else { return false };
    let is_ours =
        |stat: libc::stat| stat.st_uid == sys::effective_uid() && stat.st_mode & 0o022 == 0;
    sys::stat_fd(folder.0).is_ok_and(is_ours)
}

/// Makes the capture in the folder `path`, if that is ours alone, and appends its name.
fn capture_in(path: &mut OwnPath) -> Option<Fd> {
    // There may be no second descriptor left, and what is ours alone nobody else changes.
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

/// What the header of a capture of this process would say now.
pub fn new_header() -> Header {
    // SAFETY: all zero is a header.
    let mut header = unsafe { core::mem::zeroed() };
    fill_header(&mut header);
    header
}

/// Says in a new capture whose it is.
pub fn fill_header(header: &mut Header) {
    header.pid = sys::pid();
    header.ppid = sys::parent_pid();
    header.uid = sys::uid();
    let by_mpi = rank::place();
    let place = by_mpi.or(settings().place);
    header.rank = place.map_or(-1, |place| place.rank as i32);
    header.ranks = place.map_or(-1, |place| place.ranks as i32);
    header.by_mpi = by_mpi.is_some().into();
    header.keeps_ranks = (!settings().reduce_shared).into();
    header.jobid = settings().jobid.unwrap_or(0);
    header.traced = u32::from(is_tracing());
    header.start = clock::moment();
    header.last = header.start;
    header.boot_ns = sys::clock_ns(libc::CLOCK_BOOTTIME);
    header.origin_real_ns = match (settings().origin_ns, BEGAN_NS.load(Relaxed)) {
        (Some(origin), _) => origin,
        (None, 0) => header.start.real_ns,
        (None, began) => began,
    };
    header.pid_namespace = sys::stat(c"/proc/self/ns/pid").map_or(0, |stat| stat.st_ino);
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

/// There is a log of what was recorded first.
static BEGUN_ANEW: AtomicBool = AtomicBool::new(false);

/// Whether there is a log of what was recorded first.
pub fn has_begun_anew() -> bool {
    BEGUN_ANEW.load(Relaxed)
}

/// A log of all that was recorded so far is about to be written: what follows is another's. Tells
/// which capture has been left.
pub fn begin_anew() -> Option<Recorded> {
    let _guard = thread::Guard::enter()?;
    BEGUN_ANEW.store(true, Relaxed);
    let left = capture::begin_anew();
    heat::begin_anew();
    thread::begin_anew();
    file::begin_anew();
    left
}

/// Begins to record after all, because MPI is there. Other constructors than ours come first and may have
/// had it decided already.
pub(crate) fn start_after_all() {
    let _ = STATE.compare_exchange(OFF, UNSTARTED, Acquire, Relaxed);
    wake();
}

/// From now on the process writes its log itself.
pub(crate) fn go_on_alone() {
    GOES_ON_ALONE.store(true, Relaxed);
}

/// Longest command line that is kept.
const MAX_COMMAND: usize = 8 << 10;

/// Called when the library is loaded, with the arguments of the program and what tells whether it was
/// linked with MPI.
///
/// # Safety
/// As the C library calls constructors.
pub unsafe fn begins(count: i32, words: *const *const c_char, is_mpi_linked: fn() -> bool) {
    // SAFETY: the caller vouches.
    unsafe {
        if count > 0 && !words.is_null() {
            let (first, last) = (*words, *words.add(count as usize - 1));
            let end = last.addr() + CStr::from_ptr(last).count_bytes() + 1;
            // Whoever has moved them has not told the kernel either.
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

/// The words of the command line, each ended by NUL. Other constructors than ours come first, and
/// then the kernel is asked.
fn command(buffer: &mut [u8]) -> &[u8] {
    // SAFETY: written once, before the program has threads.
    let known = unsafe { *COMMAND.get() };
    if !known.is_empty() {
        return known;
    }
    let len = sys::read_file(c"/proc/self/cmdline", buffer).unwrap_or(0);
    &buffer[..len]
}

/// Hands the entries that describe the process to `put`.
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

/// Notes how the process ends. Unless it is killed or becomes another program, its log is written
/// now if nobody else will.
pub fn ends(ending: Ending, status: Option<i32>) {
    if thread::is_vforked() || !file::is_open_here() {
        return;
    }
    stdio::catch_up_all();
    if let Some(header) = capture::header() {
        // SAFETY: fields that only this function changes.
        unsafe {
            (*header).last = clock::moment();
            (*header).status = status.unwrap_or((*header).status);
            (*header).ending = ending as u32;
        }
    } else {
        capture::leave_excluded();
    }
    if ending == Ending::Exit || ending == Ending::QuickExit {
        let hook = AT_END.load(Acquire);
        let is_alone = matches!(mode(), Mode::Alone | Mode::WaitForMpi);
        if is_alone && !hook.is_null() && may_call_kernel() {
            // SAFETY: only `at_end` stores here.
            let hook = unsafe { core::mem::transmute::<*mut (), fn()>(hook) };
            hook();
        }
    }
}

/// Notes that the log is about to be written, though the process goes on.
pub fn notes_end() {
    if let Some(header) = capture::header()
        && let Some(_guard) = thread::Guard::enter()
    {
        // SAFETY: as in `ends`.
        unsafe {
            (*header).last = clock::moment();
            (*header).ending = Ending::Exit as u32;
        }
    }
}

/// Notes the status given to `exit`, which destructors still precede.
pub fn exits_with(status: i32) {
    if let Some(header) = capture::header()
        && !thread::is_vforked()
        && file::is_open_here()
    {
        // SAFETY: a field of the mapping.
        unsafe { (*header).status = status };
    }
}

/// Whether this process writes its log itself, also of what destructors will still do.
pub fn writes_its_log() -> bool {
    mode() == Mode::Alone
}

/// Sets what writes the log of a process that is recorded on its own.
pub fn at_end(hook: fn()) {
    AT_END.store(hook as *mut (), Release);
}

/// Notes a program that is started without us: its command line.
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

/// Stops recording for good.
pub fn disable() {
    STATE.store(OFF, Release);
    file::close_table();
}

/// The moment the capture began, if there is one.
pub fn start_moment() -> Option<Moment> {
    // SAFETY: does not change after it was published.
    capture::header().map(|header| unsafe { (*header).start })
}
