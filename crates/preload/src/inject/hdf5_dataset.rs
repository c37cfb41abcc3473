//! Settings of HDF5 datasets: copies of the creation property list at `H5Dcreate`.

use core::ffi::{CStr, c_char, c_int};
use core::fmt::Write;
use core::ptr;

use ioglass_param::{Proof, Site, Value, chunk, hdf5};

use super::facts::{self, Facts, unmet};
use super::hdf5_library::{Class, Copied, Lists};
use super::plan::{Chosen, Plan, plan};
use super::row::{Outcome, Place, ValueText, Words, note};
use crate::hdf5::library::{Id, Library};
use crate::text::Text;

/// Dimensions that a dataset can have.
const DIMENSIONS: usize = 32;
/// Layouts, by their numbers in HDF5.
const CONTIGUOUS: c_int = 1;
const CHUNKED: c_int = 2;
/// The class of simple dataspaces.
const SIMPLE: c_int = 1;
/// The program has defined a fill value.
const USER_DEFINED: c_int = 2;
/// Fill times by their numbers in HDF5.
const FILL_TIMES: [&str; 3] = ["alloc", "never", "ifset"];
/// The default among them.
const IF_SET: &[u8] = b"ifset";

/// The arguments of a call that makes a dataset.
#[derive(Clone, Copy)]
pub(crate) struct DatasetCall {
    pub(crate) place: Id,
    /// Null if it has none.
    pub(crate) name: *const c_char,
    pub(crate) element: Id,
    pub(crate) space: Id,
    pub(crate) creation: Id,
}

/// Lengths in each dimension.
#[derive(Clone, Copy)]
struct Lengths {
    lengths: [u64; DIMENSIONS],
    count: usize,
}

impl Lengths {
    fn get(&self) -> &[u64] {
        &self.lengths[..self.count]
    }

    fn text(&self) -> ValueText {
        let mut text = ValueText::new();
        for (place, length) in self.get().iter().enumerate() {
            let _ = write!(text, "{}{length}", if place == 0 { "" } else { "," });
        }
        text
    }
}

/// Settings that were written into the copy.
#[derive(Default)]
struct Written {
    chunk: Option<(Chosen, Lengths)>,
    fill_time: Option<Chosen>,
}

/// Makes a call that creates a dataset, with settings if there are any for it.
///
/// # Safety
/// `real` is the function of the library that `call` calls, and these are its arguments.
#[inline]
pub(crate) unsafe fn create_dataset(
    real: *const (),
    given: DatasetCall,
    call: impl Fn(Id) -> Id,
) -> Id {
    let Some(plan) = plan(Site::DatasetCreation) else { return call(given.creation) };
    // SAFETY: the caller vouches.
    unsafe { create_with(plan, real, given, &call) }
}

#[cold]
#[inline(never)]
unsafe fn create_with(
    plan: &'static Plan,
    real: *const (),
    given: DatasetCall,
    call: &dyn Fn(Id) -> Id,
) -> Id {
    let Some((library, lists)) = Library::of(real as usize).zip(Lists::of(real as usize)) else {
        return call(given.creation);
    };
    let mut file = Text::<4096>::new();
    let mut variable = Words::<4096>::new();
    let mut written = Written::default();
    let copy = library.quietly(|| {
        if let Some(ask) = library.H5Fget_name() {
            // SAFETY: an object of the library, and a buffer of this size.
            file.fill(|room| unsafe { ask(given.place, room, 4096) });
        }
        // SAFETY: the caller vouches.
        unsafe { name_of(library, given, &mut variable) };
        let place = Place { file: file.get().to_bytes(), variable: variable.bytes() };
        change(plan, (real, library, lists), given, place, &mut written)
    });
    let mut id = -1;
    if let Some(copy) = &copy {
        id = library.quietly(|| call(copy.id));
    }
    let is_with_settings = id >= 0;
    if !is_with_settings {
        id = call(given.creation);
    }
    if id >= 0 && copy.is_some() {
        let place = Place { file: file.get().to_bytes(), variable: variable.bytes() };
        library.quietly(|| {
            let asked = lists.asked(lists.H5Dget_create_plist(), id).filter(|_| is_with_settings);
            verify(lists, given.creation, asked.as_ref(), place, &written);
        });
    }
    id
}

