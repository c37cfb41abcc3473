//! A comparison as one self-contained page. Words and tables are HTML; a script draws the run times
//! from data that the page carries.
//!
//! Names come from logs: every name is cleaned and escaped.

use std::path::Path;

use ioglass_insight::Spent;
use ioglass_insight::compare::{
    ChangeKind, Comparison, FindingChange, FindingSide, Interface, Meaning, Measured, State,
    WorkState,
};
use ioglass_insight::estimate::{Certainty, Estimate};
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::words;
use crate::html::frame::{self, Frame, Section};
use crate::html::head::{flex, unbroken};
use crate::html::{self, assets};
use crate::number::{counted, percent, seconds, thousands};
use crate::text;

/// Letters of a name that are shown.
const NAME: usize = 80;
/// Width of the longest bar of a pair, and of a promise.
const BAR: f64 = 110.0;
const PROMISE: f64 = 150.0;

/// The scripts, in an order in which each needs only those before it.
const SCRIPTS: [&str; 8] = [
    include_str!("../../web/chart/numbers.js"),
    include_str!("../../web/chart/tip.js"),
    include_str!("../../web/chart/svg.js"),
    include_str!("../../web/page/theme.js"),
    include_str!("../../web/page/controls.js"),
    include_str!("../../web/compare/dots.js"),
    include_str!("../../web/compare/draw.js"),
    include_str!("../../web/compare/main.js"),
];

/// Returns all scripts as one.
pub(crate) fn script() -> String {
    assets::joined(&SCRIPTS)
}

pub(crate) fn style() -> String {
    let own = [include_str!("../../web/drawn.css"), include_str!("../../web/compare.css")];
    assets::STYLES.concat() + &own.concat()
}

/// Returns the page on a comparison.
pub fn page(comparison: &Comparison) -> String {
    Page { comparison }.whole()
}

struct Page<'a> {
    comparison: &'a Comparison,
}

