//! The part of a capture that a profile needs, as a message to another rank.
//!
//! Entries keep their offsets, because they refer to each other by them. What is left out reads as
//! unused space.

use alloc::vec::Vec;

use ioglass_shm::{Entries, EntryHead, Header, Kind};

/// The largest capture that is read from a message.
const LARGEST: usize = 1 << 30;

/// Returns true for the entries that a profile does without.
fn is_left_out(kind: Kind) -> bool {
    use Kind::{Heat, Lustre, MoreValues, MoreWide, Mounts, None, Trace};
    matches!(kind, Heat | Lustre | MoreValues | MoreWide | Mounts | None | Trace)
}

/// The message of a capture. `None` if there is no memory.
pub fn pack(capture: &[u8]) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    put(&mut message, &(capture.len() as u64).to_le_bytes())?;
    let header = capture.get(..size_of::<Header>()).unwrap_or(capture);
    put_piece(&mut message, 0, header)?;
    for entry in Entries::of(capture) {
        let end = entry.offset + size_of::<EntryHead>() + entry.bytes.len();
        let end = if is_left_out(entry.kind) { entry.offset + size_of::<u32>() } else { end };
        put_piece(&mut message, entry.offset, capture.get(entry.offset..end)?)?;
    }
    Some(message)
}

/// The capture in a message. `None` if it is none, or there is no memory.
pub fn unpack(mut message: &[u8]) -> Option<Vec<u8>> {
    let size = take(&mut message).and_then(|size| usize::try_from(size).ok())?;
    let mut capture = Vec::new();
    capture.try_reserve_exact(Some(size).filter(|size| *size <= LARGEST)?).ok()?;
    capture.resize(size, 0);
    while !message.is_empty() {
        let offset = usize::try_from(take(&mut message)?).ok()?;
        let len = usize::try_from(take(&mut message)?).ok()?;
        let (piece, rest) = message.split_at_checked(len)?;
        capture.get_mut(offset..offset.checked_add(len)?)?.copy_from_slice(piece);
        message = rest;
    }
    Some(capture)
}

fn put_piece(message: &mut Vec<u8>, offset: usize, piece: &[u8]) -> Option<()> {
    put(message, &(offset as u64).to_le_bytes())?;
    put(message, &(piece.len() as u64).to_le_bytes())?;
    put(message, piece)
}

fn put(message: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    message.try_reserve(bytes.len()).ok()?;
    message.extend_from_slice(bytes);
    Some(())
}

fn take(message: &mut &[u8]) -> Option<u64> {
    let (number, rest) = message.split_first_chunk()?;
    *message = rest;
    Some(u64::from_le_bytes(*number))
}
