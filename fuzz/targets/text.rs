//! Any bytes as the text of a log.

#![no_main]

use ioglass_fuzz::log_of_text;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| log_of_text(text));
