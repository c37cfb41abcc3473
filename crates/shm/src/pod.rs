//! Plain structures out of bytes.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A structure of integers only, so that any bytes are a value of it.
pub trait Pod: FromBytes + Immutable + KnownLayout + Copy {
    /// The value at the start of `bytes`, if they are enough.
    fn read(bytes: &[u8]) -> Option<Self> {
        Self::read_from_prefix(bytes).ok().map(|(value, _)| value)
    }

    /// The value where it lies at the start of `bytes`, if they are enough and it is aligned there.
    fn view(bytes: &[u8]) -> Option<&Self> {
        Self::ref_from_prefix(bytes).ok().map(|(value, _)| value)
    }

    /// The bytes of the value.
    fn bytes(&self) -> &[u8]
    where
        Self: IntoBytes,
    {
        self.as_bytes()
    }
}

/// Declares structures as [`Pod`] and asserts their sizes.
macro_rules! pod {
    ($($type:ty: $size:expr;)*) => {$(
        const _: () = assert!(size_of::<$type>() == $size && $size % 8 == 0);
        impl $crate::pod::Pod for $type {}
    )*};
}
pub(crate) use pod;
