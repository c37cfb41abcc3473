//! Runs with little or nothing to say.

use std::iter::repeat_n;

use ioglass_insight::{
    Budget, Diagnosis, Level, Moved, Need, Outcome, RankKind, Spent, Subject, TimePart, Verdict,
    Warning, Where,
};

use super::{METADATA_TIME, SMALL_WRITES, STRAGGLERS, fine, fired, not_checkable};

/// A short script whose I/O is not worth anybody's time.
pub(crate) fn healthy() -> Diagnosis {
    let part = |on, seconds| TimePart { on, seconds };
    let note = fired(&METADATA_TIME, Level::Info, "Opens take most", "", (0.02, 3.0));
    let mut findings = vec![note];
    findings.extend(repeat_n(fine(&SMALL_WRITES), 31));
    findings.extend(repeat_n(not_checkable(&STRAGGLERS, Need::Lustre), 12));
    Diagnosis {
        subject: Subject {
            program: "python diagonal_hdf5.py".into(),
            command: "python ./darshan_hdf5_testing/diagonal_hdf5.py write 1".into(),
            ranks: 10,
            rank_kind: RankKind::Mpi,
            run_time: 3.0,
            jobid: 5_133_433,
            start: 1_646_940_385,
            recorder: "Darshan 3.3.1".into(),
            is_complete: true,
            is_traced: Some(true),
            exit: None,
            left_out: 0,
        },
        warnings: Vec::new(),
        verdict: Verdict {
            outcome: Outcome::Healthy,
            dimensions: Vec::new(),
            sentence: "Healthy. I/O took 0.03 of 3 s; nothing here is worth your time.".into(),
            avoidable: 0.02,
        },
        budget: Budget {
            run_time: 3.0,
            io: 0.0277,
            parts: vec![
                part(Spent::Read, 0.0006),
                part(Spent::Write, 0.0001),
                part(Spent::Metadata, 0.027),
                part(Spent::Outside, 2.9723),
            ],
            is_clamped: false,
        },
        moved: Moved { written: 12_925, read: 2_627_610, ..Moved::default() },
        place: Where {
            systems: vec![("nfs".into(), String::new()), ("local".into(), String::new())],
            files: 74,
            ..Where::default()
        },
        findings,
        settings: Vec::new(),
    }
}

/// A run of which nothing was recorded.
pub(crate) fn empty() -> Diagnosis {
    let healthy = healthy();
    Diagnosis {
        subject: Subject {
            program: "mpi-io-test".into(),
            command: "./mpi-io-test".into(),
            ranks: 4,
            run_time: 0.0383,
            jobid: 395_998,
            start: 1_677_270_046,
            recorder: "Darshan 3.4.2".into(),
            is_traced: None,
            exit: None,
            left_out: 0,
            ..healthy.subject
        },
        verdict: Verdict {
            outcome: Outcome::NotJudgeable,
            dimensions: Vec::new(),
            sentence: "No I/O was recorded.".into(),
            avoidable: 0.0,
        },
        budget: Budget { run_time: 0.0383, ..Budget::default() },
        moved: Moved::default(),
        place: Where::default(),
        findings: Vec::new(),
        settings: Vec::new(),
        ..healthy
    }
}

/// A run of which only the beginning was recorded.
pub(crate) fn not_judgeable() -> Diagnosis {
    let mut diagnosis = healthy();
    diagnosis.subject.is_complete = false;
    diagnosis.verdict.outcome = Outcome::NotJudgeable;
    diagnosis.verdict.sentence =
        "Not judgeable: the records were full after 1,024 start-up files.".into();
    diagnosis.warnings =
        vec![Warning { text: "POSIX is incomplete: it ran out of room".into(), marks: true }];
    diagnosis
}
