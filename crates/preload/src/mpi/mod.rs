//! MPI: which rank this is, and I/O through MPI.
//!
//! One library for every MPI: handles are words that are handed on, and what must be known of them is
//! in one table ([`abi`]). Every function is taken over under both its names, `MPI_X` and `PMPI_X`, each
//! in front of the next one of the same name, so that other tools above and below see what they would
//! see without us. Fortran calls one or the other, so it needs no names of its own. Of calls within
//! calls only the outermost counts.

mod abi;
mod ask;
mod channel;
mod datatype;
mod file;
mod finish;
mod holders;
mod spawn;
mod start;
mod transfer;

use core::ffi::c_int;

/// What a function returns that has succeeded.
const SUCCESS: c_int = 0;
/// What it returns if a count is none, in every MPI.
const ERR_COUNT: c_int = 2;

/// Takes functions over under both names.
macro_rules! interpose_mpi {
    ($(
        $(#[$attribute:meta])*
        fn $mpi:ident $pmpi:ident($($arg:ident: $type:ty),* $(,)?) =
            |$real:ident| $body:expr $(, or $missing:expr)?;
    )*) => {
        $crate::late::interpose_late! {$(
            $(#[$attribute])*
            fn $mpi($($arg: $type),*) -> c_int = |$real| $body $(, or $missing)?;
            fn $pmpi($($arg: $type),*) -> c_int = |$real| $body $(, or $missing)?;
        )*}
    };
}
use interpose_mpi;
