//! 496 ranks write through one aggregator, wait for each other, and rank 0 prints.

use std::iter::repeat_n;

use ioglass_insight::{
    Advice, Budget, Command, Diagnosis, Dimension, Language, Level, Moved, Need, Outcome, RankKind,
    Snippet, Spent, Subject, TimePart, Verdict, Warning, Where,
};

use super::{
    COLLECTIVE_WAIT, METADATA_TIME, SINGLE_STRIPE, SMALL_WRITES, STRAGGLERS, TEXT_OUTPUT, fine,
    fired, not_checkable, say, type_this,
};

const RUN_TIME: f64 = 1_479.0;

pub(crate) fn imbalanced() -> Diagnosis {
    let part = |on, seconds| TimePart { on, seconds };
    let mut single = fired(
        &SINGLE_STRIPE,
        Level::High,
        "98.6 GiB pass through one rank to one OST",
        "3981085427 has stripe count 1 (OST 29), so MPI-IO used one aggregator: rank 0 moved all \
         98.6 GiB in 1 MiB requests, 583 s in POSIX; the others waited.",
        (563.0, RUN_TIME),
    );
    single.advice = vec![type_this([Command::new(
        "lfs setstripe -c 29 -S 16M DIR",
        "before creating the file",
    )])];
    let mut wait = fired(
        &COLLECTIVE_WAIT,
        Level::High,
        "187 collective writes per rank take 3.0 s each",
        "312046190: 263 KiB per rank and call, 565 s in MPI-IO, 22 s of them in recorded POSIX \
         calls. The rest is waiting, or rank 0, which was not recorded.",
        (543.1, RUN_TIME),
    );
    wait.is_incomplete = true;
    wait.advice = vec![
        type_this([
            Command::new("lfs getstripe -c DIR/312046190", "1? then stripe it too:"),
            Command::new("lfs setstripe -c 14 -S 16M DIR", ""),
        ]),
        say("fewer, larger calls: H5Dwrite_multi, ncmpi_iput + wait_all"),
    ];
    let mut text = fired(
        &TEXT_OUTPUT,
        Level::Warn,
        "Rank 0 needs 113 s to write 44 KiB of text",
        "1115354007: 956 writes, 176 flushes, 33 s in open alone.",
        (113.0, RUN_TIME),
    );
    text.advice = vec![Advice {
        text: "Give the stream a large buffer, and flush it once per step.".into(),
        snippets: vec![
            Snippet {
                language: Language::C,
                code: "setvbuf(f, NULL, _IOFBF, 1 << 20);  // and flush once per step".into(),
            },
            Snippet {
                language: Language::Python,
                code: "log = open(\"log\", \"w\", buffering=1 << 20)".into(),
            },
        ],
        see: "https://en.cppreference.com/w/c/io/setvbuf",
        ..Advice::default()
    }];
    let note = fired(&METADATA_TIME, Level::Info, "Rank 0 opens 990 files", "", (9.0, RUN_TIME));
    let mut findings = vec![single, wait, text, note];
    findings.extend(repeat_n(fine(&SMALL_WRITES), 31));
    findings.extend(repeat_n(not_checkable(&STRAGGLERS, Need::Trace), 12));
    Diagnosis {
        subject: Subject {
            program: "407752450".into(),
            command: "407752450".into(),
            ranks: 496,
            rank_kind: RankKind::Mpi,
            run_time: RUN_TIME,
            jobid: 1_452_113_755,
            start: 1_618_435_741,
            recorder: "Darshan 3.2.1".into(),
            is_complete: false,
            is_traced: Some(false),
            exit: None,
            left_out: 0,
        },
        warnings: vec![Warning {
            text: "POSIX is incomplete: rank 0 reached the limit of 1,024 records".into(),
            marks: true,
        }],
        verdict: Verdict {
            outcome: Outcome::HeldBack,
            dimensions: vec![
                Dimension::ParallelismEfficiency,
                Dimension::InterfaceChoice,
                Dimension::ThroughputUtilization,
            ],
            sentence: "I/O took 92 % of this run, up to 1,220 of 1,479 s avoidable. \
                       Start with one command: stripe the output directory."
                .into(),
            avoidable: 1_220.0,
        },
        budget: Budget {
            run_time: RUN_TIME,
            io: 1_357.1,
            parts: vec![
                part(Spent::MpiIo, 1_243.5),
                part(Spent::Text, 113.6),
                part(Spent::Outside, 121.9),
            ],
            is_clamped: false,
        },
        moved: Moved {
            by: "MPI-IO",
            written: 79_564_269_158,
            read: 52_935_509_811,
            rate: Some(106_954_752.0),
            requests: 700_000,
            common_size: Some(241_664),
        },
        place: Where {
            systems: vec![
                ("lustre".into(), "/lus/theta-fs0".into()),
                ("overlay".into(), "/".into()),
            ],
            files: 1_026,
            shared: 3,
            stripes: Some(1),
            targets: Some(12),
            ..Where::default()
        },
        findings,
        settings: Vec::new(),
    }
}
