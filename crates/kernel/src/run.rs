//! A run: writes the file, times it, and reads it back.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::data::Place;
use crate::hdf5::{Failed, Hdf5};
use crate::libraries::{Libraries, Stack};
use crate::mpi::Mpi;
use crate::shape::{Misfit, Part, Shape};

/// How ranks write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// All together.
    Collective,
    /// Each for itself.
    Independent,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The pattern.
    pub shape: Shape,
    /// The file.
    pub file: PathBuf,
    /// Steps, each with datasets of its own.
    pub steps: u64,
    /// How ranks write.
    pub transfer: Transfer,
    /// Chunks of the datasets; none leaves them contiguous.
    pub chunk: Option<Vec<u64>>,
    /// Reads everything back and compares it.
    pub read_back: bool,
    /// The seed of the data.
    pub seed: u64,
}

/// What came of it. Every rank has the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Name and version of this format: `ioglass.kernel/1`.
    pub schema: String,
    /// The kernel.
    pub kernel: String,
    /// The model that answered, such as `hopper-2048`; null if the kernel ran.
    pub model: Option<String>,
    /// Ranks.
    pub ranks: u64,
    /// Bytes of all ranks.
    pub bytes: u64,
    /// Seconds from before the file is made until after it is closed, on the slowest rank.
    pub seconds: f64,
    /// 10⁶ bytes in a second.
    pub bandwidth_mb_s: f64,
    /// True if what was read back is what was written, false if not, null if nothing was read.
    pub verified: Option<bool>,
}

impl Outcome {
    /// Name and version of the format.
    pub const SCHEMA: &str = "ioglass.kernel/1";

    /// The outcome of moving so many bytes in so many seconds.
    pub fn new(kernel: &str, model: Option<String>, ranks: u64, bytes: u64, seconds: f64) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            kernel: kernel.to_owned(),
            model,
            ranks,
            bytes,
            seconds,
            bandwidth_mb_s: bytes as f64 / 1e6 / seconds.max(f64::MIN_POSITIVE),
            verified: None,
        }
    }
}

/// A reason why a kernel cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// So many ranks cannot write this shape, or chunks do not fit it.
    #[error(transparent)]
    Shape(#[from] Misfit),
    /// MPI cannot be used.
    #[error("MPI cannot be used: {0} failed or is missing")]
    Mpi(&'static str),
    /// HDF5 failed; it has said why.
    #[error("HDF5: {0} failed on rank {1}")]
    Hdf5(&'static str, u64),
}

/// Ranks that were started together, with MPI initialized if there is one. It is finalized when this is
/// dropped.
pub struct Session<'l> {
    libraries: &'l Libraries,
    mpi: Mpi,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.mpi.rank, self.mpi.ranks)
    }
}

impl<'l> Session<'l> {
    /// Initializes MPI.
    ///
    /// # Errors
    /// If that fails.
    pub fn start(libraries: &'l Libraries) -> Result<Self, KernelError> {
        let mpi = match libraries.stack {
            Stack::Serial => Mpi::none(),
            Stack::Mpich | Stack::OpenMpi => Mpi::start().map_err(KernelError::Mpi)?,
        };
        Ok(Self { libraries, mpi })
    }

    /// This is the rank that tells what came of a run.
    pub fn is_first(&self) -> bool {
        self.mpi.rank == 0
    }

    /// Runs a kernel on all ranks.
    ///
    /// # Errors
    /// [`KernelError::Shape`] on all ranks, before anything is done; [`KernelError::Hdf5`] on one rank,
    /// for which others may wait: see [`Session::end_all`].
    pub fn run(&self, work: &Work) -> Result<Outcome, KernelError> {
        let Mpi { rank, ranks, .. } = self.mpi;
        let parts = work.shape.parts(rank, ranks)?;
        fit(work, &parts)?;
        let moved = self.write(work, &parts);
        moved.map_err(|Failed(name)| KernelError::Hdf5(name, rank))
    }

    /// Ends all ranks, because this one cannot go on. One rank alone goes on.
    pub fn end_all(&self) {
        self.mpi.abort();
    }

    fn write(&self, work: &Work, parts: &[Part]) -> Result<Outcome, Failed> {
        let mpi = &self.mpi;
        let numbered = || (0..).zip(parts);
        let place = |step, dataset| Place { seed: work.seed, step, dataset };
        // A kernel has its data before it writes.
        let data: Vec<Vec<u8>> = (0..work.steps)
            .flat_map(|step| numbered().map(move |(number, part)| place(step, number).bytes(part)))
            .collect();
        let is_collective = work.transfer == Transfer::Collective;
        let functions = self.libraries.functions;
        let hdf5 = Hdf5::new(functions, mpi.world(), is_collective, work.chunk.as_deref())?;
        mpi.barrier();
        let begin = Instant::now();
        let file = hdf5.create_file(&work.file)?;
        let mut rest = data.iter();
        for step in 0..work.steps {
            let group = hdf5.create_group(&file, &group_of(step))?;
            for (part, bytes) in parts.iter().zip(&mut rest) {
                hdf5.write(&group, part, bytes)?;
            }
        }
        file.closed("H5Fclose")?;
        mpi.barrier();
        let seconds = mpi.largest(begin.elapsed().as_secs_f64());
        let bytes = parts.iter().map(Part::dataset_bytes).sum::<u64>() * work.steps;
        let mut outcome = Outcome::new(work.shape.name(), None, mpi.ranks, bytes, seconds);
        if work.read_back {
            let file = hdf5.open_file(&work.file)?;
            let mut is_same = true;
            for step in 0..work.steps {
                let group = hdf5.open_group(&file, &group_of(step))?;
                for (number, part) in numbered() {
                    is_same &= place(step, number).is(part, &hdf5.read(&group, part)?);
                }
            }
            file.closed("H5Fclose")?;
            outcome.verified = Some(mpi.largest(f64::from(u8::from(!is_same))) == 0.0);
        }
        Ok(outcome)
    }
}

/// Whether chunks fit the datasets.
fn fit(work: &Work, parts: &[Part]) -> Result<(), Misfit> {
    let (Some(chunk), Some(part)) = (&work.chunk, parts.first()) else { return Ok(()) };
    let (sides, dimensions) = (chunk.len(), part.extent.len());
    if sides != dimensions {
        let name = work.shape.name();
        let text =
            format!("datasets of {name} have {dimensions} dimensions, the chunk has {sides}");
        return Err(Misfit(text));
    }
    let longer = chunk.iter().zip(&part.extent).find(|(side, extent)| side > extent);
    longer.map_or(Ok(()), |(side, extent)| {
        Err(Misfit(format!("a chunk of {side} is longer than the dataset, which has {extent}")))
    })
}

/// The group of a step, as H5Part names it.
fn group_of(step: u64) -> String {
    format!("Step#{step}")
}
