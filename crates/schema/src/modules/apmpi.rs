//! APMPI (AutoPerf): MPI calls of each rank.
//!
//! The capture begins with a header record; after it every rank has one record whose counters
//! follow from the list of operations.

use super::special;
use crate::module::{Layout, Module};

/// The module's table.
pub static MODULE: Module =
    special(14, "APMPI", (1, 1), Layout::Apmpi, "MPI calls, message sizes and times of each rank.");

/// Bytes of the header record.
pub const HEADER_SIZE: usize = 48;
/// Bytes of a rank's record.
pub const RECORD_SIZE: usize = 5232;
/// Bytes of the node's name that end a record.
pub const NODE_NAME_SIZE: usize = 128;
/// `APMPI` in the low five bytes, first letter highest.
pub const MAGIC: i64 = 0x41_50_4D_50_49;

/// Name of the header record.
pub const HEADER_NAME: &[u8] = b"darshan-apmpi-header";

/// Unsigned integers in a record.
pub const INTS: usize = 396;
/// Times in a record: total, least and greatest of every operation.
pub const TIMES: usize = 222;
/// Synchronisation times in a record.
pub const SYNC_TIMES: usize = 16;
/// Names of the times over all operations.
pub const GLOBAL_TIMES: [&str; 2] = ["MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME"];
/// Names of the header's variances.
pub const VARIANCES: [&str; 2] =
    ["MPI_TOTAL_COMM_TIME_VARIANCE", "MPI_TOTAL_COMM_SYNC_TIME_VARIANCE"];
/// Name of the node's name in text.
pub const NODE_NAME: &str = "MPI_PROCESSOR_NAME";

/// Integers that are counted for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Calls only.
    Calls,
    /// Calls, bytes and message sizes.
    Messages,
}
use Counted::{Calls, Messages};

/// Endings of the integers of an operation; only the first exists for [`Counted::Calls`].
pub const INT_SUFFIXES: [&str; 8] = [
    "_CALL_COUNT",
    "_TOTAL_BYTES",
    "_MSG_SIZE_AGG_0_256",
    "_MSG_SIZE_AGG_256_1K",
    "_MSG_SIZE_AGG_1K_8K",
    "_MSG_SIZE_AGG_8K_256K",
    "_MSG_SIZE_AGG_256K_1M",
    "_MSG_SIZE_AGG_1M_PLUS",
];
/// Endings of the times of an operation.
pub const TIME_SUFFIXES: [&str; 3] = ["_TOTAL_TIME", "_MIN_TIME", "_MAX_TIME"];
/// Ending of a synchronisation time.
pub const SYNC_SUFFIX: &str = "_TOTAL_SYNC_TIME";

/// Names of the integers in order, as an operation and an ending.
pub fn ints() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPERATIONS.iter().flat_map(|(counted, name)| {
        let suffixes = match counted {
            Calls => &INT_SUFFIXES[..1],
            Messages => &INT_SUFFIXES[..],
        };
        suffixes.iter().map(move |suffix| (*name, *suffix))
    })
}

/// Names of the times in order, as an operation and an ending.
pub fn times() -> impl Iterator<Item = (&'static str, &'static str)> {
    OPERATIONS.iter().flat_map(|(_, name)| TIME_SUFFIXES.iter().map(move |suffix| (*name, *suffix)))
}

/// Names of the synchronisation times in order: the barrier and the blocking collectives.
pub fn sync_times() -> impl Iterator<Item = (&'static str, &'static str)> {
    let barrier = OPERATIONS.iter().filter(|(_, name)| *name == "MPI_BARRIER");
    let collectives =
        OPERATIONS.iter().skip_while(|(_, name)| *name != "MPI_BCAST").take(SYNC_TIMES - 1);
    barrier.chain(collectives).map(|(_, name)| (*name, SYNC_SUFFIX))
}

