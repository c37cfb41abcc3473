//! Waiting for a word that processes share.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};

use crate::sys;

/// Nanoseconds for which a waiting process polls before it sleeps.
const AWAKE: u64 = 100_000;
/// A yield that takes longer than this shows that another process needs the processor: the process
/// sleeps at once.
const SOMEBODY_ELSE: u64 = 5_000;

/// Waits until `is_it` holds for the word, and returns it. After every `nap` nanoseconds `look` says
/// whether to go on.
pub fn wait<E>(
    word: &AtomicU32,
    is_it: impl Fn(u32) -> bool,
    nap: u64,
    mut look: impl FnMut() -> Result<(), E>,
) -> Result<u32, E> {
    let began = sys::clock_ns(libc::CLOCK_MONOTONIC);
    let mut now = began;
    let mut is_alone = true;
    loop {
        let value = word.load(Acquire);
        if is_it(value) {
            return Ok(value);
        }
        if is_alone && now < began + AWAKE {
            sys::yield_now();
            let then = now;
            now = sys::clock_ns(libc::CLOCK_MONOTONIC);
            is_alone = now < then + SOMEBODY_ELSE;
            continue;
        }
        if !sys::sleep_on(word, value, nap)
            && let Err(error) = look()
        {
            // It may have come just before.
            let value = word.load(Acquire);
            return if is_it(value) { Ok(value) } else { Err(error) };
        }
    }
}
