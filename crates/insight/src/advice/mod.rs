//! Advice: the one place that knows what to type.
//!
//! A detector passes its numbers, a [`Setting`] says what the program is made of, and an
//! [`Advice`] comes back: one sentence, lines to paste, a snippet that compiles and the document
//! that says so. Nothing that is pasted destroys data: code opens files as the program does now, and
//! commands write to new names. Only what was seen is spoken of: no `lfs` unless there is Lustre, no MPI unless
//! the run is parallel. Where an advice does not fit the setting, the one that does is returned.
//! If nothing is known to help a tool, its advice is empty.
//!
//! A module holds the advice about one thing: databases ([`one_transaction`]), files and metadata
//! ([`open_once`]), HDF5
//! ([`hdf5_chunk`]), MPI hints ([`aggregators`]), MPI calls ([`collective_write`]), ranks
//! ([`balance`]), requests ([`buffer_writes`]), storage ([`stripe`]) and text ([`text_output`]).

mod database;
mod files;
mod hdf5;
mod hints;
mod mpi;
mod ranks;
mod requests;
mod see;
mod settings;
mod storage;
mod template;
mod text;
mod tools;
mod words;

pub(crate) use database::{JOURNALS, journal_of, name_of};
pub use database::{one_transaction, page_cache};
pub use files::*;
pub use hdf5::*;
pub use hints::*;
pub use mpi::*;
pub use ranks::*;
pub use requests::*;
pub use storage::*;
pub use text::*;

use crate::finding::{Advice, Command, Language};
use crate::tunable::Tunable;
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

/// The file that an advice is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetFile {
    /// Its path, that of the database for a journal; empty if there is no file. Do not trust it.
    pub path: String,
    /// It is the only file of the run, so that its name can stand in code.
    pub is_only: bool,
    /// Several ranks use it.
    pub is_shared: bool,
    /// It is used through MPI-IO.
    pub is_mpi_io: bool,
    /// It is a database of SQLite, or its journal.
    pub is_database: bool,
    /// HDF5 made it.
    pub is_hdf5: bool,
    /// Bytes of a part, if datasets without chunks are written in parts that may lie scattered over
    /// the file.
    pub part: Option<u64>,
}

/// The parts of the program and the place of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The language of the process that did the I/O. [`Language::Shell`] is a script, a tool such
    /// as `tar`, or a language without snippets.
    pub language: Language,
    /// The name of that process's program, without directories.
    pub program: String,
    /// It is a tool such as `tar`: only its options can be changed.
    pub is_tool: bool,
    /// The command line of the run, as the log has it: words without their quotes.
    pub command: String,
    /// The command line of the process that did the I/O, without launchers and wrappers.
    pub own_command: String,
    /// The file that the advice is about.
    pub target: TargetFile,
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
    /// What the log proves about the file.
    pub proven: Tunable,
    /// What it proves about all files.
    pub proven_of_all: Tunable,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            language: Language::C,
            program: String::new(),
            is_tool: false,
            command: String::new(),
            own_command: String::new(),
            target: TargetFile::default(),
            mostly_reads: false,
            file_system: FileSystem::Unknown,
            has_mpi_io: false,
            has_hdf5: false,
            has_netcdf: false,
            has_pnetcdf: false,
            is_parallel: false,
            mpi: None,
            proven: Tunable::default(),
            proven_of_all: Tunable::default(),
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

    /// Adds a snippet in each language that the program can be of, its own first.
    fn snippet(
        mut self,
        setting: &Setting,
        template: &Template,
        values: &[(&str, String)],
    ) -> Self {
        self.snippets.extend(template.fill(setting, values));
        self
    }

    /// The same with another sentence, if there is anything to say.
    fn said(self, text: impl Into<String>) -> Self {
        if self.is_empty() { self } else { Self { text: text.into(), ..self } }
    }

    /// Returns true if there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}
