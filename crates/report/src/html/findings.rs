//! Findings as cards, those with most seconds first.

use ioglass_insight::view::{Plot, Proof};
use ioglass_insight::{Advice, Chart, Command, Finding, Language};
use maud::{Markup, html};

use super::{Page, level, spoken};
use crate::number::{bytes, counted, digits, seconds, thousands, whole_percent};
use crate::terminal::finding::{
    confidence, has_own_seconds, in_a_line, region_figures, region_place, shown_regions,
};
use crate::terminal::{empty, select};
use crate::text;

/// Files of a finding that a card shows.
const FILES: usize = 3;
/// Letters of a command and its comment that fit on one line of a card.
const LINE: usize = 56;
/// Ranks of a finding that a card shows.
const RANKS: usize = 12;

impl Page<'_> {
    pub(super) fn findings(&self) -> Markup {
        let (grave, notes): (Vec<&select::ShownFinding<'_>>, Vec<_>) =
            self.selection.shown.iter().partition(|shown| !select::is_note(shown.finding));
        let is_alone = grave.is_empty();
        html! {
            h2 class="unseen" { "Findings" }
            @if self.selection.shown.is_empty() {
                p class="empty" { "Nothing was found: every check that could run is fine. See " a href="#checks" { "what was checked" } "." }
            }
            @if !grave.is_empty() {
                div class="cards" { @for shown in &grave { (self.card(shown, false)) } }
            }
            @if !notes.is_empty() {
                details class="more-cards" open[is_alone || notes.len() <= 2] {
                    summary { (counted(notes.len() as u64, "note", "notes")) ": true of this run, but it does not hold the run back" }
                    div class="cards" { @for shown in &notes { (self.card(shown, true)) } }
                }
            }
        }
    }

    fn card(&self, shown: &select::ShownFinding<'_>, is_note: bool) -> Markup {
        let finding = shown.finding;
        let (class, icon) = level(finding.level, finding.state);
        let run = self.diagnosis.budget.run_time;
        let own = has_own_seconds(finding);
        let share = if run > 0.0 { (finding.seconds_net / run).clamp(0.0, 1.0) } else { 0.0 };
        let (code, slug) = (finding.detector.code, finding.detector.slug);
        html! {
            article class=(if is_note { "card lo" } else { "card" }) id=(code)
                data-net=(finding.seconds_net) data-level=(class) {
                header {
                    div {
                        span class={ "lv " (class) } {
                            (icon) (class) " "
                            small { (code) " " (slug) " · " (confidence(finding)) }
                        }
                        h3 { (text::clean(&finding.title)) }
                    }
                    @if own {
                        div class="secs" {
                            b { (number(&seconds(finding.seconds_net))) @if finding.is_incomplete { span class="dagger" { " †" } } }
                            span { (whole_percent(share)) " of run" }
                        }
                    }
                }
                div class={ "share " (class) } {
                    @if own { i style={ "width:" (format!("{:.2}", (100.0 * share).max(0.5))) "%" } {} }
                }
                p { (spoken(&finding.detail)) }
                @if let Some(chart) = &finding.chart { (spark(chart)) }
                (self.subjects(finding))
                @if !shown.consequences.is_empty() {
                    ul class="also" aria-label="Goes away with it" {
                        @for other in &shown.consequences { li id=(other.detector.code) { (spoken(&in_a_line(other))) (self.calls_of_ranks(other)) } }
                    }
                }
                (todo(finding))
                (self.proofs(finding))
            }
        }
    }

    /// Links to the plots that show the finding.
    fn proofs(&self, finding: &Finding) -> Markup {
        html! {
            div class="go" {
                @for proof in self.view.proofs(finding) {
                    @let (id, name) = self.place(proof.plot);
                    @let (address, words) = self.part(&proof);
                    a href={ "#" @if address.is_empty() { (id) } @else { (address) } } { (name) (words) }
                }
            }
        }
    }

    /// Returns the address and the name of a plot.
    fn place(&self, plot: Plot) -> (&'static str, &'static str) {
        match plot {
            Plot::Time => ("time", "Timeline"),
            Plot::Heat => ("heat", "Heat maps"),
            Plot::Space => ("space", "Where in the file"),
            Plot::Ranks if self.is_tree() => ("ranks", "Cost by process"),
            Plot::Ranks => ("ranks", "Cost by rank"),
            Plot::Requests => ("sizes", "Request sizes"),
            Plot::Interfaces => ("modules", "By interface"),
            Plot::Files => ("files", "Files"),
        }
    }

    /// Links to the calls of the ranks that a consequence is about.
    fn calls_of_ranks(&self, finding: &Finding) -> Markup {
        let proofs = self.view.proofs(finding);
        html! {
            @for proof in proofs.iter().filter(|proof| !proof.ranks.is_empty()) {
                @let (address, words) = self.part(proof);
                " " a href={ "#" (address) } { (self.place(proof.plot).1) (words) }
            }
        }
    }

    /// Returns a part of a plot as an address and in words; both are empty for the whole plot.
    fn part(&self, proof: &Proof) -> (String, String) {
        let (mut address, mut words) = (Vec::new(), String::new());
        if let Some(range) = proof.range {
            let [begin, end] = moments(range);
            address.push(format!("t={begin}-{end}"));
            words += &format!(", {begin} to {end} s");
        }
        if !proof.ranks.is_empty() {
            let listed: Vec<String> = proof.ranks.iter().map(ToString::to_string).collect();
            address.push(format!("r={}", listed.join(",")));
            let what = if listed.len() == 1 { self.who() } else { self.whose() };
            words += &format!(", {what} {}", listed.join(", "));
        }
        if let Some(spot) = &proof.spot {
            address.push(format!("file={}", spot.file));
            if let Some(direction) = spot.direction {
                address.push(format!("way={}", direction.verb()));
                words += &format!(", {}", direction.noun());
            }
            address.push(format!("lane={}", spot.lane));
            if let Some((low, high)) = spot.bytes {
                address.push(format!("o={low}-{high}"));
            }
        }
        (address.join("&"), words)
    }

    /// Lists the regions, files and ranks that a finding is about.
    fn subjects(&self, finding: &Finding) -> Markup {
        let (files, ranks) = (&finding.files, &finding.ranks);
        let (regions, more_regions) = shown_regions(finding);
        let more = files.list.len().saturating_sub(FILES) as u64 + files.more;
        let listed: Vec<String> = ranks.list.iter().take(RANKS).map(ToString::to_string).collect();
        let more_ranks = ranks.list.len().saturating_sub(RANKS) as u64 + ranks.more;
        let is_one = listed.len() == 1 && more_ranks == 0;
        let what = match (self.is_tree(), is_one) {
            (true, true) => "Process",
            (true, false) => "Processes",
            (false, true) => "Rank",
            (false, false) => "Ranks",
        };
        html! {
            @if !files.list.is_empty() || !listed.is_empty() || !regions.is_empty() {
                ul class="also" aria-label="Where" {
                    @for share in regions {
                        li {
                            "In region " code { (text::clean(&text::region_path(&share.region.path))) }
                            (text::clean(&region_place(&share.region))) " " (region_figures(finding, share))
                        }
                    }
                    @if more_regions > 0 {
                        li { "+ " (counted(more_regions as u64, "more region", "more regions")) }
                    }
                    @for file in files.list.iter().take(FILES) {
                        li {
                            code { (text::shorten_path(&file.path, 80)) }
                            " " (seconds(file.seconds)) ", " (bytes(file.bytes)) ", " (self.ranks(file.ranks))
                        }
                    }
                    @if more > 0 { li { "+ " (thousands(more)) " more " @if more == 1 { "file" } @else { "files" } } }
                    @if !listed.is_empty() {
                        li { (what) " " (listed.join(", ")) @if more_ranks > 0 { " + " (thousands(more_ranks)) " more" } }
                    }
                }
            }
        }
    }

    /// Gives the likely causes of an empty log, and commands to try.
    pub(super) fn nothing(&self) -> Markup {
        let (why, causes) = empty::reasons(&self.diagnosis.subject);
        html! {
            div class="panel" {
                p class="empty" { (text::clean(&why)) }
                ul class="causes" {
                    @for (cause, command) in causes {
                        li { @if !cause.is_empty() { (cause) ": " } code { (text::clean(&command)) } }
                    }
                }
            }
        }
    }
}

