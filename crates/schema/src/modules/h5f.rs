//! H5F: HDF5 files.

crate::module::module! {
    /// HDF5 files.
    H5f, "H5F", id 3, version 3, prefix "H5F_", size 80;
    ints {
        OPENS: Sum, Count, 1, "opens";
        FLUSHES: Sum, Count, 3, "flushes";
        USE_MPIIO: Or, Flag, 3, "1 if the file was opened through MPI-IO";
    }
    floats {
        OPEN_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first open";
        CLOSE_START_TIMESTAMP: MinNonZero, Timestamp, 2, "begin of the first close";
        OPEN_END_TIMESTAMP: Max, Timestamp, 2, "end of the last open";
        CLOSE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last close";
        META_TIME: Sum, Seconds, 3, "time in metadata calls";
    }
}
