//! Hints of files that are opened through MPI-IO: a copy of the info at `MPI_File_open`.

use core::ffi::{CStr, c_char, c_int};
use core::ptr;

use ioglass_param::{Condition, Layer, Proof, Site, State, fs, mpiio};
use ioglass_recorder::{process, sys};

use super::facts::{Facts, unmet};
use super::plan::{Chosen, Plan, any_plan};
use super::row::{Outcome, Place, Words, note};
use super::stack;
use crate::mpi::Library;
use crate::mpi::info::{self, OwnInfo};

/// Hints that one file can have.
const MOST: usize = 64;
/// The bit of calls that create a file.
const CREATES: c_int = 1;
/// The magic number of Lustre.
const LUSTRE: i64 = 0x0BD0_0BD0;

/// The arguments of a call that opens a file.
#[derive(Clone, Copy)]
pub(crate) struct FileCall {
    pub(crate) communicator: usize,
    pub(crate) path: *const c_char,
    pub(crate) mode: c_int,
    pub(crate) info: usize,
    pub(crate) file: *mut usize,
}

/// The implementation of MPI-IO.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stack {
    /// ROMIO in MPICH, which tells the hints in force.
    Romio,
    /// ROMIO in Open MPI, which repeats what it was given.
    InnerRomio,
    /// Open MPI's own, which repeats what it was given.
    Ompio,
}

impl Stack {
    const fn name(self) -> &'static str {
        match self {
            Stack::Romio | Stack::InnerRomio => "ROMIO",
            Stack::Ompio => "OMPIO",
        }
    }

    fn of(library: Library) -> Self {
        if !library.abi().is_open_mpi() {
            return Stack::Romio;
        }
        // SAFETY: MPI has read it already.
        let component = unsafe { process::variable(b"OMPI_MCA_io") };
        if component.is_some_and(|name| name.starts_with(b"romio")) {
            Stack::InnerRomio
        } else {
            Stack::Ompio
        }
    }
}

/// Notes for the log which MPI and MPI-IO a file was opened with.
pub(crate) fn note_mpi(library: Library) {
    stack::note_mpi(library, || Stack::of(library).name());
}

/// Makes a call that opens a file, with hints if there are any for it.
///
/// # Safety
/// `call` opens a file with these arguments but for the info.
#[inline]
pub(crate) unsafe fn open(
    library: impl FnOnce() -> Library,
    given: FileCall,
    call: impl Fn(usize) -> c_int,
) -> c_int {
    match any_plan() {
        None => call(given.info),
        // SAFETY: the caller vouches.
        Some(plan) => unsafe { open_with(plan, library(), given, &call) },
    }
}

#[cold]
#[inline(never)]
unsafe fn open_with(
    plan: &'static Plan,
    library: Library,
    given: FileCall,
    call: &dyn Fn(usize) -> c_int,
) -> c_int {
    if given.path.is_null() || given.file.is_null() {
        return call(given.info);
    }
    // SAFETY: a path that the program gives to MPI.
    let path = unsafe { CStr::from_ptr(given.path) }.to_bytes();
    let path = without_system(path);
    let stack = Stack::of(library);
    let place = Place { file: path, variable: b"" };
    let mut chosen: [Option<Chosen>; MOST] = [None; MOST];
    let mut count = 0;
    let creates = library.abi().mode(given.mode) & CREATES != 0;
    plan.choose(Site::Info, path, None, |setting| {
        if let Some(reason) = refusal(&setting, stack, creates) {
            return note(&setting, place, Outcome::not_applicable(reason));
        }
        let own = key(&setting).and_then(|key| info::given(library, given.info, key.as_c_str()));
        if own.is_some() && setting.rule.scope.respect {
            let reason = "the program has set it, and respect is set";
            return note(&setting, place, Outcome::not_applicable(reason));
        }
        if count < MOST {
            chosen[count] = Some(setting);
            count += 1;
        }
    });
    let chosen = &chosen[..count];
    let copy = if count > 0 { OwnInfo::copy(library, given.info) } else { None };
    let Some(copy) = copy else { return call(given.info) };
    for setting in chosen.iter().flatten() {
        if let Some((key, value)) = key(setting).zip(c_text(setting.setting.value)) {
            copy.set(key.as_c_str(), value.as_c_str());
            // Open MPI's driver for Lustre has other names.
            if stack == Stack::Ompio
                && let Some(other) = other_name(setting)
            {
                copy.set(other, value.as_c_str());
            }
        }
    }
    let mut result = call(copy.handle());
    let is_with_hints = result == 0;
    if !is_with_hints {
        result = call(given.info);
    }
    if result == 0 {
        // SAFETY: the call has succeeded.
        let answer = OwnInfo::of_file(library, unsafe { *given.file });
        let answer = answer.filter(|_| is_with_hints);
        for setting in chosen.iter().flatten() {
            verify(setting, (library, stack), given, answer.as_ref(), place);
        }
    }
    result
}

