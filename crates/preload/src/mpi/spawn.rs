//! Programs that MPI spawns for the program.
//!
//! They are children of the launcher. If `ioglass run` runs inside the launcher, the launcher does
//! not know the recorder. So the recorder's variables are passed in a hint, if the MPI has one for
//! this.

use core::ffi::{CStr, c_char, c_int};

use ioglass_recorder::process;

use super::ask::{Library, ask};
use super::interpose_mpi;

/// Environment variables that a process needs to be recorded.
const NEEDED: [&CStr; 4] = [c"LD_PRELOAD", c"IOGLASS_JOB", c"IOGLASS_ORIGIN", c"IOGLASS_CLOCK"];
/// Further variables that it may have.
const OPTIONAL: [&CStr; 3] = [c"IOGLASS_TRACE", c"IOGLASS_EXCLUDE", c"IOGLASS_INCLUDE"];
/// Number of ranks, and of ranks on this node: another node has another file for the recorder.
const SIZES: [&CStr; 2] = [c"OMPI_COMM_WORLD_SIZE", c"OMPI_COMM_WORLD_LOCAL_SIZE"];

/// The longest value that a hint may have, including its terminator.
const LONGEST: usize = 256;
/// The most programs that one call may spawn.
const MOST: usize = 16;

/// A hint that is being composed.
struct Value {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Value {
    /// Adds `NAME=VALUE` on its own line; returns true if it fits and the value is a single line.
    fn push(&mut self, name: &CStr, value: &[u8]) -> bool {
        let before: &[u8] = if self.len == 0 { b"" } else { b"\n" };
        let parts = [before, name.to_bytes(), b"=", value];
        let size: usize = parts.iter().map(|part| part.len()).sum();
        if self.len + size >= LONGEST || value.contains(&b'\n') {
            return false;
        }
        for byte in parts.into_iter().flatten() {
            if let Some(place) = self.bytes.get_mut(self.len) {
                *place = *byte;
                self.len += 1;
            }
        }
        true
    }
}

/// The variables of the recorder, if they fit.
fn variables() -> Option<Value> {
    let mut value = Value { bytes: [0; LONGEST], len: 0 };
    for name in NEEDED {
        value.push(name, variable(name)?).then_some(())?;
    }
    for name in OPTIONAL {
        variable(name).map(|found| value.push(name, found));
    }
    Some(value)
}

fn variable(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: a program that changes its environment while it spawns others cannot rely on what
    // they get.
    unsafe { process::variable(name.to_bytes()) }
}

/// Hints with the variables of the recorder, to be freed; `None` if the program's own hints are
/// used.
fn hints(library: Library, info: usize) -> Option<usize> {
    let abi = library.abi();
    let key = abi.environment_key()?;
    let [all, here] = SIZES.map(variable);
    if all != here {
        return None;
    }
    let value = variables()?;
    let mut hints = 0_usize;
    let (mut own, mut is_set): (c_int, c_int) = (0, 0);
    if abi.is_info_null(info) {
        ask!(library, PMPI_Info_create(&raw mut hints => *mut usize)).then_some(())?;
    } else {
        let key = key.as_ptr();
        // A value that the program sets itself is not changed.
        let knows = ask!(library, PMPI_Info_get_valuelen(
            info => usize, key => *const c_char, &raw mut own => *mut c_int,
            &raw mut is_set => *mut c_int));
        (knows && is_set == 0).then_some(())?;
        let copied = ask!(library, PMPI_Info_dup(info => usize, &raw mut hints => *mut usize));
        copied.then_some(())?;
    }
    let text = value.bytes.as_ptr().cast::<c_char>();
    let is_said = ask!(library, PMPI_Info_set(
        hints => usize, key.as_ptr() => *const c_char, text => *const c_char));
    if !is_said {
        free(library, hints);
    }
    is_said.then_some(hints)
}

fn free(library: Library, mut hints: usize) {
    let _ = ask!(library, PMPI_Info_free(&raw mut hints => *mut usize));
}

interpose_mpi! {
    fn MPI_Comm_spawn PMPI_Comm_spawn(
        command: usize, words: usize, most: c_int, info: usize, root: c_int, communicator: usize,
        new: usize, errors: usize,
    ) = |real| {
        let library = Library::with(real as usize);
        let hints = hints(library, info);
        let given = hints.unwrap_or(info);
        let result = real(command, words, most, given, root, communicator, new, errors);
        if let Some(hints) = hints {
            free(library, hints);
        }
        result
    };
    fn MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple(
        count: c_int, commands: usize, words: usize, most: usize, infos: *const usize,
        root: c_int, communicator: usize, new: usize, errors: usize,
    ) = |real| {
        let library = Library::with(real as usize);
        let count_here = usize::try_from(count).unwrap_or(0);
        let is_ours = !infos.is_null() && (1..=MOST).contains(&count_here)
            && library.abi().environment_key().is_some();
        let own = if is_ours { core::slice::from_raw_parts(infos, count_here) } else { &[] };
        let (mut given, mut made) = ([0; MOST], [None; MOST]);
        for ((info, given), made) in own.iter().zip(&mut given).zip(&mut made) {
            *made = hints(library, *info);
            *given = made.unwrap_or(*info);
        }
        let infos = if is_ours { given.as_ptr() } else { infos };
        let result = real(count, commands, words, most, infos, root, communicator, new, errors);
        for hints in made.into_iter().flatten() {
            free(library, hints);
        }
        result
    };
}
