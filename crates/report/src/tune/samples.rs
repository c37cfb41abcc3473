//! Results to show: searches over programs whose time is a formula, and on the model. Tests of the
//! workspace use this file, too.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ioglass_tune::journal::{Bytes, Direction, Outcome, Recorded, Start};
use ioglass_tune::model::{Kernel, Model, Noise};
use ioglass_tune::objective::Objective;
use ioglass_tune::report::{Check, ModelReport, Report, RunReport, Verified};
use ioglass_tune::runner::{ModelRunner, Request, Run, Runner, RunnerError};
use ioglass_tune::search::{From, How, Method, Population};
use ioglass_tune::space::{Needs, Parameter, Settings, Space, preset};
use ioglass_tune::tuning::{Budget, Plan, Seed, Tuning};

/// Seconds of I/O with settings, and the rest of the run.
struct Program {
    io: fn(&Settings) -> f64,
    rest: f64,
    noise: Noise,
    seed: u64,
    /// The search is ended in this run.
    stops_at: Option<u64>,
}

impl Runner for Program {
    fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
        if self.stops_at == Some(request.run) {
            request.stop.store(true, Ordering::Relaxed);
        }
        let io = (self.io)(request.settings) * self.noise.factor("I/O", self.seed, request.run);
        let calm = Noise { spread: 0.006, interference: 0.0 };
        let rest = self.rest * calm.factor("rest", self.seed, request.run);
        let has = |name: &str, value: &str| {
            request.settings.get(name).is_some_and(|other| other == value)
        };
        let (outcome, note) = if has("mpiio.cb_buffer_size", "67108864")
            && has("mpiio.cb_nodes", "24")
        {
            (Outcome::Failed, Some("cannot allocate 1.5 GiB for collective buffering".to_owned()))
        } else if has("hdf5.alignment", "4096,65536") && has("mpiio.romio_ds_write", "enable") {
            (Outcome::Wrong, Some("fields_0019.h5:/T differs".to_owned()))
        } else if request.run == 22 && self.rest > 20.0 && self.rest < 30.0 {
            (Outcome::Disturbed, Some("others took 38 % of the processors".to_owned()))
        } else if request.limit.is_some_and(|limit| io + rest > limit) {
            (Outcome::Cut, None)
        } else {
            (Outcome::Ok, None)
        };
        let is_whole = matches!(outcome, Outcome::Ok | Outcome::Disturbed);
        Ok(Run {
            outcome,
            io: is_whole.then_some(io),
            read: None,
            write: is_whole.then_some(io),
            wall: request.limit.map_or(io + rest, |limit| limit.min(io + rest)),
            bytes: Bytes { read: 0, written: 23_192_823_398 },
            exit: Some(i32::from(outcome == Outcome::Failed)),
            note,
            ..on_model(request)?
        })
    }
}

/// A run of the model, which has all that a run has.
fn on_model(request: &Request<'_>) -> Result<Run, RunnerError> {
    let model: Model = "hopper-2048".parse().unwrap();
    let noise = Noise { spread: 0.0, interference: 0.0 };
    let none = Settings::new();
    let request = Request { settings: &none, limit: None, ..*request };
    ModelRunner { model, kernel: Kernel::Vpic, noise, seed: 1 }.run(&request)
}

fn value<'s>(settings: &'s Settings, name: &str) -> Option<&'s str> {
    settings.get(name).map(String::as_str)
}

/// A program on one stripe that writes fill values first.
fn climate(settings: &Settings) -> f64 {
    let stripes = match value(settings, "fs.striping_factor") {
        Some("4") => 0.8,
        Some("8") => 0.7,
        Some("16") => 0.61,
        Some("24") => 0.58,
        _ => 1.0,
    };
    let writers = match value(settings, "mpiio.cb_nodes") {
        Some("8") => 0.94,
        Some("16") => 0.88,
        Some("24") => 0.86,
        _ => 1.0,
    };
    let unit = match value(settings, "fs.striping_unit") {
        Some("1048576") => 1.3,
        Some("4194304") => 1.1,
        Some("16777216") => 1.0,
        Some("67108864") => 1.24,
        _ => 1.06,
    };
    let patched = match value(settings, "mpiio.romio_ds_write") {
        Some("enable") => 1.22,
        Some("disable") => 1.0,
        _ => 1.02,
    };
    let chunks = match value(settings, "hdf5.chunk_bytes") {
        Some("1048576") => 1.4,
        Some("4194304") => 1.14,
        Some(_) => 1.0,
        None => 1.46,
    };
    let is_filled = value(settings, "hdf5.chunk_bytes").is_some()
        && value(settings, "hdf5.fill_time") != Some("never");
    let fill = if is_filled { 1.85 } else { 1.0 };
    0.7 + 8.9 * stripes * writers * unit * patched * chunks * fill
}

