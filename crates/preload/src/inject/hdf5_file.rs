//! Settings of HDF5 files: copies of the property lists at `H5Fcreate` and `H5Fopen`.

use core::ffi::{CStr, c_char, c_int};
use core::fmt::Write;
use core::ptr;

use ioglass_param::{Param, Proof, Site, State, Value, hdf5};

use super::facts::{self, Facts, unmet};
use super::hdf5_library::{Class, Copied, Lists};
use super::plan::{Chosen, Plan, any_plan};
use super::row::{Outcome, Place, ValueText, note};
use crate::hdf5::library::{Id, Library};

/// The property lists of a call that opens a file.
#[derive(Clone, Copy)]
pub(crate) struct FileLists {
    /// Of a call that creates one.
    pub(crate) creation: Option<Id>,
    pub(crate) access: Id,
    /// The file is opened after the call, and asking it would wait.
    is_later: bool,
}

impl FileLists {
    pub(crate) const fn new(creation: Option<Id>, access: Id) -> Self {
        Self { creation, access, is_later: false }
    }

    /// The lists of an asynchronous call. Without a set of events it is like any other.
    pub(crate) const fn later(creation: Option<Id>, access: Id, events: Id) -> Self {
        Self { creation, access, is_later: events != 0 }
    }
}

/// Settings that one list can have here.
const MOST: usize = 16;

