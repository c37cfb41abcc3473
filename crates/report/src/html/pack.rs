//! Numbers for the page's script: columns of variable-length integers, deflated, as base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

/// Columns while they are collected.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    bytes: Vec<u8>,
    /// Numbers and bytes of each column.
    columns: Vec<[usize; 2]>,
}

impl Pack {
    /// Adds a column and returns its number.
    pub(crate) fn column(&mut self, values: impl IntoIterator<Item = u64>) -> usize {
        let (before, mut count) = (self.bytes.len(), 0);
        for value in values {
            count += 1;
            self.write(value);
        }
        self.columns.push([count, self.bytes.len() - before]);
        self.columns.len() - 1
    }

    /// Adds a column as differences between numbers, and returns its number.
    pub(crate) fn steps(&mut self, values: impl IntoIterator<Item = u64>) -> usize {
        let mut last = 0;
        let steps = values.into_iter().map(|value| {
            let step = value.wrapping_sub(last).cast_signed();
            last = value;
            zigzag(step)
        });
        self.column(steps)
    }

    /// Writes seven bits per byte, the lowest first; the highest bit means that more follow.
    fn write(&mut self, mut value: u64) {
        while value > 127 {
            self.bytes.push(value as u8 | 128);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Returns the sizes of all columns.
    pub(crate) fn index(&self) -> Value {
        json!(self.columns)
    }

    /// Returns all columns as text.
    pub(crate) fn text(&self) -> String {
        let mut deflated = ZlibEncoder::new(Vec::new(), Compression::new(6));
        // Writing to memory does not fail.
        let _ = deflated.write_all(&self.bytes);
        base64(&deflated.finish().unwrap_or_default())
    }
}

/// Returns a number with its sign in the lowest bit, so that small ones stay small.
pub(crate) fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63).cast_unsigned()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xFB, 0xFF, 0xFE]), "+//+");
    }

    #[test]
    fn columns_tell_how_long_they_are() {
        let mut pack = Pack::default();
        assert_eq!(pack.column([0, 127, 128, u64::MAX]), 0);
        assert_eq!(pack.steps([5, 3, 3]), 1);
        assert_eq!(pack.index(), json!([[4, 14], [3, 3]]));
        assert_eq!(pack.bytes[..4], [0, 127, 128, 1]);
        assert_eq!(pack.bytes[14..], [10, 3, 0]);
        assert_eq!([0, -1, 1, i64::MIN].map(zigzag), [0, 1, 2, u64::MAX]);
    }
}
