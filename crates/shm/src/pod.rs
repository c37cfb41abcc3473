//! Plain structures out of bytes.

/// A structure of integers only, so that any bytes are a value of it.
///
/// # Safety
/// The type is `repr(C)`, has no padding, and every bit pattern is valid.
#[allow(unsafe_code)]
pub unsafe trait Pod: Copy {
    /// The value at the start of `bytes`, if they are enough.
    fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..size_of::<Self>())?;
        // SAFETY: the length was checked, and any bytes are a value.
        Some(unsafe { bytes.as_ptr().cast::<Self>().read_unaligned() })
    }

    /// The value where it lies at the start of `bytes`, if they are enough and it is aligned there.
    fn view(bytes: &[u8]) -> Option<&Self> {
        let bytes = bytes.get(..size_of::<Self>())?;
        let value = bytes.as_ptr().cast::<Self>();
        // SAFETY: length and alignment were checked, and any bytes are a value.
        value.is_aligned().then(|| unsafe { &*value })
    }

    /// The bytes of the value.
    fn bytes(&self) -> &[u8] {
        // SAFETY: there is no padding, so all bytes are initialised.
        unsafe { core::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

/// Declares structures as [`Pod`] and asserts their sizes.
macro_rules! pod {
    ($($type:ty: $size:expr;)*) => {$(
        const _: () = assert!(size_of::<$type>() == $size && $size % 8 == 0);
        // SAFETY: integers and arrays of them only; the size leaves no room for padding.
        #[allow(unsafe_code)]
        unsafe impl $crate::pod::Pod for $type {}
    )*};
}
pub(crate) use pod;
