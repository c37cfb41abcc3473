//! Files, open file descriptions, and the table of descriptors.
//!
//! A [`File`] is a path that was seen; it is never forgotten. A [`Description`] is an open file
//! description: duplicated descriptors share one, and with it the position. The table leads from a
//! descriptor to its description with one load.

mod adopted;
mod description;
mod pool;
mod stand_in;
mod switch;
mod table;

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::Release};

use ioglass_schema::ModuleId;
use ioglass_shm::{FileType, Kind, Loss, OpsCell};

use crate::hot::HOT;
use crate::lane::PosixState;
use crate::mpiio::MpiioState;
use crate::settings::module;
use crate::stdio::StdioState;
use crate::{capture, naming};

pub(crate) use adopted::is_redirected;
pub use adopted::is_waited_for;
pub use description::{APPEND, Description, STREAM};
pub(crate) use description::{AT_END, PLACED};
pub use pool::drop_description;
pub(crate) use stand_in::{describe_name, is_stand_in, name_of, replace_stand_in, stand_in};
pub use switch::{
    after_fork, close_table, forks, is_first_in_child, is_open, is_open_here, open_table,
    shared_by_fork, start,
};
pub(crate) use switch::{begin_anew, generation, notices_forks, region_stamp, set_region_stamp};
pub(crate) use table::{LookedAt, looked_at};
pub use table::{attach, description, detach, detach_range, duplicate, forget, known};

/// One path in the records of this process.
#[repr(C, align(64))]
pub struct File {
    /// Record id.
    pub id: u64,
    name: *const u8,
    name_len: u32,
    /// The process, counted by forks, whose capture holds the cells.
    generation: AtomicU32,
    /// Alignment of offsets that the file system prefers; 0 if unknown.
    pub alignment: u64,
    /// Bits of the modules that exclude it.
    left_out: AtomicU32,
    /// A [`FileType`], as far as it is known.
    kind: AtomicU32,
    /// Calls for which Darshan has no counter.
    ops: AtomicPtr<OpsCell>,
    /// State for calls on descriptors.
    pub posix: PosixState,
    /// State for calls on streams.
    pub stdio: StdioState,
    /// State for MPI-IO; few programs need it.
    pub(crate) mpiio: AtomicPtr<MpiioState>,
}

/// Bits of all modules that record paths.
pub(crate) const LEFT_OUT_BY_ALL: u32 = module::bits_of_all();

impl File {
    /// Initialises new memory that is all zero.
    pub(crate) fn begin(&mut self, id: u64, name: &'static [u8], alignment: u64, left_out: u32) {
        self.id = id;
        self.generation = AtomicU32::new(HOT.generation.load(Relaxed));
        self.alignment = alignment;
        self.left_out = AtomicU32::new(left_out);
        (self.name, self.name_len) = (name.as_ptr(), name.len() as u32);
    }

    /// Its path.
    pub fn name(&self) -> &[u8] {
        // SAFETY: names are never unmapped, not even in children.
        unsafe { core::slice::from_raw_parts(self.name, self.name_len as usize) }
    }

    /// Its type, as far as it is known; a [`FileType`].
    pub(crate) fn kind(&self) -> u32 {
        self.kind.load(Relaxed)
    }

    /// Notes its type.
    pub(crate) fn set_kind(&self, kind: FileType) {
        self.kind.store(kind as u32, Relaxed);
    }

    /// Returns true if calls on its descriptors are excluded.
    pub fn is_left_out_by_posix(&self) -> bool {
        self.is_left_out_by(module::POSIX)
    }

    /// Returns true if calls on its streams are excluded.
    pub fn is_left_out_by_stdio(&self) -> bool {
        self.is_left_out_by(module::STDIO)
    }

    /// Returns true if a module excludes it.
    #[inline]
    pub fn is_left_out_by(&self, module: ModuleId) -> bool {
        self.left_out.load(Relaxed) & module::bit(module) != 0
    }

    /// Returns true if the cells belong to this process.
    #[inline]
    pub fn is_current(&self) -> bool {
        self.generation.load(Relaxed) == HOT.generation.load(Relaxed)
    }

    /// In a child: forgets the parent's cells and stores the name in the child's capture.
    #[cold]
    pub fn renew(&self) {
        naming::LOCK.lock();
        if !self.is_current() {
            self.posix.forget();
            self.stdio.forget();
            self.mpiio.store(ptr::null_mut(), Relaxed);
            self.ops.store(ptr::null_mut(), Relaxed);
            let _ = naming::store(self.id, self.name());
            self.generation.store(HOT.generation.load(Relaxed), Release);
        }
        naming::LOCK.unlock();
    }

    /// Counts a call for which Darshan has no counter.
    #[unsafe(link_section = ".text.hot")]
    pub fn count(&self, operation: ioglass_shm::Operation, count: u64) {
        let known = self.ops.load(Relaxed);
        let cell = if self.is_current() && !known.is_null() { known } else { self.make_ops() };
        if !cell.is_null() {
            // SAFETY: a word of the capture.
            unsafe { AtomicU64::from_ptr(&raw mut (*cell).count[operation as usize]) }
                .fetch_add(count, Relaxed);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_ops(&self) -> *mut OpsCell {
        if !self.is_current() {
            self.renew();
        }
        naming::LOCK.lock();
        let mut cell = self.ops.load(Relaxed);
        if cell.is_null() {
            let id = self.id;
            let taken = capture::take_cell(Kind::Ops, |cell: &mut OpsCell| cell.id = id);
            cell = taken.map_or(ptr::null_mut(), |(cell, _)| cell);
            self.ops.store(cell, Relaxed);
        }
        naming::LOCK.unlock();
        if cell.is_null() {
            capture::count_loss(Loss::Records);
        }
        cell
    }
}
