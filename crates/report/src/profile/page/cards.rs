//! What stands out, as cards.

use ioglass_insight::profile::{OutKind, StandsOut, joined};
use maud::{Markup, html};

use super::super::json::path;
use super::Page;
use crate::html::head::unbroken;
use crate::number::{digits, percent, seconds};
use crate::text;

/// Ranks from which their bars are put together.
const BARS: usize = 128;

impl Page<'_> {
    /// The cards about regions that the page shows.
    pub(super) fn cards_shown(&self) -> Vec<&StandsOut> {
        let shown = |out: &&StandsOut| self.position(out.region).is_some();
        self.overview.stands_out.iter().filter(shown).collect()
    }

    /// The position of a region on the page.
    pub(super) fn position(&self, region: u32) -> Option<usize> {
        self.view.regions.iter().position(|shown| shown.region == region)
    }

    pub(super) fn cards(&self) -> Markup {
        let cards = self.cards_shown();
        html! {
            h2 { "What stands out" }
            p class="sub" {
                "Sorted by seconds. Orange is time in file calls, red is time that could be saved, at most."
            }
            div class="three" { @for out in cards { (self.card(out)) } }
        }
    }

    fn card(&self, out: &StandsOut) -> Markup {
        let (tag, colour) = match out.kind {
            OutKind::FileTime => ("time in files", "write"),
            OutKind::UnevenRanks => ("uneven · upper bound", "cost"),
            OutKind::SlowIteration => ("slow iteration", "cost"),
        };
        let whole = self.overview.seconds;
        let share = if whole > 0.0 { (out.seconds / whole).clamp(0.0, 1.0) } else { 0.0 };
        let commands = self.commands(out);
        let number = self.position(out.region).unwrap_or(0);
        html! {
            article class="card" data-kind=(out.kind.word()) data-seconds=(out.seconds) {
                header {
                    div {
                        span class="lv INFO" { small { (tag) } }
                        h3 { (unbroken(text::clean(&out.sentence).trim_end_matches('.'))) }
                    }
                    div class="secs" {
                        b { (large(out.seconds)) }
                        span { (percent(share)) " of the run" }
                    }
                }
                div class="share" style={ "color:var(--" (colour) ")" } {
                    i style={ "width:" (format!("{:.2}%", 100.0 * share)) } {}
                }
                @if !out.evidence.is_empty() { p { (unbroken(&text::clean(&out.evidence))) } }
                @if out.by_rank.len() > 1 { (self.spark(&out.by_rank)) }
                @if !commands.is_empty() {
                    div class="do" {
                        div { strong { "Do this" } button class="cp scripted" { "Copy" } }
                        div class="panel-alone" { pre { (commands.join("\n")) } }
                    }
                }
                div class="go scripted" {
                    a href={ "#region=" (number) } { "Show it in the tree" }
                    @match out.kind {
                        OutKind::FileTime => {},
                        OutKind::UnevenRanks => a href={ "#ranks=" (number) } { "Show the " (self.whose()) },
                        OutKind::SlowIteration => a href={ "#steps=" (number) } { "Show the iterations" },
                    }
                }
            }
        }
    }

    /// Bars of ranks; of many the slowest of neighbours.
    fn spark(&self, by_rank: &[(u32, f64)]) -> Markup {
        let most = by_rank.iter().map(|(_, time)| *time).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let per = by_rank.len().div_ceil(BARS);
        let slowest = |list: &[(u32, f64)]| list.iter().map(|(_, time)| *time).fold(0.0, f64::max);
        let (first, last) = (by_rank[0].0, by_rank[by_rank.len() - 1].0);
        html! {
            div class="spark" role="img" aria-label={ "Seconds by " (self.who()) ", " (first) " to " (last) } {
                @for bars in by_rank.chunks(per) {
                    i style={ "height:" (format!("{:.0}%", 100.0 * slowest(bars) / most)) } {}
                }
            }
            p class="hint ends" { span { (self.who()) " " (first) } span { (last) } }
        }
    }

    fn commands(&self, out: &StandsOut) -> Vec<String> {
        let file = text::quoted(&self.named());
        let only = text::quoted(&joined(&path(self.set.profile(), out.region)));
        let show = |by: &str| vec![format!("ioglass profile show {file} --only {only} --by {by}")];
        let mut commands = match out.kind {
            OutKind::FileTime => {
                let log = self.options.log.as_ref();
                let log = log.map(|log| text::quoted(&log.to_string_lossy()));
                log.map(|log| format!("ioglass report {log}")).into_iter().collect()
            }
            OutKind::UnevenRanks => show("rank"),
            OutKind::SlowIteration => show("iteration"),
        };
        // A command that cannot be shown as it is would do something else.
        commands.retain(|command| text::clean(command) == *command);
        commands
    }
}

/// Seconds in large letters, the unit in small ones.
fn large(value: f64) -> Markup {
    match value {
        _ if (0.0995..9_999.5).contains(&value) => html! { (digits(value)) small { " s" } },
        _ => html! { (seconds(value)) },
    }
}
