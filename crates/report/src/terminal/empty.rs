//! The report of an empty log: likely causes, and commands to try.

use std::io::{self, Write};

use ioglass_insight::{RankKind, Subject};

use super::screen::{COMMAND, PLAIN, Screen};
use crate::{number, text};

/// Column in which the commands begin.
const COLUMN: usize = 39;

pub(super) fn write<W: Write>(screen: &mut Screen<'_, W>, subject: &Subject) -> io::Result<()> {
    let (why, causes) = reasons(subject);
    screen.paragraph(2, PLAIN, &why)?;
    for (cause, command) in causes {
        let command = screen.text(&command);
        if cause.is_empty() {
            screen.line(&[(PLAIN, "    "), (COMMAND, &command), (PLAIN, " …")])?;
            continue;
        }
        let cause = format!("  - {cause}");
        if COLUMN + text::width(&command) <= screen.width {
            screen.line(&[(PLAIN, &format!("{cause:<COLUMN$}")), (COMMAND, &command)])?;
        } else {
            screen.line(&[(PLAIN, &cause)])?;
            screen.line(&[(PLAIN, "    "), (COMMAND, &command)])?;
        }
    }
    Ok(())
}

/// Returns a sentence, and pairs of a likely cause and a command.
pub(crate) fn reasons(subject: &Subject) -> (String, Vec<(&'static str, String)>) {
    if subject.left_out > 0 {
        let opens = number::counted(subject.left_out, "open", "opens");
        let why = format!(
            "The program opened only files that are not recorded, such as those in /etc or /usr: {opens}. \
             To record them too:"
        );
        return (why, vec![("", format!("ioglass run --include '^/' -- {}", subject.program))]);
    }
    let usual = "The program did no I/O, or the recorder did not see it. Usual causes:";
    let first = subject.command.split_whitespace().next().unwrap_or("PROGRAM");
    let name = first.rsplit('/').next().unwrap_or(first);
    let program = match first.contains('/') {
        true => format!("./{}", text::quoted(name)),
        false => text::quoted(name),
    };
    let is_ours = subject.recorder.starts_with("ioglass");
    let mut causes = vec![("it is linked statically", format!("ioglass doctor {program}"))];
    if !is_ours {
        let switch = "export DARSHAN_ENABLE_NONMPI=1".into();
        causes.push(("it was started without MPI_Init", switch));
    }
    if subject.rank_kind != RankKind::Process {
        let run = format!("ioglass run -- mpirun … {program}");
        causes.push(("only some ranks had the preload", run));
    }
    (usual.into(), causes)
}
