//! `ioglass apply`: a program with other parameters of the I/O stack.

mod show;
pub(super) mod verify;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use ioglass_job::{Error, library};
use ioglass_param::{Layer, fs};
use ioglass_settings::{Problems, Settings, refused_variable};
use ioglass_shm::place;

use super::run::{cannot_start, obstacle};
use crate::cli::Apply;
use crate::failure::{Failure, Message};

/// The variable with the settings for the library.
pub(super) const SETTINGS: &str = "IOGLASS_SETTINGS";

pub(super) fn run(args: &Apply) -> Result<ExitCode, Failure> {
    if args.params {
        return show::params(args);
    }
    let settings = settings(args)?;
    if args.check {
        return show::check(args, &settings);
    }
    if args.env {
        return show::environment(&settings);
    }
    if let Some(format) = args.to {
        return show::convert(&settings, format);
    }
    if args.command.is_empty() {
        let message = Message::new("there is no command to run".into());
        let help = "ioglass apply CONFIG -- ./app".to_owned();
        return Err(Failure::usage(message.help(help, "runs ./app with the settings")));
    }
    let words = filled_in(&args.command, &settings);
    let variables = variables(&settings)?;
    set_stripes(args, &settings)?;
    if let Some(obstacle) = obstacle(&words) {
        let program = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        // A failure to print must not keep the program from running.
        let _ = writeln!(
            anstream::stderr(),
            "ioglass: {program} gets no settings but those of env, fs and cmd: {obstacle}"
        );
    }
    if args.verify.is_some() || args.json.is_some() || args.strict {
        return verify::run(args, &settings, &words, variables);
    }
    become_program(&words, variables)
}

/// Replaces this process by the program.
fn become_program(
    words: &[OsString],
    mut variables: Vec<(OsString, OsString)>,
) -> Result<ExitCode, Failure> {
    let library = library::path()?;
    variables.push(("LD_PRELOAD".into(), library::preloaded(&library)));
    if !is_recorded() {
        // The library records programs with MPI by itself.
        variables.push(("IOGLASS_DISABLE".into(), "1".into()));
    }
    let Some((program, arguments)) = words.split_first() else { return Ok(ExitCode::SUCCESS) };
    let source = Command::new(program).args(arguments).envs(variables).exec();
    cannot_start(Error::Start { program: program.clone(), source })
}

/// Returns true if somebody records this process already, who will record the program, too.
fn is_recorded() -> bool {
    let preloaded = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let has_library = preloaded.as_bytes().windows(10).any(|part| part == b"libioglass");
    has_library || std::env::var_os(place::JOB).is_some()
}

/// The settings of file and command line.
fn settings(args: &Apply) -> Result<Settings, Failure> {
    match &args.config {
        Some(file) => Ok(read(file)?.with_arguments(args.set.clone())),
        None if args.set.is_empty() => {
            let message = Message::new("there are no settings".into());
            let help = "ioglass apply --params".to_owned();
            Err(Failure::usage(message.help(help, "shows what can be set")))
        }
        None => Ok(Settings::of_arguments(args.set.clone())),
    }
}

/// Reads a file of settings; all its problems are told.
pub(super) fn read(file: &Path) -> Result<Settings, Failure> {
    let settings = Settings::read(file).map_err(told)?;
    for (rule, setting) in settings.all() {
        let (param, rest) = setting.param();
        let name = if rest.is_empty() { param.name } else { rest };
        if param.layer == Layer::Env
            && let Some(reason) = refused_variable(name, rule.force)
        {
            let message = Message::new(format!("{}: {}: {reason}", setting.origin, setting.name));
            return Err(Failure::bad_input(message));
        }
    }
    Ok(settings)
}

pub(super) fn told(problems: Problems) -> Failure {
    let more = problems.more;
    let mut messages: Vec<Message> =
        problems.list.into_iter().map(|problem| Message::new(problem.to_string())).collect();
    if more > 0 {
        messages.push(Message::new(format!("{more} more")));
    }
    Failure::BadInput(messages)
}

/// The variables by which a program gets the settings.
pub(super) fn variables(settings: &Settings) -> Result<Vec<(OsString, OsString)>, Failure> {
    let line = settings.flat().map_err(|error| {
        Failure::bad_input(Message::new(error.to_string()).evidence("Use patterns for files."))
    })?;
    let environment = settings.environment();
    let environment = environment.iter().map(|(name, value)| (name.into(), value.into()));
    let placeholders = settings.placeholders();
    let placeholders =
        placeholders.iter().map(|(name, value)| (placeholder_variable(name).into(), value.into()));
    Ok(environment.chain(placeholders).chain([(SETTINGS.into(), line.into())]).collect())
}

/// The variable with the value of a placeholder.
pub(super) fn placeholder_variable(name: &str) -> String {
    format!("IOGLASS_PARAM_{name}")
}

/// The words of a command, with the values of placeholders.
pub(super) fn filled_in(words: &[OsString], settings: &Settings) -> Vec<OsString> {
    let values = settings.placeholders();
    let fill = |word: &OsString| {
        let mut bytes = word.as_bytes().to_vec();
        for (name, value) in &values {
            bytes = replaced(&bytes, format!("{{{name}}}").as_bytes(), value.as_bytes());
        }
        OsString::from_vec(bytes)
    };
    words.iter().map(fill).collect()
}

pub(super) fn replaced(text: &[u8], what: &[u8], with: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(what.len()).position(|part| part == what) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(with);
        rest = &rest[at + what.len()..];
    }
    result.extend_from_slice(rest);
    result
}

/// Sets the layout of a directory, if that is asked for and allowed.
fn set_stripes(args: &Apply, settings: &Settings) -> Result<(), Failure> {
    let asked = settings.all().find(|(_, setting)| std::ptr::eq(setting.param().0, &fs::SETSTRIPE));
    let Some((_, setting)) = asked else { return Ok(()) };
    let Some(folder) = &args.setstripe else { return Ok(()) };
    set_layout(folder, &setting.value).map_err(|reason| {
        let title = format!("cannot set the layout of {}", folder.display());
        Failure::bad_input(Message::new(title).evidence(reason)).before_start()
    })
}

/// Sets the layout of a directory: `count,size[,pool]`. An error is a reason.
pub(super) fn set_layout(folder: &Path, layout: &str) -> Result<(), String> {
    let mut parts = layout.split(',');
    let mut command = Command::new("lfs");
    command.arg("setstripe");
    for flag in ["-c", "-S", "-p"] {
        if let Some(value) = parts.next() {
            command.args([flag, value]);
        }
    }
    match command.arg(folder).output() {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(String::from_utf8_lossy(&done.stderr).trim().to_owned()),
        Err(error) => Err(format!("lfs: {error}")),
    }
}

/// A word that a shell reads as it is.
fn shell_word(text: &OsStr) -> String {
    format!("'{}'", text.to_string_lossy().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in() {
        let settings = Settings::parse("[cmd]\nbs = \"64K\"\nn = \"{bs}\"\n", "t").unwrap();
        let words = ["dd", "bs={bs}", "{bs}{bs}", "{other}"].map(OsString::from);
        let filled = filled_in(&words, &settings);
        assert_eq!(filled, ["dd", "bs=64K", "64K64K", "{other}"]);
    }

    #[test]
    fn shells_read_words_as_they_are() {
        assert_eq!(shell_word(OsStr::new("a b'c;$d")), "'a b'\\''c;$d'");
    }
}
