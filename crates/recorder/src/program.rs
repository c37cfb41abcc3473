//! Programs into which the loader does not load this library.

use core::ffi::c_char;

use crate::sys::{self, Fd};

const PT_INTERP: u32 = 3;
/// Offsets in the header of a 64-bit ELF file.
const HEADERS_AT: usize = 32;
const HEADER_SIZE_AT: usize = 54;
const HEADERS_AT_COUNT: usize = 56;

/// Returns true if the program at this path is linked statically, is for another architecture, or
/// gets the rights of another user. A script is not such a program, but its interpreter may be.
///
/// # Safety
/// Any pointer is valid: the kernel checks it first.
pub unsafe fn is_beyond_us(path: *const c_char) -> bool {
    let args = [libc::AT_FDCWD as usize, path as usize, libc::O_CLOEXEC as usize, 0, 0, 0];
    // SAFETY: a bad path is refused.
    let Ok(fd) = (unsafe { sys::call(libc::SYS_openat, args) }) else { return false };
    let fd = Fd(fd as i32);
    let Ok(stat) = sys::stat_fd(fd.0) else { return false };
    let gains_rights = stat.st_mode & libc::S_ISUID != 0 && stat.st_uid != sys::effective_uid();
    let mut start = [0; 1024];
    let Ok(len) = sys::read_all(&fd, &mut start) else { return false };
    let start = &start[..len];
    if !start.starts_with(b"\x7fELF") {
        return false;
    }
    gains_rights || asks_for_loader(start) == Some(false)
}

/// Returns true if a program names a loader; `None` if that is not in its first bytes.
fn asks_for_loader(start: &[u8]) -> Option<bool> {
    const CLASS_64: u8 = 2;
    if *start.get(4)? != CLASS_64 {
        return Some(false);
    }
    let half = |at: usize| {
        let bytes = start.get(at..)?.first_chunk::<2>()?;
        Some(usize::from(u16::from_le_bytes(*bytes)))
    };
    let first = start.get(HEADERS_AT..)?.first_chunk::<8>()?;
    let first = usize::try_from(u64::from_le_bytes(*first)).ok()?;
    let (size, count) = (half(HEADER_SIZE_AT)?, half(HEADERS_AT_COUNT)?);
    for number in 0..count {
        let at = first.checked_add(number.checked_mul(size)?)?;
        let kind = start.get(at..)?.first_chunk::<4>()?;
        if u32::from_le_bytes(*kind) == PT_INTERP {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_a_loader() {
        // SAFETY: C strings.
        unsafe {
            assert!(!is_beyond_us(c"/proc/self/exe".as_ptr()));
            assert!(!is_beyond_us(c"/no/such/program".as_ptr()));
            assert!(!is_beyond_us(core::ptr::dangling()));
        }
    }

    #[test]
    fn bytes_without_a_loader_are_static() {
        let mut program = [0; 256];
        program[..5].copy_from_slice(b"\x7fELF\x02");
        program[HEADERS_AT] = 64;
        program[HEADER_SIZE_AT] = 56;
        program[HEADERS_AT_COUNT] = 2;
        assert_eq!(asks_for_loader(&program), Some(false));
        program[64 + 56] = 3;
        assert_eq!(asks_for_loader(&program), Some(true));
        program[HEADERS_AT_COUNT] = 200;
        program[64 + 56] = 1;
        assert_eq!(asks_for_loader(&program), None);
        program[4] = 1;
        assert_eq!(asks_for_loader(&program), Some(false));
    }
}
