//! Every verdict and every change of a finding, on runs that are written down.

use super::*;
use crate::detect::{self, Detector};
use crate::finding::State as FindingState;
use crate::finding::{Budget, Diagnosis, Finding, Moved, Outcome, RankKind, Role, Subject, Where};

/// Makes a run another one.
type Change<'c> = &'c dyn Fn(&mut Repetition);

/// A run of `./writer -b 4k` with 8 ranks that writes 1 GiB.
fn run(seconds: f64) -> Repetition {
    let diagnosis = Diagnosis {
        subject: Subject {
            program: "writer".into(),
            command: "./writer -b 4k".into(),
            ranks: 8,
            rank_kind: RankKind::Mpi,
            run_time: seconds,
            jobid: 1,
            start: 0,
            recorder: String::new(),
            is_complete: true,
            is_traced: None,
            exit: None,
            left_out: 0,
        },
        warnings: Vec::new(),
        verdict: crate::finding::Verdict {
            outcome: Outcome::HeldBack,
            dimensions: Vec::new(),
            sentence: String::new(),
            avoidable: 0.0,
        },
        budget: Budget { run_time: seconds, io: seconds / 2.0, ..Budget::default() },
        moved: Moved { written: 1 << 30, requests: 1000, ..Moved::default() },
        place: Where { files: 1, ..Where::default() },
        findings: Vec::new(),
        settings: Vec::new(),
    };
    let log = format!("{seconds}.darshan").into();
    Repetition { log, diagnosis, moved: [[0, 0], [0, 0], [0, 0], [0, 1 << 30]], resolution: 0.0 }
}

fn runs(seconds: &[f64]) -> Vec<Repetition> {
    seconds.iter().copied().map(run).collect()
}

fn detector(code: &str) -> &'static Detector {
    detect::find(code).unwrap()
}

/// A primary finding at HIGH.
fn fired(code: &str, seconds: f64) -> Finding {
    Finding {
        level: Some(Level::High),
        role: Some(Role::Primary),
        title: format!("{code} fired"),
        seconds_at_stake: seconds,
        seconds_net: seconds,
        ..Finding::empty(detector(code), FindingState::Fired)
    }
}

fn fine(code: &str) -> Finding {
    Finding { level: Some(Level::Ok), ..Finding::empty(detector(code), FindingState::Fine) }
}

fn unchecked(code: &str) -> Finding {
    Finding::empty(detector(code), FindingState::NotCheckable)
}

/// Runs of 10 seconds with these findings, one in each.
fn with(findings: Vec<Finding>) -> Vec<Repetition> {
    let with = |finding: Finding| {
        let mut run = run(10.0);
        run.diagnosis.findings.push(finding);
        run
    };
    findings.into_iter().map(with).collect()
}

fn compare(before: Vec<Repetition>, after: Vec<Repetition>) -> Comparison {
    Comparison::of(before, after, false).unwrap()
}

fn state(before: &[f64], after: &[f64]) -> State {
    compare(runs(before), runs(after)).verdict.state
}

#[test]
fn the_interval_and_the_size_of_the_change_decide() {
    let before = [100.0, 101.0, 102.0, 103.0];
    assert_eq!(state(&before, &[50.0, 51.0, 52.0, 53.0]), State::Faster);
    assert_eq!(state(&before, &[150.0, 151.0, 152.0, 153.0]), State::Slower);
    assert_eq!(state(&before, &[100.5, 101.5, 102.5, 103.5]), State::NoChange);
    // Certain, but below 2 %.
    assert_eq!(state(&[100.0; 4], &[99.0; 4]), State::NoChange);
    assert_eq!(state(&[100.0; 4], &[97.5; 4]), State::Faster);
    // 20 % off, but the runs overlap.
    assert_eq!(
        state(&[100.0, 100.0, 100.0, 60.0], &[80.0, 80.0, 80.0, 120.0]),
        State::Inconclusive
    );
}

#[test]
fn few_runs_need_a_change_of_20_percent() {
    assert_eq!(state(&[100.0], &[80.0]), State::Faster);
    assert_eq!(state(&[100.0], &[81.0]), State::Inconclusive);
    assert_eq!(state(&[100.0], &[96.0]), State::NoChange);
    assert_eq!(state(&[100.0], &[120.0]), State::Slower);
    assert_eq!(state(&[100.0, 101.0], &[85.0, 86.0]), State::Inconclusive);
    assert_eq!(state(&[100.0, 101.0], &[75.0, 76.0]), State::Faster);
    // Three runs each are no longer few.
    assert_eq!(state(&[100.0, 101.0, 102.0], &[85.0, 86.0, 87.0]), State::Faster);
}

