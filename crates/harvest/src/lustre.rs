//! Layouts of files on Lustre: the file system's attribute becomes components and targets.
//!
//! The layout of the attribute is the one Lustre gives to programs, little-endian: a plain one has a
//! head, perhaps the name of a pool, and its objects; a composite one has a head and a table of
//! components, each of which leads to a plain one.

use alloc::vec::Vec;

use ioglass_log::{Lustre, LustreComponent, ModuleWriter, Sink};
use ioglass_schema::Base;
use ioglass_schema::lustre::POOL_SIZE;
use ioglass_shm::{Kind, LayoutHead, Pod};

use crate::capture::Capture;
use crate::rank::Rank;
use crate::write::Error;
use crate::{NoMemory, push};

/// First bytes of the attribute.
const PLAIN: u32 = 0x0BD1_0BD0;
const WITH_POOL: u32 = 0x0BD3_0BD0;
const COMPOSITE: u32 = 0x0BD6_0BD0;

/// Bytes of a plain head, of the head of a composite and of an entry in its table, and of an object.
const HEAD: usize = 32;
const COMPOSITE_HEAD: usize = 32;
const ENTRY: usize = 48;
const OBJECT: usize = 24;

/// The component is in use.
const INITIALISED: u32 = 0x10;
/// Bits of a component's id that tell the mirror.
const MIRROR: u32 = 0x7FFF;

/// Patterns as the attribute has them, and as logs do.
const STRIPED: u32 = 0x001;
const ON_METADATA_TARGET: u32 = 0x100;
const OVERSTRIPED: u32 = 0x200;
const FOREIGN: u32 = 0x400;
/// Bits that say something else.
const PATTERN: u32 = 0xFFFF;

/// Components of a file, and their targets one after the other.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) components: Vec<LustreComponent>,
    pub(crate) osts: Vec<i64>,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|half| u16::from_le_bytes(*half))
}

fn long(bytes: &[u8], at: usize) -> Option<i64> {
    bytes.get(at..)?.first_chunk().map(|long| i64::from_le_bytes(*long))
}

/// The layout that an attribute describes; empty if it describes none.
pub(crate) fn layout(attribute: &[u8]) -> Result<Layout, NoMemory> {
    let mut layout = Layout::default();
    if word(attribute, 0) == Some(COMPOSITE) {
        let count = half(attribute, 14).unwrap_or(0);
        let entries = attribute.get(COMPOSITE_HEAD..).unwrap_or_default();
        for entry in entries.chunks_exact(ENTRY).take(count.into()) {
            if let Some((component, part)) = component(attribute, entry) {
                layout.add(component, part, attribute.len() / OBJECT)?;
            }
        }
    } else {
        let whole = LustreComponent { end: -1, ..LustreComponent::default() };
        layout.add(whole, attribute, attribute.len() / OBJECT)?;
    }
    Ok(layout)
}

/// A component of a composite that is in use, and the bytes it leads to.
fn component<'a>(attribute: &'a [u8], entry: &[u8]) -> Option<(LustreComponent, &'a [u8])> {
    let flags = word(entry, 4).filter(|flags| flags & INITIALISED != 0)?;
    let (offset, size) = (word(entry, 24)? as usize, word(entry, 28)? as usize);
    let component = LustreComponent {
        flags: flags.into(),
        start: long(entry, 8)?,
        end: long(entry, 16)?,
        mirror: (word(entry, 0)? >> 16 & MIRROR).into(),
        ..LustreComponent::default()
    };
    Some((component, attribute.get(offset..offset.checked_add(size)?)?))
}

impl Layout {
    /// Adds a component with what its plain part says. There are at most `most` targets in all, whatever
    /// components share.
    fn add(
        &mut self,
        component: LustreComponent,
        part: &[u8],
        most: usize,
    ) -> Result<(), NoMemory> {
        let Some(plain) = Plain::read(part) else { return Ok(()) };
        let objects = plain.objects.chunks_exact(OBJECT).take(plain.count);
        let before = self.osts.len();
        for object in objects.take(most.saturating_sub(before)) {
            push(&mut self.osts, word(object, 20).map_or(-1, i64::from))?;
        }
        let component = LustreComponent {
            stripe_size: plain.stripe_size,
            stripe_count: (self.osts.len() - before) as i64,
            pattern: plain.pattern,
            pool: plain.pool,
            ..component
        };
        push(&mut self.components, component)
    }
}

