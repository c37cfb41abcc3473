//! Error messages: the fault, the evidence, a command that helps; and the exit status.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use ioglass_job::output::OutputProblem;
use ioglass_log::{Error, Log};
use ioglass_report::number::thousands;

/// Reason for an exit status other than 0.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line makes no sense.
    Usage(Message),
    /// An input cannot be used.
    BadInput(Vec<Message>),
    /// A result cannot be written, or something it needs is missing; other messages may be about
    /// inputs.
    NotWritten(Vec<Message>),
    /// Another failure.
    Own(anyhow::Error),
    /// The reader of the output has closed it; this is no error.
    OutputClosed,
}

/// One error message.
#[derive(Debug)]
pub(crate) struct Message {
    /// The file and the fault.
    title: String,
    /// The evidence, a line each.
    evidence: Vec<String>,
    /// A command that helps, and its effect.
    help: Option<(String, &'static str)>,
}

/// Wrong usage.
pub(crate) const USAGE: u8 = 2;
const BAD_INPUT: u8 = 3;
/// A result could not be written, or ioglass itself failed.
const OWN: u8 = 5;

impl Failure {
    /// Prints the messages on standard error. Returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        // A message is written at once, so that those of several ranks do not mix.
        let mut out = io::BufWriter::new(anstream::stderr().lock());
        // Errors of standard error itself cannot be printed.
        let code = match self {
            Self::OutputClosed => return ExitCode::SUCCESS,
            Self::Usage(message) => {
                let _ = message.write(&mut out);
                USAGE
            }
            Self::BadInput(messages) => {
                for message in messages {
                    let _ = message.write(&mut out);
                }
                BAD_INPUT
            }
            Self::NotWritten(messages) => {
                for message in messages {
                    let _ = message.write(&mut out);
                }
                OWN
            }
            Self::Own(error) => {
                let (style, reset) = (ERROR, ERROR.render_reset());
                let _ = writeln!(out, "{style}error:{reset} {error:#}");
                OWN
            }
        };
        let _ = out.flush();
        ExitCode::from(code)
    }

    pub(crate) fn usage(message: Message) -> Self {
        Self::Usage(message)
    }

    pub(crate) fn bad_input(message: Message) -> Self {
        Self::BadInput(vec![message])
    }

    /// A result cannot be written to this file.
    pub(crate) fn cannot_write(path: &Path, problem: &OutputProblem) -> Self {
        let message = Message::cannot_write(path, problem);
        match problem {
            OutputProblem::Pipe => Self::Usage(message),
            _ => Self::NotWritten(vec![message]),
        }
    }

    /// The same, before a program was to be started.
    pub(crate) fn before_start(self) -> Self {
        let add = |message: Message| message.evidence("The program was not started.");
        match self {
            Self::NotWritten(messages) => Self::NotWritten(messages.into_iter().map(add).collect()),
            other => other,
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Own(error)
    }
}

impl From<ioglass_job::Error> for Failure {
    fn from(error: ioglass_job::Error) -> Self {
        use ioglass_job::Error::{AmbiguousJob, UnknownJob};
        match error {
            UnknownJob { .. } | AmbiguousJob { .. } => Self::bad_input(Message::of_job(&error)),
            error => Self::Own(error.into()),
        }
    }
}

/// For writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::OutputClosed;
        }
        Self::Own(anyhow::Error::new(error).context("cannot write the output"))
    }
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HELP: Style = AnsiColor::Cyan.on_default();

