//! Checksums that are made right again, so that tests reach what lies behind them.

use alloc::vec::Vec;

use super::crc::crc;
use super::index::{ENTRY, HEADER};

/// The same bytes with right checksums, if they begin as a profile does.
pub fn repaired(mut bytes: Vec<u8>) -> Vec<u8> {
    let Some(count) =
        bytes.get(24..28).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes)
    else {
        return bytes;
    };
    let Some(end) = (count as usize).checked_mul(ENTRY).and_then(|size| size.checked_add(HEADER))
    else {
        return bytes;
    };
    if end > bytes.len() {
        return bytes;
    }
    for at in (HEADER..end).step_by(ENTRY) {
        let long = |from: usize| {
            let bytes = bytes[at + from..at + from + 8].try_into().map_or(0, u64::from_le_bytes);
            usize::try_from(bytes).unwrap_or(usize::MAX)
        };
        let (offset, len) = (long(16), long(24));
        let body = offset.checked_add(len).and_then(|end| bytes.get(offset..end));
        if let Some(sum) = body.map(crc) {
            bytes[at + 12..at + 16].copy_from_slice(&sum.to_le_bytes());
        }
    }
    bytes[HEADER - 4..HEADER].fill(0);
    let sum = crc(&bytes[..end]);
    bytes[HEADER - 4..HEADER].copy_from_slice(&sum.to_le_bytes());
    bytes
}
