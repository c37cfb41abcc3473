//! The type of a module, and the macro that turns a table of counters into one.

use crate::counter::Counter;

/// Number of a module in a current log's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub u8);

impl ModuleId {
    /// Modules a header has room for.
    pub const MAX: usize = 64;

    /// The module's table, if this number is a known module.
    pub fn module(self) -> Option<&'static Module> {
        crate::MODULES.get(usize::from(self.0)).copied().flatten()
    }

    /// Index into the arrays of a header.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A module: what it is called and what its records look like.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Module {
    /// Number in a log's header.
    pub id: ModuleId,
    /// Name as tools print it, for example `MPI-IO`.
    pub name: &'static str,
    /// Version this table describes and the writer writes.
    pub version: u32,
    /// Newest version that can be read; larger only where releases cannot read it.
    pub newest: u32,
    /// A sentence on what the module records.
    pub doc: &'static str,
    /// The layout of its records.
    pub layout: Layout,
    /// Integer counters, in order.
    pub ints: &'static [Counter],
    /// Floating-point counters, in order.
    pub floats: &'static [Counter],
    /// The id of another record, stored before the counters.
    pub link: Option<Link>,
    /// UUIDs stored after the counters.
    pub uuids: usize,
    /// Unsigned words stored after the UUIDs.
    pub words: usize,
}

/// A reference to another record, kept before the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Name under which tools print it.
    pub name: &'static str,
    /// First module version that stores it.
    pub since: u32,
}

/// The layout of a module's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Base, link, counters, UUIDs, words: every record has the same size.
    Counters,
    /// A list of layout components, then of storage targets.
    Lustre,
    /// Bytes read and written over time.
    Heatmap,
    /// A head, then one segment for every traced operation.
    Dxt,
    /// Counters, then a histogram over servers.
    Mdhim,
    /// One header, then MPI call counters of each rank.
    Apmpi,
    /// One header, then network tile counters of each router.
    Apxc,
}

impl Module {
    /// Bytes of one record of the given version, for [`Layout::Counters`] and the fixed part of
    /// [`Layout::Mdhim`].
    pub const fn record_size(&self, version: u32) -> usize {
        let link = match self.link {
            Some(link) if version >= link.since => 8,
            _ => 0,
        };
        BASE_SIZE
            + link
            + 8 * count_since(self.ints, version)
            + 8 * count_since(self.floats, version)
            + 16 * self.uuids
            + 8 * self.words
    }

    /// Index of the integer counter with this full name.
    pub fn int_index(&self, name: &str) -> Option<usize> {
        self.ints.iter().position(|counter| counter.name == name)
    }

    /// Index of the floating-point counter with this full name.
    pub fn float_index(&self, name: &str) -> Option<usize> {
        self.floats.iter().position(|counter| counter.name == name)
    }
}

/// Bytes of the id and rank that begin every record.
pub const BASE_SIZE: usize = 16;

const fn count_since(counters: &[Counter], version: u32) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < counters.len() {
        if counters[i].since <= version {
            count += 1;
        }
        i += 1;
    }
    count
}

/// The beginning of every record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Base {
    /// Hash of the record's name.
    pub id: u64,
    /// Rank that made the record, or −1 if it stands for all ranks.
    pub rank: i64,
}

/// A record of fixed size, seen without knowing its module at compile time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordRef<'a> {
    /// The module it belongs to.
    pub module: &'static Module,
    /// Id and rank.
    pub base: Base,
    /// The record this one belongs to, if its module has such a link.
    pub link: &'a [u64],
    /// Integer counters.
    pub int: &'a [i64],
    /// Floating-point counters.
    pub float: &'a [f64],
    /// UUIDs after the counters.
    pub uuids: &'a [[u8; 16]],
    /// Words after the UUIDs.
    pub words: &'a [u64],
}

impl RecordRef<'_> {
    /// The integer counter with this full name.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.module.int_index(name).map(|i| self.int[i])
    }

    /// The floating-point counter with this full name.
    pub fn float(&self, name: &str) -> Option<f64> {
        self.module.float_index(name).map(|i| self.float[i])
    }
}

/// A record type of one module, as the macro below makes it.
pub trait FixedRecord: Copy {
    /// The module whose records these are.
    const MODULE: &'static Module;

    /// The record without its type.
    fn view(&self) -> RecordRef<'_>;

    /// A record of no file with every counter at zero.
    fn zero() -> Self;

    /// File and rank.
    fn base_mut(&mut self) -> &mut Base;

    /// Its integer counters.
    fn ints_mut(&mut self) -> &mut [i64];

