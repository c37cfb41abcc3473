//! The result of a search on the terminal. Its first line is the whole answer.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;
use ioglass_param::State as SettingState;
use ioglass_tune::journal::Outcome;
use ioglass_tune::report::{Report, Verified};
use ioglass_tune::tuning::State;

use super::words;
use crate::number::{counted, percent, thousands};
use crate::settings::{Row, changed, write_row};
use crate::terminal::screen::{BOLD, COMMAND, COST, GOOD, PLAIN, Screen, WARN};
use crate::{glyphs, terminal, text};

/// Settings of a result on the terminal.
#[derive(Debug, Clone)]
pub struct Options {
    /// Columns of the terminal.
    pub width: usize,
    /// True if the terminal shows ASCII only.
    pub is_ascii: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, is_ascii: false }
    }
}

/// Columns of a line's label, its indent included.
const LABEL: usize = 11;
/// What stands before every line of a model's result.
const MODEL: &str = "model ";
/// Narrower terminals have no bars.
const BARS_FROM: usize = 40;
/// Widest line of text; wider ones are hard to read.
const WIDEST: usize = 100;
/// Columns between a command and what it is for.
const AIR: usize = 4;

/// Writes a result. Where a model ran, every line says so.
pub fn write(out: &mut impl Write, report: &Report, options: &Options) -> io::Result<()> {
    let Some(_) = &report.model else { return whole(out, report, options) };
    let mut lines = Vec::new();
    let narrower = Options { width: options.width.saturating_sub(MODEL.len()), ..options.clone() };
    whole(&mut lines, report, &narrower)?;
    for line in String::from_utf8_lossy(&lines).lines() {
        let before = if line.is_empty() { "" } else { MODEL };
        writeln!(out, "{before}{line}")?;
    }
    Ok(())
}

/// The answer in one line, without a newline: `2.96× faster (2.78 to 3.11), 15.0 → 5.02 s of I/O`.
pub fn summary_line(report: &Report, is_ascii: bool) -> String {
    let line = answer(report);
    if is_ascii { glyphs::plain(&line).into_owned() } else { line }
}

fn whole(out: &mut impl Write, report: &Report, options: &Options) -> io::Result<()> {
    let screen_options = terminal::Options {
        width: options.width,
        is_ascii: options.is_ascii,
        ..terminal::Options::new(Path::new(""))
    };
    let screen = &mut Screen::new(out, &screen_options);
    for line in screen.wrap(&format!("result: {}", answer(report)), screen.width) {
        screen.line(&[(BOLD, &line)])?;
    }
    match report.state {
        State::Gain => gain(screen, report)?,
        State::NothingToGain => nothing(screen, report)?,
        State::Undecided | State::Interrupted => open(screen, report)?,
        State::Failed => failed(screen, report)?,
    }
    for warning in &report.warnings {
        sentence(screen, ('!', WARN), warning)?;
    }
    next(screen, report)
}

