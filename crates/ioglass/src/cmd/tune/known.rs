//! What is known of a program by the log of its first run.

use std::path::Path;

use ioglass_insight::Diagnosis;
use ioglass_insight::advice::MpiKind;
use ioglass_insight::model::Run;
use ioglass_insight::motif::Motif;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::tunable::{MpiIo, Tunable};
use ioglass_log::Log;
use ioglass_param::{Condition, find, tied_name};
use ioglass_tune::journal::{Recorded, Start};
use ioglass_tune::model::{Kernel, Model};
use ioglass_tune::report::RunReport;
use ioglass_tune::space::{DEFAULT, Machine, Parameter, preset};
use ioglass_tune::tuning::Seed;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::question::program_of;
use super::seeds;
use crate::cmd::apply::verify::stack;
use crate::cmd::open_file_only;
use crate::failure::Failure;

/// Where it stands in the first line of a journal.
const KEY: &str = "known";

/// Presets of which only what a log allows is searched.
const ALLOWED: [&str; 2] = ["local", "libc"];

/// What is known of a program. A search that goes on has it from the journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    /// MPI-IO is ROMIO.
    pub(super) romio: bool,
    /// MPI is Open MPI.
    pub(super) open_mpi: bool,
    /// An interpreter does the I/O.
    pub(super) interpreter: bool,
    /// Writes are collective.
    pub(super) collective: bool,
    /// Storage targets of the file system.
    pub(super) targets: Option<u64>,
    /// Settings of HDF5 are for files that are not opened through MPI-IO.
    pub(super) serial: bool,
    /// Ranks, or processes.
    pub(super) ranks: u64,
    /// Libraries with versions, as people read it.
    pub(super) stack: String,
    /// The type of the file system.
    pub(super) system: String,
    /// Seconds of the first run.
    pub(super) seconds: f64,
    /// The pattern of the run.
    pub(super) motif: Option<Motif>,
    /// The parameters that this program can use.
    pub(super) parameters: Vec<Parameter>,
    /// Values of presets that the log does not allow, as `NAME=VALUE`.
    refused: Vec<String>,
}

/// What a log tells, and the advice of its findings.
pub(super) fn of_log(path: &Path) -> Result<(Known, Vec<Seed>), Failure> {
    let log = open_file_only(path).map_err(Failure::bad_input)?;
    let run = Run::with_limits(&log, &Thresholds::default());
    let diagnosis = Diagnosis::of_run(&run, &Thresholds::default());
    let seeds = seeds::of(&diagnosis);
    Ok((Known::of(&log, &run, &diagnosis, &seeds), seeds))
}

impl Known {
    /// What a log and its diagnosis tell.
    pub(super) fn of(log: &Log, run: &Run, diagnosis: &Diagnosis, seeds: &[Seed]) -> Known {
        let stack = stack(log);
        let tunable = Tunable::of_run(run);
        let systems = diagnosis.place.systems.iter().map(|(kind, _)| kind.clone());
        let mut known = Known {
            romio: tunable.mpi_io == Some(MpiIo::Romio),
            open_mpi: tunable.mpi == Some(MpiKind::OpenMpi),
            interpreter: tunable.is_interpreter,
            collective: tunable.is_collective,
            targets: tunable.targets,
            serial: tunable.has_serial_hdf5 && !tunable.has_parallel_hdf5,
            ranks: diagnosis.subject.ranks,
            stack: stack.text(),
            system: systems.into_iter().next().unwrap_or_default(),
            seconds: run.run_time,
            motif: Motif::of(run),
            ..Known::default()
        };
        known.parameters = known.searchable_in(&tunable, seeds);
        known.refused = known.refused_by(&tunable);
        known
    }

    /// What is known of a kernel on a model.
    pub(super) fn of_model(model: &Model, kernel: Kernel) -> Known {
        let machine = model.machine(kernel);
        Known {
            collective: machine.collective,
            targets: machine.targets,
            stack: format!("the model of {} with {} ranks", model.platform.name, model.ranks),
            ..Known::default()
        }
    }

    /// What a journal has of it.
    pub(super) fn recorded(recorded: &Recorded) -> Known {
        let known = recorded.start.rest.get(KEY).cloned().unwrap_or_default();
        serde_json::from_value(known).unwrap_or_default()
    }

    /// The same for a journal.
    pub(super) fn rest(&self) -> Map<String, Value> {
        let known = serde_json::to_value(self).unwrap_or_default();
        Map::from_iter([(KEY.to_owned(), known)])
    }

    /// What presets need to know.
    pub(super) fn machine(&self) -> Machine {
        Machine {
            romio: self.romio,
            open_mpi: self.open_mpi,
            interpreter: self.interpreter,
            collective: self.collective,
            targets: self.targets,
        }
    }

    /// The parameters that this program can use.
    pub(super) fn searchable(&self) -> Vec<Parameter> {
        self.parameters.clone()
    }

    /// The parameters of presets that the log allows, with the values that findings advise.
    fn searchable_in(&self, tunable: &Tunable, seeds: &[Seed]) -> Vec<Parameter> {
        let of_files = if tunable.is_on_lustre { "sc13-lustre" } else { "local" };
        let machine = self.machine();
        let presets = [of_files, "libc"].into_iter().filter_map(|name| preset(name, &machine));
        let mut parameters: Vec<Parameter> = presets.flatten().collect();
        for seed in seeds {
            seed.settings
                .iter()
                .for_each(|(name, value)| add_advised(&mut parameters, seed, name, value));
        }
        sensible(&mut parameters, |name, value| self.allows(tunable, name, value));
        parameters
    }

