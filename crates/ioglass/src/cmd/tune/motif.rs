//! Runs that are like this one: what helped them is tried first, and what helps here is remembered.

use ioglass_insight::model::Run;
use ioglass_insight::motif::{Motif, SCHEMA};
use ioglass_insight::threshold::Thresholds;
use ioglass_tune::report::Report;
use ioglass_tune::search::{From, How};
use ioglass_tune::tuning::{Seed, State};

use super::known::Known;
use super::{live, question};
use crate::cli::Tune;
use crate::cmd::open_file_only;
use crate::failure::{Failure, Message};
use crate::motifs::{self, Entry, Gain, Store};

/// Settings of similar runs that are tried at most.
const MOST: usize = 3;
/// The layer of what is the program's own.
const COMMAND: &str = "cmd.";

/// What helped runs that are like that of `--from-motif`.
pub(super) fn seeds(args: &Tune) -> Result<Vec<Seed>, Failure> {
    let Some(path) = &args.from_motif else { return Ok(Vec::new()) };
    let log = open_file_only(path).map_err(Failure::bad_input)?;
    let run = Run::with_limits(&log, &Thresholds::default());
    let Some(motif) = Motif::of(&run) else {
        let message = Message::new(format!("{}: the run moved no data", path.display()));
        return Err(Failure::bad_input(message));
    };
    let Some(file) = args.motifs.clone().or_else(motifs::usual) else { return Ok(Vec::new()) };
    let store = Store::read(&file).map_err(|error| {
        Failure::bad_input(Message::new(format!("cannot read {}", file.display())).evidence(&error))
    })?;
    let mut seeds: Vec<Seed> = Vec::new();
    for (distance, entry) in store.close(&motif) {
        let settings = entry.settings.clone();
        if seeds.len() < MOST && seeds.iter().all(|seed| seed.settings != settings) {
            say(
                args,
                &format!("{}, {distance:.2} away: {:.2}×", entry.program, entry.speedup.median),
            );
            seeds.push(Seed { from: From::how(How::Motif), settings });
        }
    }
    if seeds.is_empty() {
        let nearest = store.nearest(&motif).map(|(distance, entry)| {
            format!("nothing is close; the nearest is {}, {distance:.2} away", entry.program)
        });
        say(args, &nearest.unwrap_or_else(|| "nothing was tuned yet".into()));
    }
    Ok(seeds)
}

fn say(args: &Tune, text: &str) {
    if !args.quiet {
        live::say(&format!("ioglass: --from-motif: {text}"));
    }
}

/// Remembers a proven gain for runs that are like this one.
pub(super) fn remember(args: &Tune, known: &Known, report: &Report) {
    let (Some(motif), Some(tuned), Some(speedup)) = (&known.motif, &report.tuned, &report.speedup)
    else {
        return;
    };
    let mut settings = tuned.settings.clone();
    settings.retain(|name, _| !name.starts_with(COMMAND));
    let (State::Gain, Some(low), Some(high), false) =
        (report.state, speedup.low, speedup.high, settings.is_empty())
    else {
        return;
    };
    let Some(file) = args.motifs.clone().or_else(motifs::usual) else { return };
    let entry = Entry {
        schema: SCHEMA.into(),
        time: question::now(),
        program: question::program(args),
        motif: motif.clone(),
        settings,
        speedup: Gain { median: speedup.median, low, high },
        objective: report.objective.name.clone(),
    };
    if let Err(error) = motifs::append(&file, &entry) {
        // The result stands without it.
        live::say(&format!("ioglass: cannot write {}: {error}", file.display()));
    }
}