impl Page<'_> {
    fn whole(&self) -> String {
        let sentence = text::clean(&self.comparison.verdict.sentence);
        let program = &self.comparison.sides[1].first().subject.program;
        let sections = self.sections();
        let frame = Frame {
            title: format!("{} · {sentence}", text::shorten(program, NAME)),
            style: style(),
            skip: frame::first(&sections),
            hero: self.hero(&sentence),
            sections,
            footer: self.footer(),
            data: self.data(),
            script: script(),
        };
        frame.page()
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![Section { id: "work", name: "Work", body: self.work() }];
        let mut add = |id, name, body| sections.push(Section { id, name, body });
        if self.comparison.verdict.estimate.is_some() {
            add("runs", "Run time", self.runs());
        }
        add("quantities", "Quantities", self.quantities());
        add("findings", "Findings", self.findings());
        sections
    }

    fn hero(&self, sentence: &str) -> Markup {
        html! {
            div class="hero two-sided" {
                dl class="ba" {
                    @for (name, side) in ["before", "after"].into_iter().zip(&self.comparison.sides) {
                        @let subject = &side.first().subject;
                        dt { (name) }
                        dd { b { (counted(side.runs.len() as u64, "run", "runs")) " of " (text::shorten(&subject.program, NAME)) } }
                        dd class="o" {
                            (counted(subject.ranks, "rank", "ranks")) " · " (words::run_time(side))
                            @let day = words::day(side);
                            @if !day.is_empty() { " · " (day) }
                            " · " (self.logs(side.runs.iter().map(|run| run.log.as_path())))
                        }
                    }
                }
                (self.warnings())
                div {
                    h1 { (unbroken(sentence)) }
                    (self.lede())
                }
                (self.promise())
            }
        }
    }

    /// The names of logs; of many the first and the number.
    fn logs<'p>(&self, mut logs: impl ExactSizeIterator<Item = &'p Path>) -> String {
        let count = logs.len();
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            text::shorten(&name, NAME)
        };
        let first = logs.next().map_or_else(String::new, name);
        if count > 1 { format!("{first} and {} more", thousands(count as u64 - 1)) } else { first }
    }

    fn warnings(&self) -> Markup {
        let left_out = self.comparison.sides.iter().flat_map(|side| &side.left_out);
        let left_out = left_out.map(|one| {
            let name = one.log.file_name().unwrap_or(one.log.as_os_str()).to_string_lossy();
            format!("Left out: {name}: {}.", one.reason)
        });
        let all: Vec<String> = left_out.chain(self.comparison.warnings.iter().cloned()).collect();
        html! {
            @if !all.is_empty() {
                ul class="alert" aria-label="Data quality" {
                    @for warning in &all { li { b { "!" } " " (text::clean(warning)) } }
                }
            }
        }
    }

    /// What comes after the verdict: causes that are gone, and what is new.
    fn lede(&self) -> Markup {
        let named = |kind: ChangeKind| {
            let found = self.comparison.findings.iter();
            let found = found.filter(|it| it.change == kind && !it.is_consequence());
            found
                .map(|it| format!("{} {}", it.detector.code, it.detector.slug))
                .take(3)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (gone, new) = (named(ChangeKind::Gone), named(ChangeKind::New));
        let has_any =
            |kind: ChangeKind| self.comparison.findings.iter().any(|it| it.change == kind);
        let what = match has_any(ChangeKind::Gone) || has_any(ChangeKind::New) {
            true => "No cause is gone, and none is new. ",
            false => "No finding is gone, and none is new. ",
        };
        let after = self.comparison.sides[1].runs.len() as u64;
        html! {
            p class="lede" {
                @if !gone.is_empty() {
                    "Gone in " (if after == 1 { "the run after".into() } else { format!("all {} runs after", thousands(after)) }) ": " b { (gone) } ". "
                }
                @if !new.is_empty() { "New: " b { (new) } ". " }
                @if gone.is_empty() && new.is_empty() { (what) }
            }
        }
    }

    fn promise(&self) -> Markup {
        let bar = |class: &str, seconds: f64, most: f64| {
            let width = if most > 0.0 { seconds.max(0.0) / most * PROMISE } else { 0.0 };
            html! { i class=(class) style={ "width:" (format!("{width:.1}")) "px" } {} }
        };
        html! {
            div class="lad" {
                h2 { @if self.comparison.same_work.is_comparable() { "Promised and saved" } @else { "What would make it comparable" } }
                @match &self.comparison.promise {
                    Some(promise) => {
                        @let most = promise.promised.max(promise.saved).max(promise.left);
                        dl class="prom" {
                            dt { "promised" } dd { (bar("hollow", promise.promised, most)) (seconds(promise.promised)) }
                            dt { "saved" } dd {
                                (bar("k-data", promise.saved, most))
                                @if promise.saved < 0.0 { "none" } @else { (seconds(promise.saved)) }
                                @if let Some(kept) = promise.kept.filter(|kept| *kept >= 0.0) { ", " (percent(kept)) }
                            }
                            dt { "left" } dd { (bar("k-cost", promise.left, most)) (seconds(promise.left)) " avoidable" }
                        }
                        p { "Promised: what the findings that are gone had at stake, an upper bound. Saved: difference of the median run times." }
                    }
                    None if !self.comparison.same_work.is_comparable() => p { "The same program, as many ranks, and bytes within 5 %. If you know that it is the same work: " code { "--same-work" } },
                    None => p { "Nothing was promised for this change: no cause is gone, so there is nothing to hold against it." },
                }
            }
        }
    }

    /// Whether it is the same work, and where the time went.
    fn work(&self) -> Markup {
        let work = &self.comparison.same_work;
        let (class, verdict) = match work.state {
            WorkState::Same => ("OK", "Yes: seconds are compared"),
            WorkState::Different => ("WARN", "No: seconds are not compared"),
            WorkState::Assumed => ("WARN", "You say so: seconds are compared"),
        };
        let subject = &self.comparison.sides[1].first().subject;
        let differs =
            |what: &str| work.differences.iter().any(|difference| difference.what == what);
        let is_one = !differs("repetitions");
        let alike = [
            ("program", text::shorten(&subject.program, NAME)),
            ("ranks", thousands(subject.ranks)),
            (
                "bytes",
                format!(
                    "{}, counted at {}",
                    words::moved(work.moved[1]),
                    interface(work.interface)
                ),
            ),
        ];
        html! {
            h2 { "Is it the same work?" }
            p class="sub" { "Program, ranks and bytes decide. Bytes are those of the highest interface that all runs have: a cure may change what lies below." }
            div class="two" {
                div class="panel" {
                    p class="ptitle" { "Same work? " span class=(class) { (verdict) } }
                    ul class="same" {
                        @for (what, words) in alike {
                            @if is_one && !differs(what) { li { span class="g OK" { "✓" } b { (what) } span { (words) } } }
                        }
                        @for difference in &work.differences {
                            li {
                                span class={ "g " (if difference.decides { "WARN" } else { "INFO" }) } { (if difference.decides { "!" } else { "○" }) }
                                b { (difference.what) }
                                span { (words::sides(difference)) @if !difference.decides { ". Named, but it does not decide" } }
                            }
                        }
                    }
                }
                (self.parts())
            }
        }
    }

    /// The run time by what it is to the reader, both sides on one scale.
    fn parts(&self) -> Markup {
        let median = |name: &str, side: usize| {
            self.comparison.measured(name).and_then(|it| it.medians[side]).unwrap_or(0.0)
        };
        let parts = |side| {
            let io = median("io_seconds", side);
            let avoidable = median("avoidable_seconds", side).min(io);
            let outside = (median("run_seconds", side) - io).max(0.0);
            [
                ("k-cost", "avoidable I/O", avoidable),
                ("k-data", "other I/O", io - avoidable),
                ("k-out", Spent::Outside.word(), outside),
            ]
        };
        let sides = [parts(0), parts(1)];
        let whole = sides.map(|parts| parts.iter().map(|part| part.2).sum::<f64>());
        let most = f64::max(whole[0], whole[1]);
        if !self.comparison.same_work.is_comparable() || most <= 0.0 {
            return html! {};
        }
        html! {
            div class="panel" {
                p class="ptitle" { "Where the time went " small { "medians, both on one scale" } }
                dl class="stack" {
                    @for ((name, parts), whole) in ["before", "after"].into_iter().zip(&sides).zip(whole) {
                        dt { (name) }
                        dd {
                            div class="bar" style={ "width:" (format!("{:.2}", 100.0 * whole / most)) "%" } {
                                @for (class, _, part) in parts {
                                    @if *part > 0.0 { i class=(class) style={ "flex:" (flex(part / most)) " 0 0" } { (seconds(*part)) } }
                                }
                            }
                        }
                    }
                }
                div class="leg" {
                    @for (before, after) in sides[0].iter().zip(&sides[1]) {
                        span { i class=(before.0) {} (before.1) " " b { (seconds(before.2)) " → " (seconds(after.2)) } }
                    }
                }
            }
        }
    }

    fn runs(&self) -> Markup {
        let sides = &self.comparison.sides;
        let counts = sides.each_ref().map(|side| side.runs.len() as u64);
        let estimate = self.comparison.verdict.estimate.as_ref();
        let interval = estimate.and_then(|estimate| estimate.interval);
        let certainty = estimate.map(Estimate::certainty);
        html! {
            h2 { "Run time of every run" }
            p class="sub" {
                "Each dot is a run, the stroke is the median. "
                @match interval {
                    None => "One run each: no interval can be given.",
                    Some(interval) => {
                        (counts[0]) " and " (counts[1]) " runs; the interval holds the true change in " (percent(interval.coverage)) " of such comparisons"
                        @if certainty == Some(Certainty::Weak) { " (weak: four runs each would give 97 %)" }
                        "."
                    }
                }
            }
            div class="panel" {
                div class="drawn scripted" id="dots" {}
                p class="ptitle" {
                    "Change of the run time "
                    small {
                        @if interval.is_some() { "median of all " (thousands(counts[0] * counts[1])) " ratios after ÷ before, and its interval" } @else { "after ÷ before" }
                        "; grey band: ±5 %, called no change"
                    }
                }
                div class="drawn scripted" id="interval" {}
                details {
                    summary { "The same as a table" }
                    div class="tw" {
                        table {
                            thead { tr { th { "Side" } th { "Log" } th class="n" { "Run time, s" } } }
                            tbody {
                                @for (name, side) in ["before", "after"].into_iter().zip(sides) {
                                    @for (run, time) in side.runs.iter().zip(side.run_seconds()) {
                                        tr { td { (name) } td class="p" { (text::shorten(&run.log.to_string_lossy(), 2 * NAME)) } td class="n" { (format!("{time:.6}")) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn quantities(&self) -> Markup {
        let shown =
            self.comparison.measures.iter().filter(|it| words::is_known(it, self.comparison));
        html! {
            h2 { "What changed" }
            p class="sub" {
                @if self.comparison.same_work.is_comparable() { "Medians of the runs, with the change. " } @else { "Rates and ratios; seconds of different work are not compared. " }
                "= marks a change that is within what runs differ by. The last column is the ratio on a logarithmic scale; the stroke in its middle is no change."
            }
            div class="panel" {
                div class="tw" {
                    table {
                        thead {
                            tr {
                                th { "Quantity" } th class="n" { "Before" } th class="n" { "After" } th class="chg" { "Change" }
                                th { span class="leg" { span { i class="k-read" {} "better" } span { i class="k-write" {} "worse" } } }
                            }
                        }
                        tbody { @for measured in shown { (self.quantity(measured)) } }
                    }
                }
            }
        }
    }

    fn quantity(&self, measured: &Measured) -> Markup {
        let meaning = words::meaning(measured);
        let change = words::change(measured);
        html! {
            tr {
                td { (words::title(measured, self.comparison)) }
                td class="n" { (words::value(measured, 0)) }
                td class="n" { (words::value(measured, 1)) }
                td class="chg" {
                    @if meaning.is_empty() { span class="eq" { (change) } }
                    @else { b { (change) } " " span class=(meaning) { (meaning) } }
                }
                td { (picture(measured)) }
            }
        }
    }

    fn findings(&self) -> Markup {
        let findings = &self.comparison.findings;
        let most = findings
            .iter()
            .flat_map(|it| &it.sides)
            .filter_map(|side| side.seconds)
            .fold(0.0, f64::max);
        let absent: Vec<&str> = [(ChangeKind::Gone, "gone"), (ChangeKind::New, "new")]
            .into_iter()
            .filter(|(kind, _)| !findings.iter().any(|it| it.change == *kind))
            .map(|(_, word)| word)
            .collect();
        let shown: Vec<&FindingChange> = findings.iter().filter(|it| it.has_fired()).collect();
        let unclear = findings.len() - shown.len();
        html! {
            h2 { "Findings" }
            p class="sub" {
                @if !absent.is_empty() { "None is " (absent.join(", and none is ")) ". " }
                @if unclear > 0 { (counted(unclear as u64, "check", "checks")) " that did not fire ran on one side only. " }
                "All other checks are fine on both sides or could not run on both."
            }
            @if !shown.is_empty() {
                div class="panel" { div class="fl" { @for change in shown { (finding(change, most)) } } }
            }
        }
    }

    fn footer(&self) -> Markup {
        html! {
            footer {
                div class="w" {
                    div {
                        b { "Provenance" } br;
                        @for (name, side) in ["Before: ", "After: "].into_iter().zip(&self.comparison.sides) {
                            (name) code { (text::shorten(&side.first().subject.command, 300)) } ", "
                            (counted(side.runs.len() as u64, "log", "logs")) ", written by " (text::shorten(&side.first().subject.recorder, 60)) "." br;
                        }
                    }
                    div {
                        b { "How to read it" } br;
                        "A change is the median of the ratios of all pairs of runs. It is called one if its interval is without 1 and it is at least 2 % off; with few runs also at least 20 %."
                    }
                    div {
                        b { "Made by" } br;
                        "ioglass " (env!("CARGO_PKG_VERSION")) ". The same logs give the same page on any machine: "
                        code { "ioglass report --compare BEFORE AFTER --html" }
                    }
                }
            }
        }
    }

    /// The data of the charts.
    fn data(&self) -> Markup {
        let Some(estimate) = &self.comparison.verdict.estimate else { return html! {} };
        let sides = ["before", "after"].into_iter().zip(&self.comparison.sides).zip(0..);
        let median =
            |at: usize| self.comparison.measured("run_seconds").and_then(|it| it.medians[at]);
        let sides = sides.map(|((name, side), at)| {
            let runs = side.runs.iter().zip(side.run_seconds()).map(|(run, seconds)| {
                let log = run.log.file_name().unwrap_or(run.log.as_os_str()).to_string_lossy();
                json!({ "log": text::shorten(&log, NAME), "seconds": seconds })
            });
            json!({ "name": name, "median": median(at), "runs": runs.collect::<Vec<_>>() })
        });
        let interval = estimate.interval;
        let call = match self.comparison.verdict.state {
            State::Fixed | State::Faster => "better",
            State::Slower => "worse",
            _ => "even",
        };
        let data = json!({
            "sides": sides.collect::<Vec<_>>(),
            "ratio": {
                "ratio": estimate.ratio,
                "low": interval.map(|interval| interval.low),
                "high": interval.map(|interval| interval.high),
                "call": call,
            },
        });
        html! { script type="application/json" id="data" { (PreEscaped(html::data::embedded(&data))) } }
    }
}

/// The interface at which bytes are counted.
fn interface(interface: Interface) -> &'static str {
    interface.word()
}

/// A ratio on a logarithmic scale, from 1/64 to 64.
fn picture(measured: &Measured) -> Markup {
    let Some(estimate) = measured.estimate.filter(|estimate| estimate.ratio > 0.0) else {
        return html! {};
    };
    let x = |ratio: f64| 75.0 + (ratio.log2() / 6.0).clamp(-1.0, 1.0) * 68.0;
    let class = match measured.meaning {
        Some(Meaning::Better) => "better",
        Some(Meaning::Worse) => "worse",
        _ => "even",
    };
    let at = |place: f64| format!("{place:.1}");
    html! {
        svg class={ "ratio " (class) } viewBox="0 0 150 18" aria-hidden="true" {
            line class="grid" x1="5" x2="145" y1="9" y2="9" {}
            line class="one" x1="75" x2="75" y1="2" y2="16" {}
            g class=(class) {
                line class="span" stroke-width="3" x1="75" x2=(at(x(estimate.ratio))) y1="9" y2="9" {}
                @if let Some(interval) = estimate.interval.filter(|it| it.low > 0.0) {
                    line class="span faint" stroke-width="7" x1=(at(x(interval.low))) x2=(at(x(interval.high))) y1="9" y2="9" {}
                }
                circle class="point" cx=(at(x(estimate.ratio))) cy="9" r="4" {}
            }
        }
    }
}

fn finding(change: &FindingChange, most: f64) -> Markup {
    let (class, sign) = match change.change {
        ChangeKind::Gone => ("OK", "✓ "),
        ChangeKind::New => ("HIGH", "▲ "),
        ChangeKind::Worse => ("WARN", "▲ "),
        ChangeKind::Same => ("INFO", "= "),
        ChangeKind::Unclear => ("INFO", "○ "),
        ChangeKind::Better => ("INFO", ""),
    };
    let title = change.sides.iter().map(|side| &side.title).find(|title| !title.is_empty());
    let level =
        change.sides.iter().filter(|side| side.fired > 0).filter_map(|side| side.level).max();
    let [before, after] = &change.sides;
    html! {
        div {
            span class={ "st " (class) } { (sign) (change.change.word()) }
            div {
                @if let Some(level) = level { span class={ "lv " (level.word()) } { (level.word()) } " " }
                span class="z" { (change.detector.code) " " (change.detector.slug) }
                h3 { (text::clean(title.map_or(change.detector.what, String::as_str))) }
                p {
                    "Fired in " (before.fired) " of " (before.of) " before, " (after.fired) " of " (after.of) " after."
                    @if change.is_consequence() { " A consequence of another finding: its seconds are counted there." }
                    @for (name, side) in ["before", "after"].into_iter().zip(&change.sides) {
                        @if side.checked == 0 && !side.remedy.is_empty() { " To check it " (name) ": " (side.remedy) "." }
                    }
                }
            }
            div class="pair" {
                @for (name, side) in ["before", "after"].into_iter().zip(&change.sides) {
                    span { (name) } span { (cost(side, most)) }
                }
            }
        }
    }
}

fn cost(side: &FindingSide, most: f64) -> Markup {
    html! {
        @match side.seconds {
            Some(cost) if cost > 0.0 => { i style={ "width:" (format!("{:.1}", cost / most * BAR)) "px" } {} (seconds(cost)) },
            Some(_) => "fired",
            None if side.checked == 0 => "not checkable",
            None => "fine",
        }
    }
}
