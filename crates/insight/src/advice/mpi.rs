//! Many ranks, one file: collective, strided, non-blocking.

use super::template::{Template, template};
use super::{IoLibrary, Setting, see, words};
use crate::finding::Advice;
use crate::model::Direction;

const WRITE: Template = template!("collective_write": C "c", Fortran "f90", Python "py");
const READ: Template = template!("collective_read": C "c", Fortran "f90", Python "py");
const HDF5_WRITE: Template = template!("hdf5_collective_write": C "c", Fortran "f90", Python "py");
const HDF5_READ: Template = template!("hdf5_collective_read": C "c", Fortran "f90", Python "py");
const NETCDF_WRITE: Template =
    template!("netcdf_collective_write": C "c", Fortran "f90", Python "py");
const NETCDF_READ: Template =
    template!("netcdf_collective_read": C "c", Fortran "f90", Python "py");
const PNETCDF_WRITE: Template = template!("pnetcdf_collective_write": C "c", Fortran "f90");
const PNETCDF_READ: Template = template!("pnetcdf_collective_read": C "c", Fortran "f90");
const PNETCDF_WAIT: Template = template!("pnetcdf_wait": C "c", Fortran "f90");
const READ_VIEW: Template = template!("file_view_read": C "c", Fortran "f90", Python "py");
const WRITE_VIEW: Template = template!("file_view_write": C "c", Fortran "f90", Python "py");
const IWRITE: Template = template!("nonblocking_write": C "c", Fortran "f90", Python "py");
const IREAD: Template = template!("nonblocking_read": C "c", Fortran "f90", Python "py");
const BACKGROUND: Template = template!("background_write": C "c", Fortran "f90", Python "py");
const READ_AHEAD: Template = template!("background_read": C "c", Python "py");

/// Write together. A serial program buffers instead.
pub fn collective_write(setting: &Setting, library: IoLibrary) -> Advice {
    if !setting.is_parallel {
        return super::buffer_writes(setting, super::LARGE);
    }
    let (call, template, see) = match library {
        IoLibrary::Mpi => ("MPI_File_write_at_all", &WRITE, see::MPI_STANDARD),
        IoLibrary::Hdf5 => ("H5FD_MPIO_COLLECTIVE", &HDF5_WRITE, see::HDF5_TRANSFER),
        IoLibrary::Netcdf => ("NC_COLLECTIVE", &NETCDF_WRITE, see::NETCDF_PARALLEL),
        IoLibrary::Pnetcdf => ("ncmpi_put_vara_all", &PNETCDF_WRITE, see::PNETCDF),
    };
    let text = format!("Write with all ranks in one collective call ({call}).");
    Advice::of(text, see)
        .snippet(setting, template, &[])
        .set_collective(setting)
        .set_chunks(setting)
}

/// Read together. A serial program reads larger pieces instead.
pub fn collective_read(setting: &Setting, library: IoLibrary) -> Advice {
    if !setting.is_parallel {
        return super::larger_reads(setting, super::LARGE);
    }
    let (call, template, see) = match library {
        IoLibrary::Mpi => ("MPI_File_read_at_all", &READ, see::MPI_STANDARD),
        IoLibrary::Hdf5 => ("H5FD_MPIO_COLLECTIVE", &HDF5_READ, see::HDF5_TRANSFER),
        IoLibrary::Netcdf => ("NC_COLLECTIVE", &NETCDF_READ, see::NETCDF_PARALLEL),
        IoLibrary::Pnetcdf => ("ncmpi_get_vara_all", &PNETCDF_READ, see::PNETCDF),
    };
    let text = format!("Read with all ranks in one collective call ({call}).");
    Advice::of(text, see).snippet(setting, template, &[]).set_collective(setting)
}

/// Say once which blocks belong to a rank, then write them together.
pub fn file_view(setting: &Setting, block: u64, stride: u64) -> Advice {
    let library = setting.library();
    if library != IoLibrary::Mpi || !setting.is_parallel {
        return collective(setting, library);
    }
    let text = format!(
        "Describe the blocks of {} every {} in a file view and move all of them in one collective call.",
        words::bytes(block),
        words::bytes(stride)
    );
    // MPI counts in int.
    let block = block.clamp(1, i32::MAX as u64);
    let values = [("block", block.to_string()), ("stride", stride.max(block).to_string())];
    let template = if setting.mostly_reads { &READ_VIEW } else { &WRITE_VIEW };
    Advice::of(text, see::MPI_STANDARD).snippet(setting, template, &values)
}

/// Read or write together, whichever there is more of.
fn collective(setting: &Setting, library: IoLibrary) -> Advice {
    if setting.mostly_reads {
        collective_read(setting, library)
    } else {
        collective_write(setting, library)
    }
}

/// Make fewer, larger calls. `bytes` is what a call moves per rank now.
pub fn merge_calls(setting: &Setting, calls: u64, bytes: u64) -> Advice {
    let text = format!(
        "Gather the {} of {} into a few large ones, one for all variables of a step.",
        words::many(calls, "call"),
        words::bytes(bytes)
    );
    let advice = match setting.library() {
        IoLibrary::Pnetcdf if setting.is_parallel && !setting.mostly_reads => pnetcdf_wait(setting),
        library => collective(setting, library),
    };
    advice.said(text)
}

/// Post the writes of a step and wait once.
pub fn pnetcdf_wait(setting: &Setting) -> Advice {
    let text = "Post the variables of a step with ncmpi_iput_vara and wait once for all of them.";
    Advice::of(text, see::PNETCDF).snippet(setting, &PNETCDF_WAIT, &[])
}

/// Compute while data is written.
pub fn nonblocking_write(setting: &Setting) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = "Start the write, compute the next step, and wait before the buffer is used again.";
    match setting.library() {
        _ if !setting.is_parallel => Advice::of(text, see::AIO).snippet(setting, &BACKGROUND, &[]),
        IoLibrary::Hdf5 | IoLibrary::Netcdf => super::hdf5_async(setting, Direction::Write),
        IoLibrary::Pnetcdf => pnetcdf_wait(setting).said(text),
        IoLibrary::Mpi => Advice::of(text, see::MPI_STANDARD).snippet(setting, &IWRITE, &[]),
    }
}

/// Compute while the next data is read.
pub fn nonblocking_read(setting: &Setting) -> Advice {
    if setting.is_tool {
        return Advice::default();
    }
    let text = "Start to read the next piece, compute with this one, and wait before the next.";
    match setting.library() {
        _ if !setting.is_parallel => Advice::of(text, see::AIO).snippet(setting, &READ_AHEAD, &[]),
        IoLibrary::Hdf5 | IoLibrary::Netcdf => super::hdf5_async(setting, Direction::Read),
        IoLibrary::Mpi | IoLibrary::Pnetcdf => {
            Advice::of(text, see::MPI_STANDARD).snippet(setting, &IREAD, &[])
        }
    }
}
