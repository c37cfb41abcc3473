//! Programs built with gcc's sanitisers, which interpose too.

use super::compare::case;
use crate::lifecycle::programs::compile;

#[test]
fn address() {
    let program = compile("disturb/sane.c", &["-fsanitize=address"]);
    case("asan", r#""$PROGRAM" well"#).with("PROGRAM", &program).same();
    // Addresses in a report vary; its kind and the status do not.
    let faulty = r#""$PROGRAM" overflow 2> report; echo $?; grep -om1 heap-buffer-overflow report; rm report"#;
    case("asan-overflow", faulty).with("PROGRAM", &program).same();
}

#[test]
fn address_with_options_of_the_program() {
    let program = compile("disturb/sane.c", &["-fsanitize=address", "-DOWN_OPTIONS"]);
    let faulty = r#""$PROGRAM" overflow 2> report; echo $?; grep -om1 heap-buffer-overflow report; rm report"#;
    case("asan-options", faulty).with("PROGRAM", program).same();
}

#[test]
fn undefined_behaviour() {
    let program = compile("disturb/sane.c", &["-fsanitize=undefined"]);
    case("ubsan", r#""$PROGRAM" well"#).with("PROGRAM", &program).same();
    case("ubsan-shift", r#""$PROGRAM" shift"#).with("PROGRAM", &program).same();
}

#[test]
fn threads() {
    let program = compile("disturb/sane.c", &["-fsanitize=thread"]);
    case("tsan", r#""$PROGRAM" well"#).with("PROGRAM", program).same();
}
