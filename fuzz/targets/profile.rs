//! Any sections as a profile: nothing may panic, and what can be read can be written.

#![no_main]

use ioglass_fuzz::read_profile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read_profile(bytes.to_vec()));