/// The answer.
fn answer(report: &Report) -> String {
    let (default, tuned) = (report.default.as_ref(), report.tuned.as_ref());
    let both = default.zip(tuned);
    let noun = words::noun(report);
    let step = both.map(|(default, tuned)| {
        let step = words::step(report, default.median, tuned.side.median);
        format!("{step} {noun}").trim_end().to_owned()
    });
    let wall = both.map(|(default, tuned)| {
        let ([before, after], unit) = words::seconds([default.wall, tuned.side.wall]);
        format!("wall {before} → {after}{unit}")
    });
    let speedup = report.speedup.as_ref();
    let gain = speedup.map(|speedup| {
        let interval = words::interval(speedup).map(|interval| format!(" ({interval})"));
        let times = words::times(speedup.median);
        (times, interval.unwrap_or_default())
    });
    let reason = report.reason.as_deref().map(text::clean);
    let parts: Vec<String> = match (report.state, gain) {
        (State::Gain, Some((times, interval))) => {
            let step = step.unwrap_or_default();
            // A time that is all I/O need not be told twice.
            let is_same = both.is_some_and(|(one, other)| {
                one.wall == one.median && other.side.wall == other.side.median
            });
            let wall = wall.filter(|_| !words::is_whole(report) && !is_same);
            let wall = wall.map_or_else(String::new, |wall| format!("; {wall}"));
            vec![format!("{times} {}{interval}", words::better(report)), step + &wall]
        }
        (State::NothingToGain, Some(_)) if words::is_slower_as_a_whole(report) => {
            let steps = both.map_or_else(String::new, |(default, tuned)| {
                let what = noun.trim_start_matches("of ");
                format!("{what} {}", words::step(report, default.median, tuned.side.median))
            });
            let wall = wall.map_or_else(String::new, |wall| format!(", {wall}"));
            vec!["nothing to gain".into(), format!("slower as a whole: {steps}{wall}")]
        }
        (State::NothingToGain, Some((times, interval))) if reason.is_none() => {
            vec!["nothing to gain".into(), format!("{times}{interval}"), step.unwrap_or_default()]
        }
        (State::Undecided, Some((times, interval))) if !words::is_unproven(report) => {
            vec!["undecided".into(), format!("{times}{interval}"), step.unwrap_or_default()]
        }
        (State::Undecided, Some((times, _))) => {
            vec![format!("not proven; best so far {times}"), step.unwrap_or_default()]
        }
        (State::Interrupted, Some((times, _))) => {
            let runs = counted(report.search.all_runs, "run", "runs");
            vec![format!("stopped after {runs}; best so far {times}"), "not proven".into()]
        }
        (State::Interrupted, None) => {
            let runs = counted(report.search.all_runs, "run", "runs");
            vec![format!("stopped after {runs}; nothing better was found so far")]
        }
        (state, _) => {
            let word = match state {
                State::NothingToGain => "nothing to gain",
                State::Failed => "failed",
                _ => "undecided",
            };
            let reason = reason.map(|reason| format!("{word}: {reason}"));
            vec![reason.unwrap_or_else(|| word.into())]
        }
    };
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn gain<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    screen.blank()?;
    bars(screen, report, "tuned")?;
    proof(screen, report)?;
    found(screen, report)?;
    alone(screen, report)?;
    model(screen, report)?;
    verified(screen, report)?;
    if report.model.is_none() {
        screen.blank()?;
    }
    check(screen, report)
}

fn nothing<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    screen.blank()?;
    let better = words::better(report);
    let mut story = Vec::new();
    if !report.rounds.is_empty() && !words::is_slower_as_a_whole(report) {
        let runs = counted(report.search.runs, "run", "runs");
        story.push(format!("The default settings are as good as anything found in {runs}."));
        match report.search.best_seen.filter(|best| *best >= report.worth) {
            Some(best) => story.push(format!(
                "One run looked {} {better}; {} did not repeat it.",
                words::times(best),
                words::rounds(report),
            )),
            None => story.push(format!("No run looked {better}.")),
        }
    } else if report.rounds.is_empty() {
        let tried = report.trials.iter().filter(|trial| !trial.settings.is_empty()).count();
        story.push(format!("{} tried.", counted(tried as u64, "setting was", "settings were")));
        let bad = report.outcomes.failed + report.outcomes.timeout + report.outcomes.wrong;
        if bad > 0 {
            story.push(format!(
                "{} or gave a wrong result.",
                counted(bad, "run failed", "runs failed")
            ));
        }
    }
    if !story.is_empty() {
        screen.paragraph(2, PLAIN, &story.join(" "))?;
        screen.blank()?;
    }
    bars(screen, report, "best")?;
    proof(screen, report)?;
    if let (Some(most), Some(default)) = (&report.at_most, &report.default) {
        let what = words::noun(report).trim_start_matches("of ").to_owned();
        let whole = words::second(default.wall);
        let share = percent(most.share);
        let most = words::times(most.speedup);
        let text = format!("{most}, if all {what} took no time: it is {share} of {whole}");
        labelled(screen, "at most", PLAIN, &text)?;
    }
    model(screen, report)?;
    wrote(screen, report)?;
    wrong(screen, report)
}