/// A program that no setting makes faster.
fn particles(settings: &Settings) -> f64 {
    let chunks = match (value(settings, "hdf5.chunk_bytes"), value(settings, "hdf5.fill_time")) {
        (None, _) => 1.0,
        (_, Some("never")) => 1.08,
        _ => 1.5,
    };
    let patched =
        if value(settings, "mpiio.romio_ds_write") == Some("enable") { 1.25 } else { 1.0 };
    5.2 * chunks * patched
}

/// A program that two writers make a little faster.
fn waves(settings: &Settings) -> f64 {
    let writers = if value(settings, "mpiio.cb_nodes") == Some("4") { 0.93 } else { 1.0 };
    particles(settings) * writers
}

fn space() -> Space {
    let plain = |name: &str, values: &[&str]| Parameter::plain(name, values);
    let fill = Parameter {
        when: BTreeMap::from([("hdf5.chunk_bytes".to_owned(), Needs::SET)]),
        ..plain("hdf5.fill_time", &["default", "never"])
    };
    let unit = Parameter {
        tie: vec!["mpiio.cb_buffer_size".into()],
        ..plain("fs.striping_unit", &["default", "1048576", "4194304", "16777216", "67108864"])
    };
    Space::new(vec![
        plain("fs.striping_factor", &["default", "4", "8", "16", "24"]),
        unit,
        plain("mpiio.cb_nodes", &["default", "4", "8", "16", "24"]),
        plain("mpiio.romio_ds_write", &["default", "enable", "disable"]),
        plain("hdf5.alignment", &["default", "4096,65536", "65536,1048576"]),
        plain("hdf5.chunk_bytes", &["default", "1048576", "4194304", "16777216"]),
        fill,
    ])
    .unwrap()
}

fn advice(code: &str, settings: &[(&str, &str)]) -> Seed {
    let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Seed {
        from: From { codes: vec![code.to_owned()], ..From::how(How::Advice) },
        settings: settings.collect(),
    }
}

fn plan(space: Space, seed: u64) -> Plan {
    Plan {
        space: Arc::new(space),
        method: Method::Gp,
        seed,
        budget: Budget::Runs(30),
        confirm: 15,
        objective: Objective::Io,
        worth: 1.03,
        cut: 1.3,
        cache: true,
        jobs: 1,
        seeds: Vec::new(),
    }
}

fn search(plan: &Plan, runner: &mut dyn Runner) -> Report {
    let start = Start {
        schema: "ioglass.journal/1".into(),
        ioglass: "0".into(),
        time: String::new(),
        command: Vec::new(),
        cwd: "/".into(),
        space: plan.space.parameters().to_vec(),
        search: plan.method.name().into(),
        seed: plan.seed,
        objective: plan.objective.to_string(),
        direction: Direction::Min,
        budget: 30.into(),
        runner: "local".into(),
        options: serde_json::Map::new(),
        digest: String::new(),
        rest: serde_json::Map::new(),
    };
    let searcher = plan.method.searcher(plan.space.clone(), plan.seed, Population::default());
    let stop = AtomicBool::new(false);
    Tuning::new(plan, searcher, runner, None, &mut |_| {}, &stop).run(Recorded::new(start)).unwrap()
}

/// What the command knows of a run.
fn told(report: Report, command: &str, program: &str) -> Report {
    Report {
        command: command.split(' ').map(str::to_owned).collect(),
        run: Some(RunReport {
            program: program.into(),
            ranks: 64,
            nodes: Some(4),
            file_system: Some("Lustre".into()),
            stack: Some("MPICH 4.0.2 (ROMIO), HDF5 1.10.8".into()),
            began: Some("2026-11-17T10:00:00Z".into()),
            runner: "local".into(),
        }),
        check: Some(Check {
            state: "same".into(),
            files: 3,
            datasets: 48,
            bytes: 23_192_823_398,
            not_compared: vec![format!("{program}.log")],
        }),
        journal: Some(format!("{program}.tune.jsonl")),
        best: Some("best.toml".into()),
        ..report
    }
}

