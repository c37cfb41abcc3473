//! The start of MPI, and its abort.

use core::ffi::c_int;

use ioglass_recorder::settings::WorldRank;
use ioglass_recorder::thread::{InMpi, LibraryStart};
use ioglass_recorder::{process, rank};
use ioglass_shm::Ending;

use super::ask::Library;
use super::{SUCCESS, interpose_mpi};
use crate::exitlog;

/// Makes a call that begins MPI, and queries the rank.
unsafe fn begin(near: usize, call: &dyn Fn() -> c_int) -> c_int {
    let Some(_outermost) = InMpi::enter() else { return call() };
    let starting = LibraryStart::enter();
    let result = call();
    drop(starting);
    if result == SUCCESS
        && let Some(world) = Library::with(near).world_rank()
    {
        rank::began(world);
        if rank::writes_with_others() {
            exitlog::prepare();
        }
    }
    result
}

/// Makes a call that begins a session. Without `MPI_Init` there is no communicator of all ranks, so
/// the rank comes from the launcher, and each process writes its own log when it exits.
unsafe fn begin_session(call: &dyn Fn() -> c_int) -> c_int {
    let Some(_outermost) = InMpi::enter() else { return call() };
    let starting = LibraryStart::enter();
    let result = call();
    drop(starting);
    if result == SUCCESS && rank::world_rank().is_none() {
        rank::began(process::settings().world.unwrap_or(WorldRank { rank: 0, ranks: 1 }));
    }
    result
}

interpose_mpi! {
    fn MPI_Session_init PMPI_Session_init(info: usize, errors: usize, session: usize) = |real|
        begin_session(&|| real(info, errors, session));
    fn MPI_Session_finalize PMPI_Session_finalize(session: usize) = |real| {
        rank::ends();
        real(session)
    };
    fn MPI_Init PMPI_Init(count: usize, words: usize) = |real|
        begin(real as usize, &|| real(count, words));
    fn MPI_Init_thread PMPI_Init_thread(
        count: usize, words: usize, required: c_int, provided: usize,
    ) = |real|
        begin(real as usize, &|| real(count, words, required, provided));
    // Some MPIs make the launcher kill this rank, too.
    fn MPI_Abort PMPI_Abort(communicator: usize, code: c_int) = |real| {
        process::ends(Ending::Abort, Some(code));
        real(communicator, code)
    };
}
