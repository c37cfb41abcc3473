//! The libraries below the program, by name and version.

use ioglass_log::Job;

use crate::advice::MpiKind;

/// The libraries below the program, as far as our recorder told them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stack {
    /// Name and version of MPI, such as `MPICH 4.0.2`.
    pub mpi: Option<String>,
    /// `ROMIO` or `OMPIO`.
    pub mpiio: Option<String>,
    /// The version of HDF5.
    pub hdf5: Option<String>,
}

impl Stack {
    pub(super) fn of(job: &Job) -> Self {
        let value = |key| job.metadata_value(key).map(std::borrow::Cow::into_owned);
        Self { mpi: value("mpi"), mpiio: value("mpiio"), hdf5: value("hdf5") }
    }

    /// The implementation of MPI.
    pub fn mpi_kind(&self) -> Option<MpiKind> {
        let name = self.mpi.as_deref()?;
        let kinds = [
            ("Open MPI", MpiKind::OpenMpi),
            ("CRAY MPICH", MpiKind::CrayMpich),
            ("Intel", MpiKind::IntelMpi),
            ("MPICH", MpiKind::Mpich),
            ("MVAPICH", MpiKind::Mpich),
        ];
        kinds.into_iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, kind)| kind)
    }
}
