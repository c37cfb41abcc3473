//! Iterations, executions, metrics, tags, spans and I/O.

use ioglass_log::Log;
use ioglass_log::posix::{self, Posix};
use ioglass_log::stdio::{self, Stdio};
use ioglass_profile::{Kind, Layer, Measure, MetricSeries, Row};

use super::seen::{io, see, see_with};
use crate::lifecycle::recording::log_path;
use crate::lifecycle::room::Room;

#[test]
fn iterations_are_kept_one_by_one() {
    let room = Room::new("regions-iterations");
    let seen = see(&room, &["iterations", "5"]);
    assert_eq!(seen.tree(), ["main 1", "main > step 5"]);
    assert_eq!(seen.at("main > step").kind, Kind::Iteration);
    let row = seen.row("main > step");
    let series = row.series.as_ref().unwrap();
    assert_eq!((series.each, series.iterations, series.time_ns.len()), (1, 5, 5));
    assert!(series.time_ns.iter().sum::<u64>() <= row.time_ns);
    assert_eq!(row.slowest.len(), 5);
    let [cells, residual] = ["cells", "residual [m/s]"].map(|name| {
        let place = seen.profile.metrics.iter().position(|known| known == name.as_bytes()).unwrap();
        let found = series.metrics.iter().find(|(metric, _)| *metric == place as u32);
        found.unwrap().1.clone()
    });
    assert_eq!(cells, MetricSeries::Count((0..5).map(Some).collect()));
    let values = vec![Some(0.0), None, Some(1.0), None, Some(2.0)];
    assert_eq!(residual, MetricSeries::Value(values));
}

#[test]
fn iterations_in_each_other_are_numbered_by_their_begin() {
    let room = Room::new("regions-again");
    let seen = see(&room, &["again"]);
    assert_eq!(seen.tree(), ["main 1 +1", "main > it 6 +1", "main > it > b 2"]);
    let row = seen.row("main > it");
    let series = row.series.as_ref().unwrap();
    assert_eq!((series.each, series.iterations), (1, 6));
    // What is given belongs to the innermost visit.
    let counts = [4, 3, 4, 3].map(Some).into_iter().chain([None, None]).collect();
    let values = [10.0, 20.0, 11.0, 21.0].map(Some).into_iter().chain([None, None]).collect();
    assert_eq!(
        series.metrics.iter().map(|(_, series)| series).collect::<Vec<_>>(),
        [&MetricSeries::Count(counts), &MetricSeries::Value(values)]
    );
    // No moment counts twice, nor is one left out.
    let sum: u64 = series.time_ns.iter().sum();
    assert!(sum.abs_diff(row.time_ns) <= 6, "{series:?} {row:?}");
    assert!([1, 3].iter().all(|at| series.time_ns[*at] >= 2_000_000), "{series:?}");
    // The last but one is open.
    assert!(series.time_ns[4] >= 1_000_000, "{series:?}");
    assert_eq!(series.time_ns.iter().max(), Some(&row.max_ns));
}

#[test]
fn long_series_are_put_together() {
    let room = Room::new("regions-long-series");
    for (count, each, entries) in [(4096, 1, 4096), (4097, 2, 2049), (100_000, 32, 3125)] {
        let seen = see(&room, &["iterations", &count.to_string()]);
        let row = seen.row("main > step");
        let series = row.series.as_ref().unwrap();
        assert_eq!(
            (row.calls, series.each, series.iterations, series.time_ns.len()),
            (count, each, count, entries)
        );
        assert_eq!(row.slowest.len(), 16);
        let sum = (count * (count - 1) / 2) as i64;
        assert_eq!(seen.measure(row, "cells"), Measure::Count { calls: count, sum });
        let [(_, MetricSeries::Count(cells)), (_, MetricSeries::Value(values))] =
            &series.metrics[..]
        else {
            panic!("{:?}", series.metrics)
        };
        assert_eq!(cells.iter().flatten().sum::<i64>(), sum);
        assert!(values.iter().flatten().count() >= entries / 2);
    }
    let of = |setting: &str| {
        let setting = [("IOGLASS_ITERATIONS", setting)];
        let seen = see_with(&room, &[], &setting, &["iterations", "5000"]);
        seen.row("main > step").series.as_ref().unwrap().time_ns.len()
    };
    assert_eq!((of("all"), of("10"), of("nonsense")), (5000, 10, 2500));
}

