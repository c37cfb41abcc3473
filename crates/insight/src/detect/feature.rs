//! Features that a run must have for a check to make sense.

use crate::model::{Direction, FileKind, Run, Totals};

/// Something that a run may have, such as HDF5 or ranks that work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Data files that are mapped and not read. Only the check knows them.
    MappedFiles,
    /// PnetCDF.
    Pnetcdf,
    /// DAOS.
    Daos,
    /// HDF5.
    Hdf5,
    /// Output to a standard stream.
    Prints,
    /// Streams of the C library.
    Streams,
    /// A file on Lustre.
    Lustre,
    /// Ranks that work together.
    Ranks,
    /// MPI-IO.
    MpiIo,
    /// Collective calls of MPI-IO.
    CollectiveCalls,
    /// POSIX calls in this direction.
    Posix(Direction),
    /// MPI-IO calls in this direction.
    MpiIoData(Direction),
    /// POSIX calls in both directions.
    ReadsAndWrites,
    /// Something to praise. Only the check knows it.
    GoodNews,
    /// POSIX calls that move data.
    PosixCalls,
    /// Calls on files through descriptors or streams, or metadata calls.
    Calls,
    /// Time in I/O.
    IoTime,
}

impl Feature {
    /// The reason why a check with these features makes no sense: the first one that is missing.
    pub(crate) fn first_missing(features: &[Self], run: &Run) -> &'static str {
        if run.files.is_empty() && run.metadata.is_empty() {
            return "Nothing was recorded.";
        }
        let missing = features.iter().find(|feature| feature.is_missing(run));
        missing.map_or("This run has too little of what it looks at.", |feature| feature.absence())
    }

    /// True if the run lacks it, given that the check makes no sense.
    fn is_missing(self, run: &Run) -> bool {
        match self {
            Self::MappedFiles | Self::GoodNews => true,
            Self::Pnetcdf => !run.libraries.pnetcdf,
            Self::Daos => run.daos.files == 0,
            Self::Hdf5 => !run.libraries.hdf5,
            Self::Prints => !run.files.iter().any(|file| file.kind == FileKind::Stream),
            Self::Streams => run.stdio.files == 0,
            Self::Lustre => !run.is_on_lustre,
            Self::Ranks => !run.ranks_mean_something,
            Self::MpiIo => run.mpiio.files == 0,
            Self::CollectiveCalls => !run.mpiio.sum.is_collective(),
            Self::Posix(direction) => lacks(&run.posix, direction),
            Self::MpiIoData(direction) => lacks(&run.mpiio, direction),
            Self::ReadsAndWrites => Direction::BOTH.iter().any(|way| lacks(&run.posix, *way)),
            Self::PosixCalls => run.posix.sum.calls() == 0,
            Self::Calls => run.posix.files == 0 && run.stdio.files == 0 && run.metadata.is_empty(),
            Self::IoTime => run.io_time() <= 0.0,
        }
    }

    /// The sentence that says that it is missing.
    const fn absence(self) -> &'static str {
        match self {
            Self::MappedFiles => "No data file is mapped into memory without being read.",
            Self::Pnetcdf => "No PnetCDF in this run.",
            Self::Daos => "No DAOS in this run.",
            Self::Hdf5 => "No HDF5 in this run.",
            Self::Prints => "Nothing is printed in this run.",
            Self::Streams => "No streams of the C library in this run.",
            Self::Lustre => "No file of this run is on Lustre.",
            Self::Ranks => "This run has no ranks that work together.",
            Self::MpiIo => "No MPI-IO in this run.",
            Self::CollectiveCalls => "No collective MPI-IO calls in this run.",
            Self::Posix(Direction::Read) => "Nothing is read by POSIX calls in this run.",
            Self::Posix(Direction::Write) => "Nothing is written by POSIX calls in this run.",
            Self::MpiIoData(Direction::Read) => "Nothing is read by MPI-IO in this run.",
            Self::MpiIoData(Direction::Write) => "Nothing is written by MPI-IO in this run.",
            Self::ReadsAndWrites => "This run does not both read and write.",
            Self::GoodNews => {
                "It reports something that is done well, and this run does not do it."
            }
            Self::PosixCalls => "No data is moved by POSIX calls in this run.",
            Self::Calls => "No file is used by descriptors or streams in this run.",
            Self::IoTime => "No time is spent in I/O in this run.",
        }
    }
}

fn lacks(totals: &Totals, direction: Direction) -> bool {
    totals.way(direction).calls == 0
}
