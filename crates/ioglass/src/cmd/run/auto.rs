//! `ioglass run --auto`: settings that were proven for a run like an earlier run of this program.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ioglass_insight::model::Run;
use ioglass_insight::motif::Motif;
use ioglass_insight::program::launched_name;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::tunable::Tunable;
use ioglass_log::Log;
use ioglass_param::find;
use ioglass_settings::{Settings, argument};

use crate::failure::{Failure, Message};
use crate::motifs::{self, Entry, Store};
use crate::{cli, cmd};

/// Beginnings of the names of parameters that change no data, whatever they are set to.
const HARMLESS: [&str; 3] = ["mpiio.", "fs.striping_", "libc."];
/// Logs that are opened to find one of the program.
const MOST_LOGS: usize = 50;

/// The settings, if a run like this one is known. `speaks` is true if it is to be said.
pub(super) fn settings(args: &cli::Run, speaks: bool) -> Result<Option<Settings>, Failure> {
    let Some(auto) = &args.auto else { return Ok(None) };
    let (chosen, told) = match choose(args, auto.as_deref())? {
        Ok((settings, told)) => (Some(settings), told),
        Err(reason) => (None, format!("{reason}; it runs as it is")),
    };
    if speaks && !args.quiet {
        // A failure to print must not fail the run.
        let _ = writeln!(anstream::stderr(), "ioglass: --auto: {told}");
    }
    Ok(chosen)
}

/// The settings and what is to be said of them, or the reason why there are none.
fn choose(
    args: &cli::Run,
    asked: Option<&Path>,
) -> Result<Result<(Settings, String), String>, Failure> {
    let found = match asked {
        Some(path) => {
            Some((path.to_owned(), cmd::open_file_only(path).map_err(Failure::bad_input)?))
        }
        None => newest(args),
    };
    let Some((path, log)) = found else {
        return Ok(Err("there is no log of an earlier run of this program here".into()));
    };
    let run = Run::with_limits(&log, &Thresholds::default());
    let Some(motif) = Motif::of(&run) else {
        return Ok(Err(format!("the run of {} moved no data", path.display())));
    };
    let Some(file) = args.motifs.clone().or_else(motifs::usual) else {
        return Ok(Err("there is no home directory with motifs".into()));
    };
    let store = Store::read(&file).map_err(|error| {
        Failure::bad_input(Message::new(format!("cannot read {}", file.display())).evidence(&error))
    })?;
    let Some((distance, entry)) = store.close(&motif).into_iter().next() else {
        return Ok(Err(match store.nearest(&motif) {
            Some((distance, entry)) => {
                let name = &entry.program;
                format!(
                    "nothing is close to {}; the nearest is {name}, {distance:.2} away",
                    path.display()
                )
            }
            None => "nothing was tuned yet; `ioglass tune` remembers what it finds".into(),
        }));
    };
    let settings = usable(entry, &Tunable::of_run(&run));
    if settings.is_empty() {
        return Ok(Err(format!(
            "what helped {} cannot be set here without a proof",
            entry.program
        )));
    }
    let words: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let told = format!(
        "{} ({:.2}× with {}, which is {distance:.2} away)",
        words.join(" "),
        entry.speedup.median,
        entry.program
    );
    let arguments = words.iter().map(|word| argument(word)).collect::<Result<Vec<_>, _>>();
    Ok(arguments.map(|arguments| (Settings::of_arguments(arguments), told)))
}

/// The settings of an entry that change no data and whose conditions the log proves.
fn usable<'e>(entry: &'e Entry, tunable: &Tunable) -> Vec<(&'e str, &'e str)> {
    let pairs = entry.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let is_proven = |name: &str, value: &str| {
        find(name).is_some_and(|(param, _)| {
            param.kind.parse(value).is_ok() && tunable.allows(param, value).is_ok()
        })
    };
    pairs
        .filter(|(name, value)| {
            HARMLESS.iter().any(|start| name.starts_with(start)) && is_proven(name, value)
        })
        .collect()
}

/// The newest log of this program in the folder where logs go.
fn newest(args: &cli::Run) -> Option<(PathBuf, Log)> {
    let folder = match &args.output {
        Some(path) if path.is_dir() => path.clone(),
        Some(path) => path.parent().unwrap_or(Path::new("")).to_owned(),
        None => PathBuf::new(),
    };
    // The folder of a name alone is this one.
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let mut logs: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "darshan"))
        .filter_map(|path| {
            let found = path.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((found.modified().ok()?, path))
        })
        .collect();
    logs.sort();
    let is_of_program = |log: &Log| {
        let run = Run::with_limits(log, &Thresholds::default());
        let name = launched_name(run.doer_command());
        args.command.iter().any(|word| is_named(word, name))
    };
    logs.into_iter().rev().take(MOST_LOGS).find_map(|(_, path)| {
        let log = cmd::open_file_only(&path).ok()?;
        is_of_program(&log).then_some((path, log))
    })
}

/// Returns true if a word of the command is a program of this name.
fn is_named(word: &OsString, name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    Path::new(word).file_name().is_some_and(|file| file.to_string_lossy() == name)
}
