//! The timeline, and tables of its phases and collective calls.

use ioglass_insight::view::{Cut, LaneDetail, MapMeasure, Room, TraceView};
use maud::{Markup, html};

use super::Page;
use super::findings::moments;
use crate::number::{bytes, counted, seconds, thousands};
use crate::text;

/// The page links to the calls if they fill less than this part of the run.
const FEW: f64 = 0.5;

impl Page<'_> {
    pub(super) fn time(&self) -> Markup {
        let traced = self.view.traced.as_ref().filter(|traced| !traced.lanes.is_empty());
        let has_flow = self.view.heat.iter().any(|map| map.measure == MapMeasure::Bytes);
        html! {
            h2 { @if traced.is_some() { "Every call, on one time axis" } @else { "Bytes over time" } }
            @match traced {
                Some(traced) => (self.about_trace(traced)),
                None if has_flow => p class="sub" {
                    "Bytes of all " (self.whose()) " by interface, in the bins of the log’s heat map. This log has no single calls. "
                    (self.to_see("them"))
                    @if !self.view.untimed.is_empty() {
                        " " (listed(&self.view.untimed)) " also moved bytes, which no heat map of this log shows."
                    }
                },
                None => {},
            }
            @if traced.is_some() || has_flow {
                div class="panel" {
                    (self.controls(traced))
                    canvas id="timeline" tabindex="0" role="img" aria-label=(self.label(traced)) {}
                    p class="hint" {
                        span id="timeline-detail" {}
                        span class="hide-s" {
                            " " kbd { "←" } " " kbd { "→" } " pan, " kbd { "+" } " " kbd { "−" } " or " kbd { "Ctrl" } " wheel zoom, "
                            kbd { "0" } " resets"
                        }
                    }
                    @if let Some(traced) = traced { (self.passes(traced)) }
                }
            } @else {
                div class="panel" {
                    p class="empty" {
                        "This log does not tell when bytes moved: its heat map is empty. "
                        (self.to_see("single calls"))
                    }
                }
            }
        }
    }

    fn about_trace(&self, traced: &TraceView<'_>) -> Markup {
        let calls: u64 = traced.lanes.iter().map(|lane| lane.calls).sum();
        let finest = traced.lanes.iter().find_map(|lane| match &lane.detail {
            LaneDetail::Cells(cells) => Some(cells.width as f64 / 1e9),
            LaneDetail::Calls(_) => None,
        });
        html! {
            p class="sub" {
                (counted(calls, "traced call", "traced calls")) " in " (counted(traced.phases.len() as u64, "phase", "phases")) ". "
                "Colour is the share of a pixel’s time spent in calls. "
                @if let Some((first, last)) = traced.phases.first().zip(traced.phases.last()) {
                    @if last.end - first.begin < FEW * self.view.span {
                        @let [begin, end] = moments((first.begin, last.end));
                        "All of them lie between " a href={ "#t=" (begin) "-" (end) } { (begin) " and " (end) " s" } ". "
                    }
                }
                @if let Some(finest) = finest {
                    @if calls > Room::FINEST.calls { "More than " (thousands(Room::FINEST.calls)) " calls are not shown one by one" }
                    @else { "They are too irregular to be shown one by one in a page of this size" }
                    ": the finest cells are " (exactly(finest))
                    " long, and every call is counted. To list all calls: " code { "ioglass dxt LOG" } "."
                }
            }
            (self.cut("later calls are missing here"))
        }
    }

    /// Warns if the trace is incomplete, and says what that means here.
    pub(super) fn cut(&self, so: &str) -> Markup {
        let cut = self.view.traced.as_ref().and_then(|traced| traced.cut);
        html! {
            @if let Some(cut) = cut {
                p class="sub cut" {
                    b { "!" } " The trace is incomplete: "
                    @match cut {
                        Cut::Full(ends) => { "the recorder ran out of memory after " (moment(ends)) }
                        Cut::Damaged => "a part of the log cannot be read",
                    }
                    "; " (so) "."
                }
            }
        }
    }

    /// The tables of phases and collective calls.
    fn passes(&self, traced: &TraceView<'_>) -> Markup {
        let number = |word: &str| html! { th scope="col" class="n" { (word) } };
        let who = if self.is_tree() { "Processes" } else { "Ranks" };
        html! {
            @if !traced.phases.is_empty() {
                details {
                    summary { (counted(traced.phases.len() as u64, "phase", "phases")) " as a table" }
                    div class="tw" {
                        table id="phases" {
                            thead { tr {
                                @for word in ["Phase", "Start", "Took", "Written", "Read", "Calls", who, "Last to end", "Behind the median by"] { (number(word)) }
                            } }
                            tbody {
                                @for (i, phase) in traced.phases.iter().enumerate() {
                                    tr {
                                        td class="n" { (i + 1) }
                                        td class="n" { (moment(phase.begin)) } td class="n" { (exactly(phase.seconds())) }
                                        td class="n" { (bytes(phase.written)) } td class="n" { (bytes(phase.read)) }
                                        td class="n" { (thousands(phase.requests)) }
                                        @if phase.ranks > 0 {
                                            td class="n" { (thousands(phase.ranks)) } td class="n" { (phase.last_rank) } td class="n" { (exactly(phase.tail())) }
                                        } @else { td class="n" { "?" } td class="n" { "?" } td class="n" { "?" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if !traced.rounds.is_empty() {
                details {
                    summary {
                        (counted(traced.rounds.len() as u64, "collective call", "collective calls")) " as a table"
                        @if traced.more_rounds > 0 { "; " (thousands(traced.more_rounds)) " shorter ones are not in it" }
                    }
                    div class="tw" {
                        table id="rounds" {
                            thead { tr {
                                @for word in ["Call", "Start", "Took", "Last to call after", "Asked", "POSIX wrote", "POSIX read", "Aggregators"] { (number(word)) }
                                th scope="col" { "File" }
                            } }
                            tbody {
                                @for (i, together) in traced.rounds.iter().enumerate() {
                                    @let round = &together.round;
                                    tr {
                                        td class="n" { (i + 1) @if together.is_read { " read" } @else { " write" } }
                                        td class="n" { (moment(round.begin)) } td class="n" { (exactly(round.end - round.begin)) }
                                        td class="n" { (exactly(round.complete - round.begin)) } td class="n" { (bytes(round.asked)) }
                                        td class="n" { (bytes(round.written)) } td class="n" { (bytes(round.read)) }
                                        td class="n" { (thousands(round.aggregators)) }
                                        td { (traced.files.get(together.file as usize).map_or(String::new(), |file| text::shorten_path(file.name, 60))) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn label(&self, traced: Option<&TraceView<'_>>) -> String {
        let keys = "Arrow keys pan, plus and minus zoom, 0 resets.";
        match traced {
            Some(_) => format!(
                "Timeline of all calls by {}, with bandwidth above. {keys} The tables below have its phases.",
                self.who()
            ),
            None => format!(
                "Bandwidth over time. {keys} Tables under the heat maps have the same sums."
            ),
        }
    }

    /// Buttons for the ranks to look at first, and a field for any others.
    fn quick_ways(&self, traced: &TraceView<'_>) -> Markup {
        if traced.lanes.iter().all(|lane| lane.rows.count() < 2) {
            return html! {};
        }
        let joined =
            |ranks: &[u32]| ranks.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let notable = &self.view.notable;
        let whose = self.whose();
        let zero_name = if self.is_tree() { "Process 0" } else { "Rank 0" };
        let zero = if traced.lanes.iter().any(|lane| lane.rows.has(0)) { &[0][..] } else { &[] };
        // Processes of a tree do not wait for each other.
        let last = if self.is_tree() || notable.last == zero { &[] } else { &notable.last[..] };
        let ways = [
            (zero, zero_name.to_owned(), String::new()),
            (
                &notable.slowest,
                format!("Slowest {}", notable.slowest.len()),
                format!("{whose} with most seconds in calls"),
            ),
            (
                last,
                "Last to end".into(),
                format!("{whose} that others waited for at the end of phases"),
            ),
        ];
        html! {
            span class="seg" role="group" aria-label={ "Which " (whose) } {
                button data-pick="" aria-pressed="true" { "All " (whose) }
                @for (ranks, name, title) in &ways {
                    @if !ranks.is_empty() {
                        button data-pick=(joined(ranks)) aria-pressed="false" title=[(!title.is_empty()).then_some(title)] { (name) }
                    }
                }
            }
            input id="timeline-ranks" type="search" size="10" placeholder="or 0, 8-15" aria-label={ "Show only these " (whose) ", as in 0, 8-15" };
        }
    }

    fn controls(&self, traced: Option<&TraceView<'_>>) -> Markup {
        let is_single = traced.is_some_and(|traced| traced.is_whole);
        let one_rank_a_row =
            traced.is_some_and(|traced| traced.lanes.iter().all(|lane| lane.rows.per_row == 1));
        html! {
            div class="tools" {
                span class="seg" role="group" aria-label="Drag does" {
                    button data-drag="zoom" aria-pressed="true" { "Drag to zoom" }
                    button data-drag="pan" aria-pressed="false" { "Pan" }
                }
                @if is_single {
                    span class="seg" role="group" aria-label="Colour by" {
                        button data-colour="operation" aria-pressed="true" { "Read / write" }
                        button data-colour="size" aria-pressed="false" { "Size" }
                        button data-colour="duration" aria-pressed="false" { "Duration" }
                    }
                }
                @if self.view.nodes.is_some() && one_rank_a_row {
                    span class="seg" role="group" aria-label="A row is" {
                        button data-rows="rank" aria-pressed="true" { "By " (self.who()) }
                        button data-rows="node" aria-pressed="false" { "By node" }
                    }
                }
                @if let Some(traced) = traced { (self.quick_ways(traced)) }
                (zoom("timeline"))
                button id="timeline-reset" disabled { "Reset" }
                span class="sp" {}
                @if is_single {
                    span class="leg" data-key="size" hidden { span { "to 100 B " i class="ramp marks" {} " above 1 GiB" } }
                    span class="leg" data-key="duration" hidden { span { "1 µs " i class="ramp marks" {} " 1 s" } }
                }
                span class="leg shows" role="group" aria-label="Show" {
                    button data-shows="read" aria-pressed="true" { i class="k-read" {} "read" }
                    button data-shows="write" aria-pressed="true" { i class="k-write" {} "write" }
                }
            }
        }
    }
}

/// Buttons that zoom a chart.
pub(super) fn zoom(chart: &str) -> Markup {
    html! {
        span class="seg" role="group" aria-label="Zoom" {
            button data-zoom=(chart) data-by="closer" aria-label="Zoom in" { "+" }
            button data-zoom=(chart) data-by="wider" aria-label="Zoom out" { "−" }
        }
    }
}

/// Returns `A, B and C`.
fn listed(names: &[&str]) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        _ => names.concat(),
    }
}

/// Formats a moment of the run.
fn moment(seconds: f64) -> String {
    format!("{seconds:.4} s")
}

/// Formats a duration with the digits that short ones need.
fn exactly(value: f64) -> String {
    match value {
        _ if value >= 1.0 || value <= 0.0 => seconds(value),
        _ if value >= 1e-3 => format!("{:.2} ms", value * 1e3),
        _ => format!("{:.2} µs", value * 1e6),
    }
}
