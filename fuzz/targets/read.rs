//! Any bytes as a log: nothing may panic, and what can be read can be copied.

#![no_main]

use ioglass_fuzz::read_everything;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read_everything(bytes.to_vec()));
