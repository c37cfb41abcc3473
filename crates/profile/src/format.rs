//! The format of `.ioprof` files: `docs/formats.md` describes its bytes.

pub(crate) mod bytes;
pub(crate) mod column;
mod crc;
pub(crate) mod decode;
mod encode;
mod index;
mod manifest;
mod repair;
pub(crate) mod room;
mod rows;
mod series;
mod skeleton;
mod summary;
#[cfg(test)]
mod tests;

pub use bytes::Damage;
pub use encode::{Compression, write, write_with_totals};
pub(crate) use index::{Index, Section, SectionKind};
pub use manifest::{Manifest, Part};
pub use repair::repaired;

/// First bytes of a file.
pub const MAGIC: [u8; 8] = *b"\x89IOPROF\n";
/// Version of the format.
pub const VERSION: u32 = 1;