/// The path of a new dataset in its file.
unsafe fn name_of(library: &Library, given: DatasetCall, path: &mut Words<4096>) {
    if given.name.is_null() {
        return;
    }
    // SAFETY: a name that the program gives to the library.
    let name = unsafe { CStr::from_ptr(given.name) }.to_bytes();
    if name.first() != Some(&b'/') {
        let mut group = Text::<1024>::new();
        if let Some(ask) = library.H5Iget_name() {
            // SAFETY: an object of the library, and a buffer of this size.
            group.fill(|room| unsafe { ask(given.place, room, 1024) });
        }
        let group = group.get().to_bytes();
        path.push(group.strip_suffix(b"/").unwrap_or(group));
        path.push(b"/");
    }
    path.push(name);
}

/// Writes the settings for a dataset into a copy of its list, if there are any.
fn change<'l>(
    plan: &'static Plan,
    (real, library, lists): (*const (), &Library, &'l Lists),
    given: DatasetCall,
    place: Place<'_>,
    written: &mut Written,
) -> Option<Copied<'l>> {
    let extent = extent(lists, given.space);
    let facts = Facts {
        is_parallel: facts::is_parallel(library.number(), place.file),
        ..known(lists, given.creation, extent.is_some())
    };
    let mut copy = None;
    let variable = Some(place.variable).filter(|variable| !variable.is_empty());
    plan.choose(Site::DatasetCreation, place.file, variable, |chosen| {
        let refuse = |reason| note(&chosen, place, Outcome::not_applicable(reason));
        let setting = chosen.setting;
        if let Some(reason) = unmet(&chosen, &facts) {
            return refuse(reason);
        }
        let is_fill_time = ptr::eq(setting.param, &hdf5::FILL_TIME);
        if chosen.rule.scope.respect && is_own(lists, given.creation, is_fill_time) {
            return refuse("the program has set it, and respect is set");
        }
        let Ok(value) = setting.param.kind.parse(setting.value) else { return };
        if copy.is_none() {
            copy = lists.copy(real, given.creation, Class::DatasetCreation);
        }
        let Some(list) = copy.as_ref().map(|copy| copy.id) else {
            return refuse("HDF5 gives no copy of the property list");
        };
        if is_fill_time {
            let Value::Word(number, _) = value else { return };
            let set = lists.H5Pset_fill_time();
            // SAFETY: a list of ours.
            if set.is_some_and(|set| unsafe { set(list, number as c_int) } >= 0) {
                written.fill_time = Some(chosen);
            } else {
                refuse("this HDF5 refuses it");
            }
            return;
        }
        let Some(extent) = extent else { return refuse("the dataset has no extent") };
        // SAFETY: the type of the new dataset.
        let element = lists.H5Tget_size().map_or(1, |ask| unsafe { ask(given.element) }) as u64;
        let Some(shape) = shape(&value, extent, element) else {
            return refuse("the dataset has another number of dimensions");
        };
        let set = lists.H5Pset_chunk();
        let lengths = shape.get();
        // SAFETY: a list of ours, and as many lengths as are said.
        let is_set = set
            .is_some_and(|set| unsafe { set(list, lengths.len() as c_int, lengths.as_ptr()) >= 0 });
        if is_set {
            written.chunk = Some((chosen, shape));
        } else {
            refuse("this HDF5 refuses it");
        }
    });
    copy.filter(|_| written.chunk.is_some() || written.fill_time.is_some())
}

/// The lengths of a chunk for a dataset.
fn shape(value: &Value<'static>, extent: Lengths, element: u64) -> Option<Lengths> {
    let mut shape = extent;
    match value {
        Value::Number(bytes) => chunk::fit(&mut shape.lengths[..shape.count], element, *bytes),
        Value::Shape(lengths) => {
            if lengths.lengths().count() != extent.count {
                return None;
            }
            for (place, length) in shape.lengths.iter_mut().zip(lengths.lengths()) {
                *place = length;
            }
            chunk::clip(&mut shape.lengths[..shape.count], extent.get());
        }
        _ => return None,
    }
    Some(shape)
}

