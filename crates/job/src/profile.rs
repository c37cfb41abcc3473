//! The profile of the regions of a job, which stands beside its log.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use ioglass_harvest::ProfileOf;
use ioglass_profile::{Compression, Profile, State};

use crate::harvest::{self, JobFacts, OpenCapture};
use crate::output::{Refused, reason, replace};
use crate::{Error, Result};

/// The extension of a profile.
const EXTENSION: &str = "ioprof";
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

/// A profile that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeProfile {
    /// Its path; `None` if it could not be written.
    pub path: Option<PathBuf>,
    /// The place that was asked for, if it could not be written there.
    pub refused: Option<Refused>,
}

/// Writes the profile of these captures, if they have regions. `log` is the log of the job, which may
/// not exist.
pub(crate) fn write(
    captures: &[&OpenCapture],
    facts: &JobFacts,
    state: State,
    output: &ProfileOutput,
    log: &Path,
) -> Option<MadeProfile> {
    if *output == ProfileOutput::None {
        return None;
    }
    let profile = match harvest::profile(captures, facts, ProfileOf { state }) {
        Ok(profile) => profile?,
        Err(error) => {
            let refused = Refused { path: place(output, None, facts, log), reason: reason(&error) };
            return Some(MadeProfile { path: None, refused: Some(refused) });
        }
    };
    let named = captures.iter().any(|capture| capture.names_profile()).then_some(&profile);
    let path = place(output, named, facts, log);
    Some(match write_to(&profile, &path) {
        Ok(()) => MadeProfile { path: Some(path), refused: None },
        Err(error) => {
            let refused = Refused { path: path.clone(), reason: reason(&error) };
            // Beside the log there is room for it.
            let beside = log.with_extension(EXTENSION);
            let is_there = beside != path && write_to(&profile, &beside).is_ok();
            MadeProfile { path: is_there.then_some(beside), refused: Some(refused) }
        }
    })
}

fn write_to(profile: &Profile, path: &Path) -> Result<()> {
    let bytes =
        ioglass_profile::write(profile, Compression::Deflate).map_err(|_| Error::NoMemory)?;
    replace(path, |mut file| Ok::<_, Error>(file.write_all(&bytes)?))?;
    Ok(())
}

/// The file of a profile. `profile` is there if the program has named it.
fn place(
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
