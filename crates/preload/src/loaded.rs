//! Functions of loaded objects, as the loader publishes them.
//!
//! The loader's own search would work, but before glibc 2.34 it is in a separate library, and
//! loading that costs a short process more than our whole start. Among the objects that a program
//! began with, this search takes no lock and makes no call, so it also works in a signal handler,
//! after a fork, and before any other library is initialised.

use core::arch::{asm, global_asm};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The loader's interface for debuggers: begin of the list of objects.
#[repr(C)]
struct Debug {
    version: c_int,
    objects: *const LoadedObject,
}

/// A loaded object; objects are in the loader's search order.
#[repr(C)]
pub(crate) struct LoadedObject {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
    next: *const LoadedObject,
}

/// Location of a part of an object.
#[repr(C)]
struct Dynamic {
    tag: usize,
    value: usize,
}

#[repr(C)]
struct Definition {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    size: usize,
}

const NEEDED: usize = 1;
const STRINGS: usize = 5;
const SYMBOLS: usize = 6;
const VERSIONS: usize = 0x6FFF_FFF0;
const HASHES: usize = 0x6FFF_FEF5;
const OLD_HASHES: usize = 4;

/// Upper limit of the code and data of an object, since its parts reach each other.
const LARGEST_OBJECT: usize = 1 << 31;
/// Flag of a symbol version that new programs are not linked with.
const HIDDEN: u16 = 1 << 15;
/// Symbol type of a function that returns the address of another function.
const INDIRECT: u8 = 10;

// A C library other than glibc has one of them under the second name, or neither.
global_asm!(".weak _r_debug", ".weak _dl_debug_addr");

/// The loader's interface for debuggers.
fn debug() -> Option<&'static Debug> {
    // SAFETY: addresses that the loader has filled in, or null.
    unsafe {
        let (here, elsewhere): (*const Debug, *const *const Debug);
        asm!("mov {}, qword ptr [rip + _r_debug@GOTPCREL]",
             "mov {}, qword ptr [rip + _dl_debug_addr@GOTPCREL]",
             out(reg) here, out(reg) elsewhere, options(pure, readonly, nostack));
        here.as_ref().or_else(|| elsewhere.as_ref()?.as_ref())
    }
}

/// The last of the objects that the program began with; these are never unloaded.
static LAST_OF_FIRST: AtomicPtr<LoadedObject> = AtomicPtr::new(ptr::null_mut());

/// The function `name` in the first object after ours that has it, among those that the program
/// began with. Takes no lock and makes no call.
pub(crate) fn next_function(name: &CStr) -> Option<*mut c_void> {
    let (own, last, hash) = (own_dynamic(), last_of_first(), hash(name));
    let mut is_behind = false;
    for object in objects() {
        // SAFETY: the object stays loaded.
        if is_behind && let Some(found) = unsafe { Tables::of(object).find(name, hash) } {
            return Some(found);
        }
        is_behind |= ptr::eq(object.dynamic, own);
        if ptr::eq(object, last) {
            break;
        }
    }
    None
}

/// The function `name` of this library.
pub(crate) fn own_function(name: &CStr) -> Option<*mut c_void> {
    let own = objects().find(|object| ptr::eq(object.dynamic, own_dynamic()))?;
    // SAFETY: this library stays loaded.
    unsafe { Tables::of(own).find(name, hash(name)) }
}

/// The function `name` as the code at `caller` would find it without us, among objects that were
/// loaded later: in its own object, in the objects that this one needs, or else anywhere. Several
/// objects may have it: two parts of a program can each bring their own library.
pub(crate) fn late_function(name: &CStr, caller: usize) -> Option<*mut c_void> {
    while_all_stay(|| find_for(name, caller))
}

/// The function `name` of the object that contains the code at `address`.
pub(crate) fn function_beside(name: &CStr, address: usize) -> Option<*mut c_void> {
    // SAFETY: nothing is unloaded meanwhile.
    while_all_stay(|| unsafe { Tables::of(object_of(address)?).find(name, hash(name)) })
}

