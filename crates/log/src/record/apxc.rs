//! Network tile counters of Cray XC routers.

use alloc::vec::Vec;

use ioglass_schema::Base;
use ioglass_schema::Module;
use ioglass_schema::apxc::MAGIC;

use super::{Encode, encode_base, extend_i64, extend_u64};

/// A record of the module: the header comes first, then one record per router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Apxc {
    /// The record of the whole job.
    Header(ApxcHeader),
    /// One router.
    Router(ApxcRouter),
}

/// The machine the job ran on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApxcHeader {
    /// Id and rank.
    pub base: Base,
    /// Blades.
    pub blades: i64,
    /// Chassis.
    pub chassis: i64,
    /// Groups.
    pub groups: i64,
    /// Memory mode of the nodes.
    pub memory_mode: i64,
    /// Cluster mode of the nodes.
    pub cluster_mode: i64,
    /// The launcher's number of the application.
    pub appid: u64,
}

/// Counters of one router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApxcRouter {
    /// Id and rank.
    pub base: Base,
    /// Group, chassis, blade and node.
    pub place: [i64; 4],
    /// Flits and stalls by tile.
    pub counters: Vec<u64>,
}

impl Encode for Apxc {
    fn module(&self) -> Option<&'static Module> {
        Some(&ioglass_schema::apxc::MODULE)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Header(header) => {
                encode_base(header.base, bytes);
                extend_i64(
                    bytes,
                    &[
                        MAGIC,
                        header.blades,
                        header.chassis,
                        header.groups,
                        header.memory_mode,
                        header.cluster_mode,
                    ],
                );
                extend_u64(bytes, &[header.appid]);
            }
            Self::Router(router) => {
                encode_base(router.base, bytes);
                extend_i64(bytes, &router.place);
                extend_u64(bytes, &router.counters);
            }
        }
    }
}
