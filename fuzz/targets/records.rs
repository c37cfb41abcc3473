//! Any bytes as the log regions of a log that is otherwise sound.
//!
//! A change of a byte in a compressed log hardly ever gets past the decompressor, and one in a
//! header hardly ever past the check of log regions; here every change reaches records.

#![no_main]

use ioglass_fuzz::{read_everything, with_log_regions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read_everything(with_log_regions(bytes)));
