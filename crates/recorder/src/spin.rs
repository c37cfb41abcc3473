//! A lock that cannot hang the program.

use core::hint;
use core::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::{sys, thread};

/// Spins before each yield to other threads.
const SPINS_PER_YIELD: u32 = 256;
/// Yields before the lock is taken by force. A thread that holds it for so long was cancelled or
/// left through `siglongjmp` inside the critical section; a count may then be off by one.
const MAX_YIELDS: u32 = 20_000;

/// A spin lock, held for a few instructions and never during a call of the program. It stores its
/// holder: a thread that finds itself there has left the critical section through `siglongjmp`.
///
/// It is in private memory, so a dead process never holds one.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Spin(AtomicUsize);

impl Spin {
    /// A free lock.
    pub(crate) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Takes the lock.
    #[inline]
    pub(crate) fn lock(&self) {
        let own = thread::pointer();
        step(Step::Ahead);
        if self.0.compare_exchange_weak(0, own, Acquire, Relaxed).is_err() {
            self.contend(own);
        }
    }

    /// Releases the lock.
    #[inline]
    pub(crate) fn unlock(&self) {
        step(Step::Ahead);
        self.0.store(0, Release);
    }

    #[cold]
    fn contend(&self, own: usize) {
        for _ in 0..MAX_YIELDS {
            for _ in 0..SPINS_PER_YIELD {
                let holder = self.0.load(Relaxed);
                step(Step::Look);
                if holder == own
                    || holder == 0 && self.0.compare_exchange_weak(0, own, Acquire, Relaxed).is_ok()
                {
                    return;
                }
                step(Step::Spin);
                hint::spin_loop();
            }
            if crate::process::may_call_kernel() {
                sys::yield_now();
            }
        }
    }
}

/// A point at which a test may switch threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The thread makes progress.
    Ahead,
    /// The thread reads the lock.
    Look,
    /// The thread waits for another one.
    Spin,
}

#[cfg(not(test))]
#[inline(always)]
fn step(_: Step) {}

#[cfg(test)]
use tests::step;

#[cfg(test)]
mod tests {
    //! Tries all interleavings of threads with few switches.

    use std::cell::RefCell;
    use std::sync::{Arc, Condvar, Mutex};

    use super::*;
    use crate::memory::Shared;

    /// More steps than any interleaving needs.
    const MANY_STEPS: u64 = 1000;

    /// Runs threads step by step, one at a time.
    struct Stage {
        state: Mutex<StageState>,
        changed: Condvar,
    }

    struct StageState {
        threads: Vec<Actor>,
        /// The thread whose turn it is.
        turn: Option<usize>,
        steps: u64,
        /// Number of steps that made progress.
        moves: u64,
        /// True if a thread is stuck.
        is_over: bool,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Actor {
        Runs,
        Ready,
        /// Waits until another thread has made progress.
        Spins(u64),
        Done,
    }

    thread_local! {
        static ROLE: RefCell<Option<(Arc<Stage>, usize)>> = const { RefCell::new(None) };
    }

    pub(super) fn step(step: Step) {
        let Some((stage, own)) = ROLE.with_borrow(Clone::clone) else { return };
        let mut state = stage.state.lock().unwrap();
        state.threads[own] = match step {
            Step::Ahead | Step::Look => Actor::Ready,
            Step::Spin => Actor::Spins(state.moves),
        };
        stage.changed.notify_all();
        let waits = |state: &mut StageState| state.turn != Some(own) && !state.is_over;
        let mut state = stage.changed.wait_while(state, waits).unwrap();
        if state.is_over {
            drop(state);
            panic!("no thread gets on");
        }
        state.turn = None;
        state.threads[own] = Actor::Runs;
        state.steps += 1;
        state.moves += u64::from(step == Step::Ahead);
    }

    impl Stage {
        /// Runs threads to their end; `choose` picks the next among those that can continue.
        fn play(self: &Arc<Self>, mut choose: impl FnMut(&[usize], Option<usize>) -> usize) {
            let mut last = None;
            loop {
                let state = self.state.lock().unwrap();
                let is_moving = |state: &mut StageState| {
                    state.turn.is_some() || state.threads.contains(&Actor::Runs)
                };
                let mut state = self.changed.wait_while(state, is_moving).unwrap();
                if state.threads.iter().all(|actor| *actor == Actor::Done) {
                    return;
                }
                let all = |can: &dyn Fn(Actor) -> bool| -> Vec<usize> {
                    (0..state.threads.len()).filter(|n| can(state.threads[*n])).collect()
                };
                let mut able = all(&|actor| match actor {
                    Actor::Ready => true,
                    Actor::Spins(since) => since < state.moves,
                    Actor::Runs | Actor::Done => false,
                });
                if able.is_empty() {
                    // They may have read an old value.
                    able = all(&|actor| matches!(actor, Actor::Spins(_)));
                }
                if state.steps > MANY_STEPS {
                    state.is_over = true;
                    self.changed.notify_all();
                    return;
                }
                last = Some(choose(&able, last));
                state.turn = last;
                self.changed.notify_all();
            }
        }
    }

