//! POSIX: one record per file, or per file and rank.

crate::module::module! {
    /// Calls on file descriptors.
    Posix, "POSIX", id 1, version 4, prefix "POSIX_", size 704;
    ints {
        OPENS: SumKnown, Count, 1, "opens, dup and fileno included";
        FILENOS: SumKnown, Count, 4, "descriptors taken from a stream with fileno";
        DUPS: SumKnown, Count, 4, "duplicated handles";
        READS: SumKnown, Count, 1, "reads";
        WRITES: SumKnown, Count, 1, "writes";
        SEEKS: SumKnown, Count, 1, "seeks";
        STATS: SumKnown, Count, 1, "stat calls";
        MMAPS: SumKnown, Count, 1, "mappings";
        FSYNCS: SumKnown, Count, 1, "fsync calls";
        FDSYNCS: SumKnown, Count, 1, "fdatasync calls";
        RENAME_SOURCES: SumKnown, Count, 4, "renames away from this path";
        RENAME_TARGETS: SumKnown, Count, 4, "renames onto this path";
        RENAMED_FROM: Last, Id, 4, "record id of the first path renamed onto this one";
        MODE: Last, Mode, 1, "mode of the last open";
        BYTES_READ: SumKnown, Bytes, 1, "bytes read";
        BYTES_WRITTEN: SumKnown, Bytes, 1, "bytes written";
        MAX_BYTE_READ: Max, Offset, 1, "highest offset read";
        MAX_BYTE_WRITTEN: Max, Offset, 1, "highest offset written";
        CONSEC_READS: SumKnown, Count, 1, "reads that began where the last one ended";
        CONSEC_WRITES: SumKnown, Count, 1, "writes that began where the last one ended";
        SEQ_READS: SumKnown, Count, 1, "reads at a higher offset than the last";
        SEQ_WRITES: SumKnown, Count, 1, "writes at a higher offset than the last";
        RW_SWITCHES: SumKnown, Count, 1, "changes between reading and writing";
        MEM_NOT_ALIGNED: SumKnown, Count, 1, "accesses whose buffer was not aligned";
        MEM_ALIGNMENT: Last, Bytes, 1, "alignment expected of buffers";
        FILE_NOT_ALIGNED: SumKnown, Count, 1, "accesses whose offset was not aligned";
        FILE_ALIGNMENT: Last, Bytes, 1, "alignment expected of offsets";
        MAX_READ_TIME_SIZE: Carried, Bytes, 1, "size of the slowest read";
        MAX_WRITE_TIME_SIZE: Carried, Bytes, 1, "size of the slowest write";
        SIZE_READ_0_100: SumKnown, Count, 1, "reads of up to 100 B";
        SIZE_READ_100_1K: SumKnown, Count, 1, "reads of 101 B to 1 KiB";
        SIZE_READ_1K_10K: SumKnown, Count, 1, "reads of 1 KiB to 10 KiB";
        SIZE_READ_10K_100K: SumKnown, Count, 1, "reads of 10 KiB to 100 KiB";
        SIZE_READ_100K_1M: SumKnown, Count, 1, "reads of 100 KiB to 1 MiB";
        SIZE_READ_1M_4M: SumKnown, Count, 1, "reads of 1 MiB to 4 MiB";
        SIZE_READ_4M_10M: SumKnown, Count, 1, "reads of 4 MiB to 10 MiB";
        SIZE_READ_10M_100M: SumKnown, Count, 1, "reads of 10 MiB to 100 MiB";
        SIZE_READ_100M_1G: SumKnown, Count, 1, "reads of 100 MiB to 1 GiB";
        SIZE_READ_1G_PLUS: SumKnown, Count, 1, "reads of more than 1 GiB";
        SIZE_WRITE_0_100: SumKnown, Count, 1, "writes of up to 100 B";
        SIZE_WRITE_100_1K: SumKnown, Count, 1, "writes of 101 B to 1 KiB";
        SIZE_WRITE_1K_10K: SumKnown, Count, 1, "writes of 1 KiB to 10 KiB";
        SIZE_WRITE_10K_100K: SumKnown, Count, 1, "writes of 10 KiB to 100 KiB";
        SIZE_WRITE_100K_1M: SumKnown, Count, 1, "writes of 100 KiB to 1 MiB";
        SIZE_WRITE_1M_4M: SumKnown, Count, 1, "writes of 1 MiB to 4 MiB";
        SIZE_WRITE_4M_10M: SumKnown, Count, 1, "writes of 4 MiB to 10 MiB";
        SIZE_WRITE_10M_100M: SumKnown, Count, 1, "writes of 10 MiB to 100 MiB";
        SIZE_WRITE_100M_1G: SumKnown, Count, 1, "writes of 100 MiB to 1 GiB";
        SIZE_WRITE_1G_PLUS: SumKnown, Count, 1, "writes of more than 1 GiB";
        STRIDE1_STRIDE: Top4 { counts: STRIDE1_COUNT, width: 1 }, Bytes, 1, "most common stride between accesses";
        STRIDE2_STRIDE: Carried, Bytes, 1, "second most common stride between accesses";
        STRIDE3_STRIDE: Carried, Bytes, 1, "third most common stride between accesses";
        STRIDE4_STRIDE: Carried, Bytes, 1, "fourth most common stride between accesses";
        STRIDE1_COUNT: Carried, Count, 1, "occurrences of STRIDE1_STRIDE";
        STRIDE2_COUNT: Carried, Count, 1, "occurrences of STRIDE2_STRIDE";
        STRIDE3_COUNT: Carried, Count, 1, "occurrences of STRIDE3_STRIDE";
        STRIDE4_COUNT: Carried, Count, 1, "occurrences of STRIDE4_STRIDE";
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
