//! The handles of the loaded MPI.

use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};
use core::sync::atomic::{Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use super::datatype;
use crate::{late_symbol, loaded};

/// Handles with the same meaning in every program.
pub(crate) struct Abi {
    comm_world: AbiHandle,
    comm_self: AbiHandle,
    info_null: AbiHandle,
    byte: AbiHandle,
    errors_return: AbiHandle,
    /// The test for datatypes that MPI itself has made.
    predefined: Predefined,
    /// The bits of a handle; the register bits above them are undefined.
    bits: usize,
    /// The thread levels at which threads in turn, and all, may call MPI.
    levels: [c_int; 2],
    /// The mode bits in the common order of all but the standard's ABI; empty if they are already
    /// so.
    modes: &'static [u32],
    /// The info key that passes environment variables to spawned programs.
    environment_key: Option<&'static CStr>,
}

/// The threads that may call MPI.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MpiThreads {
    First,
    /// All, but never two at the same time.
    InTurn,
    All,
}

enum AbiHandle {
    /// The number itself.
    Number(usize),
    /// The address of this variable.
    Address(MpiVariable),
}

/// Datatypes that programs do not make.
enum Predefined {
    /// Variables of MPI, or copies of them in the program; other datatypes are allocated.
    Variables,
    /// Numbers with these bits, among all bits that encode the kind of a handle.
    Bits { kind: usize, of: usize },
}

/// A variable of MPI. A search for it takes longer than many of the calls that need it.
struct MpiVariable {
    name: &'static CStr,
    address: AtomicUsize,
    /// [`late_symbol::unloads`] when it was found; 0 if never.
    seen: AtomicU32,
}

static OPEN_MPI: Abi = Abi {
    comm_world: variable(c"ompi_mpi_comm_world"),
    comm_self: variable(c"ompi_mpi_comm_self"),
    info_null: variable(c"ompi_mpi_info_null"),
    byte: variable(c"ompi_mpi_byte"),
    errors_return: variable(c"ompi_mpi_errors_return"),
    predefined: Predefined::Variables,
    bits: usize::MAX,
    levels: [2, 3],
    modes: &[],
    environment_key: Some(c"env"),
};

const fn variable(name: &'static CStr) -> AbiHandle {
    AbiHandle::Address(MpiVariable { name, address: AtomicUsize::new(0), seen: AtomicU32::new(0) })
}

/// The ABI of MPICH and of all libraries that are binary compatible with it.
static MPICH: Abi = Abi {
    comm_world: AbiHandle::Number(0x4400_0000),
    comm_self: AbiHandle::Number(0x4400_0001),
    info_null: AbiHandle::Number(0x1C00_0000),
    byte: AbiHandle::Number(0x4C00_010D),
    errors_return: AbiHandle::Number(0x5400_0001),
    predefined: Predefined::Bits { kind: 0x4C00_0000, of: 0xFC00_0000 },
    bits: u32::MAX as usize,
    levels: [2, 3],
    modes: &[],
    environment_key: None,
};

/// The ABI of MPI 5, which several libraries offer.
static STANDARD: Abi = Abi {
    comm_world: AbiHandle::Number(0x101),
    comm_self: AbiHandle::Number(0x102),
    info_null: AbiHandle::Number(0x130),
    byte: AbiHandle::Number(0x207),
    errors_return: AbiHandle::Number(0x143),
    // Ten bits; handles made at run time have others, or are addresses.
    predefined: Predefined::Bits { kind: 0x200, of: usize::MAX << 9 },
    bits: usize::MAX,
    levels: [2048, 4096],
    // Create, read, write, both, delete on close, unique, exclusive, append, sequential.
    modes: &[2, 16, 256, 32, 4, 128, 8, 1, 64],
    environment_key: None,
};

/// Part of the file name of a library with the standard ABI.
const STANDARD_NAME: &[u8] = b"mpi_abi";

impl Abi {
    /// The ABI of the library that the function at `near` belongs to.
    pub(super) fn of(near: usize) -> &'static Self {
        static KNOWN: AtomicPtr<Abi> = AtomicPtr::new(core::ptr::null_mut());
        // SAFETY: null, or one of the three.
        if let Some(known) = unsafe { KNOWN.load(Relaxed).as_ref() } {
            return known;
        }
        Self::find(near, &KNOWN)
    }

    #[cold]
    fn find(near: usize, known: &AtomicPtr<Self>) -> &'static Self {
        let found = if loaded::is_from_file(near, STANDARD_NAME) {
            &STANDARD
        } else if OPEN_MPI.comm_world.value().is_some() {
            &OPEN_MPI
        } else {
            &MPICH
        };
        known.store(core::ptr::from_ref(found).cast_mut(), Relaxed);
        found
    }

    /// Returns true for Open MPI's own ABI.
    pub(crate) fn is_open_mpi(&self) -> bool {
        core::ptr::eq(self, &OPEN_MPI)
    }

    pub(super) fn comm_world(&self) -> Option<usize> {
        self.comm_world.value()
    }

    /// The communicator of this process alone.
    pub(super) fn comm_self(&self) -> Option<usize> {
        self.comm_self.value()
    }

    /// The threads that may call MPI at a level.
    pub(super) fn threads_at(&self, level: c_int) -> MpiThreads {
        let [in_turn, all] = self.levels;
        match level {
            level if level >= all => MpiThreads::All,
            level if level >= in_turn => MpiThreads::InTurn,
            _ => MpiThreads::First,
        }
    }

    /// An open mode as readers of logs know it.
    pub(crate) fn mode(&self, mode: c_int) -> c_int {
        if self.modes.is_empty() { mode } else { self.reordered(mode) }
    }

    #[cold]
    #[inline(never)]
    fn reordered(&self, mode: c_int) -> c_int {
        let known = (0..).zip(self.modes);
        known.filter(|(_, bit)| mode as u32 & **bit != 0).map(|(place, _)| 1 << place).sum()
    }

    /// The datatype of one byte.
    pub(super) fn byte(&self) -> Option<usize> {
        self.byte.value()
    }

    /// The error handler that makes functions return their errors.
    pub(super) fn errors_return(&self) -> Option<usize> {
        self.errors_return.value()
    }

    /// The info key that passes variables to spawned programs, as lines of `NAME=VALUE`.
    pub(super) fn environment_key(&self) -> Option<&'static CStr> {
        self.environment_key
    }

    /// Returns true if a datatype is predefined by the library with a function at `near`.
    pub(super) fn is_predefined(&self, datatype: usize, near: usize) -> bool {
        let datatype = datatype & self.bits;
        match self.predefined {
            Predefined::Variables => datatype::is_variable(datatype, near),
            Predefined::Bits { kind, of } => datatype & of == kind,
        }
    }

    /// Returns true if a program that passes `info` gives no hints.
    pub(crate) fn is_info_null(&self, info: usize) -> bool {
        self.info_null.value() == Some(info & self.bits)
    }
}

impl AbiHandle {
    fn value(&self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Address(variable) => variable.address(),
        }
    }
}

impl MpiVariable {
    fn address(&self) -> Option<usize> {
        let unloads = late_symbol::unloads();
        if self.seen.load(Acquire) == unloads {
            return Some(self.address.load(Relaxed));
        }
        self.find(unloads)
    }

    #[cold]
    fn find(&self, unloads: u32) -> Option<usize> {
        // A program may have a copy of the variable, which then replaces the original for all.
        let address = loaded::late_function(self.name, 0)? as usize;
        self.address.store(address, Relaxed);
        self.seen.store(unloads, Release);
        Some(address)
    }
}
