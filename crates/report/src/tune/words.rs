//! The words that terminal and page share.

use std::fmt::Write;

use ioglass_insight::program::launched_name;
use ioglass_param::{Layer, Site, find};
use ioglass_tune::journal::Outcome;
use ioglass_tune::objective::Objective;
use ioglass_tune::report::{Report, Speedup, TrialReport};
use ioglass_tune::space::Settings;
use ioglass_tune::tuning::State;

use crate::number::{counted, fixed, thousands};
use crate::text;

/// Seconds below which thousandths are told, and millionths.
const MILLI: f64 = 0.00995;
const MICRO: f64 = 0.000_009_95;

/// A gain: `2.96×`, `12.3×`.
pub(super) fn times(ratio: f64) -> String {
    if ratio >= 9.995 { format!("{}×", fixed(ratio, 1)) } else { format!("{ratio:.2}×") }
}

/// The interval of a gain: `2.78 to 3.11`.
pub(super) fn interval(speedup: &Speedup) -> Option<String> {
    let (low, high) = (times(speedup.low?), times(speedup.high?));
    Some(format!("{} to {}", low.trim_end_matches('×'), high.trim_end_matches('×')))
}

/// Values of the objective in one unit, and the unit with a blank before it.
pub(super) fn values<const N: usize>(report: &Report, values: [f64; N]) -> ([String; N], String) {
    scaled(&report.objective.unit, values)
}

/// Seconds in one unit, and the unit with a blank before it.
pub(super) fn seconds<const N: usize>(seconds: [f64; N]) -> ([String; N], String) {
    scaled("s", seconds)
}

/// One value of the objective with its unit.
pub(super) fn value(report: &Report, one: f64) -> String {
    let ([one], unit) = values(report, [one]);
    one + &unit
}

/// One time with its unit.
pub(super) fn second(one: f64) -> String {
    let ([one], unit) = seconds([one]);
    one + &unit
}

/// A step from one value of the objective to another: `15.0 → 5.02 s`.
pub(super) fn step(report: &Report, before: f64, after: f64) -> String {
    let ([before, after], unit) = values(report, [before, after]);
    format!("{before} → {after}{unit}")
}

/// The factor and the unit, with a blank before it, in which such values are told.
pub(super) fn scale(unit: &str, largest: f64) -> (f64, String) {
    match unit {
        "s" if largest > 0.0 && largest < MICRO => (1e6, " µs".to_owned()),
        "s" if largest > 0.0 && largest < MILLI => (1e3, " ms".to_owned()),
        "s" => (1.0, " s".to_owned()),
        "B/s" => {
            const UNITS: [&str; 6] = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"];
            let mut place = 0;
            while place + 1 < UNITS.len() && largest / 1024f64.powi(place as i32) >= 1023.5 {
                place += 1;
            }
            (1024f64.powi(-(place as i32)), format!(" {}", UNITS[place]))
        }
        "" => (1.0, String::new()),
        other => (1.0, format!(" {}", text::clean(other))),
    }
}

fn scaled<const N: usize>(unit: &str, values: [f64; N]) -> ([String; N], String) {
    let largest = values.iter().copied().filter(|one| one.is_finite()).fold(0.0, f64::max);
    let (factor, unit) = scale(unit, largest);
    (values.map(|one| digits(one * factor)), unit)
}

/// Three digits.
fn digits(value: f64) -> String {
    match value {
        _ if !value.is_finite() => "?".into(),
        0.0 => "0".into(),
        _ if value.abs() >= 99.95 => fixed(value, 0),
        _ if value.abs() >= 9.995 => fixed(value, 1),
        _ if value.abs() >= 0.995 => fixed(value, 2),
        _ if value.abs() >= 0.00995 => fixed(value, 3),
        _ => format!("{value:.2e}"),
    }
}

/// What is measured, as the end of a sentence: `of I/O`.
pub(super) fn noun(report: &Report) -> String {
    let objective = report.objective.name.parse::<Objective>();
    objective.map_or_else(|_| String::new(), |objective| text::clean(&objective.noun()))
}

/// What is measured, as the head of a column.
pub(super) fn column(report: &Report) -> &'static str {
    match report.objective.name.split(':').next() {
        Some("io") => "I/O",
        Some("time") => "Run time",
        Some("read") => "Reads",
        Some("write") => "Writes",
        Some("bandwidth") => "Bandwidth",
        Some("regions") => "Region",
        _ => "Output",
    }
}

