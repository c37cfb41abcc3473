//! Byte order, and text that ends at a NUL.

/// Byte order of the machine that wrote a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Least significant byte first: x86-64, and everything this crate writes.
    Little,
    /// Most significant byte first.
    Big,
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
