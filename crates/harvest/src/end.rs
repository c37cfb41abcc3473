//! The end of the job's program: the section `job` of the `IOGLASS` block.

use core::fmt::{self, Write};

use ioglass_log::block::{Block, SectionWriter};
use ioglass_log::table::Table;
use ioglass_shm::{Ending, Header, Pod};

use crate::capture::Fate;

/// Name of the section.
pub const SECTION: &str = "job";

const COLUMNS: &str = "key\tvalue";
const STATUS: &str = "exit_status";
const SIGNAL: &str = "signal";
/// The signal that `abort` raises.
const ABORT: i32 = 6;

/// The end of a program. The greater one is the worse: any signal is worse than any status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramEnd {
    /// It exited with this status.
    Status(u8),
    /// This signal ended it.
    Signal(i32),
}

impl ProgramEnd {
    /// The end that a capture tells of, if it is known.
    pub fn of_capture(capture: &[u8], fate: Fate) -> Option<Self> {
        let header = Header::read(capture)?;
        let ending = Ending::from_u32(header.ending);
        match (fate, ending) {
            (Fate::Running, _) | (Fate::Gone, Ending::None | Ending::Exec) => None,
            (Fate::Signal(signal), _) => Some(Self::Signal(signal)),
            (_, Ending::Abort) => Some(Self::Signal(ABORT)),
            (Fate::Status(status), _) => Some(Self::Status(status as u8)),
            (Fate::Gone, Ending::Exit | Ending::QuickExit) => {
                Some(Self::Status(header.status as u8))
            }
        }
    }

    /// The end that a section tells of, if it does.
    pub fn parse(section: &str) -> Option<Self> {
        let table = Table::new(section);
        let (key, value) = (table.column("key"), table.column("value"));
        let ends = table.rows().filter_map(|row| match row.get(key)? {
            STATUS => row.number(value).map(Self::Status),
            SIGNAL => row.number(value).map(Self::Signal),
            _ => None,
        });
        ends.max()
    }
}

impl fmt::Display for ProgramEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{STATUS}\t{status}"),
            Self::Signal(signal) => write!(f, "{SIGNAL}\t{signal}"),
        }
    }
}

/// Adds the section, if the end is known.
pub fn write(block: &mut Block, end: Option<ProgramEnd>) {
    let Some(end) = end else { return };
    let mut section = SectionWriter::new(SECTION);
    // Writing to a section cannot fail.
    let _ = writeln!(section, "{COLUMNS}\n{end}");
    section.finish(block);
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for end in [ProgramEnd::Status(0), ProgramEnd::Status(255), ProgramEnd::Signal(9)] {
            assert_eq!(ProgramEnd::parse(&format!("{COLUMNS}\n{end}\n")), Some(end));
        }
        for text in ["", "key\tvalue\n", "key\tvalue\nexit_status\t256\nsignal\tx\n", "signal\t9"] {
            assert_eq!(ProgramEnd::parse(text), None);
        }
    }

    #[test]
    fn a_signal_is_worse_than_any_status() {
        assert!(ProgramEnd::Signal(1) > ProgramEnd::Status(255));
        assert!(ProgramEnd::Status(2) > ProgramEnd::Status(1));
    }
}
