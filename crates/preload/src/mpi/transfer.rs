//! Reads and writes.

use core::ffi::c_int;

use ioglass_recorder::mpiio::{self, Class, Class::*, Transfer};
use ioglass_recorder::posix::{Direction, Direction::*};
use ioglass_recorder::span::Span;
use ioglass_recorder::thread::InMpi;

use super::SUCCESS;
use super::ask::Library;

/// The start of a transfer, in units of the view.
#[derive(Clone, Copy)]
enum TransferStart {
    /// At the rank's own pointer.
    Own,
    /// At the pointer that all ranks share; its position at this rank's turn is not known.
    Shared,
    /// At an offset.
    At(i64),
}

/// A transfer that is about to be made.
struct Request {
    class: Class,
    direction: Direction,
    place: TransferStart,
    file: usize,
    count: i64,
    datatype: usize,
}

impl Request {
    /// Makes the call, and books it if it succeeds: the requested bytes, and the time of the call
    /// itself even if it does not wait.
    #[unsafe(link_section = ".text.hot")]
    unsafe fn make(&self, near: usize, call: &dyn Fn() -> c_int) -> c_int {
        let Some(open) = mpiio::find(self.file) else { return call() };
        let Some(_outermost) = InMpi::enter() else { return call() };
        let library = Library::with(near);
        let offset = if open.wants_offset() { self.offset(library) } else { None };
        let (result, span) = Span::of(call);
        if result == SUCCESS {
            // An invalid datatype moves nothing, and MPI fails if it is queried.
            let size = if self.count > 0 { library.bytes_of(self.datatype) } else { 0 };
            let bytes = size.saturating_mul(self.count);
            let (class, direction) = (self.class, self.direction);
            open.moved(&Transfer { class, direction, bytes, offset, span });
        }
        result
    }

    #[cold] // only a trace wants it
    fn offset(&self, library: Library) -> Option<i64> {
        let offset = match self.place {
            TransferStart::Own => library.position(self.file)?,
            TransferStart::Shared => return None,
            TransferStart::At(offset) => offset,
        };
        library.byte_offset(self.file, offset)
    }
}

/// Interposes the functions of a row: with counts of 32 and of 64 bits, under both names.
///
/// An MPI before version 4 has no 64-bit counts. Python's mpi4py would take our functions for
/// MPI's, so they lead to the 32-bit ones.
macro_rules! interpose_transfers {
    ($($class:ident $direction:ident $place:ident $end:ident:
        $mpi:ident $pmpi:ident $mpi_c:ident $pmpi_c:ident;)*) => {$(
        interpose_transfers! { @$place $end $class $direction c_int: $mpi $pmpi or nothing }
        interpose_transfers! { @$place $end $class $direction i64: $mpi_c $pmpi_c or $mpi }
    )*};
    // With a status or a request after the datatype, or nothing.
    (@At last $($row:tt)*) => {
        interpose_transfers! { @shape TransferStart::At(offset), (offset: i64), (last: usize), $($row)* }
    };
    (@At begin $($row:tt)*) => {
        interpose_transfers! { @shape TransferStart::At(offset), (offset: i64), (), $($row)* }
    };
    (@$place:ident last $($row:tt)*) => {
        interpose_transfers! { @shape TransferStart::$place, (), (last: usize), $($row)* }
    };
    (@$place:ident begin $($row:tt)*) => {
        interpose_transfers! { @shape TransferStart::$place, (), (), $($row)* }
    };
    (@shape $place:expr, ($($offset:ident: $offset_type:ty)?), ($($last:ident: $last_type:ty)?),
        $class:ident $direction:ident $count:ty: $mpi:ident $pmpi:ident or $small:ident) => {
        super::interpose_mpi! {
            #[unsafe(link_section = ".text.hot")]
            fn $mpi $pmpi(
                file: usize, $($offset: $offset_type,)? buffer: usize, count: $count, datatype: usize
                $(, $last: $last_type)?
            ) = |real| {
                let (class, direction, place) = ($class, $direction, $place);
                Request { class, direction, place, file, count: count.into(), datatype }.make(
                    real as usize,
                    &move || real(file, $($offset,)? buffer, count, datatype $(, $last)?),
                )
            }, or interpose_transfers!(
                @or $small, (file $(, $offset)?, buffer), count, (datatype $(, $last)?)
            );
        }
    };
    (@or nothing, $($rest:tt)*) => { crate::real::missing() };
    (@or $small:ident, ($($before:ident),*), $count:ident, ($($behind:ident),*)) => {
        match c_int::try_from($count) {
            Ok(count) => $small($($before,)* count, $($behind),*),
            Err(_) => super::ERR_COUNT,
        }
    };
}

