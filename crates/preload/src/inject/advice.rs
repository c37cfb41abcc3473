//! Advice for the kernel on how files will be read, after `open` and `fopen`.

use core::ffi::{c_char, c_int};

use ioglass_param::{Proof, Site, State, Value};
use ioglass_recorder::sys;

use super::place::{PathRoom, is_regular, path_of};
use super::plan::{Chosen, Plan, plan};
use super::row::{Outcome, Place, note};

/// Advice by the place of its word in the table.
const ADVICE: [c_int; 4] = [
    libc::POSIX_FADV_NORMAL,
    libc::POSIX_FADV_SEQUENTIAL,
    libc::POSIX_FADV_RANDOM,
    libc::POSIX_FADV_WILLNEED,
];
/// File systems that read ahead by rules of their own.
const OWN_RULES: [i64; 2] = [0x0BD0_0BD0, 0x6969];

/// Advises the kernel about a file that was just opened, if there are settings for it.
///
/// # Safety
/// The path is null or a C string.
#[inline]
pub(crate) unsafe fn opened_file(fd: c_int, folder: c_int, path: *const c_char, flags: c_int) {
    let other = libc::O_ACCMODE | libc::O_PATH | libc::O_DIRECTORY;
    if let Some(plan) = plan(Site::Advice)
        && fd >= 0
        && flags & other == libc::O_RDONLY
    {
        // SAFETY: the caller vouches.
        unsafe { opened_with(plan, fd, folder, path) };
    }
}

#[inline(never)]
unsafe fn opened_with(plan: &'static Plan, fd: c_int, folder: c_int, path: *const c_char) {
    let mut room = PathRoom::new();
    // SAFETY: the caller vouches.
    advise(plan, fd, unsafe { path_of(fd, folder, path, &mut room) });
}

/// Advises the kernel about a file that was opened for reading alone.
pub(super) fn advise(plan: &'static Plan, fd: c_int, path: &[u8]) {
    plan.choose(Site::Advice, path, None, |chosen| {
        note(&chosen, Place { file: path, variable: b"" }, give(&chosen, fd));
    });
}

fn give(chosen: &Chosen, fd: c_int) -> Outcome<'static> {
    let value = chosen.setting.value;
    let (Ok(Value::Word(number, _)), Proof::Returned(by)) =
        (chosen.setting.param.kind.parse(value), chosen.setting.param.proof)
    else {
        return Outcome::not_applicable("the value is no advice");
    };
    if !is_regular(fd) {
        return Outcome::not_applicable("it is no regular file");
    }
    let advice = ADVICE[number % ADVICE.len()];
    if advice == libc::POSIX_FADV_WILLNEED && !fits_into_memory(fd) {
        return Outcome::not_applicable("the file is larger than a quarter of the free memory");
    }
    let arguments = [fd as usize, 0, 0, advice as usize, 0, 0];
    // SAFETY: reads and writes no memory of the process.
    if unsafe { sys::call(libc::SYS_fadvise64, arguments) }.is_err() {
        return Outcome::not_applicable("posix_fadvise refuses it");
    }
    if sys::statfs_fd(fd).is_ok_and(|found| OWN_RULES.contains(&found.f_type)) {
        let reason = "the file system reads ahead by its own rules";
        return Outcome { state: State::Unverifiable, reason, ..Outcome::not_applicable("") };
    }
    Outcome::asked(b"", value.as_bytes(), value.as_bytes(), by)
}

/// Returns true if a file is no larger than a quarter of the memory that is available.
fn fits_into_memory(fd: c_int) -> bool {
    let mut text = [0; 1024];
    let read = sys::read_file(c"/proc/meminfo", &mut text).unwrap_or(0);
    let mut lines = text[..read].split(|byte| *byte == b'\n');
    let digits = lines.find_map(|line| line.strip_prefix(b"MemAvailable:")).unwrap_or_default();
    let kibibytes = digits
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0_u64, |sum, byte| sum.saturating_mul(10).saturating_add(u64::from(byte - b'0')));
    sys::stat_fd(fd).is_ok_and(|found| (found.st_size as u64) / 1024 <= kibibytes / 4)
}