/// No verdict: the proof cannot tell, there was none, or the search was ended.
fn open<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    screen.blank()?;
    if words::is_unproven(report) {
        let settings = report.tuned.as_ref().map(|tuned| words::settings(&tuned.settings));
        if let Some(settings) = settings.filter(|settings| !settings.is_empty()) {
            labelled(screen, "settings", PLAIN, &settings)?;
        }
        found(screen, report)?;
        model(screen, report)?;
        if let Some(best) = &report.best {
            let best = text::clean(best);
            labelled(screen, "wrote", PLAIN, &format!("{best}, with confirmed = false"))?;
        }
        return check(screen, report);
    }
    let mut story = Vec::new();
    if !report.rounds.is_empty() && report.speedup.is_some() {
        let rounds = counted(report.rounds.len() as u64, "round", "rounds");
        let more =
            report.more_rounds.map(|more| format!("; {} more probably can", thousands(more)));
        let more = more.unwrap_or_default();
        story.push(format!("{rounds} cannot tell it from no difference{more}."));
    }
    if let Some(best) = &report.best {
        story.push(format!("{} holds no setting.", text::clean(best)));
    }
    for line in &story {
        screen.paragraph(2, PLAIN, line)?;
    }
    model(screen, report)?;
    wrong(screen, report)
}

/// The last lines of what failed.
fn failed<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let bad = report.trials.iter().rev().find(|trial| trial.outcome != Outcome::Ok);
    let note = bad.and_then(|trial| trial.note.as_deref()).unwrap_or_default();
    for line in note.lines() {
        let line = screen.text(line);
        screen.line(&[(PLAIN, &format!("  {line}"))])?;
    }
    Ok(())
}

/// Both medians on one scale.
fn bars<W: Write>(screen: &mut Screen<'_, W>, report: &Report, name: &str) -> io::Result<()> {
    let (Some(default), Some(tuned)) = (&report.default, &report.tuned) else { return Ok(()) };
    let medians = [default.median, tuned.side.median];
    let (values, unit) = words::values(report, medians);
    let values = values.map(|value| value + &unit);
    let most = medians.into_iter().fold(0.0, f64::max);
    let number = values.iter().map(|value| text::width(value)).max().unwrap_or(0);
    let cells = screen.width.saturating_sub(LABEL + 2 + number + 2);
    for ((name, value), median) in ["default", name].iter().zip(&values).zip(medians) {
        let label = format!("  {name:<width$}", width = LABEL - 2);
        if screen.width < BARS_FROM || most <= 0.0 {
            screen.line(&[(PLAIN, &format!("{label}{value}"))])?;
            continue;
        }
        // A value that is there is seen.
        let filled = ((median / most * cells as f64).round() as usize).clamp(1, cells);
        let bar = screen.sign('█').repeat(filled);
        let gap = cells - filled + 2 + number - text::width(value);
        screen.line(&[(PLAIN, &format!("{label}{bar}{:gap$}{value}", ""))])?;
    }
    Ok(())
}

fn proof<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let Some(speedup) = report.speedup.as_ref().filter(|_| !report.rounds.is_empty()) else {
        return Ok(());
    };
    let turn = if report.state == State::Gain { "default and tuned in turn, " } else { "" };
    let interval = words::confidence(speedup).map(|share| format!("; interval {share}"));
    let (rounds, agreement) = (words::rounds(report), words::agreement(report));
    let text = format!("{rounds}, {turn}{agreement}{}", interval.unwrap_or_default());
    labelled(screen, "proof", PLAIN, &text)
}

/// The run that found the best settings, and what random search would have found.
fn found<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let search = &report.search;
    let mut parts = Vec::new();
    if let Some(found) = &search.found {
        let trial = report.trials.iter().find(|trial| trial.n == found.n);
        let how = trial.map_or_else(|| text::clean(&found.how), words::proposed);
        let run = trial.map_or(found.n, |trial| trial.run);
        parts.push(format!("run {} of {}, {how}", thousands(run), thousands(search.runs)));
    }
    if let Some(random) = search.random_estimate.filter(|_| search.method != "random") {
        parts.push(format!("random's best would be {} (estimate)", words::times(random)));
    }
    if parts.is_empty() { Ok(()) } else { labelled(screen, "found", PLAIN, &parts.join("; ")) }
}