    /// Notes on drop that a thread has ended.
    struct Exit<'s>(&'s Stage, usize);

    impl Drop for Exit<'_> {
        fn drop(&mut self) {
            ROLE.set(None);
            self.0.state.lock().unwrap().threads[self.1] = Actor::Done;
            self.0.changed.notify_all();
        }
    }

    struct Guarded {
        lock: Spin,
        value: Shared<u32>,
        inside: AtomicUsize,
    }

    /// Each thread adds to a value under the lock.
    fn act(guarded: &Guarded, rounds: u32) {
        for _ in 0..rounds {
            guarded.lock.lock();
            assert_eq!(guarded.inside.fetch_add(1, Relaxed), 0, "two threads hold the lock");
            // SAFETY: under the lock.
            unsafe {
                let before = *guarded.value.get();
                step(Step::Ahead);
                *guarded.value.get() = before + 1;
            }
            guarded.inside.fetch_sub(1, Relaxed);
            guarded.lock.unlock();
        }
    }

    /// A decision: the chosen thread, those that could continue, and the one before.
    struct Decision {
        able: Vec<usize>,
        chosen: usize,
        last: Option<usize>,
    }

    impl Decision {
        /// The threads in the order in which they are tried: the last one comes first.
        fn order(able: &[usize], last: Option<usize>) -> Vec<usize> {
            let mut order = able.to_vec();
            order.sort_by_key(|n| (Some(*n) != last, *n));
            order
        }

        /// Returns true if the last thread could have continued, but another was chosen.
        fn is_change(&self) -> bool {
            self.last.is_some_and(|last| self.able.contains(&last) && self.chosen != last)
        }
    }

    fn run(given: &[usize], threads: usize, rounds: u32) -> Vec<Decision> {
        let guarded = Arc::new(Guarded {
            lock: Spin::new(),
            value: Shared::new(0),
            inside: AtomicUsize::new(0),
        });
        let state = StageState {
            threads: vec![Actor::Runs; threads],
            turn: None,
            steps: 0,
            moves: 0,
            is_over: false,
        };
        let stage = Arc::new(Stage { state: Mutex::new(state), changed: Condvar::new() });
        let mut decisions = Vec::new();
        std::thread::scope(|scope| {
            for number in 0..threads {
                let (guarded, stage) = (Arc::clone(&guarded), Arc::clone(&stage));
                scope.spawn(move || {
                    ROLE.set(Some((Arc::clone(&stage), number)));
                    let _exit = Exit(&stage, number);
                    act(&guarded, rounds);
                });
            }
            stage.play(|able, last| {
                let order = Decision::order(able, last);
                let chosen = given.get(decisions.len()).copied().unwrap_or(order[0]);
                decisions.push(Decision { able: able.to_vec(), chosen, last });
                chosen
            });
        });
        // SAFETY: all threads are gone.
        assert_eq!(unsafe { *guarded.value.get() }, threads as u32 * rounds);
        decisions
    }

    /// Runs all interleavings with at most `most_changes` switches, and returns their number.
    fn explore(threads: usize, rounds: u32, most_changes: usize) -> u32 {
        let (mut given, mut runs) = (Vec::new(), 0);
        loop {
            let mut decisions = run(&given, threads, rounds);
            runs += 1;
            // The next run chooses another thread at the last decision where that is possible.
            loop {
                let Some(last) = decisions.pop() else { return runs };
                let order = Decision::order(&last.able, last.last);
                let at = order.iter().position(|n| *n == last.chosen).unwrap();
                let changes = decisions.iter().filter(|decision| decision.is_change()).count();
                if let Some(next) = order.get(at + 1) {
                    let next = Decision { chosen: *next, ..last };
                    if changes + usize::from(next.is_change()) <= most_changes {
                        decisions.push(next);
                        break;
                    }
                }
            }
            given = decisions.iter().map(|decision| decision.chosen).collect();
        }
    }

    #[test]
    fn one_thread_holds_the_lock_in_all_orders() {
        assert!(explore(2, 2, 3) > 100);
        assert!(explore(3, 1, 2) > 100);
    }

    #[test]
    fn a_thread_that_has_left_by_a_jump_finds_itself() {
        let lock = Spin::new();
        lock.lock();
        lock.lock();
        lock.unlock();
        assert_eq!(lock.0.load(Relaxed), 0);
    }
}