/// What is measured, and a verb: `I/O takes`.
pub(super) fn subject(report: &Report) -> (String, &'static str) {
    match report.objective.name.parse::<Objective>() {
        Ok(Objective::Io) => ("I/O".into(), "takes"),
        Ok(Objective::Time) => ("The run".into(), "takes"),
        Ok(Objective::Read) => ("Reading".into(), "takes"),
        Ok(Objective::Write) => ("Writing".into(), "takes"),
        Ok(Objective::Bandwidth) => ("Bandwidth".into(), "is"),
        Ok(Objective::Regions(name)) => (text::shorten(&name, 40), "takes"),
        _ => ("The output".into(), "is"),
    }
}

/// A part of the run time: `15.0 of 38.4 s`.
pub(super) fn of(part: f64, whole: f64) -> String {
    let ([part, whole], unit) = seconds([part, whole]);
    format!("{part} of {whole}{unit}")
}

/// A time of many runs: `33 min`, `2 h 47 min`.
pub(super) fn span(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0 | 1 => second(seconds),
        2..100 => format!("{minutes} min"),
        _ => format!("{} h {:02} min", thousands(minutes / 60), minutes % 60),
    }
}

/// The objective is the time from start to end, which need not be told twice.
pub(super) fn is_whole(report: &Report) -> bool {
    report.objective.name == "time"
}

/// `faster`, or `better` where nothing is known of the number.
pub(super) fn better(report: &Report) -> &'static str {
    if report.objective.unit.is_empty() { "better" } else { "faster" }
}

/// Rounds of the proof that were faster, and those that were not.
pub(super) fn sides(report: &Report) -> (u64, u64) {
    let faster = report.rounds.iter().filter(|round| round.ratio > 1.0).count();
    (faster as u64, (report.rounds.len() - faster) as u64)
}

/// `all faster`, `8 faster and 7 slower`.
pub(super) fn agreement(report: &Report) -> String {
    let better = better(report);
    let worse = if better == "faster" { "slower" } else { "worse" };
    match sides(report) {
        (_, 0) => format!("all {better}"),
        (0, _) => format!("all {worse}"),
        (faster, slower) => format!("{faster} {better} and {slower} {worse}"),
    }
}

/// `8 fresh rounds`.
pub(super) fn rounds(report: &Report) -> String {
    counted(report.rounds.len() as u64, "fresh round", "fresh rounds")
}

/// `99 %`.
pub(super) fn confidence(speedup: &Speedup) -> Option<String> {
    speedup.confidence.map(|share| format!("{:.0} %", 100.0 * share))
}

/// The command, as it can be typed.
pub(super) fn command(report: &Report) -> String {
    let words: Vec<String> = report.command.iter().map(|word| text::quoted(word)).collect();
    text::clean(&words.join(" "))
}

/// The same outside of a search: the folder of a run is the current one.
pub(super) fn command_here(report: &Report) -> String {
    let word = |word: &String| text::quoted(&word.replace("{trial_dir}", "."));
    let words: Vec<String> = report.command.iter().map(word).collect();
    text::clean(&words.join(" "))
}

/// The program, or the kernel of a model; without either, what the command line runs in the end.
pub(super) fn program(report: &Report) -> String {
    let command = report.command.join(" ");
    let name = match (&report.model, &report.run) {
        (Some(model), _) => &model.kernel,
        (_, Some(run)) if !run.program.is_empty() => &run.program,
        _ => launched_name(&command),
    };
    text::clean(name)
}

/// The command that goes on with a search, without the program's, perhaps with more rounds of the proof.
pub(super) fn resume(report: &Report, rounds: Option<u64>) -> String {
    let mut line = String::from("ioglass tune --resume");
    if let Some(rounds) = rounds {
        let _ = write!(line, " --confirm {rounds}");
    }
    let mut typed = report.typed.iter();
    while let Some(word) = typed.next() {
        if rounds.is_some() && word.starts_with("--confirm") {
            if !word.contains('=') {
                typed.next();
            }
            continue;
        }
        line.push(' ');
        line.push_str(&text::quoted(word));
    }
    text::clean(&(line + " --"))
}

/// The command with the best settings.
pub(super) fn apply(report: &Report) -> String {
    match &report.best {
        Some(best) => format!("ioglass apply {} --", text::clean(&text::quoted(best))),
        None => apply_each(report),
    }
}

/// The same without a file.
pub(super) fn apply_each(report: &Report) -> String {
    let none = Settings::new();
    let settings = report.tuned.as_ref().map_or(&none, |tuned| &tuned.settings);
    let each = settings
        .iter()
        .map(|(name, value)| format!(" -s {}", text::quoted(&format!("{name}={value}"))));
    text::clean(&format!("ioglass apply{} --", each.collect::<String>()))
}

