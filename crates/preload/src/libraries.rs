//! Known libraries of the process: they tell its language and the formats that it uses.
//!
//! Only [`now`] takes the loader's lock: another thread may hold it and wait for the recorder.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_recorder::sys::{self, Fd};
use ioglass_shm::Library;

use crate::loaded;

/// Bits of the libraries that the program began with, and this bit: they have been looked at.
static AT_START: AtomicU64 = AtomicU64::new(0);
const LOOKED_AT: u64 = 1 << 63;

/// Bytes of the kernel's list that are read at a time; the program's stack may be small.
const PIECE: usize = 1 << 10;

/// Libraries that the program began with, as bits.
pub(crate) fn at_start() -> u64 {
    let mut known = AT_START.load(Relaxed);
    if known == 0 {
        let name = |path: &'static [u8]| path.rsplit(|byte| *byte == b'/').next();
        let names = loaded::first_files().filter_map(name);
        known = names.fold(LOOKED_AT, |bits, name| bits | Library::bit_of_file(name));
        AT_START.store(known, Relaxed);
    }
    known & !LOOKED_AT
}

/// Libraries that the program has loaded since, too. The kernel lists them without a lock; it is
/// asked only if there are any. A plug-in in C++, such as those of MPI, does not make the program one.
pub(crate) fn at_end() -> u64 {
    let known = at_start();
    if !loaded::has_later() {
        return known;
    }
    match sys::open(c"/proc/self/maps", libc::O_RDONLY, 0) {
        Ok(list) => known | listed(&list) & !Library::Cpp.bit(),
        Err(_) => known,
    }
}

/// The same, asked of the loader, which is ten times as fast where MPI has loaded a hundred plug-ins.
/// This waits for other threads that look at the loader's list, so nobody may wait for this one.
pub(crate) fn now() -> u64 {
    let mut later = 0;
    loaded::later_files(|path| {
        let name = path.rsplit(|byte| *byte == b'/').next();
        later |= name.map_or(0, Library::bit_of_file);
    });
    at_start() | later & !Library::Cpp.bit()
}

/// The libraries among mapped files. A line ends with the path of the file.
fn listed(list: &Fd) -> u64 {
    let mut piece = [0; PIECE];
    let mut name = [0; Library::LONGEST_PREFIX];
    let (mut bits, mut length) = (0, 0);
    while let Ok(count @ 1..) = sys::read_all(list, &mut piece) {
        for byte in piece.get(..count).unwrap_or_default() {
            match byte {
                b'/' => length = 0,
                b'\n' => {
                    bits |= Library::bit_of_file(name.get(..length).unwrap_or_default());
                    length = 0;
                }
                byte => {
                    if let Some(place) = name.get_mut(length) {
                        *place = *byte;
                        length += 1;
                    }
                }
            }
        }
    }
    bits
}
