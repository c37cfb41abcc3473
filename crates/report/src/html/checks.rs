//! The table of checks: every check that applies to the run.

use ioglass_insight::{Finding, State};
use maud::{Markup, html};

use super::missing::marked;
use super::{Page, level, spoken};
use crate::terminal::checks::reason;
use crate::text;

/// The states, with their words in cells and on buttons.
const STATES: [(State, &str, &str); 3] = [
    (State::Fired, "fired", "Fired"),
    (State::Fine, "fine", "Fine"),
    (State::NotCheckable, "not checkable", "Not checkable"),
];

impl Page<'_> {
    pub(super) fn checks(&self) -> Markup {
        let all = &self.selection.all;
        let count = |state: State| all.iter().filter(|finding| finding.state == state).count();
        html! {
            h2 { "What was checked" }
            p class="sub" { "A check that could not run proves nothing: only those marked fine do." }
            div class="panel" {
                div class="tools" {
                    span class="seg" role="group" aria-label="Show" data-filter="checks-table" {
                        button aria-pressed="true" data-state="" { "All " (all.len()) }
                        @for (state, word, name) in STATES {
                            button aria-pressed="false" data-state=(word) { (name) " " (count(state)) }
                        }
                    }
                }
                div class="tw" {
                    table id="checks-table" {
                        thead {
                            tr { th scope="col" { "State" } th scope="col" { "Code" } th scope="col" { "Check" } th scope="col" { "Evidence" } }
                        }
                        tbody { @for finding in all { (row(finding)) } }
                    }
                }
            }
        }
    }
}

fn row(finding: &Finding) -> Markup {
    let (class, icon) = level(finding.level, finding.state);
    let word =
        STATES.iter().find(|(state, ..)| *state == finding.state).map_or("", |(_, word, _)| word);
    let (code, slug) = (finding.detector.code, finding.detector.slug);
    html! {
        tr data-state=(word) {
            td class="st" { span class=(class) { (icon) " " (word) } }
            td { code { (code) } }
            td { (slug) }
            td {
                @match finding.need.filter(|_| finding.state == State::NotCheckable) {
                    Some(need) => (marked(&text::clean(&reason(finding)), need.typed())),
                    None => (spoken(&reason(finding))),
                }
                @if finding.state == State::Fired { " " a href={ "#" (code) } { "Show" } }
            }
        }
    }
}