/// Runs a search while the loader lets no thread unload anything.
fn while_all_stay<T, S: FnOnce() -> Option<T>>(search: S) -> Option<T> {
    // The search is complete after the first callback.
    unsafe extern "C" fn run<T, S: FnOnce() -> Option<T>>(
        _: *mut libc::dl_phdr_info,
        _: usize,
        job: *mut c_void,
    ) -> c_int {
        // SAFETY: the pointer that is passed below.
        let (search, found) = unsafe { &mut *job.cast::<(Option<S>, Option<T>)>() };
        *found = search.take().and_then(|search| search());
        1
    }
    let mut job: (Option<S>, Option<T>) = (Some(search), None);
    // SAFETY: the callback expects this argument.
    unsafe { libc::dl_iterate_phdr(Some(run::<T, S>), (&raw mut job).cast()) };
    job.1
}

/// Begin and end of the object that contains the code at `address`.
pub(crate) fn extent_of(address: usize) -> Option<(usize, usize)> {
    struct Search {
        address: usize,
        found: Option<(usize, usize)>,
    }

    unsafe extern "C" fn search(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: the pointer that is passed below, and the segments of a loaded object.
        unsafe {
            let (info, search) = (&*info, &mut *search.cast::<Search>());
            let segments = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            let loaded = segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD);
            let extent = loaded.fold((usize::MAX, 0), |(begin, end), segment| {
                let first = (info.dlpi_addr + segment.p_vaddr) as usize;
                (begin.min(first), end.max(first + segment.p_memsz as usize))
            });
            let is_in = (extent.0..extent.1).contains(&search.address);
            search.found = is_in.then_some(extent);
            c_int::from(is_in)
        }
    }

    let mut found = Search { address, found: None };
    // SAFETY: the callback expects this argument.
    unsafe { libc::dl_iterate_phdr(Some(search), (&raw mut found).cast()) };
    found.found
}

/// Begin and end of the program itself.
pub(crate) fn extent_of_program() -> Option<(usize, usize)> {
    extent_of(objects().next()?.dynamic as usize)
}

/// The object that contains the code at `address`. Objects do not overlap, so it is the nearest one
/// below.
fn object_of(address: usize) -> Option<&'static LoadedObject> {
    let is_own = |object: &&LoadedObject| ptr::eq(object.dynamic, own_dynamic());
    let below = objects().filter(|object| !is_own(object) && object.base <= address);
    below.max_by_key(|object| object.base)
}

fn find_for(name: &CStr, caller: usize) -> Option<*mut c_void> {
    let hash = hash(name);
    let is_own = |object: &&LoadedObject| ptr::eq(object.dynamic, own_dynamic());
    // SAFETY: nothing is unloaded meanwhile.
    let find = |object: &LoadedObject| unsafe { Tables::of(object).find(name, hash) };
    let others = || objects().filter(|object| !is_own(object));
    let own = object_of(caller);
    own.and_then(find)
        .or_else(|| own?.needed().find_map(find))
        .or_else(|| own?.needed().flat_map(LoadedObject::needed).find_map(find))
        .or_else(|| others().find_map(find))
}

/// Returns true if the path of the file with the function at `address` contains `part`.
pub(crate) fn is_from_file(address: usize, part: &[u8]) -> bool {
    struct Search<'p> {
        address: usize,
        part: &'p [u8],
        found: bool,
    }

    unsafe extern "C" fn search(
        _: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: the pointer that is passed below, and the name of an object that stays meanwhile.
        unsafe {
            let search = &mut *search.cast::<Search<'_>>();
            let name = object_of(search.address).map(|object| object.name);
            if let Some(name) = name.filter(|name| !name.is_null()) {
                let file = CStr::from_ptr(name).to_bytes().rsplit(|byte| *byte == b'/').next();
                let mut parts = file.unwrap_or_default().windows(search.part.len());
                search.found = parts.any(|part| part == search.part);
            }
        }
        1
    }

    let mut found = Search { address, part, found: false };
    // SAFETY: the callback expects this argument.
    unsafe { libc::dl_iterate_phdr(Some(search), (&raw mut found).cast()) };
    found.found
}

