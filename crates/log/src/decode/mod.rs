//! Decoding of logs in all formats and versions. Writing needs none of this.

pub(crate) mod block;
pub(crate) mod compat;
mod cursor;
pub(crate) mod header;
mod job;
mod record;

pub(crate) use cursor::Cursor;
