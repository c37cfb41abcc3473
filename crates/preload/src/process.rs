//! The start, forking and end of processes.

use core::arch::naked_asm;
use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};

use ioglass_recorder::{file, posix, process, program, sys, thread};
use ioglass_shm::Ending;

use crate::real::{Symbol, interpose, set_errno};
use crate::{exitlog, inject, libraries, loaded, profile, thread_end};

extern "C" fn begin(count: c_int, words: *const *const c_char) {
    if !sys::is_glibc() {
        // Its constructors do not receive the command line.
        return process::disable();
    }
    thread_end::begin();
    process::at_end(exitlog::write);
    process::set_libraries(libraries::at_start, libraries::at_end);
    let _ = loaded::last_of_first();
    if loaded::next_function(c"exit").is_none() {
        process::is_loaded_late();
    }
    // SAFETY: called by the C library as a constructor.
    unsafe { process::begins(count, words, || loaded::next_function(c"MPI_Init").is_some()) };
    profile::begin();
    inject::begin();
}

// A C library other than glibc may not have it; then it is not called.
core::arch::global_asm!(".weak on_exit");

unsafe extern "C" {
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Destructors of the program run before this one, those of its libraries after it. A function that
/// is registered now runs after all of them. It gets the status of the process, also if the program
/// has returned from `main`.
extern "C" fn end() {
    let writes_at_exit = process::writes_at_exit();
    if !writes_at_exit {
        process::ends(Ending::Exit, None);
    }
    if !sys::is_glibc() {
        return;
    }
    // SAFETY: the function needs no argument.
    let is_registered = unsafe { on_exit(end_of_all, core::ptr::null_mut()) } == 0;
    if writes_at_exit && !is_registered {
        process::ends(Ending::Exit, None);
    }
}

extern "C" fn end_of_all(status: c_int, _: *mut c_void) {
    process::exits_with(status);
    if process::writes_at_exit() {
        process::ends(Ending::Exit, None);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn(c_int, *const *const c_char) = begin;

// Nothing is torn down: later calls are still recorded.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// Stops recording in this process. The `ioglass` command calls it so that it does not record
/// itself.
#[unsafe(no_mangle)]
extern "C" fn ioglass_disable() {
    process::disable();
}

/// AddressSanitizer refuses to run if it is not the first library; with this one it need not be. If
/// a program defines this function itself, its own is called.
#[unsafe(no_mangle)]
extern "C" fn __asan_default_options() -> *const c_char {
    c"verify_asan_link_order=0".as_ptr()
}

interpose! {
    fn fork() -> c_int = |real| {
        file::shared_by_fork();
        let pid = real();
        if pid > 0 {
            process::forked();
        }
        pid
    };
    fn _Fork() -> c_int = |real| {
        file::shared_by_fork();
        real()
    };
    fn clone(
        function: usize, stack: usize, flags: c_int, argument: usize, parent_tid: usize,
        tls: usize, child_tid: usize,
    ) -> c_int = |real| {
        let call = || real(function, stack, flags, argument, parent_tid, tls, child_tid);
        // A child that shares memory and the thread's storage, but not its descriptors.
        let kinds = [libc::CLONE_VM, libc::CLONE_VFORK, libc::CLONE_FILES, libc::CLONE_SETTLS];
        let [vm, vfork, files, sets_tls] = kinds.map(|kind| flags & kind != 0);
        if vm && vfork && !files && !sets_tls {
            before_vfork();
            let pid = call();
            thread::leave_vfork();
            return pid;
        }
        if !vm {
            file::shared_by_fork();
        }
        call()
    };
    fn posix_spawn(
        pid: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: *const *const c_char, environment: *const *const c_char,
    ) -> c_int = |real|
        spawn(path, arguments, environment,
            || real(pid, path, actions, attributes, arguments, environment));
    fn posix_spawnp(
        pid: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: *const *const c_char, environment: *const *const c_char,
    ) -> c_int = |real|
        spawn(path, arguments, environment,
            || real(pid, path, actions, attributes, arguments, environment));
    fn system(command: *const c_char) -> c_int = |real| {
        file::shared_by_fork();
        real(command)
    };
    fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void = |real| {
        file::shared_by_fork();
        real(command, mode)
    };
}

/// `vfork`, whose child runs on the stack and in the memory of its parent.
///
/// The return address is kept in a register, because the child overwrites the stack. While the
/// child runs, the thread is marked so that the child's calls change no data of its parent.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn vfork() -> c_int {
    naked_asm!(
        "sub rsp, 8",
        "call {before}",
        "add rsp, 8",
        "pop rdx",
        "mov eax, 58",
        "syscall",
        "push rdx",
        "test eax, eax",
        "jz 2f",
        "sub rsp, 8",
        "mov rdi, rax",
        "call {after}",
        "add rsp, 8",
        "2:",
        "ret",
        before = sym before_vfork,
        after = sym after_vfork,
    )
}

extern "C" fn before_vfork() {
    file::shared_by_fork();
    thread::enter_vfork();
}

extern "C" fn after_vfork(result: isize) -> c_int {
    thread::leave_vfork();
    if result < 0 {
        set_errno(-result as c_int);
        return -1;
    }
    result as c_int
}

/// Starts a process that shares our descriptors.
unsafe fn spawn(
    path: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    call: impl FnOnce() -> c_int,
) -> c_int {
    file::shared_by_fork();
    let result = call();
    if result == 0 {
        // SAFETY: the call has read them.
        unsafe { note_unseen(path, arguments, environment) };
    }
    result
}

/// Returns true if an environment preloads our library.
unsafe fn is_seen(environment: *const *const c_char) -> bool {
    if environment.is_null() {
        return false;
    }
    let mut entry = environment;
    // SAFETY: an array of C strings that ends with null, as `execve` takes it.
    unsafe {
        while !(*entry).is_null() {
            let text = CStr::from_ptr(*entry).to_bytes();
            if let Some(value) = text.strip_prefix(b"LD_PRELOAD=") {
                return value.windows(7).any(|part| part == b"ioglass");
            }
            entry = entry.add(1);
        }
    }
    false
}

/// Notes a program that is started without our library.
unsafe fn note_unseen(
    path: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: the call these were given to has succeeded, or is about to read them.
    unsafe {
        if !arguments.is_null()
            && file::is_open()
            && process::may_call_kernel()
            && (!is_seen(environment) || program::is_beyond_us(path))
        {
            process::unseen(arguments);
        }
    }
}

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// Finishes the records before this image is replaced.
unsafe fn before_exec(
    path: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { note_unseen(path, arguments, environment) };
    process::ends(Ending::Exec, None);
}

interpose! {
    fn execve(
        path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char,
    ) -> c_int = |real| {
        before_exec(path, arguments, environment);
        real(path, arguments, environment)
    };
    fn execv(path: *const c_char, arguments: *const *const c_char) -> c_int = |real| {
        before_exec(path, arguments, environ);
        real(path, arguments)
    };
    fn execvp(path: *const c_char, arguments: *const *const c_char) -> c_int = |real| {
        before_exec(path, arguments, environ);
        real(path, arguments)
    };
    fn execvpe(
        path: *const c_char, arguments: *const *const c_char, environment: *const *const c_char,
    ) -> c_int = |real| {
        before_exec(path, arguments, environment);
        real(path, arguments, environment)
    };
    fn fexecve(
        fd: c_int, arguments: *const *const c_char, environment: *const *const c_char,
    ) -> c_int = |real| {
        before_exec(core::ptr::null(), arguments, environment);
        real(fd, arguments, environment)
    };
    fn execveat(
        dir: c_int, path: *const c_char, arguments: *const *const c_char,
        environment: *const *const c_char, flags: c_int,
    ) -> c_int = |real| {
        before_exec(path, arguments, environment);
        real(dir, path, arguments, environment, flags)
    };
}

/// The variadic ones: all arguments are passed on unchanged.
macro_rules! interpose_exec {
    ($($name:ident, $find:ident;)*) => {$(
        extern "C" fn $find() -> usize {
            static SYMBOL: Symbol = Symbol::new(concat!(stringify!($name), "\0"));
            process::ends(Ending::Exec, None);
            // SAFETY: only jumped to.
            unsafe { SYMBOL.get::<usize>() }.unwrap_or(missing_exec as *const () as usize)
        }

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() -> c_int {
            naked_asm!(
                "push rdi", "push rsi", "push rdx", "push rcx", "push r8", "push r9", "push rax",
                "call {find}",
                "mov r11, rax",
                "pop rax", "pop r9", "pop r8", "pop rcx", "pop rdx", "pop rsi", "pop rdi",
                "jmp r11",
                find = sym $find,
            )
        }
    )*};
}

interpose_exec! {
    execl, find_execl;
    execlp, find_execlp;
    execle, find_execle;
}

extern "C" fn missing_exec() -> c_int {
    set_errno(libc::ENOSYS);
    -1
}

/// Interposes functions that do not return.
macro_rules! interpose_end {
    ($($name:ident($status:ident) $before:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($status: c_int) -> ! {
            static SYMBOL: Symbol = Symbol::new(concat!(stringify!($name), "\0"));
            $before;
            // SAFETY: the type is that of the C function of this name.
            if let Some(real) = unsafe { SYMBOL.get::<unsafe extern "C" fn(c_int) -> !>() } {
                // SAFETY: as the caller has called it.
                unsafe { real($status) }
            }
            loop {
                // SAFETY: ends the process.
                let _ = unsafe {
                    ioglass_recorder::sys::call(
                        libc::SYS_exit_group,
                        [$status as usize, 0, 0, 0, 0, 0],
                    )
                };
            }
        }
    )*};
}

interpose_end! {
    exit(status) process::exits_with(status);
    quick_exit(status) process::ends(Ending::QuickExit, Some(status));
    _exit(status) process::ends(Ending::QuickExit, Some(status));
    _Exit(status) process::ends(Ending::QuickExit, Some(status));
}

interpose! {
    fn abort() -> () = |real| {
        process::ends(Ending::Abort, None);
        real();
    };
    fn prctl(
        option: c_int, first: usize, second: usize, third: usize, fourth: usize,
    ) -> c_int = |real| {
        restricting(option, first, || real(option, first, second, third, fourth))
    };
    fn syscall(
        number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize,
    ) -> c_long = |real| {
        let call = || real(number, a, b, c, d, e, f);
        match number {
            libc::SYS_seccomp if a < 2 => return restricting(libc::PR_SET_SECCOMP, a + 1, call),
            libc::SYS_prctl => return restricting(a as c_int, b, call),
            libc::SYS_exit_group => process::ends(Ending::QuickExit, Some(a as c_int)),
            libc::SYS_close => return posix::close(a as c_int, || call() as c_int).into(),
            libc::SYS_close_range
                if c & CLOSE_RANGE_CLOEXEC == 0 && !thread::is_vforked() && file::is_open() =>
            {
                file::detach_range(a as c_uint, b as c_uint);
            }
            libc::SYS_openat | libc::SYS_openat2 | libc::SYS_dup | libc::SYS_dup3 => {
                return new_descriptor(call);
            }
            libc::SYS_open | libc::SYS_creat | libc::SYS_dup2 => return new_descriptor(call),
            libc::SYS_fork => file::shared_by_fork(),
            libc::SYS_clone if a as c_int & libc::CLONE_VM == 0 => file::shared_by_fork(),
            libc::SYS_execve => process::ends(Ending::Exec, None),
            _ => {}
        }
        call()
    };
}

const CLOSE_RANGE_CLOEXEC: usize = 4;

/// A descriptor that a raw system call made is examined when it is used.
fn new_descriptor(call: impl FnOnce() -> c_long) -> c_long {
    let fd = call();
    if fd >= 0 && !thread::is_vforked() && file::is_open() {
        file::forget(fd as c_int);
    }
    fd
}

/// Makes a call by which the program may restrict itself. The restriction is noted before the call,
/// and undone if the call fails.
fn restricting<T: PartialOrd + From<i8>>(
    option: c_int,
    argument: usize,
    call: impl FnOnce() -> T,
) -> T {
    let was_filtered = !process::may_call_kernel();
    note_control(option, argument);
    let result = call();
    if option == libc::PR_SET_SECCOMP && !was_filtered && result < T::from(0) {
        process::filter_refused();
    }
    result
}

/// Notes that the program restricts itself.
fn note_control(option: c_int, argument: usize) {
    const STRICT: usize = 1;
    match option {
        libc::PR_SET_SECCOMP => {
            process::filter_installed();
            if argument == STRICT {
                process::clock_forbidden();
            }
        }
        libc::PR_SET_TSC if argument == libc::PR_TSC_SIGSEGV as usize => process::clock_forbidden(),
        _ => {}
    }
}
