//! The documents that say so.

pub(super) const LUSTRE_MANUAL: &str = "https://doc.lustre.org/lustre_manual.xhtml";
pub(super) const ROMIO_HINTS: &str = "https://ftp.mcs.anl.gov/pub/romio/users-guide/node6.html";
pub(super) const OMPIO: &str = "https://docs.open-mpi.org/en/v5.0.x/tuning-apps/mpi-io/ompio.html";
pub(super) const PARALLEL_IO: &str = "https://docs.nersc.gov/performance/io/";
pub(super) const MPI_STANDARD: &str = "https://www.mpi-forum.org/docs/";
pub(super) const HDF5_FILE_ACCESS: &str =
    "https://support.hdfgroup.org/documentation/hdf5/latest/group___f_a_p_l.html";
pub(super) const HDF5_CREATION: &str =
    "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_c_p_l.html";
pub(super) const HDF5_TRANSFER: &str =
    "https://support.hdfgroup.org/documentation/hdf5/latest/group___d_x_p_l.html";
pub(super) const HDF5_ASYNC: &str = "https://hdf5-vol-async.readthedocs.io/";
pub(super) const HDF5_VERSIONS: &str =
    "https://support.hdfgroup.org/documentation/hdf5/latest/api-compat-macros.html";
pub(super) const NETCDF_PARALLEL: &str =
    "https://docs.unidata.ucar.edu/netcdf-c/current/parallel_io.html";
pub(super) const NETCDF_VARIABLES: &str =
    "https://docs.unidata.ucar.edu/netcdf-c/current/group__variables.html";
pub(super) const PNETCDF: &str = "https://parallel-netcdf.github.io/";
pub(super) const DAOS: &str = "https://docs.daos.io/";
pub(super) const SETVBUF: &str = "https://man7.org/linux/man-pages/man3/setbuf.3.html";
pub(super) const FWRITE: &str = "https://man7.org/linux/man-pages/man3/fread.3.html";
pub(super) const FADVISE: &str = "https://man7.org/linux/man-pages/man2/posix_fadvise.2.html";
pub(super) const PWRITE: &str = "https://man7.org/linux/man-pages/man2/pread.2.html";
pub(super) const FSYNC: &str = "https://man7.org/linux/man-pages/man2/fsync.2.html";
pub(super) const OPEN: &str = "https://man7.org/linux/man-pages/man2/open.2.html";
pub(super) const MMAP: &str = "https://man7.org/linux/man-pages/man2/mmap.2.html";
pub(super) const STAT: &str = "https://man7.org/linux/man-pages/man2/stat.2.html";
pub(super) const AIO: &str = "https://man7.org/linux/man-pages/man7/aio.7.html";
pub(super) const TMPFS: &str = "https://man7.org/linux/man-pages/man5/tmpfs.5.html";
pub(super) const PYTHON_IO: &str = "https://docs.python.org/3/library/io.html";
pub(super) const PYTHON_TAR: &str = "https://docs.python.org/3/library/tarfile.html";
pub(super) const SPINDLE: &str = "https://github.com/hpc/Spindle";
pub(super) const SBATCH: &str = "https://slurm.schedmd.com/sbatch.html";
pub(super) const DARSHAN: &str =
    "https://www.mcs.anl.gov/research/projects/darshan/docs/darshan-runtime.html";
pub(super) const NODE_FS: &str = "https://nodejs.org/api/fs.html";
pub(super) const PERL_IO: &str = "https://perldoc.perl.org/functions/syswrite";
pub(super) const CPP_BUFFER: &str = "https://en.cppreference.com/w/cpp/io/basic_filebuf/setbuf";
pub(super) const SQLITE_INSERTS: &str = "https://sqlite.org/faq.html#q19";
pub(super) const SQLITE_CACHE: &str = "https://sqlite.org/pragma.html#pragma_cache_size";
pub(super) const DD: &str =
    "https://www.gnu.org/software/coreutils/manual/html_node/dd-invocation.html";
pub(super) const TAR: &str = "https://www.gnu.org/software/tar/manual/html_node/Blocking.html";
pub(super) const GIT_GC: &str = "https://git-scm.com/docs/git-gc";
pub(super) const GIT_UNTRACKED: &str = "https://git-scm.com/docs/git-update-index";
