//! OpenMP: the threads of a team are below the region in which the team began.
//!
//! GCC's runtime is given the function that a team runs; another one is put before it. LLVM's runtime
//! asks for a tool when it starts, and tells it of teams.

use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::ptr;

use ioglass_recorder::process;
use ioglass_recorder::region::{self, Team, team};

use crate::late_symbol::interpose_late;

type Function = unsafe extern "C" fn(*mut c_void);

/// The work of a team.
#[repr(C)]
struct Work {
    /// The first word of the data: the runtime reads it in teams with reductions.
    first: usize,
    function: Function,
    data: *mut c_void,
    team: Team,
}

/// Runs a team's function in one of its threads.
unsafe extern "C" fn work(work: *mut c_void) {
    // SAFETY: the thread that began the team waits until all have run it.
    let Work { function, data, team, .. } = unsafe { &*work.cast::<Work>() };
    team.join();
    // SAFETY: as the program has asked for.
    unsafe { function(*data) };
}

/// Calls `begin` with what a team is to run.
#[inline]
unsafe fn with_team<T>(
    function: Function,
    data: *mut c_void,
    has_reductions: bool,
    begin: impl FnOnce(Function, *mut c_void) -> T,
) -> T {
    let Some(team) = Team::begin() else { return begin(function, data) };
    // SAFETY: such data begins with a pointer.
    let first = if has_reductions { unsafe { *data.cast::<usize>() } } else { 0 };
    let mut all = Work { first, function, data, team };
    begin(work, (&raw mut all).cast())
}

/// Interposes functions that begin a team.
macro_rules! teams {
    ($(fn $name:ident($($arg:ident: $type:ty),*);)*) => {
        interpose_late! {$(
            fn $name(function: Function, data: *mut c_void, threads: c_uint, $($arg: $type),*) -> () =
                |real| with_team(function, data, false, |function, data| {
                    real(function, data, threads, $($arg),*)
                }), or ();
        )*}
    };
}

teams! {
    fn GOMP_parallel(flags: c_uint);
    fn GOMP_parallel_sections(count: c_uint, flags: c_uint);
    fn GOMP_parallel_loop_static(
        start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_dynamic(
        start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_guided(
        start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_nonmonotonic_dynamic(
        start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_nonmonotonic_guided(
        start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_runtime(start: c_long, end: c_long, step: c_long, flags: c_uint);
    fn GOMP_parallel_loop_nonmonotonic_runtime(
        start: c_long, end: c_long, step: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_maybe_nonmonotonic_runtime(
        start: c_long, end: c_long, step: c_long, flags: c_uint
    );
}

interpose_late! {
    fn GOMP_parallel_reductions(
        function: Function, data: *mut c_void, threads: c_uint, flags: c_uint,
    ) -> c_uint = |real| with_team(function, data, true, |function, data| {
        real(function, data, threads, flags)
    }), or 0;
}

/// A word that the runtime keeps for the tool.
type Word = u64;

/// What LLVM's runtime knows of a tool.
#[repr(C)]
struct Tool {
    initialize: unsafe extern "C" fn(Lookup, c_int, *mut Word) -> c_int,
    finalize: unsafe extern "C" fn(*mut Word),
    data: Word,
}

/// Finds a function of the runtime by its name.
type Lookup = unsafe extern "C" fn(*const c_char) -> *mut c_void;
/// Has the runtime call a function when something happens.
type SetCallback = unsafe extern "C" fn(c_int, *const c_void) -> c_int;

const PARALLEL_BEGIN: c_int = 3;
const IMPLICIT_TASK: c_int = 7;
/// The begin of a task.
const SCOPE_BEGIN: c_int = 1;
/// Flag of a task that is the whole program.
const INITIAL: c_int = 1;

static TOOL: Tool = Tool { initialize, finalize, data: 0 };

interpose_late! {
    fn ompt_start_tool(version: c_uint, runtime: *const c_char) -> *const c_void = |real| {
        // Another tool comes first.
        let other = real(version, runtime);
        if other.is_null() { own_tool() } else { other }
    }, or own_tool();
}

/// Our tool, if regions are counted and the user has asked for no other.
fn own_tool() -> *const c_void {
    process::wake();
    // SAFETY: the runtime starts; whoever changes the environment meanwhile races with it, too.
    let libraries = unsafe { process::variable(b"OMP_TOOL_LIBRARIES") };
    match region::is_on() && libraries.is_none_or(<[u8]>::is_empty) {
        true => (&raw const TOOL).cast(),
        false => ptr::null(),
    }
}

unsafe extern "C" fn initialize(lookup: Lookup, _: c_int, _: *mut Word) -> c_int {
    const SET_CALLBACK: &CStr = c"ompt_set_callback";
    // SAFETY: the runtime finds its own functions.
    let found = unsafe { lookup(SET_CALLBACK.as_ptr()) };
    if found.is_null() {
        return 0;
    }
    // SAFETY: the function with this name has this type.
    let set_callback: SetCallback = unsafe { core::mem::transmute(found) };
    // SAFETY: these functions have the types of these events.
    unsafe {
        set_callback(PARALLEL_BEGIN, parallel_begin as *const c_void);
        set_callback(IMPLICIT_TASK, implicit_task as *const c_void);
    }
    1
}

unsafe extern "C" fn finalize(_: *mut Word) {}

/// A team begins: its word is the region in which that happens.
unsafe extern "C" fn parallel_begin(
    _task: *const Word,
    _frame: *const c_void,
    team: *mut Word,
    _threads: c_uint,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: the runtime keeps the word of the team.
    if let Some(word) = unsafe { team.as_mut() } {
        *word = team::here().into();
    }
}

/// A thread begins or ends its work for a team. The first thread is the one that began the team.
unsafe extern "C" fn implicit_task(
    endpoint: c_int,
    team: *const Word,
    _task: *const Word,
    _threads: c_uint,
    index: c_uint,
    flags: c_int,
) {
    if endpoint != SCOPE_BEGIN || index == 0 || flags & INITIAL != 0 {
        return;
    }
    // SAFETY: the runtime keeps the word of the team, which has begun.
    if let Some(word) = unsafe { team.as_ref() } {
        team::join(*word as u32);
    }
}
