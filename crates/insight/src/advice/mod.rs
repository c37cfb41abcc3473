//! What to do: the one place that knows what to type.
//!
//! A detector passes its numbers, a [`Setting`] says what the program is made of, and an
//! [`Advice`] comes back: one sentence, lines to paste, a snippet that compiles and the document
//! that says so. Only what was seen is spoken of: no `lfs` unless there is Lustre, no MPI unless
//! the run is parallel. Where an advice does not fit the setting, the one that does is returned.
//!
//! Which function serves which code:
//!
//! | function | codes |
//! |---|---|
//! | [`stripe`], [`check_stripe`] | F02 F03 C03 B01 P18 P19 |
//! | [`report_ost`] | F01 |
//! | [`repeat_later`] | F04 |
//! | [`align_domains`] | F05 P08 |
//! | [`move_to_scratch`] | F06 |
//! | [`burst_buffer`] | F07 T02 |
//! | [`larger_reads`] | A01 A02 P05 P15 |
//! | [`buffer_writes`] | A01 A02 P06 P16 |
//! | [`sort_accesses`], [`prefetch`] | P11 P13 |
//! | [`align_requests`] | P08 |
//! | [`memory_align`] | P07 |
//! | [`sync_once`] | A06 |
//! | [`write_once`] | A05 P10 |
//! | [`cache_data`] | A04 P09 |
//! | [`keep_in_memory`] | A07 |
//! | [`mmap_note`] | A08 |
//! | [`collective_write`], [`collective_read`] | M01 M02 M03 C08 C05 H05 P05 P06 P15 P16 P21 P22 |
//! | [`file_view`] | C07 |
//! | [`merge_calls`] | C03 T01 |
//! | [`nonblocking_write`], [`nonblocking_read`] | M06 M07 T02 T04 |
//! | [`disable_data_sieving`] | C01 C02 H01 |
//! | [`collective_buffering`] | C04 C05 |
//! | [`aggregators`] | C04 C06 M09 |
//! | [`fewer_ranks`] | A03 N03 |
//! | [`read_once_and_broadcast`] | A04 P09 H06 N01 |
//! | [`balance`] | B01 B02 C03 P18 P19 P21 P22 |
//! | [`avoid_node`] | T03 |
//! | [`hdf5_alignment`] | H07 P08 |
//! | [`hdf5_no_fill`] | H02 P21 |
//! | [`hdf5_chunk`] | H03 H04 |
//! | [`hdf5_collective_metadata`] | H06 P17 |
//! | [`hdf5_meta_block`], [`hdf5_latest_format`] | H01 |
//! | [`hdf5_async`] | T04 M06 M07 |
//! | [`hdf5_current_calls`] | H08 |
//! | [`pnetcdf_wait`] | H09 |
//! | [`daos_size`] | H10 |
//! | [`open_once`] | N01 P17 |
//! | [`ask_less`] | N01 P17 |
//! | [`many_small_files`] | N02 |
//! | [`aggregate_files`] | N03 |
//! | [`import_storm`] | N04 |
//! | [`skip_probes`] | N05 |
//! | [`text_output`], [`fewer_stream_calls`] | X01 S01 |
//! | [`one_rank_prints`] | X03 |
//! | [`quiet_stream`] | X02 |
//! | [`trace_on`], [`look_at_rank`] | B01, whatever only a trace can tell |
//!
//! P01 to P04 are facts, and P12 P14 M04 M05 M08 M10 are good news: nothing to do.

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
pub enum Library {
    /// MPI-IO itself.
    Mpi,
    /// HDF5.
    Hdf5,
    /// netCDF.
    Netcdf,
    /// PnetCDF.
    Pnetcdf,
}

/// What the program is made of and where its files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What the program is written in; [`Language::Shell`] is a tool such as `tar`, of which only
    /// the options can be changed.
    pub language: Language,
    /// The name of the program, without folders.
    pub program: String,
    /// The command line, as the log has it: words without their quotes.
    pub command: String,
    /// What it reads from and writes to, where that is one file each; else empty.
    pub from_to: [String; 2],
    /// More is read than written.
    pub mostly_reads: bool,
    /// Where the files are that the advice is about.
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
    /// Which MPI, if known.
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
    pub fn library(&self) -> Library {
        if self.has_pnetcdf {
            Library::Pnetcdf
        } else if self.has_netcdf {
            Library::Netcdf
        } else if self.has_hdf5 {
            Library::Hdf5
        } else {
            Library::Mpi
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
