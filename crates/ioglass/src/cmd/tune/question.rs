//! What is searched, and how: from what was typed, and what is known of the program.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ioglass_settings::refused_variable;
use ioglass_tune::journal::{SCHEMA, Start};
use ioglass_tune::model::FileSystem;
use ioglass_tune::objective::Objective;
use ioglass_tune::report::Report;
use ioglass_tune::search::{From, Method, Population};
use ioglass_tune::space::{self, PRESETS, Parameter, Settings, Space};
use ioglass_tune::tuning::{Budget, Plan, Seed};
use serde_json::{Map, Value, json};

use super::known::Known;
use super::seeds;
use crate::cli::{Mutate, RunnerName, Tune};
use crate::cmd::apply::{placeholder_variable, told};
use crate::failure::{Failure, Message};

/// The layout of a folder.
pub(super) const LAYOUT: &str = "fs.setstripe";
/// Runs of a search.
const RUNS: u64 = 30;
/// From so many runs on another searcher is better.
const MANY_RUNS: u64 = 60;

/// A search that is to be made.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) plan: Plan,
    pub(super) population: Population,
    /// The first line of the journal.
    pub(super) start: Start,
}

impl Question {
    /// The search of what was typed.
    pub(super) fn new(args: &Tune, known: &Known, seeds: &[Seed]) -> Result<Question, Failure> {
        let parameters = parameters(args, known)?;
        let space = Space::new(parameters)
            .map_err(|error| Failure::bad_input(Message::new(error.to_string())))?;
        let seeds = seeds::in_space(seeds, &space);
        let population = Population {
            size: args.population,
            generations: args.generations,
            elites: args.elites.min(args.population),
            by_effect: args.mutate == Mutate::Effect,
        };
        let objective = objective(args);
        let method = method(args);
        let plan = Plan {
            space: Arc::new(space),
            method,
            seed: args.seed,
            budget: budget(args, method),
            confirm: args.confirm,
            objective,
            worth: args.worth,
            cut: args.cut,
            cache: !args.no_cache,
            jobs: args.jobs,
            seeds,
        };
        let mut start = Start {
            schema: SCHEMA.into(),
            ioglass: env!("CARGO_PKG_VERSION").into(),
            time: now(),
            command: words(args),
            cwd: current_folder(),
            space: plan.space.parameters().to_vec(),
            search: method.name().into(),
            seed: plan.seed,
            objective: plan.objective.to_string(),
            direction: plan.objective.direction(),
            budget: match plan.budget {
                Budget::Runs(runs) => runs.into(),
                Budget::Seconds(seconds) => format!("{seconds}s").into(),
            },
            runner: match &args.runner {
                RunnerName::Local => "local".into(),
                RunnerName::Slurm => "slurm".into(),
                RunnerName::Model(model) => format!("model:{model}"),
            },
            options: options(args, &plan, &population),
            digest: String::new(),
            rest: known.rest(),
        };
        start.rest.insert("confirm".into(), args.confirm.into());
        start.rest.insert("worth".into(), args.worth.into());
        start.rest.insert(TYPED.into(), args.typed.clone().into());
        start.digest = start.digest();
        Ok(Question { plan, population, start })
    }

    /// Adds to a result what only the command knows.
    pub(super) fn complete(&self, report: &mut Report, known: &Known, journal: &Path) {
        report.command.clone_from(&self.start.command);
        report.run = report.model.is_none().then(|| known.report(&self.start));
        report.journal = Some(journal.display().to_string());
        report.typed = typed_before(&self.start);
    }
}

/// Where the typed options stand in the first line of a journal.
const TYPED: &str = "typed";

