//! What an HDF5 file contains.

use std::ffi::CStr;
use std::path::Path;

use blake3::Hasher;
use serde::{Deserialize, Serialize};

use crate::library::{Elements, Handle, Kind, Library, Link};
use crate::text;

/// Bytes of a block that is read at once.
const BLOCK: u64 = 16 << 20;
/// Groups inside each other: links can go round in a circle.
const DEEPEST: usize = 32;
/// The most objects of a file.
const MOST: usize = 100_000;

/// What an HDF5 file contains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The digest of groups, links, types, extents and attributes.
    pub structure: String,
    /// The data of datasets.
    pub datasets: Vec<Dataset>,
}

/// The data of a dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its path in the file.
    pub path: String,
    /// The digest of its data.
    pub digest: String,
    /// Bytes of data that were read.
    pub bytes: u64,
}

/// A reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum Hdf5Error {
    /// The library cannot be used.
    #[error("{0}")]
    Library(String),
    /// The file cannot be read.
    #[error("{0} cannot be read through HDF5")]
    File(String),
}

/// An HDF5 library. It stays loaded.
#[derive(Debug)]
pub struct Reader(Library);

impl Reader {
    /// Loads the library of this name.
    ///
    /// # Errors
    /// If it cannot be loaded, or is too old.
    pub fn load(path: &Path) -> Result<Reader, Hdf5Error> {
        Library::load(path).map(Reader).map_err(Hdf5Error::Library)
    }

    /// What a file contains.
    ///
    /// # Errors
    /// If some of it cannot be read.
    pub fn of_file(&self, path: &Path) -> Result<Content, Hdf5Error> {
        let unreadable = || Hdf5Error::File(path.display().to_string());
        let file = self.0.file(path).map_err(|()| unreadable())?;
        let mut walk = Walk { structure: Hasher::new(), content: Content::default(), objects: 0 };
        let root = file.object(c"/").map_err(|()| unreadable())?;
        walk.object(&root, "", 0).map_err(|()| unreadable())?;
        Ok(Content { structure: text(&walk.structure), ..walk.content })
    }
}

struct Walk {
    structure: Hasher,
    content: Content,
    objects: usize,
}

impl Walk {
    /// Adds a word that cannot run into the next one.
    fn add(&mut self, bytes: &[u8]) {
        self.structure.update(&(bytes.len() as u64).to_le_bytes());
        self.structure.update(bytes);
    }

    fn object(&mut self, object: &Handle<'_>, path: &str, depth: usize) -> Result<(), ()> {
        self.objects += 1;
        if self.objects > MOST {
            return Err(());
        }
        self.attributes(object)?;
        match object.kind() {
            Kind::Group if depth > DEEPEST => self.add(b"deep"),
            Kind::Group => {
                let links = object.links()?;
                self.add(&(links.len() as u64).to_le_bytes());
                for name in links {
                    self.link(object, &name, path, depth)?;
                }
            }
            Kind::Dataset => self.dataset(object, path)?,
            Kind::Type => self.add(b"type"),
            Kind::Other => self.add(b"other"),
        }
        Ok(())
    }

    fn link(
        &mut self,
        group: &Handle<'_>,
        name: &CStr,
        path: &str,
        depth: usize,
    ) -> Result<(), ()> {
        self.add(name.to_bytes());
        match group.link_of(name)? {
            Link::Hard => {
                let path = format!("{path}/{}", name.to_string_lossy());
                self.object(&group.object(name)?, &path, depth + 1)
            }
            Link::Soft(value) => {
                self.add(&value);
                Ok(())
            }
        }
    }

    fn attributes(&mut self, object: &Handle<'_>) -> Result<(), ()> {
        for attribute in object.attributes()? {
            let (space, type_) = attribute.attribute_parts()?;
            self.add(&attribute.attribute_name()?);
            self.add(&type_.encoded()?);
            self.sides(&space)?;
            match type_.elements() {
                Elements::Plain => self.add(&attribute.attribute_bytes(&type_, &space)?),
                Elements::Texts => {
                    let mut add = |text: &[u8]| self.add(text);
                    attribute.attribute_texts(&type_, &space, &mut add)?;
                }
                Elements::Addresses => {}
            }
        }
        Ok(())
    }

