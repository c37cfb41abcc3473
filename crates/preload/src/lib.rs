//! libioglass.so: the names taken over.
//!
//! Each exported function finds the next one of its name ([`real`], [`late`]), calls it and has the call
//! booked by `ioglass-recorder`. All logic is there; here is only what each name means.

#![no_std]

extern crate alloc;

mod aio;
mod bytes;
mod exitlog;
mod hdf5;
mod late;
mod library;
mod loaded;
mod lookup;
mod mpi;
mod pnetcdf;
mod posix;
mod process;
mod real;
mod stdio;
mod text;
mod uring;
mod variadic;

/// While the log is written, giving up means that there is none. Anywhere else there is nothing
/// sensible to do, and it must not get here.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exitlog::give_up();
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}
