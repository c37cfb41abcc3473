//! What became of the settings that were injected: rows of text in the capture.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering::Relaxed};

use ioglass_shm::{Kind, Loss};

use crate::path::quick_hash;
use crate::spin::Spin;
use crate::thread::Guard;
use crate::{capture, file, process, sys};

/// Rows that a process has at most.
const ROWS: usize = 1024;
/// Rows about single files and datasets that it has at most.
const PLACES: usize = ROWS * 3 / 4;

/// Places in which a row is looked for.
const PROBES: usize = 64;

/// A row that is in the capture: its hash, and how often it was noted.
struct Noted {
    hash: AtomicU64,
    times: AtomicPtr<u64>,
}

static NOTED: [Noted; ROWS] =
    [const { Noted { hash: AtomicU64::new(0), times: AtomicPtr::new(ptr::null_mut()) } }; ROWS];
/// Rows in the capture.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Held while a row is looked for or added.
static LOCK: Spin = Spin::new();

/// Returns true if rows are wanted: this process is recorded.
pub fn is_wanted() -> bool {
    file::is_open()
}

/// Notes a row about a file or dataset, and returns true; false if there are too many. The same row again is
/// counted.
pub fn note(row: &[u8]) -> bool {
    let Some(_guard) = Guard::enter() else { return true };
    count(row, PLACES)
}

/// Notes a row about all other files and datasets.
pub fn note_others(row: &[u8]) {
    let Some(_guard) = Guard::enter() else { return };
    if !count(row, ROWS) {
        capture::count_loss(Loss::Records);
    }
}

/// Counts a row, which is added if there are less than so many. False if it cannot be.
fn count(row: &[u8], most: usize) -> bool {
    let hash = quick_hash(row, 0).max(1);
    LOCK.lock();
    let first = hash as usize % ROWS;
    let places = NOTED[first..].iter().chain(&NOTED[..first]);
    let place = places.take(PROBES).find(|place| {
        let other = place.hash.load(Relaxed);
        other == 0 || other == hash
    });
    let times = place.map_or(ptr::null_mut(), |place| {
        let mut times = place.times.load(Relaxed);
        if times.is_null()
            && USED.load(Relaxed) < most
            && let Some(new) = add(row)
        {
            times = new;
            USED.fetch_add(1, Relaxed);
            place.times.store(new, Relaxed);
            place.hash.store(hash, Relaxed);
        }
        times
    });
    if !times.is_null() {
        // SAFETY: a word of the capture, which stays mapped.
        unsafe { AtomicU64::from_ptr(times) }.fetch_add(1, Relaxed);
    }
    LOCK.unlock();
    !times.is_null()
}

/// The reason why settings are not used at all: address and length of the text.
static FAULT: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Notes that settings are not used at all.
pub fn is_faulty(reason: &'static str) {
    FAULT[1].store(reason.len() as u64, Relaxed);
    FAULT[0].store(reason.as_ptr() as u64, Relaxed);
}

/// Passes an entry that says why settings are not used, if they are not, to `put`.
pub(crate) fn describe(put: impl FnOnce(&[u8])) {
    let [address, length] = FAULT.each_ref().map(|word| word.load(Relaxed));
    if address == 0 {
        return;
    }
    // SAFETY: only `is_faulty` stores here, and its text stays.
    let reason = unsafe { core::slice::from_raw_parts(address as *const u8, length as usize) };
    let mut row = [0; 256];
    let mut end = 0;
    // The columns between the name and the state are empty.
    let name = b"IOGLASS_SETTINGS\t\t\t\t\t\t\t\t\t\tnot-applicable\t";
    for piece in [&1_u64.to_ne_bytes()[..], name, reason] {
        let piece = &piece[..piece.len().min(row.len() - end)];
        row[end..end + piece.len()].copy_from_slice(piece);
        end += piece.len();
    }
    put(&row[..end]);
}

/// Notes a fact of the libraries in which settings are set, `key=value`, in the log's metadata.
pub fn note_stack(line: &[u8]) {
    if let Some(_guard) = Guard::enter() {
        capture::put(Kind::Note, line);
    }
}

/// The file of the program and its first word, which may have another name.
pub fn program_names(buffers: &mut [[u8; 512]; 2]) -> [&[u8]; 2] {
    let [file, words] = buffers;
    let file = sys::read_link(c"/proc/self/exe", file).unwrap_or_default();
    let words = process::command(words);
    [file, words.split(|byte| *byte == 0).next().unwrap_or_default()]
}

/// Adds a row to the capture; the number of times is 0.
fn add(row: &[u8]) -> Option<*mut u64> {
    let taken = capture::take(size_of::<u64>() + row.len())?;
    let times = taken.payload().cast::<u64>();
    // SAFETY: the entry has room for both.
    unsafe { ptr::copy_nonoverlapping(row.as_ptr(), times.add(1).cast(), row.len()) };
    taken.complete(Kind::Setting);
    Some(times)
}

/// Forgets the rows of a capture that was left; what follows belongs to the next one.
pub(crate) fn forget() {
    USED.store(0, Relaxed);
    for place in &NOTED {
        place.hash.store(0, Relaxed);
        place.times.store(ptr::null_mut(), Relaxed);
    }
}

/// Forgets the rows of the parent.
pub(crate) fn after_fork() {
    LOCK.unlock();
    forget();
}
