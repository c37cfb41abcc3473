//! 2,048 ranks write a file each, and one of 24 storage targets is slow.

use std::iter::repeat_n;

use ioglass_insight::{
    Budget, Chart, Command, Diagnosis, Dimension, Evidence, FileShare, Level, Moved, Need, Outcome,
    Quantity, RankKind, Spent, Subject, TimePart, Top, Verdict, Where,
};

use super::{SLOW_OST, SMALL_WRITES, STRAGGLERS, fine, fired, not_checkable, say, type_this};

const RUN_TIME: f64 = 780.0;

/// MiB/s of the files on each target.
const RATES: [f64; 24] = [
    22.9, 22.0, 23.0, 25.6, 26.3, 24.0, 21.6, 20.5, 19.0, 21.2, 20.6, 26.4, 21.5, 23.9, 0.5, 24.9,
    23.8, 21.2, 23.4, 21.8, 24.4, 20.9, 24.0, 24.0,
];

pub(crate) fn slow_ost() -> Diagnosis {
    let part = |on, seconds| TimePart { on, seconds };
    let mut slow = fired(
        &SLOW_OST,
        Level::High,
        "OST 14 writes 46× slower than the other 23",
        "85 of 2,048 files lie on it, at 0.50 MiB/s each against 23.0 elsewhere. \
         Slowest file there 777.9 s, slowest anywhere else 16.4 s.",
        (761.56, RUN_TIME),
    );
    slow.basis = "counters and stripes";
    slow.chart = Some(Chart {
        label: "MiB/s by OST, 0 to 23".into(),
        values: RATES.into(),
        words: "min 0.5 at 14, median 23.0".into(),
    });
    let look = Command::new(
        "lfs df /scratch1 | grep OST:14",
        "full or degraded? then report OST 14 to your centre",
    );
    slow.advice = vec![
        type_this([look.brief("then tell your centre")]),
        say("write to /scratch2 (also Lustre, mounted on these nodes) until it is repaired"),
    ];
    slow.evidence = vec![
        Evidence { name: "files on the target", value: 85.0, quantity: Quantity::Count },
        Evidence { name: "rate there", value: 526_385.0, quantity: Quantity::BytesPerSecond },
        Evidence { name: "times slower", value: 45.86, quantity: Quantity::Factor },
    ];
    let file = |number: u64, seconds| FileShare {
        path: format!("/scratch1/scratchdirs/glock/test-scratch1/testFile.{number:08}").into(),
        seconds,
        bytes: 268_435_456,
        ranks: 1,
        record: 0,
    };
    slow.files = Top { list: vec![file(1507, 761.56), file(83, 749.2)], more: 83 };
    slow.ranks = Top { list: vec![1507, 83, 611], more: 82 };
    let mut findings = vec![slow];
    findings.extend(repeat_n(fine(&SMALL_WRITES), 31));
    findings.extend(repeat_n(not_checkable(&STRAGGLERS, Need::Trace), 12));
    Diagnosis {
        subject: Subject {
            program: "ior".into(),
            command: "/global/homes/g/glock/bin/ior -a POSIX -w".into(),
            ranks: 2_048,
            rank_kind: RankKind::Mpi,
            run_time: RUN_TIME,
            jobid: 6_265_799,
            start: 1_497_980_955,
            recorder: "Darshan 3.1.3".into(),
            is_complete: true,
            is_traced: Some(false),
            exit: None,
            left_out: 0,
        },
        warnings: Vec::new(),
        verdict: Verdict {
            outcome: Outcome::HeldBack,
            dimensions: vec![Dimension::ThroughputUtilization],
            sentence: "One slow storage target cost 762 of 780 s.".into(),
            avoidable: 761.56,
        },
        budget: Budget {
            run_time: RUN_TIME,
            io: 778.49,
            parts: vec![
                part(Spent::Write, 777.94),
                part(Spent::Metadata, 0.55),
                part(Spent::Outside, 1.51),
            ],
            is_clamped: false,
        },
        moved: Moved {
            by: "",
            written: 549_755_813_888,
            read: 0,
            rate: Some(705_691_648.0),
            requests: 131_072,
            common_size: Some(1_048_576),
        },
        place: Where {
            systems: vec![("lustre".into(), "/scratch1".into())],
            files: 2_048,
            shared: 0,
            one_per_rank: true,
            stripes: Some(1),
            targets: Some(24),
            folder: "/scratch1/scratchdirs/glock/test-scratch1".into(),
        },
        findings,
        settings: Vec::new(),
    }
}
