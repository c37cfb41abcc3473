//! A queue that the signal handlers of a thread fill and the interrupted bookkeeping empties. All
//! of it happens in one thread, but any step can be interrupted.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, compiler_fence};
use core::sync::atomic::{
    Ordering::Acquire, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst,
};

/// Capacity of a queue.
const LENGTH: usize = 64;

/// A queue of a pool that all threads share; one thread owns it at a time.
pub(crate) struct Queue<T> {
    taken: AtomicU32,
    len: AtomicU32,
    slots: [QueueSlot<T>; LENGTH],
}

/// Room for one value. A handler that jumps out may reserve it and never fill it.
struct QueueSlot<T> {
    filled: AtomicU32,
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: used by the thread that has taken it; each of its handlers fills a separate slot, and no
// value goes to another thread.
unsafe impl<T> Sync for Queue<T> {}

impl<T: 'static> Queue<T> {
    /// A free, empty queue.
    pub(crate) const fn new() -> Self {
        Self {
            taken: AtomicU32::new(0),
            len: AtomicU32::new(0),
            slots: [const {
                QueueSlot {
                    filled: AtomicU32::new(0),
                    value: UnsafeCell::new(MaybeUninit::zeroed()),
                }
            }; LENGTH],
        }
    }

    /// The queue of a thread: the one in `own`, or else a free one. `None` if all are taken.
    pub(crate) fn of(own: &AtomicPtr<Self>, pool: &'static [Self]) -> Option<&'static Self> {
        // SAFETY: `own` points into a pool, which is static.
        if let Some(queue) = unsafe { own.load(Relaxed).as_ref() } {
            return Some(queue);
        }
        step();
        let mut free = pool.iter();
        let free =
            free.find(|queue| queue.taken.compare_exchange(0, 1, Acquire, Relaxed).is_ok())?;
        step();
        let address = ptr::from_ref(free).cast_mut();
        match own.compare_exchange(ptr::null_mut(), address, Relaxed, Relaxed) {
            Ok(_) => Some(free),
            Err(other) => {
                // A handler that interrupted this one has taken a queue already.
                free.taken.store(0, Release);
                // SAFETY: as above.
                unsafe { other.as_ref() }
            }
        }
    }

    /// Adds a value. Returns false if there is no room.
    pub(crate) fn put(&self, value: T) -> bool {
        step();
        // The slot is reserved first, because this handler can be interrupted too.
        let number = self.len.fetch_add(1, Relaxed) as usize;
        step();
        let Some(slot) = self.slots.get(number) else {
            self.len.fetch_sub(1, Relaxed);
            return false;
        };
        // SAFETY: reserved.
        unsafe { (*slot.value.get()).write(value) };
        step();
        slot.filled.store(1, Release);
        step();
        true
    }

    /// Passes all values to `each` in order, and frees the queue, which is the one in `own`.
    pub(crate) fn empty(&'static self, own: &AtomicPtr<Self>, mut each: impl FnMut(T)) {
        let mut next = 0;
        let mut is_last = false;
        loop {
            step();
            if next == self.len.load(Relaxed) {
                if is_last {
                    break;
                }
                step();
                // Handlers take another queue from now on; one may have added to this one just
                // before.
                own.store(ptr::null_mut(), Relaxed);
                compiler_fence(SeqCst);
                is_last = true;
                continue;
            }
            let slot = self.slots.get(next as usize);
            next += 1;
            step();
            if let Some(slot) = slot
                && slot.filled.swap(0, Acquire) != 0
            {
                // SAFETY: filled, and taken once.
                each(unsafe { (*slot.value.get()).assume_init_read() });
            }
        }
        step();
        self.len.store(0, Relaxed);
        self.taken.store(0, Release);
    }

    /// Frees the queue in a child, which has no deferred calls.
    pub(crate) fn clear(&self) {
        if self.taken.load(Relaxed) != 0 {
            self.slots.iter().for_each(|slot| slot.filled.store(0, Relaxed));
            self.len.store(0, Relaxed);
            self.taken.store(0, Relaxed);
        }
    }
}

/// A moment at which a signal may come.
#[cfg(not(test))]
#[inline(always)]
fn step() {}

#[cfg(test)]
use tests::step;

#[cfg(test)]
mod tests {
    //! Tries all ways in which handlers can interrupt the bookkeeping and each other.