#[test]
fn the_first_region_begins_executions() {
    let room = Room::new("regions-executions");
    let seen = see(&room, &["executions", "4"]);
    assert_eq!(seen.tree(), ["end 1", "main 4", "main > part 4", "main > part > inner 7"]);
    assert_eq!(seen.profile.head.executions, 4);
    let calls = |path: &str| -> Vec<(u32, u64)> {
        seen.at(path).rows.iter().map(|row: &Row| (row.execution, row.calls)).collect()
    };
    assert_eq!(calls("main"), [(0, 1), (1, 1), (2, 1), (3, 1)]);
    assert_eq!(calls("main > part > inner"), [(0, 1), (1, 2), (2, 3), (3, 1)]);
    assert_eq!(calls("end"), [(3, 1)]);
    let said = see(&room, &["said"]);
    let rows = &said.at("main").rows;
    let rows: Vec<_> = rows.iter().map(|row| (row.execution, row.calls)).collect();
    assert_eq!(rows, [(0, 2), (1, 2), (2, 2)]);
}

#[test]
fn many_executions_are_put_together() {
    let room = Room::new("regions-many-executions");
    let seen = see(&room, &["executions", "5000"]);
    assert_eq!(seen.profile.head.executions, 5000);
    let rows = &seen.at("main").rows;
    assert_eq!(rows.len(), 625);
    assert!(rows.iter().all(|row| (row.calls, row.more_executions) == (8, 7)));
    assert_eq!(seen.tree()[1..3], ["main 5000", "main > part 5000"]);
}