impl Message {
    /// The file and the fault, in one line.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn new(title: String) -> Self {
        Self { title, evidence: Vec::new(), help: None }
    }

    pub(crate) fn evidence(mut self, evidence: impl Display) -> Self {
        self.evidence.push(evidence.to_string());
        self
    }

    pub(crate) fn help(mut self, command: String, does: &'static str) -> Self {
        self.help = Some((command, does));
        self
    }

    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (style, reset) = (ERROR, ERROR.render_reset());
        writeln!(out, "{style}error:{reset} {}", self.title)?;
        for line in &self.evidence {
            writeln!(out, "  {line}")?;
        }
        if let Some((command, does)) = &self.help {
            let (style, reset) = (HELP, HELP.render_reset());
            writeln!(out, "  help:  {style}{command}{reset}     {does}")?;
        }
        Ok(())
    }

    /// A file cannot be written.
    pub(crate) fn cannot_write(path: &Path, problem: &OutputProblem) -> Self {
        let message = Self::new(format!("cannot write {}", path.display()));
        match problem {
            OutputProblem::Pipe => Self::new(problem.to_string())
                .evidence("Its header is written last, which needs a file."),
            OutputProblem::NoDirectory(directory) => {
                let directory = ioglass_report::text::quoted(&directory.to_string_lossy());
                message.evidence(problem).help(format!("mkdir -p {directory}"), "makes it")
            }
            OutputProblem::NotAFile | OutputProblem::NotALog | OutputProblem::Protected(_) => {
                message.evidence(problem).evidence("Name another file.")
            }
            _ => message
                .evidence(problem)
                .evidence("Name a file in a directory that you can write to."),
        }
    }

    /// A job that was asked for is unknown, ambiguous or over.
    pub(crate) fn of_job(error: &ioglass_job::Error) -> Self {
        use ioglass_job::Error::{AmbiguousJob, JobEnded, UnknownJob};
        let message = Self::new(error.to_string());
        match error {
            UnknownJob { jobs, .. } if jobs.is_empty() => {
                message.evidence("No job of this user runs on this machine.")
            }
            UnknownJob { jobs, .. } | AmbiguousJob { jobs, .. } => {
                let message = message.evidence("These run:");
                let message = jobs.iter().fold(message, Self::evidence);
                let first = jobs.first().map_or("ID", String::as_str);
                let command = format!("ioglass report --job {first}");
                message.help(command, "reports on the first of them")
            }
            JobEnded { log } => {
                let log = ioglass_report::text::quoted(&log.to_string_lossy());
                message.help(format!("ioglass report {log}"), "reports on the log")
            }
            other => match std::error::Error::source(other) {
                Some(source) => message.evidence(source),
                None => message,
            },
        }
    }

    /// A log could not be opened.
    pub(crate) fn cannot_open(path: &Path, error: &Error) -> Self {
        let name = path.display();
        match error {
            Error::Io(error) if path.is_dir() => {
                let message = Self::new(format!("{name} is not a log")).evidence(error);
                let inside = path.join("*.darshan");
                message.help(
                    format!("ioglass info {}", inside.display()),
                    "shows the logs in that directory",
                )
            }
            Error::Io(error) => Self::new(format!("cannot read {name}")).evidence(error),
            Error::NotALog(found) => {
                let message = Self::new(format!("{name} is not a Darshan log")).evidence(found);
                if found.is_listing() {
                    let command = format!("ioglass convert --from-text {name} log.darshan");
                    return message.help(command, "makes a log from such text");
                }
                match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                    Some(parent) => {
                        let parent = ioglass_report::text::quoted(&parent.to_string_lossy());
                        message
                            .help(format!("ioglass report {parent}"), "reports on all logs there")
                    }
                    None => message.help("ioglass report .".into(), "reports on all logs here"),
                }
            }
            Error::ShortHeader { have, need } => Self::new(format!("{name} is truncated"))
                .evidence(format!(
                    "it has {} bytes; the header alone needs {}",
                    thousands(*have),
                    thousands(*need)
                )),
            other => Self::new(format!("{name} cannot be read")).evidence(other),
        }
    }

    /// A log could be read only in part. `shown` is a sentence about that part.
    pub(crate) fn damaged<'e>(
        path: &Path,
        log: &'e Log,
        problems: impl IntoIterator<Item = &'e Error>,
        shown: &str,
    ) -> Option<Self> {
        let name = path.display();
        let (have, claimed) = (log.size(), log.claimed_size());
        if claimed > have {
            let (have, claimed) = (thousands(have), thousands(claimed));
            return Some(
                Self::new(format!("{name} is truncated"))
                    .evidence(format!("it has {have} of {claimed} bytes"))
                    .evidence(shown)
                    .help(
                        format!(
                            "ioglass recover {}",
                            ioglass_report::text::quoted(&path.to_string_lossy())
                        ),
                        "makes a log of the sound part",
                    ),
            );
        }
        let mut message = Self::new(format!("{name} is damaged"));
        for problem in log.warnings().chain(problems) {
            message = message.evidence(problem);
        }
        (!message.evidence.is_empty()).then(|| message.evidence(shown))
    }

    /// A module lost records, and --show-incomplete is not given.
    pub(crate) fn incomplete(path: &Path, problem: &Error, command: &str) -> Self {
        let name = path.display();
        Self::new(format!("{name} is incomplete")).evidence(problem).help(
            format!("ioglass {command} --show-incomplete {name}"),
            "prints the records that exist",
        )
    }
}
