//! The store of motifs: settings that were proven for a run, to be proposed for runs that are like it.
//!
//! A file of lines in JSON. Stores are shared by copying them, and joined with `cat`.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ioglass_insight::motif::{Motif, SCHEMA};
use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};

/// The longest line that is read, and the most lines.
const MOST_LINE: u64 = 64 << 10;
const MOST_LINES: usize = 100_000;

/// What was found for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// `ioglass.motif/1`.
    pub(crate) schema: String,
    /// When it was found.
    pub(crate) time: String,
    /// The name of the program.
    pub(crate) program: String,
    /// The pattern of its run.
    pub(crate) motif: Motif,
    /// The settings that were proven.
    pub(crate) settings: BTreeMap<String, String>,
    /// What they gain: by so much faster.
    pub(crate) speedup: Gain,
    /// What was measured.
    pub(crate) objective: String,
}

/// A gain with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Gain {
    pub(crate) median: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The store.
#[derive(Debug, Default)]
pub(crate) struct Store {
    entries: Vec<Entry>,
}

/// An entry and its distance from a motif.
pub(crate) type Near<'s> = (f64, &'s Entry);

/// The usual place of the store; none without a home.
pub(crate) fn usual() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let data = absolute("XDG_DATA_HOME");
    Some(
        data.or_else(|| Some(absolute("HOME")?.join(".local/share")))?.join("ioglass/motifs.jsonl"),
    )
}

impl Store {
    /// Reads a store. There is nothing in one that does not exist; lines that are no entries are left out.
    pub(crate) fn read(path: &Path) -> io::Result<Store> {
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Store::default()),
            Err(error) => return Err(error),
            // Opening a pipe would wait for its other end.
            Ok(found) if !found.is_file() => return Err(io::Error::other("it is no regular file")),
            Ok(_) => {}
        }
        let mut reader = BufReader::new(File::open(path)?);
        let mut store = Store::default();
        let mut line = Vec::new();
        for _ in 0..MOST_LINES {
            line.clear();
            if (&mut reader).take(MOST_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if let Ok(entry) = serde_json::from_slice::<Entry>(&line)
                && entry.schema == SCHEMA
            {
                store.entries.push(entry);
            }
        }
        Ok(store)
    }

    /// The entry that is nearest to a motif.
    pub(crate) fn nearest(&self, motif: &Motif) -> Option<Near<'_>> {
        self.sorted(motif).into_iter().next()
    }

    /// Entries that are close to a motif, the nearest first.
    pub(crate) fn close(&self, motif: &Motif) -> Vec<Near<'_>> {
        let mut near = self.sorted(motif);
        near.retain(|(_, entry)| entry.motif.is_close(motif));
        near
    }

    /// All entries by distance; of equals the last that was found.
    fn sorted(&self, motif: &Motif) -> Vec<Near<'_>> {
        let mut all: Vec<Near<'_>> =
            self.entries.iter().rev().map(|entry| (entry.motif.distance(motif), entry)).collect();
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        all
    }
}

/// Adds an entry to a store, with one write.
pub(crate) fn append(path: &Path, entry: &Entry) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut line = serde_json::to_string(entry)?;
    line.push('\n');
    // A pipe is not waited for.
    let mut options = OpenOptions::new();
    options.append(true).create(true).custom_flags(OFlag::O_NONBLOCK.bits());
    options.open(path)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioglass_insight::motif::{Interface, Sharing};

    fn entry(program: &str, request: u64) -> Entry {
        Entry {
            schema: SCHEMA.into(),
            time: "2026-11-20T10:00:00Z".into(),
            program: program.into(),
            motif: Motif {
                sharing: Sharing::OneRank,
                interface: Interface::Streams,
                stack: String::new(),
                file_system: "ext4".into(),
                dimensions: 0,
                ranks: 1,
                files: 1,
                bytes: 1 << 30,
                request,
                contiguous: 1.0,
                collective: 0.0,
                read: 0.0,
                metadata: 0.0,
            },
            settings: [("libc.stdio_buffer".to_owned(), "262144".to_owned())].into(),
            speedup: Gain { median: 1.6, low: 1.5, high: 1.7 },
            objective: "io".into(),
        }
    }

    #[test]
    fn what_is_added_is_found() {
        let folder = env::temp_dir().join(format!("ioglass-motifs-{}", std::process::id()));
        let path = folder.join("new/motifs.jsonl");
        assert!(Store::read(&path).unwrap().nearest(&entry("a", 64).motif).is_none());
        append(&path, &entry("a", 64)).unwrap();
        append(&path, &entry("b", 4096)).unwrap();
        let mut other = entry("c", 64);
        other.motif.file_system = "lustre".into();
        append(&path, &other).unwrap();
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str("nonsense\n{}\n");
        text.push_str(&"x".repeat(2 * MOST_LINE as usize));
        fs::write(&path, text).unwrap();
        let store = Store::read(&path).unwrap();
        let close = store.close(&entry("", 100).motif);
        let names: Vec<&str> = close.iter().map(|(_, entry)| entry.program.as_str()).collect();
        assert_eq!(names, ["a", "b"], "another file system is never close");
        assert_eq!(store.nearest(&entry("", 64).motif), Some((0.0, &entry("a", 64))));
        let mut far = entry("", 64).motif;
        (far.sharing, far.interface, far.dimensions) = (Sharing::SharedFile, Interface::Hdf5, 3);
        assert_eq!(store.close(&far), []);
        assert!(store.nearest(&far).is_some());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        assert!(Store::read(Path::new("/dev/null")).is_err());
        assert!(Store::read(Path::new("/nowhere/at/all")).is_ok());
    }
}
