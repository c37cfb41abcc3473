//! libioglass.so: the interposed functions.
//!
//! Each exported function finds the next one of its name ([`real`], [`late_symbol`]), calls it and
//! has `ioglass-recorder` book the call. All logic is there; this library only maps each name to
//! its meaning.

#![no_std]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("libioglass.so is for Linux on x86-64; there is none for this target yet");

extern crate alloc;

mod aio;
mod bytes;
mod exitlog;
mod hdf5;
mod inject;
mod late_symbol;
mod left;
mod libraries;
mod library;
mod loaded;
mod lookup;
mod metadata;
mod mpi;
mod openmp;
mod pnetcdf;
mod posix;
mod process;
mod profile;
mod real;
mod region;
mod stdio;
mod text;
mod thread_end;
mod uring;
mod variadic;

/// While the log is written, a panic means that there is no log. A panic anywhere else must not
/// happen, and ends the process.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exitlog::give_up();
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}