/// Paths of the objects that the program began with. Takes no lock and makes no call.
pub(crate) fn first_files() -> impl Iterator<Item = &'static [u8]> {
    let last = last_of_first();
    let mut is_over = false;
    let first = objects().take_while(move |object| {
        let was_over = is_over;
        is_over |= ptr::eq(*object, last);
        !was_over
    });
    let named = first.map(|object| object.name).filter(|name| !name.is_null());
    // SAFETY: these objects stay loaded, and so do their names.
    named.map(|name| unsafe { CStr::from_ptr(name) }.to_bytes())
}

/// Returns true if the program has loaded more objects than it began with.
pub(crate) fn has_later() -> bool {
    // SAFETY: an object that stays loaded, or null.
    unsafe { last_of_first().as_ref() }.is_some_and(|last| !last.next.is_null())
}

/// Looks at the paths of the objects that the program has loaded since it began, while the loader lets
/// no thread unload anything.
pub(crate) fn later_files(mut look: impl FnMut(&[u8])) {
    // SAFETY: an object that stays loaded, or null.
    let Some(last) = (unsafe { last_of_first().as_ref() }) else { return };
    while_all_stay(|| {
        // SAFETY: nothing is unloaded meanwhile.
        let next = |object: &LoadedObject| unsafe { object.next.as_ref() };
        let later = core::iter::successors(next(last), |object| next(object));
        for name in later.map(|object| object.name).filter(|name| !name.is_null()) {
            // SAFETY: as above.
            look(unsafe { CStr::from_ptr(name) }.to_bytes());
        }
        Some(())
    });
}

/// All objects, in the loader's search order.
fn objects() -> impl Iterator<Item = &'static LoadedObject> {
    // SAFETY: the loader's list. Callers make sure that the objects they use stay loaded.
    unsafe {
        let first = debug().and_then(|debug| debug.objects.as_ref());
        core::iter::successors(first, |object| object.next.as_ref())
    }
}

/// End of the list before `main`, when this library is initialised or first called.
pub(crate) fn last_of_first() -> *const LoadedObject {
    let known = LAST_OF_FIRST.load(Relaxed);
    if !known.is_null() {
        return known;
    }
    let last = objects().last().map_or(ptr::null(), ptr::from_ref);
    LAST_OF_FIRST.store(last.cast_mut(), Relaxed);
    last
}

impl LoadedObject {
    /// Tags and addresses of its parts. The loader turns offsets into addresses where it may write,
    /// which is nearly everywhere.
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut entry = self.dynamic;
        core::iter::from_fn(move || {
            // SAFETY: the list ends with tag 0, and is not read beyond that.
            unsafe {
                let Dynamic { tag, value } = entry.as_ref().filter(|entry| entry.tag != 0)?;
                entry = entry.add(1);
                Some((*tag, *value))
            }
        })
    }

    fn address(&self, value: usize) -> usize {
        let is_near = value.abs_diff(self.dynamic as usize) < LARGEST_OBJECT;
        if is_near { value } else { self.base.wrapping_add(value) }
    }

    /// The objects that it was linked with.
    fn needed(&self) -> impl Iterator<Item = &'static LoadedObject> {
        let strings = self.parts().find(|part| part.0 == STRINGS).map(|part| self.address(part.1));
        let names = self.parts().filter(|part| part.0 == NEEDED).map(|part| part.1);
        names.filter_map(move |name| {
            let name = (strings? + name) as *const c_char;
            // SAFETY: names of a loaded object.
            objects().find(|object| unsafe { is_file(object.name, name) })
        })
    }
}

/// The pointer of our own entry in the list.
fn own_dynamic() -> *const Dynamic {
    let dynamic;
    // SAFETY: an address that the linker defines.
    unsafe { asm!("lea {}, [rip + _DYNAMIC]", out(reg) dynamic, options(pure, nomem, nostack)) };
    dynamic
}

/// The tables of an object in which a symbol is found.
struct Tables {
    base: usize,
    strings: *const c_char,
    symbols: *const Definition,
    versions: *const u16,
    hashes: *const u32,
    old_hashes: *const u32,
}

