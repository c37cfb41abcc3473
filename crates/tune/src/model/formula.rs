//! The formula.

use super::kernel::Workload;
use super::stack::{Resolved, Stack, nodes};
use super::{FileSystem, Model};

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;

/// How the data is cut into requests.
struct Requests {
    /// Processes that write.
    writers: f64,
    /// Bytes of a request.
    size: f64,
    /// Bytes that belong together to one writer.
    segment: f64,
}

/// The seconds that a workload takes.
pub(super) fn seconds(model: &Model, work: &Workload, stack: &Stack) -> f64 {
    let c = stack.resolved(model);
    let fit = &model.platform.fit;
    let bytes = work.bytes();
    let requests = requests(model, work, &c);
    let data = bytes / rate(model, work, &c, &requests);
    let exchange = if work.collective {
        exchange(model, work, &c)
    } else {
        let count = bytes / work.ranks / requests.segment.min(64.0 * MIB);
        let chunks = (work.per_call * work.ranks / c.chunk.max(1.0)).max(1.0);
        let chunk_time =
            if c.chunk > 0.0 { work.calls * chunks * fit.chunk_time / 16.0 } else { 0.0 };
        count * fit.independent_time + chunk_time
    };
    let metadata =
        fit.open_time + fit.object_time * c.stripes + work.calls * 2e-3 * work.ranks.log2();
    data + exchange + metadata
}

fn requests(model: &Model, work: &Workload, c: &Resolved) -> Requests {
    let call = work.per_call * work.ranks;
    if !work.collective {
        // In a chunk that holds its slab, a rank's data is contiguous.
        let segment =
            if c.chunk > 0.0 { c.chunk.max(work.run).min(work.per_call) } else { work.run };
        return Requests { writers: work.ranks, size: segment, segment };
    }
    let owned = call / c.writers;
    let segment = match model.platform.file_system {
        // The driver for Lustre deals out whole stripes.
        FileSystem::Lustre => owned.max(c.stripe_size),
        FileSystem::Gpfs => owned,
    };
    Requests {
        writers: c.writers.min((call / c.buffer).max(1.0)),
        size: c.buffer.min(owned),
        segment,
    }
}

/// Expected lock conflicts of a piece.
fn conflicts(model: &Model, work: &Workload, c: &Resolved, requests: &Requests) -> f64 {
    let fit = &model.platform.fit;
    let is_lustre = model.platform.file_system == FileSystem::Lustre;
    let piece = requests.size.min(c.stripe_size);
    let sharers = (requests.writers / c.stripes).max(1.0);
    let is_grain_aligned =
        c.boundary % c.stripe_size.min(64.0 * KIB) == 0.0 && c.boundary >= 4096.0;
    let is_stripe_aligned = c.boundary % c.stripe_size == 0.0;
    let mut shared = (c.stripe_size / requests.segment).min(1.0);
    shared *= match (is_stripe_aligned, is_grain_aligned) {
        (true, _) => 0.15,
        (false, true) => 0.5,
        (false, false) => 1.0,
    };
    if work.collective && is_lustre {
        shared *= 0.3;
    }
    let conflicts = shared + fit.sharing * (1.0 - 1.0 / sharers) * (4.0 * MIB / piece).min(1.0);
    if is_lustre {
        return conflicts;
    }
    // A token makes a round trip for each request, which grows with the number of writers.
    let trip = (requests.writers / 8.0).powf(fit.token_growth);
    match (work.collective, c.lockless) {
        (true, true) => 0.0,
        (true, false) => conflicts + piece / requests.size * trip,
        (false, _) => conflicts * trip * 0.1 + piece / requests.size,
    }
}

/// Bytes per second: the soft minimum of targets, clients and fabric.
fn rate(model: &Model, work: &Workload, c: &Resolved, requests: &Requests) -> f64 {
    let (platform, fit) = (model.platform, &model.platform.fit);
    let Requests { writers, size, .. } = *requests;
    let piece = size.min(c.stripe_size);
    let sharers = (writers / c.stripes).max(1.0);
    let piece_time = (piece / fit.request_size).ceil() * fit.request_time
        + piece / fit.target_rate
        + conflicts(model, work, c, requests) * fit.lock_time;
    let one_target = piece / piece_time / (1.0 + fit.crowding * sharers.ln());
    let stripes = (work.per_call * work.ranks / c.stripe_size).max(1.0);
    let busy = c.stripes.min(writers * (size / c.stripe_size).ceil()).min(stripes);
    let imbalance = if stripes < c.stripes {
        1.0
    } else {
        (stripes / c.stripes).ceil() / (stripes / c.stripes)
    };
    let targets = busy * one_target / imbalance;
    let nodes = nodes(work.ranks, platform.ranks_per_node);
    let clients = (nodes.min(writers) * fit.node_rate).min(writers * fit.process_rate);
    let p = fit.softness;
    let soft = targets.powf(-p) + clients.powf(-p) + fit.fabric_rate.powf(-p);
    let blocks = match (platform.file_system, c.large_blocks) {
        (FileSystem::Gpfs, true) if size >= 8.0 * MIB => 1.06,
        (FileSystem::Gpfs, true) => 0.94,
        _ => 1.0,
    };
    soft.powf(-1.0 / p) * blocks
}

/// Seconds of the exchange before collective writes.
fn exchange(model: &Model, work: &Workload, c: &Resolved) -> f64 {
    let (platform, fit) = (model.platform, &model.platform.fit);
    let rounds = work.calls * (work.per_call * work.ranks / (c.writers.max(1.0) * c.buffer)).ceil();
    let parts = if work.runs > 1 { 4.0 } else { 1.0 };
    let senders = ((c.buffer / work.per_call).max(1.0) * parts).min(work.ranks);
    let nodes = (work.ranks / platform.ranks_per_exchange).ceil().min(4.0 * c.writers);
    work.bytes() / (nodes * fit.exchange_rate * platform.exchange_share)
        + rounds * fit.exchange_time * (work.ranks.log2() + senders)
}
