//! MPI calls by rank.

use alloc::vec::Vec;

use ioglass_schema::Base;
use ioglass_schema::Module;
use ioglass_schema::apmpi::{INTS, MAGIC, NODE_NAME_SIZE, SYNC_TIMES, TIMES};

use super::{Encode, encode_base, extend_f64, extend_i64, extend_padded, extend_u64};

/// A record of the module: the header comes first, then one record per rank.
#[derive(Debug, Clone, PartialEq)]
pub enum Apmpi {
    /// The record of all ranks.
    Header(ApmpiHeader),
    /// One rank.
    Rank(ApmpiRank),
}

/// The facts of all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ApmpiHeader {
    /// Id and rank.
    pub base: Base,
    /// Not 0 if synchronisation was timed apart.
    pub sync: u32,
    /// Variance over ranks of all MPI time, and of synchronisation time.
    pub variances: [f64; 2],
}

/// MPI calls of one rank.
#[derive(Debug, Clone, PartialEq)]
pub struct ApmpiRank {
    /// Id and rank.
    pub base: Base,
    /// Calls, bytes and message sizes.
    pub ints: Vec<u64>,
    /// Total, least and greatest time of every operation.
    pub times: Vec<f64>,
    /// Synchronisation times.
    pub sync_times: Vec<f64>,
    /// Time in all calls, and in all synchronisation.
    pub global: [f64; 2],
    /// Host the rank ran on.
    pub node_name: Vec<u8>,
}

impl Default for ApmpiRank {
    fn default() -> Self {
        Self {
            base: Base::default(),
            ints: alloc::vec![0; INTS],
            times: alloc::vec![0.0; TIMES],
            sync_times: alloc::vec![0.0; SYNC_TIMES],
            global: [0.0; 2],
            node_name: Vec::new(),
        }
    }
}

impl Encode for Apmpi {
    fn module(&self) -> Option<&'static Module> {
        Some(&ioglass_schema::apmpi::MODULE)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Header(header) => {
                encode_base(header.base, bytes);
                extend_i64(bytes, &[MAGIC]);
                extend_u64(bytes, &[u64::from(header.sync)]);
                extend_f64(bytes, &header.variances);
            }
            Self::Rank(rank) => {
                encode_base(rank.base, bytes);
                extend_u64(bytes, &rank.ints);
                extend_f64(bytes, &rank.times);
                extend_f64(bytes, &rank.sync_times);
                extend_f64(bytes, &rank.global);
                extend_padded(bytes, &rank.node_name, NODE_NAME_SIZE);
            }
        }
    }
}
