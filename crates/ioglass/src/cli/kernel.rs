//! Arguments of `ioglass kernel`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use ioglass_tune::model::Model;

/// Run an I/O kernel: a program that only writes a file, as a real code does
///
/// The kernels are those of the SC13 paper on auto-tuning, over HDF5 and MPI, which are found at run time.
/// They serve to try settings, and to see what a finding looks like. All ranks together write one file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mpirun -n 4 ioglass kernel vorpal --steps 8
  ioglass run -- mpirun -n 2 ioglass kernel gcrm                 record it and diagnose its I/O
  ioglass apply -s hdf5.fill_time=never -- mpirun -n 2 ioglass kernel gcrm --chunk 1,26,40960
  ioglass kernel vpic --model hopper-2048 --settings best.toml   what a model of the paper's machine says

Exit status: 0; 1 if what was read back differs; 2 wrong usage; 3 bad settings; 5 if HDF5 or MPI is
missing or fails.")]
pub(crate) struct Kernel {
    #[command(subcommand)]
    pub(crate) shape: KernelShape,
}

/// The kernels.
#[derive(Debug, Subcommand)]
pub(crate) enum KernelShape {
    /// Particles of a plasma: each rank writes one slab of each of eight datasets
    Vpic {
        /// Particles of each rank.
        #[arg(long, value_name = "N", default_value_t = 8 << 20, value_parser = positive)]
        particles: u64,
        #[command(flatten)]
        options: KernelOptions,
    },
    /// Blocks of a field: each rank writes many short rows of a dataset of three dimensions
    Vorpal {
        /// Cells of a block along x, y and z.
        #[arg(long, value_name = "X,Y,Z", default_value = "100,100,60", value_parser = sides)]
        block: [u64; 3],
        /// Blocks along x, y and z, one for each rank. The default divides the ranks evenly.
        #[arg(long, value_name = "PX,PY,PZ", value_parser = sides)]
        grid: Option<[u64; 3]>,
        /// Let blocks in turn have so many cells less, as many, and so many more.
        #[arg(long, value_name = "DX,DY,DZ", default_value = "0,0,0", value_parser = numbers)]
        uneven: [u64; 3],
        #[command(flatten)]
        options: KernelOptions,
    },
    /// A mesh around the earth: each rank writes a range of cells on each of 26 levels
    Gcrm {
        /// The mesh has 10 times 4 to the power of this cells.
        #[arg(long, value_name = "R", default_value_t = 7, value_parser = clap::value_parser!(u32).range(..=28))]
        resolution: u32,
        /// They are dealt to ranks as 10 times 4 to the power of this sub-domains. The default is the
        /// least that is enough.
        #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(..=28))]
        subdomains: Option<u32>,
        #[command(flatten)]
        options: KernelOptions,
    },
}

/// Options of all kernels.
#[derive(Debug, Args)]
pub(crate) struct KernelOptions {
    /// The file that is written. The default is the kernel's name with .h5.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = NonEmptyStringValueParser::new(), conflicts_with = "model")]
    pub(crate) file: Option<String>,
    /// Steps, each with datasets of its own; 4, and 1 of vpic.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=1_000_000), conflicts_with = "model")]
    pub(crate) steps: Option<u64>,
    /// All ranks write together. This is the default.
    #[arg(long, conflicts_with_all = ["independent", "model"])]
    pub(crate) collective: bool,
    /// Each rank writes for itself.
    #[arg(long, conflicts_with = "model")]
    pub(crate) independent: bool,
    /// Give the datasets chunks of this shape. Without it they are contiguous.
    #[arg(long, value_name = "D0,D1,…", value_delimiter = ',', value_parser = positive, conflicts_with = "model")]
    pub(crate) chunk: Vec<u64>,
    /// Read everything back and compare it.
    #[arg(long, conflicts_with = "model")]
    pub(crate) read_back: bool,
    /// The seed of the data.
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "model")]
    pub(crate) seed: u64,
    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// The MPI to use. The default is that of the launcher, and none without one.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "model")]
    pub(crate) mpi: Option<MpiName>,
    /// The library of HDF5 to use.
    #[arg(long, value_name = "LIB", value_hint = ValueHint::FilePath, conflicts_with = "model")]
    pub(crate) hdf5: Option<PathBuf>,
    /// Run nothing: say what a model of this machine and number of ranks says, such as hopper-2048.
    /// Sizes are those of the paper.
    #[arg(long, value_name = "PLATFORM-P", value_parser = str::parse::<Model>)]
    pub(crate) model: Option<Model>,
    /// The settings of the model; for a kernel that runs there is `ioglass apply`.
    #[arg(long, value_name = "FILE", requires = "model", value_hint = ValueHint::FilePath)]
    pub(crate) settings: Option<PathBuf>,
}

/// Names of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MpiName {
    /// MPICH, or one of its kind.
    Mpich,
    /// Open MPI.
    Openmpi,
}

/// The longest side; larger ones make no dataset.
const LONGEST: u64 = 1 << 40;

fn positive(text: &str) -> Result<u64, String> {
    match number(text)? {
        0 => Err("it must not be 0".into()),
        number => Ok(number),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let number = text.parse().map_err(|_| format!("'{text}' is no whole number"))?;
    if number > LONGEST { Err(format!("{LONGEST} is the most")) } else { Ok(number) }
}

/// Three numbers from 1.
fn sides(text: &str) -> Result<[u64; 3], String> {
    let sides = numbers(text)?;
    if sides.contains(&0) { Err("none of them must be 0".into()) } else { Ok(sides) }
}

fn numbers(text: &str) -> Result<[u64; 3], String> {
    let all: Vec<u64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    all.try_into().map_err(|_| "expected three numbers: X,Y,Z".into())
}