/// A property of a list: how it is asked and set.
struct Property {
    param: &'static Param,
    /// Writes the canonical value; false if the library has no such property.
    get: fn(&Lists, Id, &mut ValueText) -> bool,
    set: fn(&Lists, Id, &Value<'static>) -> bool,
    /// The value that a list has if the program has not set it.
    default: &'static str,
}

/// Asks for a property of one number.
macro_rules! get_number {
    ($kind:ty, $get:ident) => {
        |lists, list, text| {
            let mut number: $kind = Default::default();
            // SAFETY: a list of the library that has this function.
            let asked = lists.$get().is_some_and(|get| unsafe { get(list, &raw mut number) } >= 0);
            asked && write!(text, "{number}").is_ok()
        }
    };
}

macro_rules! set_number {
    ($kind:ty, $set:ident) => {
        |lists, list, value| {
            let Value::Number(number) = value else { return false };
            // SAFETY: as above.
            lists.$set().is_some_and(|set| unsafe { set(list, *number as $kind) } >= 0)
        }
    };
}

macro_rules! set_flag {
    ($set:ident) => {
        |lists, list, value| {
            let Value::Flag(flag) = value else { return false };
            // SAFETY: as above.
            lists.$set().is_some_and(|set| unsafe { set(list, *flag) } >= 0)
        }
    };
}

/// Properties of access lists.
static ACCESS: [Property; 8] = [
    Property {
        param: &hdf5::ALIGNMENT,
        get: |lists, list, text| {
            let (mut threshold, mut boundary) = (0, 0);
            let asked = lists.H5Pget_alignment().is_some_and(|get| {
                // SAFETY: as above.
                unsafe { get(list, &raw mut threshold, &raw mut boundary) >= 0 }
            });
            asked && write!(text, "{threshold},{boundary}").is_ok()
        },
        set: |lists, list, value| {
            let Value::Alignment(threshold, boundary) = value else { return false };
            // SAFETY: as above.
            lists
                .H5Pset_alignment()
                .is_some_and(|set| unsafe { set(list, *threshold, *boundary) } >= 0)
        },
        default: "1,1",
    },
    Property {
        param: &hdf5::SIEVE_BUF_SIZE,
        get: get_number!(usize, H5Pget_sieve_buf_size),
        set: set_number!(usize, H5Pset_sieve_buf_size),
        default: "65536",
    },
    Property {
        param: &hdf5::META_BLOCK_SIZE,
        get: get_number!(u64, H5Pget_meta_block_size),
        set: set_number!(u64, H5Pset_meta_block_size),
        default: "2048",
    },
    Property {
        param: &hdf5::SMALL_DATA_BLOCK_SIZE,
        get: get_number!(u64, H5Pget_small_data_block_size),
        set: set_number!(u64, H5Pset_small_data_block_size),
        default: "2048",
    },
    Property {
        param: &hdf5::COLL_METADATA_WRITE,
        get: get_number!(bool, H5Pget_coll_metadata_write),
        set: set_flag!(H5Pset_coll_metadata_write),
        default: "false",
    },
    Property {
        param: &hdf5::ALL_COLL_METADATA_OPS,
        get: get_number!(bool, H5Pget_all_coll_metadata_ops),
        set: set_flag!(H5Pset_all_coll_metadata_ops),
        default: "false",
    },
    Property {
        param: &hdf5::LIBVER,
        get: |lists, list, text| {
            let Some((low, high)) = versions(lists, list) else { return false };
            let word = match low {
                0 => "earliest",
                _ if low == high => "latest",
                1 => "v18",
                2 => "v110",
                _ => return write!(text, "version {low}").is_ok(),
            };
            text.write_str(word).is_ok()
        },
        set: |lists, list, value| {
            let (Value::Word(low, _), Some((_, high))) = (value, versions(lists, list)) else {
                return false;
            };
            // The upper bound of a list that nobody has changed is the latest version.
            let low = if *low == LATEST { high } else { *low as c_int };
            // SAFETY: as above.
            lists.H5Pset_libver_bounds().is_some_and(|set| unsafe { set(list, low, high) } >= 0)
        },
        default: "earliest",
    },
    Property {
        param: &hdf5::CHUNK_CACHE,
        get: |lists, list, text| {
            cache(lists, list).is_some_and(|(_, _, bytes, _)| write!(text, "{bytes}").is_ok())
        },
        set: |lists, list, value| {
            let (Value::Number(bytes), Some((metadata, slots, _, weight))) =
                (value, cache(lists, list))
            else {
                return false;
            };
            let slots = slots.max(prime(100 * (*bytes >> 20) as usize));
            let set = lists.H5Pset_cache();
            // SAFETY: as above.
            set.is_some_and(
                |set| unsafe { set(list, metadata, slots, *bytes as usize, weight) } >= 0,
            )
        },
        default: "1048576",
    },
];

/// The place of the word in [`hdf5::LIBVER`].
const LATEST: usize = 3;

/// Properties of creation lists.
static CREATION: [Property; 1] = [Property {
    param: &hdf5::FILE_SPACE,
    get: |lists, list, text| {
        let Some((strategy, _, _)) = strategy(lists, list) else { return false };
        let Some(word) = usize::try_from(strategy).ok().and_then(|at| STRATEGIES.get(at)) else {
            return false;
        };
        let _ = text.write_str(word);
        if *word == "page" {
            let mut size = 0;
            let asked = lists
                .H5Pget_file_space_page_size()
                // SAFETY: as above.
                .is_some_and(|get| unsafe { get(list, &raw mut size) } >= 0);
            return asked && write!(text, ",{size}").is_ok();
        }
        true
    },
    set: |lists, list, value| {
        let (Value::FileSpace(word, size), Some((_, persists, threshold))) =
            (value, strategy(lists, list))
        else {
            return false;
        };
        let Some(number) = STRATEGIES.iter().position(|other| other == word) else { return false };
        let set = lists.H5Pset_file_space_strategy();
        // SAFETY: as above.
        let is_set =
            set.is_some_and(|set| unsafe { set(list, number as c_int, persists, threshold) } >= 0);
        is_set
            && size.is_none_or(|size| {
                // SAFETY: as above.
                lists
                    .H5Pset_file_space_page_size()
                    .is_some_and(|set| unsafe { set(list, size) } >= 0)
            })
    },
    default: "fsm_aggr",
}];

/// Strategies by their numbers in HDF5.
const STRATEGIES: [&str; 4] = ["fsm_aggr", "page", "aggr", "none"];

fn versions(lists: &Lists, list: Id) -> Option<(c_int, c_int)> {
    let (mut low, mut high) = (0, 0);
    // SAFETY: as above.
    let asked = unsafe { lists.H5Pget_libver_bounds()?(list, &raw mut low, &raw mut high) };
    (asked >= 0).then_some((low, high))
}

fn cache(lists: &Lists, list: Id) -> Option<(c_int, usize, usize, f64)> {
    let (mut metadata, mut slots, mut bytes, mut weight) = (0, 0, 0, 0.0);
    // SAFETY: as above.
    let asked = unsafe {
        let ask = lists.H5Pget_cache()?;
        ask(list, &raw mut metadata, &raw mut slots, &raw mut bytes, &raw mut weight)
    };
    (asked >= 0).then_some((metadata, slots, bytes, weight))
}

fn strategy(lists: &Lists, list: Id) -> Option<(c_int, bool, u64)> {
    let (mut strategy, mut persists, mut threshold) = (0, false, 0);
    // SAFETY: as above.
    let asked = unsafe {
        let ask = lists.H5Pget_file_space_strategy()?;
        ask(list, &raw mut strategy, &raw mut persists, &raw mut threshold)
    };
    (asked >= 0).then_some((strategy, persists, threshold))
}

/// The first prime from a number of slots on.
fn prime(from: usize) -> usize {
    let is_prime = |number: &usize| {
        (2..).take_while(|part| part * part <= *number).all(|part| !number.is_multiple_of(part))
    };
    (from.clamp(521, 1_000_000)..).find(is_prime).unwrap_or(521)
}

/// A setting that was written into a copy.
#[derive(Clone, Copy)]
struct Written {
    chosen: Chosen,
    property: &'static Property,
}

/// A copied list and what was written into it.
struct Changed<'l> {
    copy: Copied<'l>,
    written: [Option<Written>; MOST],
}

