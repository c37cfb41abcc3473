//! What annotations did wrong, what measuring cost, and where all this comes from.

use ioglass_profile::{Ending, Notice, NoticeCode};
use maud::{Markup, html};

use super::head::cost;
use super::{NAME, Page};
use crate::number::{counted, short_seconds, thousands};
use crate::text;

/// Rows of a table.
const MOST: usize = 200;

impl Page<'_> {
    /// What is said if there is no region.
    pub(super) fn nothing(&self) -> Markup {
        html! {
            h2 { "Why there is nothing to show" }
            div class="panel" {
                p class="empty" { "No region was entered. Usual causes:" }
                dl class="ways" {
                    dt { code { "ioglass include" } } dd { "The program has no annotations: this is the folder of the headers." }
                    dt { code { "IOGLASS_REGIONS=0" } } dd { "Regions were switched off." }
                    dt { code { "ioglass doctor ./app" } } dd { "The program is linked statically, so nothing can be recorded in it." }
                }
            }
        }
    }

    pub(super) fn quality(&self) -> Markup {
        html! {
            h2 { "Notices and overhead" }
            p class="sub" { "What the annotations did wrong and what they cost. None of it changed the program." }
            div class="two" {
                (self.overhead())
                (self.notices())
            }
        }
    }

    fn overhead(&self) -> Markup {
        let overhead = &self.set.profile().overhead;
        let each = match overhead.annotations {
            0 => None,
            count => Some(overhead.annotation_ns as f64 / 1e9 / count as f64),
        };
        let names = ["visits that went to (more)", "names", "metrics", "tags", "visits"];
        let lost: Vec<String> = self
            .set
            .profile()
            .lost
            .numbers()
            .iter()
            .zip(names)
            .filter(|(count, _)| **count > 0)
            .map(|(count, name)| format!("{} {name}", thousands(*count)))
            .collect();
        let open: u64 = self
            .view
            .regions
            .iter()
            .map(|shown| self.set.summaries()[shown.region as usize].total.open)
            .fold(0, u64::saturating_add);
        html! {
            div class="panel" {
                p class="ptitle" { "Cost of measuring" }
                div class="big" {
                    div { b { (thousands(overhead.annotations)) } span { "annotations, all " (self.whose()) } }
                    @if let Some(each) = each { div { b { (short_seconds(each)) } span { "each" } } }
                    div { b { (short_seconds(overhead.flush_ns as f64 / 1e9)) } span { "to write the profile" } }
                    div { b { (cost(self.overview.overhead).replace("less than", "<")) } span { "of the run" } }
                }
                p class="empty" {
                    @if lost.is_empty() { "Nothing was lost. " }
                    @else { b class="WARN" { "!" } " Lost: " (lost.join(", ")) ". " }
                    @if open == 0 { "Nothing was open at the end." }
                    @else { (counted(open, "visit was", "visits were")) " open at the end, and " @if open == 1 { "counts" } @else { "count" } " until then." }
                }
            }
        }
    }

    fn notices(&self) -> Markup {
        let notices = &self.overview.notices;
        let all = notices.iter().fold(0_u64, |sum, notice| sum.saturating_add(notice.count));
        let mut kinds: Vec<NoticeCode> = notices.iter().map(|notice| notice.code).collect();
        kinds.sort();
        kinds.dedup();
        let mut sorted: Vec<&Notice> = notices.iter().collect();
        sorted.sort_by_key(|notice| std::cmp::Reverse(notice.count));
        html! {
            div class="panel" {
                p class="ptitle" {
                    "Notices "
                    @if !notices.is_empty() { small { (thousands(all)) " in all, of " (counted(kinds.len() as u64, "kind", "kinds")) } }
                }
                @if notices.is_empty() {
                    p class="empty next" { span class="OK" { "✓" } " None: every region that was entered was left, once and in order." }
                } @else {
                    div class="tw next" {
                        table id="notices" {
                            thead { tr { th { "What" } th class="n" { "Times" } th { "Where" } th { "What it means" } } }
                            tbody {
                                @for notice in sorted.iter().take(MOST) {
                                    tr {
                                        td { b { (notice.code.word()) } }
                                        td class="n" { (thousands(notice.count)) }
                                        td { @if let Some(region) = notice.region { (self.path(region)) } }
                                        td { (meaning(notice)) }
                                    }
                                }
                            }
                        }
                    }
                    @if sorted.len() > MOST { p class="hint" { "and " (sorted.len() - MOST) " more: " code { "ioglass profile show --json" } } }
                }
            }
        }
    }

    pub(super) fn footer(&self) -> Markup {
        let profile = self.set.profile();
        let files = self.set.paths().count();
        let ended: Vec<String> = Ending::ALL
            .iter()
            .map(|ending| {
                (ending, profile.processes.iter().filter(|one| one.ending == *ending).count())
            })
            .filter(|(_, count)| *count > 0)
            .map(|(ending, count)| {
                format!("{} with {}", counted(count as u64, "process", "processes"), ending.word())
            })
            .collect();
        let threads = profile.processes.iter().map(|process| process.threads).max().unwrap_or(0);
        let file = text::clean(&text::quoted(&self.named()));
        html! {
            footer {
                div class="w" {
                    div {
                        b { (self.file()) } @if files > 1 { " and " (files - 1) " more" }
                        ", " (profile.head.state.word()) "." br;
                        "Ended: " (ended.join(", ")) ". "
                        (counted(profile.head.executions.max(1).into(), "execution", "executions")) ", "
                        "at most " (counted(threads.max(1).into(), "thread", "threads")) "."
                        @if !profile.head.program.is_empty() { br; "Command " code { (text::shorten(&String::from_utf8_lossy(&profile.head.program), 600)) } }
                    }
                    div { b { "The same numbers" } br; code { "ioglass profile show " (file) " --json" } ", " code { "--csv" } ", " code { "--md" } }
                    div {
                        b { "Made by" } br; "ioglass " (env!("CARGO_PKG_VERSION")) ". For other tools: "
                        code { "ioglass profile convert --to hatchet" } ", " code { "speedscope" } ", " code { "pprof" }
                    }
                }
            }
        }
    }
}

