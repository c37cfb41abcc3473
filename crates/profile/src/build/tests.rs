use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::model::{Ending, Measure, Metric};

fn row(execution: u32, calls: u64, time_ns: u64) -> Row {
    Row { execution, calls, time_ns, min_ns: time_ns, max_ns: time_ns, ..Row::default() }
}

fn node<'n>(parent: impl Into<Option<u32>>, name: &'n str, rows: Vec<Row>) -> Node<'n> {
    Node { parent: parent.into(), name: name.as_bytes(), rows, ..Node::default() }
}

fn process(rank: u32) -> Process {
    Process { rank, pid: 100 + u64::from(rank), threads: 1, ..Process::default() }
}

fn names(profile: &Profile) -> Vec<(Option<u32>, &str)> {
    profile
        .regions
        .iter()
        .map(|region| (region.parent, core::str::from_utf8(&region.name).unwrap()))
        .collect()
}

#[test]
fn paths_of_all_processes_are_one_tree_by_time() {
    let mut builder = Builder::new(Head { ranks: 2, ..Head::default() });
    let first = vec![node(None, "main", vec![row(0, 1, 10)]), node(0, "a", vec![row(0, 1, 2)])];
    builder.process(process(0), first).unwrap();
    let second = vec![
        node(None, "main", vec![row(0, 1, 10)]),
        node(0, "b", vec![row(0, 3, 4)]),
        node(0, "a", vec![row(0, 1, 1)]),
        node(1, "a", vec![]),
    ];
    assert_eq!(builder.process(process(1), second).unwrap(), [0, 2, 1, 3]);
    let profile = builder.finish().unwrap();
    assert_eq!(names(&profile), [(None, "main"), (Some(0), "b"), (Some(1), "a"), (Some(0), "a")]);
    let exclusive: Vec<_> = profile.regions[0].rows.iter().map(|row| row.exclusive_ns).collect();
    assert_eq!(exclusive, [8, 5]);
    // Absent is not zero.
    assert_eq!(profile.regions[1].rows.len(), 1);
    assert_eq!(profile.regions[1].rows[0].process, 1);
    assert!(profile.regions[2].rows.is_empty());
}

#[test]
fn a_span_is_not_the_region_of_its_name() {
    let mut builder = Builder::new(Head::default());
    let span = Node { kind: Kind::Span, ..node(0, "x", vec![row(0, 1, 8)]) };
    let nodes = vec![
        node(None, "main", vec![row(0, 1, 10)]),
        node(0, "x", vec![row(0, 1, 3)]),
        span,
        node(0, "x", vec![row(0, 2, 1)]),
    ];
    assert_eq!(builder.process(process(0), nodes).unwrap(), [0, 1, 2, 1]);
    let profile = builder.finish().unwrap();
    let kinds: Vec<_> = profile.regions.iter().map(|region| region.kind).collect();
    assert_eq!(kinds, [Kind::Region, Kind::Span, Kind::Region]);
    let exclusive: u64 = [0, 2]
        .iter()
        .flat_map(|at: &usize| &profile.regions[*at].rows)
        .map(|row| row.exclusive_ns)
        .sum();
    assert_eq!(exclusive, 10);
}

#[test]
fn spans_and_attached_threads_are_not_taken_off() {
    let mut builder = Builder::new(Head::default());
    let span = Node { kind: Kind::Span, ..node(0, "span", vec![row(0, 1, 50)]) };
    let attached = Node { thread: 1, ..node(0, "work", vec![row(0, 1, 9)]) };
    let inner = Node { thread: 1, ..node(2, "inner", vec![row(0, 1, 4)]) };
    let nodes = vec![
        node(None, "main", vec![row(0, 1, 10), row(2, 1, 7)]),
        span,
        attached,
        inner,
        // Execution 1 began while the region of execution 0 was open, and so did 2.
        node(0, "child", vec![row(0, 1, 1), row(1, 1, 2), row(2, 1, 9)]),
    ];
    builder.process(process(0), nodes).unwrap();
    let profile = builder.finish().unwrap();
    let exclusive = |name: &str| {
        let region = profile.regions.iter().find(|region| region.name == name.as_bytes()).unwrap();
        region.rows.iter().map(|row| row.exclusive_ns).collect::<Vec<_>>()
    };
    assert_eq!(exclusive("main"), [5, 0]);
    assert_eq!((exclusive("span"), exclusive("work")), (vec![50], vec![5]));
}

#[test]
fn profiles_of_lone_processes_get_ranks_by_time() {
    let alone = |pid: u64, started_ns: u64| {
        let mut builder = Builder::new(Head { ranks: 1, started_ns, ..Head::default() });
        let process = Process { pid, started_ns, ..Process::default() };
        builder.process(process, vec![node(None, "main", vec![row(0, 1, pid)])]).unwrap();
        builder.finish().unwrap()
    };
    let together = |parts: [Profile; 3]| {
        let mut builder = Builder::default();
        parts.into_iter().for_each(|part| builder.profile(part).unwrap());
        builder.finish().unwrap()
    };
    let [a, b, c] = [alone(7, 3), alone(8, 1), alone(9, 2)];
    let whole = together([a.clone(), b.clone(), c.clone()]);
    assert_eq!(whole.head.ranks, 3);
    assert_eq!(
        whole.processes.iter().map(|p| (p.rank, p.pid)).collect::<Vec<_>>(),
        [(0, 8), (1, 9), (2, 7)]
    );
    assert_eq!(whole, together([c, a, b]));
}

#[test]
fn the_same_process_in_two_parts_is_one() {
    let part = |ending, calls| {
        let mut builder =
            Builder::new(Head { ranks: 4, rank_kind: RankKind::Mpi, ..Head::default() });
        let metric = builder.metric(b"cells").unwrap();
        let measure = Measure::Count { calls: 1, sum: 5 };
        let main = Row { metrics: vec![Metric { metric, measure }], ..row(0, calls, 10) };
        let tags = vec![(&b"kind"[..], &b"io"[..])];
        let main = Node { tags, ..node(None, "main", vec![main]) };
        let regions = builder.process(Process { ending, ..process(3) }, vec![main]).unwrap();
        builder.notice(NoticeCode::StrayLeave, b"x", Some(regions[0]), 2).unwrap();
        builder.finish().unwrap()
    };
    let mut builder = Builder::default();
    builder.profile(part(Ending::Running, 1)).unwrap();
    builder.profile(part(Ending::Exit, 2)).unwrap();
    let profile = builder.finish().unwrap();
    assert_eq!((profile.processes.len(), profile.processes[0].ending), (1, Ending::Exit));
    let row = &profile.regions[0].rows[0];
    assert_eq!((row.calls, row.time_ns, row.min_ns), (3, 20, 10));
    assert_eq!(row.metrics[0].measure, Measure::Count { calls: 2, sum: 10 });
    assert_eq!((profile.notices.len(), profile.notices[0].count), (1, 4));
    assert_eq!(profile.regions[0].tags[0].processes, 2);
}
