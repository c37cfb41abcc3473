//! Every spelling of the crate `ioglass-region`; `calls:` below has what the runtime is told.

use std::future::Future;
use std::panic::catch_unwind;
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Poll, Waker};
use std::thread;

use ioglass_region::{function, iteration, region, span};

#[function]
fn plain<'a>(x: &'a str) -> &'a str {
    #![allow(clippy::needless_lifetimes)]
    x
}

#[ioglass_region::function("a name")]
fn named() -> impl Iterator<Item = u8> + use<> {
    [1, 2].into_iter()
}

#[function]
async fn r#async(x: u8) -> u8 {
    std::future::ready(()).await;
    x
}

struct Solver;

impl Solver {
    #[function]
    pub(crate) fn step<const N: usize>(&self) -> Result<usize, ()>
    where
        Self: Sized,
    {
        Err(())?;
        Ok(N)
    }
}

fn generic<T: Copy>(x: T) -> T {
    let _r = region!(concat!("in a ", "generic"));
    x
}

fn run<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("it never waits"),
    }
}

/// Contexts go to other threads and stay, spans go.
fn may_cross_threads<C: Copy + Send + Sync + 'static, S: Send + 'static>(_: C, _: &S) {}

fn main() -> ExitCode {
    let _main = region!("main");
    assert_eq!(plain("x"), "x");
    assert_eq!(named().count(), 2);
    assert_eq!(run(r#async(5)), 5);
    assert_eq!(Solver.step::<3>(), Err(()));
    generic(1);
    generic('x');
    for _ in 0..2 {
        let step = iteration!("step");
        let _inner = iteration!(dyn format!("inner of {}", "step"));
        step.leave();
    }
    let caught = catch_unwind(|| {
        let _outer = region!("outer");
        let _name = region!(dyn "made here");
        std::panic::resume_unwind(Box::new("panic"));
    });
    assert!(caught.is_err());
    region!(dyn b"a\0b").leave();
    let (first, second) = (ioglass_region::start("fetch"), span!("store"));
    let context = ioglass_region::here();
    may_cross_threads(context, &second);
    let work = thread::spawn(move || {
        let _attached = ioglass_region::attach(context);
        let _work = region!("work");
        drop(first);
    });
    work.join().unwrap();
    second.stop();
    ioglass_region::count("cells", 3);
    ioglass_region::count(String::from("most"), u64::MAX);
    ioglass_region::value("residual [m/s]", 0.5_f32);
    ioglass_region::tag("kind", "io");
    ioglass_region::execution();
    ioglass_region::snapshot();
    ioglass_region::profile("name");
    let status = ioglass_region::flush();
    if ioglass_region::active() { ExitCode::from(status as u8) } else { ExitCode::from(3) }
}

// calls:
// 0 regions 1
// 0 enter_site "main" region spellings.rs:58
// 0 enter_site "plain" region spellings.rs:12
// 0 leave_site "plain"
// 0 enter_site "a name" region spellings.rs:18
// 0 leave_site "a name"
// 0 start "async" spellings.rs:23 -> 1
// 0 stop 1
// 0 enter_site "step" region spellings.rs:32
// 0 leave_site "step"
// 0 enter_site "in a generic" region spellings.rs:43
// 0 leave_site "in a generic"
// 0 enter_site "in a generic" region spellings.rs:43
// 0 leave_site "in a generic"
// 0 enter_site "step" iteration spellings.rs:66
// 0 enter "inner of step" iteration spellings.rs:67
// 0 leave_site "step"
// 0 leave "inner of step"
// 0 enter_site "step" iteration spellings.rs:66
// 0 enter "inner of step" iteration spellings.rs:67
// 0 leave_site "step"
// 0 leave "inner of step"
// 0 enter_site "outer" region spellings.rs:71
// 0 enter "made here" region spellings.rs:72
// 0 leave "made here"
// 0 leave_site "outer"
// 0 enter "a\x00b" region spellings.rs:76
// 0 leave "a\x00b"
// 0 start "fetch" spellings.rs:77 -> 2
// 0 start "store" spellings.rs:77 -> 3
// 0 here -> 18446744073709551615
// 1 attach 18446744073709551615
// 1 enter_site "work" region spellings.rs:82
// 1 stop 2
// 1 leave_site "work"
// 1 detach
// 0 stop 3
// 0 count "cells" 3
// 0 count "most" 9223372036854775807
// 0 value "residual [m/s]" 0.5
// 0 tag "kind" "io"
// 0 execution
// 0 snapshot
// 0 profile "name"
// 0 flush -> 0
// 0 active -> 1
// 0 leave_site "main"
