//! The compression of a log region.

use alloc::vec::Vec;

use crate::codec::Compression;
use crate::zlib::Zlib;

/// A way to compress log regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Zlib,
    /// Streams of zlib that hold their bytes as they are.
    Stored,
    #[cfg(feature = "std")]
    Bzip2,
    Plain,
}

impl Method {
    /// `None` if this build cannot write it.
    pub(crate) fn of(compression: Compression) -> Option<Self> {
        match compression {
            Compression::Zlib => Some(Self::Zlib),
            #[cfg(feature = "std")]
            Compression::Bzip2 => Some(Self::Bzip2),
            #[cfg(not(feature = "std"))]
            Compression::Bzip2 => None,
            Compression::None => Some(Self::Plain),
        }
    }
}

/// One log region on its way to the log.
pub(crate) enum Encoder {
    Zlib(Zlib),
    #[cfg(feature = "std")]
    Bzip2(bzip2::Compress),
    Plain,
}

impl core::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl Encoder {
    pub(crate) fn new(method: Method, out: &mut Vec<u8>) -> Self {
        match method {
            Method::Zlib => Self::Zlib(Zlib::compressed(out)),
            Method::Stored => Self::Zlib(Zlib::stored(out)),
            #[cfg(feature = "std")]
            Method::Bzip2 => Self::Bzip2(bzip2::Compress::new(bzip2::Compression::best(), 0)),
            Method::Plain => Self::Plain,
        }
    }

    /// Appends bytes; what is ready goes to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Zlib(zlib) => zlib.push(bytes, out),
            #[cfg(feature = "std")]
            Self::Bzip2(compressor) => bzip2_all(compressor, bytes, bzip2::Action::Run, out),
            Self::Plain => out.extend_from_slice(bytes),
        }
    }

    /// Ends the log region.
    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        match self {
            Self::Zlib(zlib) => zlib.finish(out),
            #[cfg(feature = "std")]
            Self::Bzip2(mut compressor) => {
                bzip2_all(&mut compressor, &[], bzip2::Action::Finish, out);
            }
            Self::Plain => {}
        }
    }
}

#[cfg(feature = "std")]
fn bzip2_all(
    compressor: &mut bzip2::Compress,
    mut bytes: &[u8],
    action: bzip2::Action,
    out: &mut Vec<u8>,
) {
    const ROOM: usize = 16 << 10;
    let ends = action == bzip2::Action::Finish;
    while ends || !bytes.is_empty() {
        out.reserve(ROOM);
        let before = compressor.total_in();
        // Fails only when called out of sequence, which does not happen here.
        let status = compressor.compress_vec(bytes, out, action);
        bytes = &bytes[(compressor.total_in() - before) as usize..];
        if !matches!(status, Ok(bzip2::Status::RunOk | bzip2::Status::FinishOk)) {
            return;
        }
    }
}
