//! Small programs that look closely at what a process can notice.

use std::path::Path;

use super::compare::{Case, case};
use crate::lifecycle::programs::{compile, program};
use crate::support::missing;

/// The program of the source `name`, with arguments for the shell.
fn of(name: &str, arguments: &str) -> Case {
    let case_name = format!("{name}-{arguments}").replace([' ', '.', '/', '<'], "-");
    case(&case_name, &format!(r#""$PROGRAM" {arguments}"#))
        .with("PROGRAM", program(&format!("disturb/{name}")))
}

#[test]
fn errno() {
    of("errno.c", "").same();
}

#[test]
fn descriptors() {
    of("descriptors.c", "").same();
}

#[test]
fn every_descriptor_closed() {
    for how in ["one-by-one", "close_range", "closefrom", "dup2-over"] {
        of("closeall.c", how).same();
    }
}

#[test]
fn signal_handlers_that_write() {
    of("handlers.c", "return").same();
}

#[test]
fn signal_handlers_that_jump_out() {
    of("handlers.c", "jump").same();
}

#[test]
fn cancelled_threads() {
    of("cancel.c", "").same();
    of("cancel.cpp", "").same();
}

#[test]
fn order_of_constructors_and_exit_handlers() {
    for (how, status) in [("return", 0), ("exit", 6), ("quick_exit", 0), ("_exit", 0)] {
        of("order.c", how).fails_with(status).same();
    }
}

#[test]
fn resource_limits() {
    of("limits.c", "").same();
}

#[test]
fn seccomp_filters() {
    for installer in ["prctl", "syscall"] {
        for end in ["return", "_exit", "exit_group"] {
            of("seccomp.c", &format!("{installer} {end} < words")).same();
        }
    }
}

#[test]
fn the_strict_filter_and_a_clock_that_kills() {
    // The strict filter takes the processor's clock away, too, and allows exit(2) as the only end.
    if cfg!(target_arch = "x86_64") {
        of("seccomp.c", "no-clock return < words").same();
    }
    of("seccomp.c", "strict exit < words").same();
    of("seccomp.c", "strict-syscall exit < words").same();
}

#[test]
fn the_environment() {
    let ours = "^(LD_PRELOAD|IOGLASS_|DARSHAN_|DXT_)";
    let script = format!(
        r"tr '\0' '\n' < /proc/self/environ | grep -avE '{ours}'; env | grep -vE '{ours}' | sort; env -i /usr/bin/env"
    );
    case("environment", &script).same();
}

#[test]
fn many_kinds_of_calls() {
    of("mixture.c", "").same();
    let flags = ["-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"];
    let fortified = compile("disturb/mixture.c", &flags);
    case("fortified", r#""$PROGRAM""#).with("PROGRAM", fortified).same();
}

#[test]
fn iostreams() {
    of("iostream.cpp", "< words").same();
}

#[test]
fn openmp() {
    let program = compile("disturb/openmp.c", &["-fopenmp"]);
    case("openmp", r#"OMP_NUM_THREADS=8 "$PROGRAM""#).with("PROGRAM", program).same();
}

#[test]
fn statically_linked() {
    let program = compile("life/ends.c", &["-static"]);
    case("static", r#""$PROGRAM" return file 10 7"#).with("PROGRAM", program).fails_with(7).same();
}

#[test]
fn a_library_that_is_unloaded_and_comes_back_elsewhere() {
    if !Path::new("/usr/include/liburing.h").exists() {
        return missing("a library to load and unload", Path::new("/usr/include/liburing.h"));
    }
    let part = compile("disturb/ring.c", &["-shared", "-fPIC", "-luring"]);
    case("unload", r#""$PROGRAM" "$PART""#)
        .with("PROGRAM", program("disturb/unload.c"))
        .with("PART", part)
        .same();
}

#[test]
fn parts_of_a_program_with_a_library_each() {
    // Both define a function that is recorded, as two Python packages may each bring their own library.
    let part = |value: &str| {
        compile("disturb/own_submit.c", &["-shared", "-fPIC", &format!("-DVALUE={value}")])
    };
    case("parts", r#""$PROGRAM" "$ONE"; "$PROGRAM" "$ONE" "$OTHER"; "$PROGRAM" "$OTHER" "$ONE""#)
        .with("PROGRAM", program("disturb/parts.c"))
        .with("ONE", part("77"))
        .with("OTHER", part("88"))
        .same();
}
