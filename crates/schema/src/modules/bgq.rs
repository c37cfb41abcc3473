//! BG/Q: the partition a Blue Gene/Q job ran on; one record per job.

/// The name that tools print for a record, which has none.
pub const RECORD_NAME: &str = "darshan-bgq-record";

crate::module::module! {
    /// The partition of a Blue Gene/Q job.
    Bgq, "BG/Q", id 7, version 2, prefix "BGQ_", size 112;
    ints {
        CSJOBID: Last, Mode, 1, "control system job id";
        NNODES: Last, Count, 1, "compute nodes";
        RANKSPERNODE: Last, Count, 1, "ranks on a node";
        DDRPERNODE: Last, Count, 1, "memory of a node in MiB";
        INODES: Last, Count, 1, "I/O nodes";
        ANODES: Last, Count, 1, "nodes along torus dimension A";
        BNODES: Last, Count, 1, "nodes along torus dimension B";
        CNODES: Last, Count, 1, "nodes along torus dimension C";
        DNODES: Last, Count, 1, "nodes along torus dimension D";
        ENODES: Last, Count, 1, "nodes along torus dimension E";
        TORUSENABLED: Last, Mode, 1, "bit mask of the torus dimensions in use";
    }
    floats {
        TIMESTAMP: MinNonZero, Timestamp, 1, "time at which the record was taken";
    }
}