    fn sides(&mut self, space: &Handle<'_>) -> Result<Vec<u64>, ()> {
        let sides = space.sides()?;
        let bytes: Vec<u8> = sides.iter().flat_map(|side| side.to_le_bytes()).collect();
        self.add(&bytes);
        self.add(&space.points().to_le_bytes());
        Ok(sides)
    }

    fn dataset(&mut self, dataset: &Handle<'_>, path: &str) -> Result<(), ()> {
        let (space, type_) = (dataset.space()?, dataset.type_()?);
        self.add(&type_.encoded()?);
        let sides = self.sides(&space)?;
        let mut hasher = Hasher::new();
        let mut bytes = 0;
        match type_.elements() {
            Elements::Plain => {
                let size = type_.size() as u64;
                let points = space.points();
                let mut room = Vec::new();
                for (start, count) in blocks(&sides, size).filter(|_| points > 0) {
                    let elements: u64 = count.iter().product();
                    room.resize(usize::try_from(elements * size).map_err(drop)?, 0);
                    dataset.read_block(&type_, &space, (&start, &count), &mut room)?;
                    hasher.update(&room);
                    bytes += room.len() as u64;
                }
            }
            Elements::Texts => dataset.dataset_texts(&type_, &space, &mut |text| {
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text);
                bytes += text.len() as u64;
            })?,
            Elements::Addresses => {}
        }
        let (path, digest) = (path.to_owned(), text(&hasher));
        self.content.datasets.push(Dataset { path, digest, bytes });
        Ok(())
    }
}

/// Blocks of an extent in the order of its elements, none larger than can be read at once if an element is
/// not: all of the last dimensions, a part of one, single places of the first.
fn blocks(sides: &[u64], size: u64) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> {
    let sides = sides.to_vec();
    let mut count = vec![1; sides.len()];
    let mut bytes = size.max(1);
    for place in (0..sides.len()).rev() {
        count[place] = sides[place].min((BLOCK / bytes).max(1));
        bytes = bytes.saturating_mul(count[place].max(1));
        if count[place] < sides[place] {
            break;
        }
    }
    let is_empty = sides.contains(&0);
    let mut next = (!is_empty).then(|| vec![0_u64; sides.len()]);
    std::iter::from_fn(move || {
        let start = next.take()?;
        let ends = sides.iter().zip(&start).map(|(side, start)| side - start);
        let block: Vec<u64> = ends.zip(&count).map(|(left, count)| left.min(*count)).collect();
        let mut after = start.clone();
        for place in (0..sides.len()).rev() {
            after[place] += count[place];
            if after[place] < sides[place] {
                next = Some(after);
                break;
            }
            after[place] = 0;
        }
        Some((start, block))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_an_extent_in_order() {
        for (sides, size) in [
            (vec![], 8),
            (vec![7], 8),
            (vec![3, 5_000_000], 8),
            (vec![3, 2, 9_000_000], 4),
            (vec![5, 1000, 1000], 4),
            (vec![2, 3], BLOCK * 2),
        ] {
            let mut next = 0;
            for (start, count) in blocks(&sides, size) {
                let mut place = 0;
                for (side, start) in sides.iter().zip(&start) {
                    place = place * side + start;
                }
                assert_eq!(place, next, "{sides:?}: {start:?} {count:?}");
                let points: u64 = count.iter().product();
                assert!(points == 1 || points * size <= BLOCK, "{count:?}");
                next += points;
            }
            assert_eq!(next, sides.iter().product::<u64>(), "{sides:?}");
        }
        assert_eq!(blocks(&[4, 0], 8).count(), 0);
    }

    #[test]
    fn what_is_no_library_is_said() {
        assert!(Reader::load(Path::new("/nowhere/libhdf5.so")).is_err());
        let other = Reader::load(Path::new("libm.so.6"));
        assert!(matches!(other, Err(Hdf5Error::Library(reason)) if reason.contains("1.10")));
    }
}
