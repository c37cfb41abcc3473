//! Conditions of parameters, and files that were opened through MPI-IO.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ioglass_param::Condition;

use super::plan::Chosen;

/// What is known of the file or dataset of a call.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// The file is opened through MPI-IO.
    pub(super) is_parallel: bool,
    /// The file has a page buffer.
    pub(super) has_page_buffer: bool,
    /// The dataset is contiguous, simple and not empty, without external storage.
    pub(super) is_contiguous: bool,
    /// The dataset has chunks of the program's.
    pub(super) is_chunked: bool,
    /// The program has defined a fill value.
    pub(super) has_fill_value: bool,
    /// The dataset has filters.
    pub(super) has_filters: bool,
    /// The program is an interpreter.
    pub(super) is_interpreter: bool,
}

/// The reason why a setting is not applied, if a condition of its parameter does not hold.
pub(super) fn unmet(chosen: &Chosen, facts: &Facts) -> Option<&'static str> {
    let conditions = chosen.setting.param.conditions.iter();
    conditions.filter_map(|condition| reason(*condition, chosen, facts)).next()
}

fn reason(condition: Condition, chosen: &Chosen, facts: &Facts) -> Option<&'static str> {
    let (force, serial) = (chosen.rule.scope.force, chosen.rule.scope.serial);
    let value = chosen.setting.value;
    let (holds, reason) = match condition {
        Condition::Parallel => (facts.is_parallel, "the file is not opened through MPI-IO"),
        Condition::ParallelOrSerial => (
            facts.is_parallel || serial,
            "the file is not opened through MPI-IO, and serial is not set",
        ),
        Condition::NotParallel if facts.is_parallel => (false, "the MPI-IO driver does not sieve"),
        Condition::NotParallel => (serial, "serial files need serial = true"),
        Condition::NoPageBuffer => {
            (!facts.has_page_buffer || !value.starts_with("page"), "the program uses a page buffer")
        }
        Condition::Contiguous => (
            facts.is_contiguous || facts.is_chunked && force,
            if facts.is_chunked {
                "the program has chosen chunks"
            } else {
                "the dataset cannot have chunks: compact, external, scalar, empty or extensible"
            },
        ),
        Condition::NoFillValue => (
            force || !facts.has_fill_value || value != "never",
            "the program has defined a fill value",
        ),
        Condition::NoFilters => {
            (!facts.has_filters || value != "independent", "the dataset has filters")
        }
        Condition::SameCalls => (
            force || value == "independent" || value == "false",
            "all ranks must make the same calls; force says so",
        ),
        Condition::Forced => (force, "it needs force"),
        Condition::Interpreter => (
            facts.is_interpreter || chosen.rule.scope.program.is_some(),
            "the program is no interpreter, and the rule names none",
        ),
        Condition::Never => (false, "no stack of today has it"),
        // These are decided where they are known.
        _ => (true, ""),
    };
    (!holds).then_some(reason)
}

/// Hashes of libraries and names of files that were opened through MPI-IO.
static PARALLEL: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

fn hash(library: u64, name: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    name.iter().fold(library ^ 0xCBF2_9CE4_8422_2325, add).max(1)
}

fn places(hash: u64) -> impl Iterator<Item = &'static AtomicU64> {
    (0..32).map(move |probe| &PARALLEL[(hash as usize).wrapping_add(probe) % PARALLEL.len()])
}

/// Notes that a file of this name was opened, through MPI-IO or not. All ranks note the same.
pub(super) fn opened(library: u64, name: &[u8], is_parallel: bool) {
    let hash = hash(library, name);
    if is_parallel {
        let _ = places(hash).find(|place| {
            let taken = place.compare_exchange(0, hash, Relaxed, Relaxed);
            taken.is_ok() || taken == Err(hash)
        });
    } else if let Some(place) = places(hash).find(|place| place.load(Relaxed) == hash) {
        // Another file may be behind it; a number that no hash is.
        place.store(u64::MAX, Relaxed);
    }
}

/// Returns true if a file of this name was opened through MPI-IO.
pub(super) fn is_parallel(library: u64, name: &[u8]) -> bool {
    let hash = hash(library, name);
    places(hash)
        .map(|place| place.load(Relaxed))
        .take_while(|other| *other != 0)
        .any(|other| other == hash)
}