    /// The typed record, if `record` belongs to this module.
    fn from_ref(record: RecordRef<'_>) -> Option<Self>;
}

/// Expands one table into a record, index constants and a [`Module`].
macro_rules! module {
    (
        $(#[doc = $doc:literal])+
        $record:ident, $name:literal, id $id:literal, version $version:literal,
        prefix $prefix:literal, size $size:literal
        $(, link $link:literal since $link_since:literal)?
        $(, uuids $uuids:literal)?
        $(, words $words:literal)?
        $(, layout $layout:ident)?;
        ints { $($int:ident: $irule:expr, $iunit:ident, $isince:literal, $idoc:literal;)+ }
        floats { $($float:ident: $frule:expr, $funit:ident, $fsince:literal, $fdoc:literal;)+ }
    ) => {
        use $crate::counter::{Counter, Rule::*, Unit};
        use $crate::module::{Base, FixedRecord, Layout, Module, ModuleId, RecordRef};

        $crate::module::indices!(usize: $($int $idoc)+);

        /// Indices of the floating-point counters.
        pub mod f {
            $crate::module::indices!(usize: $($float $fdoc)+);
        }

        const INTS: usize = [$($idoc),+].len();
        const FLOATS: usize = [$($fdoc),+].len();
        const LINKS: usize = 0 $(+ { let _: u32 = $link_since; 1 })?;
        const UUIDS: usize = 0 $(+ $uuids)?;
        const WORDS: usize = 0 $(+ $words)?;

        /// The module's table.
        pub static MODULE: Module = Module {
            id: ModuleId($id),
            name: $name,
            version: $version,
            newest: $version,
            doc: concat!($($doc),+).trim_ascii(),
            layout: $crate::module::or_default!(Layout::Counters $(, Layout::$layout)?),
            ints: &[$(Counter {
                name: concat!($prefix, stringify!($int)),
                rule: $irule,
                unit: Unit::$iunit,
                since: $isince,
                doc: $idoc,
            }),+],
            floats: &[$(Counter {
                name: concat!($prefix, "F_", stringify!($float)),
                rule: $frule,
                unit: Unit::$funit,
                since: $fsince,
                doc: $fdoc,
            }),+],
            link: $crate::module::optional!($($crate::module::Link { name: $link, since: $link_since })?),
            uuids: UUIDS,
            words: WORDS,
        };

        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[repr(C)]
        pub struct $record {
            /// Id and rank.
            pub base: Base,
            /// The record this one belongs to, where the module has such a link.
            pub link: [u64; LINKS],
            /// Integer counters, by the index constants of this module.
            pub int: [i64; INTS],
            /// Floating-point counters, by the index constants in `f`.
            pub float: [f64; FLOATS],
            /// UUIDs, where the module has them.
            pub uuids: [[u8; 16]; UUIDS],
            /// Further words, where the module has them.
            pub words: [u64; WORDS],
        }

        const _: () = assert!(size_of::<$record>() == $size);
        const _: () = assert!(MODULE.record_size($version) == $size);

        impl $record {
            /// A record with every counter at zero.
            pub const fn new(id: u64, rank: i64) -> Self {
                Self {
                    base: Base { id, rank },
                    link: [0; LINKS],
                    int: [0; INTS],
                    float: [0.0; FLOATS],
                    uuids: [[0; 16]; UUIDS],
                    words: [0; WORDS],
                }
            }
        }

        impl FixedRecord for $record {
            const MODULE: &'static Module = &MODULE;

            fn view(&self) -> RecordRef<'_> {
                RecordRef {
                    module: &MODULE,
                    base: self.base,
                    link: &self.link,
                    int: &self.int,
                    float: &self.float,
                    uuids: &self.uuids,
                    words: &self.words,
                }
            }

            fn zero() -> Self {
                Self::new(0, 0)
            }

            fn base_mut(&mut self) -> &mut Base {
                &mut self.base
            }

            fn ints_mut(&mut self) -> &mut [i64] {
                &mut self.int
            }

            fn from_ref(record: RecordRef<'_>) -> Option<Self> {
                Some(Self {
                    base: record.base,
                    link: record.link.try_into().ok()?,
                    int: record.int.try_into().ok()?,
                    float: record.float.try_into().ok()?,
                    uuids: record.uuids.try_into().ok()?,
                    words: record.words.try_into().ok()?,
                })
            }
        }
    };
}

/// Constants 0, 1, 2 … with the given names and docs.
macro_rules! indices {
    ($ty:ty: $($name:ident $doc:literal)+) => {
        $crate::module::indices!(@ $ty, 0; $($name $doc)+);
    };
    (@ $ty:ty, $n:expr; $name:ident $doc:literal $($rest:tt)*) => {
        #[doc = $doc]
        pub const $name: $ty = $n;
        $crate::module::indices!(@ $ty, $name + 1; $($rest)*);
    };
    (@ $ty:ty, $n:expr;) => {};
}

/// `Some(value)` or `None`, by whether a value was given.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// The given value, or else the first.
macro_rules! or_default {
    ($default:expr) => {
        $default
    };
    ($default:expr, $value:expr) => {
        $value
    };
}

pub(crate) use {indices, module, optional, or_default};
