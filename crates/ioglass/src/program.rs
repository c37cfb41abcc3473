//! Whether a program can be recorded: what kind of file it is, and what the loader makes of it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, elf};
use serde_json::{Value, json};

use crate::job::sys;

/// Scripts that run scripts that run scripts.
const DEEPEST: usize = 4;

/// A program, and what stands in the way of recording it.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// The interpreter, if the program is a script.
    pub(crate) interpreter: Option<PathBuf>,
    pub(crate) obstacles: Vec<Obstacle>,
}

/// Something that keeps a program from being recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// There is no such program.
    NotFound,
    /// It may not be executed.
    NotExecutable,
    /// It is a folder.
    Folder,
    /// It is neither a program nor a script.
    NotAProgram,
    /// It has no loader that would load the library.
    Static,
    /// It runs with more rights than its user.
    Privileged(&'static str),
    /// It is for another machine.
    Machine,
    /// Its loader is not that of glibc.
    Loader(String),
    /// It makes its calls without libc.
    Go,
    /// It records itself already.
    Darshan(String),
}

impl Obstacle {
    /// Whether nothing at all can be seen.
    pub(crate) fn blocks(&self) -> bool {
        !matches!(self, Self::Darshan(_))
    }

    /// What is in the way.
    pub(crate) fn what(&self) -> String {
        match self {
            Self::NotFound => "there is no such program".into(),
            Self::NotExecutable => "it may not be executed".into(),
            Self::Folder => "it is a folder".into(),
            Self::NotAProgram => "it is neither a program nor a script".into(),
            Self::Static => "it is linked statically, so no library can be loaded into it".into(),
            Self::Privileged(bit) => format!("it is {bit}, so the loader ignores LD_PRELOAD"),
            Self::Machine => "it is not a 64-bit program for this kind of machine".into(),
            Self::Loader(loader) => format!("its loader is {loader}, not that of glibc"),
            Self::Go => "it is a Go program, which calls the kernel without libc".into(),
            Self::Darshan(library) => format!("{library} is loaded too and records it twice"),
        }
    }

    /// What helps.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::NotFound => "check its name, or PATH",
            Self::NotExecutable => "make it executable with chmod +x",
            Self::Folder => "name a program in it",
            Self::NotAProgram => "start it with the program that reads it",
            Self::Static => "link it without -static",
            Self::Privileged(_) => "run a copy of it: a copy has no such rights",
            Self::Machine => "build it for this machine, 64 bits",
            Self::Loader(_) => "build it against glibc",
            Self::Go => "none yet; record what it starts or feeds",
            Self::Darshan(_) => "take it out of LD_PRELOAD, or build without it",
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::NotExecutable => "not-executable",
            Self::Folder => "folder",
            Self::NotAProgram => "not-a-program",
            Self::Static => "static",
            Self::Privileged(_) => "privileged",
            Self::Machine => "machine",
            Self::Loader(_) => "loader",
            Self::Go => "go",
            Self::Darshan(_) => "darshan",
        }
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "obstacle": self.name(),
            "blocks": self.blocks(),
            "what": self.what(),
            "remedy": self.remedy(),
        })
    }
}

impl Program {
    /// Looks at the program that a shell would run by this name.
    pub(crate) fn inspect(name: &OsStr) -> Self {
        let Some(path) = find(name) else {
            let obstacles = vec![Obstacle::NotFound];
            return Self { path: name.into(), interpreter: None, obstacles };
        };
        let mut program = Self { path: path.clone(), interpreter: None, obstacles: Vec::new() };
        let mut file = path;
        for _ in 0..DEEPEST {
            match look(&file, &mut program.obstacles) {
                Some(interpreter) => {
                    program.interpreter = Some(interpreter.clone());
                    file = interpreter;
                }
                None => break,
            }
        }
        program
    }
}

/// The file that runs as `name`.
fn find(name: &OsStr) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return fs::metadata(name).is_ok().then(|| name.into());
    }
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    let folders = env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    env::split_paths(&folders).map(|folder| folder.join(name)).find(is_program)
}

/// Notes what is in the way in this file; gives the interpreter if it is a script.
fn look(path: &Path, obstacles: &mut Vec<Obstacle>) -> Option<PathBuf> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(metadata) => {
            let is_folder = metadata.is_dir();
            obstacles.push(if is_folder { Obstacle::Folder } else { Obstacle::NotAProgram });
            return None;
        }
        Err(_) => {
            obstacles.push(Obstacle::NotFound);
            return None;
        }
    };
    if metadata.permissions().mode() & 0o111 == 0 {
        obstacles.push(Obstacle::NotExecutable);
    }
    let Ok(map) = fs::File::open(path).and_then(|file| sys::map(&file)) else {
        return None;
    };
    if let Some(script) = map.strip_prefix(b"#!") {
        return interpreter(script);
    }
    obstacles.extend(privileges(path, &metadata));
    if map.starts_with(&elf::ELFMAG) {
        obstacles.extend(look_at_elf(&map));
    } else {
        obstacles.push(Obstacle::NotAProgram);
    }
    None
}

