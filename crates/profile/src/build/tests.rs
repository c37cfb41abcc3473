use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::model::{Ending, Measure, Metric, MetricSeries, Series};

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
fn what_a_thread_does_below_its_own_regions_is_time_in_them() {
    let mut builder = Builder::new(Head::default());
    let nodes = vec![
        // It was not there in execution 3.
        node(None, "main", vec![row(0, 1, 10), row(2, 1, 20), row(3, 0, 0)]),
        // The thread was attached to a region in which it never was.
        node(0, "solve", vec![row(0, 0, 0)]),
        node(1, "work", vec![row(0, 1, 7), row(2, 1, 50)]),
        node(2, "inner", vec![row(2, 2, 60)]),
        node(0, "late", vec![row(3, 1, 5)]),
    ];
    builder.process(process(0), nodes).unwrap();
    let profile = builder.finish().unwrap();
    let times = |name: &str| {
        let region = profile.regions.iter().find(|region| region.name == name.as_bytes()).unwrap();
        region.rows.iter().map(|row| (row.time_ns, row.exclusive_ns)).collect::<Vec<_>>()
    };
    assert_eq!(times("inner"), [(60, 60)]);
    // Its children have 60.
    assert_eq!(times("work"), [(7, 0), (53, 0)]);
    assert_eq!(times("solve"), []);
    assert_eq!(times("main"), [(10, 0), (55, 0)]);
    // All together are the time of the outermost region.
    assert_eq!(times("late"), [(5, 5)]);
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
fn iterations_with_the_same_number_are_added() {
    let of = |each: u64, iterations: u64, cells: Vec<Option<i64>>| {
        let entries = iterations.div_ceil(each);
        let time_ns: Vec<u64> = (0..entries).collect();
        let io_ns = if each == 1 { time_ns.clone() } else { Vec::new() };
        let values = cells.iter().map(|cell| cell.map(|cell| cell as f64)).collect();
        let metrics = vec![(0, MetricSeries::Count(cells)), (1, MetricSeries::Value(values))];
        Row {
            calls: iterations,
            series: Some(
                Series { each, iterations, time_ns, io_ns, metrics, ..Series::default() }.into(),
            ),
            ..row(0, iterations, 10)
        }
    };
    let mut sum = of(1, 5, vec![Some(1), None, Some(3), None, None]);
    sum.add(of(1, 3, vec![None, None, Some(30)])).unwrap();
    let series = sum.series.as_deref().unwrap();
    assert_eq!((series.each, series.iterations, sum.calls), (1, 5, 8));
    assert_eq!(series.visits, [2, 2, 2, 1, 1]);
    assert_eq!(
        (&series.time_ns[..], &series.io_ns[..]),
        (&[0, 2, 4, 3, 4][..], &[0, 2, 4, 3, 4][..])
    );
    let cells = vec![Some(1), None, Some(33), None, None];
    assert_eq!(series.metrics[0], (0, MetricSeries::Count(cells)));
    let values = vec![Some(1.0), None, Some(30.0), None, None];
    assert_eq!(series.metrics[1], (1, MetricSeries::Value(values)));
    // A longer one, in which two iterations are an entry.
    sum.add(of(2, 7, vec![Some(100), None, None, Some(400)])).unwrap();
    let series = sum.series.as_deref().unwrap();
    assert_eq!((series.each, series.iterations, sum.calls), (2, 7, 15));
    assert_eq!(series.visits, [6, 5, 3, 1]);
    assert_eq!((&series.time_ns[..], &series.io_ns[..]), (&[2, 8, 6, 3][..], &[2, 7, 4, 0][..]));
    let cells = vec![Some(101), Some(33), None, Some(400)];
    assert_eq!(series.metrics[0], (0, MetricSeries::Count(cells)));
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