#[test]
fn a_clock_of_whole_seconds_claims_no_difference_of_one() {
    let coarse = |seconds: &[f64]| {
        let mut runs = runs(seconds);
        runs.iter_mut().for_each(|run| run.resolution = 1.0);
        runs
    };
    let found = compare(coarse(&[2.0]), coarse(&[1.0]));
    assert_eq!(found.verdict.state, State::Inconclusive);
    assert!(found.verdict.sentence.contains("whole seconds only"), "{}", found.verdict.sentence);
    assert_eq!(compare(coarse(&[4.0]), coarse(&[2.0])).verdict.state, State::Faster);
    assert_eq!(compare(runs(&[0.2]), runs(&[0.1])).verdict.state, State::Faster);
}

#[test]
fn fixed_is_only_what_was_checked_and_is_fine() {
    let pair = |after: Finding| {
        let (mut one, mut other) = (run(10.0), run(5.0));
        one.diagnosis.findings.push(fired("A01", 6.0));
        other.diagnosis.findings.push(after);
        compare(vec![one], vec![other])
    };
    let found = pair(fine("A01"));
    assert_eq!(found.verdict.state, State::Fixed);
    assert_eq!(
        found.verdict.sentence,
        "Fixed: 2.0× faster, 5 s saved; 6 s were promised. One run each."
    );
    let promise = found.promise.unwrap();
    assert_eq!((promise.promised, promise.saved), (6.0, 5.0));
    assert_eq!(pair(unchecked("A01")).verdict.state, State::Faster);
    assert_eq!(pair(fired("A01", 1.0)).verdict.state, State::Faster);
    assert_eq!(state(&[10.0], &[5.0]), State::Faster, "nothing was wrong before");
}

#[test]
fn what_became_of_a_finding() {
    let all = |finding: &dyn Fn() -> Finding| (0..4).map(|_| finding()).collect::<Vec<_>>();
    let costs = |seconds: [f64; 4]| seconds.map(|seconds| fired("A01", seconds)).to_vec();
    let kind = |before: Vec<Finding>, after: Vec<Finding>| {
        let found = compare(with(before), with(after));
        assert!(found.findings.len() <= 1);
        found.findings.first().map(|finding| finding.change)
    };
    let (fired, fine, unchecked) = (|| fired("A01", 4.0), || fine("A01"), || unchecked("A01"));
    assert_eq!(kind(all(&fired), all(&fine)), Some(ChangeKind::Gone));
    assert_eq!(kind(all(&fine), all(&fired)), Some(ChangeKind::New));
    assert_eq!(kind(all(&fired), all(&unchecked)), Some(ChangeKind::Unclear));
    assert_eq!(kind(all(&unchecked), all(&fired)), Some(ChangeKind::Unclear));
    assert_eq!(kind(all(&fine), all(&unchecked)), Some(ChangeKind::Unclear));
    assert_eq!(kind(all(&fine), all(&fine)), None);
    assert_eq!(kind(all(&unchecked), all(&unchecked)), None);
    let much = costs([4.0, 4.1, 4.2, 4.3]);
    assert_eq!(kind(much.clone(), costs([1.0, 1.1, 1.2, 1.3])), Some(ChangeKind::Better));
    assert_eq!(kind(costs([1.0, 1.1, 1.2, 1.3]), much.clone()), Some(ChangeKind::Worse));
    assert_eq!(kind(much.clone(), costs([4.3, 4.1, 4.2, 4.0])), Some(ChangeKind::Same));
    // It fired in few runs before, and in none after.
    let rarely = vec![fired(), fine(), fine(), fine()];
    assert_eq!(kind(rarely, all(&fine)), Some(ChangeKind::Same));
    // It still fires in one run, so it is not gone, but it costs less.
    let once = vec![fired(), fine(), fine(), fine()];
    assert_eq!(kind(much.clone(), once.clone()), Some(ChangeKind::Same), "one run costs as much");
    let once = vec![super::tests::fired("A01", 1.0), fine(), fine(), fine()];
    assert_eq!(kind(much.clone(), once.clone()), Some(ChangeKind::Better));
    assert_eq!(kind(once, much), Some(ChangeKind::Worse), "none of the ratios has an end");
    // One run of each shows nothing.
    let found = compare(with(vec![fired()]), with(vec![super::tests::fired("A01", 1.0)]));
    assert_eq!(found.findings[0].change, ChangeKind::Same);
}

