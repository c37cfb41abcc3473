//! The proof: every round, and what each layer gains alone.

use maud::{Markup, html};

use super::Page;
use crate::number::thousands;
use crate::tune::words;

impl Page<'_> {
    pub(super) fn proof(&self) -> Markup {
        let report = self.report;
        let Some(speedup) = &report.speedup else { return html! {} };
        let interval = words::interval(speedup).unwrap_or_default();
        let share = words::confidence(speedup).unwrap_or_default();
        let (better, all) = (words::better(report), report.rounds.len() as u64);
        let heading = match words::sides(report) {
            (_, 0) => format!("All {all} rounds were {better}"),
            (faster, _) => {
                format!("{} of {} rounds were {better}", thousands(faster), thousands(all))
            }
        };
        html! {
            h2 { (self.of_model()) (heading) }
            p class="sub" {
                "Fresh runs, made after the search was over: none of those that chose the settings counts for them. In each round default and "
                (self.best()) " run one after the other, in an order that is drawn."
            }
            div class="two" {
                div class="panel" {
                    p class="ptitle" { "Every round of the proof " small { (words::column(report)) } }
                    div class="drawn scripted" id="rounds-chart" {}
                    div class="leg" {
                        span { i class="k-meta round" {} "default" }
                        span { i class="k-data round" {} (self.best()) }
                        span { "above: line is the median, box the middle half of the rounds" }
                    }
                }
                div class="panel" {
                    p class="ptitle" { "How many times " (better) " " small { "all together on top, then each round; logarithmic" } }
                    div class="drawn scripted" id="ratios-chart" {}
                    p class="hint" {
                        "Estimate " (words::times(speedup.median)) ", " (share) " interval " (interval)
                        ". A gain is called one if all of the interval is above 1 and the estimate is at least " (words::times(report.worth)) "."
                    }
                }
            }
            div class="panel" {
                details {
                    summary { "The rounds as a table" }
                    div class="tw" { (self.rounds()) }
                }
            }
        }
    }

    fn rounds(&self) -> Markup {
        let report = self.report;
        let what = words::column(report);
        let has_wall = !words::is_whole(report);
        html! {
            table {
                thead {
                    tr {
                        th class="n" { "Round" } th { "First" }
                        th class="n" { "Default, " (what) } th class="n" { "Best, " (what) } th class="n" { "Times" }
                        @if has_wall { th class="n" { "Default, run" } th class="n" { "Best, run" } }
                    }
                }
                tbody {
                    @for round in &report.rounds {
                        tr {
                            td class="n" { (round.round) }
                            td { (if round.default_first { "default" } else { self.best() }) }
                            td class="n" data-v=(round.default) { (words::value(report, round.default)) }
                            td class="n" data-v=(round.tuned) { (words::value(report, round.tuned)) }
                            td class="n" data-v=(round.ratio) { (words::times(round.ratio)) }
                            @if has_wall {
                                td class="n" data-v=(round.default_wall) { (words::second(round.default_wall)) }
                                td class="n" data-v=(round.tuned_wall) { (words::second(round.tuned_wall)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// What each layer gains alone.
    pub(super) fn layers(&self) -> Markup {
        let report = self.report;
        html! {
            div class="panel" {
                p class="ptitle" {
                    "Layer by layer "
                    @if !report.layers.is_empty() { small { (self.of_model()) "the settings of one layer only; dots: one run each" } }
                }
                @if report.layers.is_empty() {
                    p class="gone" {
                        @if self.is_gain() { "All settings are of one layer: alone it gains what the proof says." }
                        @else { "Left out: there is no proven gain to share between layers." }
                    }
                } @else {
                    div class="drawn scripted" id="layers-chart" {}
                    p class="hint" { "What layers gain alone does not add up: some settings help only together." }
                }
            }
        }
    }
}
