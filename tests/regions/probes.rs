//! Ranks that differ: what position-based profiles get wrong.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

use ioglass_profile::{Ending, Measure};
use serde_json::Value;

use super::ranks::{Way, command};
use super::seen::{Seen, path, read};
use crate::lifecycle::programs::source;
use crate::lifecycle::recording::log_path;
use crate::lifecycle::room::Room;
use crate::mpi::stack::{MPICH, OPEN_MPI, Stack};
use crate::support::ioglass;

/// Ranks of a scene with this MPI; none if it is not installed.
fn see(room: &Room, stack: &Stack, ranks: u32, scene: &str) -> Option<Seen> {
    if !stack.is_here() {
        return None;
    }
    let program = stack.program(&source("regions/probes.cpp")).unwrap();
    let words = program.into_iter().chain([OsString::from(scene)]);
    let mut command = command(room, stack, Way::Outside, ranks, &["--no-report"], words);
    let output = command.output().unwrap();
    assert_eq!(output.status.success(), scene != "abort", "{scene}: {output:?}");
    let seen = Seen { output, profile: read(&log_path(room).with_extension("ioprof")) };
    assert_eq!(seen.profile.head.ranks, ranks);
    room.check_nothing_left();
    Some(seen)
}

impl Seen {
    /// A figure of all rows of a region, by rank.
    fn by_rank(&self, path: &str, figure: impl Fn(&ioglass_profile::Row) -> u64) -> Vec<u64> {
        let mut ranks: BTreeMap<u32, u64> = BTreeMap::new();
        for row in &self.at(path).rows {
            let rank = self.profile.processes[row.process as usize].rank;
            *ranks.entry(rank).or_default() += figure(row);
        }
        ranks.into_values().collect()
    }
}

/// A subtree that one rank has alone is there with its leaf, for any number of ranks.
#[test]
fn what_one_rank_visits_is_there() {
    for ranks in [1, 2, 3, 5, 8, 16, 17] {
        let stack = if ranks % 2 == 0 { MPICH } else { OPEN_MPI };
        let room = Room::new("regions-probe-nested");
        let Some(seen) = see(&room, &stack, ranks, "nested") else { return };
        let tree = |path: &str, count: u32| format!("{path} {count}");
        assert_eq!(
            seen.tree(),
            [
                tree("main", ranks),
                tree("main > lib", ranks),
                tree("main > only", 1),
                tree("main > only > lib", 1)
            ]
        );
        let lib = seen.row("main > only > lib");
        assert!(lib.time_ns >= 3_000_000, "{lib:?}");
        assert_eq!(seen.profile.processes[lib.process as usize].rank, ranks - 1);
    }
}

/// Names are those of the regions, in whatever order ranks have used them first.
#[test]
fn the_order_of_first_use_does_not_matter() {
    let room = Room::new("regions-probe-order");
    let Some(seen) = see(&room, &OPEN_MPI, 3, "order") else { return };
    for (name, metric, time) in
        [("main > alpha", "is alpha", 9_000_000), ("main > beta", "is beta", 2_000_000)]
    {
        assert!(seen.by_rank(name, |row| row.time_ns).iter().all(|own| *own >= time));
        for row in &seen.at(name).rows {
            assert_eq!(seen.measure(row, metric), Measure::Count { calls: 1, sum: 1 });
            assert_eq!(row.metrics.len(), 1);
        }
    }
    assert_eq!(seen.by_rank("main > alpha", |row| row.calls), [1, 1, 1]);
}

/// Iterations belong to their execution and rank, and what begins late to the execution it began in.
#[test]
fn iterations_may_differ_by_rank_and_execution() {
    let room = Room::new("regions-probe-trip");
    let Some(seen) = see(&room, &MPICH, 2, "trip") else { return };
    assert_eq!(seen.profile.head.executions, 3);
    let steps = seen.at("main > step").rows.iter().map(|row| {
        let series = row.series.as_ref().unwrap();
        assert_eq!((series.iterations, series.time_ns.len() as u64), (row.calls, row.calls));
        (seen.profile.processes[row.process as usize].rank, row.execution, row.calls)
    });
    let expected = [(0, 0, 2), (0, 1, 3), (0, 2, 4), (1, 0, 3), (1, 1, 4), (1, 2, 5)];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
    let late = seen.at("main > late").rows.iter().map(|row| (row.execution, row.calls));
    assert_eq!(late.collect::<Vec<_>>(), [(2, 1), (2, 1)]);
}