/// A plain layout.
struct Plain<'a> {
    pattern: i64,
    stripe_size: i64,
    count: usize,
    pool: [u8; POOL_SIZE],
    objects: &'a [u8],
}

impl<'a> Plain<'a> {
    fn read(part: &'a [u8]) -> Option<Self> {
        let (pool, objects) = match word(part, 0)? {
            PLAIN => ([0; POOL_SIZE], part.get(HEAD..)?),
            WITH_POOL => part.get(HEAD..)?.split_first_chunk().map(|(pool, rest)| (*pool, rest))?,
            _ => return None,
        };
        let pattern = word(part, 4)? & PATTERN;
        let has_objects = pattern & (ON_METADATA_TARGET | FOREIGN) == 0;
        Some(Self {
            pattern: match pattern {
                STRIPED => 0,
                _ if pattern & ON_METADATA_TARGET != 0 => 2,
                _ if pattern & OVERSTRIPED != 0 => 4,
                _ if pattern & FOREIGN != 0 => 8,
                other => other.into(),
            },
            stripe_size: word(part, 24)?.into(),
            count: if has_objects { half(part, 28)?.into() } else { 0 },
            pool,
            objects,
        })
    }
}

/// Layouts of all files: id, rank, place of the capture and of the entry.
type FoundLayout = (u64, i64, usize, usize);

