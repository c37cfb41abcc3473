//! The head of the page: the answer, both sides as bars, and what to type.

use ioglass_tune::report::Side;
use ioglass_tune::tuning::State;
use maud::{Markup, html};

use super::{NAME, Page};
use crate::html::head::{flex, unbroken};
use crate::number::{counted, percent, thousands};
use crate::text;
use crate::tune::words;

/// Letters of a command that stay on one line.
const LINE: usize = 44;

impl Page<'_> {
    /// The answer, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let report = self.report;
        let speedup = report.speedup.as_ref();
        let gain = speedup.map(|speedup| words::times(speedup.median)).unwrap_or_default();
        let better = words::better(report);
        let reason = report.reason.as_deref().map(text::clean);
        let sentence = match (report.state, speedup) {
            (State::Gain, Some(_)) => {
                let step = self.step().map_or_else(String::new, |step| format!("{step}: "));
                format!("{step}{gain} {better}")
            }
            (State::NothingToGain, Some(_)) if words::is_slower_as_a_whole(report) => {
                format!("Nothing to gain: {gain} {better}, but the run as a whole is slower")
            }
            (State::NothingToGain, Some(_)) if reason.is_none() => {
                "Nothing to gain: the defaults are as good as anything found".into()
            }
            (State::Undecided, Some(_)) if !words::is_unproven(report) => {
                format!("Undecided: perhaps {gain} {better}, perhaps not")
            }
            (State::Undecided, Some(_)) => format!("Not proven: best so far {gain}"),
            (State::Interrupted, speedup) => {
                let runs = counted(report.search.all_runs, "run", "runs");
                match speedup {
                    Some(_) => format!("Stopped after {runs}: best so far {gain}, not proven"),
                    None => format!("Stopped after {runs}: nothing better was found so far"),
                }
            }
            (state, _) => {
                let word = match state {
                    State::NothingToGain => "Nothing to gain",
                    State::Failed => "The search failed",
                    _ => "Undecided",
                };
                reason.map_or_else(|| word.into(), |reason| format!("{word}: {reason}"))
            }
        };
        let end = if sentence.ends_with('.') { "" } else { "." };
        match report.model {
            Some(_) => format!("On a model: {sentence}{end}"),
            None => sentence + end,
        }
    }

    /// `I/O takes 5.02 s instead of 15.0`.
    fn step(&self) -> Option<String> {
        let report = self.report;
        let (default, tuned) = (report.default.as_ref()?, report.tuned.as_ref()?);
        let ([before, after], unit) = words::values(report, [default.median, tuned.side.median]);
        let (what, verb) = words::subject(report);
        Some(format!("{what} {verb} {after}{unit} instead of {before}"))
    }

    pub(super) fn hero(&self) -> Markup {
        let report = self.report;
        html! {
            div class="hero two-sided" {
                div class="job" {
                    b { (text::shorten(&words::program(report), NAME)) }
                    @if let Some(model) = words::model(report) { span { "model of " (model) } }
                    @if let Some(run) = &report.run {
                        span {
                            (counted(run.ranks, "rank", "ranks"))
                            @if let Some(nodes) = run.nodes { " on " (counted(nodes, "node", "nodes")) }
                        }
                        @if run.runner == "slurm" { span { "in jobs of Slurm" } }
                        @for fact in [&run.file_system, &run.stack].into_iter().flatten() { span { (text::shorten(fact, NAME)) } }
                    }
                    span { (counted(report.search.all_runs, "run", "runs")) @if report.model.is_none() { " in " (words::span(report.search.seconds)) } }
                    @if let Some(began) = report.run.as_ref().and_then(|run| run.began.as_ref()) { span { (text::shorten(began.split('T').next().unwrap_or(began), NAME)) } }
                }
                @if !report.warnings.is_empty() {
                    ul class="alert" aria-label="What should be known" {
                        @for warning in &report.warnings { li { b { "!" } " " (text::clean(warning)) } }
                    }
                }
                div {
                    @if report.model.is_some() { p { span class="model" { "model: no program ran" } } }
                    h1 { (unbroken(&self.sentence())) }
                    (self.lede())
                    (self.bars())
                }
                (self.what_to_type())
            }
        }
    }

    /// What comes after the answer.
    fn lede(&self) -> Markup {
        let report = self.report;
        let Some(speedup) = report.speedup.as_ref().filter(|_| self.has_proof()) else {
            return self.without_proof();
        };
        let interval = words::interval(speedup).unwrap_or_default();
        let share = words::confidence(speedup).unwrap_or_default();
        let rounds = words::rounds(report);
        let wall = report.default.as_ref().zip(report.tuned.as_ref()).map(|(default, tuned)| {
            let ([before, after], unit) = words::seconds([default.wall, tuned.side.wall]);
            (before, after, unit)
        });
        let is_whole = words::is_whole(report) || report.model.is_some();
        html! {
            p class="lede" {
                @match report.state {
                    State::Gain => {
                        "The truth lies between " b { (interval.replace(" to ", "× and ")) "×" } " (" (share) "), by " (rounds) " of default and tuned in turn. "
                        @if let Some((before, after, unit)) = wall.filter(|_| !is_whole) {
                            "The whole run takes " b { (after) " instead of " (before) (unit) } ". "
                        }
                        @if report.check.as_ref().is_some_and(|check| check.state == "same") { "It writes the same data." }
                    },
                    State::Undecided => {
                        "The interval, " b { (interval) } " (" (share) "), holds both “no difference” and a gain worth having. "
                        @if let Some(more) = report.more_rounds { b { (counted(more, "more round", "more rounds")) } " would probably decide it. " }
                        "Until then nothing is recommended."
                    },
                    _ => {
                        "In " (rounds) " the best candidate was " b { (words::times(speedup.median)) " as fast" } " (" (interval) ", " (share) "). "
                        @if let Some((before, after, unit)) = wall.filter(|_| words::is_slower_as_a_whole(report)) {
                            "The whole run takes " b { (after) " instead of " (before) (unit) } ". "
                        } @else if let Some(best) = report.search.best_seen.filter(|best| *best >= report.worth) {
                            "One run of the search looked " (words::times(best)) " " (words::better(report)) ": that was luck, and the proof did not repeat it. "
                        }
                        @if let Some(most) = &report.at_most {
                            "At most there would be " (words::times(most.speedup)) ": what was measured is " (percent(most.share)) " of the run."
                        }
                    },
                }
            }
        }
    }

    fn without_proof(&self) -> Markup {
        let report = self.report;
        html! {
            @if words::is_unproven(report) {
                p class="lede" {
                    "The best of " (counted(report.search.runs, "run", "runs")) " is no result: it may have been lucky. "
                    "Only fresh runs of default and candidate in turn prove a gain."
                }
            } @else if report.state == State::NothingToGain {
                p class="lede" { (counted(report.search.runs, "run was", "runs were")) " made; none can be used." }
            }
        }
    }

    /// Both sides on one scale, each with the rest of the run behind what is measured.
    fn bars(&self) -> Markup {
        let report = self.report;
        let (Some(default), Some(tuned)) = (&report.default, &report.tuned) else {
            return html! {};
        };
        let tuned = &tuned.side;
        let length = |side: &Side| side.median + side.rest.unwrap_or(0.0);
        let most = length(default).max(length(tuned));
        if most <= 0.0 {
            return html! {};
        }
        let sides = [("default", default, "k-meta"), (self.best(), tuned, "k-data")];
        let (what, _) = words::subject(report);
        html! {
            div class="runs" {
                @for (name, side, class) in sides {
                    span class="c" { (self.of_model()) (name) }
                    div style={ "width:" (format!("{:.2}", 100.0 * length(side) / most)) "%" } {
                        div class="bar" {
                            i class=(class) style={ "flex:" (flex(side.median / most)) " 0 0" } { (words::value(report, side.median)) }
                            @if let Some(rest) = side.rest.filter(|rest| *rest > 0.0) {
                                i class="k-out" style={ "flex:" (flex(rest / most)) " 0 0" } { (words::second(rest)) }
                            }
                        }
                    }
                    span class="v" {
                        @if side.rest.is_some_and(|rest| rest > 0.0) { (what) " " (words::of(side.median, side.wall)) }
                        @else { (words::value(report, side.median)) }
                    }
                }
            }
            div class="leg" {
                span { i class="k-meta" {} i class="k-data" {} (what) }
                @if default.rest.is_some_and(|rest| rest > 0.0) { span { i class="k-out" {} "everything else" } }
                span { "medians of " (thousands(default.runs)) " and " (thousands(tuned.runs)) " runs" }
            }
        }
    }

    /// Commands to copy, in several forms.
    fn what_to_type(&self) -> Markup {
        let forms = self.forms();
        if forms.is_empty() {
            return html! {};
        }
        html! {
            aside class="use" {
                div class="do" {
                    div {
                        strong { (if self.is_gain() { "Type this" } else { "What now" }) }
                        @if forms.len() > 1 {
                            span class="seg" role="tablist" aria-label="In which form" {
                                @for (i, (name, ..)) in forms.iter().enumerate() {
                                    button role="tab" id={ "use-tab-" (i) } aria-controls={ "use-panel-" (i) } aria-selected=(if i == 0 { "true" } else { "false" }) { (name) }
                                }
                            }
                        }
                        button class="cp scripted" { "Copy" }
                    }
                    @for (i, (_, code, why)) in forms.iter().enumerate() {
                        @if forms.len() > 1 { div role="tabpanel" id={ "use-panel-" (i) } aria-labelledby={ "use-tab-" (i) } hidden[i > 0] { (form(code, why)) } }
                        @else { div class="panel-alone" { (form(code, why)) } }
                    }
                }
            }
        }
    }

    /// Name, command and purpose of each.
    fn forms(&self) -> Vec<(&'static str, String, String)> {
        let report = self.report;
        let command = words::command(report);
        let rest = report.default.as_ref().and_then(|default| default.rest);
        let mut forms: Vec<(&str, String, String)> = Vec::new();
        let mut add = |name, code: String, why: &str| forms.push((name, code, why.to_owned()));
        if report.model.is_some() {
            add(
                "On the machine",
                "ioglass tune -- CMD".into(),
                "A model is good for comparing searchers, not for predicting a machine. Only runs of your program on it prove a gain.",
            );
            return forms;
        }
        // A long line is broken where the command begins.
        let line = |ours: &str, command: &str| match ours.len() + command.len() {
            0..=LINE => format!("{ours} {command}"),
            _ => format!("{ours} \\\n  {command}"),
        };
        let here = words::command_here(report);
        let run = |ours: &str| line(ours, &here);
        let resume = |rounds: Option<u64>| line(&words::resume(report, rounds), &command);
        let without = run(&words::apply_each(report));
        match report.state {
            State::Gain => {
                let apply = words::apply(report);
                add(
                    "Run it",
                    run(&apply),
                    "Anything after -- works: the settings belong to the files of the program, not to its command line.",
                );
                if let Some(best) = &report.best {
                    let best = text::clean(&text::quoted(best));
                    add(
                        "Job script",
                        format!("eval \"$(ioglass apply --env {best})\"\n{here}"),
                        "For launchers that pass the environment on: LD_PRELOAD and IOGLASS_SETTINGS.",
                    );
                    add("Without the file", without, "The same settings, all on the command line.");
                }
            }
            State::NothingToGain => {
                if let Some(rest) = rest.filter(|rest| *rest > 0.0) {
                    let why = format!(
                        "What was measured is a part of the run. Look where the other {} go.",
                        words::second(rest)
                    );
                    add("Look elsewhere", format!("ioglass run -- {here}"), &why);
                }
            }
            State::Undecided if self.has_proof() => {
                let rounds = report.rounds.len() as u64 + report.more_rounds.unwrap_or(0);
                add(
                    "Decide it",
                    resume(Some(rounds)),
                    "Goes on where this search stopped: only new rounds are run.",
                );
                add(
                    "Try it anyway",
                    without,
                    "The file with the best settings holds none, as nothing was proven.",
                );
            }
            State::Undecided | State::Interrupted if report.tuned.is_some() => {
                let rounds = (report.state == State::Undecided).then_some(15);
                add("Go on", resume(rounds), "Goes on where this search stopped.");
                add("Try it anyway", without, "Nothing was proven.");
            }
            State::Undecided | State::Interrupted => {
                add("Go on", resume(None), "Goes on where this search stopped.");
            }
            State::Failed => {}
        }
        forms
    }

    /// The last lines of what failed.
    pub(super) fn failure(&self) -> Markup {
        let bad = self.report.trials.iter().rev().find_map(|trial| trial.note.as_deref());
        let lines: Vec<String> = bad.unwrap_or_default().lines().map(text::clean).collect();
        html! {
            h2 { "The last lines that it printed" }
            div class="panel" {
                @if lines.is_empty() { p class="empty" { "It printed nothing." } }
                @else { pre tabindex="0" { (lines.join("\n")) } }
            }
        }
    }
}

fn form(code: &str, why: &str) -> Markup {
    html! {
        pre tabindex="0" { (code) }
        p class="hint" { (why) }
    }
}
