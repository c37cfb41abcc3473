//! The names of MPI. Each function has two, and functions with counts have two more for large
//! counts.

use super::{Coverage, row};

macro_rules! both {
    ($($name:literal)*) => { &[$(concat!("MPI_", $name), concat!("PMPI_", $name)),*] };
}

macro_rules! with_large_counts {
    ($($name:literal)*) => {
        &[$(
            concat!("MPI_File_", $name),
            concat!("PMPI_File_", $name),
            concat!("MPI_File_", $name, "_c"),
            concat!("PMPI_File_", $name, "_c")
        ),*]
    };
}

pub(super) const BEGIN: Coverage =
    row("start MPI", "rank and ranks of the process", both!("Init" "Init_thread"));

pub(super) const SESSION: Coverage = row(
    "MPI sessions",
    "rank and ranks from the launcher, if MPI_Init is not called",
    both!("Session_init" "Session_finalize"),
);

pub(super) const SPAWN: Coverage = row(
    "spawn programs through MPI",
    "nothing; with Open MPI the spawned programs are recorded if the program is",
    both!("Comm_spawn" "Comm_spawn_multiple"),
);

pub(super) const END: Coverage =
    row("end MPI", "the log of all ranks, if the library alone writes it", both!("Finalize"));

pub(super) const ABORT: Coverage = row("abort MPI", "the ending of the process", both!("Abort"));

pub(super) const OPEN: Coverage = row(
    "MPI-IO: open",
    "MPIIO_INDEP_OPENS or COLL_OPENS by the size of the communicator, HINTS, MODE, open times, \
     META_TIME",
    both!("File_open"),
);

pub(super) const CLOSE: Coverage =
    row("MPI-IO: close", "close times, META_TIME", both!("File_close"));

pub(super) const SYNC: Coverage =
    row("MPI-IO: write back", "MPIIO_SYNCS, WRITE_TIME", both!("File_sync"));

pub(super) const VIEW: Coverage =
    row("MPI-IO: view", "MPIIO_VIEWS, HINTS; META_TIME if hints are given", both!("File_set_view"));

pub(super) const INDEPENDENT: Coverage = row(
    "MPI-IO: independent",
    "MPIIO_INDEP_READS, INDEP_WRITES, requested bytes, sizes, times; heat map; trace",
    with_large_counts!("read" "read_at" "read_shared" "write" "write_at" "write_shared"),
);

pub(super) const COLLECTIVE_READS: Coverage = row(
    "MPI-IO: collective reads",
    "MPIIO_COLL_READS and the same",
    with_large_counts!("read_all" "read_at_all" "read_ordered"),
);

pub(super) const COLLECTIVE_WRITES: Coverage = row(
    "MPI-IO: collective writes",
    "MPIIO_COLL_WRITES and the same",
    with_large_counts!("write_all" "write_at_all" "write_ordered"),
);

pub(super) const SPLIT_READS: Coverage = row(
    "MPI-IO: split reads",
    "MPIIO_SPLIT_READS and the same, when they begin",
    with_large_counts!("read_all_begin" "read_at_all_begin" "read_ordered_begin"),
);

pub(super) const SPLIT_WRITES: Coverage = row(
    "MPI-IO: split writes",
    "MPIIO_SPLIT_WRITES and the same, when they begin",
    with_large_counts!("write_all_begin" "write_at_all_begin" "write_ordered_begin"),
);

pub(super) const NONBLOCKING_READS: Coverage = row(
    "MPI-IO: nonblocking reads",
    "MPIIO_NB_READS and the same, when they begin",
    with_large_counts!("iread" "iread_at" "iread_shared" "iread_all" "iread_at_all"),
);

pub(super) const NONBLOCKING_WRITES: Coverage = row(
    "MPI-IO: nonblocking writes",
    "MPIIO_NB_WRITES and the same, when they begin",
    with_large_counts!("iwrite" "iwrite_at" "iwrite_shared" "iwrite_all" "iwrite_at_all"),
);
