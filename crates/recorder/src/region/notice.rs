//! Notices: what was done wrong, how often, and where.

use core::ptr;
use core::sync::atomic::AtomicU64;

use ioglass_shm::{Kind, NoticeCode, RegionNotice};

use super::names::{self, Id};
use super::room::{self, Use};
use super::tree::Node;
use crate::memory::Shared;
use crate::spin::Spin;

/// Places that are told apart; others are counted without a name.
const SLOTS: usize = 1024;
const MOST: usize = 512;

#[derive(Clone, Copy)]
struct Slot {
    /// Code, region and name; 0 is a free slot.
    key: (u32, u32, Id),
    entry: *mut RegionNotice,
}

struct Table {
    slots: [Slot; SLOTS],
    used: usize,
}

const FREE: Slot = Slot { key: (0, 0, 0), entry: ptr::null_mut() };

/// Protected by the lock.
static TABLE: Shared<Table> = Shared::new(Table { slots: [FREE; SLOTS], used: 0 });
static LOCK: Spin = Spin::new();

/// Counts a mistake in a region that concerns this name; 0 is no name.
#[cold]
#[inline(never)]
pub(super) fn add(code: NoticeCode, name: Id, here: &Node) {
    LOCK.lock();
    // SAFETY: under the lock.
    let table = unsafe { &mut *TABLE.get() };
    let is_full = table.used >= MOST;
    let mut entry = find(table, code, here.number, name, !is_full);
    if entry.is_null() {
        entry = find(table, code, 0, 0, true);
    }
    if !entry.is_null() {
        // SAFETY: an entry of this capture.
        unsafe { AtomicU64::from_ptr(&raw mut (*entry).count) }
            .fetch_add(1, core::sync::atomic::Ordering::Relaxed);
    }
    LOCK.unlock();
}

/// The entry of a place, made if `makes`; null if there is none.
fn find(
    table: &mut Table,
    code: NoticeCode,
    region: u32,
    name: Id,
    makes: bool,
) -> *mut RegionNotice {
    let key = (code as u32 + 1, region, name);
    let hash = (code as usize + 1).wrapping_mul(0x9E37_79B1)
        ^ (region as usize).wrapping_mul(0x85EB_CA6B)
        ^ (name as usize).wrapping_mul(0xC2B2_AE35);
    for at in hash..hash + SLOTS {
        let slot = &mut table.slots[at % SLOTS];
        if slot.key == key {
            return slot.entry;
        }
        if slot.key.0 == 0 {
            if !makes {
                break;
            }
            let name = names::offset(name);
            let taken =
                room::take_cell(Kind::RegionNotice, Use::Last, |notice: &mut RegionNotice| {
                    *notice = RegionNotice { code: code as u32, region, name, count: 0 };
                });
            let Some((entry, _)) = taken else { break };
            *slot = Slot { key, entry };
            table.used += 1;
            return entry;
        }
    }
    ptr::null_mut()
}

/// Forgets all mistakes: they are in the capture that is left.
pub(super) fn begin_anew() {
    LOCK.lock();
    // SAFETY: under the lock.
    unsafe {
        (*TABLE.get()).slots = [FREE; SLOTS];
        (*TABLE.get()).used = 0;
    }
    LOCK.unlock();
}

/// In a child, which has made no mistakes yet; no other thread holds the lock.
pub(super) fn after_fork() {
    LOCK.unlock();
    begin_anew();
}
