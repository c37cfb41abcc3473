//! A run means the same whether it is read from a log or from records in memory.

use std::fs;
use std::path::Path;

use ioglass_insight::memory::MemoryRecording;
use ioglass_insight::model::Run;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::view::{Origin, Room, View};
use ioglass_insight::{Diagnosis, Recording};
use ioglass_log::Log;
use ioglass_report::html;

use super::properties::{LOGS, any};
use super::recipe::log_of;
use crate::support::{Rng, real_logs, root};

/// The whole diagnosis and the page.
fn said(recording: &dyn Recording, origin: &Origin) -> [String; 2] {
    let thresholds = Thresholds::default();
    let run = Run::with_limits(recording, &thresholds);
    let diagnosis = Diagnosis::of_run(&run, &thresholds);
    let view = |room: &Room| {
        let mut view = View::of(recording, &run, room);
        view.origin = origin.clone();
        view
    };
    let page = html::page(&diagnosis, view, Path::new("some.darshan"));
    [format!("{diagnosis:#?}"), page]
}

fn check(name: &str, log: &Log) {
    let run = Run::of(log);
    let origin = View::of(log, &run, &Room::FINEST).origin;
    let memory = MemoryRecording::copy_of(log).unwrap();
    let (of_log, of_memory) = (said(log, &origin), said(&memory, &origin));
    for (from_log, from_memory) in of_log.iter().zip(&of_memory) {
        let lines = from_log.lines().zip(from_memory.lines());
        let differ = lines.into_iter().find(|(one, other)| one != other);
        assert!(from_log == from_memory, "{name}: {differ:?}");
    }
}

#[test]
fn real_logs_mean_the_same() {
    for real in real_logs() {
        check(&real.name, &Log::from_bytes(real.bytes).unwrap());
    }
}

#[test]
fn fixtures_mean_the_same() {
    let folder = root().join("tests/fixtures");
    let mut checked = 0;
    for folder in [folder.join("patterns"), folder] {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in entries.filter(|path| path.extension().is_some_and(|end| end == "txt")) {
            check(&path.display().to_string(), &log_of(&fs::read(&path).unwrap()));
            checked += 1;
        }
    }
    assert!(checked >= 15, "{checked}");
}

#[test]
fn any_run_means_the_same() {
    let mut rng = Rng::new();
    for number in 0..LOGS {
        let recipe = any(&mut rng, 8, true);
        check(&format!("log {number}"), &log_of(recipe.text().as_bytes()));
    }
}
