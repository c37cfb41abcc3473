//! Annotations in threads, plug-ins and signal handlers, and where control jumps.

use std::collections::BTreeMap;
use std::process::Command;

use super::{Way, compiled, compiles, headers, run, source};
use crate::support::scratch;

/// Runs a program, which must succeed and say nothing.
#[track_caller]
fn told(program: &mut Command, way: Way) -> Vec<String> {
    let (output, calls) = run(program, way);
    assert!(output.status.success() && output.stderr.is_empty(), "{program:?}: {output:?}");
    calls
}

/// Each thread tells its own visits, in order; the first calls of all come at the same time.
#[test]
fn threads_tell_their_own_visits() {
    for way in [Way::Preloaded, Way::Loaded, Way::Absent] {
        for _ in 0..10 {
            let calls = told(&mut Command::new(compiled("gcc -O2", "threads.c")), way);
            if way == Way::Absent {
                assert_eq!(calls.len(), 0);
                continue;
            }
            let mut threads: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for call in calls.iter().filter(|call| !call.contains("regions")) {
                let (thread, call) = call.split_once(' ').unwrap();
                threads.entry(thread).or_default().push(call);
            }
            assert_eq!(threads.len(), 8);
            for calls in threads.values() {
                let visit = [
                    "enter_site \"outer\" region threads.c:10",
                    "enter \"inner\" region threads.c:11",
                    "leave \"inner\"",
                    "leave_site \"outer\"",
                ];
                assert_eq!(calls.len(), 400);
                assert!(calls.chunks(4).all(|calls| calls == visit), "{calls:?}");
            }
        }
    }
}

/// A plug-in finds the runtime by itself each time it is loaded. Nothing of it is used after it is gone.
#[test]
fn plug_ins_come_and_go() {
    let plugin = scratch("annotations").join("plugin.so");
    let mut compiler = Command::new("gcc");
    compiler.args(["-shared", "-fPIC", "-O2", "-I"]).arg(headers()).arg("-o").arg(&plugin);
    compiles(compiler.arg(source("plugin.c")));
    for way in [Way::Preloaded, Way::Loaded] {
        let calls = told(Command::new(compiled("gcc -O2", "host.c")).arg(&plugin), way);
        let calls: Vec<_> = calls.iter().map(|call| &call[2..]).collect();
        let visit =
            ["regions 1", "enter_site \"plug-in\" region plugin.c:5", "leave_site \"plug-in\""];
        let host = ["regions 1", "enter_site \"main\" region host.c:10"];
        let expected = [&host[..], &visit, &visit, &visit, &["leave_site \"main\""]].concat();
        assert_eq!(calls, expected, "{way:?}");
    }
    assert_eq!(
        told(Command::new(compiled("gcc -O2", "host.c")).arg(&plugin), Way::Absent).len(),
        0
    );
}

/// Neither `errno` nor `dlerror` change, whether the runtime is found or not.
#[test]
fn the_program_sees_no_trace_of_the_search() {
    for way in [Way::Preloaded, Way::Loaded, Way::Absent] {
        told(&mut Command::new(compiled("gcc -O2", "traces.c")), way);
    }
}

/// A jump over the begin of a guard into its block, which C allows, does no harm.
#[test]
fn a_jump_into_a_guarded_block_does_no_harm() {
    // It is what the compiler warns of.
    for words in ["gcc -O0 -w", "gcc -O2 -w", "gcc -O3 -w"] {
        for way in [Way::Preloaded, Way::Absent] {
            told(&mut Command::new(compiled(words, "jump.c")), way);
        }
    }
}

/// Handlers interrupt the program anywhere, also where it allocates, and make the first call.
#[test]
fn signal_handlers_may_be_annotated() {
    told(&mut Command::new(compiled("gcc -O2", "handler.c")), Way::Absent);
}