/// Makes a call that opens a file, with settings if there are any for it.
///
/// # Safety
/// `real` is the function of the library that `call` calls, and path and lists are its arguments.
#[inline]
pub(crate) unsafe fn open_file(
    real: *const (),
    path: *const c_char,
    given: FileLists,
    call: impl Fn(FileLists) -> Id,
) -> Id {
    let Some(plan) = any_plan() else { return call(given) };
    // SAFETY: the caller vouches.
    unsafe { open_with(plan, real, path, given, &call) }
}

#[cold]
#[inline(never)]
unsafe fn open_with(
    plan: &'static Plan,
    real: *const (),
    path: *const c_char,
    given: FileLists,
    call: &dyn Fn(FileLists) -> Id,
) -> Id {
    let libraries = Library::of(real as usize).zip(Lists::of(real as usize));
    let Some((library, lists)) = libraries.filter(|_| !path.is_null()) else { return call(given) };
    // SAFETY: a path that the program gives to the library.
    let name = unsafe { CStr::from_ptr(path) }.to_bytes();
    let is_parallel = library.quietly(|| lists.is_parallel(given.access));
    let mut page = (0, 0, 0);
    let has_page_buffer = given.access != 0
        && lists.H5Pget_page_buffer_size().is_some_and(|ask| {
            // SAFETY: a list that the program is about to use.
            library.quietly(|| unsafe {
                ask(given.access, &raw mut page.0, &raw mut page.1, &raw mut page.2) >= 0
            }) && page.0 > 0
        });
    let facts = Facts { is_parallel, has_page_buffer, ..Facts::default() };
    let access = Target { class: Class::FileAccess, site: Site::FileAccess, properties: &ACCESS };
    let creation =
        Target { class: Class::FileCreation, site: Site::FileCreation, properties: &CREATION };
    let (access, creation) = library.quietly(|| {
        let created =
            given.creation.and_then(|list| creation.change(plan, lists, real, list, name, &facts));
        (access.change(plan, lists, real, given.access, name, &facts), created)
    });
    let with = FileLists {
        is_later: given.is_later,
        access: access.as_ref().map_or(given.access, |changed| changed.copy.id),
        creation: given
            .creation
            .map(|list| creation.as_ref().map_or(list, |changed| changed.copy.id)),
    };
    let mut id = -1;
    let is_changed = access.is_some() || creation.is_some();
    if is_changed {
        id = library.quietly(|| call(with));
    }
    let is_with_settings = id >= 0;
    if !is_with_settings {
        id = call(given);
    }
    if id < 0 {
        return id;
    }
    facts::opened(library.number(), name, is_parallel);
    library.quietly(|| {
        if given.is_later && is_with_settings {
            let both = [access.as_ref(), creation.as_ref()];
            return both.into_iter().flatten().for_each(|changed| changed.hand_over(name));
        }
        let of_file = |ask| if is_with_settings { lists.asked(ask, id) } else { None };
        if let Some(changed) = &access {
            changed.verify(
                lists,
                given.access,
                of_file(lists.H5Fget_access_plist()).as_ref(),
                name,
            );
        }
        if let Some(changed) = &creation {
            let list = given.creation.unwrap_or_default();
            changed.verify(lists, list, of_file(lists.H5Fget_create_plist()).as_ref(), name);
        }
    });
    id
}

