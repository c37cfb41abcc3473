//! MPI, as far as a kernel needs it.
//!
//! Handles are numbers under MPICH and addresses under Open MPI; both are passed like an address.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::thread;
use std::time::Duration;

use crate::symbol::{find, functions};

functions! {
    /// Functions of MPI.
    Functions:
    MPI_Initialized(*mut c_int) -> c_int;
    MPI_Init(*mut c_int, *mut *mut *mut c_char) -> c_int;
    MPI_Finalize() -> c_int;
    MPI_Abort(usize, c_int) -> c_int;
    MPI_Comm_rank(usize, *mut c_int) -> c_int;
    MPI_Comm_size(usize, *mut c_int) -> c_int;
    MPI_Barrier(usize) -> c_int;
    MPI_Allreduce(*const c_void, *mut c_void, c_int, usize, usize, usize) -> c_int;
}

/// Handles that every MPI has.
#[derive(Debug, Clone, Copy)]
struct Handles {
    world: usize,
    no_info: usize,
    double: usize,
    max: usize,
}

impl Handles {
    fn find() -> Self {
        let address = |name: &CStr| find(name).map_or(0, |found| found.as_ptr() as usize);
        match address(c"ompi_mpi_comm_world") {
            0 => Self {
                world: 0x4400_0000,
                no_info: 0x1C00_0000,
                double: 0x4C00_080B,
                max: 0x5800_0001,
            },
            world => Self {
                world,
                no_info: address(c"ompi_mpi_info_null"),
                double: address(c"ompi_mpi_double"),
                max: address(c"ompi_mpi_op_max"),
            },
        }
    }
}

/// MPI, initialized; or one rank alone.
pub(crate) struct Mpi {
    found: Option<(Functions, Handles)>,
    pub(crate) rank: u64,
    pub(crate) ranks: u64,
}

impl Mpi {
    /// One rank without MPI.
    pub(crate) fn none() -> Self {
        Self { found: None, rank: 0, ranks: 1 }
    }

    /// Initializes the MPI that is loaded.
    ///
    /// # Errors
    /// The name of the function that is missing or fails.
    pub(crate) fn start() -> Result<Self, &'static str> {
        let functions = Functions::find()?;
        let handles = Handles::find();
        let (mut is_there, mut rank, mut ranks) = (0, 0, 0);
        let asked = |status: c_int, name| if status == 0 { Ok(()) } else { Err(name) };
        // SAFETY: as MPI has it; no other thread uses MPI.
        unsafe {
            asked((functions.MPI_Initialized)(&raw mut is_there), "MPI_Initialized")?;
            if is_there == 0 {
                let status = (functions.MPI_Init)(ptr::null_mut(), ptr::null_mut());
                asked(status, "MPI_Init")?;
            }
            asked((functions.MPI_Comm_rank)(handles.world, &raw mut rank), "MPI_Comm_rank")?;
            asked((functions.MPI_Comm_size)(handles.world, &raw mut ranks), "MPI_Comm_size")?;
        }
        let number = |number: c_int| u64::try_from(number).unwrap_or(0);
        Ok(Self {
            found: Some((functions, handles)),
            rank: number(rank),
            ranks: number(ranks).max(1),
        })
    }

    /// The communicator of all ranks and the empty info, for HDF5; none without MPI.
    pub(crate) fn world(&self) -> Option<(usize, usize)> {
        self.found.as_ref().map(|(_, handles)| (handles.world, handles.no_info))
    }

    /// Waits for all ranks.
    pub(crate) fn barrier(&self) {
        if let Some((functions, handles)) = &self.found {
            // SAFETY: all ranks call it.
            unsafe { (functions.MPI_Barrier)(handles.world) };
        }
    }

    /// The largest of a number on all ranks.
    pub(crate) fn largest(&self, own: f64) -> f64 {
        let Some((functions, handles)) = &self.found else { return own };
        let mut all = own;
        // SAFETY: all ranks call it, with a number each.
        let status = unsafe {
            (functions.MPI_Allreduce)(
                (&raw const own).cast(),
                (&raw mut all).cast(),
                1,
                handles.double,
                handles.max,
                handles.world,
            )
        };
        if status == 0 { all } else { own }
    }

    /// Ends all ranks: one of them cannot go on, and the others would wait for it.
    pub(crate) fn abort(&self) {
        if let Some((functions, handles)) = &self.found
            && self.ranks > 1
        {
            // Launchers may drop what a rank has just said when it ends all.
            thread::sleep(Duration::from_millis(200));
            // SAFETY: MPI is initialized.
            unsafe { (functions.MPI_Abort)(handles.world, 1) };
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if let Some((functions, _)) = &self.found {
            // SAFETY: it is initialized, and nothing uses it after this.
            unsafe { (functions.MPI_Finalize)() };
        }
    }
}
