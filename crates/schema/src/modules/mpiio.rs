//! MPI-IO: one record per file.

crate::module::module! {
    /// MPI-IO calls.
    Mpiio, "MPI-IO", id 2, version 3, prefix "MPIIO_", size 560;
    ints {
        INDEP_OPENS: Sum, Count, 1, "opens by one process alone";
        COLL_OPENS: Sum, Count, 1, "collective opens";
        INDEP_READS: Sum, Count, 1, "independent reads";
        INDEP_WRITES: Sum, Count, 1, "independent writes";
        COLL_READS: Sum, Count, 1, "collective reads";
        COLL_WRITES: Sum, Count, 1, "collective writes";
        SPLIT_READS: Sum, Count, 1, "split collective reads";
        SPLIT_WRITES: Sum, Count, 1, "split collective writes";
        NB_READS: Sum, Count, 1, "non-blocking reads";
        NB_WRITES: Sum, Count, 1, "non-blocking writes";
        SYNCS: Sum, Count, 1, "syncs";
        HINTS: Sum, Count, 1, "calls that passed hints";
        VIEWS: Sum, Count, 1, "file views set";
        MODE: Last, Mode, 1, "mode of the last open";
        BYTES_READ: Sum, Bytes, 1, "bytes read";
        BYTES_WRITTEN: Sum, Bytes, 1, "bytes written";
        RW_SWITCHES: Sum, Count, 1, "changes between reading and writing";
        MAX_READ_TIME_SIZE: Carried, Bytes, 1, "size of the slowest read";
        MAX_WRITE_TIME_SIZE: Carried, Bytes, 1, "size of the slowest write";
        SIZE_READ_AGG_0_100: Sum, Count, 1, "reads of up to 100 B";
        SIZE_READ_AGG_100_1K: Sum, Count, 1, "reads of 101 B to 1 KiB";
        SIZE_READ_AGG_1K_10K: Sum, Count, 1, "reads of 1 KiB to 10 KiB";
        SIZE_READ_AGG_10K_100K: Sum, Count, 1, "reads of 10 KiB to 100 KiB";
        SIZE_READ_AGG_100K_1M: Sum, Count, 1, "reads of 100 KiB to 1 MiB";
        SIZE_READ_AGG_1M_4M: Sum, Count, 1, "reads of 1 MiB to 4 MiB";
        SIZE_READ_AGG_4M_10M: Sum, Count, 1, "reads of 4 MiB to 10 MiB";
        SIZE_READ_AGG_10M_100M: Sum, Count, 1, "reads of 10 MiB to 100 MiB";
        SIZE_READ_AGG_100M_1G: Sum, Count, 1, "reads of 100 MiB to 1 GiB";
        SIZE_READ_AGG_1G_PLUS: Sum, Count, 1, "reads of more than 1 GiB";
        SIZE_WRITE_AGG_0_100: Sum, Count, 1, "writes of up to 100 B";
        SIZE_WRITE_AGG_100_1K: Sum, Count, 1, "writes of 101 B to 1 KiB";
        SIZE_WRITE_AGG_1K_10K: Sum, Count, 1, "writes of 1 KiB to 10 KiB";
        SIZE_WRITE_AGG_10K_100K: Sum, Count, 1, "writes of 10 KiB to 100 KiB";
        SIZE_WRITE_AGG_100K_1M: Sum, Count, 1, "writes of 100 KiB to 1 MiB";
        SIZE_WRITE_AGG_1M_4M: Sum, Count, 1, "writes of 1 MiB to 4 MiB";
        SIZE_WRITE_AGG_4M_10M: Sum, Count, 1, "writes of 4 MiB to 10 MiB";
        SIZE_WRITE_AGG_10M_100M: Sum, Count, 1, "writes of 10 MiB to 100 MiB";
        SIZE_WRITE_AGG_100M_1G: Sum, Count, 1, "writes of 100 MiB to 1 GiB";
        SIZE_WRITE_AGG_1G_PLUS: Sum, Count, 1, "writes of more than 1 GiB";
        ACCESS1_ACCESS: Top4 { counts: ACCESS1_COUNT, width: 1 }, Bytes, 1, "most common access size";
        ACCESS2_ACCESS: Carried, Bytes, 1, "second most common access size";
        ACCESS3_ACCESS: Carried, Bytes, 1, "third most common access size";
        ACCESS4_ACCESS: Carried, Bytes, 1, "fourth most common access size";
        ACCESS1_COUNT: Carried, Count, 1, "occurrences of ACCESS1_ACCESS";
        ACCESS2_COUNT: Carried, Count, 1, "occurrences of ACCESS2_ACCESS";
        ACCESS3_COUNT: Carried, Count, 1, "occurrences of ACCESS3_ACCESS";
        ACCESS4_COUNT: Carried, Count, 1, "occurrences of ACCESS4_ACCESS";
        FASTEST_RANK: Carried, Rank, 1, "rank that spent the least time on the file";
        FASTEST_RANK_BYTES: Carried, Bytes, 1, "bytes the fastest rank moved";
        SLOWEST_RANK: Carried, Rank, 1, "rank that spent the most time on the file";
        SLOWEST_RANK_BYTES: Carried, Bytes, 1, "bytes the slowest rank moved";
    }
    floats {
        OPEN_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first open";
        READ_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first read";
        WRITE_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first write";
        CLOSE_START_TIMESTAMP: MinNonZero, Timestamp, 3, "begin of the first close";
        OPEN_END_TIMESTAMP: Max, Timestamp, 3, "end of the last open";
        READ_END_TIMESTAMP: Max, Timestamp, 1, "end of the last read";
        WRITE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last write";
        CLOSE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last close";
        READ_TIME: Sum, Seconds, 1, "time in reads";
        WRITE_TIME: Sum, Seconds, 1, "time in writes";
        META_TIME: Sum, Seconds, 1, "time in metadata calls";
        MAX_READ_TIME: MaxWith(MAX_READ_TIME_SIZE), Seconds, 1, "time of the slowest read";
        MAX_WRITE_TIME: MaxWith(MAX_WRITE_TIME_SIZE), Seconds, 1, "time of the slowest write";
        FASTEST_RANK_TIME: Fastest { rank: FASTEST_RANK, bytes: FASTEST_RANK_BYTES }, Seconds, 1, "time of the fastest rank";
        SLOWEST_RANK_TIME: Slowest { rank: SLOWEST_RANK, bytes: SLOWEST_RANK_BYTES }, Seconds, 1, "time of the slowest rank";
        VARIANCE_RANK_TIME: Variance, SecondsSquared, 1, "variance of the time over ranks";
        VARIANCE_RANK_BYTES: Variance, BytesSquared, 1, "variance of the bytes over ranks";
    }
}