// The second call of a split pair moves nothing that the first has not counted.
interpose_transfers! {
    Independent Read Own last:
        MPI_File_read PMPI_File_read MPI_File_read_c PMPI_File_read_c;
    Independent Read At last:
        MPI_File_read_at PMPI_File_read_at MPI_File_read_at_c PMPI_File_read_at_c;
    Independent Read Shared last:
        MPI_File_read_shared PMPI_File_read_shared MPI_File_read_shared_c PMPI_File_read_shared_c;
    Collective Read Own last:
        MPI_File_read_all PMPI_File_read_all MPI_File_read_all_c PMPI_File_read_all_c;
    Collective Read At last:
        MPI_File_read_at_all PMPI_File_read_at_all MPI_File_read_at_all_c PMPI_File_read_at_all_c;
    Collective Read Shared last:
        MPI_File_read_ordered PMPI_File_read_ordered MPI_File_read_ordered_c PMPI_File_read_ordered_c;
    Split Read Own begin:
        MPI_File_read_all_begin PMPI_File_read_all_begin MPI_File_read_all_begin_c PMPI_File_read_all_begin_c;
    Split Read At begin:
        MPI_File_read_at_all_begin PMPI_File_read_at_all_begin MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c;
    Split Read Shared begin:
        MPI_File_read_ordered_begin PMPI_File_read_ordered_begin MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c;
    NonBlocking Read Own last:
        MPI_File_iread PMPI_File_iread MPI_File_iread_c PMPI_File_iread_c;
    NonBlocking Read At last:
        MPI_File_iread_at PMPI_File_iread_at MPI_File_iread_at_c PMPI_File_iread_at_c;
    NonBlocking Read Shared last:
        MPI_File_iread_shared PMPI_File_iread_shared MPI_File_iread_shared_c PMPI_File_iread_shared_c;
    NonBlocking Read Own last:
        MPI_File_iread_all PMPI_File_iread_all MPI_File_iread_all_c PMPI_File_iread_all_c;
    NonBlocking Read At last:
        MPI_File_iread_at_all PMPI_File_iread_at_all MPI_File_iread_at_all_c PMPI_File_iread_at_all_c;
    Independent Write Own last:
        MPI_File_write PMPI_File_write MPI_File_write_c PMPI_File_write_c;
    Independent Write At last:
        MPI_File_write_at PMPI_File_write_at MPI_File_write_at_c PMPI_File_write_at_c;
    Independent Write Shared last:
        MPI_File_write_shared PMPI_File_write_shared MPI_File_write_shared_c PMPI_File_write_shared_c;
    Collective Write Own last:
        MPI_File_write_all PMPI_File_write_all MPI_File_write_all_c PMPI_File_write_all_c;
    Collective Write At last:
        MPI_File_write_at_all PMPI_File_write_at_all MPI_File_write_at_all_c PMPI_File_write_at_all_c;
    Collective Write Shared last:
        MPI_File_write_ordered PMPI_File_write_ordered MPI_File_write_ordered_c PMPI_File_write_ordered_c;
    Split Write Own begin:
        MPI_File_write_all_begin PMPI_File_write_all_begin MPI_File_write_all_begin_c PMPI_File_write_all_begin_c;
    Split Write At begin:
        MPI_File_write_at_all_begin PMPI_File_write_at_all_begin MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c;
    Split Write Shared begin:
        MPI_File_write_ordered_begin PMPI_File_write_ordered_begin MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c;
    NonBlocking Write Own last:
        MPI_File_iwrite PMPI_File_iwrite MPI_File_iwrite_c PMPI_File_iwrite_c;
    NonBlocking Write At last:
        MPI_File_iwrite_at PMPI_File_iwrite_at MPI_File_iwrite_at_c PMPI_File_iwrite_at_c;
    NonBlocking Write Shared last:
        MPI_File_iwrite_shared PMPI_File_iwrite_shared MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c;
    NonBlocking Write Own last:
        MPI_File_iwrite_all PMPI_File_iwrite_all MPI_File_iwrite_all_c PMPI_File_iwrite_all_c;
    NonBlocking Write At last:
        MPI_File_iwrite_at_all PMPI_File_iwrite_at_all MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c;
}