fn program(io: fn(&Settings) -> f64, rest: f64, seed: u64) -> Program {
    let noise = Noise { spread: 0.04, interference: 0.02 };
    Program { io, rest, noise, seed, stops_at: None }
}

/// A gain, with all that a report can have.
pub(crate) fn gain() -> Report {
    let plan = Plan {
        seeds: vec![
            advice(
                "F02",
                &[
                    ("fs.striping_factor", "16"),
                    ("fs.striping_unit", "16777216"),
                    ("mpiio.cb_buffer_size", "16777216"),
                ],
            ),
            advice("H02", &[("hdf5.chunk_bytes", "16777216"), ("hdf5.fill_time", "never")]),
        ],
        ..plan(space(), 1)
    };
    let report = search(&plan, &mut program(climate, 23.6, 1));
    let command = "mpirun -n 64 ./climate_model --steps 20";
    let report = told(report, command, "climate_model");
    Report { verified: verified(&report), ..report }
}

/// What a stack might say of the settings: all applied but the number of writers.
fn verified(report: &Report) -> Vec<Verified> {
    let settings = report.tuned.iter().flat_map(|tuned| &tuned.settings);
    let one = |(name, value): (&String, &String)| {
        let is_changed = name == "mpiio.cb_nodes";
        let is_dataset = matches!(name.as_str(), "hdf5.chunk_bytes" | "hdf5.fill_time");
        Verified {
            name: name.clone(),
            state: if is_changed { "changed" } else { "applied" }.into(),
            requested: value.clone(),
            effective: is_changed.then(|| "16".to_owned()),
            reason: is_changed.then(|| "cb_config_list allows 4 per node".to_owned()),
            files: 3,
            variables: if is_dataset { 48 } else { 0 },
            by: Some(if is_dataset { "H5Pget_chunk" } else { "MPI_File_get_info" }.into()),
        }
    };
    settings.map(one).collect()
}

/// Nothing to gain.
pub(crate) fn nothing() -> Report {
    let report = search(&plan(space(), 2), &mut program(particles, 41.5, 2));
    told(report, "mpirun -n 64 ./vpic_io", "vpic_io")
}

/// No verdict.
pub(crate) fn undecided() -> Report {
    let noise = Noise { spread: 0.12, interference: 0.05 };
    // The first seed whose proof cannot tell.
    let searches = (1..40).map(|seed| {
        search(&plan(space(), seed), &mut Program { noise, ..program(waves, 41.5, seed) })
    });
    let is_open = |report: &Report| report.more_rounds.is_some();
    let report = searches.into_iter().find(is_open).unwrap();
    told(report, "mpirun -n 64 ./wave", "wave")
}

/// Ended by the user in the choice after the search.
pub(crate) fn interrupted() -> Report {
    let runner = program(climate, 23.6, 1);
    let report = search(&plan(space(), 1), &mut Program { stops_at: Some(35), ..runner });
    told(report, "mpirun -n 64 ./climate_model", "climate_model")
}

/// A gain of I/O that makes the whole run slower.
pub(crate) fn slower_as_a_whole() -> Report {
    struct Moved(Program);
    impl Runner for Moved {
        fn run(&mut self, request: &Request<'_>) -> Result<Run, RunnerError> {
            let run = self.0.run(request)?;
            let slower = if request.is_default { 0.0 } else { 20.0 };
            Ok(Run { wall: run.wall + slower, ..run })
        }
    }
    let plan = Plan { cut: 0.0, ..plan(space(), 1) };
    let report = search(&plan, &mut Moved(program(climate, 41.5, 1)));
    told(report, "mpirun -n 64 ./climate_model", "climate_model")
}

/// A gain on the model.
pub(crate) fn model() -> Report {
    let model: Model = "hopper-2048".parse().unwrap();
    let kernel = Kernel::Vpic;
    let space = Space::new(preset("sc13-lustre", &model.machine(kernel)).unwrap()).unwrap();
    let runner = &mut ModelRunner { model, kernel, noise: Noise::default(), seed: 1 };
    let report = search(&Plan { cut: 2.0, ..plan(space, 1) }, runner);
    Report {
        command: ["ioglass", "kernel", "vpic"].map(str::to_owned).to_vec(),
        model: Some(ModelReport {
            platform: "hopper".into(),
            ranks: 2048,
            kernel: "vpic".into(),
            noise: 0.1,
        }),
        journal: Some("vpic.tune.jsonl".into()),
        best: Some("best.toml".into()),
        ..report
    }
}
