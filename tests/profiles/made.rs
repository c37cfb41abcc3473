//! Profiles that are made up.

use ioglass_profile::{
    Builder, Head, Io, Kind, Layer, Measure, Metric, Node, NoticeCode, Overhead, Process, Profile,
    RankKind, Row, Series, Slow,
};

/// The begin of the made-up run.
pub(crate) const STARTED: u64 = 1_795_128_060;
/// Steps of the made-up climate model.
pub(crate) const STEPS: u64 = 240;

/// A row with these visits and seconds.
pub(crate) fn row(calls: u64, seconds: f64) -> Row {
    let time_ns = (seconds * 1e9).round() as u64;
    let mean = time_ns / calls.max(1);
    Row { calls, time_ns, min_ns: mean, max_ns: mean, ..Row::default() }
}

/// A row of iterations with these seconds.
pub(crate) fn iterations(seconds: &[f64]) -> Row {
    let time_ns: Vec<u64> = seconds.iter().map(|time| (time * 1e9).round() as u64).collect();
    let mut slowest: Vec<Slow> =
        (0..).zip(&time_ns).map(|(iteration, time)| Slow { iteration, time_ns: *time }).collect();
    slowest.sort_by_key(|slow| std::cmp::Reverse(slow.time_ns));
    slowest.truncate(16);
    let zero = vec![0; time_ns.len()];
    Row {
        calls: time_ns.len() as u64,
        time_ns: time_ns.iter().sum(),
        min_ns: time_ns.iter().copied().min().unwrap_or(0),
        max_ns: time_ns.iter().copied().max().unwrap_or(0),
        slowest,
        series: Some(Box::new(Series {
            each: 1,
            iterations: time_ns.len() as u64,
            bytes_read: zero.clone(),
            bytes_written: zero.clone(),
            io_ns: zero,
            time_ns,
            ..Series::default()
        })),
        ..Row::default()
    }
}

/// I/O of a row: seconds in writes or reads, and bytes.
fn with_io(mut row: Row, seconds: f64, bytes: u64, writes: bool) -> Row {
    let ns = (seconds * 1e9) as u64;
    let io = match writes {
        true => Io { opens: 1, writes: 100, bytes_written: bytes, write_ns: ns, ..Io::default() },
        false => Io { opens: 1, reads: 100, bytes_read: bytes, read_ns: ns, ..Io::default() },
    };
    row.io.push((Layer::Posix, io));
    row
}