/// Settings, as they can be typed: `hdf5.fill_time=never`.
pub(super) fn settings(settings: &Settings) -> String {
    let each = settings.iter().map(|(name, value)| format!("{name}={value}"));
    text::clean(&each.collect::<Vec<_>>().join(" "))
}

/// Who proposed a trial: `gp`, or `advice` and the codes of the findings it is of.
pub(super) fn proposed(trial: &TrialReport) -> String {
    if trial.codes.is_empty() {
        return text::clean(&trial.how);
    }
    text::clean(&format!("{} {}", trial.how, trial.codes.join("+")))
}

/// The model, in a few words; none if the program itself ran.
pub(super) fn model(report: &Report) -> Option<String> {
    let model = report.model.as_ref()?;
    let (platform, kernel) = (text::clean(&model.platform), text::clean(&model.kernel));
    let ranks = counted(model.ranks, "rank", "ranks");
    Some(format!("{kernel} on {platform}, {ranks}, noise {:.0} %", 100.0 * model.noise))
}

/// Runs whose result was wrong, and what differed in the last of them.
pub(super) fn wrong(report: &Report) -> Option<String> {
    let wrong: Vec<&TrialReport> = report
        .trials
        .iter()
        .filter(|trial| trial.outcome == Outcome::Wrong && !trial.cached)
        .collect();
    let last = wrong.last()?;
    let runs: Vec<String> = wrong.iter().map(|trial| trial.run.to_string()).collect();
    let what = last.note.as_deref().map_or_else(String::new, |note| format!(": {note}"));
    Some(format!(
        "{} of {} runs changed the result (run {}){}. The settings of {} are not used again.",
        wrong.len(),
        thousands(report.search.runs),
        runs.join(", "),
        text::clean(&what).trim_end_matches('.'),
        if wrong.len() == 1 { "it" } else { "them" },
    ))
}

/// What was compared: `3 files, 48 datasets, 21.6 GiB read back`. None if nothing was.
pub(super) fn compared(report: &Report) -> Option<String> {
    let check = report.check.as_ref()?;
    let mut parts = vec![counted(check.files, "file", "files")];
    if check.datasets > 0 {
        parts.push(counted(check.datasets, "dataset", "datasets"));
    }
    parts.push(format!("{} read back", crate::number::bytes(check.bytes)));
    Some(parts.join(", "))
}

/// The best settings leave traces in files: layouts, chunks, stripes.
pub(super) fn stays_in_files(report: &Report) -> bool {
    let Some(tuned) = &report.tuned else { return false };
    tuned.settings.keys().filter_map(|name| find(name)).any(|(param, _)| {
        matches!(param.site, Site::FileCreation | Site::DatasetCreation | Site::Folder)
            || param.layer == Layer::Fs
            || param.name == "alignment"
    })
}

/// The proof had a gain, but not for the run as a whole.
pub(super) fn is_slower_as_a_whole(report: &Report) -> bool {
    report.wall_speedup.as_ref().and_then(|wall| wall.high).is_some_and(|high| high < 1.0)
}

/// A search that ended without a proof of what it has: it was ended, or none was wanted.
pub(super) fn is_unproven(report: &Report) -> bool {
    matches!(report.state, State::Interrupted | State::Undecided)
        && report.speedup.as_ref().is_some_and(|speedup| !speedup.confirmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_one_unit() {
        let of = |unit: &str, values: [f64; 2]| {
            let ([one, other], unit) = scaled(unit, values);
            format!("{one} {other}{unit}")
        };
        assert_eq!(of("s", [15.02, 5.021]), "15.0 5.02 s");
        assert_eq!(of("s", [0.158, 0.097]), "0.158 0.097 s");
        assert_eq!(of("s", [0.0042, 0.0031]), "4.20 3.10 ms");
        assert_eq!(of("s", [0.000_004, 0.000_003]), "4.00 3.00 µs");
        assert_eq!(of("s", [12_345.0, 99.96]), "12,345 100 s");
        assert_eq!(of("B/s", [705_691_648.0, 1_411_383_296.0]), "0.657 1.31 GiB/s");
        assert_eq!(of("", [0.000_123, 4.0]), "1.23e-4 4.00");
        assert_eq!(of("s", [f64::NAN, 0.0]), "? 0 s");
        assert_eq!(times(2.957), "2.96×");
        assert_eq!(times(12.345), "12.3×");
    }
}
