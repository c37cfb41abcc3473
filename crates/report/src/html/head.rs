//! The first screen: the run, the verdict, the time budget, the data moved.

use ioglass_insight::{Finding, Role, Spent, TimePart};
use maud::{Markup, html};

use super::{Page, spoken};
use crate::number::{bytes, counted, percent, seconds, thousands, whole_percent};
use crate::terminal::{budget, facts};
use crate::text;

/// Findings with their own part of the bar; the others share one.
const SHOWN: usize = 2;
/// Parts below this share of the run have no room for a word.
const ROOM: f64 = 0.07;

/// A part of the bar.
struct BarPiece {
    class: &'static str,
    name: String,
    seconds: f64,
}

impl Page<'_> {
    pub(super) fn hero(&self) -> Markup {
        let has_ladder = !self.view.ladder.is_empty();
        html! {
            div class=(if has_ladder { "hero two-sided" } else { "hero" }) {
                (self.job())
                (self.warnings())
                div {
                    // A number keeps its unit.
                    h1 { (unbroken(&self.sentence())) }
                    @if !self.is_empty { (self.budget()) (self.facts()) }
                }
                @if has_ladder { (self.ladder()) }
            }
        }
    }

    /// Returns the verdict.
    pub(super) fn sentence(&self) -> String {
        text::clean(&self.diagnosis.verdict.sentence)
    }

    fn job(&self) -> Markup {
        let subject = &self.diagnosis.subject;
        html! {
            div class="job" {
                b { (text::shorten(&subject.program, 120)) }
                span { "job " (subject.jobid) }
                span {
                    (self.ranks(subject.ranks))
                    @if self.view.hosts > 1 { " on " (counted(self.view.hosts, "node", "nodes")) }
                }
                @if subject.start != 0 { span { (text::date(subject.start, "%Y-%m-%d %H:%M:%S UTC")) } }
                span { "ran " (seconds(subject.run_time)) }
                span { (text::shorten(&subject.recorder, 60)) }
                span {
                    @if subject.is_complete { "complete" } @else { "incomplete" }
                    @match subject.is_traced {
                        Some(true) => ", traced",
                        Some(false) => ", no trace",
                        None => "",
                    }
                }
            }
        }
    }

    fn warnings(&self) -> Markup {
        let warnings = &self.diagnosis.warnings;
        html! {
            @if !warnings.is_empty() {
                ul class="alert" aria-label="Data quality" {
                    @for warning in warnings {
                        li {
                            b { "!" } " " (spoken(warning.text.trim_end_matches('.'))) "."
                            @if warning.marks { " Marked " span class="dagger" { "†" } "." }
                        }
                    }
                }
            }
        }
    }

    fn budget(&self) -> Markup {
        let run = self.diagnosis.budget.run_time;
        let pieces = self.pieces();
        let avoidable = self.diagnosis.verdict.avoidable;
        let share = |seconds: f64| if run > 0.0 { (seconds / run).clamp(0.0, 1.0) } else { 0.0 };
        let words: Vec<String> = pieces
            .iter()
            .map(|piece| format!("{} {}", piece.name, seconds(piece.seconds)))
            .collect();
        let label =
            format!("Where {} went, slowest {}: {}", seconds(run), self.who(), words.join(", "));
        // A bracket over next to nothing would point at nothing.
        let is_bracketed = share(avoidable) >= 0.005;
        html! {
            div class="bud" {
                @if is_bracketed {
                    div class="brk" {
                        div style={ "flex:" (flex(share(avoidable))) } {
                            span {}
                            em data-avoidable=(avoidable) {
                                (seconds(avoidable)) " avoidable, " (percent(share(avoidable))) " of the run"
                            }
                            span {}
                        }
                        div style={ "flex:" (flex(1.0 - share(avoidable))) } {}
                    }
                }
                div class="bar" role="img" aria-label=(label) {
                    @for piece in &pieces {
                        i class=(piece.class) style={ "flex:" (flex(share(piece.seconds))) } {
                            @if share(piece.seconds) >= ROOM { (seconds(piece.seconds)) }
                        }
                    }
                }
                div class="leg" {
                    @for piece in &pieces {
                        span {
                            i class=(piece.class) {}
                            (piece.name) " " b { (seconds(piece.seconds)) ", " (percent(share(piece.seconds))) }
                        }
                    }
                }
            }
        }
    }

    /// Returns the parts of the bar: avoidable seconds by finding, other I/O, the rest of the run.
    fn pieces(&self) -> Vec<BarPiece> {
        let budget = &self.diagnosis.budget;
        let is_cause = |f: &&Finding| f.role == Some(Role::Primary) && f.seconds_net > 0.0;
        let causes: Vec<&Finding> = self.diagnosis.findings.iter().filter(is_cause).collect();
        let mut pieces = Vec::new();
        for (finding, class) in causes.iter().take(SHOWN).zip(["k-cost", "k-cost2"]) {
            let name = format!("{} {}", finding.detector.code, finding.detector.slug);
            pieces.push(BarPiece { class, name, seconds: finding.seconds_net });
        }
        let others: Vec<f64> = causes.iter().skip(SHOWN).map(|f| f.seconds_net).collect();
        if !others.is_empty() {
            let name = counted(others.len() as u64, "more finding", "more findings");
            pieces.push(BarPiece { class: "k-cost", name, seconds: others.iter().sum() });
        }
        let avoidable: f64 = pieces.iter().map(|piece| piece.seconds).sum();
        let is_io = |part: &&TimePart| part.on.is_io();
        if avoidable > 0.0 {
            // From the parts, so that the bar and the line below it agree on the time outside I/O.
            let outside: f64 =
                budget.parts.iter().filter(|part| !is_io(part)).map(|part| part.seconds).sum();
            let io = budget.run_time - outside;
            let rest = (io - avoidable).max(0.0);
            // A part of zero seconds is neither drawn nor named.
            if seconds(rest) != seconds(0.0) {
                pieces.push(BarPiece { class: "k-data", name: "other I/O".into(), seconds: rest });
            }
        } else {
            for part in budget.parts.iter().filter(is_io) {
                let class = if part.on == Spent::Metadata { "k-meta" } else { "k-data" };
                pieces.push(BarPiece { class, name: part.on.word().into(), seconds: part.seconds });
            }
        }
        if let Some(part) = budget.parts.iter().find(|part| part.on == Spent::Waiting) {
            let name = part.on.word().into();
            pieces.push(BarPiece { class: "k-out", name, seconds: part.seconds });
        }
        let named: f64 = pieces.iter().map(|piece| piece.seconds).sum();
        let outside = (budget.run_time - named).max(0.0);
        pieces.push(BarPiece { class: "k-out", name: "outside I/O".into(), seconds: outside });
        pieces
    }

    fn facts(&self) -> Markup {
        let budget = &self.diagnosis.budget;
        let drawn = budget::drawn(budget);
        html! {
            dl class="facts" {
                dt { "time" }
                dd data-fact="time" {
                    @for (i, part) in drawn.iter().enumerate() {
                        @if i > 0 { ", " }
                        (part.part.on.word()) " " (part.seconds)
                        @if budget.run_time > 0.0 && part.part.on != Spent::Outside {
                            " (" (percent(part.part.seconds / budget.run_time)) ")"
                        }
                    }
                    " of " (seconds(budget.run_time)) ", by the slowest " (self.who())
                }
                dt { "moved" }
                dd data-fact="moved" { (text::clean(&facts::moved(&self.diagnosis.moved).join(", "))) }
                dt { "where" }
                dd data-fact="where" { (text::clean(&facts::place(&self.diagnosis.place).join(", "))) }
            }
        }
    }

    fn ladder(&self) -> Markup {
        let ladder = &self.view.ladder;
        let most = ladder.iter().map(|rung| rung.written.max(rung.read)).max().unwrap_or(1).max(1);
        let width = |amount: u64| format!("width:{:.1}%", 55.0 * amount as f64 / most as f64);
        html! {
            div class="lad" {
                h2 { "Bytes moved at each layer" }
                dl {
                    @for rung in ladder {
                        @let ways = [(rung.written, "k-write", "written"), (rung.read, "k-read", "read")];
                        @for (i, (amount, class, word)) in ways.into_iter().filter(|way| way.0 > 0).enumerate() {
                            dt { @if i == 0 { (rung.name) } }
                            dd {
                                i class=(class) style=(width(amount)) {}
                                span { (bytes(amount)) " " (word) }
                            }
                        }
                    }
                }
                p { "From the program down to the file system. Without extra I/O, all layers show the same." }
            }
        }
    }

    pub(super) fn footer(&self) -> Markup {
        let origin = &self.view.origin;
        let subject = &self.diagnosis.subject;
        let modules = origin.modules.iter().map(|part| {
            let partial = if part.is_partial { ", partial" } else { "" };
            format!("{} {} ({}{partial})", part.name, part.version, bytes(part.bytes))
        });
        let modules: Vec<String> = modules.collect();
        let (what, stored, until) = match &origin.format {
            Some(format) => ("Log ", format!("format {format}, written by "), ", ended "),
            None => ("Recording ", "in memory, recorded by ".into(), ", recorded until "),
        };
        html! {
            footer {
                div class="w" {
                    div {
                        b { "Provenance" } br;
                        (what) code { (self.log) } br;
                        (thousands(origin.size)) " bytes, " (stored)
                        (text::shorten(&subject.recorder, 60)) ". "
                        @if modules.is_empty() { "It has no modules." }
                        @else { "Modules and their versions: " (modules.join(", ")) "." }
                        br;
                        "User " (origin.uid)
                        @if origin.end != 0 { (until) (text::date(origin.end, "%Y-%m-%d %H:%M:%S UTC")) }
                        ". Command " code { (text::shorten(&subject.command, 600)) }
                    }
                    div {
                        b { "How to read the seconds" } br;
                        "Seconds are upper bounds for this run, taken from the slowest " (self.who()) ". Each second is counted in one finding only: causes first, the largest first. "
                        "HIGH from " (whole_percent(0.1)) " of the run, WARN from " (whole_percent(0.01)) ". Each check has a highest level that it never exceeds."
                    }
                    div {
                        b { "Made by" } br;
                        "ioglass " (env!("CARGO_PKG_VERSION")) "."
                        @if origin.format.is_some() {
                            " The same log gives the same page on any machine: "
                            code { "ioglass report --html LOG" }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a share as a CSS flex weight.
pub(crate) fn flex(share: f64) -> String {
    format!("{:.5}", share.max(0.0))
}

/// Returns a sentence in which numbers stay on one line with their units.
pub(crate) fn unbroken(sentence: &str) -> String {
    let mut words = sentence.split(' ');
    let mut whole = words.next().unwrap_or("").to_owned();
    for word in words {
        let unit = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%');
        let is_unit = matches!(unit, "s" | "%" | "GiB" | "MiB" | "KiB");
        let stays =
            whole.ends_with(|c: char| c.is_ascii_digit()) && is_unit || whole.ends_with('<');
        whole.push(if stays { '\u{a0}' } else { ' ' });
        whole += word;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_with_their_units() {
        let sentence = "I/O took 94 % of this run, < 3 of 0.22 s; nothing is worth it (1 s).";
        let kept = "I/O took 94\u{a0}% of this run, <\u{a0}3 of 0.22\u{a0}s; nothing is worth it (1\u{a0}s).";
        assert_eq!(unbroken(sentence), kept);
    }
}
