//! A row of the table of parameters, and the macro that makes rows.

use core::fmt;

use crate::kind::Kind;
use crate::table::PARAMS;

/// A layer of the I/O stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// The HDF5 library.
    Hdf5,
    /// MPI-IO.
    Mpiio,
    /// The file system.
    Fs,
    /// Variables of the environment.
    Env,
    /// The C library.
    Libc,
    /// Placeholders of the command.
    Cmd,
}

impl Layer {
    /// All layers, in the order of documents.
    pub const ALL: [Layer; 6] =
        [Layer::Hdf5, Layer::Mpiio, Layer::Fs, Layer::Env, Layer::Libc, Layer::Cmd];

    /// The first part of the names of its parameters.
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Hdf5 => "hdf5",
            Layer::Mpiio => "mpiio",
            Layer::Fs => "fs",
            Layer::Env => "env",
            Layer::Libc => "libc",
            Layer::Cmd => "cmd",
        }
    }

    /// The layer of this name.
    pub fn named(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// The call at which a parameter is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Site {
    /// A copy of the file access property list, at `H5Fcreate` and `H5Fopen`.
    FileAccess,
    /// A copy of the file creation property list, at `H5Fcreate`.
    FileCreation,
    /// A copy of the dataset creation property list, at `H5Dcreate`.
    DatasetCreation,
    /// A copy of the transfer property list, at `H5Dwrite` and `H5Dread`.
    Transfer,
    /// A copy of the info object, at `MPI_File_open`.
    Info,
    /// The buffer of a stream, at `fopen` and its kin.
    Stream,
    /// The answer of `fstat`.
    Stat,
    /// `posix_fadvise` after `open` and `fopen`.
    Advice,
    /// `lfs setstripe` before the command.
    Folder,
    /// The environment of the command.
    Environment,
    /// The arguments of the command.
    Arguments,
    /// No call of today's stacks.
    Nowhere,
}

impl Site {
    /// The call, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Site::FileAccess => "copy of the fapl, H5Fcreate and H5Fopen",
            Site::FileCreation => "copy of the fcpl, H5Fcreate",
            Site::DatasetCreation => "copy of the dcpl, H5Dcreate",
            Site::Transfer => "copy of the dxpl, H5Dwrite and H5Dread",
            Site::Info => "copy of the info, MPI_File_open",
            Site::Stream => "fopen, fopen64, freopen, fdopen",
            Site::Stat => "st_blksize of fstat",
            Site::Advice => "posix_fadvise after open and fopen",
            Site::Folder => "lfs setstripe before the command",
            Site::Environment => "environment of the command",
            Site::Arguments => "arguments of the command",
            Site::Nowhere => "never",
        }
    }

    /// The library applies it inside the program.
    pub const fn is_injected(self) -> bool {
        !matches!(self, Site::Folder | Site::Environment | Site::Arguments | Site::Nowhere)
    }
}

/// The way in which a setting is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// The stack is asked by this call.
    Asked(&'static str),
    /// `MPI_File_get_info`, which only ROMIO inside MPICH answers truly.
    Info,
    /// The layout of the file on Lustre.
    Layout,
    /// The call that sets it returned success.
    Returned(&'static str),
    /// All ranks have the variable, and the library that reads it is loaded.
    Environment,
    /// The command was run with it.
    Arguments,
    /// Nothing can be asked.
    Nothing,
}

impl Proof {
    /// The way, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Proof::Asked(call) | Proof::Returned(call) => call,
            Proof::Info => "MPI_File_get_info (MPICH)",
            Proof::Layout => "layout of the file (lustre.lov)",
            Proof::Environment => "variable and its reader in every rank",
            Proof::Arguments => "arguments of the command",
            Proof::Nothing => "nothing",
        }
    }
}

