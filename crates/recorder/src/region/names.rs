//! Names: each text is kept once in a process, and known by a number.

use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use ioglass_shm::{Kind, RegionLoss, RegionText};

use super::room::{self, Use};
use crate::index::Index;
use crate::path::quick_hash;
use crate::spin::Spin;

/// Longest name; what is beyond is cut.
pub(super) const LONGEST: usize = 1023;
/// Names in a piece of the table.
const PIECE: usize = 256;
/// Pieces of the table.
const PIECES: usize = 4096;
/// Separates hashes of names from others.
const SEED: u64 = 0x5265_6769_6F6E_7321;
/// Texts with the same hash that are told apart.
const SAME_HASH: u64 = 4;
/// Set in numbers of names that found no room: the rest is a part of their hash.
const UNKEPT: u32 = 1 << 31;

/// A text.
#[repr(C)]
pub(super) struct Name {
    bytes: AtomicPtr<u8>,
    size: AtomicU32,
    id: AtomicU32,
    /// The process whose capture has it at `offset`, plus 1.
    generation: AtomicU32,
    offset: AtomicU64,
}

#[repr(C)]
struct Piece([Name; PIECE]);

static TABLE: [AtomicPtr<Piece>; PIECES] = [const { AtomicPtr::new(ptr::null_mut()) }; PIECES];
static COUNT: AtomicU32 = AtomicU32::new(1);
static INDEX: Index<Name> = Index::new();
/// Held while a name is added or put into another capture.
static LOCK: Spin = Spin::new();

/// The number of a name. No name has the number 0.
pub(super) type Id = u32;

/// A region without a name.
pub(super) const UNNAMED: &[u8] = b"(unnamed)";
/// The region that takes all that found no room.
pub(super) const MORE: &[u8] = b"(more)";

impl Name {
    /// Its bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &'static [u8] {
        // SAFETY: set before the name is published; captures stay mapped, in children too.
        unsafe { slice::from_raw_parts(self.bytes.load(Relaxed), self.size.load(Relaxed) as usize) }
    }

    /// Its offset in the capture; it is put there if the capture is a new one. 0 if there is no room.
    pub(super) fn offset(&self) -> u64 {
        let generation = super::generation() + 1;
        if self.generation.load(Acquire) == generation {
            return self.offset.load(Relaxed);
        }
        LOCK.lock();
        if self.generation.load(Relaxed) != generation
            && let Some((bytes, offset)) = put(Kind::RegionText, self.bytes(), Use::Last)
        {
            self.bytes.store(bytes, Relaxed);
            self.offset.store(offset, Relaxed);
            self.generation.store(generation, Release);
        }
        LOCK.unlock();
        if self.generation.load(Relaxed) == generation { self.offset.load(Relaxed) } else { 0 }
    }
}

/// Puts a text into the capture. Returns its bytes there and its offset.
pub(super) fn put(kind: Kind, text: &[u8], purpose: Use) -> Option<(*mut u8, u64)> {
    let taken = room::take_entry(size_of::<RegionText>() + text.len(), purpose)?;
    let head = taken.payload().cast::<RegionText>();
    // SAFETY: the entry has room for both, and nobody else knows it.
    let bytes = unsafe {
        (*head).size = text.len() as u64;
        let bytes = head.add(1).cast::<u8>();
        ptr::copy_nonoverlapping(text.as_ptr(), bytes, text.len());
        bytes
    };
    taken.complete(kind);
    Some((bytes, taken.offset))
}

/// The name with this number.
#[inline]
pub(super) fn get(id: Id) -> Option<&'static Name> {
    if id & UNKEPT != 0 || id == 0 {
        return None;
    }
    let piece = TABLE.get(id as usize / PIECE)?.load(Acquire);
    // SAFETY: pieces are never unmapped.
    unsafe { piece.as_ref() }.map(|piece| &piece.0[id as usize % PIECE])
}

/// Offset of a name in the capture; 0 if it has none.
pub(super) fn offset(id: Id) -> u64 {
    get(id).map_or(0, Name::offset)
}

/// The part of a text that is kept; the loss is counted.
pub(super) fn cut(text: &[u8]) -> &[u8] {
    if text.len() > LONGEST {
        room::lose(RegionLoss::Names, 1);
    }
    begin_of(text)
}

/// The part of a text that is kept.
fn begin_of(text: &[u8]) -> &[u8] {
    if text.len() <= LONGEST {
        return text;
    }
    let is_inside = |at: usize| text[at] & 0xC0 == 0x80;
    let end = (LONGEST - 3..=LONGEST).rev().find(|at| !is_inside(*at)).unwrap_or(LONGEST);
    &text[..end]
}

/// The number of a text, which is kept if it is new.
pub(super) fn intern(text: &[u8]) -> Id {
    intern_for(text, Use::Common)
}

/// As [`intern`], for a purpose.
pub(super) fn intern_for(text: &[u8], purpose: Use) -> Id {
    let is_cut = text.len() > LONGEST;
    let text = begin_of(text);
    let hash = quick_hash(text, SEED);
    if let Some(id) = find(text, hash) {
        return id;
    }
    LOCK.lock();
    // Another thread may have been faster.
    let known = find(text, hash);
    let id = known.or_else(|| add(text, hash, purpose));
    LOCK.unlock();
    if is_cut && known.is_none() {
        room::lose(RegionLoss::Names, 1);
    }
    id.unwrap_or(UNKEPT | hash as u32)
}

#[inline]
fn find(text: &[u8], hash: u64) -> Option<Id> {
    for key in hash..hash.saturating_add(SAME_HASH) {
        // SAFETY: names are never unmapped.
        let name = unsafe { INDEX.find(key)?.as_ref()? };
        if name.bytes() == text {
            return Some(name.id.load(Relaxed));
        }
    }
    None
}

/// Adds a name, under the lock.
#[cold]
fn add(text: &[u8], hash: u64, purpose: Use) -> Option<Id> {
    let key = (hash..hash.saturating_add(SAME_HASH)).find(|key| INDEX.find(*key).is_none())?;
    let id = COUNT.load(Relaxed);
    let place = TABLE.get(id as usize / PIECE)?;
    if place.load(Relaxed).is_null() {
        place.store(room::take::<Piece>(purpose)?, Release);
    }
    let (bytes, offset) = put(Kind::RegionText, text, purpose)?;
    // SAFETY: pieces are never unmapped, and this name has no user yet.
    let name = unsafe { &(*place.load(Relaxed)).0[id as usize % PIECE] };
    name.bytes.store(bytes, Relaxed);
    name.size.store(text.len() as u32, Relaxed);
    name.id.store(id, Relaxed);
    name.offset.store(offset, Relaxed);
    name.generation.store(super::generation() + 1, Release);
    COUNT.store(id + 1, Relaxed);
    INDEX.insert(key, ptr::from_ref(name).cast_mut());
    Some(id)
}

/// In a child, where no other thread holds the lock.
pub(super) fn after_fork() {
    LOCK.unlock();
}
