//! A launch over several nodes: each leaves its part beside the log, and whoever completes the ranks
//! makes the log of the parts.
//!
//! `LOG.parts` holds for each part a log (unless nothing was done there) and a file that says which
//! ranks it stands for, which appears last. The nodes share nothing but this folder: making a file that
//! must not exist is all that decides who merges.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::Context;
use ioglass_harvest::Summary;
use ioglass_merge::Merge;

use super::launched::host;
use super::output::Output;

/// How the folder is called after the log.
const SUFFIX: &str = ".parts";
/// How files end that say which ranks a part has.
const RANKS: &str = "ranks";
/// A part that ended so long before another began is of an earlier launch.
const EARLIER_NS: u64 = 60_000_000_000;

/// The parts of one launch.
pub(crate) struct Parts {
    folder: PathBuf,
    /// The launch.
    name: String,
    ranks: u32,
}

/// A part of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The job on its node; what is added again after a kill is known by it.
    pub(crate) of: String,
    pub(crate) ranks: BTreeSet<u32>,
    /// Begin and end in nanoseconds since 1970.
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

/// What there is after a part has been added.
pub(crate) enum Made {
    /// The log.
    Log(PathBuf),
    /// Not all ranks are there, or somebody else puts them together.
    Waiting {
        /// How many are.
        there: usize,
        /// Those of this node.
        here: BTreeSet<u32>,
    },
}

/// The right to merge parts, and what they are.
struct Claim {
    folder: PathBuf,
    logs: Vec<PathBuf>,
    /// The other files of the launch.
    rest: Vec<PathBuf>,
}

/// The log whose parts are in this folder, if it is called like that.
pub(crate) fn log_of(folder: &Path) -> Option<PathBuf> {
    let name = folder.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
    Some(folder.with_file_name(name))
}

impl Parts {
    /// The parts of a launch of so many ranks whose log goes to `log`.
    pub(crate) fn new(log: &Path, (name, ranks): (String, u32)) -> Self {
        let mut folder = log.as_os_str().to_owned();
        folder.push(SUFFIX);
        Self { folder: folder.into(), name, ranks }
    }

    /// How many ranks the launch has.
    pub(crate) fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The folder of the parts.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a part, whose log `write` writes, and puts all together if that was the last. A part with
    /// all ranks is the log.
    pub(crate) fn add(
        &self,
        part: &Part,
        output: &Output,
        write: impl Fn(File, Option<&Path>) -> anyhow::Result<Summary>,
    ) -> anyhow::Result<Made> {
        // Some may have left parts before, and are only thought to be here.
        if part.ranks.len() >= self.ranks as usize && !self.folder.exists() {
            return Ok(Made::Log(output.write(&write)?.1));
        }
        self.write(part, |file| Ok(write(file, None)?.ranks > 0))?;
        match self.claim(part)? {
            Err(waiting) => Ok(waiting),
            Ok(claim) => match claim.merge(output)? {
                Some(log) => Ok(Made::Log(log)),
                // Nobody has done anything, which is worth a log too.
                None => Ok(Made::Log(output.write(&write)?.1)),
            },
        }
    }

    /// Writes a part, unless that was done before; `write` tells whether there is anything in its log.
    fn write(
        &self,
        part: &Part,
        write: impl FnOnce(File) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let cannot = |what: &Path| format!("cannot write {}", what.display());
        fs::create_dir_all(&self.folder).with_context(|| cannot(&self.folder))?;
        let log = self.folder.join(format!("{}{}.darshan", self.mark(), part.of));
        let done = log.with_extension(RANKS);
        if done.exists() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        // Without the other file it is of a writer that was killed.
        options.read(true).write(true).create(true).truncate(true);
        let written = write(options.open(&log).with_context(|| cannot(&log))?);
        if !matches!(written, Ok(true)) {
            let _ = fs::remove_file(&log);
        }
        written?;
        let beside = log.with_extension("new");
        fs::write(&beside, part.to_string()).with_context(|| cannot(&beside))?;
        fs::rename(&beside, &done).with_context(|| cannot(&done))
    }

