//! Presets: spaces from the table of parameters.

use ioglass_param::{Condition, PARAMS, Param, Preset, Search, When, find, tied_name};

use super::{DEFAULT, Needs, Parameter};

/// The names of presets; `auto` needs the log of a default run.
pub const PRESETS: [&str; 5] = ["auto", "local", "libc", "sc13-lustre", "sc13-gpfs"];

/// What is known of the machine and the program, as far as presets depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Machine {
    /// MPI-IO is ROMIO.
    pub romio: bool,
    /// MPI is Open MPI.
    pub open_mpi: bool,
    /// The program is an interpreter.
    pub interpreter: bool,
    /// Writes are collective.
    pub collective: bool,
    /// Storage targets of the file system.
    pub targets: Option<u64>,
}

/// The parameters of a preset on this machine; none for a name that is none, and for `auto`.
pub fn preset(name: &str, machine: &Machine) -> Option<Vec<Parameter>> {
    let preset = match (name, machine.collective) {
        ("local", _) => Preset::Local,
        ("libc", _) => Preset::Libc,
        ("sc13-lustre", true) => Preset::Sc13Lustre,
        ("sc13-lustre", false) => Preset::Sc13LustreIndependent,
        ("sc13-gpfs", true) => Preset::Sc13Gpfs,
        ("sc13-gpfs", false) => Preset::Sc13GpfsIndependent,
        _ => return None,
    };
    let mut rows: Vec<(&Param, &Search)> = PARAMS
        .iter()
        .filter_map(|param| Some((*param, param.searched(preset)?)))
        .filter(|(_, search)| machine.has(search.when))
        .collect();
    rows.sort_by_key(|(_, search)| search.place);
    Some(rows.into_iter().map(|(param, search)| parameter(param, search, machine)).collect())
}

impl Machine {
    fn has(&self, when: Option<When>) -> bool {
        match when {
            Some(When::Romio) => self.romio,
            Some(When::OpenMpi) => self.open_mpi,
            Some(When::Interpreter) => self.interpreter,
            _ => true,
        }
    }
}

fn parameter(param: &Param, search: &Search, machine: &Machine) -> Parameter {
    let mut parameter = Parameter::plain(&param.to_string(), search.values);
    parameter.default = DEFAULT.into();
    if let (true, Some(targets)) = (is_stripes(param), machine.targets) {
        let less = |value: &String| value.parse().is_ok_and(|value: u64| value < targets);
        parameter.values.retain(less);
        parameter.values.push(targets.to_string());
    }
    if let Some(When::Set(other)) = search.when {
        parameter.when.insert(other.to_owned(), Needs::SET);
    }
    let applies = |tie: &&&str| {
        let (tied, _) = tied_name(tie);
        find(tied)
            .is_some_and(|(tied, _)| machine.romio || !tied.conditions.contains(&Condition::Romio))
    };
    parameter.tie = search.tie.iter().filter(applies).map(|tie| (*tie).to_owned()).collect();
    parameter
}

/// The parameter counts stripes, whose values end with the number of all targets.
fn is_stripes(param: &Param) -> bool {
    std::ptr::eq(param, &ioglass_param::fs::STRIPING_FACTOR)
}
