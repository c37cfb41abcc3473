//! Reading files with all that they include.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::precedence::{Placed, order};
use crate::problem::Problems;
use crate::rule::{Rule, Settings};
use crate::{toml, xml};

/// The largest file.
const MAX_FILE: u64 = 1 << 20;
/// The most levels of files that include each other.
const MAX_DEPTH: usize = 8;
/// The most files that are read.
const MAX_FILES: usize = 64;

/// The content of one file.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// Rules in the order of the file.
    pub(crate) rules: Vec<Rule>,
    /// Files that it includes, with the line that says so.
    pub(crate) includes: Vec<(PathBuf, usize)>,
}

impl Settings {
    /// Reads a file and all that it includes.
    ///
    /// # Errors
    /// All problems found.
    pub fn read(path: &Path) -> Result<Settings, Problems> {
        let mut reader = Reader::default();
        match load(path) {
            Ok(text) => reader.file(&text, path),
            Err(problem) => reader.problems.add(path, None, problem),
        }
        reader.finish()
    }

    /// Reads a text as the file of this name; included files are read.
    ///
    /// # Errors
    /// All problems found.
    pub fn parse(text: &str, name: impl AsRef<Path>) -> Result<Settings, Problems> {
        let mut reader = Reader::default();
        reader.file(text, name.as_ref());
        reader.finish()
    }
}

#[derive(Default)]
struct Reader {
    placed: Vec<Placed>,
    problems: Problems,
    /// The files from the first to the one that is being read.
    chain: Vec<PathBuf>,
    /// Files read so far; the number is the place in the order of precedence.
    files: usize,
}

impl Reader {
    fn file(&mut self, text: &str, path: &Path) {
        self.files += 1;
        let source = self.files;
        let parse = if text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with('<')
        {
            xml::parse
        } else {
            toml::parse
        };
        let content = parse(text.trim_start_matches('\u{feff}'), path, &mut self.problems);
        let rules = content.rules.into_iter();
        self.placed.extend(rules.map(|rule| Placed { source, rule }));
        self.chain.push(path.to_owned());
        // Of several the later one wins, so it is read first.
        for (include, line) in content.includes.into_iter().rev() {
            self.include(path, &include, line);
        }
        self.chain.pop();
    }

    fn include(&mut self, from: &Path, include: &Path, line: usize) {
        let path = from.parent().unwrap_or(Path::new("")).join(include);
        let is_same = |other: &&PathBuf| {
            let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            whole(other) == whole(&path)
        };
        if self.chain.iter().any(|other| is_same(&other)) || self.chain.len() > MAX_DEPTH {
            let chain: Vec<String> =
                self.chain.iter().chain([&path]).map(|file| file.display().to_string()).collect();
            let what = if self.chain.len() > MAX_DEPTH { "deeper than 8" } else { "in a circle" };
            let text = format!("files include each other {what}: {}", chain.join(" → "));
            self.problems.add(from, Some(line), text);
            return;
        }
        if self.files == MAX_FILES {
            self.problems.add(from, Some(line), "more than 64 files are included");
            return;
        }
        match load(&path) {
            Ok(text) => self.file(&text, &path),
            Err(problem) => {
                let text = format!("{} cannot be included: {problem}", path.display());
                self.problems.add(from, Some(line), text);
            }
        }
    }

    fn finish(self) -> Result<Settings, Problems> {
        if self.problems.is_empty() { Ok(order(self.placed)) } else { Err(self.problems) }
    }
}

/// The text of a regular file of at most 1 MiB.
///
/// # Errors
/// The reason why there is none, as a sentence.
pub fn load(path: &Path) -> Result<String, String> {
    // Opening a pipe would wait for its other end, so the type is looked at first.
    let type_ = path.metadata().map_err(|error| error.to_string())?;
    if type_.is_dir() {
        return Err("it is a folder".into());
    }
    if !type_.is_file() {
        return Err("it is no regular file".into());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err("it is larger than 1 MiB".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("it is not UTF-8: byte {} is wrong", error.utf8_error().valid_up_to() + 1)
    })
}
