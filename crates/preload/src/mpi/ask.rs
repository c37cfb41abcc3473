//! Queries to MPI during a call. They use the names that no other tool sees.

use core::ffi::{c_char, c_int};
use core::hint::cold_path;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ioglass_recorder::settings::WorldRank;

use super::abi::{Abi, MpiThreads};
use super::datatype;
use crate::text::Text;

/// The MPI of this process, by the address of one of its functions.
#[derive(Clone, Copy)]
pub(crate) struct Library(usize);

/// Calls a function of the library; returns true if it exists and succeeds.
macro_rules! ask {
    ($library:expr, $name:ident($($argument:expr => $type:ty),*)) => {{
        static SYMBOL: $crate::late_symbol::LateSymbol = $crate::late_symbol::LateSymbol::new();
        const NAME: &core::ffi::CStr = $crate::real::c_string(concat!(stringify!($name), "\0"));
        // SAFETY: the type is that of the C function of this name, and the arguments are what it
        // takes.
        unsafe {
            SYMBOL
                .get_for::<unsafe extern "C" fn($($type),*) -> c_int>(NAME, $library.address())
                .is_some_and(|function| function($($argument),*) == $crate::mpi::SUCCESS)
        }
    }};
}

pub(super) use ask;

/// The address by which the library is known; 0 before.
static FIRST: AtomicUsize = AtomicUsize::new(0);

impl Library {
    /// Address of one of its functions.
    pub(super) fn address(self) -> usize {
        self.0
    }

    /// The library with the function at `address`. A process has one MPI; a lookup through the
    /// address of always the same function is immediate.
    pub(super) fn with(address: usize) -> Self {
        // It is mostly there already, and a read costs nothing.
        match FIRST.load(Relaxed) {
            0 => {
                cold_path();
                Self(FIRST.compare_exchange(0, address, Relaxed, Relaxed).err().unwrap_or(address))
            }
            first => Self(first),
        }
    }

    /// The library that is known already.
    pub(super) fn known() -> Option<Self> {
        let address = FIRST.load(Relaxed);
        (address != 0).then_some(Self(address))
    }

    pub(crate) fn abi(self) -> &'static Abi {
        Abi::of(self.0)
    }

    /// The threads that may call MPI now; `None` if this one may not.
    pub(super) fn threads(self) -> Option<MpiThreads> {
        let (mut level, mut is_first): (c_int, c_int) = (0, 0);
        if !ask!(self, PMPI_Query_thread(&raw mut level => *mut c_int)) {
            return None;
        }
        match self.abi().threads_at(level) {
            MpiThreads::First => {
                let asked = ask!(self, PMPI_Is_thread_main(&raw mut is_first => *mut c_int));
                (asked && is_first != 0).then_some(MpiThreads::First)
            }
            threads => Some(threads),
        }
    }

    /// Rank of this process, and the number of ranks.
    pub(super) fn world_rank(self) -> Option<WorldRank> {
        let world = self.abi().comm_world()?;
        let mut rank: c_int = -1;
        let known = ask!(self, PMPI_Comm_rank(world => usize, &raw mut rank => *mut c_int));
        let rank = u32::try_from(rank).ok().filter(|_| known)?;
        Some(WorldRank { rank, ranks: u32::try_from(self.size_of(world)?).ok()? })
    }

    /// What MPI says of itself.
    pub(crate) fn version(self) -> Option<Text<8193>> {
        let (mut text, mut length) = (Text::new(), 0);
        let asked = text.fill(|room| {
            ask!(
                self,
                PMPI_Get_library_version(room => *mut c_char, &raw mut length => *mut c_int)
            )
        });
        asked.then_some(text)
    }

    /// Number of processes of a communicator.
    pub(crate) fn size_of(self, communicator: usize) -> Option<c_int> {
        let mut size: c_int = 0;
        ask!(self, PMPI_Comm_size(communicator => usize, &raw mut size => *mut c_int))
            .then_some(size)
    }

    /// Bytes of a datatype, without gaps.
    #[inline]
    pub(super) fn bytes_of(self, datatype: usize) -> i64 {
        match datatype::known(datatype) {
            Some(bytes) => bytes,
            None => self.unknown_bytes_of(datatype),
        }
    }

    #[inline(never)]
    #[unsafe(link_section = ".text.hot")]
    fn unknown_bytes_of(self, datatype: usize) -> i64 {
        let bytes = self.asked_bytes_of(datatype);
        if self.abi().is_predefined(datatype, self.0) {
            datatype::keep(datatype, bytes);
        }
        bytes
    }

    fn asked_bytes_of(self, datatype: usize) -> i64 {
        let (mut large, mut small) = (0_i64, 0);
        if ask!(self, PMPI_Type_size_x(datatype => usize, &raw mut large => *mut i64))
            || ask!(self, PMPI_Type_size_c(datatype => usize, &raw mut large => *mut i64))
        {
            return large.max(0);
        }
        if ask!(self, PMPI_Type_size(datatype => usize, &raw mut small => *mut c_int)) {
            return c_int::max(small, 0).into();
        }
        0
    }

    /// Position of the rank's own file pointer, in units of the view.
    pub(super) fn position(self, file: usize) -> Option<i64> {
        let mut position = 0;
        ask!(self, PMPI_File_get_position(file => usize, &raw mut position => *mut i64))
            .then_some(position)
    }

    /// Byte offset in the file of an offset in units of the view.
    pub(super) fn byte_offset(self, file: usize, offset: i64) -> Option<i64> {
        let mut byte = 0;
        ask!(self, PMPI_File_get_byte_offset(file => usize, offset => i64, &raw mut byte => *mut i64))
            .then_some(byte)
    }
}
