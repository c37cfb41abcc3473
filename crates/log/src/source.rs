//! The bytes of a log, in a file or in memory. Reads are positioned, so log regions can be read side by side.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A file or a buffer.
#[derive(Debug)]
pub(crate) enum Source {
    File { file: File, len: u64 },
    Bytes(Vec<u8>),
}

impl Source {
    pub(crate) fn file(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
        }
        if metadata.is_file() {
            return Ok(Self::File { len: metadata.len(), file });
        }
        // A pipe has no positions. Logs are small against what this could be asked to swallow.
        let mut bytes = Vec::new();
        let limit = PIPE_LIMIT;
        io::Read::read_to_end(&mut io::Read::take(file, limit + 1), &mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::other("more than 1 GiB from a pipe; give a file instead"));
        }
        Ok(Self::Bytes(bytes))
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::File { len, .. } => *len,
            Self::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Reads at `offset` until `buffer` is full or the source ends.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, .. } => {
                let mut filled = 0;
                while filled < buffer.len() {
                    match file.read_at(&mut buffer[filled..], offset + filled as u64) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(filled)
            }
            Self::Bytes(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let count = buffer.len().min(bytes.len() - start);
                buffer[..count].copy_from_slice(&bytes[start..start + count]);
                Ok(count)
            }
        }
    }
}

/// Largest log taken from something that is not a file.
const PIPE_LIMIT: u64 = 1 << 30;