/// Returns two moments as digits for an address, as fine as their distance needs.
pub(super) fn moments((begin, end): (f64, f64)) -> [String; 2] {
    let decimals = match end - begin {
        width if width >= 100.0 => 1,
        width if width >= 1.0 => 2,
        width if width >= 0.01 => 4,
        width if width >= 1e-4 => 6,
        _ => 9,
    };
    [begin, end].map(|moment| format!("{moment:.decimals$}"))
}

/// Sets a number such as `5.04 s` with a small unit.
fn number(words: &str) -> Markup {
    match words.rsplit_once(' ') {
        Some((number, unit)) => html! { (number) small { " " (unit) } },
        None => html! { (words) },
    }
}

/// Draws a row of bars that start at zero; bars far below the others stand out.
fn spark(chart: &Chart) -> Markup {
    let most = chart.values.iter().copied().fold(0.0, f64::max);
    if !most.is_normal() {
        return html! {};
    }
    let height = |value: f64| format!("height:{:.1}%", (100.0 * value / most).clamp(0.0, 100.0));
    html! {
        p class="ptitle" { small { (text::clean(&chart.label)) ": " (text::clean(&chart.words)) } }
        div class="spark" role="img" aria-label={ (text::clean(&chart.label)) ": " (text::clean(&chart.words)) } {
            @for value in &chart.values {
                i class=[(*value < 0.25 * most).then_some("low")] style=(height(*value)) title=(digits(*value)) {}
            }
        }
    }
}

