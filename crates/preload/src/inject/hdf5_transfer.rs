//! The mode of transfers: copies of the transfer property list at `H5Dwrite` and `H5Dread`.

use core::ffi::c_int;
use core::slice;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_param::{Proof, Site, Value};

use super::facts::{self, Facts, unmet};
use super::hdf5_library::{Class, Lists};
use super::plan::{Chosen, Plan, plan};
use super::row::{Outcome, Place, note};
use crate::hdf5::library::{Id, Library};
use crate::late_symbol;
use crate::text::Text;

/// Modes by their numbers in HDF5.
const MODES: [&str; 2] = ["independent", "collective"];

/// Decisions for datasets: the hash of the dataset, and below it what was decided.
static DECIDED: [AtomicU64; 512] = [const { AtomicU64::new(0) }; 512];
const DECISION: u64 = 7;
/// Nothing is set.
const NOTHING: u64 = 1;
/// A mode is set: this plus its number. The second set of numbers was verified.
const MODE: u64 = 2;
const VERIFIED: u64 = 4;

/// Makes a transfer, with settings if there are any for its datasets: `count` ids.
///
/// # Safety
/// `real` is the function of the library that `call` calls, and these are its arguments.
#[inline]
pub(crate) unsafe fn transfer(
    real: *const (),
    (count, datasets): (usize, *const Id),
    properties: Id,
    call: impl Fn(Id) -> c_int,
) -> c_int {
    match plan(Site::Transfer) {
        Some(plan) if count > 0 && !datasets.is_null() => {
            // SAFETY: the caller vouches.
            let datasets = unsafe { slice::from_raw_parts(datasets, count) };
            // SAFETY: as above.
            unsafe { transfer_with(plan, real, datasets, properties, &call) }
        }
        _ => call(properties),
    }
}

#[cold]
#[inline(never)]
unsafe fn transfer_with(
    plan: &'static Plan,
    real: *const (),
    datasets: &[Id],
    properties: Id,
    call: &dyn Fn(Id) -> c_int,
) -> c_int {
    let Some((library, lists)) = Library::of(real as usize).zip(Lists::of(real as usize)) else {
        return call(properties);
    };
    let decided = |dataset| Decided::of(plan, library, lists, dataset);
    // One list serves all datasets of a call: they must agree.
    let mode = decided(datasets[0]).mode();
    let agree = |dataset: &Id| decided(*dataset).mode() == mode;
    let Some(mode) = mode.filter(|_| datasets[1..].iter().all(agree)) else {
        return call(properties);
    };
    let copy = library.quietly(|| {
        let copy = lists.copy(real, properties, Class::Transfer)?;
        // SAFETY: a list of ours.
        let is_set = unsafe { lists.H5Pset_dxpl_mpio()?(copy.id, mode as c_int) >= 0 };
        is_set.then_some(copy)
    });
    let Some(copy) = copy else { return call(properties) };
    let result = call(copy.id);
    for dataset in datasets.iter().filter(|_| result >= 0) {
        if decided(*dataset).is_verified_now() {
            library.quietly(|| verify(plan, library, lists, (*dataset, properties, copy.id)));
        }
    }
    result
}

/// What was decided for a dataset, and where it is remembered.
struct Decided {
    key: u64,
    place: &'static AtomicU64,
    decision: u64,
}

impl Decided {
    fn of(plan: &'static Plan, library: &Library, lists: &Lists, dataset: Id) -> Self {
        let key = (dataset as u64 ^ library.number() ^ u64::from(late_symbol::unloads()) << 40)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            & !DECISION;
        let place = &DECIDED[(key >> 32) as usize % DECIDED.len()];
        let known = place.load(Relaxed);
        if known & !DECISION == key && known != 0 {
            return Self { key, place, decision: known & DECISION };
        }
        let decision = library.quietly(|| decide(plan, library, lists, dataset));
        place.store(key | decision, Relaxed);
        Self { key, place, decision }
    }

    /// The number of the mode that is set, if one is.
    fn mode(&self) -> Option<u64> {
        (self.decision != NOTHING).then(|| (self.decision - MODE) & 1)
    }

    /// Returns true the first time.
    fn is_verified_now(&self) -> bool {
        let is_new = (MODE..VERIFIED).contains(&self.decision);
        if is_new {
            self.place.store(self.key | (self.decision - MODE + VERIFIED), Relaxed);
        }
        is_new
    }
}

/// Calls `take` with the setting for a dataset and the facts of it.
fn choose(
    plan: &'static Plan,
    library: &Library,
    dataset: Id,
    mut take: impl FnMut(Chosen, Place<'_>),
) {
    let (mut file, mut variable) = (Text::<4096>::new(), Text::<4096>::new());
    // SAFETY: an object of the library, and buffers of this size.
    unsafe {
        if let Some((of_file, of_object)) = library.H5Fget_name().zip(library.H5Iget_name()) {
            file.fill(|room| of_file(dataset, room, 4096));
            variable.fill(|room| of_object(dataset, room, 4096));
        }
    }
    let place = Place { file: file.get().to_bytes(), variable: variable.get().to_bytes() };
    plan.choose(Site::Transfer, place.file, Some(place.variable), |chosen| take(chosen, place));
}

fn decide(plan: &'static Plan, library: &Library, lists: &Lists, dataset: Id) -> u64 {
    let mut decision = NOTHING;
    choose(plan, library, dataset, |chosen, place| {
        let creation = lists.asked(lists.H5Dget_create_plist(), dataset);
        let has_filters = creation.is_some_and(|list| {
            // SAFETY: a list of the library.
            lists.H5Pget_nfilters().is_some_and(|ask| unsafe { ask(list.id) } > 0)
        });
        let is_parallel = facts::is_parallel(library.number(), place.file);
        let facts = Facts { is_parallel, has_filters, ..Facts::default() };
        if let Some(reason) = unmet(&chosen, &facts) {
            return note(&chosen, place, Outcome::not_applicable(reason));
        }
        if let Ok(Value::Word(number, _)) = chosen.setting.param.kind.parse(chosen.setting.value) {
            decision = MODE + (number as u64 & 1);
        }
    });
    decision
}

/// Asks the list of a transfer how it was made.
fn verify(
    plan: &'static Plan,
    library: &Library,
    lists: &Lists,
    (dataset, given, used): (Id, Id, Id),
) {
    let (mut actual, mut own) = (-1, 0);
    // SAFETY: lists of the library.
    let told = unsafe {
        if given != 0
            && let Some(ask) = lists.H5Pget_dxpl_mpio()
        {
            ask(given, &raw mut own);
        }
        lists.H5Pget_mpio_actual_io_mode().is_some_and(|ask| ask(used, &raw mut actual) >= 0)
    };
    choose(plan, library, dataset, |chosen, place| {
        let wanted = chosen.setting.value;
        let was = if own == 1 { MODES[1] } else { "" };
        let Proof::Asked(by) = chosen.setting.param.proof else { return };
        // 0 is no collective transfer, 1 one whose chunks were moved independently.
        let is = MODES[usize::from(actual > 1)];
        let outcome = if told {
            Outcome::asked(was.as_bytes(), is.as_bytes(), wanted.as_bytes(), by)
        } else {
            let state = ioglass_param::State::Unverifiable;
            Outcome {
                state,
                was: was.as_bytes(),
                effective: b"",
                by: "",
                reason: "HDF5 does not tell",
            }
        };
        note(&chosen, place, outcome);
    });
}
