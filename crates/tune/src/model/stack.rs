//! Settings as the formula knows them.

use ioglass_param::{Value, find};

use super::{FileSystem, Model};

/// Settings of the stack; none is the platform's default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stack {
    /// Stripes.
    pub stripes: Option<f64>,
    /// Bytes of a stripe.
    pub stripe_size: Option<f64>,
    /// Processes that write for the others.
    pub writers: Option<f64>,
    /// The buffer of such a process.
    pub buffer: Option<f64>,
    /// Boundary of aligned objects.
    pub boundary: Option<f64>,
    /// Bytes of a chunk.
    pub chunk: Option<f64>,
    /// Files without locks.
    pub lockless: bool,
    /// Large blocks.
    pub large_blocks: bool,
}

/// A setting that the model has no use for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the model knows no {0}")]
pub struct Unsuitable(pub String);

impl Stack {
    /// The stack of settings with canonical values.
    ///
    /// # Errors
    /// At a parameter that the formula does not have.
    pub fn of<'a>(
        settings: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Stack, Unsuitable> {
        let mut stack = Stack::default();
        for (name, text) in settings {
            let unsuitable = || Unsuitable(name.to_owned());
            let (param, _) = find(name).ok_or_else(unsuitable)?;
            let value = param.kind.parse(text).map_err(|_| unsuitable())?;
            let number = match value {
                Value::Number(number) => Some(number as f64),
                Value::Alignment(_, boundary) => Some(boundary as f64),
                _ => None,
            };
            let flag = value == Value::Flag(true);
            match name {
                "fs.striping_factor" => stack.stripes = number,
                "fs.striping_unit" => stack.stripe_size = number,
                "mpiio.cb_nodes" | "mpiio.bgl_nodes_pset" => stack.writers = number,
                "mpiio.cb_buffer_size" => stack.buffer = number,
                "hdf5.alignment" => stack.boundary = number,
                "hdf5.chunk_bytes" => stack.chunk = number,
                "fs.IBM_lockless_io" => stack.lockless = flag,
                "mpiio.IBM_largeblock_io" => stack.large_blocks = flag,
                _ => return Err(unsuitable()),
            }
        }
        Ok(stack)
    }

    /// All numbers, with the defaults of a platform.
    pub(super) fn resolved(&self, model: &Model) -> Resolved {
        let platform = model.platform;
        let ranks = model.ranks as f64;
        let is_lustre = platform.file_system == FileSystem::Lustre;
        let nodes = nodes(ranks, platform.ranks_per_node);
        let writers = if is_lustre { platform.stripes } else { 8.0 * nodes };
        let buffer = if is_lustre { platform.stripe_size * 4.0 } else { 16.0 * 1_048_576.0 };
        Resolved {
            stripes: self.stripes.unwrap_or(platform.stripes).min(platform.targets as f64),
            stripe_size: self.stripe_size.unwrap_or(platform.stripe_size),
            writers: self.writers.unwrap_or(writers).min(ranks),
            buffer: self.buffer.unwrap_or(buffer),
            boundary: self.boundary.unwrap_or(1.0),
            chunk: self.chunk.unwrap_or(0.0),
            lockless: self.lockless,
            large_blocks: self.large_blocks,
        }
    }
}

/// Nodes of so many ranks.
pub(super) fn nodes(ranks: f64, ranks_per_node: f64) -> f64 {
    (ranks / ranks_per_node).ceil().max(1.0)
}

/// Settings without gaps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolved {
    pub(super) stripes: f64,
    pub(super) stripe_size: f64,
    pub(super) writers: f64,
    pub(super) buffer: f64,
    pub(super) boundary: f64,
    pub(super) chunk: f64,
    pub(super) lockless: bool,
    pub(super) large_blocks: bool,
}
