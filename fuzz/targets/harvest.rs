//! Any bytes as what a process has left behind: a log comes of it, and it is sound; and a profile, if
//! there are regions.

#![no_main]

use ioglass_fuzz::read_everything;
use ioglass_harvest::{Fate, Run, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Two processes, so that ranks and scales have to be agreed on.
    let (one, two) = bytes.split_at(bytes.len() / 2);
    let source = |bytes, fate| Source { bytes, fate };
    let both =
        [source(bytes, Fate::Gone), source(two, Fate::Running), source(one, Fate::Signal(9))];
    let run = Run {
        command: b"program",
        start_ns: None,
        end_ns: None,
        jobid: 1,
        uid: 0,
        mounts: &[],
        notes: &[],
        ticks_per_second: None,
        events_at_once: 64,
        triggers: ioglass_harvest::Triggers { small: Some(0.1), unaligned: Some(0.1) },
        end: bytes.first().map(|byte| ioglass_harvest::ProgramEnd::Status(*byte)),
        quick: bytes.len().is_multiple_of(2),
    };
    let (log, _) = ioglass_harvest::write(&both, &run, Vec::new()).expect("memory cannot fail");
    read_everything(log);
    let of = ioglass_harvest::ProfileOf::default();
    let _ = ioglass_harvest::profile(&both, &run, of).expect("memory cannot fail");
});
