//! Profiles of many shapes: a climate model, one of very many ranks, one with strange names.

use ioglass_profile::{
    Builder, Ending, Head, Io, Kind, Layer, Lost, Measure, Metric, MetricSeries, Node, NoticeCode,
    Overhead, Process, Profile, RankKind, Row, Series, Slow, State,
};

const STEPS: usize = 240;
const GIB: f64 = (1_u64 << 30) as f64;

/// Numbers that look random and are the same each time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }

    /// About 1, give or take.
    fn about(&mut self, spread: f64) -> f64 {
        1.0 + spread * (2.0 * self.next() - 1.0)
    }
}

fn ns(seconds: f64) -> u64 {
    (seconds * 1e9).max(0.0) as u64
}

/// A region of one rank while it is made.
#[derive(Default)]
struct Made {
    parent: Option<u32>,
    name: &'static str,
    kind: Kind,
    place: (&'static str, u32),
    work: &'static str,
    own: f64,
    calls: u64,
    files: f64,
    read: f64,
    written: f64,
    visits: Vec<f64>,
}

/// Parent, name, kind, file, line, and what it does.
type Plan = (Option<u32>, &'static str, Kind, &'static str, u32, &'static str);

const PLAN: [Plan; 25] = [
    (None, "main", Kind::Region, "main.f90", 31, ""),
    (Some(0), "init", Kind::Region, "main.f90", 52, ""),
    (Some(1), "read_input", Kind::Region, "input.f90", 18, "io"),
    (Some(1), "partition", Kind::Region, "mesh.f90", 77, ""),
    (Some(0), "step", Kind::Iteration, "main.f90", 88, ""),
    (Some(4), "dynamics", Kind::Region, "dynamics.f90", 40, ""),
    (Some(5), "advect", Kind::Region, "advect.f90", 112, ""),
    (Some(5), "pressure_solve", Kind::Region, "solver.f90", 61, ""),
    (Some(7), "matvec", Kind::Region, "solver.f90", 88, ""),
    (Some(7), "precondition", Kind::Region, "solver.f90", 102, ""),
    (Some(7), "dot_products", Kind::Region, "solver.f90", 131, "communication"),
    (Some(5), "halo_exchange", Kind::Region, "halo.f90", 25, "communication"),
    (Some(4), "physics", Kind::Region, "physics.f90", 33, ""),
    (Some(12), "radiation", Kind::Region, "radiation.f90", 204, ""),
    (Some(13), "shortwave", Kind::Region, "radiation.f90", 311, ""),
    (Some(13), "longwave", Kind::Region, "radiation.f90", 488, ""),
    (Some(12), "clouds", Kind::Region, "clouds.f90", 118, ""),
    (Some(12), "surface", Kind::Region, "surface.f90", 57, ""),
    (Some(4), "exchange", Kind::Region, "halo.f90", 90, "communication"),
    (Some(4), "output", Kind::Region, "output.f90", 22, ""),
    (Some(19), "gather_fields", Kind::Region, "output.f90", 48, "communication"),
    (Some(19), "write_fields", Kind::Iteration, "output.f90", 71, "io"),
    (Some(19), "write_log", Kind::Region, "output.f90", 140, "io"),
    (Some(0), "write_restart", Kind::Region, "restart.f90", 29, "io"),
    (Some(0), "finalize", Kind::Region, "main.f90", 131, ""),
];

/// What one rank of the climate model did: a quarter of the ranks has twice the work in `clouds`, the
/// others wait for them in `exchange`, and one output met a slow file system.
fn climate_rank(rank: u32, ranks: u32) -> Vec<Made> {
    let chance = &mut Chance(u64::from(rank) * 7 + 20_261_118);
    let mut all: Vec<Made> = PLAN
        .iter()
        .map(|(parent, name, kind, file, line, work)| {
            let (parent, kind, place) = (*parent, *kind, (*file, *line));
            Made { parent, name, kind, place, work, ..Made::default() }
        })
        .collect();
    let mut add = |region: usize, seconds: f64, calls: u64| {
        all[region].own += seconds;
        all[region].calls += calls;
        seconds
    };
    let is_busy = rank >= ranks * 3 / 8 && rank < ranks * 5 / 8;
    let (mut steps, mut outputs) = (Vec::new(), Vec::new());
    add(0, 0.31, 1);
    add(1, 0.12, 1);
    let input = add(2, 6.9 * chance.about(0.06), 1);
    add(3, 9.3 - input, 1);
    for i in 0..STEPS {
        let mut step = add(4, 0.006, 1) + add(5, 0.004, 1) + add(12, 0.003, 1);
        step += add(6, 0.272 * chance.about(0.035), 4) + add(7, 0.006, 1);
        step += add(8, 0.112 * chance.about(0.05), 14) + add(9, 0.067 * chance.about(0.05), 14);
        step += add(10, 0.031 * chance.about(0.1), 14) + add(11, 0.045 * chance.about(0.2), 4);
        let day = 1.0 + 0.1 * (i as f64 / 24.0 * std::f64::consts::TAU).sin();
        let clouds = if is_busy { 0.392 * day } else { 0.205 } * chance.about(0.07);
        step += add(16, clouds, 1);
        if i % 3 == 0 {
            step += add(13, 0.012, 1) + add(14, 0.19 * chance.about(0.2), 1) + add(15, 0.168, 1);
        }
        if rank % 6 != 5 {
            step += add(17, 0.041 * chance.about(0.2), 1);
        }
        step += add(18, (0.46 - clouds).max(0.02), 1);
        if i % 20 == 19 {
            let slow = if rank == ranks / 4 { 22.0 } else { 21.7 };
            let write = if i == 139 { slow } else { 7.35 } + 0.02 * chance.next();
            step += add(19, 0.02, 1) + add(20, 0.34 * chance.about(0.1), 1) + add(21, write, 1);
            if rank == 0 {
                step += add(22, 0.42, 1);
            }
            outputs.push(write);
        }
        steps.push(step);
    }
    add(23, 11.2 * chance.about(0.01), 2);
    add(24, 0.24 * chance.about(0.2), 1);
    all[4].visits = steps;
    all[21].visits = outputs;
    let share = 1.0 / f64::from(ranks);
    (all[2].files, all[2].read) = (0.94 * all[2].own, 12.3 * GIB * share);
    (all[21].files, all[21].written) = (0.97 * all[21].own, 238.0 * GIB * share);
    (all[22].files, all[22].written) = (0.97 * all[22].own, 480_000.0);
    (all[23].files, all[23].written) = (0.95 * all[23].own, 48.0 * GIB * share);
    all
}

/// Time with that of children.
fn inclusive(all: &[Made]) -> Vec<f64> {
    let mut times: Vec<f64> = all.iter().map(|made| made.own).collect();
    for at in (0..all.len()).rev() {
        if let Some(parent) = all[at].parent {
            times[parent as usize] += times[at];
        }
    }
    times
}

fn row(made: &Made, time: f64, residual: u32, cells: u32) -> Row {
    let each = if made.calls > 0 { time / made.calls as f64 } else { 0.0 };
    let mut row = Row {
        calls: made.calls,
        time_ns: ns(time),
        min_ns: ns(0.9 * each),
        max_ns: ns(made.visits.iter().copied().fold(1.1 * each, f64::max)),
        ..Row::default()
    };
    if made.files > 0.0 {
        let io = |time: f64| Io {
            opens: made.calls,
            reads: if made.read > 0.0 { 4 * made.calls } else { 0 },
            writes: if made.written > 0.0 { 8 * made.calls } else { 0 },
            bytes_read: made.read as u64,
            bytes_written: made.written as u64,
            other: made.calls,
            read_ns: if made.read > 0.0 { ns(time) } else { 0 },
            write_ns: if made.written > 0.0 { ns(time) } else { 0 },
            metadata_ns: 1_000_000,
        };
        row.io.push((Layer::Posix, io(0.9 * made.files)));
        if made.name != "write_log" {
            row.io.push((Layer::Mpiio, io(made.files)));
        }
    }
    if made.name == "step" {
        let measure = Measure::Value {
            calls: STEPS as u64,
            sum: 0.2,
            min: 1.2e-4,
            max: 2.4e-3,
            last: 1.9e-4,
        };
        row.metrics.push(Metric { metric: residual, measure });
    }
    if made.name == "advect" {
        let measure = Measure::Count { calls: made.calls, sum: 64_000 * made.calls as i64 };
        row.metrics.push(Metric { metric: cells, measure });
    }
    row.metrics.sort_by_key(|metric| metric.metric);
    if made.kind == Kind::Iteration {
        let count = made.visits.len() as u64;
        let is_step = made.name == "step";
        let files = |time: &f64| {
            if is_step && *time < 3.0 {
                0.0
            } else {
                0.9 * (time - if is_step { 1.1 } else { 0.0 })
            }
        };
        let io_ns: Vec<u64> = made.visits.iter().map(|time| ns(files(time))).collect();
        let residuals = (0..made.visits.len())
            .map(|i| (i % 50 != 7).then(|| 2.4e-3 * (-(i as f64) / 90.0).exp() + 1.1e-4));
        let series = Series {
            each: 1,
            iterations: count,
            time_ns: made.visits.iter().map(|time| ns(*time)).collect(),
            bytes_read: vec![0; made.visits.len()],
            bytes_written: io_ns.clone(),
            io_ns,
            metrics: match is_step {
                true => vec![(residual, MetricSeries::Value(residuals.collect()))],
                false => Vec::new(),
            },
            ..Series::default()
        };
        row.series = Some(Box::new(series));
        let mut slowest: Vec<Slow> = made
            .visits
            .iter()
            .zip(0..)
            .map(|(time, iteration)| Slow { iteration, time_ns: ns(*time) })
            .collect();
        slowest.sort_by_key(|slow| std::cmp::Reverse(slow.time_ns));
        slowest.truncate(16);
        row.slowest = slowest;
    }
    row
}

/// A climate model on this many ranks.
pub(super) fn climate(ranks: u32) -> Profile {
    let head = Head {
        name: b"climate_model".to_vec(),
        program: b"./climate_model --grid n640".to_vec(),
        job: 48_213,
        started_ns: 1_794_955_268_000_000_000,
        duration_ns: ns(414.2),
        ranks,
        rank_kind: RankKind::Mpi,
        executions: 1,
        has_io: true,
        ..Head::default()
    };
    let mut builder = Builder::new(head);
    let residual = builder.metric(b"residual [m/s]").unwrap();
    let cells = builder.metric(b"cells").unwrap();
    let mut regions = Vec::new();
    for rank in 0..ranks {
        let all = climate_rank(rank, ranks);
        let times = inclusive(&all);
        let nodes = all.iter().zip(times).map(|(made, time)| {
            let mut tags = Vec::new();
            if !made.work.is_empty() {
                tags.push((&b"kind"[..], made.work.as_bytes()));
            }
            if made.name == "surface" {
                tags.push((b"ranks", b"all"));
            }
            Node {
                parent: made.parent,
                name: made.name.as_bytes(),
                kind: made.kind,
                file: made.place.0.as_bytes(),
                line: made.place.1,
                tags,
                rows: vec![row(made, time, residual, cells)],
                ..Node::default()
            }
        });
        let host = format!("nid{:06}", 1 + rank / 2.max(ranks / 4));
        let process = Process {
            rank,
            pid: 4_000 + u64::from(rank),
            host: host.into_bytes(),
            threads: 1,
            ..Process::default()
        };
        regions = builder.process(process, nodes.collect()).unwrap();
    }
    builder.notice(NoticeCode::StrayLeave, b"output", Some(regions[19]), 12).unwrap();
    builder.notice(NoticeCode::TagChanged, b"grid", Some(regions[1]), 8).unwrap();
    builder.notice(NoticeCode::NotFinite, b"residual [m/s]", Some(regions[4]), 1).unwrap();
    let outside =
        Io { opens: 40, reads: 80, bytes_read: 214 << 20, read_ns: ns(7.2), ..Io::default() };
    builder.outside(Layer::Posix, &outside).unwrap();
    builder.overhead(&Overhead {
        annotations: 222_811,
        annotation_ns: 6_907_141,
        flush_ns: 1_300_000,
    });
    builder.finish().unwrap()
}

/// As many as 1,024 ranks and 100 regions.
pub(super) fn large(ranks: u32, regions: u32, steps: usize) -> Profile {
    let head = Head {
        name: b"large".to_vec(),
        duration_ns: ns(900.0),
        ranks,
        rank_kind: RankKind::Mpi,
        ..Head::default()
    };
    let mut builder = Builder::new(head);
    let names: Vec<String> = (0..regions).map(|at| format!("region_{at}")).collect();
    for rank in 0..ranks {
        let chance = &mut Chance((u64::from(rank) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let own: Vec<f64> =
            names.iter().zip(1..).map(|(_, at)| 40.0 / f64::from(at) * chance.about(0.3)).collect();
        let parents: Vec<Option<u32>> =
            (0..regions).map(|at| at.checked_sub(1).map(|at| at / 3)).collect();
        let mut times = own.clone();
        for at in (1..regions as usize).rev() {
            times[(at - 1) / 3] += times[at];
        }
        let nodes = names.iter().enumerate().map(|(at, name)| {
            let kind = if at % 40 == 1 { Kind::Iteration } else { Kind::Region };
            let mut row = Row {
                calls: 100,
                time_ns: ns(times[at]),
                min_ns: 5,
                max_ns: ns(times[at] / 50.0),
                ..Row::default()
            };
            if kind == Kind::Iteration {
                let time_ns: Vec<u64> =
                    (0..steps).map(|_| ns(times[at] / steps as f64 * chance.about(0.2))).collect();
                row.series = Some(Box::new(Series {
                    each: 1,
                    iterations: steps as u64,
                    time_ns,
                    ..Series::default()
                }));
            }
            Node {
                parent: parents[at],
                name: name.as_bytes(),
                kind,
                file: b"code.c",
                line: at as u32 + 1,
                rows: vec![row],
                ..Node::default()
            }
        });
        builder.process(Process { rank, ..Process::default() }, nodes.collect()).unwrap();
    }
    builder.finish().unwrap()
}

/// Names that would be markup, scripts or controls if anybody took them for that.
pub(super) const HOSTILE: [&[u8]; 9] = [
    b"<script>window.hit = 1</script>",
    b"</script><script>window.hit = 2</script>",
    b"<img src=x onerror='window.hit = 3'>",
    b"\" onmouseover=\"window.hit = 4",
    b"</style><style>body{display:none}</style>",
    b"line\nbreak\x1b[31m\xff\xfe",
    "\u{202e}reversed › <!-- ${window.hit = 5} `x`".as_bytes(),
    b"=cmd|' /C calc'!A0",
    b"__proto__",
];

/// A killed program with such names for all that has a name; processes instead of ranks.
pub(super) fn hostile() -> Profile {
    let name = b"<b onload=alert(1)>&amp;</title><script>window.hit = 6</script>";
    let head = Head {
        name: name.to_vec(),
        program: name.to_vec(),
        duration_ns: ns(20.0),
        ranks: 3,
        rank_kind: RankKind::Process,
        state: State::Recovered,
        has_io: true,
        ..Head::default()
    };
    let mut builder = Builder::new(head);
    let metric = builder.metric(b"<script>window.hit = 7</script> [<i>m]").unwrap();
    for rank in 0..3 {
        let nodes = HOSTILE.iter().zip(0..).map(|(name, at): (&&[u8], u32)| {
            let time = 2.0 * f64::from(10 - at) + f64::from(rank);
            let visits = vec![ns(time / 4.0); 4];
            let mut row = Row {
                calls: 4,
                open: 1,
                time_ns: ns(time),
                max_ns: ns(time / 4.0),
                ..Row::default()
            };
            let measure =
                Measure::Value { calls: 4, sum: 2.0, min: -1.0, max: 3.0, last: f64::NAN };
            row.metrics.push(Metric { metric, measure });
            row.series = Some(Box::new(Series {
                each: 1,
                iterations: 4,
                time_ns: visits,
                metrics: vec![(
                    metric,
                    MetricSeries::Value(vec![Some(1.0), None, Some(-2.0), None]),
                )],
                ..Series::default()
            }));
            row.io.push((
                Layer::Posix,
                Io { writes: 3, bytes_written: 5 << 20, write_ns: ns(time / 3.0), ..Io::default() },
            ));
            Node {
                parent: at.checked_sub(1),
                name,
                kind: Kind::Iteration,
                file: name,
                line: 3,
                tags: vec![(name, name), (b"kind", b"waiting")],
                rows: vec![row],
                ..Node::default()
            }
        });
        let process = Process {
            rank,
            pid: rank.into(),
            host: name.to_vec(),
            ending: Ending::Killed,
            ..Process::default()
        };
        builder.process(process, nodes.collect()).unwrap();
    }
    builder.notice(NoticeCode::StrayLeave, name, Some(0), u64::MAX).unwrap();
    builder.lost(&Lost { visits: 7, ..Lost::default() });
    builder.finish().unwrap()
}

/// Several outermost regions of one process, without I/O or iterations.
pub(super) fn alone() -> Profile {
    let mut builder = Builder::new(Head { name: b"alone".to_vec(), ranks: 1, ..Head::default() });
    let row = |seconds: f64| vec![Row { calls: 1, time_ns: ns(seconds), ..Row::default() }];
    let node = |parent, name, seconds| Node { parent, name, rows: row(seconds), ..Node::default() };
    let nodes =
        vec![node(None, &b"load"[..], 2.0), node(None, b"work", 5.0), node(Some(1), b"inner", 1.5)];
    builder.process(Process::default(), nodes).unwrap();
    builder.finish().unwrap()
}
