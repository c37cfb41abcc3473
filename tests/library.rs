//! The preload library as the loader sees it: what it exports, what it needs, from where.

use std::collections::BTreeSet;
use std::process::Command;

use ioglass_recorder::coverage::COVERAGE;
use object::elf::{DT_NEEDED, FileHeader64, PT_TLS};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _, Sym as _};
use object::{LittleEndian, StringTable};

use crate::support::ioglass;

/// Symbols that the library may import: no allocator, nothing that it interposes itself, and nothing
/// that a sanitiser watches for the sake of shared memory, such as `memcpy`.
const NEEDED: &[&str] = &[
    "_IO_2_1_stderr_",
    "_IO_2_1_stdin_",
    "_IO_2_1_stdout_",
    // All open streams: their buffers are counted before the process ends or forks.
    "_IO_list_all",
    "_ITM_deregisterTMCloneTable",
    "_ITM_registerTMCloneTable",
    "__cxa_finalize",
    "__errno_location",
    "__gmon_start__",
    // The loader's list of objects.
    "_dl_debug_addr",
    "_r_debug",
    // Objects that were loaded later are looked at while none is unloaded.
    "dl_iterate_phdr",
    // The environment, before the C library knows it.
    "__libc_stack_end",
    "clock_gettime",
    "dirfd",
    "environ",
    // No other thread uses a stream while a call reads it by a format.
    "flockfile",
    "funlockfile",
    "ftello64",
    // Without it the C library is another.
    "gnu_get_libc_version",
    // To write a log after the last destructor, and to learn the exit status.
    "on_exit",
    "stdin",
    "stdout",
    "strlen",
];

/// The oldest glibc that the library must load on.
const OLDEST: (u32, u32) = (2, 28);

struct Library {
    needed_libraries: BTreeSet<String>,
    exported: BTreeSet<String>,
    undefined: BTreeSet<String>,
    versions: BTreeSet<String>,
    /// Bytes of thread-local variables.
    thread_local: u64,
}

impl Library {
    fn read() -> Self {
        let output = Command::new(ioglass()).arg("lib").output().unwrap();
        let path = String::from_utf8(output.stdout).unwrap();
        let bytes = std::fs::read(path.trim_end()).unwrap();
        let data = bytes.as_slice();
        let header = FileHeader64::<LittleEndian>::parse(data).unwrap();
        let order = header.endian().unwrap();
        let sections = header.sections(order, data).unwrap();
        let symbols = sections.symbols(order, data, object::elf::SHT_DYNSYM).unwrap();
        let versions = sections.versions(order, data).unwrap().unwrap();
        let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();

        let (mut exported, mut undefined) = (BTreeSet::new(), BTreeSet::new());
        let mut version_names = BTreeSet::new();
        for (index, symbol) in symbols.enumerate() {
            let name = text(symbol.name(order, symbols.strings()).unwrap());
            if name.is_empty() {
                continue;
            }
            if symbol.is_undefined(order) {
                let version = versions.version(versions.version_index(order, index)).unwrap();
                version_names.extend(version.map(|version| text(version.name())));
                undefined.insert(name);
            } else {
                exported.insert(name);
            }
        }
        let (entries, link) = sections.dynamic(order, data).unwrap().unwrap();
        let strings: StringTable = sections.strings(order, data, link).unwrap();
        let needed = entries.iter().filter(|entry| entry.tag32(order) == Some(DT_NEEDED));
        let needed_libraries =
            needed.map(|entry| text(entry.string(order, strings).unwrap())).collect();
        let segments = header.program_headers(order, data).unwrap();
        let of_threads = segments.iter().filter(|segment| segment.p_type(order) == PT_TLS);
        let thread_local = of_threads.map(|segment| segment.p_memsz(order)).sum();
        Self { needed_libraries, exported, undefined, versions: version_names, thread_local }
    }
}

#[test]
fn it_exports_what_the_table_says() {
    let table = COVERAGE.iter().flat_map(|row| row.names);
    let table: BTreeSet<String> = table.map(|name| (*name).to_owned()).collect();
    let exported = Library::read().exported;
    let missing: Vec<_> = table.difference(&exported).collect();
    let untold: Vec<_> = exported.difference(&table).collect();
    assert!(missing.is_empty(), "in the table, not exported: {missing:?}");
    assert!(untold.is_empty(), "exported, not in the table: {untold:?}");
}

#[test]
fn it_needs_no_allocator_and_nothing_that_others_may_take_over() {
    let library = Library::read();
    let allowed: BTreeSet<String> = NEEDED.iter().map(|name| (*name).to_owned()).collect();
    let more: Vec<_> = library.undefined.difference(&allowed).collect();
    assert!(more.is_empty(), "{more:?}");
    let libraries: Vec<&str> = library.needed_libraries.iter().map(String::as_str).collect();
    assert_eq!(libraries, ["libc.so.6"]);
}

/// The loader keeps a few hundred bytes for all libraries that programs load late.
#[test]
fn it_needs_little_of_what_the_loader_keeps_for_threads() {
    assert_eq!(Library::read().thread_local, 16);
}

#[test]
fn it_loads_on_an_old_glibc() {
    for version in Library::read().versions {
        let number = version.strip_prefix("GLIBC_").unwrap_or_else(|| panic!("{version}"));
        let mut parts = number.split('.').map(|part| part.parse::<u32>().unwrap());
        let number = (parts.next().unwrap(), parts.next().unwrap());
        assert!(number <= OLDEST, "{version}");
    }
}
