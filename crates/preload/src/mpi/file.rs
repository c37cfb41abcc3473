//! Opening files, and operations on them that move no bytes.

use core::ffi::{CStr, c_char, c_int};

use ioglass_recorder::mpiio::{self, Opening};
use ioglass_recorder::process;
use ioglass_recorder::span::Span;
use ioglass_recorder::thread::InMpi;

use super::ask::Library;
use super::{SUCCESS, interpose_mpi};
use crate::inject::{self, FileCall};

interpose_mpi! {
    #[unsafe(link_section = ".text.hot")]
    fn MPI_File_open PMPI_File_open(
        communicator: usize, path: *const c_char, mode: c_int, info: usize, file: *mut usize,
    ) = |real| {
        let Some(_outermost) = InMpi::enter() else {
            return real(communicator, path, mode, info, file);
        };
        let given = FileCall { communicator, path, mode, info, file };
        let library = || Library::with(real as usize);
        let call = || inject::open_mpi_file(library, given, |info| {
            real(communicator, path, mode, info, file)
        });
        let (result, span) = Span::of(call);
        if result == SUCCESS && !path.is_null() && !file.is_null() {
            let library = Library::with(real as usize);
            inject::note_mpi(library);
            let abi = library.abi();
            let opening = Opening {
                path: CStr::from_ptr(path),
                mode: abi.mode(mode),
                is_alone: library.size_of(communicator) == Some(1),
                has_hints: !abi.is_info_null(info),
            };
            mpiio::opened(*file, opening, span);
        }
        result
    };
    #[unsafe(link_section = ".text.hot")]
    fn MPI_File_close PMPI_File_close(file: *mut usize) = |real| {
        if file.is_null() {
            return real(file);
        }
        let Some(open) = mpiio::closing(*file) else { return real(file) };
        let (result, span) = Span::of(|| real(file));
        if result == SUCCESS {
            open.closed(span);
        } else {
            open.stays();
        }
        result
    };
    #[unsafe(link_section = ".text.hot")]
    fn MPI_File_sync PMPI_File_sync(file: usize) = |real| {
        let Some(open) = mpiio::find(file) else { return real(file) };
        let Some(_outermost) = InMpi::enter() else { return real(file) };
        let (result, span) = Span::of(|| real(file));
        if result == SUCCESS {
            open.synced(span);
        }
        result
    };
    #[unsafe(link_section = ".text.hot")]
    fn MPI_File_set_view PMPI_File_set_view(
        file: usize, start: i64, unit: usize, pattern: usize, representation: *const c_char, info: usize,
    ) = |real| {
        let call = || real(file, start, unit, pattern, representation, info);
        let Some(open) = mpiio::find(file) else { return call() };
        let Some(_outermost) = InMpi::enter() else { return call() };
        let (result, span) = Span::of(call);
        if result == SUCCESS {
            let library = Library::with(real as usize);
            // Only a trace needs the position in the view.
            let is_empty = !process::is_tracing_mpiio() || library.bytes_of(pattern) == 0;
            open.viewed(is_empty, !library.abi().is_info_null(info), span);
        }
        result
    };
}