/// What a notice means, in a sentence.
fn meaning(notice: &Notice) -> String {
    let name = text::shorten(&String::from_utf8_lossy(&notice.name), NAME);
    let it = if name.is_empty() { "Something".to_owned() } else { format!("“{name}”") };
    match notice.code {
        NoticeCode::StrayLeave => {
            format!("{it} was left without being open. The call did nothing.")
        }
        NoticeCode::OutOfOrder => {
            format!("{it} was still open when a region around it was left, and ended with it.")
        }
        NoticeCode::StrayStop => {
            "A span was stopped that is unknown or has ended. The call did nothing.".into()
        }
        NoticeCode::LeftOpen => format!("{it} was open when its thread ended, and ended with it."),
        NoticeCode::Nowhere => {
            format!("{it} was noted where no region was open, and belongs to none.")
        }
        NoticeCode::MetricKind => {
            format!("{it} was used as a count and as a value. The first kind stays.")
        }
        NoticeCode::TagChanged => {
            format!("The tag {it} got a second text. That of the lowest rank stays.")
        }
        NoticeCode::Unnamed => "A region has no name.".into(),
        NoticeCode::NotFinite => format!("A value of {it} was not finite: counted, not added."),
        NoticeCode::TooDeep => {
            "A path was too deep. What came below belongs to its deepest level.".into()
        }
        NoticeCode::StrayAttach => {
            "A thread was attached to a region that had ended, or detached without being attached."
                .into()
        }
        NoticeCode::HintWrong => "It is tagged ranks=all, but some ranks were never there.".into(),
        NoticeCode::Setting => format!("The variable {it} makes no sense, and was passed over."),
    }
}
