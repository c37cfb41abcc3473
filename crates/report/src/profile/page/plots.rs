//! Places of charts: a title, a line on how to read them, and a table with the same numbers.

use ioglass_insight::profile::Steps;
use ioglass_insight::profile::view::StepView;
use maud::{Markup, html};

use super::{Page, short};
use crate::html::head::unbroken;
use crate::number::{counted, ratio, short_seconds, thousands};

/// Ranks that can be chosen one by one.
const CHOSEN: usize = 2_048;

impl Page<'_> {
    pub(super) fn flame(&self) -> Markup {
        let columns = &self.view.columns;
        let has_io = self.view.regions.iter().any(|shown| shown.files > 0.0);
        html! {
            h2 { "Where the time goes" }
            p class="sub" {
                "Each bar is a region, as wide as its seconds; what it calls hangs below it. A click fills the width with a bar, a click on the bar above goes back."
            }
            noscript { p class="sub" { "This chart needs JavaScript. The table below has the same numbers." } }
            div class="panel scripted" {
                div class="tools" {
                    div class="seg" id="flame-colour" role="group" aria-label="Colour" hidden[!has_io && !self.has_ranks()] {
                        button data-v="work" aria-pressed="true" { "Kind of work" }
                        @if has_io { button data-v="files" aria-pressed="false" { "Share in files" } }
                        @if self.has_ranks() { button data-v="uneven" aria-pressed="false" { "Uneven" } }
                    }
                    @if columns.per == 1 && columns.count > 1 && columns.count <= CHOSEN {
                        label {
                            @if self.is_tree() { "Process " } @else { "Rank " }
                            select id="flame-rank" { option value="-1" { "mean of all " (columns.count) } }
                        }
                    }
                    input type="search" id="find" placeholder="Find a region, press /" aria-label="Find a region";
                    span id="found" aria-live="polite" {}
                    span class="sp" {}
                    button id="flame-reset" disabled { "Reset" }
                }
                div class="crumb" id="crumb" {}
                canvas id="icicle" role="img" tabindex="0"
                    aria-label="The regions as a flame graph, outermost on top. Arrow keys move, Enter fills the width, Escape goes back. The table below has the same numbers." {}
                div class="leg" id="flame-key" {}
                p class="hint" {
                    kbd { "←" } " " kbd { "→" } " " kbd { "↑" } " " kbd { "↓" } " move, " kbd { "Enter" } " fills the width, "
                    kbd { "Esc" } " goes back, " kbd { "/" } " finds. What is selected here is selected in the table and in the charts below."
                }
            }
        }
    }

    pub(super) fn ranks(&self) -> Markup {
        let columns = &self.view.columns;
        let (who, whose) = (self.who(), self.whose());
        html! {
            h2 { "Which " (who) " does what" }
            p class="sub" {
                "A patch that stands out in its row is work that is shared unevenly. Where the same patch is pale in another row, the others wait for it there."
                @if columns.per > 1 {
                    " There are " (self.counted_ranks(columns.ranks.into())) ": " (columns.per)
                    " share a column, which shows the slowest of them."
                }
            }
            noscript { p class="sub" { "These charts need JavaScript. Fastest, mean and slowest are in the table above; " code { "ioglass profile show --by rank" } " has all of them." } }
            div class="panel scripted" {
                div class="tools" {
                    div class="seg" id="matrix-scale" role="group" aria-label="Scale" {
                        button data-v="mean" aria-pressed="true" { "Against the region’s mean" }
                        button data-v="seconds" aria-pressed="false" { "Seconds" }
                    }
                    div class="seg" id="matrix-order" role="group" aria-label={ "Order of " (whose) } {
                        button data-v="rank" aria-pressed="true" { "By " (who) }
                        button data-v="time" aria-pressed="false" { "Slowest first" }
                    }
                    span class="leg" {
                        span { "0 s " i class="ramp" {} " " span id="ramp-end" {} }
                        span { i class="absent" {} "never there" }
                    }
                }
                p class="ptitle" id="ranks-title" {}
                canvas id="ranks-bars" role="img" tabindex="0"
                    aria-label={ "Seconds of the selected region on each " (who) ". Arrow keys go from bar to bar; the table below has the same numbers." } {}
                p class="ptitle next" {
                    "Region × " (who) " "
                    small { "seconds in the region itself; the bars at the right are the mean" }
                }
                canvas id="matrix" role="img" tabindex="0"
                    aria-label={ "Heat map, region by " (who) ". Arrow keys go from cell to cell, Enter selects the region. The table above has fastest, mean and slowest." } {}
                p class="hint" id="matrix-rest" hidden {}
                details id="ranks-table" data-long="true" {
                    summary { "The selected region, " (who) " by " (who) ", as a table" }
                    div class="tw" { table {} }
                }
            }
        }
    }

    pub(super) fn steps(&self) -> Markup {
        let steps = &self.view.steps;
        html! {
            h2 id="steps-title" { (self.steps_title(&steps[0])) }
            p class="sub" {
                "Each region that keeps its iterations, one bar for each of them: the mean of all " (self.whose())
                ", and a line at the slowest. "
                span id="steps-slowest" { (self.slowest_words(&steps[0])) }
                @if self.view.steps_left_out > 0 {
                    " The " (counted(self.view.steps_left_out as u64, "region", "regions"))
                    " with the least time are left out."
                }
            }
            noscript { p class="sub" { "The chart needs JavaScript. The slowest are in the tables below." } }
            div class="panel" {
                div class="tools scripted" {
                    div class="seg" id="steps-which" role="group" aria-label="Region" {
                        @for (at, view) in steps.iter().enumerate() {
                            button data-v=(at) data-title=(self.steps_title(view)) data-slowest=(self.slowest_words(view)) aria-pressed=(at == 0) {
                                (self.name(view.region)) " ×" (thousands(view.count))
                            }
                        }
                    }
                    div class="seg" id="steps-scale" role="group" aria-label="Scale" {
                        button data-v="line" aria-pressed="true" { "Seconds" }
                        button data-v="root" aria-pressed="false" { "Square root" }
                    }
                    span class="leg" id="steps-key" {}
                    span class="sp" {}
                    button id="steps-reset" disabled { "Reset" }
                }
                div class="scripted" {
                    p class="ptitle" { "Seconds, one by one " small id="steps-each" { "▲ the slowest" } }
                    canvas id="steps" role="img" tabindex="0"
                        aria-label="Seconds of each iteration. Plus and minus zoom, arrow keys move, 0 shows all. The table below has the slowest." {}
                    p class="hint" {
                        "Drag to zoom, " kbd { "+" } " " kbd { "−" } " " kbd { "←" } " " kbd { "→" } " by keys, "
                        kbd { "0" } " shows all. The address holds what is shown."
                    }
                }
                @for (at, view) in steps.iter().enumerate() { (self.slowest(at, view)) }
            }
        }
    }

    fn steps_of(&self, view: &StepView) -> Option<&Steps> {
        self.overview.steps.iter().find(|steps| steps.region == view.region)
    }

    fn steps_title(&self, view: &StepView) -> String {
        let name = self.name(view.region);
        let mut title = format!("{} iterations of {name}", thousands(view.count));
        if let Some(steps) = self.steps_of(view) {
            title += &format!(", {} each", short_seconds(steps.median));
            if let Some((one_in, slow)) = steps.tail {
                title += &format!(", one in {one_in} takes {}", short_seconds(slow));
            }
        }
        title
    }

    fn slowest_words(&self, view: &StepView) -> String {
        let slowest = self.steps_of(view).map(|steps| steps.slowest);
        slowest.map_or(String::new(), |(number, seconds)| {
            let (number, seconds) = (thousands(number), short_seconds(seconds));
            unbroken(&format!("The slowest is number {number} with {seconds}."))
        })
    }

    /// The slowest iterations of a region, as a table.
    fn slowest(&self, at: usize, view: &StepView) -> Markup {
        let Some(steps) = self.steps_of(view) else { return html! {} };
        let slowest = &self.set.summaries()[view.region as usize].slowest;
        let is_threaded = slowest.iter().any(|slow| slow.thread > 0);
        let is_repeated = slowest.iter().any(|slow| slow.execution > 0);
        html! {
            details class="slow" data-i=(at) {
                summary { "The slowest iterations of " (self.name(view.region)) ", as a table" }
                div class="tw" {
                    table {
                        thead {
                            tr {
                                th class="n" { "Iteration" } th class="n" { "Seconds" }
                                th class="n" { "Against the median" }
                                th class="n" { @if self.is_tree() { "Process" } @else { "Rank" } }
                                @if is_threaded { th class="n" { "Thread" } }
                                @if is_repeated { th class="n" { "Execution" } }
                                th {}
                            }
                        }
                        tbody {
                            @for slow in slowest {
                                @let time = slow.time_ns as f64 / 1e9;
                                tr {
                                    td class="n" { b { (thousands(slow.iteration)) } }
                                    td class="n" data-v=(time) { (short(time)) }
                                    td class="n" { @if steps.median > 0.0 { (ratio(time / steps.median)) } }
                                    td class="n" { (slow.rank) }
                                    @if is_threaded { td class="n" { (slow.thread) } }
                                    @if is_repeated { td class="n" { (slow.execution) } }
                                    td {}
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
