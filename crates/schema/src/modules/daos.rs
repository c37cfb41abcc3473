//! DAOS: objects; pool, container and object id follow the counters.

crate::module::module! {
    /// DAOS objects.
    Daos, "DAOS", id 17, version 1, prefix "DAOS_", size 696, uuids 2, words 2;
    ints {
        OBJ_OPENS: SumKnown, Count, 1, "object opens";
        OBJ_FETCHES: SumKnown, Count, 1, "object fetches";
        OBJ_UPDATES: SumKnown, Count, 1, "object updates";
        OBJ_PUNCHES: SumKnown, Count, 1, "object punches";
        OBJ_DKEY_PUNCHES: SumKnown, Count, 1, "object dkey punches";
        OBJ_AKEY_PUNCHES: SumKnown, Count, 1, "object akey punches";
        OBJ_DKEY_LISTS: SumKnown, Count, 1, "object dkey lists";
        OBJ_AKEY_LISTS: SumKnown, Count, 1, "object akey lists";
        OBJ_RECX_LISTS: SumKnown, Count, 1, "object recx lists";
        ARRAY_OPENS: SumKnown, Count, 1, "array opens";
        ARRAY_READS: SumKnown, Count, 1, "array reads";
        ARRAY_WRITES: SumKnown, Count, 1, "array writes";
        ARRAY_GET_SIZES: SumKnown, Count, 1, "array get sizes";
        ARRAY_SET_SIZES: SumKnown, Count, 1, "array set sizes";
        ARRAY_STATS: SumKnown, Count, 1, "array stats";
        ARRAY_PUNCHES: SumKnown, Count, 1, "array punches";
        ARRAY_DESTROYS: SumKnown, Count, 1, "array destroys";
        KV_OPENS: SumKnown, Count, 1, "key-value opens";
        KV_GETS: SumKnown, Count, 1, "key-value gets";
        KV_PUTS: SumKnown, Count, 1, "key-value puts";
        KV_REMOVES: SumKnown, Count, 1, "key-value removes";
        KV_LISTS: SumKnown, Count, 1, "key-value lists";
        KV_DESTROYS: SumKnown, Count, 1, "key-value destroys";
        NB_OPS: SumKnown, Count, 1, "non-blocking operations";
        BYTES_READ: SumKnown, Bytes, 1, "bytes read";
        BYTES_WRITTEN: SumKnown, Bytes, 1, "bytes written";
        RW_SWITCHES: SumKnown, Count, 1, "changes between reading and writing";
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
        ACCESS1_ACCESS: Top4 { counts: ACCESS1_COUNT, width: 1 }, Bytes, 1, "most common access size";
        ACCESS2_ACCESS: Carried, Bytes, 1, "second most common access size";
        ACCESS3_ACCESS: Carried, Bytes, 1, "third most common access size";
        ACCESS4_ACCESS: Carried, Bytes, 1, "fourth most common access size";
        ACCESS1_COUNT: Carried, Count, 1, "occurrences of ACCESS1_ACCESS";
        ACCESS2_COUNT: Carried, Count, 1, "occurrences of ACCESS2_ACCESS";
        ACCESS3_COUNT: Carried, Count, 1, "occurrences of ACCESS3_ACCESS";
        ACCESS4_COUNT: Carried, Count, 1, "occurrences of ACCESS4_ACCESS";
        OBJ_OTYPE: Last, Mode, 1, "object type";
        ARRAY_CELL_SIZE: Last, Bytes, 1, "size of an array cell";
        ARRAY_CHUNK_SIZE: Last, Bytes, 1, "size of an array chunk";
        FASTEST_RANK: Carried, Rank, 1, "rank that spent the least time on the file";
        FASTEST_RANK_BYTES: Carried, Bytes, 1, "bytes the fastest rank moved";
        SLOWEST_RANK: Carried, Rank, 1, "rank that spent the most time on the file";
        SLOWEST_RANK_BYTES: Carried, Bytes, 1, "bytes the slowest rank moved";
    }
    floats {
        OPEN_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first open";
        READ_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first read";
        WRITE_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first write";
        CLOSE_START_TIMESTAMP: MinNonZero, Timestamp, 1, "begin of the first close";
        OPEN_END_TIMESTAMP: Max, Timestamp, 1, "end of the last open";
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
    }
}
