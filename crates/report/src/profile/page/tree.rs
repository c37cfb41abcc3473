//! Every region as a table, which is a tree once scripts run.

use ioglass_insight::profile::view::Shown;
use ioglass_profile::Kind;
use maud::{Markup, html};

use super::{Page, short};
use crate::number::{bytes, counted, percent, rate, seconds, short_seconds, thousands};

/// From this share on the slowest rank is printed bold.
const UNEVEN: f64 = 0.2;
/// Width of a bar of own time, in pixels.
const OWN: f64 = 32.0;
/// Width of a range, in pixels.
const WIDE: f64 = 72.0;

impl Page<'_> {
    pub(super) fn tree(&self) -> Markup {
        let (by_rank, has_io) = (self.has_ranks(), self.has_io());
        let most = self.view.regions.iter();
        let most = most.map(|shown| self.overview.regions[shown.region as usize].itself);
        let most = most.fold(0.0, f64::max);
        html! {
            h2 { "Every region" }
            p class="sub" {
                @if self.overview.ranks > 1 {
                    "Seconds are the sum over all " (self.whose()) ", divided by "
                    (thousands(self.overview.ranks.into())) ": children add up to their parent. "
                }
                @if by_rank {
                    "Over the " (self.whose()) ": those that were there. The bar reaches from the fastest to the slowest, on a line that begins at zero; the tick is the mean. Uneven is how much longer the slowest took than the mean."
                }
            }
            @if self.view.left_out > 0 {
                p class="sub cut" {
                    b { "!" } " The " (counted(self.view.left_out as u64, "region", "regions"))
                    " with the least time are left out here. All are in " code { "ioglass profile show --json" } "."
                }
            }
            div class="panel" {
                div class="tools scripted" {
                    div class="seg" id="tree-mode" role="group" aria-label="Order" {
                        button data-v="tree" aria-pressed="true" { "Tree" }
                        button data-v="flat" aria-pressed="false" { "Flat, by own time" }
                    }
                    button id="tree-open" { "Open all" }
                    button id="tree-close" { "Close all" }
                    span class="sp" {}
                    button id="tree-csv" { "Save as CSV" }
                }
                div class="tw" {
                    table id="tree" {
                        thead {
                            tr {
                                th {} th {}
                                th class="n" colspan="3" {
                                    @if self.overview.ranks > 1 { "seconds per " (self.who()) } @else { "seconds" }
                                }
                                @if by_rank { th class="grp" colspan="4" { "over the " (self.whose()) } }
                                @if has_io { th class="grp" colspan="4" { "files, of the region itself" } }
                            }
                            tr {
                                th { "Region" } th class="n" { "Visits" } th class="n fold" { "With children" }
                                th class="n" { "Itself" } th class="n" { "Share" }
                                @if by_rank {
                                    th class="grp fold" { "Fastest to slowest" } th class="n" { "Mean" }
                                    th class="n" { "Slowest" } th class="n" { "Uneven" }
                                }
                                @if has_io {
                                    th class="grp n" { "Read" } th class="n" { "Written" }
                                    th class="n" { "In calls" } th class="n" { "Rate" }
                                }
                            }
                        }
                        tbody {
                            @for (at, shown) in self.view.regions.iter().enumerate() { (self.tree_row(at, shown, most)) }
                            @if has_io { (self.outside_row(by_rank)) }
                        }
                    }
                }
                p class="hint scripted" {
                    kbd { "↑" } " " kbd { "↓" } " move, " kbd { "→" } " opens, " kbd { "←" } " closes or goes up, "
                    kbd { "Enter" } " shows it in the chart above, " kbd { "Esc" } " goes back."
                }
            }
        }
    }

    /// Returns true if figures of several ranks are shown.
    pub(super) fn has_ranks(&self) -> bool {
        self.view.columns.ranks > 1
    }

    fn has_io(&self) -> bool {
        self.set.profile().head.has_io
            || self.view.regions.iter().any(|shown| shown.files > 0.0)
            || !self.view.movers.is_empty()
    }

    fn tree_row(&self, at: usize, shown: &Shown, most: f64) -> Markup {
        let number = shown.region;
        let line = &self.overview.regions[number as usize];
        let summary = &self.set.summaries()[number as usize];
        let total = &summary.total;
        let kind = self.region(number).kind;
        let bar = if most > 0.0 { OWN * line.itself / most } else { 0.0 };
        let whole = self.overview.seconds;
        let mean = summary.ranks.mean_ns() / 1e9;
        let slowest = summary.ranks.max_ns as f64 / 1e9;
        let (read, written) = line.moved;
        let depth = line.depth.min(40);
        html! {
            tr data-i=(at) {
                td {
                    span class="nm" style={ "--d:" (depth) } {
                        span class="name" { (self.name(number)) }
                        @match kind {
                            Kind::Iteration => span class="kd" { "×" (thousands(line.iterations.unwrap_or(total.calls))) },
                            Kind::Span => span class="kd" { "span" },
                            Kind::Region => {},
                        }
                        @if total.open > 0 { span class="kd open" { "open" } }
                        @if let Some(place) = self.place(number) { span class="wh" { (place) } }
                    }
                }
                td class="n" { (thousands(total.calls)) }
                td class="n" { (short(line.seconds)) }
                td class="n" {
                    @if bar >= 0.5 { span class="mb" style={ "width:" (format!("{bar:.0}px")) } {} }
                    (short(line.itself))
                }
                td class="n" { @if whole > 0.0 { (percent(line.itself / whole)) } }
                @if self.has_ranks() {
                    td class="grp" { (range(summary.ranks.min_ns as f64 / 1e9, mean, slowest)) }
                    td class="n" {
                        (short(mean))
                        @if let Some(there) = line.on_ranks { span class="z" { " on " (thousands(there.into())) } }
                    }
                    td class="n" title={ (self.who()) " " (summary.ranks.slowest) } { (short(slowest)) }
                    td class="n" {
                        @if let Some(uneven) = line.uneven {
                            @if uneven >= UNEVEN { b { (percent(uneven)) } } @else { (percent(uneven)) }
                        }
                    }
                }
                @if self.has_io() {
                    td class="grp n" { @if read > 0 { (bytes(read)) } }
                    td class="n" { @if written > 0 { (bytes(written)) } }
                    td class="n" { @if line.io > 0.0 { (short_seconds(line.io)) } }
                    td class="n" { @if let Some(speed) = shown.rate { (rate(speed)) } }
                }
            }
        }
    }

    fn outside_row(&self, by_rank: bool) -> Markup {
        let outside = self.view.movers.iter().find(|mover| mover.region.is_none());
        let (read, written) = outside.map_or((0, 0), |mover| (mover.read, mover.written));
        html! {
            @if read > 0 || written > 0 || self.view.outside > 0.0 {
                tr class="z outside" {
                    td { span class="nm" style="--d:0" { "outside any region" } }
                    td {} td {} td {} td {}
                    @if by_rank { td class="grp" {} td {} td {} td {} }
                    td class="grp n" { @if read > 0 { (bytes(read)) } }
                    td class="n" { @if written > 0 { (bytes(written)) } }
                    td class="n" { @if self.view.outside > 0.0 { (short_seconds(self.view.outside)) } }
                    td {}
                }
            }
        }
    }
}

/// A bar from the fastest to the slowest rank, with a tick at the mean.
fn range(fastest: f64, mean: f64, slowest: f64) -> Markup {
    let whole = if slowest > 0.0 { slowest } else { 1.0 };
    let place = |value: f64| ((value / whole).clamp(0.0, 1.0) * (WIDE - 4.0) + 2.0).round();
    let words = format!("{} to {}", seconds(fastest), seconds(slowest));
    let (from, middle, to) = (place(fastest), place(mean), place(slowest));
    html! {
        span class="rp" role="img" aria-label=(words) style={ "--a:" (from) ";--m:" (middle) ";--b:" (to) } {}
    }
}