/// Calls in one execution are calls, not executions.
#[test]
fn repeated_calls_are_one_execution() {
    let room = Room::new("regions-probe-repeat");
    let Some(seen) = see(&room, &OPEN_MPI, 2, "repeat") else { return };
    assert_eq!(seen.profile.head.executions, 1);
    assert_eq!(seen.tree(), ["main 2", "main > call 6"]);
    assert_eq!(seen.by_rank("main > call", |row| row.calls), [3, 3]);
}

/// Snapshots need no other rank.
#[test]
fn snapshots_wait_for_nobody() {
    for stack in [OPEN_MPI, MPICH] {
        let room = Room::new(&format!("regions-probe-dead-{}", stack.name));
        let Some(seen) = see(&room, &stack, 3, "dead") else { continue };
        assert_eq!(seen.by_rank("main > common", |row| row.calls), [100, 200, 300]);
        assert_eq!(seen.profile.head.name, b"dead");
    }
}

/// A metric may be absent, zero or negative; loops keep each time or the sum.
#[test]
fn metrics_may_be_absent_zero_or_negative() {
    let room = Room::new("regions-probe-values");
    let Some(seen) = see(&room, &OPEN_MPI, 2, "values") else { return };
    let rows = |path: &str| seen.at(path).rows.clone();
    assert!(rows("main > none").iter().all(|row| row.metrics.is_empty() && row.series.is_some()));
    for row in &rows("main > zero") {
        let zero = Measure::Value { calls: 1, sum: 0.0, min: 0.0, max: 0.0, last: 0.0 };
        assert_eq!(seen.measure(row, "mem [B]"), zero);
        let gain = Measure::Value { calls: 2, sum: -3.0, min: -2.5, max: -0.5, last: -0.5 };
        assert_eq!(seen.measure(row, "gain"), gain);
        assert_eq!(row.series.as_ref().unwrap().iterations, 2);
    }
    for row in &rows("main > sum") {
        let sum = Measure::Value { calls: 2, sum: 12.0, min: 4.0, max: 8.0, last: 4.0 };
        assert_eq!(seen.measure(row, "mem [B]"), sum);
        assert_eq!((row.calls, &row.series), (2, &None));
    }
    let tags = |path: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
        seen.at(path).tags.iter().map(|tag| (tag.key.clone(), tag.text.clone())).collect()
    };
    let has = |path: &str, key: &str, text: &str| tags(path).contains(&(key.into(), text.into()));
    assert!(has("main > zero", "tag", "compute") && has("main > sum", "tag", "network"));
    assert!(has("main > none", "ranks", "all"));
}

/// A hint is compared with what happened. A second text is told; that of the lowest rank stays.
#[test]
fn hints_are_compared_with_what_happened() {
    let room = Room::new("regions-probe-hints");
    let Some(_) = see(&room, &OPEN_MPI, 3, "hints") else { return };
    let mut show = Command::new(ioglass());
    let file = log_path(&room).with_extension("ioprof");
    let output = show.args(["profile", "show", "--json"]).arg(file).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let notices = json["notices"].as_array().unwrap().iter();
    let notices: Vec<_> = notices.map(|it| (it["code"].clone(), it["path"].clone())).collect();
    let expected = [("tag-changed", &["main"][..]), ("hint-wrong", &["main", "part"])]
        .map(|(code, path)| (Value::from(code), Value::from(path)));
    assert_eq!(notices, expected, "{}", json["notices"]);
    let main = &json["regions"][0];
    assert_eq!(main["tags"]["kind"], "first");
}

/// After `MPI_Abort` all ranks are there, with what was open.
#[test]
fn aborted_ranks_are_there() {
    for stack in [OPEN_MPI, MPICH] {
        let room = Room::new(&format!("regions-probe-abort-{}", stack.name));
        let Some(seen) = see(&room, &stack, 3, "abort") else { continue };
        assert_eq!(seen.by_rank("main > step", |row| row.calls), [1, 2, 3], "{}", stack.name);
        assert_eq!(seen.by_rank("main", |row| row.open), [1, 1, 1]);
        let processes = &seen.profile.processes;
        assert_eq!(processes[0].ending, Ending::Abort, "{}: {processes:?}", stack.name);
        let all = (0..seen.profile.regions.len()).map(|at| path(&seen.profile, at));
        assert!(all.into_iter().any(|path| path == "main > end"));
    }
}
