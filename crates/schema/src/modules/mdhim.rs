//! MDHIM: a key-value store; one record per job, followed by a histogram over its servers.

crate::module::module! {
    /// Operations on an MDHIM store.
    Mdhim, "MDHIM", id 12, version 1, prefix "MDHIM_", size 88, layout Mdhim;
    ints {
        PUTS: Sum, Count, 1, "puts";
        GETS: Sum, Count, 1, "gets";
        PUT_MAX_SIZE: Carried, Bytes, 1, "size of the slowest put";
        GET_MAX_SIZE: Carried, Bytes, 1, "size of the slowest get";
        SERVERS: Last, Count, 1, "servers";
    }
    floats {
        PUT_TIMESTAMP: MinNonZero, Timestamp, 1, "first put";
        GET_TIMESTAMP: MinNonZero, Timestamp, 1, "first get";
        PUT_MAX_DURATION: MaxWith(PUT_MAX_SIZE), Seconds, 1, "time of the slowest put";
        GET_MAX_DURATION: MaxWith(GET_MAX_SIZE), Seconds, 1, "time of the slowest get";
    }
}

/// Names of servers in text begin so; the server's number follows.
pub const SERVER: &str = "MDHIM_SERVER_";