/// What each layer gains alone.
fn alone<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    if report.layers.is_empty() {
        return Ok(());
    }
    let mut layers: Vec<_> = report.layers.iter().collect();
    let gain = |speedup: Option<f64>| speedup.unwrap_or(0.0);
    layers.sort_by(|a, b| gain(b.speedup).total_cmp(&gain(a.speedup)));
    let one = |name: &str, speedup: Option<f64>| {
        let told = speedup.map_or_else(|| "failed".into(), words::times);
        format!("{} {told}", text::clean(name))
    };
    let mut items: Vec<String> =
        layers.iter().map(|layer| one(&layer.layer, layer.speedup)).collect();
    items.extend(report.speedup.as_ref().map(|all| one("all", Some(all.median))));
    let items: Vec<String> = items.iter().map(|item| screen.text(item)).collect();
    let lines = Screen::<W>::flow(&items, 3, screen.room(LABEL));
    for (line, place) in lines.iter().zip(0..) {
        let label = if place == 0 { "alone" } else { "" };
        screen.line(&[(PLAIN, &format!("  {label:<width$}{line}", width = LABEL - 2))])?;
    }
    Ok(())
}

/// That no program ran.
fn model<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let Some(model) = words::model(report) else { return Ok(()) };
    labelled(screen, "formula", PLAIN, &format!("{model}; no program ran"))
}

fn verified<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    if report.verified.is_empty() {
        // What is not asked for is listed all the same.
        let settings = report.tuned.as_ref().map(|tuned| words::settings(&tuned.settings));
        if let Some(settings) = settings.filter(|settings| !settings.is_empty()) {
            labelled(screen, "settings", PLAIN, &settings)?;
        }
        return Ok(());
    }
    screen.blank()?;
    for one in &report.verified {
        // A state of a later version is none of ours.
        let state = SettingState::named(&one.state).unwrap_or(SettingState::Unverifiable);
        let row = Row {
            state,
            name: &one.name,
            value: changed(state, &one.requested, one.effective.as_deref()),
            places: places(one),
            by: "",
            notes: one.reason.iter().cloned().collect(),
        };
        write_row(screen, &row)?;
    }
    Ok(())
}

/// Where a setting was so: `48 datasets`, `3 files`.
pub(super) fn places(one: &Verified) -> String {
    match (one.files, one.variables) {
        (0, 0) => String::new(),
        (files, 0) => counted(files, "file", "files"),
        (_, sets) => counted(sets, "dataset", "datasets"),
    }
}

/// Whether results were right.
fn check<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    wrong(screen, report)?;
    let Some(check) = &report.check else {
        // A model has no results.
        return match report.model {
            Some(_) => Ok(()),
            None => sentence(screen, ('!', WARN), "results were not compared"),
        };
    };
    let compared = words::compared(report).unwrap_or_default();
    if check.state == "same" {
        sentence(screen, ('✓', GOOD), &format!("same data in every run that ended: {compared}"))?;
    }
    if check.state == "not-compared" && check.not_compared.is_empty() {
        sentence(screen, ('!', WARN), "no result was compared: no file was written here")?;
    }
    if let [first, rest @ ..] = check.not_compared.as_slice() {
        let what = match rest.len() {
            0 => format!("{first}, it differs"),
            1 | 2 => format!("{}, they differ", check.not_compared.join(", ")),
            more => format!("{first} and {} more, they differ", thousands(more as u64)),
        };
        let what = format!("not compared: {what} between default runs, too");
        sentence(screen, ('!', WARN), &what)?;
    }
    Ok(())
}

fn wrong<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    words::wrong(report).map_or(Ok(()), |wrong| sentence(screen, ('▲', COST), &wrong))
}

/// The files of the search.
fn wrote<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let journal = report.journal.as_ref().map(|journal| text::clean(journal));
    let best = report.best.as_ref().map(|best| format!("{} holds no setting", text::clean(best)));
    let parts: Vec<String> = journal.into_iter().chain(best).collect();
    if parts.is_empty() { Ok(()) } else { labelled(screen, "wrote", PLAIN, &parts.join("; ")) }
}

