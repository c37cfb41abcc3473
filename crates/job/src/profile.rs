//! The profile of the regions of a job, which stands beside its log.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use ioglass_harvest::ProfileOf;
use ioglass_profile::{
    Builder, Compression, Groups, Manifest, Notice, NoticeCode, Part, Process, Profile, Reader,
    Set, State, Summary,
};

use crate::harvest::{self, JobFacts, OpenCapture};
use crate::output::{Refused, first_numbered, reason, replace};
use crate::{Error, Result};

/// The extension of a profile.
pub(crate) const EXTENSION: &str = "ioprof";
/// Bytes of a name that the program gives; a file name has room for 255.
const LONGEST: usize = 200;

/// The file that a profile is written to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileOutput {
    /// Beside the log, under its name or under the one that the program gives it.
    #[default]
    Usual,
    /// Beside the log, under its name.
    BesideLog,
    /// Exactly this file, or one in this directory.
    File(PathBuf),
    /// Regions are not counted.
    None,
}

/// The way in which a profile is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProfileSetup {
    /// Its file.
    pub output: ProfileOutput,
    /// Number of files; the default is one for 256 ranks.
    pub files: Option<u64>,
    /// Variables that made no sense, which the profile tells.
    pub ignored: Vec<&'static str>,
    /// True if no other profile is replaced: the name gets a number then.
    pub(crate) is_new: bool,
}

/// A profile that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeProfile {
    /// Its path; `None` if it could not be written.
    pub path: Option<PathBuf>,
    /// The place that was asked for, if it could not be written there.
    pub refused: Option<Refused>,
}

/// A profile that is to be written.
pub(crate) struct Unwritten {
    pub(crate) profile: Profile,
    /// True if the program has given it a name.
    pub(crate) is_named: bool,
}

impl ProfileSetup {
    /// The profile of these captures; `None` if they have no regions, or none are wanted.
    pub(crate) fn make(
        &self,
        captures: &[&OpenCapture],
        facts: &JobFacts,
        state: State,
    ) -> Result<Option<Unwritten>> {
        if self.output == ProfileOutput::None {
            return Ok(None);
        }
        let made = harvest::profile(captures, facts, ProfileOf { state, is_part: false })?;
        let is_named = captures.iter().any(|capture| capture.names_profile());
        Ok(made.map(|mut profile| {
            for name in &self.ignored {
                let (code, name) = (NoticeCode::Setting, name.as_bytes().to_vec());
                let notice = Notice { code, name, region: None, count: 1 };
                // The processes may have told it already.
                let is_same = |known: &Notice| (known.code, &known.name) == (code, &notice.name);
                if !profile.notices.iter().any(is_same) {
                    profile.notices.push(notice);
                }
            }
            profile.notices.sort_unstable();
            Unwritten { profile, is_named }
        }))
    }

    /// Writes the profile that was made. `log` is the log of the job, which may not exist.
    pub(crate) fn write(
        &self,
        made: Result<Option<Unwritten>>,
        facts: &JobFacts,
        log: &Path,
    ) -> Option<MadeProfile> {
        let Unwritten { profile, is_named } = match made {
            Ok(made) => made?,
            Err(error) => {
                let path = place(&self.output, None, facts, log);
                let refused = Refused { path, reason: reason(&error) };
                return Some(MadeProfile { path: None, refused: Some(refused) });
            }
        };
        let mut path = place(&self.output, is_named.then_some(&profile), facts, log);
        if self.is_new {
            path = free_path(&path, &profile);
        }
        Some(match write_files(&profile, &path, self.files) {
            Ok(()) => MadeProfile { path: Some(path), refused: None },
            Err(error) => {
                let refused = Refused { path: path.clone(), reason: reason(&error) };
                // Beside the log there is room for it.
                let beside = log.with_extension(EXTENSION);
                let is_there = beside != path && write_files(&profile, &beside, self.files).is_ok();
                MadeProfile { path: is_there.then_some(beside), refused: Some(refused) }
            }
        })
    }
}

impl Unwritten {
    /// One profile of those in several files; `None` if none of them can be read.
    pub(crate) fn join<'p>(files: impl Iterator<Item = (&'p Path, bool)>) -> Result<Option<Self>> {
        let mut builder = Builder::default();
        let (mut is_there, mut is_named) = (false, false);
        for (path, has_name) in files {
            let Ok(reader) = Reader::open(path) else { continue };
            builder.profile(reader.whole().0).map_err(|_| Error::NoMemory)?;
            is_there = true;
            is_named |= has_name;
        }
        if !is_there {
            return Ok(None);
        }
        let profile = builder.finish().map_err(|_| Error::NoMemory)?;
        Ok(Some(Self { profile, is_named }))
    }
}