    /// How the names of this node's parts begin.
    fn mark(&self) -> String {
        format!("{}-{}-", self.name, host())
    }

    /// The right to merge the parts, if all ranks are there and nobody else has it.
    fn claim(&self, own: &Part) -> anyhow::Result<Result<Claim, Made>> {
        let mut found: Vec<(Part, PathBuf)> = Vec::new();
        for path in fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path()) {
            if begins(&path, &self.name)
                && path.extension().is_some_and(|extension| extension == RANKS)
                && let Some(part) = Part::read(&path)
                && part.end_ns.saturating_add(EARLIER_NS) >= own.start_ns
            {
                found.push((part, path));
            }
        }
        let ranks = |parts: &mut dyn Iterator<Item = &(Part, PathBuf)>| -> BTreeSet<u32> {
            parts.flat_map(|(part, _)| &part.ranks).copied().collect()
        };
        let there = ranks(&mut found.iter()).len();
        let mark = self.mark();
        let here = ranks(&mut found.iter().filter(|(_, path)| begins(path, &mark)));
        let file = self.folder.join(format!("{}.claim", self.name));
        if there < self.ranks as usize || File::create_new(&file).is_err() {
            return Ok(Err(Made::Waiting { there, here }));
        }
        let mut rest: Vec<PathBuf> = found.into_iter().map(|(_, path)| path).collect();
        let logs = rest.iter().map(|path| path.with_extension("darshan"));
        let logs = logs.filter(|log| log.exists()).collect();
        rest.push(file);
        Ok(Ok(Claim { folder: self.folder.clone(), logs, rest }))
    }
}

/// The name of the job in `folder`.
pub(crate) fn job_name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn begins(path: &Path, mark: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(mark))
}

impl Claim {
    /// Makes the log of the parts and removes them. `None` if nothing was done in any of them.
    fn merge(self, output: &Output) -> anyhow::Result<Option<PathBuf>> {
        let made = match &self.logs[..] {
            [] => None,
            logs => Some(merge(logs, output)?),
        };
        for file in self.logs.iter().chain(&self.rest) {
            // What stays is found by whoever looks into the folder.
            let _ = fs::remove_file(file);
        }
        // Parts of another launch keep it.
        let _ = fs::remove_dir(&self.folder);
        Ok(made)
    }
}

/// Merges the parts of each launch that nobody completed, and removes them.
pub(crate) fn recover(folder: &Path, output: &Output) -> anyhow::Result<Vec<PathBuf>> {
    let mut launches: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let launch = name.split(['-', '.']).next().unwrap_or_default();
        launches.entry(launch.to_owned()).or_default().push(entry.path());
    }
    let mut made = Vec::new();
    for files in launches.into_values() {
        let (mut logs, rest): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| file.extension().is_some_and(|e| e == "darshan"));
        // One without the other was never finished, and what belongs into it is still on its node.
        logs.retain(|log| log.with_extension(RANKS).exists());
        logs.sort();
        made.extend(Claim { folder: folder.into(), logs, rest }.merge(output)?);
    }
    Ok(made)
}

fn merge(logs: &[PathBuf], output: &Output) -> anyhow::Result<PathBuf> {
    let merge = Merge::new(logs, true).context("cannot put the parts together")?;
    let write = |file, _: Option<&Path>| Ok(merge.write(file, &mut |_, _| {})?);
    let (_, log) = output.write(write)?;
    Ok(log)
}

impl Part {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut numbers = text.split_whitespace().map(str::parse::<u64>);
        let (start_ns, end_ns) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        let ranks = numbers.map(|number| u32::try_from(number.ok()?).ok());
        Some(Self { of: String::new(), ranks: ranks.collect::<Option<_>>()?, start_ns, end_ns })
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.start_ns, self.end_ns)?;
        self.ranks.iter().try_for_each(|rank| write!(f, " {rank}"))
    }
}
