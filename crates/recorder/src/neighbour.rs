//! Facts about other processes, from the kernel.

use crate::path::PathBuffer;
use crate::sys;

/// Start of a process, in hundredths of a second since boot; `None` if it has ended, even if its
/// parent has not noticed yet.
pub fn began(pid: u32) -> Option<u64> {
    const BEGAN: usize = 18; // fields behind the state
    let mut text = [0; 1024];
    let mut fields = fields(pid, &mut text)?;
    is_alive(fields.next()?).then_some(())?;
    core::str::from_utf8(fields.nth(BEGAN)?).ok()?.parse().ok()
}

/// The parent of a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    let mut text = [0; 1024];
    let parent = fields(pid, &mut text)?.nth(1)?;
    core::str::from_utf8(parent).ok()?.parse().ok()
}

/// Returns true if a process was started with the variable `text`, which is `NAME=value`. False if
/// the process cannot be looked at.
pub(crate) fn has_variable(pid: u32, text: &[u8]) -> bool {
    let mut path: PathBuffer<32> = PathBuffer::new();
    path.push(b"/proc/");
    path.push_number(pid.into(), 10);
    path.push(b"/environ");
    let Ok(file) = sys::open(path.as_c_str(), libc::O_RDONLY, 0) else { return false };
    let mut piece = [0; 4096];
    let mut kept = 0;
    loop {
        let read = sys::read_all(&file, &mut piece[kept..]).unwrap_or(0);
        if read == 0 {
            return false;
        }
        // Each variable ends with NUL; the last one here may go on in the next piece.
        let known = &piece[..kept + read];
        let (whole, rest) = match known.iter().rposition(|byte| *byte == 0) {
            Some(end) => known.split_at(end + 1),
            None => known.split_at(0),
        };
        if whole.split(|byte| *byte == 0).any(|variable| variable == text) {
            return true;
        }
        // Of a longer variable this much shows that it is another one.
        kept = rest.len().min(text.len() + 1);
        let from = known.len() - kept;
        piece.copy_within(from..from + kept, 0);
    }
}

/// Returns true if a process lives, even where the kernel hides processes.
pub fn lives(pid: u32) -> bool {
    let mut text = [0; 1024];
    match fields(pid, &mut text).and_then(|mut fields| fields.next()) {
        Some(state) => is_alive(state),
        None => sys::process_lives(pid),
    }
}

fn is_alive(state: &[u8]) -> bool {
    !matches!(state, b"Z" | b"X" | b"x")
}

/// The fields of a process after its name, which may contain any byte; the first is its state.
fn fields(pid: u32, text: &mut [u8; 1024]) -> Option<impl Iterator<Item = &[u8]>> {
    let mut path: PathBuffer<32> = PathBuffer::new();
    path.push(b"/proc/");
    path.push_number(pid.into(), 10);
    path.push(b"/stat");
    let len = sys::read_file(path.as_c_str(), text).ok()?;
    let behind = text[..len].rsplit(|byte| *byte == b')').next()?;
    Some(behind.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives() {
        assert!(lives(sys::pid()));
        assert!(began(sys::pid()).is_some_and(|began| began >= began_of_the_first()));
        // Larger than any process id.
        assert!(!lives(u32::MAX / 2) && began(u32::MAX / 2).is_none());
    }

    #[test]
    fn variables_of_this_process() {
        let path = std::env::var("PATH").unwrap();
        assert!(has_variable(sys::pid(), format!("PATH={path}").as_bytes()));
        assert!(!has_variable(sys::pid(), b"PATH=") && !has_variable(u32::MAX / 2, b"PATH="));
        assert_eq!(parent(sys::pid()), Some(sys::parent_pid()));
    }

    fn began_of_the_first() -> u64 {
        began(1).unwrap_or(0)
    }
}