/// Writes a profile to one file, or to so many and a manifest that names them. Files that only a
/// manifest at this place named before are removed.
pub(crate) fn write_files(profile: &Profile, path: &Path, files: Option<u64>) -> Result<()> {
    let before = named_before(path);
    let groups = Groups::new(profile.head.ranks, files);
    let mut parts = Vec::new();
    if groups.count() == 1 {
        write_file(profile, path)?;
    } else {
        for (part, group) in profile.parts(groups).zip(0..) {
            let name = part_name(path, group);
            write_file(&part.map_err(|_| Error::NoMemory)?, &path.with_file_name(&name))?;
            let ranks = groups.ranks(group);
            let (first_rank, ranks) = (ranks.start, ranks.end - ranks.start);
            parts.push(Part { name: name.into_vec(), first_rank, ranks });
        }
        let manifest = Manifest { head: profile.head.clone(), parts: parts.clone() };
        write_bytes(&manifest.write().map_err(|_| Error::NoMemory)?, path)?;
    }
    for old in before.iter().filter(|old| parts.iter().all(|part| part.name != **old)) {
        // A file that stays does no harm.
        let _ = fs::remove_file(path.with_file_name(OsStr::from_bytes(old)));
    }
    Ok(())
}

/// Writes what is left of a profile to one file. `totals` tell of rows that are lost, too.
pub fn write_rest(profile: &Profile, totals: &[Summary], path: &Path) -> Result<()> {
    let bytes = ioglass_profile::write_with_totals(profile, totals, Compression::Deflate);
    let before = named_before(path);
    write_bytes(&bytes.map_err(|_| Error::NoMemory)?, path)?;
    for old in before {
        let _ = fs::remove_file(path.with_file_name(OsStr::from_bytes(&old)));
    }
    Ok(())
}

/// Removes a profile and the files that it names.
pub(crate) fn remove(path: &Path) {
    let parts = named_before(path);
    for file in parts.iter().map(|name| path.with_file_name(OsStr::from_bytes(name))) {
        let _ = fs::remove_file(file);
    }
    let _ = fs::remove_file(path);
}

/// Writes a profile to a file.
pub(crate) fn write_file(profile: &Profile, path: &Path) -> Result<()> {
    let bytes =
        ioglass_profile::write(profile, Compression::Deflate).map_err(|_| Error::NoMemory)?;
    write_bytes(&bytes, path)
}

fn write_bytes(bytes: &[u8], path: &Path) -> Result<()> {
    replace(path, |mut file| Ok::<_, Error>(file.write_all(bytes)?))?;
    Ok(())
}

/// The name of a part of the profile at `path`: `app.ioprof` has `app.0.ioprof`.
fn part_name(path: &Path, number: u32) -> OsString {
    let has_extension = path.extension().is_some_and(|extension| extension == EXTENSION);
    let stem = if has_extension { path.file_stem() } else { path.file_name() };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(format!(".{number}.{EXTENSION}"));
    name
}

/// The parts that the manifest at `path` names, as far as their names are ours.
fn named_before(path: &Path) -> Vec<Vec<u8>> {
    // A pipe would be waited for.
    if !path.is_file() {
        return Vec::new();
    }
    let Ok(reader) = Reader::open(path) else { return Vec::new() };
    let parts = reader.parts().unwrap_or_default().iter();
    let is_ours = |(part, number): &(&Part, u32)| part.name == part_name(path, *number).as_bytes();
    parts.zip(0..).filter(is_ours).map(|(part, _)| part.name.clone()).collect()
}

/// The path, or this one with the first free number: no file is replaced but a profile of the same
/// processes, or of some of them, as a snapshot or an earlier recovery is.
pub fn free_path(path: &Path, profile: &Profile) -> PathBuf {
    let key = |process: &Process| (process.host.clone(), process.pid, process.started_ns);
    let own: HashSet<_> = profile.processes.iter().map(key).collect();
    let may_be = |path: &Path| {
        if path.symlink_metadata().is_err() {
            return true;
        }
        // A pipe would be waited for.
        let sets = if path.is_file() { Set::open(&[path.into()]).0 } else { Vec::new() };
        let [set] = &sets[..] else { return false };
        let theirs = &set.profile().processes;
        !theirs.is_empty() && theirs.iter().all(|process| own.contains(&key(process)))
    };
    first_numbered(path, may_be).unwrap_or_else(|| path.into())
}

/// The file of a profile. `profile` is there if the program has named it.
pub(crate) fn place(
    output: &ProfileOutput,
    profile: Option<&Profile>,
    facts: &JobFacts,
    log: &Path,
) -> PathBuf {
    let beside = log.with_extension(EXTENSION);
    match output {
        ProfileOutput::File(path) if path.is_dir() => {
            path.join(beside.file_name().unwrap_or_default())
        }
        ProfileOutput::File(path) => path.clone(),
        ProfileOutput::Usual => match profile.map(|profile| given_name(profile, facts)) {
            Some(name) => beside.with_file_name(name),
            None => beside,
        },
        ProfileOutput::BesideLog | ProfileOutput::None => beside,
    }
}

/// The file name that follows from the name that the program has given its profile.
fn given_name(profile: &Profile, facts: &JobFacts) -> OsString {
    let clean = |byte: &u8| if *byte == b'/' || byte.is_ascii_control() { b'_' } else { *byte };
    let mut name: Vec<u8> = profile.head.name.iter().map(clean).take(LONGEST).collect();
    name.extend_from_slice(format!("_{}.{EXTENSION}", facts.jobid).as_bytes());
    OsString::from_vec(name)
}