#[test]
fn work_is_program_ranks_and_bytes() {
    let changed = |change: &dyn Fn(&mut Repetition)| {
        let mut other = run(5.0);
        change(&mut other);
        compare(vec![run(10.0)], vec![other])
    };
    let different: [(&str, Change<'_>); 3] = [
        ("program", &|run| run.diagnosis.subject.program = "reader".into()),
        ("ranks", &|run| run.diagnosis.subject.ranks = 16),
        ("bytes", &|run| run.moved[3] = [0, 1 << 29]),
    ];
    for (what, change) in different {
        let found = changed(change);
        assert_eq!(found.verdict.state, State::NotComparable, "{what}");
        assert_eq!(found.same_work.differences[0].what, what);
        assert!(found.verdict.sentence.contains(what), "{}", found.verdict.sentence);
        assert!(found.measured("run_seconds").unwrap().estimate.is_none());
        assert!(found.measured("io_share").unwrap().estimate.is_some());
    }
    let bytes = |bytes: u64| changed(&move |run| run.moved[3] = [0, bytes]).same_work.state;
    assert_eq!(bytes((1 << 30) / 100 * 96), WorkState::Same);
    assert_eq!(bytes((1 << 30) / 100 * 94), WorkState::Different);
    let found = changed(&|run| run.diagnosis.subject.command = "./writer -b 4M".into());
    assert_eq!(found.verdict.state, State::Faster, "arguments do not decide");
    assert_eq!(found.same_work.differences[0].before.as_deref(), Some("-b 4k"));
    let mut other = run(5.0);
    other.diagnosis.subject.ranks = 16;
    let found = Comparison::of(vec![run(10.0)], vec![other], true).unwrap();
    assert_eq!(found.same_work.state, WorkState::Assumed);
    assert_eq!(found.verdict.state, State::Faster);
    assert!(found.verdict.sentence.contains("your word"), "{}", found.verdict.sentence);
}

/// A cure may change what lies below.
#[test]
fn bytes_are_those_of_the_highest_interface() {
    let mut runs = [run(10.0), run(5.0)];
    runs[0].moved = [[0, 0], [0, 0], [0, 1 << 20], [0, 1 << 30]];
    runs[1].moved = [[0, 0], [0, 0], [0, 1 << 20], [0, 1 << 20]];
    let [before, after] = runs;
    let found = compare(vec![before], vec![after]);
    assert_eq!(found.same_work.interface, Interface::MpiIo);
    assert_eq!(found.same_work.state, WorkState::Same);
}

#[test]
fn an_odd_repetition_is_left_out() {
    let mut before = runs(&[10.0, 11.0, 12.0]);
    before[1].diagnosis.subject.ranks = 4;
    let found = compare(before, runs(&[5.0, 5.1]));
    assert_eq!(found.sides[0].run_seconds(), [10.0, 12.0]);
    assert_eq!(found.sides[0].left_out[0].log.to_str(), Some("11.darshan"));
    assert_eq!(found.sides[0].left_out[0].reason, "it has ranks 4, the others 8");
    assert_eq!(found.verdict.state, State::Faster);
    // Of two neither is the odd one, and of two pairs neither.
    for count in [1, 2] {
        let mut before = runs(&vec![10.0; 2 * count]);
        before[..count].iter_mut().for_each(|run| run.moved[3] = [0, 1 << 20]);
        let found = compare(before, runs(&[5.0]));
        assert_eq!(found.verdict.state, State::NotComparable);
        assert_eq!(
            found.verdict.sentence,
            "Not comparable in seconds: the runs before have bytes 1 MiB and 1 GiB."
        );
        assert!(found.sides[0].left_out.is_empty());
    }
}

#[test]
fn counts_of_different_interfaces_have_no_ratio() {
    let mut after = run(5.0);
    after.diagnosis.moved.by = "MPI-IO";
    let found = compare(vec![run(10.0)], vec![after]);
    assert!(found.measured("requests").unwrap().estimate.is_none());
    assert!(found.measured("run_seconds").unwrap().estimate.is_some());
    assert!(found.same_work.differences.iter().any(|it| it.what == "counted at" && !it.decides));
}

#[test]
fn numbers_that_are_nowhere_are_absent() {
    let mut after = run(5.0);
    let part = |on, seconds| crate::finding::TimePart { on, seconds };
    after.diagnosis.budget.parts.push(part(crate::finding::Spent::Write, 2.0));
    let found = compare(vec![run(10.0)], vec![after]);
    assert_eq!(found.measured("read_seconds").unwrap().medians, [None, None]);
    assert_eq!(found.measured("write_seconds").unwrap().medians, [Some(0.0), Some(2.0)]);
    assert_eq!(found.measured("common_size").unwrap().medians, [None, None]);
}

#[test]
fn a_side_without_runs_is_no_comparison() {
    assert!(Comparison::of(Vec::new(), runs(&[1.0]), false).is_none());
    assert!(Comparison::of(runs(&[1.0]), Vec::new(), false).is_none());
}
