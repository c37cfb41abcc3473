//! The place for what happened when: the timeline, and tables of its phases and collective calls.

use ioglass_insight::Need;
use ioglass_insight::view::{Detail, Measure, Traced};
use maud::{Markup, html};

use super::Page;
use super::findings::moments;
use crate::number::{bytes, counted, seconds, thousands};
use crate::text;

/// Calls within less than this part of the run are worth a closer look.
const FEW: f64 = 0.5;

impl Page<'_> {
    pub(super) fn time(&self) -> Markup {
        let traced = self.view.traced.as_ref().filter(|traced| !traced.lanes.is_empty());
        let has_flow = self.view.heat.iter().any(|map| map.measure == Measure::Bytes);
        html! {
            h2 { @if traced.is_some() { "Every call, on one time axis" } @else { "Bytes over time" } }
            @match traced {
                Some(traced) => (self.about_trace(traced)),
                None if has_flow => p class="sub" {
                    "Bytes that all moved together, by interface, in the bins of the log’s heat map. Single calls are not in this log: "
                    (Need::Trace.remedy()) "."
                },
                None => {},
            }
            @if traced.is_some() || has_flow {
                div class="panel" {
                    (controls(traced))
                    canvas id="timeline" tabindex="0" role="img" aria-label=(label(traced)) {}
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
                        "This log does not tell when bytes moved: it has neither a heat map nor a trace. For the first, "
                        (Need::Heatmap.remedy()) "; for the second, " (Need::Trace.remedy()) "."
                    }
                }
            }
        }
    }

    fn about_trace(&self, traced: &Traced<'_>) -> Markup {
        let calls: u64 = traced.lanes.iter().map(|lane| lane.calls).sum();
        let finest = traced.lanes.iter().find_map(|lane| match &lane.detail {
            Detail::Cells(cells) => Some(cells.width as f64 / 1e9),
            Detail::Calls(_) => None,
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
                    "There are too many to show one by one: the finest stretch of time is " (exactly(finest))
                    "; every call is in it. One by one: " code { "ioglass dxt LOG" } "."
                }
            }
        }
    }

    /// Phases and collective calls as tables.
    fn passes(&self, traced: &Traced<'_>) -> Markup {
        let number = |word: &str| html! { th scope="col" class="n" { (word) } };
        html! {
            @if !traced.phases.is_empty() {
                details {
                    summary { (counted(traced.phases.len() as u64, "phase", "phases")) " as a table" }
                    div class="tw" {
                        table id="phases" {
                            thead { tr {
                                @for word in ["Phase", "Start", "Took", "Written", "Read", "Calls", "Ranks", "Last to end", "It was behind half of them by"] { (number(word)) }
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
                                @for word in ["Call", "Start", "Took", "All had called after", "Asked", "POSIX wrote", "POSIX read", "Aggregators"] { (number(word)) }
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
}

fn controls(traced: Option<&Traced<'_>>) -> Markup {
    let is_single = traced.is_some_and(|traced| traced.is_whole);
    html! {
        div class="tools" {
            span class="seg" role="group" aria-label="Drag does" {
                button data-drag="zoom" aria-pressed="true" { "Drag to zoom" }
                button data-drag="pan" aria-pressed="false" { "Pan" }
            }
            @if is_single {
                span class="seg" role="group" aria-label="Colour by" {
                    button data-colour="operation" aria-pressed="true" { "Read / write" }
                    button data-colour="duration" aria-pressed="false" { "Duration" }
                }
            }
            button id="timeline-reset" disabled { "Reset" }
            span class="sp" {}
            span class="leg" data-key="operation" { span { i class="k-read" {} "read" } span { i class="k-write" {} "write" } }
            @if is_single { span class="leg" data-key="duration" hidden { span { "1 µs " i class="ramp" {} " 1 s" } } }
        }
    }
}

fn label(traced: Option<&Traced<'_>>) -> &'static str {
    match traced {
        Some(_) => {
            "Timeline of all calls by rank, with bandwidth above. Arrow keys pan, plus and minus zoom, 0 resets. The tables below have its phases."
        }
        None => {
            "Bandwidth over time. Arrow keys pan, plus and minus zoom, 0 resets. Tables under the heat maps have the same sums."
        }
    }
}

/// A moment of the run.
fn moment(seconds: f64) -> String {
    format!("{seconds:.4} s")
}

/// Seconds with the digits that short ones need.
fn exactly(value: f64) -> String {
    match value {
        _ if value >= 1.0 || value <= 0.0 => seconds(value),
        _ if value >= 1e-3 => format!("{:.2} ms", value * 1e3),
        _ => format!("{:.2} µs", value * 1e6),
    }
}