/// A condition without which a parameter is not applied. Its text is the reason that people read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Condition {
    /// The file is opened through MPI-IO.
    Parallel,
    /// The file is opened through MPI-IO, or `serial` is set.
    ParallelOrSerial,
    /// The file is not opened through MPI-IO.
    NotParallel,
    /// The file is created.
    Created,
    /// The dataset is contiguous, simple and not empty, without external storage.
    Contiguous,
    /// The dataset is chunked.
    Chunked,
    /// The program has defined no fill value.
    NoFillValue,
    /// The dataset has no filters.
    NoFilters,
    /// All ranks make the same calls, or `force` is set.
    SameCalls,
    /// `force` is set.
    Forced,
    /// MPI-IO is ROMIO.
    Romio,
    /// The file is on Lustre.
    Lustre,
    /// Page buffering is off.
    NoPageBuffer,
    /// The stream is a regular file opened for reading or for writing alone.
    PlainStream,
    /// Reads of the file do not seek.
    NoSeeks,
    /// The program is one that the rule names, else an interpreter.
    Interpreter,
    /// The file is regular and opened for reading alone.
    ReadOnly,
    /// The variable is one of MPI, HDF5 or UCX, or `force` is set.
    KnownVariable,
    /// No stack of today has it.
    Never,
}

/// Patterns of programs whose buffers follow the block size of files.
pub const INTERPRETERS: [&str; 3] = ["python*", "perl*", "ruby*"];

impl Condition {
    /// The condition, in words.
    pub const fn text(self) -> &'static str {
        match self {
            Condition::Parallel => "the file is opened through MPI-IO",
            Condition::ParallelOrSerial => "the file is opened through MPI-IO, or serial = true",
            Condition::NotParallel => "the file is not opened through MPI-IO, which does not sieve",
            Condition::Created => "the file is created",
            Condition::Contiguous => {
                "the dataset is contiguous, simple, not empty and without external storage; \
                 the program's own chunks change only with force"
            }
            Condition::Chunked => "the dataset is chunked",
            Condition::NoFillValue => "never needs a dataset without a fill value, or force",
            Condition::NoFilters => "independent needs a dataset without filters",
            Condition::SameCalls => "all ranks make the same calls, or force",
            Condition::Forced => "force",
            Condition::Romio => "MPI-IO is ROMIO",
            Condition::Lustre => "the file is on Lustre",
            Condition::NoPageBuffer => "page needs page buffering off",
            Condition::PlainStream => {
                "a regular file opened for reading or for writing alone, no standard stream; \
                 appending needs force"
            }
            Condition::NoSeeks => "reads of the file do not seek",
            Condition::Interpreter => "the rule names the program, else python*, perl*, ruby*",
            Condition::ReadOnly => "a regular file opened for reading alone",
            Condition::KnownVariable => "a variable of MPI, HDF5 or UCX, or force",
            Condition::Never => "no stack of today has it",
        }
    }
}

/// A set of values to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Preset {
    /// One machine with MPI and HDF5.
    Local,
    /// Programs without MPI and HDF5.
    Libc,
    /// The paper's space on Lustre, for collective writes.
    Sc13Lustre,
    /// The paper's space on Lustre, for independent writes.
    Sc13LustreIndependent,
    /// The paper's space on GPFS, for collective writes.
    Sc13Gpfs,
    /// The paper's space on GPFS, for independent writes.
    Sc13GpfsIndependent,
}

impl Preset {
    /// The name that people type; both variants of a preset have the same.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Local => "local",
            Preset::Libc => "libc",
            Preset::Sc13Lustre | Preset::Sc13LustreIndependent => "sc13-lustre",
            Preset::Sc13Gpfs | Preset::Sc13GpfsIndependent => "sc13-gpfs",
        }
    }
}

/// The values of a parameter in a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search {
    /// The preset.
    pub preset: Preset,
    /// The place of the parameter in the preset.
    pub place: u8,
    /// Values. The word `default` leaves the parameter alone; where it is missing, the search proposes
    /// a value always.
    pub values: &'static [&'static str],
    /// The condition under which it is searched.
    pub when: Option<When>,
    /// Parameters that get the same value, or one made of it: see [`tied_name`].
    pub tie: &'static [&'static str],
}

/// A condition on other parameters or on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// The parameter of this name is set.
    Set(&'static str),
    /// MPI-IO is ROMIO.
    Romio,
    /// MPI is Open MPI.
    OpenMpi,
    /// The program is an interpreter.
    Interpreter,
}

/// A parameter: one row of the table.
#[derive(Debug)]
pub struct Param {
    /// The layer.
    pub layer: Layer,
    /// The name inside the layer. A name that ends in `*` stands for a family of names.
    pub name: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// What the stack does without it, in words.
    pub default: &'static str,
    /// Conditions without which it is not applied.
    pub conditions: &'static [Condition],
    /// The call at which it is applied.
    pub site: Site,
    /// The way in which it is verified.
    pub proof: Proof,
    /// Values in presets; none is never searched.
    pub search: &'static [Search],
    /// What it does: the row's doc comment.
    pub(crate) doc: &'static str,
    /// What to beware of, in a sentence.
    pub risk: &'static str,
}

