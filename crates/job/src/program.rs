//! Checks that a program can be recorded: the kind of its file, and the loader that it needs.

mod annotations;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, elf};

use crate::sys;

/// What the code of HDF5 itself contains, in all versions.
const HDF5_TEXT: &[u8] = b"HDF5 library version mismatched error";
/// Longest chain of scripts that are interpreters of scripts.
const DEEPEST: usize = 4;

/// A program, and the obstacles to recording it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Program {
    /// The file.
    pub path: PathBuf,
    /// The interpreter, if the program is a script.
    pub interpreter: Option<PathBuf>,
    /// The obstacles; empty if the program can be recorded.
    pub obstacles: Vec<Obstacle>,
    /// True if it names regions of its code. Libraries that it loads may do so, too.
    pub is_annotated: bool,
    /// True if HDF5 is a part of it, and not a library that it loads: calls inside a file are not seen.
    pub has_own_hdf5: bool,
}

/// An obstacle to recording a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// There is no such program.
    NotFound,
    /// It is not executable.
    NotExecutable,
    /// It is a directory.
    Directory,
    /// It is neither a program nor a script.
    NotAProgram,
    /// It is linked statically, so there is no loader to load the library.
    Static,
    /// It runs with more privileges than its user.
    Privileged(&'static str),
    /// It is for another processor.
    Machine,
    /// Its loader is not that of glibc.
    Loader(String),
    /// It makes system calls without libc.
    Go,
    /// A Darshan library records it already.
    Darshan(String),
}

impl Obstacle {
    /// Returns true if nothing of the program can be recorded.
    pub fn blocks(&self) -> bool {
        !matches!(self, Self::Darshan(_))
    }

    /// A clause that describes the obstacle.
    pub fn what(&self) -> String {
        match self {
            Self::NotFound => "there is no such program".into(),
            Self::NotExecutable => "it is not executable".into(),
            Self::Directory => "it is a directory".into(),
            Self::NotAProgram => "it is neither a program nor a script".into(),
            Self::Static => "it is linked statically, so no library can be loaded into it".into(),
            Self::Privileged(bit) => format!("it is {bit}, so the loader ignores LD_PRELOAD"),
            Self::Machine => "it is not a 64-bit program for this processor".into(),
            Self::Loader(loader) => format!("its loader is {loader}, not that of glibc"),
            Self::Go => "it is a Go program, which makes system calls without libc".into(),
            Self::Darshan(library) => format!("{library} is loaded too, so all is recorded twice"),
        }
    }

    /// Advice that removes the obstacle.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NotFound => "check its name, or PATH",
            Self::NotExecutable => "make it executable with chmod +x",
            Self::Directory => "name a program in it",
            Self::NotAProgram => "start it with its interpreter",
            Self::Static => "link it without -static",
            Self::Privileged(_) => "run a copy of it: a copy does not have these privileges",
            Self::Machine => "build it for this processor, 64 bits",
            Self::Loader(_) => "build it against glibc",
            Self::Go => "none yet; record the programs that it starts",
            Self::Darshan(_) => "remove it from LD_PRELOAD, or link without it",
        }
    }

    /// A short name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotFound => "not-found",
            Self::NotExecutable => "not-executable",
            Self::Directory => "folder",
            Self::NotAProgram => "not-a-program",
            Self::Static => "static",
            Self::Privileged(_) => "privileged",
            Self::Machine => "machine",
            Self::Loader(_) => "loader",
            Self::Go => "go",
            Self::Darshan(_) => "darshan",
        }
    }
}

impl Program {
    /// Inspects the program that a shell would run by this name.
    pub fn inspect(name: &OsStr) -> Self {
        let Some(path) = find(name) else {
            let mut missing = Self::at(name.into());
            missing.obstacles.push(Obstacle::NotFound);
            return missing;
        };
        let mut program = Self::at(path.clone());
        let mut file = path;
        for _ in 0..DEEPEST {
            match look(&file, &mut program) {
                Some(interpreter) => {
                    program.interpreter = Some(interpreter.clone());
                    file = interpreter;
                }
                None => break,
            }
        }
        program
    }

    /// A program of which nothing is known.
    fn at(path: PathBuf) -> Self {
        Self {
            path,
            interpreter: None,
            obstacles: Vec::new(),
            is_annotated: false,
            has_own_hdf5: false,
        }
    }
}

/// The file that a shell would run as `name`.
fn find(name: &OsStr) -> Option<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return fs::metadata(name).is_ok().then(|| name.into());
    }
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    let directories = env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    env::split_paths(&directories).map(|directory| directory.join(name)).find(is_program)
}

/// Adds what this file tells of the program. Returns the interpreter of a script.
fn look(path: &Path, program: &mut Program) -> Option<PathBuf> {
    let obstacles = &mut program.obstacles;
    let metadata = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(metadata) => {
            let is_directory = metadata.is_dir();
            obstacles.push(if is_directory { Obstacle::Directory } else { Obstacle::NotAProgram });
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
        program.is_annotated |= annotations::are_in_script(script);
        return interpreter(script);
    }
    obstacles.extend(privileges(path, &metadata));
    if map.starts_with(&elf::ELFMAG) {
        obstacles.extend(look_at_elf(&map));
        program.is_annotated |= annotations::are_in_binary(&map);
        program.has_own_hdf5 |= has(&map, HDF5_TEXT);
    } else {
        program.is_annotated |= annotations::are_in_script(&map);
        obstacles.push(Obstacle::NotAProgram);
    }
    None
}

/// Returns true if `bytes` contain `text`.
fn has(bytes: &[u8], text: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == text[0]) {
        rest = &rest[at..];
        if rest.starts_with(text) {
            return true;
        }
        rest = &rest[1..];
    }
    false
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

/// Privileges of a program that its user does not have: the loader ignores LD_PRELOAD for it.
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

/// A Darshan library in LD_PRELOAD, which would record every program a second time.
pub fn preloaded_darshan() -> Option<Obstacle> {
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
        let directory = Program::inspect(OsStr::new("/"));
        assert_eq!(directory.obstacles, [Obstacle::Directory]);
    }
}