    /// The parameters of a preset, without values that the log does not allow.
    pub(super) fn of_preset(&self, name: &str) -> Option<Vec<Parameter>> {
        let mut parameters = preset(name, &self.machine())?;
        // Who names a space of the paper wants all of it.
        if ALLOWED.contains(&name) {
            let is_refused = |name: &str, value: &str| {
                self.refused.iter().any(|one| one.split_once('=') == Some((name, value)))
            };
            sensible(&mut parameters, |name, value| !is_refused(name, value));
        }
        Some(parameters)
    }

    /// Values of presets that the log does not allow, as `NAME=VALUE`.
    fn refused_by(&self, tunable: &Tunable) -> Vec<String> {
        let machine = self.machine();
        let all = ALLOWED.iter().filter_map(|name| preset(name, &machine)).flatten();
        let values = all.flat_map(|one| {
            let name = one.name.clone();
            one.values.into_iter().map(move |value| (name.clone(), value))
        });
        let refused =
            values.filter(|(name, value)| value != DEFAULT && !self.allows(tunable, name, value));
        refused.map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The log allows to try this value.
    fn allows(&self, tunable: &Tunable, name: &str, value: &str) -> bool {
        let Some((param, _)) = find(name) else { return false };
        let mut tunable = *tunable;
        // Files that are not opened through MPI-IO are reached with `serial`.
        if self.serial && param.conditions.contains(&Condition::ParallelOrSerial) {
            tunable.has_parallel_hdf5 = true;
        }
        tunable.allows(param, value).is_ok()
    }

    /// What a result says of program and machine.
    pub(super) fn report(&self, start: &Start) -> RunReport {
        let text = |text: &String| (!text.is_empty()).then(|| text.clone());
        RunReport {
            program: program_of(&start.command),
            ranks: self.ranks,
            nodes: None,
            file_system: text(&self.system),
            stack: text(&self.stack),
            began: Some(start.time.clone()),
            runner: start.runner.clone(),
        }
    }

    /// What the program uses, as the end of a message.
    pub(super) fn used(&self) -> String {
        match self.stack.is_empty() {
            true => "It uses neither MPI-IO nor HDF5, and no streams of the C library.".into(),
            false => format!("It uses {}.", self.stack),
        }
    }
}

/// Adds a value that a finding advises.
fn add_advised(parameters: &mut Vec<Parameter>, seed: &Seed, name: &str, value: &str) {
    if let Some(parameter) = parameters.iter_mut().find(|parameter| parameter.name == name) {
        if !parameter.values.iter().any(|one| one == value) {
            parameter.values.push(value.to_owned());
        }
        return;
    }
    let is_tie = |tie: &String| tied_name(tie).0 == name;
    if let Some(leader) = parameters.iter_mut().find(|one| one.tie.iter().any(is_tie)) {
        // It follows from the one that it is tied to, if that is advised as well.
        if seed.settings.contains_key(&leader.name) {
            return;
        }
        leader.tie.retain(|tie| !is_tie(tie));
    }
    // Advice about what no preset has is a choice between it and the default.
    parameters.push(Parameter::plain(name, &[DEFAULT, value]));
}

/// Keeps values that are allowed, and parameters that have a choice and whose conditions can hold.
fn sensible(parameters: &mut Vec<Parameter>, allows: impl Fn(&str, &str) -> bool) {
    for parameter in parameters.iter_mut() {
        let name = parameter.name.clone();
        parameter.values.retain(|value| value == DEFAULT || allows(&name, value));
    }
    // A default that is not searched makes one value a choice.
    parameters.retain(|one| one.values.iter().any(|value| *value != one.default));
    let names: Vec<String> = parameters.iter().map(|one| one.name.clone()).collect();
    parameters.retain(|one| one.when.keys().all(|other| names.contains(other)));
}

#[cfg(test)]
mod tests {
    use ioglass_tune::search::{From, How};
    use ioglass_tune::space::Space;

    use super::*;

    fn seed(settings: &[(&str, &str)]) -> Seed {
        let settings = settings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        Seed { from: From::how(How::Advice), settings: settings.collect() }
    }

    fn space(seed: &Seed) -> Space {
        let mut leader = Parameter::plain("mpiio.cb_nodes", &[DEFAULT, "1", "2"]);
        leader.tie = vec!["mpiio.cb_config_list=*:{}".into()];
        let mut parameters = vec![leader];
        for (name, value) in &seed.settings {
            add_advised(&mut parameters, seed, name, value);
        }
        Space::new(parameters).unwrap()
    }

    #[test]
    fn advice_about_what_is_tied_can_be_tried() {
        let both = seed(&[("mpiio.cb_nodes", "1"), ("mpiio.cb_config_list", "*:1")]);
        let known = space(&both);
        assert_eq!(known.point(&both.settings), Some(vec![1]), "it follows");
        let alone = seed(&[("mpiio.cb_config_list", "*:4")]);
        let known = space(&alone);
        assert_eq!(known.point(&alone.settings), Some(vec![0, 1]), "it is searched");
    }
}