#[test]
fn iterations_of_many_executions_keep_their_numbers() {
    const COUNT: u64 = 5000;
    let room = Room::new("regions-repeats");
    // With and without steps that are put together, too.
    for (exact, each) in [("4096", 1), ("2", 2)] {
        let seen = see_with(
            &room,
            &[],
            &[("IOGLASS_ITERATIONS", exact)],
            &["repeats", &COUNT.to_string()],
        );
        let rows = &seen.at("main > step").rows;
        assert!(rows.iter().all(|row| row.more_executions == 7), "{rows:?}");
        let (mut visits, mut cells) = (vec![0; 4 / each], vec![0; 4 / each]);
        for row in rows {
            let series = row.series.as_deref().unwrap();
            assert_eq!((series.each, series.iterations), (each as u64, 4));
            assert_eq!(series.visits.iter().sum::<u64>(), row.calls);
            // Ticks become nanoseconds entry by entry.
            let time: u64 = series.time_ns.iter().sum();
            assert!(time.abs_diff(row.time_ns) <= 64, "{row:?}");
            visits.iter_mut().zip(&series.visits).for_each(|(sum, visits)| *sum += visits);
            let [(_, MetricSeries::Count(list))] = &series.metrics[..] else { panic!("{row:?}") };
            cells.iter_mut().zip(list).for_each(|(sum, cell)| *sum += cell.unwrap_or(0));
        }
        // A fifth of the executions has no step, a fifth one, and so on.
        let expected = [4, 3, 2, 1].map(|fifths| fifths * COUNT / 5);
        let expected: Vec<u64> = expected.chunks(each).map(|parts| parts.iter().sum()).collect();
        assert_eq!(visits, expected, "{exact}");
        let cell = |step: u64| (step + 1) as i64 * ((4 - step) * COUNT / 5 / 2) as i64;
        let expected: Vec<i64> =
            [0, 1, 2, 3].map(cell).chunks(each).map(|c| c.iter().sum()).collect();
        assert_eq!(cells, expected, "{exact}");
        // The same in the rows of a document.
        let file = log_path(&room).with_extension("ioprof");
        let output = std::process::Command::new(crate::support::ioglass())
            .args(["profile", "show", "--json", "--by", "iteration"])
            .arg(&file)
            .output()
            .unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = document["regions"][1]["rows"].as_array().unwrap();
        let calls: Vec<_> = rows.iter().map(|row| row["calls"].as_u64().unwrap()).collect();
        assert_eq!(calls, visits);
        let numbers: Vec<_> = rows.iter().map(|row| row["iteration"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [0, 1, 2, 3].iter().copied().step_by(each).collect::<Vec<u64>>());
    }
}

#[test]
fn metrics_and_tags() {
    let room = Room::new("regions-metrics");
    let seen = see(&room, &["metrics"]);
    let row = seen.row("main");
    assert_eq!(seen.measure(row, "cells"), Measure::Count { calls: 2, sum: 42 });
    assert_eq!(seen.measure(row, "big"), Measure::Count { calls: 2, sum: i64::MAX });
    let residual = Measure::Value { calls: 4, sum: 2.75, min: 0.25, max: 2.0, last: 2.0 };
    assert_eq!(seen.measure(row, "residual [m/s]"), residual);
    let tags = seen.at("main").tags.iter();
    let tags: Vec<_> = tags.map(|tag| (&tag.key[..], &tag.text[..])).collect();
    assert_eq!(tags, [(&b"kind"[..], &b"network"[..]), (b"ranks", b"some")]);
    assert_eq!(
        seen.notices(),
        [
            "nowhere early in -: 1",
            "metric-kind cells in main: 1",
            "tag-changed kind in main: 1",
            "not-finite residual [m/s] in main: 1",
        ]
    );
    assert_eq!(seen.profile.lost.metrics, 1);
    assert_eq!(seen.profile.head.name, b"my/profile");
}

#[test]
fn spans_overlap() {
    let room = Room::new("regions-spans");
    let seen = see(&room, &["spans"]);
    assert_eq!(
        seen.tree(),
        ["main 1", "main > fetch 2 +1", "main > work 1", "main > work > fetch 1"]
    );
    assert_eq!(seen.at("main > fetch").kind, Kind::Span);
    let fetch = seen.row("main > fetch");
    assert!(fetch.time_ns >= 15_000_000 && fetch.max_ns >= 10_000_000, "{fetch:?}");
    assert_eq!(fetch.time_ns, fetch.exclusive_ns);
    let (main, work) = (seen.row("main"), seen.row("main > work"));
    assert_eq!(main.exclusive_ns, main.time_ns - work.time_ns);
    assert_eq!(seen.notices(), ["stray-stop  in -: 2"]);
}

#[test]
fn io_counts_for_its_region() {
    let room = Room::new("regions-io");
    let seen = see_with(&room, &["--trace"], &[], &["io"]);
    let posix = |path: &str| io(&seen.row(path).io, Layer::Posix);
    let stdio = |path: &str| io(&seen.row(path).io, Layer::Stdio);
    // Opens, reads, writes, bytes read and written, other calls.
    assert_eq!(posix("main"), [1, 0, 0, 0, 0, 1]);
    assert_eq!(posix("main > write"), [0, 0, 5, 0, 72, 0]);
    assert_eq!(posix("main > read"), [0, 1, 0, 64, 0, 2]);
    assert_eq!(stdio("main > read"), [1, 106, 101, 106, 106, 2]);
    let outside = &seen.profile.outside;
    assert_eq!(io(outside, Layer::Posix), [0, 0, 0, 0, 0, 1]);
    assert_eq!(io(outside, Layer::Stdio), [1, 0, 1, 0, 10, 1]);
    let series = seen.row("main > write").series.as_ref().unwrap();
    assert_eq!(series.bytes_written, [64, 8]);
    // Together they are what the log has.
    let log = Log::open(log_path(&room)).unwrap();
    let of_posix: Vec<Posix> = log.records_of().unwrap().map(Result::unwrap).collect();
    let of_stdio: Vec<Stdio> = log.records_of().unwrap().map(Result::unwrap).collect();
    let counters =
        [posix::OPENS, posix::READS, posix::WRITES, posix::BYTES_READ, posix::BYTES_WRITTEN];
    let on_files = counters.map(|at| of_posix.iter().map(|record| record.int[at] as u64).sum());
    let counters =
        [stdio::OPENS, stdio::READS, stdio::WRITES, stdio::BYTES_READ, stdio::BYTES_WRITTEN];
    let on_streams = counters.map(|at| of_stdio.iter().map(|record| record.int[at] as u64).sum());
    let all: [[u64; 5]; 2] = [on_files, on_streams];
    for (layer, all) in [Layer::Posix, Layer::Stdio].into_iter().zip(all) {
        let mut sum = io(outside, layer);
        for row in seen.profile.regions.iter().flat_map(|region| &region.rows) {
            sum.iter_mut().zip(io(&row.io, layer)).for_each(|(sum, part)| *sum += part);
        }
        assert_eq!(sum[..5], all);
    }
}
