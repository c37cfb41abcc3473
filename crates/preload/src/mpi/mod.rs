//! MPI: the rank of this process, and I/O through MPI.
//!
//! One library serves every MPI: handles are words that are passed on, and one table ([`abi`]) has
//! the facts about them. Every function is interposed under both its names, `MPI_X` and `PMPI_X`,
//! each in front of the next one of the same name, so that other tools above and below see the same
//! calls as without us. Fortran calls one or the other, so it needs no names of its own. Of nested
//! calls only the outermost counts.

mod abi;
mod ask;
mod channel;
mod datatype;
mod file;
mod finish;
mod holders;
pub(crate) mod info;
pub(crate) mod late;
pub(crate) mod nodes;
mod spawn;
mod start;
mod transfer;

use core::ffi::c_int;

use abi::MpiThreads;
pub(crate) use ask::Library;

/// The result of a successful function.
const SUCCESS: c_int = 0;
/// The result for an invalid count, in every MPI.
const ERR_COUNT: c_int = 2;

/// Lets MPI make progress that other ranks wait for, if this thread may call MPI.
pub(crate) fn progress() -> impl Fn() {
    let library = Library::known()
        .filter(|library| library.threads().is_some_and(|threads| threads != MpiThreads::InTurn));
    move || {
        library.inspect(|library| channel::progress(*library));
    }
}

/// Interposes functions under both names.
macro_rules! interpose_mpi {
    ($(
        $(#[$attribute:meta])*
        fn $mpi:ident $pmpi:ident($($arg:ident: $type:ty),* $(,)?) =
            |$real:ident| $body:expr $(, or $missing:expr)?;
    )*) => {
        $crate::late_symbol::interpose_late! {$(
            $(#[$attribute])*
            fn $mpi($($arg: $type),*) -> c_int = |$real| $body $(, or $missing)?;
            fn $pmpi($($arg: $type),*) -> c_int = |$real| $body $(, or $missing)?;
        )*}
    };
}
use interpose_mpi;