impl Tables {
    unsafe fn of(object: &LoadedObject) -> Self {
        let mut tables = Self {
            base: object.base,
            strings: ptr::null(),
            symbols: ptr::null(),
            versions: ptr::null(),
            hashes: ptr::null(),
            old_hashes: ptr::null(),
        };
        for (tag, value) in object.parts() {
            let address = object.address(value);
            match tag {
                STRINGS => tables.strings = address as _,
                SYMBOLS => tables.symbols = address as _,
                VERSIONS => tables.versions = address as _,
                HASHES => tables.hashes = address as _,
                OLD_HASHES => tables.old_hashes = address as _,
                _ => {}
            }
        }
        tables
    }

    unsafe fn find(&self, name: &CStr, hash: u32) -> Option<*mut c_void> {
        if self.strings.is_null() || self.symbols.is_null() {
            return None;
        }
        // SAFETY: tables of a loaded object.
        unsafe {
            match (self.hashes.is_null(), self.old_hashes.is_null()) {
                (false, _) => self.find_by_hash(name, hash),
                (true, false) => self.best(1..*self.old_hashes.add(1), name),
                (true, true) => None,
            }
        }
    }

    unsafe fn find_by_hash(&self, name: &CStr, hash: u32) -> Option<*mut c_void> {
        // SAFETY: the format: four numbers, a filter, buckets, and chains whose last hash is odd.
        unsafe {
            let [buckets, first, words, shift] = self.hashes.cast::<[u32; 4]>().read();
            let filter = self.hashes.add(4).cast::<u64>();
            let word = filter.add((hash / 64 % words.max(1)) as usize).read();
            if word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1 == 0 {
                return None;
            }
            let heads = filter.add(words as usize).cast::<u32>();
            let chains = heads.add(buckets as usize);
            let begin = *heads.add((hash % buckets.max(1)) as usize);
            if begin < first {
                return None;
            }
            let hash_of = |symbol: u32| *chains.add((symbol - first) as usize);
            let last = (begin..).find(|symbol| hash_of(*symbol) & 1 == 1)?;
            self.best((begin..=last).filter(|symbol| hash_of(*symbol) | 1 == hash | 1), name)
        }
    }

    /// The symbol of this name that new programs are linked with, or else one for older programs.
    unsafe fn best(&self, symbols: impl Iterator<Item = u32>, name: &CStr) -> Option<*mut c_void> {
        let mut old = None;
        for symbol in symbols {
            // SAFETY: a symbol of the object, with a name and, where there are any, a version.
            let (definition, is_hidden) = unsafe {
                let definition = &*self.symbols.add(symbol as usize);
                if definition.section == 0
                    || definition.value == 0
                    || !is(self.strings.add(definition.name as usize), name)
                {
                    continue;
                }
                let versions = self.versions;
                (definition, !versions.is_null() && *versions.add(symbol as usize) & HIDDEN != 0)
            };
            if !is_hidden {
                return Some(self.address(definition));
            }
            old = Some(definition);
        }
        old.map(|definition| self.address(definition))
    }

    fn address(&self, definition: &Definition) -> *mut c_void {
        let address = self.base.wrapping_add(definition.value) as *mut c_void;
        if definition.info & 0xF != INDIRECT {
            return address;
        }
        // SAFETY: such a function needs no argument here.
        unsafe { core::mem::transmute::<*mut c_void, extern "C" fn() -> *mut c_void>(address)() }
    }
}

/// Returns true if two names are equal; uses no library, as none may be initialised yet.
unsafe fn is(text: *const c_char, name: &CStr) -> bool {
    let mut bytes = name.to_bytes_with_nul().iter().enumerate();
    // SAFETY: it is read up to its own end at most.
    bytes.all(|(at, byte)| unsafe { *text.add(at) } as u8 == *byte)
}

/// Returns true if this name is the last component of a path.
unsafe fn is_file(path: *const c_char, name: *const c_char) -> bool {
    if path.is_null() {
        return false;
    }
    // SAFETY: strings of the loader's and of an object's.
    let (path, name) =
        unsafe { (CStr::from_ptr(path).to_bytes(), CStr::from_ptr(name).to_bytes()) };
    path.strip_suffix(name).is_some_and(|folder| folder.last().is_none_or(|last| *last == b'/'))
}

/// The hash by which symbols are found.
fn hash(name: &CStr) -> u32 {
    let add = |hash: u32, byte: &u8| hash.wrapping_mul(33).wrapping_add((*byte).into());
    name.to_bytes().iter().fold(5381, add)
}
