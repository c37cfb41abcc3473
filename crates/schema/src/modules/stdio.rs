//! STDIO: one record per stream's file.

crate::module::module! {
    /// Calls on C streams.
    Stdio, "STDIO", id 9, version 2, prefix "STDIO_", size 248;
    ints {
        OPENS: Sum, Count, 1, "opens";
        FDOPENS: Sum, Count, 2, "streams opened over a descriptor";
        READS: Sum, Count, 1, "reads";
        WRITES: Sum, Count, 1, "writes";
        SEEKS: Sum, Count, 1, "seeks";
        FLUSHES: Sum, Count, 1, "flushes";
        BYTES_WRITTEN: Sum, Bytes, 1, "bytes written";
        BYTES_READ: Sum, Bytes, 1, "bytes read";
        MAX_BYTE_READ: Max, Offset, 1, "highest offset read";
        MAX_BYTE_WRITTEN: Max, Offset, 1, "highest offset written";
        FASTEST_RANK: Carried, Rank, 1, "rank that spent the least time on the file";
        FASTEST_RANK_BYTES: Carried, Bytes, 1, "bytes the fastest rank moved";
        SLOWEST_RANK: Carried, Rank, 1, "rank that spent the most time on the file";
        SLOWEST_RANK_BYTES: Carried, Bytes, 1, "bytes the slowest rank moved";
    }
    floats {
        META_TIME: Sum, Seconds, 1, "time in metadata calls";
        WRITE_TIME: Sum, Seconds, 1, "time in writes";
        READ_TIME: Sum, Seconds, 1, "time in reads";
        OPEN_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first open";
        CLOSE_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first close";
        WRITE_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first write";
        READ_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first read";
        OPEN_END_TIMESTAMP: Max, Timestamp, 1, "end of the last open";
        CLOSE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last close";
        WRITE_END_TIMESTAMP: Max, Timestamp, 1, "end of the last write";
        READ_END_TIMESTAMP: Max, Timestamp, 1, "end of the last read";
        FASTEST_RANK_TIME: Fastest { rank: FASTEST_RANK, bytes: FASTEST_RANK_BYTES }, Seconds, 1, "time of the fastest rank";
        SLOWEST_RANK_TIME: Slowest { rank: SLOWEST_RANK, bytes: SLOWEST_RANK_BYTES }, Seconds, 1, "time of the slowest rank";
        VARIANCE_RANK_TIME: Variance, SecondsSquared, 1, "variance of the time over ranks";
        VARIANCE_RANK_BYTES: Variance, BytesSquared, 1, "variance of the bytes over ranks";
    }
}
