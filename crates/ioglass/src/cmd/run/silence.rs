//! Explains an empty log.

use std::ffi::OsString;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use ioglass_job::program::Program;
use ioglass_log::Log;
use ioglass_report::number::counted;

use crate::recorded;

const COMMAND: Style = AnsiColor::Cyan.on_default();

/// The obstacle to recording a program, in few words.
pub(in crate::cmd) fn obstacle(command: &[OsString]) -> Option<String> {
    let program = Program::inspect(command.first()?);
    let what = program.obstacles.iter().find(|obstacle| obstacle.blocks())?.what();
    Some(what.split(',').next().unwrap_or_default().into())
}

/// Prints the reason for an empty log, and a remedy.
pub(super) fn explain(out: &mut impl Write, log: &Log, command: &[OsString]) -> io::Result<()> {
    let Some(name) = command.first() else { return Ok(()) };
    let shown = name.to_string_lossy();
    let program = Program::inspect(name);
    let obstacles: Vec<_> = program.obstacles.iter().filter(|o| o.blocks()).collect();
    if !obstacles.is_empty() {
        let which = match &program.interpreter {
            Some(interpreter) => format!("{shown} is run by {}", interpreter.display()),
            None => format!("{shown} cannot be recorded"),
        };
        for obstacle in obstacles {
            writeln!(out, "  {which}: {}.", obstacle.what())?;
            writeln!(out, "  do this:  {COMMAND}{}{COMMAND:#}\n", obstacle.remedy())?;
        }
        return Ok(());
    }
    let processes = recorded::processes(log);
    let unseen = processes.iter().find(|process| process.ending == "unseen");
    if let Some(unseen) = unseen {
        let command = unseen.command.split(' ').next().unwrap_or_default();
        writeln!(
            out,
            "  {shown} did no I/O itself, and a program that it started was not recorded:"
        )?;
        writeln!(out, "  do this:  {COMMAND}ioglass doctor {command}{COMMAND:#}\n")?;
        return Ok(());
    }
    let excluded = recorded::excluded(log, &processes);
    if excluded > 0 {
        let opens = counted(excluded, "open", "opens");
        writeln!(out, "  It opened only excluded files, such as those in /etc or /usr:")?;
        writeln!(out, "  {opens}. To record them:")?;
        writeln!(out, "  do this:  {COMMAND}ioglass run --include '^/' -- {shown} …{COMMAND:#}\n")?;
        return Ok(());
    }
    writeln!(
        out,
        "  Either {shown} did no I/O, or it was not recorded: a program that it starts may"
    )?;
    writeln!(out, "  be static or setuid, or a limit (ulimit -f, -n) may be too low.")?;
    writeln!(out, "  do this:  {COMMAND}ioglass doctor PROGRAM{COMMAND:#}\n")
}
