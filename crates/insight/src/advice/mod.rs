//! Advice: the one place that knows what to type.
//!
//! A detector passes its numbers, a [`Setting`] says what the program is made of, and an
//! [`Advice`] comes back: one sentence, lines to paste, a snippet that compiles and the document
//! that says so. Only what was seen is spoken of: no `lfs` unless there is Lustre, no MPI unless
//! the run is parallel. Where an advice does not fit the setting, the one that does is returned.
//!
//! A module holds the advice about one thing: files and metadata ([`open_once`]), HDF5
//! ([`hdf5_chunk`]), MPI hints ([`aggregators`]), MPI calls ([`collective_write`]), ranks
//! ([`balance`]), requests ([`buffer_writes`]), storage ([`stripe`]) and text ([`text_output`]).

mod files;
mod hdf5;
mod hints;
mod mpi;
mod ranks;
mod requests;
mod see;
mod storage;
mod template;
mod text;
mod tools;
mod words;

pub use files::*;
pub use hdf5::*;
pub use hints::*;
pub use mpi::*;
pub use ranks::*;
pub use requests::*;
pub use storage::*;
pub use text::*;

use crate::finding::{Advice, Command, Language};
use template::Template;

/// Requests of this size are worth a call of the system.
const LARGE: u64 = 4 << 20;

/// A kind of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSystem {
    /// Lustre.
    Lustre,
    /// GPFS, also called Storage Scale.
    Gpfs,
    /// NFS.
    Nfs,
    /// A disk or memory of the machine itself.
    Local,
    /// Something else.
    Other,
    /// The log does not say.
    #[default]
    Unknown,
}

/// An implementation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MpiKind {
    /// Open MPI, whose own I/O layer ignores the hints of ROMIO.
    OpenMpi,
    /// MPICH or MVAPICH.
    Mpich,
    /// Cray MPICH.
    CrayMpich,
    /// Intel MPI.
    IntelMpi,
}

/// A library through which a program reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IoLibrary {
    /// MPI-IO itself.
    Mpi,
    /// HDF5.
    Hdf5,
    /// netCDF.
    Netcdf,
    /// PnetCDF.
    Pnetcdf,
}

/// The parts of the program and the place of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The language of the program. [`Language::Shell`] is a tool such as `tar`: only its options
    /// can be changed.
    pub language: Language,
    /// The name of the program, without directories.
    pub program: String,
    /// The command line, as the log has it: words without their quotes.
    pub command: String,
    /// The file it reads and the file it writes, if there is one of each; else empty.
    pub from_to: [String; 2],
    /// More is read than written.
    pub mostly_reads: bool,
    /// The file system of the files that the advice is about.
    pub file_system: FileSystem,
    /// It uses MPI-IO.
    pub has_mpi_io: bool,
    /// It uses HDF5.
    pub has_hdf5: bool,
    /// It uses netCDF.
    pub has_netcdf: bool,
    /// It uses PnetCDF.
    pub has_pnetcdf: bool,
    /// It is an MPI program.
    pub is_parallel: bool,
    /// The MPI implementation, if known.
    pub mpi: Option<MpiKind>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            language: Language::C,
            program: String::new(),
            command: String::new(),
            from_to: [String::new(), String::new()],
            mostly_reads: false,
            file_system: FileSystem::Unknown,
            has_mpi_io: false,
            has_hdf5: false,
            has_netcdf: false,
            has_pnetcdf: false,
            is_parallel: false,
            mpi: None,
        }
    }
}

impl Setting {
    /// The uppermost library, which is the one the program's own source calls.
    pub fn library(&self) -> IoLibrary {
        if self.has_pnetcdf {
            IoLibrary::Pnetcdf
        } else if self.has_netcdf {
            IoLibrary::Netcdf
        } else if self.has_hdf5 {
            IoLibrary::Hdf5
        } else {
            IoLibrary::Mpi
        }
    }

    /// There are several storage targets that can be chosen.
    fn is_lustre(&self) -> bool {
        self.file_system == FileSystem::Lustre
    }

    /// A tool: its options can be changed, its source cannot.
    fn is_tool(&self) -> bool {
        self.language == Language::Shell && !self.is_parallel
    }
}

/// A line that starts the program again, with `prefix` before it. There is none where the log does
/// not tell enough: how ranks were launched, or where the quotes were.
fn again(prefix: &str, setting: &Setting) -> Option<String> {
    if setting.is_parallel {
        return None;
    }
    Some(format!("{prefix}{}", words::command(&setting.command)?))
}

/// Puts an advice together.
impl Advice {
    fn of(text: impl Into<String>, see: &'static str) -> Self {
        Self { text: text.into(), see, ..Self::default() }
    }

    fn command(mut self, line: impl Into<String>, comment: &str) -> Self {
        self.commands.push(Command::new(line, comment));
        self
    }

    /// Adds a line to type, if there is a true one.
    fn command_if(self, line: Option<String>, comment: &str) -> Self {
        match line {
            Some(line) => self.command(line, comment),
            None => self,
        }
    }

    /// Adds a snippet in each language it exists in, the program's own first. Tools get none.
    fn snippet(
        mut self,
        setting: &Setting,
        template: &Template,
        values: &[(&str, String)],
    ) -> Self {
        if !setting.is_tool() {
            self.snippets.extend(template.fill(setting.language, values));
        }
        self
    }
}
