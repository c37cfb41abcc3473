//! MDHIM: counters with a histogram behind them.

use alloc::vec::Vec;

use ioglass_schema::FixedRecord;
use ioglass_schema::Module;
use ioglass_schema::mdhim::Mdhim;

use super::{Encode, extend_i64};

/// The store's counters and how many operations went to each server.
#[derive(Debug, Clone, PartialEq)]
pub struct MdhimServers {
    /// The counters.
    pub record: Mdhim,
    /// Operations by server.
    pub servers: Vec<i64>,
}

impl Encode for MdhimServers {
    fn module(&self) -> Option<&'static Module> {
        Some(&ioglass_schema::mdhim::MODULE)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.record.view().encode(bytes);
        extend_i64(bytes, &self.servers);
    }
}
