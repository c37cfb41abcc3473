//! Addresses of the functions behind PnetCDF's names.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{late_symbol, loaded};

/// Bits of an address; at most 47 are used. The bits above hold the number of unloads when it was
/// found, or 0 if the function is in an object that the program began with, which stays.
const ADDRESS_BITS: u32 = 48;

/// The next function of a name, cast to the type that its caller knows; `found` is for this name
/// alone.
///
/// # Safety
/// `F` is the type of a C function with this name.
#[inline]
pub(super) unsafe fn find<F: Copy>(found: &AtomicU64, name: &'static str) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let word = found.load(Relaxed);
    let after = word >> ADDRESS_BITS;
    let mut address = (word & ((1 << ADDRESS_BITS) - 1)) as usize;
    if address == 0 || after != 0 && after != now() {
        address = look_for(found, name);
    }
    // SAFETY: the caller vouches for the type.
    (address != 0).then(|| unsafe { core::mem::transmute_copy(&address) })
}

/// The current number of unloads: odd, so never 0.
fn now() -> u64 {
    u64::from(late_symbol::unloads() as u16)
}

#[cold]
fn look_for(found: &AtomicU64, name: &'static str) -> usize {
    let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { return 0 };
    let after = now();
    let (address, after) = match loaded::next_function(name) {
        Some(address) => (address as usize, 0),
        None => (loaded::late_function(name, 0).map_or(0, |address| address as usize), after),
    };
    if address as u64 >> ADDRESS_BITS == 0 {
        found.store(address as u64 | after << ADDRESS_BITS, Relaxed);
    }
    address
}