/// A kind of list, and what can be set in it.
struct Target {
    class: Class,
    site: Site,
    properties: &'static [Property],
}

impl Target {
    /// Writes the settings for a file into a copy of a list, if there are any.
    fn change<'l>(
        &self,
        plan: &'static Plan,
        lists: &'l Lists,
        real: *const (),
        list: Id,
        file: &[u8],
        facts: &Facts,
    ) -> Option<Changed<'l>> {
        let place = Place { file, variable: b"" };
        let mut changed: Option<Changed<'l>> = None;
        let mut count = 0;
        plan.choose(self.site, file, None, |chosen| {
            let same = |property: &&Property| ptr::eq(property.param, chosen.setting.param);
            let Some(property) = self.properties.iter().find(same) else { return };
            let refuse = |reason| note(&chosen, place, Outcome::not_applicable(reason));
            if let Some(reason) = unmet(&chosen, facts) {
                return refuse(reason);
            }
            let mut own = ValueText::new();
            if list != 0 && chosen.rule.scope.respect {
                let is_own = (property.get)(lists, list, &mut own)
                    && own.bytes() != property.default.as_bytes();
                if is_own {
                    return refuse("the program has set it, and respect is set");
                }
            }
            let Ok(value) = chosen.setting.param.kind.parse(chosen.setting.value) else { return };
            if changed.is_none() {
                let copy = lists.copy(real, list, self.class);
                changed = copy.map(|copy| Changed { copy, written: [None; MOST] });
            }
            let Some(changed) = &mut changed else {
                return refuse("HDF5 gives no copy of the property list");
            };
            if count < MOST && (property.set)(lists, changed.copy.id, &value) {
                changed.written[count] = Some(Written { chosen, property });
                count += 1;
            } else {
                refuse("this HDF5 refuses it");
            }
        });
        changed.filter(|changed| changed.written[0].is_some())
    }
}

impl Changed<'_> {
    /// Notes settings of a file that is opened later.
    fn hand_over(&self, file: &[u8]) {
        for Written { chosen, .. } in self.written.iter().flatten() {
            let reason = "the call is asynchronous";
            let state = State::Unverifiable;
            let outcome = Outcome { state, ..Outcome::not_applicable(reason) };
            note(chosen, Place { file, variable: b"" }, outcome);
        }
    }

    /// Compares what an opened file says with what was written; without a list of the file, it could only
    /// be opened as the program wanted it.
    fn verify(&self, lists: &Lists, given: Id, asked: Option<&Copied<'_>>, file: &[u8]) {
        let place = Place { file, variable: b"" };
        for Written { chosen, property } in self.written.iter().flatten() {
            let (mut was, mut is) = (ValueText::new(), ValueText::new());
            let is_default = given == 0
                || !(property.get)(lists, given, &mut was)
                || was.bytes() == property.default.as_bytes();
            let was = if is_default { b"" } else { was.bytes() };
            let Proof::Asked(by) = property.param.proof else { continue };
            let told = asked.is_some_and(|list| (property.get)(lists, list.id, &mut is));
            if told {
                let wanted = chosen.setting.value.as_bytes();
                note(chosen, place, Outcome::asked(was, is.bytes(), wanted, by));
            } else {
                let reason = "HDF5 does not open the file with it";
                note(chosen, place, Outcome { was, ..Outcome::not_applicable(reason) });
            }
        }
    }
}
