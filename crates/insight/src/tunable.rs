//! What a log proves about the conditions of tunable parameters.
//!
//! The library sees for itself whether a dataset is contiguous or has filters, and leaves alone what
//! does not fit. Other conditions only a whole run shows: whether all ranks make the same transfers,
//! whether every element is written, whether a stream seeks. [`Tunable`] has these, of a file or of
//! all files, and [`Tunable::allows`] says whether a setting may be tried.

mod gather;

use ioglass_param::{Condition, Layer, Param, env, fs, hdf5, libc};

use crate::advice::MpiKind;

/// Whether something holds, as far as a log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Known {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// The log does not tell.
    #[default]
    Unknown,
}

/// An implementation of MPI-IO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiIo {
    /// ROMIO, for which most hints are.
    Romio,
    /// Open MPI's own.
    Ompio,
}

/// What a log proves about one file, or about all files of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tunable {
    /// The implementation of MPI.
    pub mpi: Option<MpiKind>,
    /// The implementation of MPI-IO.
    pub mpi_io: Option<MpiIo>,
    /// An interpreter does the I/O, whose buffers are as large as the block size of a file.
    pub is_interpreter: bool,
    /// Data of HDF5 moves through MPI-IO.
    pub has_parallel_hdf5: bool,
    /// Some transfers of HDF5 are collective.
    pub has_collective_hdf5: bool,
    /// Data of HDF5 moves without MPI-IO.
    pub has_serial_hdf5: bool,
    /// Data moves through MPI-IO.
    pub has_mpi_io: bool,
    /// Some of it is written by all ranks together.
    pub is_collective: bool,
    /// Data moves through streams of the C library.
    pub has_streams: bool,
    /// Data moves through calls of the system that no library above makes.
    pub has_calls: bool,
    /// Some file is only read.
    pub has_read_only: bool,
    /// Some file is written.
    pub has_written: bool,
    /// Some of what moves through MPI-IO lies on Lustre.
    pub is_on_lustre: bool,
    /// Storage targets on Lustre: at least as many as the numbers in layouts tell.
    pub targets: Option<u64>,
    /// Some dataset that the program writes has no chunks.
    pub has_contiguous: bool,
    /// Some dataset has chunks.
    pub has_chunked: bool,
    /// As many bytes are written to each dataset that the program makes as it has.
    pub writes_every_element: Known,
    /// All ranks make the same number of transfers, dataset by dataset.
    pub has_same_transfers: Known,
    /// All ranks open each file and dataset equally often.
    pub has_same_opens: Known,
    /// No stream moves its position with more than [`SEEKS`] of its reads.
    pub reads_without_seeks: Known,
    /// Files that are read are read from front to back, but for [`SEEKS`] of the reads.
    pub reads_in_order: Known,
}

/// Seeks as a part of the reads from which a stream counts as sought.
pub const SEEKS: f64 = 0.05;

/// The reason why a setting may not be tried, in words.
pub type Obstacle = &'static str;

impl Tunable {
    /// Whether a parameter may be tried with this value, which is a canonical one: its layer has
    /// I/O, and its conditions hold as far as the library cannot see to them itself.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn allows(&self, param: &Param, value: &str) -> Result<(), Obstacle> {
        self.has_io(param)?;
        param.conditions.iter().try_for_each(|condition| self.holds(*condition, param, value))
    }

    /// Whether the program uses what the parameter is about.
    fn has_io(&self, param: &Param) -> Result<(), Obstacle> {
        let is = |row: &'static Param| std::ptr::eq(param, row);
        let (has, obstacle) = match param.layer {
            Layer::Hdf5 => (self.has_parallel_hdf5 || self.has_serial_hdf5, "no data of HDF5"),
            Layer::Mpiio | Layer::Fs => (self.has_mpi_io, "nothing moves through MPI-IO"),
            Layer::Env if is(&env::OMPI_MCA_IO) || is(&env::OMPI_MCA_FCOLL) => (
                self.has_mpi_io && self.mpi == Some(MpiKind::OpenMpi),
                "nothing moves through MPI-IO of Open MPI",
            ),
            Layer::Libc if is(&libc::STDIO_BUFFER) => (self.has_streams, "no stream moves data"),
            Layer::Libc if is(&libc::READ_ADVICE) => (self.has_read_only, "no file is only read"),
            Layer::Libc => (self.has_calls, "no call of the program's own moves data"),
            _ => (true, ""),
        };
        if has { Ok(()) } else { Err(obstacle) }
    }

    fn holds(&self, condition: Condition, param: &Param, value: &str) -> Result<(), Obstacle> {
        let is = |row: &'static Param| std::ptr::eq(param, row);
        let proven = |known: Known, obstacle| match known {
            Known::Yes => Ok(()),
            Known::No => Err(obstacle),
            Known::Unknown => Err("the log does not prove that its condition holds"),
        };
        let held = |holds: bool, obstacle| proven(Known::of(holds), obstacle);
        match condition {
            Condition::Parallel | Condition::ParallelOrSerial => {
                held(self.has_parallel_hdf5, "no HDF5 file is opened through MPI-IO")
            }
            Condition::NotParallel => {
                held(self.has_serial_hdf5, "all HDF5 files are opened through MPI-IO")
            }
            Condition::Created => held(self.has_written, "no file is written"),
            Condition::Contiguous => held(self.has_contiguous, "no dataset is contiguous"),
            Condition::Chunked => held(self.has_chunked, "no dataset has chunks"),
            // That there is no fill value the library sees.
            Condition::NoFillValue if value == "never" => {
                proven(self.writes_every_element, "some elements are never written")
            }
            Condition::SameCalls if is(&hdf5::TRANSFER) && value == "collective" => {
                proven(self.has_same_transfers, "ranks make different numbers of transfers")
            }
            Condition::SameCalls if is(&hdf5::ALL_COLL_METADATA_OPS) && value == "true" => {
                proven(self.has_same_opens, "ranks open different objects")
            }
            Condition::Forced => Err("it needs force"),
            Condition::Romio => match self.mpi_io {
                Some(MpiIo::Romio) => Ok(()),
                Some(MpiIo::Ompio) => Err("OMPIO ignores it"),
                None => Err("the log does not tell which MPI-IO it is"),
            },
            // ROMIO in MPICH aligns the ranges of its writers to the unit, wherever the file is.
            Condition::Lustre if is(&fs::STRIPING_UNIT) && self.is_romio_of_mpich() => Ok(()),
            Condition::Lustre => held(self.is_on_lustre, "no such file is on Lustre"),
            Condition::NoSeeks => proven(self.reads_without_seeks, "reads of streams seek"),
            Condition::Interpreter => held(self.is_interpreter, "the program is no interpreter"),
            Condition::ReadOnly if value == "sequential" => {
                proven(self.reads_in_order, "files are not read from front to back")
            }
            Condition::ReadOnly if value == "random" => match self.reads_in_order {
                Known::No => Ok(()),
                Known::Yes => Err("files are read from front to back"),
                Known::Unknown => Err("the log does not tell in which order files are read"),
            },
            Condition::Never => Err("no stack of today has it"),
            _ => Ok(()),
        }
    }

    /// ROMIO, and not the one inside Open MPI.
    fn is_romio_of_mpich(&self) -> bool {
        self.mpi_io == Some(MpiIo::Romio) && self.mpi != Some(MpiKind::OpenMpi)
    }
}

impl Known {
    /// Yes or no.
    pub const fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Both hold.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }
}
