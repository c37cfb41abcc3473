//! The search: convergence, all trials, effects of values.

use ioglass_tune::journal::Outcome;
use ioglass_tune::report::TrialReport;
use maud::{Markup, html};

use super::Page;
use crate::html::spoken;
use crate::number::{counted, thousands};
use crate::text;
use crate::tune::words;

/// Trials that are listed.
const LISTED: usize = 2_000;
/// Letters of a note that are shown.
const NOTE: usize = 400;

impl Page<'_> {
    pub(super) fn search(&self) -> Markup {
        let report = self.report;
        let search = &report.search;
        let advised = report.trials.iter().filter(|trial| !trial.codes.is_empty());
        let best = |a: &&TrialReport, b: &&TrialReport| {
            a.gain.unwrap_or(0.0).total_cmp(&b.gain.unwrap_or(0.0))
        };
        let advised = advised.filter(|trial| trial.gain.is_some()).max_by(best);
        html! {
            h2 { (self.of_model()) "How it was found" }
            p class="sub" {
                (counted(search.runs, "run", "runs")) " of " (thousands(search.space)) " possible settings, by "
                (method(&search.method)) " (" code { (text::clean(&search.method)) } ", seed " (search.seed) "). "
                @if let Some(trial) = advised {
                    "It began with what the diagnosis of the default run advised: run " (trial.run) " (" (trial.codes.join(", ")) ") was "
                    (words::times(trial.gain.unwrap_or(0.0))) ". "
                }
                @if let Some(random) = search.random_estimate.filter(|_| search.method != "random") {
                    "Random search would have reached " (words::times(random)) ": an estimate from the journal, nothing was run for it. "
                }
                @if let Some(seen) = search.best_seen {
                    "The best run seen, " (words::times(seen)) ", is not the result: "
                    @if self.has_proof() { "the proof is." } @else { "only a proof is." }
                }
            }
            div class="panel scripted" {
                div class="tools" {
                    span class="leg" {
                        span { i class="k-data" {} "best so far" }
                        @if !report.random.is_empty() { span { i class="band" {} "random search, middle 80 % (estimate)" } }
                        span { i class="k-data round" {} "a run" }
                        @if advised.is_some() { span { i class="k-write round" {} "from the diagnosis" } }
                        span { i class="k-meta round" {} "default" }
                        span { "✕ not measured" }
                    }
                }
                div class="drawn" id="search-chart" {}
                p class="hint" { "Times is against the mean of the default runs. Point at a run for its settings; click it, or use the arrow keys, to find it among the trials below." }
            }
        }
    }

    pub(super) fn trials(&self) -> Markup {
        let report = self.report;
        let outcomes = &report.outcomes;
        let counts = [
            (outcomes.ok, "ok"),
            (outcomes.cut, "cut"),
            (outcomes.failed, "failed"),
            (outcomes.timeout, "timeout"),
            (outcomes.wrong, "wrong"),
            (outcomes.disturbed, "disturbed"),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", thousands(*count)))
            .collect();
        let listed = self.listed();
        let count = thousands(listed.len() as u64);
        let most = report.search.best_seen;
        html! {
            h2 { (self.of_model()) "Every trial" }
            p class="sub" {
                (counts.join(", ")) ". What failed or was wrong is never tried again and never wins. Times is against the mean of the default runs."
                @if listed.len() < report.trials.len() { " Of " (thousands(report.trials.len() as u64)) " the " (count) " best are listed; the JSON has all." }
                @if report.search.cached > 0 { " " (counted(report.search.cached, "repeat was", "repeats were")) " answered from an earlier run." }
            }
            div class="panel" {
                div class="tools" {
                    input class="scripted" type="search" id="trials-search" placeholder="Filter: gp, cut, cb_nodes=16 …" aria-label="Filter trials";
                    span id="trials-count" aria-live="polite" { (count) " of " (count) }
                    span class="sp" {}
                    button class="scripted" id="trials-csv" { "Save as CSV" }
                }
                div class="tw" {
                    table id="trials-table" {
                        thead {
                            tr {
                                th scope="col" class="n" aria-sort="ascending" { button { "Run" } }
                                th scope="col" { button { "From" } }
                                th scope="col" class="n" { button { (words::column(report)) } }
                                th scope="col" class="n" { button { "Times" } }
                                th scope="col" class="n" { button { "Run time" } }
                                th scope="col" { button { "Outcome" } }
                                th scope="col" { button { "Settings that differ from the default" } }
                            }
                        }
                        tbody { @for trial in &listed { (self.trial(trial, most)) } }
                    }
                }
                p class="empty" id="trials-none" hidden { "No trial matches. " button { "Clear the filter" } }
            }
        }
    }

    /// The trials that are listed: of very many the best, in the order in which they were asked for.
    pub(super) fn listed(&self) -> Vec<&TrialReport> {
        let mut trials: Vec<&TrialReport> = self.report.trials.iter().collect();
        if trials.len() > LISTED {
            let gain = |trial: &TrialReport| trial.gain.unwrap_or(0.0);
            trials.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
            trials.truncate(LISTED);
            trials.sort_by_key(|trial| trial.n);
        }
        trials
    }

    fn trial(&self, trial: &TrialReport, most: Option<f64>) -> Markup {
        let (class, sign) = match trial.outcome {
            Outcome::Ok => ("", ""),
            Outcome::Cut | Outcome::Timeout | Outcome::Cancelled => ("", "✕ "),
            Outcome::Failed | Outcome::Wrong => ("HIGH", "▲ "),
            Outcome::Disturbed => ("WARN", "◆ "),
        };
        let is_best = trial.gain.is_some() && trial.gain == most;
        let settings = match trial.settings.is_empty() {
            true => "(default)".to_owned(),
            false => words::settings(&trial.settings),
        };
        let note = trial.note.as_deref().map(|note| text::shorten(&note.replace('\n', " "), NOTE));
        html! {
            tr data-n=(trial.n) {
                td class="n" data-v=(trial.run) { (trial.run) }
                td { (words::proposed(trial)) @if trial.cached { " " span class="z" { "(again)" } } }
                td class="n" data-v=[trial.value] { @if let Some(value) = trial.value { (words::value(self.report, value)) } }
                td class="n" data-v=[trial.gain] {
                    @if let Some(gain) = trial.gain { @if is_best { b { (words::times(gain)) } } @else { (words::times(gain)) } }
                }
                td class="n" data-v=(trial.wall) { @if trial.outcome == Outcome::Cut { "> " } (words::second(trial.wall)) }
                td class=(class) data-v=(trial.outcome.name()) { (sign) (trial.outcome.name()) }
                td class="s" data-v=(settings) { (settings) @if let Some(note) = note { span { (note) } } }
            }
        }
    }

    pub(super) fn effects(&self) -> Markup {
        let parameters = self.parameters();
        html! {
            h2 { (self.of_model()) "What each value went along with" }
            p class="sub" {
                "The runs of the search with a value against all other runs: the ratio of their mean times. Right of 1 is " (words::better(self.report))
                ". The line is two standard errors to each side; one that crosses 1 says nothing. A searcher tries good values together, so this is a hint, not a proof. The axis is logarithmic."
            }
            div class="panel" {
                div class="fx scripted" {
                    @for (i, parameter) in parameters.iter().enumerate() {
                        div {
                            h3 { (parameter.name) }
                            @if !parameter.about.is_empty() { p { (spoken(&parameter.about)) } }
                            div id={ "effect-" (i) } {}
                        }
                    }
                }
                details {
                    summary { "The same as a table" }
                    div class="tw" {
                        table {
                            thead { tr { th { "Parameter" } th { "Value" } th class="n" { "Times" } th class="n" { "Low" } th class="n" { "High" } th class="n" { "Runs" } } }
                            tbody {
                                @for effect in &self.report.effects {
                                    tr {
                                        td { (text::clean(&effect.name)) }
                                        td { (text::clean(&effect.value)) }
                                        td class="n" data-v=(effect.ratio) { (words::times(effect.ratio)) }
                                        td class="n" data-v=[effect.low] { @if let Some(low) = effect.low { (words::times(low)) } }
                                        td class="n" data-v=[effect.high] { @if let Some(high) = effect.high { (words::times(high)) } }
                                        td class="n" { (thousands(effect.trials)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A searcher, in words.
fn method(name: &str) -> &'static str {
    match name {
        "gp" => "a Gaussian process",
        "tpe" => "densities of good and bad values",
        "ga" => "a genetic algorithm",
        "random" => "random search over a Latin hypercube",
        "impact" => "one parameter after the other",
        _ => "a searcher",
    }
}
