//! Any bytes as a log, or as the log regions of one: a diagnosis comes of it.

#![no_main]

use ioglass_fuzz::{diagnose, with_log_regions};
use ioglass_log::Log;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let log = Log::from_bytes(bytes.to_vec());
    if let Ok(log) = log.or_else(|_| Log::from_bytes(with_log_regions(bytes))) {
        diagnose(&log);
    }
});