/// Shows the advice: commands first, then snippets by language.
fn todo(finding: &Finding) -> Markup {
    let (advice, code) = (&finding.advice, finding.detector.code);
    if advice.is_empty() {
        return html! {};
    }
    let mut tabs: Vec<(&str, Markup)> = Vec::new();
    if advice.iter().any(|piece| !piece.commands.is_empty()) {
        tabs.push(("shell", commands(advice)));
    }
    let snippets =
        || advice.iter().flat_map(|piece| &piece.snippets).filter(|s| !s.code.is_empty());
    let mut languages: Vec<Language> = Vec::new();
    snippets().for_each(|s| {
        if !languages.contains(&s.language) {
            languages.push(s.language);
        }
    });
    for language in languages {
        let code: Vec<&str> =
            snippets().filter(|s| s.language == language).map(|s| s.code.trim_end()).collect();
        let name = match language {
            Language::Shell => "script",
            language => language.title(),
        };
        tabs.push((name, html! { pre tabindex="0" { code { (lines(&code.join("\n\n"))) } } }));
    }
    let sentences = || advice.iter().map(|a| &*a.text).filter(|text| !text.is_empty());
    let mut documents: Vec<&str> =
        advice.iter().map(|a| a.see).filter(|see| !see.is_empty()).collect();
    documents.dedup();
    html! {
        div class="do" {
            div {
                strong { "Do this" }
                @if tabs.len() > 1 {
                    span class="seg" role="tablist" aria-label="In which language" {
                        @for (i, (name, _)) in tabs.iter().enumerate() {
                            button role="tab" id={ (code) "-tab-" (i) } aria-controls={ (code) "-panel-" (i) } aria-selected=(if i == 0 { "true" } else { "false" }) { (name) }
                        }
                    }
                }
                @if !tabs.is_empty() { button class="cp" { "Copy" } }
            }
            @for sentence in sentences() { p { (spoken(sentence)) } }
            @for (i, (_, body)) in tabs.iter().enumerate() {
                @if tabs.len() > 1 { div role="tabpanel" id={ (code) "-panel-" (i) } aria-labelledby={ (code) "-tab-" (i) } hidden[i > 0] { (body) } }
                @else { div class="panel-alone" { (body) } }
            }
            @if !documents.is_empty() {
                p class="hint" { "See " @for (i, document) in documents.iter().enumerate() { @if i > 0 { ", " } (see(document)) } }
            }
        }
    }
}

/// Cleans each line of code.
fn lines(code: &str) -> String {
    code.lines().map(text::clean).collect::<Vec<_>>().join("\n")
}

fn commands(advice: &[Advice]) -> Markup {
    let commands: Vec<&Command> = advice.iter().flat_map(|piece| &piece.commands).collect();
    html! {
        pre tabindex="0" {
            code {
                @for (i, command) in commands.iter().enumerate() {
                    @if i > 0 { "\n" }
                    (text::clean(&command.line))
                    @if !command.comment.is_empty() { (remark(command)) }
                }
            }
        }
    }
}

/// Shows the comment of a command: beside it, or below if the line would be long.
fn remark(command: &Command) -> Markup {
    let words = text::clean(&command.comment);
    let is_long = text::width(&command.line) + text::width(&words) > LINE;
    html! { span class="c" { @if is_long { "\n" } @else { "   " } "# " (words) } }
}

/// Links to a document by its host; on paper the whole address is printed.
fn see(document: &str) -> Markup {
    match document.strip_prefix("https://") {
        Some(place) => {
            let host = place.split('/').next().unwrap_or(place);
            html! { a href=(document) title=(document) rel="noopener" { (host) } }
        }
        None => html! { (document) },
    }
}