    use std::cell::RefCell;

    use super::*;

    /// Handlers in one run.
    const HANDLERS: u32 = 5;

    /// One run: the moments at which a handler comes.
    #[derive(Default)]
    struct Schedule {
        /// Decisions so far: true if a handler came, and true if one was left to come.
        taken: Vec<(bool, bool)>,
        /// Given decisions; after them no handler comes.
        given: Vec<bool>,
        handlers: u32,
        events: Vec<Event>,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Event {
        Began(u32),
        Ended(u32),
        Booked(u32),
    }

    thread_local! {
        static SCHEDULE: RefCell<Option<Schedule>> = const { RefCell::new(None) };
    }

    static POOL: [Queue<u32>; 8] = [const { Queue::new() }; 8];
    static OWN: AtomicPtr<Queue<u32>> = AtomicPtr::new(ptr::null_mut());

    pub(super) fn step() {
        let number = SCHEDULE.with_borrow_mut(|schedule| {
            let schedule = schedule.as_mut()?;
            let could = schedule.handlers < HANDLERS;
            let comes = could && schedule.given.get(schedule.taken.len()) == Some(&true);
            schedule.taken.push((comes, could));
            schedule.handlers += u32::from(comes);
            comes.then_some(schedule.handlers)
        });
        if let Some(number) = number {
            note(Event::Began(number));
            assert!(Queue::of(&OWN, &POOL).is_some_and(|queue| queue.put(number)));
            note(Event::Ended(number));
        }
    }

    fn note(event: Event) {
        SCHEDULE.with_borrow_mut(|schedule| schedule.as_mut().unwrap().events.push(event));
    }

    /// Runs the bookkeeping that handlers interrupt, until the queue is empty.
    fn run(given: Vec<bool>) -> Schedule {
        SCHEDULE.set(Some(Schedule { given, ..Schedule::default() }));
        step();
        // SAFETY: queues are statics.
        while let Some(queue) = unsafe { OWN.load(Relaxed).as_ref() } {
            queue.empty(&OWN, |number| note(Event::Booked(number)));
            step();
        }
        SCHEDULE.take().unwrap()
    }

    fn check(schedule: &Schedule) {
        let events = &schedule.events;
        let at = |event| events.iter().position(|other| *other == event);
        for number in 1..=schedule.handlers {
            let booked = events.iter().filter(|event| **event == Event::Booked(number)).count();
            assert_eq!(booked, 1, "{events:?}");
            for later in number + 1..=schedule.handlers {
                // If one call ends before another begins, it is booked first.
                if at(Event::Ended(number)) < at(Event::Began(later)) {
                    assert!(at(Event::Booked(number)) < at(Event::Booked(later)), "{events:?}");
                }
            }
        }
        for queue in &POOL {
            assert_eq!((queue.taken.load(Relaxed), queue.len.load(Relaxed)), (0, 0), "{events:?}");
        }
    }

    #[test]
    fn no_interruption_loses_a_value_or_a_queue() {
        let (mut given, mut runs) = (Vec::new(), 0);
        loop {
            let schedule = run(given);
            check(&schedule);
            runs += 1;
            // The next run changes the last decision that can still change.
            let Some(last) = schedule.taken.iter().rposition(|(comes, could)| *could && !comes)
            else {
                break;
            };
            given = schedule.taken[..last].iter().map(|(comes, _)| *comes).chain([true]).collect();
        }
        assert!(runs > 10_000, "{runs} runs");
    }
}
