//! Tags: texts of regions.

use core::cell::Cell;

use ioglass_shm::{Kind, NoticeCode, RegionLoss, RegionTag};

use super::names::{self, Id};
use super::notice;
use super::room::{self, Use};
use super::tree::Node;

/// A tag of a region. It is never freed.
#[repr(C)]
pub(super) struct Tag {
    next: *mut Tag,
    key: Id,
    text: Cell<Id>,
    /// The process whose capture has the entry, plus 1.
    generation: Cell<u32>,
    entry: Cell<*mut RegionTag>,
}

/// Gives a region a tag.
pub(super) fn set(node: &Node, key: &[u8], text: &[u8]) {
    if key.is_empty() {
        notice::add(NoticeCode::Unnamed, 0, node);
    }
    let key = if key.is_empty() { names::UNNAMED } else { key };
    let (key, text) = (names::intern(key), names::intern(text));
    if names::get(key).is_none() || names::get(text).is_none() {
        return room::lose(RegionLoss::Tags, 1);
    }
    // SAFETY: tags are never unmapped.
    let mut tags = core::iter::successors(unsafe { node.tags.get().as_ref() }, |tag| unsafe {
        tag.next.as_ref()
    });
    let Some(tag) = tags.find(|tag| tag.key == key).or_else(|| make(node, key)) else {
        return room::lose(RegionLoss::Tags, 1);
    };
    let generation = super::generation() + 1;
    if tag.generation.get() != generation {
        let (of, key) = (u64::from(node.number), names::offset(key));
        let taken = room::take_cell(Kind::RegionTag, Use::Common, |tag: &mut RegionTag| {
            *tag = RegionTag { region: of, key, text: 0 };
        });
        let Some((entry, _)) = taken else { return room::lose(RegionLoss::Tags, 1) };
        tag.entry.set(entry);
        tag.generation.set(generation);
        tag.text.set(0);
    }
    if tag.text.get() == text {
        return;
    }
    if tag.text.get() != 0 {
        notice::add(NoticeCode::TagChanged, key, node);
    }
    tag.text.set(text);
    // SAFETY: an entry of this capture that only this thread changes.
    unsafe { (*tag.entry.get()).text = names::offset(text) };
}

fn make(node: &Node, key: Id) -> Option<&'static Tag> {
    let new = room::take::<Tag>(Use::Common)?;
    // SAFETY: new memory, and all zero is a valid value.
    unsafe {
        (*new).next = node.tags.get();
        (*new).key = key;
        node.tags.set(new);
        Some(&*new)
    }
}