/// A path without the name of a file system in front of it: `ufs:/scratch/a`.
fn without_system(path: &[u8]) -> &[u8] {
    match path.iter().position(|byte| *byte == b':') {
        Some(end @ 2..=12) if path[..end].iter().all(u8::is_ascii_lowercase) => &path[end + 1..],
        _ => path,
    }
}

/// A text that C can read.
struct CText(Words<1040>);

impl CText {
    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_with_nul(self.0.bytes()).unwrap_or_default()
    }
}

fn c_text(text: &str) -> Option<CText> {
    let mut words = Words::new();
    words.push(text.as_bytes());
    words.push(b"\0");
    let text = CText(words);
    CStr::from_bytes_with_nul(text.0.bytes()).is_ok().then_some(text)
}

/// The key of a hint.
fn key(chosen: &Chosen) -> Option<CText> {
    let param = chosen.setting.param;
    c_text(if param.is_family() { chosen.setting.rest } else { param.name })
}

/// The name that Open MPI's driver for Lustre has for a hint.
fn other_name(chosen: &Chosen) -> Option<&'static CStr> {
    let param = chosen.setting.param;
    if ptr::eq(param, &fs::STRIPING_FACTOR) {
        Some(c"stripe_width")
    } else if ptr::eq(param, &fs::STRIPING_UNIT) {
        Some(c"stripe_size")
    } else {
        None
    }
}

/// The reason why a hint is not given.
fn refusal(chosen: &Chosen, stack: Stack, creates: bool) -> Option<&'static str> {
    let facts = Facts { is_parallel: true, ..Facts::default() };
    unmet(chosen, &facts).or_else(|| {
        let param = chosen.setting.param;
        let needs = |condition| param.conditions.contains(&condition);
        match stack {
            Stack::Ompio if needs(Condition::Romio) => Some("OMPIO ignores it"),
            _ if needs(Condition::Created) && !creates => Some("the file is not created"),
            _ => None,
        }
    })
}

/// Asks MPI or the file system what has become of a hint.
fn verify(
    chosen: &Chosen,
    (library, stack): (Library, Stack),
    given: FileCall,
    answer: Option<&OwnInfo>,
    place: Place<'_>,
) {
    let Some(key) = key(chosen) else { return };
    let own = info::given(library, given.info, key.as_c_str());
    let was = own.as_ref().map_or(&b""[..], |own| own.get().to_bytes());
    let param = chosen.setting.param;
    let Some(answer) = answer else {
        let reason = "MPI does not open the file with it";
        return note(chosen, place, Outcome { was, ..Outcome::not_applicable(reason) });
    };
    let told = answer.get(key.as_c_str());
    let told = told.as_ref().map(|told| told.get().to_bytes());
    let unverifiable =
        |reason| Outcome { state: State::Unverifiable, was, effective: b"", by: "", reason };
    if param.layer == Layer::Fs {
        let aligns = stack == Stack::Romio && ptr::eq(param, &fs::STRIPING_UNIT);
        let on_lustre = type_of(place.file) == Some(LUSTRE);
        match told {
            // ROMIO aligns what its writers own to it, on every file system.
            Some(told) if aligns && !on_lustre => {
                let call = (library, given);
                return note(chosen, place, info_outcome(chosen, call, answer, was, told));
            }
            _ if !on_lustre => {
                let mut reason = Words::<300>::new();
                system_of(place.file, &mut reason);
                let reason = core::str::from_utf8(reason.bytes()).unwrap_or("it is not on Lustre");
                return note(chosen, place, Outcome { was, ..Outcome::not_applicable(reason) });
            }
            _ => {}
        }
        if let Some(is) = layout(place.file, param) {
            let is = Words::<24>::of(is);
            let wanted = chosen.setting.value.as_bytes();
            let by = Proof::Layout.text();
            return note(chosen, place, Outcome::asked(was, is.bytes(), wanted, by));
        }
        return note(chosen, place, unverifiable("the file does not tell its layout"));
    }
    let outcome = match (stack, told) {
        (Stack::Romio, Some(told)) => info_outcome(chosen, (library, given), answer, was, told),
        (Stack::Romio, None) => unverifiable("MPICH does not know it and cannot be asked"),
        (Stack::InnerRomio, _) => unverifiable("ROMIO inside Open MPI repeats what it is given"),
        (Stack::Ompio, _) => unverifiable("OMPIO repeats what it is given"),
    };
    note(chosen, place, outcome);
}

