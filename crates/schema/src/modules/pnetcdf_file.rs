//! PNETCDF_FILE: PnetCDF files.

crate::module::module! {
    /// PnetCDF files.
    PnetcdfFile, "PNETCDF_FILE", id 5, version 3, prefix "PNETCDF_FILE_", size 152;
    ints {
        CREATES: Sum, Count, 3, "file creations";
        OPENS: Sum, Count, 1, "opens";
        REDEFS: Sum, Count, 3, "returns to define mode";
        INDEP_WAITS: Sum, Count, 3, "independent waits";
        COLL_WAITS: Sum, Count, 3, "collective waits";
        SYNCS: Sum, Count, 3, "syncs";
        BYTES_READ: Sum, Bytes, 3, "bytes read";
        BYTES_WRITTEN: Sum, Bytes, 3, "bytes written";
        WAIT_FAILURES: Sum, Count, 3, "waits that failed";
    }
    floats {
        OPEN_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first open";
        CLOSE_START_TIMESTAMP: MinNonZero, Timestamp, 2, "begin of the first close";
        WAIT_START_TIMESTAMP: MinNonZero, Timestamp, 3, "begin of the first wait";
        OPEN_END_TIMESTAMP: Max, Timestamp, 2, "end of the last open";
        CLOSE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last close";
        WAIT_END_TIMESTAMP: Max, Timestamp, 3, "end of the last wait";
        META_TIME: Sum, Seconds, 3, "time in metadata calls";
        WAIT_TIME: Sum, Seconds, 3, "time in waits";
    }
}
