//! Builds and starts the programs of the table.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::table::{Need, Program, Same};

/// Starts the programs, each in a directory of its own.
#[derive(Debug)]
pub(crate) struct Workshop {
    sources: PathBuf,
    place: PathBuf,
    python: PathBuf,
    scale: u64,
}

/// Files by name, below a directory.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The traces of a program: files that were not there before, and its output.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) files: Files,
    pub(crate) output: Vec<u8>,
}

impl Left {
    /// The difference to what another program left, if there is one.
    pub(crate) fn difference(&self, other: &Self, same: Same) -> Option<&'static str> {
        let content = |left: &Self| left.files.values().flatten().copied().collect::<Vec<u8>>();
        let (is_empty, is_same) = match same {
            Same::Files => (self.files.is_empty(), self.files == other.files),
            Same::Content => (self.files.is_empty(), content(self) == content(other)),
            Same::Output => (self.output.is_empty(), self.output == other.output),
        };
        match (is_empty, is_same) {
            (true, _) => Some("nothing is left to compare"),
            (false, true) => None,
            (false, false) => Some("both leave different data"),
        }
    }
}

impl Workshop {
    /// `sources` has the table's sources, `place` gets programs and their files. Programs do `scale`
    /// times less than they could.
    pub(crate) fn new(
        sources: &Path,
        place: &Path,
        python: PathBuf,
        scale: u64,
    ) -> Result<Self, String> {
        let make = |path: &Path| fs::create_dir_all(path).and_then(|()| path.canonicalize());
        let place = make(place).map_err(|problem| format!("{}: {problem}", place.display()))?;
        let sources = sources.canonicalize().map_err(|problem| problem.to_string())?;
        Ok(Self { sources, place, python, scale })
    }

    /// The directory of programs and their files.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The first thing that is missing for these programs.
    pub(crate) fn lacks(&self, programs: &[Program], needs: &[Need]) -> Option<String> {
        let of_programs = programs.iter().find_map(|program| match program {
            Program::Ranks(..) => (open_mpi("mpirun").is_none() || open_mpi("mpicc").is_none())
                .then(|| "Open MPI".to_owned()),
            Program::Source(source) => {
                let tool = match extension(source) {
                    "c" => "gcc",
                    "cpp" => "g++",
                    "js" => "node",
                    "pl" => "perl",
                    _ => "sh",
                };
                (!has_command(tool)).then(|| tool.to_owned())
            }
            Program::Command(words) => {
                words.first().filter(|word| !has_command(word)).map(|word| (*word).to_owned())
            }
            Program::Shell(_) => None,
        });
        of_programs.or_else(|| {
            needs.iter().find_map(|need| match need {
                Need::Command(name) => (!has_command(name)).then(|| (*name).to_owned()),
                Need::Module(name) => {
                    (!self.has_module(name)).then(|| format!("Python's module {name}"))
                }
            })
        })
    }

    fn has_module(&self, name: &str) -> bool {
        let import = format!("import {name}");
        let output = Command::new(&self.python).args(["-c", &import]).output();
        output.is_ok_and(|output| output.status.success())
    }

    /// The words that start a program, which is built if need be.
    pub(crate) fn words(&self, program: Program) -> Result<Vec<OsString>, String> {
        match program {
            Program::Source(source) => self.source(source, None),
            Program::Ranks(ranks, source) => {
                let (Some(launcher), Some(compiler)) = (open_mpi("mpirun"), open_mpi("mpicc"))
                else {
                    return Err("Open MPI is missing".to_owned());
                };
                let mut words: Vec<OsString> =
                    vec![launcher.into(), "--oversubscribe".into(), "-n".into()];
                words.push(ranks.to_string().into());
                words.extend(self.source(source, Some(compiler))?);
                Ok(words)
            }
            Program::Command(words) => {
                Ok(words.iter().map(|word| scaled(word, self.scale).into()).collect())
            }
            Program::Shell(line) => Ok(vec!["sh".into(), "-c".into(), line.into()]),
        }
    }