/// The operations, in the order in which records store them.
pub const OPERATIONS: [(Counted, &str); 74] = [
    (Messages, "MPI_SEND"),
    (Messages, "MPI_SSEND"),
    (Messages, "MPI_RSEND"),
    (Messages, "MPI_BSEND"),
    (Messages, "MPI_RECV"),
    (Messages, "MPI_SENDRECV"),
    (Messages, "MPI_SENDRECV_REPLACE"),
    (Messages, "MPI_ISEND"),
    (Messages, "MPI_ISSEND"),
    (Messages, "MPI_IRSEND"),
    (Messages, "MPI_IBSEND"),
    (Messages, "MPI_IRECV"),
    (Calls, "MPI_PROBE"),
    (Calls, "MPI_IPROBE"),
    (Calls, "MPI_TEST"),
    (Calls, "MPI_TESTANY"),
    (Calls, "MPI_TESTALL"),
    (Calls, "MPI_TESTSOME"),
    (Calls, "MPI_WAIT"),
    (Calls, "MPI_WAITANY"),
    (Calls, "MPI_WAITALL"),
    (Calls, "MPI_WAITSOME"),
    (Calls, "MPI_BARRIER"),
    (Calls, "MPI_IBARRIER"),
    (Messages, "MPI_BCAST"),
    (Messages, "MPI_GATHER"),
    (Messages, "MPI_GATHERV"),
    (Messages, "MPI_SCATTER"),
    (Messages, "MPI_SCATTERV"),
    (Messages, "MPI_SCAN"),
    (Messages, "MPI_EXSCAN"),
    (Messages, "MPI_ALLGATHER"),
    (Messages, "MPI_ALLGATHERV"),
    (Messages, "MPI_REDUCE"),
    (Messages, "MPI_ALLREDUCE"),
    (Messages, "MPI_REDUCE_SCATTER"),
    (Messages, "MPI_ALLTOALL"),
    (Messages, "MPI_ALLTOALLV"),
    (Messages, "MPI_ALLTOALLW"),
    (Messages, "MPI_IBCAST"),
    (Messages, "MPI_IGATHER"),
    (Messages, "MPI_IGATHERV"),
    (Messages, "MPI_ISCATTER"),
    (Messages, "MPI_ISCATTERV"),
    (Messages, "MPI_ISCAN"),
    (Messages, "MPI_IEXSCAN"),
    (Messages, "MPI_IALLGATHER"),
    (Messages, "MPI_IALLGATHERV"),
    (Messages, "MPI_IREDUCE"),
    (Messages, "MPI_IALLREDUCE"),
    (Messages, "MPI_IREDUCE_SCATTER"),
    (Messages, "MPI_IALLTOALL"),
    (Messages, "MPI_IALLTOALLV"),
    (Messages, "MPI_IALLTOALLW"),
    (Messages, "MPI_PUT"),
    (Messages, "MPI_GET"),
    (Messages, "MPI_ACCUMULATE"),
    (Messages, "MPI_GET_ACCUMULATE"),
    (Calls, "MPI_FETCH_AND_OP"),
    (Calls, "MPI_COMPARE_AND_SWAP"),
    (Calls, "MPI_WIN_FENCE"),
    (Calls, "MPI_WIN_START"),
    (Calls, "MPI_WIN_COMPLETE"),
    (Calls, "MPI_WIN_POST"),
    (Calls, "MPI_WIN_WAIT"),
    (Calls, "MPI_WIN_TEST"),
    (Calls, "MPI_WIN_LOCK"),
    (Calls, "MPI_WIN_UNLOCK"),
    (Calls, "MPI_WIN_UNLOCK_ALL"),
    (Calls, "MPI_WIN_FLUSH"),
    (Calls, "MPI_WIN_FLUSH_ALL"),
    (Calls, "MPI_WIN_FLUSH_LOCAL"),
    (Calls, "MPI_WIN_FLUSH_LOCAL_ALL"),
    (Calls, "MPI_WIN_SYNC"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_fills_the_record() {
        assert_eq!(ints().count(), INTS);
        assert_eq!(times().count(), TIMES);
        assert_eq!(sync_times().count(), SYNC_TIMES);
        assert_eq!(sync_times().last(), Some(("MPI_ALLTOALLW", SYNC_SUFFIX)));
        let counters = INTS + TIMES + SYNC_TIMES + GLOBAL_TIMES.len();
        assert_eq!(16 + 8 * counters + NODE_NAME_SIZE, RECORD_SIZE);
    }
}
