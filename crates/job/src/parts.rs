//! A launch over several nodes: each node leaves its part beside the log, and the node that completes
//! the ranks merges the parts.
//!
//! `LOG.parts` holds for each part a log (unless there was no I/O), a profile (unless there was no
//! region) and a file with the ranks of the part, which appears last. The nodes share only this directory. The node that creates the claim file, which
//! must not exist before, merges.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use ioglass_harvest::Summary;
use ioglass_merge::Merge;

use crate::launcher::host;
use crate::output::{LogOutput, MadeLog, cannot_write, write_log};
use crate::profile::{self, Unwritten};
use crate::{Error, Result};

/// Suffix of the directory, after the name of the log.
const SUFFIX: &str = ".parts";
/// Extension of the files with the ranks of a part.
const RANKS: &str = "ranks";
/// Extensions of the profiles of parts: those without and with a name that the program gave.
const PROFILES: [&str; 2] = ["ioprof", "named.ioprof"];
/// A part that ended this long before another began is of an earlier launch.
const EARLIER_NS: u64 = 60_000_000_000;

/// The parts of one launch.
pub(crate) struct Parts {
    directory: PathBuf,
    /// The name of the launch.
    name: String,
    ranks: u32,
}

/// The part of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodePart {
    /// The name of the job on the node. It identifies a part that is added again after a kill.
    pub(crate) of: String,
    pub(crate) ranks: BTreeSet<u32>,
    /// Begin and end in nanoseconds since 1970.
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

/// The state after a part has been added.
pub(crate) enum Added {
    /// Everything is there.
    Whole(Box<Whole>),
    /// Ranks are missing, or another node merges the parts.
    Waiting {
        /// Number of ranks in all parts.
        there: usize,
        /// Ranks in the parts of this node.
        here: BTreeSet<u32>,
    },
}

/// The result of all parts.
#[derive(Default)]
pub(crate) struct Whole {
    /// The log; `None` if none was to be written.
    pub(crate) log: Option<MadeLog>,
    /// The profile; `None` if no part has a region.
    pub(crate) profile: Option<Unwritten>,
}

/// The right to merge parts.
struct Claim {
    directory: PathBuf,
    logs: Vec<PathBuf>,
    /// Profiles, and true for those with a name that the program gave.
    profiles: Vec<(PathBuf, bool)>,
    /// The other files of the launch.
    rest: Vec<PathBuf>,
}

/// The log of a directory of parts; `None` if the name of the directory is not that of one.
pub(crate) fn log_of(directory: &Path) -> Option<PathBuf> {
    let name = directory.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
    Some(directory.with_file_name(name))
}

impl Parts {
    /// The parts of a launch of so many ranks whose log goes to `log`.
    pub(crate) fn new(log: &Path, (name, ranks): (String, u32)) -> Self {
        let mut directory = log.as_os_str().to_owned();
        directory.push(SUFFIX);
        Self { directory: directory.into(), name, ranks }
    }

    /// Number of ranks of the launch.
    pub(crate) fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The directory of the parts.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Adds a part, whose log `write` writes, and merges all parts if that was the last one. A part with
    /// all ranks is the whole. Without `output` there are no logs.
    pub(crate) fn add(
        &self,
        part: &NodePart,
        output: Option<&LogOutput>,
        write: impl Fn(File, Option<&Path>) -> Result<Summary>,
        profile: Option<Unwritten>,
    ) -> Result<Added> {
        let whole_log =
            |output: &LogOutput| -> Result<MadeLog> { Ok(write_log(output, &write)?.1) };
        // Other ranks may have left parts before.
        if part.ranks.len() >= self.ranks as usize && !self.directory.exists() {
            let log = output.map(whole_log).transpose()?;
            return Ok(Added::Whole(Box::new(Whole { log, profile })));
        }
        let has_log = |file| Ok(output.is_some() && write(file, None)?.ranks > 0);
        self.write(part, has_log, profile.as_ref())?;
        let claim = match self.claim(part)? {
            Err(waiting) => return Ok(waiting),
            Ok(claim) => claim,
        };
        let mut whole = claim.merge(output)?;
        if whole.log.is_none() {
            // A run without any I/O has a log too.
            whole.log = output.map(whole_log).transpose()?;
        }
        Ok(Added::Whole(Box::new(whole)))
    }

    /// Writes a part, unless that was done before. `write` returns true if its log has contents.
    fn write(
        &self,
        part: &NodePart,
        write: impl FnOnce(File) -> Result<bool>,
        profile: Option<&Unwritten>,
    ) -> Result<()> {
        fs::create_dir_all(&self.directory).map_err(cannot_write(&self.directory))?;
        let log = self.directory.join(format!("{}{}.darshan", self.mark(), part.of));
        let done = log.with_extension(RANKS);
        if done.exists() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        // A log without the other file is of a writer that was killed.
        options.read(true).write(true).create(true).truncate(true);
        let written = write(options.open(&log).map_err(cannot_write(&log))?);
        if !matches!(written, Ok(true)) {
            let _ = fs::remove_file(&log);
        }
        written?;
        if let Some(Unwritten { profile, is_named }) = profile {
            let file = log.with_extension(PROFILES[usize::from(*is_named)]);
            profile::write_file(profile, &file).map_err(cannot_write(&file))?;
        }
        let beside = log.with_extension("new");
        fs::write(&beside, part.to_string()).map_err(cannot_write(&beside))?;
        fs::rename(&beside, &done).map_err(cannot_write(&done))
    }