/// The program that a script's first line names.
fn interpreter(script: &[u8]) -> Option<PathBuf> {
    let line = script.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = PathBuf::from(OsString::from_vec(words.next()?.to_vec()));
    if first.file_name() == Some(OsStr::new("env")) {
        let program = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='))?;
        return Some(find(OsStr::from_bytes(program)).unwrap_or(first));
    }
    Some(first)
}

/// The loader ignores what is to be preloaded if a program has rights its user does not have.
fn privileges(path: &Path, metadata: &fs::Metadata) -> Option<Obstacle> {
    let (user, group) = (nix::unistd::getuid().as_raw(), nix::unistd::getgid().as_raw());
    let mode = metadata.mode();
    if mode & libc::S_ISUID != 0 && metadata.uid() != user {
        Some(Obstacle::Privileged("setuid"))
    } else if mode & libc::S_ISGID != 0 && metadata.gid() != group {
        Some(Obstacle::Privileged("setgid"))
    } else if user != 0 && sys::has_capabilities(path) {
        Some(Obstacle::Privileged("given capabilities"))
    } else {
        None
    }
}

fn look_at_elf(bytes: &[u8]) -> Vec<Obstacle> {
    let machine = if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { EM_X86_64 };
    let header = FileHeader64::<Endianness>::parse(bytes).ok();
    let Some((header, endian)) = header.and_then(|header| Some((header, header.endian().ok()?)))
    else {
        return vec![Obstacle::Machine];
    };
    if header.e_machine(endian) != machine {
        return vec![Obstacle::Machine];
    }
    let segments = header.program_headers(endian, bytes).unwrap_or_default();
    let mut loaders = segments.iter().filter_map(|s| s.interpreter(endian, bytes).ok().flatten());
    let mut obstacles = Vec::new();
    match loaders.next().map(String::from_utf8_lossy) {
        None => obstacles.push(Obstacle::Static),
        Some(loader) if loader.contains("musl") => {
            obstacles.push(Obstacle::Loader(loader.into_owned()));
        }
        Some(_) => {}
    }
    let Ok(sections) = header.sections(endian, bytes) else { return obstacles };
    let is_go = sections.iter().any(|section| {
        section.sh_type(endian) == elf::SHT_NOTE
            && sections.section_name(endian, section).is_ok_and(|n| n == b".note.go.buildid")
    });
    if is_go && obstacles.is_empty() {
        obstacles.push(Obstacle::Go);
    }
    if let Ok(Some((entries, link))) = sections.dynamic(endian, bytes)
        && let Ok(strings) = sections.strings(endian, bytes, link)
    {
        let needed = entries.iter().filter(|entry| entry.tag32(endian) == Some(elf::DT_NEEDED));
        let names = needed.filter_map(|entry| entry.string(endian, strings).ok());
        let names = names.map(String::from_utf8_lossy);
        let darshan = names.filter(|name| name.starts_with("libdarshan"));
        obstacles.extend(darshan.map(|name| Obstacle::Darshan(name.into_owned())));
    }
    obstacles
}

/// Another Darshan that the environment loads into every program.
pub(crate) fn preloaded_darshan() -> Option<Obstacle> {
    let preloaded = env::var("LD_PRELOAD").ok()?;
    let mut words = preloaded.split([' ', ':']);
    let library = words.find(|word| word.contains("libdarshan"))?;
    Some(Obstacle::Darshan(library.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_can_be_recorded() {
        let shell = Program::inspect(OsStr::new("sh"));
        assert!(shell.path.is_absolute());
        assert_eq!(shell.obstacles, []);
    }

    #[test]
    fn interpreters_are_found() {
        assert_eq!(interpreter(b"/bin/sh -e\nx"), Some("/bin/sh".into()));
        let sh = find(OsStr::new("sh"));
        assert_eq!(interpreter(b" /usr/bin/env -S A=1 sh -x\n"), sh);
        assert_eq!(interpreter(b"\n"), None);
    }

    #[test]
    fn what_is_no_program_is_said() {
        let missing = Program::inspect(OsStr::new("/nowhere/app"));
        assert_eq!(missing.obstacles, [Obstacle::NotFound]);
        let text = Program::inspect(OsStr::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
        assert_eq!(text.obstacles, [Obstacle::NotExecutable, Obstacle::NotAProgram]);
        let folder = Program::inspect(OsStr::new("/"));
        assert_eq!(folder.obstacles, [Obstacle::Folder]);
    }
}
