//! The first screen: the job, the verdict, the time, the bytes.

use ioglass_profile::{Ending, Lost, State};
use maud::{Markup, html};

use super::{NAME, Page};
use crate::html::head::{flex, unbroken};
use crate::number::{bytes, counted, fixed, percent, seconds, thousands};
use crate::text;

/// Parts below this share of the run have no room for a word.
const ROOM: f64 = 0.07;

impl Page<'_> {
    pub(super) fn hero(&self) -> Markup {
        let has_movers = !self.view.movers.is_empty();
        html! {
            div class=(if has_movers { "hero two-sided" } else { "hero" }) {
                (self.job())
                (self.warnings())
                div {
                    h1 { (unbroken(&self.sentence())) }
                    @if !self.view.regions.is_empty() { (self.lead()) (self.budget()) }
                }
                @if has_movers { (self.movers()) }
            }
        }
    }

    /// The name of the profile, or that of its program.
    pub(super) fn title(&self) -> String {
        let head = &self.set.profile().head;
        let name = if head.name.is_empty() { &head.program } else { &head.name };
        text::shorten(&String::from_utf8_lossy(name), NAME)
    }

    /// Returns the verdict.
    pub(super) fn sentence(&self) -> String {
        text::clean(&self.overview.verdict)
    }

    fn job(&self) -> Markup {
        let head = &self.set.profile().head;
        let second = i64::try_from(head.started_ns / 1_000_000_000).unwrap_or(0);
        let regions = self.set.profile().regions.len() as u64;
        html! {
            div class="job" {
                b { (self.title()) }
                @if head.job != 0 { span { "job " (head.job) } }
                span {
                    @match self.set.selected_rank() {
                        Some(rank) => { "only " (self.who()) " " (rank) " of " (thousands(head.ranks.into())) },
                        None => (self.counted_ranks(head.ranks.into())),
                    }
                    @if self.view.hosts > 1 { " on " (counted(self.view.hosts as u64, "node", "nodes")) }
                }
                @if second > 0 { span { (text::date(second, "%Y-%m-%d %H:%M:%S UTC")) } }
                span { "ran " (seconds(self.overview.seconds)) }
                span { (counted(regions, "region", "regions")) }
                @if head.executions > 1 { span { (counted(head.executions.into(), "execution", "executions")) } }
                span {
                    (head.state.word()) @if head.has_io { ", with I/O" } @else { ", without I/O" }
                }
            }
        }
    }

    fn warnings(&self) -> Markup {
        let profile = self.set.profile();
        let mut warnings: Vec<String> = self.options.problems.clone();
        match profile.head.state {
            State::Complete => {}
            State::Running => warnings.push("The program was still running: visits that had not ended count until then.".into()),
            State::Recovered => warnings.push("This was put together from what killed processes left: the last visits may be missing.".into()),
        }
        let ended = |ending: Ending| {
            profile.processes.iter().filter(|process| process.ending == ending).count() as u64
        };
        for (ending, words) in [(Ending::Killed, "killed"), (Ending::Abort, "aborted")] {
            let count = ended(ending);
            if count > 0 {
                let (one, was) = (
                    counted(count, "process", "processes"),
                    if count == 1 { "was" } else { "were" },
                );
                warnings.push(match ending {
                    Ending::Abort => {
                        format!("{one} {words}: what was open counts until the last moment known.")
                    }
                    _ => format!(
                        "{one} {was} {words}: what was open counts until the last moment known."
                    ),
                });
            }
        }
        if profile.lost != Lost::default() {
            let lost = profile.lost.numbers().into_iter().fold(0_u64, u64::saturating_add);
            warnings.push(format!(
                "Something was lost, {}: see notices.",
                counted(lost, "time", "times")
            ));
        }
        html! {
            @if !warnings.is_empty() {
                ul class="alert" aria-label="Data quality" {
                    @for warning in warnings.iter().take(12) {
                        li { b { "!" } " " (text::clean(warning)) }
                    }
                    @if warnings.len() > 12 { li { "and " (warnings.len() - 12) " more." } }
                }
            }
        }
    }

    /// What comes after the verdict.
    fn lead(&self) -> Markup {
        let next = self.cards_shown().get(1).copied();
        html! {
            p class="lead" {
                @if let Some(next) = next {
                    "Next: " (unbroken(&text::clean(&next.sentence))) " "
                }
                "Measuring cost " b { (cost(self.overview.overhead)) } "."
            }
        }
    }

    fn budget(&self) -> Markup {
        let budget = &self.overview.budget;
        let rest = if budget.waiting.is_some() { "computing" } else { "everything else" };
        let parts = [
            ("k-write", "reading and writing files", budget.files),
            ("k-data", rest, budget.computing),
            ("k-meta", "waiting and messages", budget.waiting.unwrap_or(0.0)),
            ("k-out", "between the named regions", budget.between),
        ];
        let parts: Vec<_> = parts.into_iter().filter(|part| part.2 > 0.0).collect();
        let whole: f64 = parts.iter().map(|part| part.2).sum();
        let share = |part: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let label: Vec<String> =
            parts.iter().map(|(_, name, part)| format!("{name} {}", seconds(*part))).collect();
        html! {
            // One part alone says nothing.
            @if parts.len() > 1 {
                div class="bud" {
                    div class="bar" role="img" aria-label=(label.join(", ")) {
                        @for (class, _, part) in &parts {
                            i class=(class) style={ "flex:" (flex(share(*part))) } {
                                @if share(*part) >= ROOM { (seconds(*part)) }
                            }
                        }
                    }
                    div class="leg" {
                        @for (class, name, part) in &parts {
                            span { i class=(class) {} (name) " " b { (seconds(*part)) ", " (percent(share(*part))) } }
                        }
                    }
                }
            }
        }
    }

    fn movers(&self) -> Markup {
        let movers = &self.view.movers;
        let most =
            movers.iter().map(|mover| mover.read.max(mover.written)).max().unwrap_or(1).max(1);
        let width = |amount: u64| format!("width:{:.1}%", 46.0 * amount as f64 / most as f64);
        html! {
            aside class="lad movers" {
                h2 { "Bytes moved, by the region that moved them" }
                dl {
                    @for mover in movers {
                        @let ways = [(mover.written, "k-write", "written"), (mover.read, "k-read", "read")];
                        @for (i, (amount, class, word)) in ways.into_iter().filter(|way| way.0 > 0).enumerate() {
                            dt {
                                @if i == 0 {
                                    @match mover.region {
                                        Some(region) => (self.name(region)),
                                        None => "outside",
                                    }
                                }
                            }
                            dd { i class=(class) style=(width(amount)) {} span { (bytes(amount)) " " (word) } }
                        }
                    }
                }
                p { "What reached the file system (POSIX and STDIO) from the region itself." }
            }
        }
    }
}

/// The cost of measuring as a share of the run.
pub(super) fn cost(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 0.001 => "less than 0.001 %".into(),
        percent if percent < 0.1 => format!("{} %", fixed(percent, 3)),
        _ => percent(share),
    }
}