/// The options that were typed before the command, but for those that say how to go on.
pub(super) fn typed(command: &[OsString]) -> Vec<String> {
    let words: Vec<OsString> =
        std::env::args_os().skip_while(|word| word != "tune").skip(1).collect();
    let options = &words[..words.len().saturating_sub(command.len())];
    let kept = options
        .iter()
        .filter(|word| !["--", "--resume", "--restart"].iter().any(|one| word == one));
    kept.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The options of a journal.
pub(super) fn typed_before(start: &Start) -> Vec<String> {
    let words = start.rest.get(TYPED).and_then(Value::as_array);
    let text = |word: &Value| word.as_str().map(str::to_owned);
    words.into_iter().flatten().filter_map(text).collect()
}

/// What else decides what is asked and measured.
fn options(args: &Tune, plan: &Plan, population: &Population) -> Map<String, Value> {
    let mut options = Map::new();
    let mut add = |name: &str, value: Value| options.insert(name.to_owned(), value);
    add("cut", plan.cut.into());
    add("timeout", args.timeout.into());
    add("setup", args.setup.clone().into());
    add("cleanup", args.cleanup.clone().into());
    add("check", args.check.clone().into());
    add("cache", plan.cache.into());
    let is_ga = plan.method == Method::Ga;
    let sizes = json!({"size": population.size, "generations": population.generations, "elites": population.elites, "by_effect": population.by_effect});
    add("population", if is_ga { sizes } else { Value::Null });
    if matches!(args.runner, RunnerName::Model(_)) {
        add("noise", args.model_noise.into());
        add("interference", args.model_interference.into());
    }
    if matches!(args.runner, RunnerName::Slurm) {
        add("jobs", args.jobs.into());
        add("slurm_args", args.slurm_args.clone().into());
    }
    if !plan.seeds.is_empty() {
        let seed = |seed: &Seed| {
            let From { how, codes, .. } = &seed.from;
            json!({"how": how, "codes": codes, "settings": seed.settings})
        };
        add("seeds", plan.seeds.iter().map(seed).collect());
    }
    options
}

/// The objective, with its direction.
pub(super) fn objective(args: &Tune) -> Objective {
    match args.objective.clone() {
        Objective::Output { pattern, .. } => Objective::Output { pattern, maximize: args.maximize },
        other => other,
    }
}

/// The searcher.
fn method(args: &Tune) -> Method {
    args.search.unwrap_or(match args.budget {
        Some(Budget::Runs(runs)) if runs >= MANY_RUNS => Method::Tpe,
        _ => Method::Gp,
    })
}

fn budget(args: &Tune, method: Method) -> Budget {
    let of_ga = || (args.population as u64).saturating_mul(args.generations);
    let usual = if method == Method::Ga { of_ga() } else { RUNS };
    args.budget.unwrap_or(Budget::Runs(usual))
}

/// The budget of a journal.
pub(super) fn recorded_budget(start: &Start) -> Option<Budget> {
    let seconds = || start.budget.as_str()?.strip_suffix('s')?.parse().ok();
    start.budget.as_u64().map(Budget::Runs).or_else(|| seconds().map(Budget::Seconds))
}

/// The spaces that were asked for. Who names placeholders alone wants nothing else.
pub(super) fn spaces(args: &Tune) -> Vec<String> {
    match args.space.is_empty() && args.param.is_empty() {
        true => vec!["auto".into()],
        false => args.space.clone(),
    }
}

/// Only placeholders and numbers that need no log: nothing is recorded, and nothing is preloaded.
pub(super) fn is_plain(args: &Tune) -> bool {
    let is_measured_outside = matches!(args.objective, Objective::Time | Objective::Output { .. });
    let only_placeholders = spaces(args).is_empty()
        || !args.only.is_empty() && args.only.iter().all(|name| name.starts_with("cmd"));
    is_measured_outside && only_placeholders
}

/// The settings of the default run, as far as they are values: those of placeholders and files.
pub(super) fn defaults(args: &Tune) -> Result<Settings, Failure> {
    let mut parameters = Vec::new();
    for name in spaces(args).iter().filter(|name| !PRESETS.contains(&name.as_str())) {
        parameters.extend(of_space(args, name, &Known::default())?);
    }
    for text in &args.param {
        parameters.push(placeholder(text)?);
    }
    if !args.only.is_empty() {
        let is_named =
            |one: &Parameter| args.only.iter().any(|name| *name == one.name || name == one.layer());
        parameters.retain(is_named);
    }
    let values = parameters.into_iter().filter(|parameter| parameter.default != space::DEFAULT);
    Ok(values.map(|parameter| (parameter.name, parameter.default)).collect())
}

fn placeholder(text: &str) -> Result<Parameter, Failure> {
    space::argument(text).map_err(|problem| Failure::bad_input(Message::new(problem)))
}

/// The parameters to search.
fn parameters(args: &Tune, known: &Known) -> Result<Vec<Parameter>, Failure> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for name in spaces(args) {
        parameters.extend(of_space(args, &name, known)?);
    }
    for text in &args.param {
        let parameter = placeholder(text)?;
        if parameters.iter().any(|other| other.name == parameter.name) {
            let name = parameter.name.trim_start_matches("cmd.");
            let message = Message::new(format!("{name} is given twice"));
            return Err(Failure::bad_input(message));
        }
        parameters.push(parameter);
    }
    if !args.only.is_empty() {
        parameters = space::only(parameters, &args.only)
            .map_err(|problem| Failure::bad_input(Message::new(problem)))?;
    }
    check_variables(&parameters)?;
    check_placeholders(args, &parameters)?;
    check_layout(args, &parameters)?;
    let is_preset = |space: &String| PRESETS.contains(&space.as_str());
    let has_preset = spaces(args).iter().any(is_preset);
    if parameters.is_empty() && has_preset && args.only.is_empty() {
        let message = Message::new("there is nothing to search".into())
            .evidence("The program does no I/O that a setting of this tool could change.")
            .evidence(known.used());
        let help = "ioglass tune --param NAME=V1,V2 -- CMD {NAME}".to_owned();
        return Err(Failure::bad_input(message.help(help, "searches an option of the program")));
    }
    Ok(parameters)
}