/// The extent of a simple space without a length 0 that cannot grow.
fn extent(lists: &Lists, space: Id) -> Option<Lengths> {
    let (mut lengths, mut most) = ([0; DIMENSIONS], [0; DIMENSIONS]);
    // SAFETY: a space of the library, and room for all dimensions.
    let count = unsafe {
        if lists.H5Sget_simple_extent_type()?(space) != SIMPLE {
            return None;
        }
        lists.H5Sget_simple_extent_dims()?(space, lengths.as_mut_ptr(), most.as_mut_ptr())
    };
    let count = usize::try_from(count).ok().filter(|count| (1..=DIMENSIONS).contains(count))?;
    let is_fixed = lengths[..count] == most[..count];
    (is_fixed && !lengths[..count].contains(&0)).then_some(Lengths { lengths, count })
}

/// What a creation list says of the dataset.
fn known(lists: &Lists, creation: Id, has_extent: bool) -> Facts {
    if creation == 0 {
        return Facts { is_contiguous: has_extent, ..Facts::default() };
    }
    let ask = |ask: Option<unsafe extern "C" fn(Id) -> c_int>| {
        // SAFETY: a list that the program is about to use.
        ask.map_or(0, |ask| unsafe { ask(creation) })
    };
    let mut fill = 0;
    if let Some(ask) = lists.H5Pfill_value_defined() {
        // SAFETY: as above.
        unsafe { ask(creation, &raw mut fill) };
    }
    let layout = ask(lists.H5Pget_layout());
    let is_plain = ask(lists.H5Pget_external_count()) == 0;
    Facts {
        is_contiguous: has_extent && layout == CONTIGUOUS && is_plain,
        is_chunked: layout == CHUNKED,
        has_fill_value: fill == USER_DEFINED,
        ..Facts::default()
    }
}

/// Returns true if the program has set a property itself.
fn is_own(lists: &Lists, creation: Id, is_fill_time: bool) -> bool {
    creation != 0
        && if is_fill_time {
            fill_time(lists, creation).is_some_and(|time| time.as_bytes() != IF_SET)
        } else {
            chunk_of(lists, creation).is_some()
        }
}

fn fill_time(lists: &Lists, list: Id) -> Option<&'static str> {
    let mut time = -1;
    // SAFETY: a list of the library.
    let asked = unsafe { lists.H5Pget_fill_time()?(list, &raw mut time) };
    (asked >= 0).then(|| FILL_TIMES.get(usize::try_from(time).ok()?).copied())?
}

fn chunk_of(lists: &Lists, list: Id) -> Option<Lengths> {
    let mut lengths = [0; DIMENSIONS];
    // SAFETY: a list of the library, and room for all dimensions.
    let count = unsafe {
        if lists.H5Pget_layout()?(list) != CHUNKED {
            return None;
        }
        lists.H5Pget_chunk()?(list, DIMENSIONS as c_int, lengths.as_mut_ptr())
    };
    let count = usize::try_from(count).ok().filter(|count| *count <= DIMENSIONS)?;
    Some(Lengths { lengths, count })
}

/// Compares what a new dataset says with what was written.
fn verify(
    lists: &Lists,
    given: Id,
    asked: Option<&Copied<'_>>,
    place: Place<'_>,
    written: &Written,
) {
    let reason = "HDF5 does not make the dataset with it";
    if let Some((chosen, shape)) = &written.chunk {
        let was = if given == 0 { None } else { chunk_of(lists, given) }.map(|was| was.text());
        let was = was.as_ref().map_or(&b""[..], Words::bytes);
        let Proof::Asked(by) = chosen.setting.param.proof else { return };
        let outcome = match asked.map(|list| chunk_of(lists, list.id)) {
            Some(is) => {
                let is = is.map(|is| is.text());
                let is = is.as_ref().map_or(&b"contiguous"[..], Words::bytes);
                let wanted = shape.text();
                note(chosen, place, Outcome::asked(was, is, wanted.bytes(), by));
                None
            }
            None => Some(Outcome { was, ..Outcome::not_applicable(reason) }),
        };
        if let Some(outcome) = outcome {
            note(chosen, place, outcome);
        }
    }
    if let Some(chosen) = &written.fill_time {
        let was = if given == 0 { None } else { fill_time(lists, given) };
        let was = was.map(str::as_bytes).filter(|was| *was != IF_SET).unwrap_or_default();
        let Proof::Asked(by) = chosen.setting.param.proof else { return };
        let outcome = match asked.and_then(|list| fill_time(lists, list.id)) {
            Some(is) => Outcome::asked(was, is.as_bytes(), chosen.setting.value.as_bytes(), by),
            None => Outcome { was, ..Outcome::not_applicable(reason) },
        };
        note(chosen, place, outcome);
    }
}