/// Finds the last layout of each file that each rank has seen.
pub(crate) fn find(captures: &[Capture<'_>], ranks: &[Rank]) -> Result<Vec<FoundLayout>, NoMemory> {
    let mut found = Vec::new();
    for rank in ranks {
        for member in &rank.members {
            let Some(capture) = captures.get(*member) else { continue };
            for entry in capture.of(Kind::Lustre) {
                if let Some((id, _)) = attribute(entry.bytes) {
                    push(&mut found, (id, rank.number, *member, entry.offset))?;
                }
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The record id and the attribute of an entry.
pub(crate) fn attribute(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let head = LayoutHead::read(bytes)?;
    let rest = bytes.get(size_of::<LayoutHead>()..)?;
    let length = usize::try_from(head.length).ok().filter(|length| *length > 0)?;
    Some((head.id, rest.get(..length)?))
}

/// Writes a record for each file. How it lies is the same for all ranks, so one of them speaks for all:
/// if others are elsewhere, of the files they share the first of them.
pub(crate) fn write<S: Sink>(
    captures: &[Capture<'_>],
    found: &[FoundLayout],
    elsewhere: Option<(&[u64], bool)>,
    out: &mut ModuleWriter<'_, S>,
) -> Result<(), Error<S::Error>> {
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
        let (shared, is_first) = elsewhere.unwrap_or((&[], true));
        let is_shared = shared.binary_search(&first.0).is_ok();
        if is_shared && !is_first {
            continue;
        }
        let rank = if first.1 == last.1 && !is_shared { first.1 } else { -1 };
        let (id, _, member, offset) = *last;
        let bytes = captures.get(member).and_then(|capture| capture.entry(offset, Kind::Lustre));
        let Some((_, attribute)) = bytes.and_then(attribute) else { continue };
        let Layout { components, osts } = layout(attribute)?;
        if !components.is_empty() {
            out.record(&Lustre { base: Base { id, rank }, components, osts })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn plain(pattern: u32, stripe_size: u32, pool: Option<&str>, osts: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(if pool.is_some() { WITH_POOL } else { PLAIN }.to_le_bytes());
        bytes.extend(pattern.to_le_bytes());
        bytes.extend([7; 16]);
        bytes.extend(stripe_size.to_le_bytes());
        bytes.extend((osts.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
        if let Some(pool) = pool {
            let mut name = pool.as_bytes().to_vec();
            name.resize(POOL_SIZE, 0);
            bytes.extend(name);
        }
        for ost in osts {
            bytes.extend([9; 20]);
            bytes.extend(ost.to_le_bytes());
        }
        bytes
    }

    /// Components: id, flags, begin and end, and what they lead to.
    fn composite(parts: &[(u32, u32, i64, i64, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = COMPOSITE.to_le_bytes().to_vec();
        bytes.extend([0; 10]);
        bytes.extend((parts.len() as u16).to_le_bytes());
        bytes.resize(COMPOSITE_HEAD, 0);
        let mut offset = COMPOSITE_HEAD + ENTRY * parts.len();
        for (id, flags, start, end, part) in parts {
            let entry = bytes.len();
            bytes.extend(id.to_le_bytes());
            bytes.extend(flags.to_le_bytes());
            bytes.extend(start.to_le_bytes());
            bytes.extend(end.to_le_bytes());
            bytes.extend((offset as u32).to_le_bytes());
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.resize(entry + ENTRY, 0);
            offset += part.len();
        }
        parts.iter().for_each(|part| bytes.extend(&part.4));
        bytes
    }

    fn pool(name: &[u8]) -> [u8; POOL_SIZE] {
        let mut pool = [0; POOL_SIZE];
        pool[..name.len()].copy_from_slice(name);
        pool
    }

    #[test]
    fn plain_layouts() {
        let found = layout(&plain(STRIPED, 1 << 20, None, &[3, 1, 4])).unwrap();
        let whole = LustreComponent {
            stripe_size: 1 << 20,
            stripe_count: 3,
            end: -1,
            ..LustreComponent::default()
        };
        assert_eq!(found, Layout { components: vec![whole], osts: vec![3, 1, 4] });
        let found = layout(&plain(STRIPED | OVERSTRIPED, 4096, Some("flash"), &[5, 5])).unwrap();
        assert_eq!(found.components[0].pool, pool(b"flash"));
        assert_eq!((found.components[0].pattern, found.osts), (4, vec![5, 5]));
    }

    #[test]
    fn composites_have_the_components_in_use() {
        let attribute = composite(&[
            (0x1_0001, INITIALISED, 0, 1 << 16, plain(ON_METADATA_TARGET, 1 << 16, None, &[])),
            (0x1_0002, INITIALISED | 2, 1 << 16, 1 << 30, plain(STRIPED, 1 << 20, None, &[8])),
            (0x2_0003, INITIALISED, 1 << 30, -1, plain(STRIPED, 4 << 20, Some("disk"), &[2, 6])),
            (0x2_0004, 0, 1 << 40, -1, plain(STRIPED, 4 << 20, None, &[])),
        ]);
        let found = layout(&attribute).unwrap();
        let summary = found.components.iter().map(LustreComponent::counters);
        assert_eq!(
            summary.collect::<Vec<_>>(),
            [
                [1 << 16, 0, 2, 0x10, 0, 1 << 16, 1],
                [1 << 20, 1, 0, 0x12, 1 << 16, 1 << 30, 1],
                [4 << 20, 2, 0, 0x10, 1 << 30, -1, 2],
            ]
        );
        assert_eq!(found.osts, [8, 2, 6]);
        assert_eq!(found.components[2].pool, pool(b"disk"));
    }

    #[test]
    fn what_is_cut_or_wrong_is_bounded() {
        let attribute = composite(&[
            (1, INITIALISED, 0, 1 << 20, plain(STRIPED, 1 << 20, None, &[1])),
            (2, INITIALISED, 1 << 20, -1, plain(STRIPED, 1 << 20, Some("p"), &[2, 3, 4])),
        ]);
        for end in 0..attribute.len() {
            let found = layout(&attribute[..end]).unwrap();
            let counted: i64 = found.components.iter().map(|part| part.stripe_count).sum();
            assert_eq!(counted, found.osts.len() as i64);
            assert!(found.components.len() < 2, "{end}");
        }
        // A thousand components that all lead to the same thousand objects.
        let shared = plain(STRIPED, 1, None, &[7; 1000]);
        let mut parts = vec![(1, INITIALISED, 0, -1, Vec::new()); 1000];
        parts.push((1, INITIALISED, 0, -1, shared.clone()));
        let mut attribute = composite(&parts);
        let place = COMPOSITE_HEAD + ENTRY * parts.len();
        for entry in 0..1000 {
            let at = COMPOSITE_HEAD + ENTRY * entry + 24;
            attribute[at..at + 4].copy_from_slice(&(place as u32).to_le_bytes());
            attribute[at + 4..at + 8].copy_from_slice(&(shared.len() as u32).to_le_bytes());
        }
        let found = layout(&attribute).unwrap();
        assert!(found.osts.len() <= attribute.len() / OBJECT);
        assert_eq!(layout(&[0xFF; 4096]).unwrap(), Layout::default());
        assert_eq!(layout(&[]).unwrap(), Layout::default());
    }
}