/// The parameters of a preset or a file.
fn of_space(args: &Tune, name: &str, known: &Known) -> Result<Vec<Parameter>, Failure> {
    if name == "auto" {
        return Ok(match &args.runner {
            RunnerName::Model(model) => {
                let preset = match model.platform.file_system {
                    FileSystem::Lustre => "sc13-lustre",
                    FileSystem::Gpfs => "sc13-gpfs",
                };
                space::preset(preset, &known.machine()).unwrap_or_default()
            }
            RunnerName::Local | RunnerName::Slurm => known.searchable(),
        });
    }
    if let Some(parameters) = known.of_preset(name) {
        return Ok(parameters);
    }
    let path = Path::new(name);
    if path.symlink_metadata().is_err() {
        let message = Message::new(format!("{name} is neither a file nor a preset"))
            .evidence(format!("The presets are {}.", PRESETS.join(", ")));
        return Err(Failure::bad_input(message));
    }
    space::read(path).map_err(told)
}

/// Refuses variables that are never set.
fn check_variables(parameters: &[Parameter]) -> Result<(), Failure> {
    for parameter in parameters {
        let reason =
            parameter.name.strip_prefix("env.").and_then(|name| refused_variable(name, false));
        if let Some(reason) = reason {
            let message = Message::new(format!("{} cannot be searched: {reason}", parameter.name));
            return Err(Failure::bad_input(message));
        }
    }
    Ok(())
}

/// The layout of a folder is changed for good, so only that of a run is searched.
fn check_layout(args: &Tune, parameters: &[Parameter]) -> Result<(), Failure> {
    let is_searched = parameters.iter().any(|parameter| parameter.name == LAYOUT);
    let mark = format!("{{{}}}", super::trial::TRIAL_DIR);
    if is_searched && !words(args).iter().any(|word| word.contains(&mark)) {
        let message = Message::new(format!("{LAYOUT} is searched for {mark} only")).evidence(
            "It changes the layout of a folder for good. CMD does not name that of a run.",
        );
        return Err(Failure::bad_input(message));
    }
    Ok(())
}

/// A placeholder that is nowhere changes nothing but a variable: said, as it is most likely a slip.
fn check_placeholders(args: &Tune, parameters: &[Parameter]) -> Result<(), Failure> {
    let text = words(args).join(" ");
    for name in parameters.iter().filter_map(|parameter| parameter.name.strip_prefix("cmd.")) {
        if name == super::trial::TRIAL_DIR {
            let message =
                Message::new(format!("{{{name}}} is the folder of a run, not a parameter"));
            return Err(Failure::bad_input(message));
        }
        let variable = placeholder_variable(name);
        if !text.contains(&format!("{{{name}}}")) && !args.quiet {
            let note =
                format!("ioglass: CMD has no {{{name}}}; the program finds it in {variable}");
            super::live::say(&note);
        }
    }
    Ok(())
}

/// The command as text.
pub(super) fn words(args: &Tune) -> Vec<String> {
    args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The name of the program.
pub(super) fn program(args: &Tune) -> String {
    program_of(&words(args))
}

/// The name of the program of a command: behind what launches it.
pub(super) fn program_of(words: &[String]) -> String {
    let command = words.join(" ");
    let name = ioglass_insight::program::launched_name(&command);
    let last = name.rsplit('/').next().unwrap_or_default();
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    let clean: String = last.chars().filter(|sign| is_plain(*sign)).take(100).collect();
    if clean.trim_matches('.').is_empty() { "command".into() } else { clean }
}

fn current_folder() -> String {
    std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned()
}

/// The time, as journals have it.
pub(super) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    ioglass_report::text::date(seconds as i64, "%Y-%m-%dT%H:%M:%SZ")
}