    fn source(&self, source: &str, compiler: Option<&str>) -> Result<Vec<OsString>, String> {
        let path = self.sources.join(source);
        let interpreter = match extension(source) {
            "c" | "cpp" => return self.compile(source, &path, compiler),
            "py" => self.python.clone().into(),
            "js" => OsString::from("node"),
            "pl" => "perl".into(),
            "sh" => "sh".into(),
            other => return Err(format!("{source}: nothing runs {other}")),
        };
        Ok(vec![interpreter, path.into()])
    }

    fn compile(
        &self,
        source: &str,
        path: &Path,
        compiler: Option<&str>,
    ) -> Result<Vec<OsString>, String> {
        let directory = self.place.join("bin");
        let program = directory.join(source.replace(['/', '.'], "-"));
        let usual = if extension(source) == "cpp" { "g++" } else { "gcc" };
        let mut command = Command::new(compiler.unwrap_or(usual));
        command.args(["-O2", "-Wall", "-Werror", "-D_GNU_SOURCE", "-I"]).arg(&self.sources);
        command.arg("-o").arg(&program).arg(path);
        fs::create_dir_all(&directory).map_err(|problem| problem.to_string())?;
        succeeded(source, &command.output().map_err(|problem| problem.to_string())?)?;
        Ok(vec![program.into()])
    }

    /// A new directory with nothing in it but what a program is given.
    pub(crate) fn directory(&self, name: &str, given: Option<&str>) -> Result<PathBuf, String> {
        let directory = self.place.join(name);
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(|problem| problem.to_string())?;
        }
        fs::create_dir_all(&directory).map_err(|problem| problem.to_string())?;
        if let Some(given) = given {
            let mut command = self.command(&self.source(given, None)?, &directory);
            succeeded(given, &command.output().map_err(|problem| problem.to_string())?)?;
        }
        Ok(directory)
    }

    /// Runs `words` in `directory`; what it leaves. The program must succeed.
    pub(crate) fn leaves(&self, words: &[OsString], directory: &Path) -> Result<Left, String> {
        let before = files(directory).map_err(|problem| problem.to_string())?;
        let output =
            self.command(words, directory).output().map_err(|problem| problem.to_string())?;
        succeeded(&directory.display().to_string(), &output)?;
        let mut files = files(directory).map_err(|problem| problem.to_string())?;
        files.retain(|name, _| !before.contains_key(name));
        Ok(Left { files, output: output.stdout })
    }

    /// The command that runs `words` in `directory`. No setting of the caller gets in the way.
    pub(crate) fn command(&self, words: &[OsString], directory: &Path) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(directory).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["DARSHAN_", "DXT_", "IOGLASS_", "LD_", "MAKE", "PYTHON"]
                .iter()
                .any(|start| text.starts_with(start))
            {
                command.env_remove(&name);
            }
        }
        command.env("PAIR_SCALE", self.scale.to_string()).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    }
}

/// All regular files below a directory.
fn files(directory: &Path) -> std::io::Result<Files> {
    let mut found = Files::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.is_file() {
                let name = path.strip_prefix(directory).unwrap_or(&path).to_owned();
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// An error with what the command said, unless it succeeded.
pub(crate) fn succeeded(what: &str, output: &Output) -> Result<(), String> {
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{what}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

fn extension(source: &str) -> &str {
    source.rsplit('.').next().unwrap_or_default()
}

/// A word with the number in braces, if there is one, divided.
fn scaled(word: &str, scale: u64) -> String {
    let parts = word.split_once('{').and_then(|(before, rest)| {
        let (number, after) = rest.split_once('}')?;
        Some((before, number.parse::<u64>().ok()?, after))
    });
    parts.map_or_else(
        || word.to_owned(),
        |(before, number, after)| format!("{before}{}{after}", (number / scale).max(1)),
    )
}

fn has_command(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
}

/// Open MPI's command of this kind, which a distribution with several MPIs calls otherwise.
fn open_mpi(kind: &'static str) -> Option<&'static str> {
    let own = if kind == "mpirun" { "mpirun.openmpi" } else { "mpicc.openmpi" };
    if has_command(own) {
        return Some(own);
    }
    let output = Command::new("mpirun").arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).contains("Open MPI").then_some(kind)
}
