//! A result as one self-contained page. Words and tables are HTML; a script draws the charts from data
//! that the page carries.
//!
//! Names come from commands, journals and logs: every name is cleaned and escaped.

mod data;
mod head;
mod proof;
mod search;
mod settings;
mod undo;

use ioglass_tune::report::Report;
use ioglass_tune::tuning::State;
use maud::{Markup, PreEscaped, html};

use super::words;
use crate::html::frame::{self, Frame, Section};
use crate::html::{self, assets};
use crate::text;

/// Letters of a name that are shown.
const NAME: usize = 80;

/// The scripts, in an order in which each needs only those before it.
const SCRIPTS: [&str; 9] = [
    include_str!("../../web/chart/numbers.js"),
    include_str!("../../web/chart/tip.js"),
    include_str!("../../web/chart/svg.js"),
    include_str!("../../web/page/theme.js"),
    include_str!("../../web/page/controls.js"),
    include_str!("../../web/tune/scale.js"),
    include_str!("../../web/tune/proof.js"),
    include_str!("../../web/tune/search.js"),
    include_str!("../../web/tune/main.js"),
];

/// Returns all scripts as one.
pub(crate) fn script() -> String {
    assets::joined(&SCRIPTS)
}

pub(crate) fn style() -> String {
    let own = [include_str!("../../web/drawn.css"), include_str!("../../web/tune.css")];
    assets::STYLES.concat() + &own.concat()
}

/// Returns the page on a result.
pub fn page(report: &Report) -> String {
    Page { report }.whole()
}

struct Page<'a> {
    report: &'a Report,
}

impl Page<'_> {
    fn whole(&self) -> String {
        let program = text::shorten(&words::program(self.report), NAME);
        let sections = self.sections();
        let frame = Frame {
            title: format!("{program} · {}", self.sentence()),
            style: style(),
            skip: frame::first(&sections),
            hero: self.hero(),
            sections,
            footer: self.footer(),
            data: html!(script type="application/json" id="data" { (PreEscaped(html::data::embedded(&self.data()))) }),
            script: script(),
        };
        frame.page()
    }

    fn sections(&self) -> Vec<Section> {
        let report = self.report;
        let mut sections = Vec::new();
        let mut add = |id, name, body| sections.push(Section { id, name, body });
        if report.state == State::Failed {
            add("failure", "Why", self.failure());
        }
        if self.has_proof() {
            add("proof", "Proof", self.proof());
        }
        if report.tuned.is_some() {
            add("settings", "Settings", self.settings());
        }
        if !report.trials.is_empty() {
            add("search", "Search", self.search());
            add("trials", "Trials", self.trials());
        }
        if report.effects.iter().any(|effect| effect.trials > 0) {
            add("effects", "Parameters", self.effects());
        }
        if report.state != State::Failed {
            add("undo", if self.is_gain() { "Undo" } else { "Left behind" }, self.undo());
        }
        sections
    }

    fn is_gain(&self) -> bool {
        self.report.state == State::Gain
    }

    /// Rounds were run, and they gave an estimate.
    fn has_proof(&self) -> bool {
        let is_proven = self.report.speedup.as_ref().is_some_and(|speedup| speedup.confirmed);
        is_proven && !self.report.rounds.is_empty()
    }

    /// The best settings, in a word: only a gain makes them tuned.
    fn best(&self) -> &'static str {
        if self.is_gain() { "tuned" } else { "candidate" }
    }

    /// `model: `, where a model ran.
    fn of_model(&self) -> Markup {
        html! { @if self.report.model.is_some() { span class="WARN" { "model " } } }
    }

    fn footer(&self) -> Markup {
        let report = self.report;
        let command = text::shorten(&words::command(report), 300);
        html! {
            footer {
                div class="w" {
                    div {
                        b { "Provenance" } br;
                        @if let Some(model) = words::model(report) { "Model: " (model) "; no program ran." br; }
                        "Command: " code { (command) } br;
                        "Searched by " code { (text::clean(&report.search.method)) } ", seed " (report.search.seed)
                        "; objective: " code { (text::clean(&report.objective.name)) } "."
                        @if let Some(journal) = &report.journal { br; "Journal: " code { (text::clean(journal)) } "." }
                    }
                    div {
                        b { "How to read it" } br;
                        "What is said of the gain comes from the proof alone, never from the search. It is the Hodges–Lehmann estimate of default ÷ best over the rounds, with the exact interval of Wilcoxon’s signed-rank test."
                    }
                    div {
                        b { "Made by" } br;
                        "ioglass " (env!("CARGO_PKG_VERSION")) "."
                        @if let Some(journal) = &report.journal {
                            " The same as JSON: " code { "ioglass tune --replay " (text::clean(&text::quoted(journal))) " --json" }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ioglass_tune::report::TrialReport;

    use super::super::samples;
    use super::*;

    #[test]
    fn every_way_to_end_has_its_page() {
        let failed = Report {
            state: State::Failed,
            reason: Some("the default run failed with status 139".into()),
            default: None,
            tuned: None,
            speedup: None,
            ..samples::gain()
        };
        for (report, sections) in [
            (samples::gain(), "proof settings search trials effects undo"),
            (samples::nothing(), "proof settings search trials effects undo"),
            (samples::undecided(), "proof settings search trials effects undo"),
            (samples::interrupted(), "settings search trials effects undo"),
            (samples::model(), "proof settings search trials effects undo"),
            (failed, "failure search trials effects"),
        ] {
            let page = Page { report: &report };
            let found: Vec<&str> = page.sections().iter().map(|section| section.id).collect();
            assert_eq!(found.join(" "), sections, "{:?}", report.state);
            let html = page.whole();
            assert!(html.contains("default-src 'none'") && html.len() < 300_000);
            assert_eq!(
                html.contains("ioglass apply"),
                report.state == State::Gain && report.model.is_none()
                    || words::is_unproven(&report)
                    || report.state == State::Undecided
            );
        }
    }

    #[test]
    fn of_very_many_trials_the_best_are_listed() {
        let mut report = samples::gain();
        let trials = report.trials.clone();
        for n in report.trials.len() as u64..10_000 {
            let like = &trials[n as usize % trials.len()];
            report.trials.push(TrialReport { n: n + 1, run: n + 1, ..like.clone() });
        }
        let page = page(&report);
        assert!(page.len() < 2_000_000, "{}", page.len());
        assert_eq!(page.matches("<tr data-n=").count(), 2_000);
        assert!(page.contains("Of 10,000 the 2,000 best are listed"));
    }

    #[test]
    fn names_are_only_names() {
        let mut report = samples::gain();
        let name = "<img src=x onerror=alert(1)>\u{202e}</script>";
        report.command = vec![name.into()];
        report.journal = Some(name.into());
        report.best = Some(name.into());
        report.warnings = vec![name.into()];
        report.check.as_mut().unwrap().not_compared = vec![name.into()];
        report.trials[3].note = Some(name.into());
        report.trials[4].settings.insert(name.into(), name.into());
        report.verified[0].reason = Some(name.into());
        report.objective.name = format!("regions:{name}");
        report.search.parameters[0].values[1] = name.into();
        let page = page(&report);
        assert!(!page.contains("<img") && !page.contains('\u{202e}'));
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
