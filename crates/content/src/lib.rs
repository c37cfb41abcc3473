//! What files contain, as digests: two runs of a program gave the same result if these are equal.
//!
//! [`of_bytes`] is a digest of the bytes of a file. The bytes of an HDF5 file differ between runs even if
//! what it contains does not: [`hdf5`] reads it through an HDF5 library that is loaded for it. Names, types,
//! extents, attributes and data count; layout, chunks and alignment do not.
//!
//! A library of others may crash: a program calls [`hdf5::of_file`] in a process of its own.
//!
//! Invariants: files are untrusted. All `unsafe` is in `library.rs`. The crate prints nothing.

pub mod hdf5;
mod library;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use blake3::Hasher;

/// What the first bytes of an HDF5 file are.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The digest of the bytes of a file, and their number.
///
/// # Errors
/// If the file cannot be read.
pub fn of_bytes(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut piece, mut bytes) = (Hasher::new(), vec![0; PIECE], 0);
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => return Ok((text(&hasher), bytes)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&piece[..count]);
        bytes += count as u64;
    }
}

/// The file begins as those of HDF5 do: at once, or behind a block of the user's.
pub fn is_hdf5(path: &Path) -> bool {
    use std::os::unix::fs::FileExt;
    let Ok(file) = File::open(path) else { return false };
    [0, 512, 1024, 2048, 4096].into_iter().any(|place| {
        let mut begin = [0; 8];
        file.read_exact_at(&mut begin, place).is_ok() && begin == SIGNATURE
    })
}

/// A digest as journals have it.
fn text(hasher: &Hasher) -> String {
    format!("b3:{}", hasher.finalize().to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_digest_that_b3sum_gives() {
        let path = std::env::temp_dir().join(format!("ioglass-content-{}", std::process::id()));
        std::fs::write(&path, "hello").unwrap();
        let (digest, bytes) = of_bytes(&path).unwrap();
        assert_eq!(bytes, 5);
        let expected = "b3:ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f";
        assert_eq!(digest, expected);
        assert!(!is_hdf5(&path));
        std::fs::write(&path, [&[0; 512][..], &SIGNATURE].concat()).unwrap();
        assert!(is_hdf5(&path));
        std::fs::remove_file(&path).unwrap();
        assert!(of_bytes(&path).is_err() && !is_hdf5(&path));
    }
}
