//! Facts about other processes, from the kernel.

use crate::path::PathBuffer;
use crate::sys;

/// A program that runs in a process. Another program in the same process differs by its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// Start of the process, in hundredths of a second since boot.
    pub began: u64,
    /// Addresses of code, stack, data, arguments and variables; what may not be known is 0.
    memory: [u64; 10],
}

impl Program {
    /// The program that runs in a process; `None` if the process has ended, even if its parent has not
    /// noticed yet.
    pub fn of(pid: u32) -> Option<Self> {
        // Numbers of fields in the manual, where the state is the third.
        const BEGAN: usize = 22;
        const MEMORY: [usize; 10] = [26, 27, 28, 45, 46, 47, 48, 49, 50, 51];
        let mut text = [0; 1024];
        let mut fields = fields(pid, &mut text)?;
        is_alive(fields.next()?).then_some(())?;
        let number = |field: &[u8]| core::str::from_utf8(field).ok()?.parse().ok();
        let (mut began, mut memory) = (None, [0; 10]);
        for (at, field) in fields.enumerate().map(|(at, field)| (at + 4, field)) {
            if at == BEGAN {
                began = number(field);
            } else if let Some(place) = MEMORY.iter().position(|wanted| *wanted == at) {
                memory[place] = number(field).unwrap_or(0);
            }
        }
        began.map(|began| Self { began, memory })
    }
}

/// Start of a process, in hundredths of a second since boot; `None` if it has ended, even if its
/// parent has not noticed yet.
pub fn began(pid: u32) -> Option<u64> {
    Program::of(pid).map(|program| program.began)
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
    fn programs_differ_by_their_memory() {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "echo; read line; exec sh -c 'echo; read line'"]);
        let pipe = std::process::Stdio::piped;
        let mut shell = shell.stdin(pipe()).stdout(pipe()).spawn().unwrap();
        let (mut input, mut output) = (shell.stdin.take().unwrap(), shell.stdout.take().unwrap());
        let mut line = [0];
        std::io::Read::read_exact(&mut output, &mut line).unwrap();
        let one = Program::of(shell.id()).unwrap();
        assert_eq!(Program::of(shell.id()), Some(one));
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        std::io::Read::read_exact(&mut output, &mut line).unwrap();
        let other = Program::of(shell.id()).unwrap();
        assert_eq!(one.began, other.began);
        assert_ne!(one, other);
        std::io::Write::write_all(&mut input, b"\n").unwrap();
        // What has ended is no program, though its parent has not noticed.
        std::io::Read::read_to_end(&mut output, &mut std::vec::Vec::new()).unwrap();
        drop(input);
        while Program::of(shell.id()).is_some() {
            std::thread::yield_now();
        }
        assert!(shell.wait().unwrap().success());
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