/// A small random part of a time, the same for the same rank and name.
fn noise(rank: u32, salt: u64) -> f64 {
    let mut state =
        (u64::from(rank) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(77_777);
    state ^= state >> 29;
    state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state ^= state >> 32;
    (state % 10_000) as f64 / 10_000.0 - 0.5
}

/// A climate model on so many ranks: clouds are uneven, write_fields takes the time of files.
pub(crate) fn climate(ranks: u32, write_seconds: f64) -> Profile {
    climate_part(ranks, 0..ranks, write_seconds)
}

/// Some of the ranks of the climate model.
pub(crate) fn climate_part(ranks: u32, own: std::ops::Range<u32>, write_seconds: f64) -> Profile {
    let mut builder = Builder::new(Head {
        name: b"climate_model".to_vec(),
        program: b"./climate_model --steps 240".to_vec(),
        job: 48_213,
        rank_kind: RankKind::Mpi,
        ranks,
        started_ns: STARTED * 1_000_000_000,
        duration_ns: ((311.0 + write_seconds) * 1e9) as u64,
        executions: 1,
        has_io: true,
        ..Head::default()
    });
    let is_first = own.start == 0;
    for rank in own {
        climate_rank(&mut builder, rank, write_seconds);
    }
    if is_first {
        let (annotations, annotation_ns) = (800_000, 24_000_000);
        builder.overhead(&Overhead { annotations, annotation_ns, flush_ns: 400_000 });
    }
    builder.finish().unwrap()
}

fn climate_rank(builder: &mut Builder, rank: u32, write_seconds: f64) {
    let heavy = (24..40).contains(&rank);
    let clouds = if heavy { 94.1 } else { 49.2 };
    let exchange = 47.0 + 60.4 - clouds;
    let jitter = |seconds: f64, salt: u64| seconds * (1.0 + 0.01 * noise(rank, salt));
    let visits: Vec<f64> =
        (0..12).map(|visit| write_seconds / 14.0 * if visit == 6 { 3.0 } else { 1.0 }).collect();
    let step = |number: u64| {
        let output = if number % 20 == 19 { visits[number as usize / 20] + 0.4 } else { 0.0 };
        1.166 + output + 0.01 * noise(rank, number)
    };
    let steps: Vec<f64> = (0..STEPS).map(step).collect();
    let cells = builder.metric(b"cells").unwrap();
    let residual = builder.metric(b"residual [m/s]").unwrap();
    let mut solve = row(240, jitter(51.8, 3));
    let count = Measure::Count { calls: 240, sum: 24_000 };
    let value = Measure::Value { calls: 240, sum: 3.0, min: 0.25, max: 0.75, last: 0.5 };
    solve.metrics =
        vec![Metric { metric: cells, measure: count }, Metric { metric: residual, measure: value }];
    let write = with_io(iterations(&visits), write_seconds * 0.97, 3_992_977_408, true);
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut add = |parent: Option<u32>, name: &'static str, kind: Kind, line: u32, own: Row| {
        let rows = vec![own];
        nodes.push(Node {
            parent,
            name: name.as_bytes(),
            kind,
            file: b"model.f90",
            line,
            rows,
            ..Node::default()
        });
        nodes.len() as u32 - 1
    };
    let total = 308.0 + write_seconds;
    let main = add(None, "main", Kind::Region, 4, row(1, total));
    let init = add(Some(main), "init", Kind::Region, 10, row(1, 9.59));
    add(
        Some(init),
        "read_input",
        Kind::Region,
        11,
        with_io(row(1, 6.88), 6.47, 206_000_000, false),
    );
    add(Some(init), "grid", Kind::Region, 12, row(1, 2.5));
    let step = add(Some(main), "step", Kind::Iteration, 20, iterations(&steps));
    let dynamics = add(Some(step), "dynamics", Kind::Region, 30, row(240, 132.0));
    add(Some(dynamics), "advect", Kind::Region, 31, row(960, jitter(65.3, 1)));
    add(Some(dynamics), "halo_exchange", Kind::Region, 32, row(960, jitter(14.1, 2)));
    let pressure = add(Some(dynamics), "pressure_solve", Kind::Region, 33, solve);
    add(Some(pressure), "matvec", Kind::Region, 34, row(3360, jitter(26.9, 4)));
    add(Some(pressure), "dot_products", Kind::Region, 35, row(3360, jitter(7.44, 5)));
    let physics = add(Some(step), "physics", Kind::Region, 40, row(240, clouds + 38.7));
    add(Some(physics), "clouds", Kind::Region, 118, row(240, jitter(clouds, 6)));
    add(Some(physics), "radiation", Kind::Region, 42, row(80, jitter(29.6, 7)));
    if !rank.is_multiple_of(6) {
        add(Some(physics), "surface", Kind::Region, 43, row(240, jitter(8.31, 8)));
    }
    let waits = add(Some(step), "exchange", Kind::Region, 50, row(240, exchange));
    let output = add(Some(step), "output", Kind::Region, 60, row(12, write_seconds + 5.0));
    add(Some(output), "write_fields", Kind::Iteration, 71, write);
    nodes[waits as usize].tags.push((b"kind", b"communication"));
    let host = format!("n{}", rank / 16).into_bytes();
    let process = Process {
        rank,
        pid: 4711 + u64::from(rank),
        host,
        threads: 1,
        started_ns: STARTED * 1_000_000_000,
        ..Process::default()
    };
    let regions = builder.process(process, nodes).unwrap();
    if rank == 3 {
        builder.notice(NoticeCode::StrayLeave, b"solve", regions.first().copied(), 12).unwrap();
    }
}
