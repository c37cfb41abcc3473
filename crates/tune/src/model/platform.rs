//! Platforms of the paper, with numbers fitted to its tables.

/// A kind of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystem {
    /// Stripes on storage targets, chosen per file.
    Lustre,
    /// Blocks on all targets, with tokens per request.
    Gpfs,
}

/// A platform.
#[derive(Debug)]
pub struct Platform {
    /// The name that people type.
    pub name: &'static str,
    /// The kind of its file system.
    pub file_system: FileSystem,
    /// Storage targets.
    pub targets: u64,
    /// Ranks per node; on Intrepid per I/O node.
    pub(super) ranks_per_node: f64,
    /// Ranks per node that takes part in the exchange.
    pub(super) ranks_per_exchange: f64,
    /// The share of a node's rate that the exchange has.
    pub(super) exchange_share: f64,
    /// Stripes by default.
    pub(super) stripes: f64,
    /// Bytes of a stripe by default.
    pub(super) stripe_size: f64,
    /// The fitted numbers.
    pub(super) fit: Fit,
}

/// Fitted numbers, in bytes and seconds.
#[derive(Debug)]
pub(super) struct Fit {
    /// Bytes per second of a storage target.
    pub(super) target_rate: f64,
    /// Bytes per second of a node.
    pub(super) node_rate: f64,
    /// Bytes per second of a process.
    pub(super) process_rate: f64,
    /// Bytes per second of the fabric.
    pub(super) fabric_rate: f64,
    /// Seconds of a request to a target.
    pub(super) request_time: f64,
    /// Seconds of a lock conflict.
    pub(super) lock_time: f64,
    /// Weight of conflicts among writers of one object.
    pub(super) sharing: f64,
    /// Loss of a target with the logarithm of its writers.
    pub(super) crowding: f64,
    /// Seconds to make an object of the file.
    pub(super) object_time: f64,
    /// Seconds to open the file.
    pub(super) open_time: f64,
    /// Seconds of a round of exchange, per sender.
    pub(super) exchange_time: f64,
    /// Bytes per second of a node in the exchange.
    pub(super) exchange_rate: f64,
    /// Seconds of an independent request.
    pub(super) independent_time: f64,
    /// Exponent of the soft minimum.
    pub(super) softness: f64,
    /// Bytes of a request to a target.
    pub(super) request_size: f64,
    /// Seconds of a chunk.
    pub(super) chunk_time: f64,
    /// Growth of a token's round trip with the number of writers.
    pub(super) token_growth: f64,
}

const MIB: f64 = 1_048_576.0;

/// All platforms.
pub static PLATFORMS: [Platform; 3] = [
    Platform {
        name: "hopper",
        file_system: FileSystem::Lustre,
        targets: 156,
        ranks_per_node: 24.0,
        ranks_per_exchange: 24.0,
        exchange_share: 1.0,
        stripes: 2.0,
        stripe_size: 1.0 * MIB,
        fit: Fit {
            target_rate: 388881697.153858,
            node_rate: 554780062.6825722,
            process_rate: 329226016.8058666,
            fabric_rate: 17912883007.06849,
            request_time: 0.0001375663191012851,
            lock_time: 0.0005107204095453477,
            sharing: 0.09995766790665277,
            crowding: 0.08985402086466698,
            object_time: 0.018578634637577536,
            open_time: 0.05,
            exchange_time: 0.00039210058677489304,
            exchange_rate: 1500000000.0,
            independent_time: 5.852079902128362e-05,
            softness: 3.0,
            request_size: 1048576.0,
            chunk_time: 0.0015,
            token_growth: 0.3,
        },
    },
    Platform {
        name: "stampede",
        file_system: FileSystem::Lustre,
        targets: 160,
        ranks_per_node: 16.0,
        ranks_per_exchange: 16.0,
        exchange_share: 1.0,
        stripes: 2.0,
        stripe_size: 1.0 * MIB,
        fit: Fit {
            target_rate: 381624634.46302295,
            node_rate: 350605264.56615657,
            process_rate: 277302400.4657849,
            fabric_rate: 16131097012.658588,
            request_time: 8.178098146755409e-05,
            lock_time: 0.0005215464540757965,
            sharing: 0.18327082818814902,
            crowding: 0.39244778428118937,
            object_time: 0.02367306136508329,
            open_time: 0.05,
            exchange_time: 1.3650549308948195e-05,
            exchange_rate: 1500000000.0,
            independent_time: 8.108727880398797e-05,
            softness: 3.0,
            request_size: 1048576.0,
            chunk_time: 0.0015,
            token_growth: 0.3,
        },
    },
    Platform {
        name: "intrepid",
        file_system: FileSystem::Gpfs,
        targets: 128,
        ranks_per_node: 256.0,
        ranks_per_exchange: 4.0,
        exchange_share: 0.25,
        stripes: 128.0,
        stripe_size: 4.0 * MIB,
        fit: Fit {
            target_rate: 53683544.027093835,
            node_rate: 1363880149.4874475,
            process_rate: 176029357.79026785,
            fabric_rate: 13785415319.440727,
            request_time: 0.0005215999958329224,
            lock_time: 0.07769147821847294,
            sharing: 2.439689852608838,
            crowding: 0.006946144350175476,
            object_time: 0.003,
            open_time: 0.05,
            exchange_time: 0.008802727378072545,
            exchange_rate: 1500000000.0,
            independent_time: 0.18945246684048797,
            softness: 3.0,
            request_size: 1048576.0,
            chunk_time: 0.011767480829991841,
            token_growth: 0.41648888211252094,
        },
    },
];

/// The names of all platforms, as text.
pub(super) fn names() -> String {
    let names: Vec<&str> = PLATFORMS.iter().map(|platform| platform.name).collect();
    names.join(", ")
}
