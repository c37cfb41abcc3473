//! Manifests: the files of which a profile consists.

use alloc::vec::Vec;

use super::bytes::{Damage, In, Out};
use super::encode::{Compression, File};
use super::index::SectionKind;
use super::skeleton;
use crate::model::{Head, Profile};
use crate::{NoMemory, push};

/// The files of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The job.
    pub head: Head,
    /// Its files.
    pub parts: Vec<Part>,
}

/// A file of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name, in the folder of the manifest.
    pub name: Vec<u8>,
    /// Its first rank.
    pub first_rank: u32,
    /// The number of its ranks.
    pub ranks: u32,
}

impl Manifest {
    /// Its bytes.
    pub fn write(&self) -> Result<Vec<u8>, NoMemory> {
        let mut file = File::new(Compression::None);
        let head = Head {
            name: crate::copy(&self.head.name)?,
            program: crate::copy(&self.head.program)?,
            ..self.head
        };
        let profile = Profile { head, ..Profile::default() };
        file.add(SectionKind::Head, 0, 0, skeleton::put_head(&profile)?)?;
        let mut out = Out::default();
        out.count(self.parts.len(), size_of::<Part>());
        for part in &self.parts {
            out.text(&part.name);
            out.number(part.first_rank.into());
            out.number(part.ranks.into());
        }
        file.add(SectionKind::Parts, 0, 0, out)?;
        file.finish(true)
    }

    /// Reads the list of files. A name with a slash is none: parts lie beside their manifest.
    pub(crate) fn take_parts(input: &mut In<'_>) -> Result<Vec<Part>, Damage> {
        let mut parts = Vec::new();
        for _ in 0..input.count(size_of::<Part>(), "files")? {
            let name = input.text()?;
            let (first_rank, ranks) = (input.small()?, input.small()?);
            if name.is_empty() || name.contains(&b'/') || name.contains(&0) || name == b".." {
                return Err(Damage::Unknown("file"));
            }
            push(&mut parts, Part { name, first_rank, ranks })?;
        }
        Ok(parts)
    }
}