    /// Prefix of the parts of this node.
    fn mark(&self) -> String {
        format!("{}-{}-", self.name, host())
    }

    /// Claims the right to merge the parts, if all ranks are there and no other node has it.
    fn claim(&self, own: &NodePart) -> Result<Result<Claim, Added>> {
        let mut found: Vec<(NodePart, PathBuf)> = Vec::new();
        for path in fs::read_dir(&self.directory)?.flatten().map(|entry| entry.path()) {
            if begins(&path, &self.name)
                && path.extension().is_some_and(|extension| extension == RANKS)
                && let Some(part) = NodePart::read(&path)
                && part.end_ns.saturating_add(EARLIER_NS) >= own.start_ns
            {
                found.push((part, path));
            }
        }
        let ranks = |parts: &mut dyn Iterator<Item = &(NodePart, PathBuf)>| -> BTreeSet<u32> {
            parts.flat_map(|(part, _)| &part.ranks).copied().collect()
        };
        let there = ranks(&mut found.iter()).len();
        let mark = self.mark();
        let here = ranks(&mut found.iter().filter(|(_, path)| begins(path, &mark)));
        let file = self.directory.join(format!("{}.claim", self.name));
        if there < self.ranks as usize || File::create_new(&file).is_err() {
            return Ok(Err(Added::Waiting { there, here }));
        }
        let mut rest: Vec<PathBuf> = found.into_iter().map(|(_, path)| path).collect();
        let logs = rest.iter().map(|path| path.with_extension("darshan"));
        let logs = logs.filter(|log| log.exists()).collect();
        let profiles = profiles(&rest);
        rest.push(file);
        Ok(Ok(Claim { directory: self.directory.clone(), logs, profiles, rest }))
    }
}

/// The name of the job in `directory`.
pub(crate) fn job_name(directory: &Path) -> String {
    directory.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn begins(path: &Path, mark: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(mark))
}

/// The profiles of the parts with these files.
fn profiles(ranks: &[PathBuf]) -> Vec<(PathBuf, bool)> {
    let of = |path: &PathBuf| PROFILES.map(|extension| path.with_extension(extension));
    let all = ranks.iter().flat_map(|path| of(path).into_iter().zip([false, true]));
    all.filter(|(profile, _)| profile.exists()).collect()
}

impl Claim {
    /// Merges the parts and removes them. There is no log if none of them has one.
    fn merge(self, output: Option<&LogOutput>) -> Result<Whole> {
        let log = match (&self.logs[..], output) {
            ([], _) | (_, None) => None,
            (logs, Some(output)) => Some(merge(logs, output)?),
        };
        let profiles = self.profiles.iter().map(|(path, is_named)| (&**path, *is_named));
        let profile = Unwritten::join(profiles)?;
        let profiles = self.profiles.iter().map(|(path, _)| path);
        for file in self.logs.iter().chain(profiles).chain(&self.rest) {
            // A file that stays does no harm.
            let _ = fs::remove_file(file);
        }
        // Parts of another launch keep it.
        let _ = fs::remove_dir(&self.directory);
        Ok(Whole { log, profile })
    }
}

/// Merges the parts of each launch that no node completed, and removes them.
pub(crate) fn recover(directory: &Path, output: &LogOutput) -> Result<Vec<Whole>> {
    let mut launches: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(directory)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let launch = name.split(['-', '.']).next().unwrap_or_default();
        launches.entry(launch.to_owned()).or_default().push(entry.path());
    }
    let mut made = Vec::new();
    for files in launches.into_values() {
        let has = |file: &Path, end: &str| file.extension().is_some_and(|e| e == end);
        let (mut logs, rest): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| has(file, "darshan"));
        // A log without its ranks is unfinished; its captures are still on its node.
        logs.retain(|log| log.with_extension(RANKS).exists());
        logs.sort();
        let ranks: Vec<PathBuf> = rest.iter().filter(|file| has(file, RANKS)).cloned().collect();
        let claim = Claim { directory: directory.into(), logs, profiles: profiles(&ranks), rest };
        let whole = claim.merge(Some(output))?;
        if whole.log.is_some() || whole.profile.is_some() {
            made.push(whole);
        }
    }
    Ok(made)
}

fn merge(logs: &[PathBuf], output: &LogOutput) -> Result<MadeLog> {
    let merge = Merge::new(logs, true).map_err(Error::Merge)?;
    let write = |file, _: Option<&Path>| merge.write(file, &mut |_, _| {}).map_err(Error::Merge);
    Ok(write_log(output, write)?.1)
}

impl NodePart {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        let (start_ns, end_ns) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let ranks = numbers.map(|number| u32::try_from(number.ok()?).ok());
        Some(Self { of: String::new(), ranks: ranks.collect::<Option<_>>()?, start_ns, end_ns })
    }
}

impl std::fmt::Display for NodePart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.start_ns, self.end_ns)?;
        self.ranks.iter().try_for_each(|rank| write!(f, " {rank}"))
    }
}
