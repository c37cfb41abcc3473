//! Counts are exact: programs in C, C++ and Python do known I/O, and the log says so, counter by
//! counter. Each program states at its top what it does; see `spec`.

mod block;
mod judge;
mod library;
mod model;
mod programs;
pub(crate) mod run;
pub(crate) mod seen;
mod spec;
mod strace;

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::OnceLock;

use ioglass_log::{Log, dxt};
use judge::Case;
use programs::Program;
use run::{Mode, Ran};
use seen::Seen;

use crate::support::{missing, scratch};

/// A program, recorded in one way.
struct Outcome {
    program: &'static Program,
    mode: Mode,
    result: Result<(Ran, Seen), String>,
}

/// All programs, recorded in all ways, once for all tests.
fn outcomes() -> &'static [Outcome] {
    static OUTCOMES: OnceLock<Vec<Outcome>> = OnceLock::new();
    OUTCOMES.get_or_init(|| {
        static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
        let place = scratch("record").canonicalize().unwrap();
        let (mut runs, mut outcomes) = (Vec::new(), Vec::new());
        for program in PROGRAMS.get_or_init(programs::all) {
            for mode in [Mode::Run, Mode::Trace, Mode::Library] {
                // Alone, the library writes one log per process.
                if mode == Mode::Library && !program.spec.is_one_process() {
                    continue;
                }
                match run::run(program, mode, &place).and_then(Ran::checked) {
                    Ok(ran) => runs.push((program, mode, ran)),
                    Err(problem) => outcomes.push(Outcome { program, mode, result: Err(problem) }),
                }
            }
        }
        runs.retain(|(program, _, ran)| {
            if ran.could_not() {
                missing(&format!("what {} needs", program.name), &ran.folder);
            }
            !ran.could_not()
        });
        let logs: Vec<_> = runs.iter().map(|(_, _, ran)| ran.log.clone()).collect();
        outcomes.extend(runs.into_iter().zip(seen::read(&logs)).map(
            |((program, mode, ran), seen)| Outcome {
                program,
                mode,
                result: seen.map(|seen| (ran, seen)),
            },
        ));
        outcomes
    })
}

/// Block size of the file system that the programs work on.
fn alignment() -> i64 {
    let mut command = Command::new("stat");
    let output = command.args(["-f", "-c", "%s"]).arg(scratch("record")).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

/// Differences of one program that are worth reading.
const SHOWN: usize = 20;

/// Checks the programs of a topic and reports every difference.
fn check(topic: &str) {
    let alignment = alignment();
    let mut wrong = Vec::new();
    for outcome in outcomes().iter().filter(|outcome| outcome.program.topic() == topic) {
        let Outcome { program, mode, result } = outcome;
        let differences = match result {
            Err(problem) => vec![problem.clone()],
            Ok((ran, seen)) => Case {
                spec: &program.spec,
                folder: &ran.folder,
                log: &ran.log,
                mode: *mode,
                seconds: ran.seconds,
                alignment,
                seen,
            }
            .differences(),
        };
        let label = format!("{} [{mode:?}]", program.name);
        let shown = differences.iter().take(SHOWN);
        wrong.extend(shown.map(|difference| format!("{label}: {difference}")));
        if differences.len() > SHOWN {
            wrong.push(format!("{label}: and {} more", differences.len() - SHOWN));
        }
    }
    assert!(wrong.is_empty(), "what differs:\n{}", wrong.join("\n"));
}

/// A test for each directory of programs.
macro_rules! topics {
    ($($topic:ident)*) => {
        $(#[test]
        fn $topic() {
            check(stringify!($topic));
        })*

        /// No program is forgotten because nobody asks for its topic.
        #[test]
        fn every_topic_is_tested() {
            let topics = [$(stringify!($topic)),*];
            for name in programs::sources() {
                assert!(topics.contains(&name.split_once('/').unwrap().0), "{name}");
            }
        }
    };
}

/// A trace says which thread did what.
#[test]
fn traces_have_threads() {
    let name = "threads/private_files.c";
    let mut traced = outcomes().iter().filter(|outcome| outcome.mode == Mode::Trace);
    let Some(outcome) = traced.find(|outcome| outcome.program.name == name) else { return };
    let (ran, _) = outcome.result.as_ref().unwrap();
    let log = Log::open(&ran.log).unwrap();
    let mut reader = log.dxt(&dxt::POSIX).unwrap();
    let mut threads: BTreeSet<u64> = BTreeSet::new();
    while reader.next_record().unwrap().is_some() {
        let mut of_file: BTreeSet<u64> = BTreeSet::new();
        while let Some(chunk) = reader.next_chunk().unwrap() {
            of_file.extend(chunk.threads.expect("threads are known"));
        }
        assert_eq!(of_file.len(), 1, "each file is one thread's");
        threads.extend(of_file);
    }
    assert_eq!(threads.len(), 8);
}

/// Threads that use a file at once count apart, so each one's order is seen.
#[test]
fn threads_in_order_look_so() {
    let shared =
        outcomes().iter().filter(|outcome| outcome.program.name == "threads/shared_file.c");
    for outcome in shared {
        let (_, seen) = outcome.result.as_ref().unwrap();
        let record = seen.records.iter().find(|record| record.module == "POSIX").unwrap();
        // The first few calls, before threads were seen to overlap, are in nobody's order.
        let consecutive = record.counter("POSIX_CONSEC_WRITES");
        assert!(consecutive > 159_000, "{consecutive} of 160,000");
    }
}

topics! { moments posix python stdio threads trees }
