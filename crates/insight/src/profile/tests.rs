use std::iter;

use ioglass_profile::{
    Builder, Head, Io, Kind, Layer, Node, NoticeCode, Process, RankKind, Row, Series, Set,
};

use super::*;

/// A region of a made-up run: parent, name, seconds by rank, and seconds of file calls.
type Made = (Option<u32>, &'static str, fn(u32) -> f64, f64);

fn set(ranks: u32, seconds: f64, regions: &[Made]) -> Set {
    let head = Head {
        ranks,
        rank_kind: RankKind::Mpi,
        duration_ns: (seconds * 1e9) as u64,
        has_io: true,
        ..Head::default()
    };
    let mut builder = Builder::new(head);
    for rank in 0..ranks {
        let node = |(parent, name, time, io): &Made| {
            let time_ns = (time(rank) * 1e9) as u64;
            let mut row =
                Row { calls: 1, time_ns, min_ns: time_ns, max_ns: time_ns, ..Row::default() };
            if *io > 0.0 {
                let io = Io {
                    writes: 1,
                    bytes_written: 1 << 20,
                    write_ns: (io * 1e9) as u64,
                    ..Io::default()
                };
                row.io.push((Layer::Posix, io));
            }
            Node { parent: *parent, name: name.as_bytes(), rows: vec![row], ..Node::default() }
        };
        builder
            .process(Process { rank, ..Process::default() }, regions.iter().map(node).collect())
            .unwrap();
    }
    Set::of_profile(&builder.finish().unwrap()).unwrap()
}

#[test]
fn files_are_told_with_their_region() {
    let set = set(
        2,
        10.0,
        &[
            (None, "main", |_| 10.0, 0.0),
            (Some(0), "dump", |_| 5.0, 5.0),
            (Some(0), "solve", |_| 3.0, 0.0),
        ],
    );
    let overview = Overview::of(&set);
    assert_eq!(overview.verdict, "Files take 5 of 10 s, 5 of them in one region: dump.");
    assert_eq!(overview.stands_out[0].kind, OutKind::FileTime);
    assert_eq!(overview.stands_out[0].sentence, "dump takes 5 s in 1 visit.");
    assert!((overview.budget.files - 5.0).abs() < 1e-6);
    assert!((overview.budget.computing - 5.0).abs() < 1e-6);
}

#[test]
fn threads_together_take_longer_than_the_run() {
    // Times of threads are added.
    let set = set(1, 2.0, &[(None, "main", |_| 2.0, 0.0), (Some(0), "work", |_| 7.0, 0.0)]);
    let verdict = Overview::of(&set).verdict;
    let begin = "work takes 7 s on all threads together, the run 2 s. ";
    assert!(verdict.starts_with(begin), "{verdict}");
}

#[test]
fn uneven_ranks_are_told_where_the_work_is() {
    let set = set(
        8,
        10.0,
        &[
            (None, "main", |rank| if rank < 2 { 10.0 } else { 6.0 }, 0.0),
            (Some(0), "clouds", |rank| if rank < 2 { 8.0 } else { 4.0 }, 0.0),
        ],
    );
    let overview = Overview::of(&set);
    assert_eq!(overview.stands_out.len(), 1);
    let out = &overview.stands_out[0];
    assert_eq!((out.kind, out.region), (OutKind::UnevenRanks, 1));
    assert_eq!(out.sentence, "Ranks 0 to 1 take 2.0× as long as the others in clouds.");
    assert!((out.seconds - 3.0).abs() < 1e-6);
}

#[test]
fn a_slow_iteration_is_told() {
    let mut builder =
        Builder::new(Head { ranks: 1, duration_ns: 30_000_000_000, ..Head::default() });
    let times: Vec<u64> =
        (0..20).map(|i| if i == 7 { 9_000_000_000 } else { 1_000_000_000 }).collect();
    let series = Series { each: 1, iterations: 20, time_ns: times.clone(), ..Series::default() };
    let row = Row {
        calls: 20,
        time_ns: times.iter().sum(),
        series: Some(Box::new(series)),
        ..Row::default()
    };
    let step = Node { name: b"step", kind: Kind::Iteration, rows: vec![row], ..Node::default() };
    builder.process(Process::default(), vec![step]).unwrap();
    let overview = Overview::of(&Set::of_profile(&builder.finish().unwrap()).unwrap());
    assert_eq!(overview.steps[0].slowest, (7, 9.0));
    assert_eq!(overview.stands_out[0].kind, OutKind::SlowIteration);
    assert_eq!(overview.stands_out[0].sentence, "Iteration 7 of step takes 9 s, the median 1 s.");
}

#[test]
fn hints_and_tags_are_compared_with_what_happened() {
    let mut builder = Builder::new(Head { ranks: 3, rank_kind: RankKind::Mpi, ..Head::default() });
    for rank in 0..2 {
        let row = Row { calls: 1, time_ns: 5, ..Row::default() };
        let kind: &[u8] = if rank == 0 { b"io" } else { b"compute" };
        let tags = vec![(&b"ranks"[..], &b"all"[..]), (b"kind", kind)];
        let main = Node { name: b"main", rows: vec![row], tags, ..Node::default() };
        builder.process(Process { rank, ..Process::default() }, vec![main]).unwrap();
    }
    let set = Set::of_profile(&builder.finish().unwrap()).unwrap();
    let notices = Overview::of(&set).notices;
    let codes: Vec<_> = notices.iter().map(|notice| (notice.code, notice.count)).collect();
    assert_eq!(codes, [(NoticeCode::TagChanged, 1), (NoticeCode::HintWrong, 1)]);
    assert_eq!(tag(&set.profile().regions[0], b"kind"), Some(&b"io"[..]));
}

#[test]
fn changes_within_the_spread_are_none() {
    let before: &[Made] = &[
        (None, "main", |_| 10.0, 0.0),
        (Some(0), "a", |rank| 4.0 + f64::from(rank % 2), 0.0),
        (Some(0), "old", |_| 1.0, 0.0),
    ];
    let after: &[Made] = &[
        (None, "main", |_| 8.0, 0.0),
        (Some(0), "a", |rank| 2.0 + f64::from(rank % 2), 0.0),
        (Some(0), "new", |_| 1.0, 0.0),
    ];
    let changes = compare(&set(8, 10.0, before), &set(8, 8.0, after));
    assert_eq!(changes.changed, Changed::Faster);
    let words: Vec<_> = changes
        .regions
        .iter()
        .map(|change| (change.path.join("/"), change.judgement.word()))
        .collect();
    let expected =
        [("main/a", "faster"), ("main/new", "new"), ("main/old", "gone"), ("main", "same")];
    assert_eq!(words, expected.map(|(path, word)| (path.to_owned(), word)));
    assert_eq!(changes.sentence, "Faster: 10 → 8 s. a saves 2 s.");
    let other = compare(&set(8, 10.0, before), &set(4, 10.0, before));
    assert_eq!(other.changed, Changed::NotComparable);
    assert_eq!(other.differences, ["ranks 8 → 4"]);
    assert!(iter::zip(other.seconds, [10.0, 10.0]).all(|(one, other)| one == other));
}

#[test]
fn other_numbers_of_steps_are_compared_by_step() {
    let (short, long) =
        (some_steps(20, [1.0, 1.1], 12.0, 0.1), some_steps(40, [1.0, 1.1], 24.0, 0.2));
    let changes = compare(&short, &long);
    assert_eq!(changes.changed, Changed::NotComparable);
    assert_eq!(changes.differences, ["iterations of step 20 → 40"]);
    assert_eq!(changes.scaled, Some(("step".into(), 40)));
    assert!(
        changes.regions.iter().all(|change| change.judgement == Judgement::Same),
        "{changes:#?}"
    );
    assert_eq!(changes.slower_than(0.1).count(), 0);
    let slower = compare(&short, &some_steps(40, [1.5, 1.6], 44.0, 0.2));
    let worst: Vec<_> = slower.slower_than(0.1).map(|change| change.path.join("/")).collect();
    assert_eq!(worst, ["step/solve"]);
}

/// A run of 20 steps that take `[one, other]` in turn, with `solve` and `tiny` inside.
fn steps(durations: [f64; 2], solve: f64, tiny: f64) -> Set {
    some_steps(20, durations, solve, tiny)
}

fn some_steps(count: u64, durations: [f64; 2], solve: f64, tiny: f64) -> Set {
    let ns = |seconds: f64| (seconds * 1e9) as u64;
    let times: Vec<u64> = (0..count).map(|step| ns(durations[step as usize % 2])).collect();
    let time_ns = times.iter().sum();
    let mut builder = Builder::new(Head { ranks: 1, duration_ns: time_ns, ..Head::default() });
    let series = Series { each: 1, iterations: count, time_ns: times, ..Series::default() };
    let series = Some(Box::new(series));
    let row = |time_ns| vec![Row { calls: count, time_ns, ..Row::default() }];
    let rows = vec![Row { calls: count, time_ns, series, ..Row::default() }];
    let inside =
        |name, seconds| Node { parent: Some(0), name, rows: row(ns(seconds)), ..Node::default() };
    let step = Node { name: b"step", kind: Kind::Iteration, rows, ..Node::default() };
    let nodes = vec![step, inside(b"solve", solve), inside(b"tiny", tiny)];
    builder.process(Process::default(), nodes).unwrap();
    Set::of_profile(&builder.finish().unwrap()).unwrap()
}

#[test]
fn regions_vary_as_the_iterations_around_them() {
    let before = steps([1.0, 1.0], 10.0, 0.001);
    let word = |changes: &Changes, name: &str| {
        let mut regions = changes.regions.iter();
        regions.find(|change| change.path.last().unwrap() == name).unwrap().judgement.word()
    };
    // Steps vary by a quarter, so their mean does by 11 %.
    let uneven = compare(&before, &steps([0.8, 1.3], 10.9, 0.002));
    assert_eq!((word(&uneven, "solve"), word(&uneven, "tiny")), ("same", "slower"));
    // What is too short to matter is not in the sentence.
    assert_eq!(uneven.sentence, "No change: 20 → 21 s.");
    assert_eq!(uneven.first(Judgement::Slower), None);
    let even = compare(&before, &steps([1.0, 1.0], 10.9, 0.001));
    assert_eq!(word(&even, "solve"), "slower");
    assert_eq!(even.first(Judgement::Slower).unwrap().path, ["step", "solve"]);
}
