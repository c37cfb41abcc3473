//! A sign of life while a large log is written.

use std::time::Duration;

use indicatif::ProgressBar;

/// A log of fewer captured bytes is written before a spinner could be seen.
const MUCH: u64 = 16 << 20;

/// Does `work`, with a spinner on the terminal if it has many bytes to write.
pub(super) fn during<T>(captured_bytes: u64, work: impl FnOnce() -> T) -> T {
    if captured_bytes < MUCH {
        return work();
    }
    let spinner = ProgressBar::new_spinner().with_message("writing the log");
    spinner.enable_steady_tick(Duration::from_millis(120));
    let done = work();
    spinner.finish_and_clear();
    done
}