/// What to type now.
fn next<W: Write>(screen: &mut Screen<'_, W>, report: &Report) -> io::Result<()> {
    let (command, here) = (words::command(report), words::command_here(report));
    let replay = report.journal.as_ref().map(|journal| {
        format!("ioglass tune --replay {} --html=tune.html", text::clean(&text::quoted(journal)))
    });
    match report.state {
        State::Gain => {
            screen.blank()?;
            if report.model.is_some() {
                let text = "a model proves nothing: run `ioglass tune` on the machine";
                labelled(screen, "use it", PLAIN, text)?;
            } else {
                let apply = words::apply(report);
                typed(screen, "use it", &format!("{apply} {here}"))?;
                let left = match words::stays_in_files(report) {
                    true => "files written with it keep their layout",
                    false => "nothing else was changed",
                };
                labelled(screen, "undo", PLAIN, &format!("leave out `{apply}`; {left}"))?;
            }
            replay.map_or(Ok(()), |replay| typed(screen, "more", &replay))
        }
        State::NothingToGain => {
            let rest = report.default.as_ref().and_then(|default| default.rest);
            let Some(rest) = rest.filter(|rest| *rest > 0.0 && report.model.is_none()) else {
                return Ok(());
            };
            let rest = words::second(rest);
            onward(screen, &format!("ioglass run -- {here}"), &format!("where the other {rest} go"))
        }
        State::Undecided | State::Interrupted => {
            let rounds = report.rounds.len() as u64 + report.more_rounds.unwrap_or(0);
            let rounds = match (report.state, report.more_rounds) {
                (State::Undecided, Some(_)) => Some(rounds),
                // Without a proof, or with too few rounds of one.
                (State::Undecided, None) => Some(15),
                _ => None,
            };
            let command = format!("{} {command}", words::resume(report, rounds));
            onward(screen, &command, "goes on where it stopped")
        }
        State::Failed => Ok(()),
    }
}

/// Writes a command that helps on, and what for if there is room.
fn onward<W: Write>(screen: &mut Screen<'_, W>, command: &str, why: &str) -> io::Result<()> {
    screen.blank()?;
    let command = screen.text(command);
    let label = "next:  ";
    let used = label.len() + text::width(&command) + AIR + text::width(why);
    let why = if used <= screen.width { format!("{:AIR$}{why}", "") } else { String::new() };
    screen.line(&[(PLAIN, label), (COMMAND, &command), (PLAIN, &why)])
}

/// Writes a command after a label, on one line.
fn typed<W: Write>(screen: &mut Screen<'_, W>, label: &str, command: &str) -> io::Result<()> {
    let label = format!("  {label:<width$}", width = LABEL - 2);
    let command = screen.text(command);
    screen.line(&[(PLAIN, &label), (COMMAND, &command)])
}

/// Writes text after a label.
fn labelled<W: Write>(
    screen: &mut Screen<'_, W>,
    label: &str,
    style: Style,
    text: &str,
) -> io::Result<()> {
    let room = screen.width.min(WIDEST).saturating_sub(LABEL).max(LABEL);
    for (line, place) in screen.wrap(text, room).iter().zip(0..) {
        let label = if place == 0 { label } else { "" };
        let label = format!("  {label:<width$}", width = LABEL - 2);
        screen.line(&[(PLAIN, &label), (style, line)])?;
    }
    Ok(())
}

/// Writes a sentence after a sign.
fn sentence<W: Write>(
    screen: &mut Screen<'_, W>,
    (sign, style): (char, Style),
    text: &str,
) -> io::Result<()> {
    let sign = screen.sign(sign);
    let indent = text::width(&sign) + 1;
    for (line, place) in screen.wrap(text, screen.room(indent)).iter().zip(0..) {
        let sign = if place == 0 { format!("{sign} ") } else { " ".repeat(indent) };
        screen.line(&[(style, &sign), (PLAIN, line)])?;
    }
    Ok(())
}