impl Param {
    /// The name stands for a family of names.
    pub const fn is_family(&self) -> bool {
        matches!(self.name.as_bytes(), [.., b'*'])
    }

    /// The part of the name that all of a family begin with; the name itself of others.
    pub fn stem(&self) -> &'static str {
        self.name.strip_suffix('*').unwrap_or(self.name)
    }

    /// What it does, in a sentence.
    pub fn meaning(&self) -> &'static str {
        self.doc.trim_ascii()
    }

    /// The values in a preset.
    pub fn searched(&self, preset: Preset) -> Option<&'static Search> {
        self.search.iter().find(|search| search.preset == preset)
    }
}

/// The full name: `layer.name`.
impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.layer.name(), self.name)
    }
}

/// The parameter of a full name, with the rest of the name for a family: `mpiio.hint.x` gives `x`.
pub fn find(name: &str) -> Option<(&'static Param, &str)> {
    find_in(PARAMS, name)
}

/// As [`find`], in another table.
pub fn find_in<'n>(table: &[&'static Param], name: &'n str) -> Option<(&'static Param, &'n str)> {
    let (layer, name) = name.split_once('.')?;
    let layer = Layer::named(layer)?;
    table.iter().filter(|param| param.layer == layer).find_map(|param| match param.is_family() {
        // Most names differ in length, which costs next to nothing to see.
        false => (param.name == name).then_some((*param, "")),
        true => {
            let rest = name.strip_prefix(param.stem())?;
            (!rest.is_empty()).then_some((*param, rest))
        }
    })
}

/// The name of a tied parameter, and what its value is made of: of `mpiio.cb_config_list=*:{}` the second
/// part is `*:{}`, in which `{}` stands for the value. Without it both values are the same.
pub fn tied_name(text: &str) -> (&str, &str) {
    text.split_once('=').unwrap_or((text, "{}"))
}

/// The parameter whose full name is nearest to a wrong one, if one is near.
pub fn nearest(name: &str) -> Option<&'static Param> {
    let (layer, short) = name.split_once('.').map_or((None, name), |(l, n)| (Layer::named(l), n));
    PARAMS
        .iter()
        .filter(|param| !param.is_family())
        .map(|param| {
            let elsewhere = usize::from(layer.is_some_and(|layer| layer != param.layer));
            (distance(short, param.name) + elsewhere, *param)
        })
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, param)| *distance <= 1 + param.name.len() / 4)
        .map(|(_, param)| param)
}

/// The word that is nearest to a wrong one, if one is near.
pub fn nearest_word<'w>(wrong: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let far = words.into_iter().map(|word| (distance(wrong, word), word));
    let (distance, word) = far.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + word.len() / 4).then_some(word)
}

/// The number of letters to insert, remove or replace between two names.
fn distance(a: &str, b: &str) -> usize {
    const MOST: usize = 64;
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() >= MOST || b.len() >= MOST {
        return MOST;
    }
    let mut row = [0; MOST];
    for (place, cell) in row.iter_mut().enumerate() {
        *cell = place;
    }
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(!x.eq_ignore_ascii_case(y));
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Makes a static [`Param`] of each row, and the list of them.
macro_rules! params {
    ($vis:vis $layer:ident, $list:ident: $(
        $(#[doc = $meaning:literal])+
        $name:ident = $text:literal {
            kind: $kind:expr, default: $default:literal, conditions: $conditions:expr,
            site: $site:expr, proof: $proof:expr, risk: $risk:literal
            $(, search: $search:expr)? $(,)?
        }
    )*) => {
        $(
            $(#[doc = $meaning])+
            $vis static $name: Param = Param {
                layer: Layer::$layer,
                name: $text,
                kind: $kind,
                default: $default,
                conditions: &$conditions,
                site: $site,
                proof: $proof,
                search: params!(@search $($search)?),
                doc: concat!($($meaning),+),
                risk: $risk,
            };
        )*
        pub(super) const $list: &[&Param] = &[$(&$name),*];
    };
    (@search) => { &[] };
    (@search $search:expr) => { &$search };
}

pub(crate) use params;