/// What MPICH says of a hint.
fn info_outcome<'a>(
    chosen: &Chosen,
    (library, given): (Library, FileCall),
    answer: &OwnInfo,
    was: &'a [u8],
    told: &'a [u8],
) -> Outcome<'a> {
    let wanted = chosen.setting.value.as_bytes();
    let mut outcome = Outcome::asked(was, told, wanted, "MPI_File_get_info");
    if outcome.state == State::Changed && ptr::eq(chosen.setting.param, &mpiio::CB_NODES) {
        let ranks = library.size_of(given.communicator).map(Words::<24>::of);
        let is_all = |number: &[u8]| ranks.as_ref().is_some_and(|ranks| ranks.bytes() == number);
        let list = answer.get(c"cb_config_list");
        outcome.reason = match list.as_ref().map(|list| list.get().to_bytes()) {
            _ if told == b"1" && is_all(b"1") => "one rank opens the file alone",
            _ if is_all(told) => "no more ranks open the file",
            Some(b"*:1") => "cb_config_list allows 1 per node",
            Some(_) => "cb_config_list allows no more",
            None => "",
        };
    }
    outcome
}

/// The magic number of the file system with a file.
fn type_of(path: &[u8]) -> Option<i64> {
    let path = c_path(path)?;
    sys::statfs(path.as_c_str()).ok().map(|system| system.f_type)
}

/// A path with its terminator.
struct CPath(Words<4097>);

impl CPath {
    fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_with_nul(self.0.bytes()).unwrap_or_default()
    }
}

fn c_path(path: &[u8]) -> Option<CPath> {
    let mut words = Words::new();
    words.push(path.get(..path.len().min(4096))?);
    words.push(b"\0");
    Some(CPath(words))
}

/// Writes which folder is on which file system.
fn system_of(path: &[u8], text: &mut Words<300>) {
    const KNOWN: [(i64, &str); 9] = [
        (0xEF53, "ext4"),
        (0x0102_1994, "tmpfs"),
        (0x5846_5342, "xfs"),
        (0x9123_683E, "btrfs"),
        (0x6969, "nfs"),
        (0x794C_7630, "overlay"),
        (0x4750_4653, "gpfs"),
        (0x6573_5546, "fuse"),
        (0x2FC1_2FC1, "zfs"),
    ];
    let folder = match path.iter().rposition(|byte| *byte == b'/') {
        Some(0) => b"/",
        Some(end) => &path[..end],
        None => &b"the current folder"[..],
    };
    let kind = type_of(path);
    let name = KNOWN.iter().find(|(number, _)| Some(*number) == kind);
    text.push(&folder[..folder.len().min(200)]);
    text.push(b" is ");
    text.push(name.map_or("not on Lustre", |(_, name)| name).as_bytes());
}

/// A number of the layout of a file on Lustre.
fn layout(path: &[u8], param: &'static ioglass_param::Param) -> Option<u64> {
    let path = c_path(path)?;
    let file = sys::open(path.as_c_str(), libc::O_RDONLY | libc::O_CLOEXEC, 0).ok()?;
    let mut bytes = [0_u8; 64];
    let length = sys::attribute(file.0, c"lustre.lov", bytes.as_mut_ptr(), bytes.len()).ok()?;
    let bytes = bytes.get(..length)?;
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into());
    let half = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?).into());
    // A composite layout has no single size.
    if !matches!(word(0)?, 0x0BD1_0BD0 | 0x0BD3_0BD0) {
        return None;
    }
    if ptr::eq(param, &fs::STRIPING_UNIT) {
        word(24)
    } else if ptr::eq(param, &fs::STRIPING_FACTOR) {
        half(28)
    } else {
        None
    }
}
