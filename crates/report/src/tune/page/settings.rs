//! The best settings, whether they are in force, and whether results are right.

use ioglass_param::{Kind, State, find};
use ioglass_tune::report::Verified;
use maud::{Markup, html};

use super::Page;
use crate::html::spoken;
use crate::number::{bytes, counted};
use crate::text;
use crate::tune::terminal::places;
use crate::tune::words;

/// From here on bytes are easier to read in a larger unit.
const LARGE: u64 = 1024;

impl Page<'_> {
    pub(super) fn settings(&self) -> Markup {
        let report = self.report;
        let is_asked = !report.verified.is_empty();
        html! {
            h2 {
                (self.of_model())
                @if self.is_gain() && is_asked { "What is set, and whether it is in force" }
                @else if self.is_gain() { "What is set" }
                @else { "The candidate, which is not recommended" }
            }
            p class="sub" {
                @if report.model.is_some() { "Settings of a model: nothing was applied to a program." }
                @else if is_asked { "The libraries and the file system were asked while the program ran; nothing is called applied because it was handed over." }
                @else if self.is_gain() { "Whether they were in force was not recorded." }
                @else { "This is what came closest. The file with the best settings holds it only if the search was not brought to its end." }
            }
            div class="panel" { div class="tw" { (self.table()) } }
            div class="two" {
                @if report.model.is_none() { (self.right()) }
                (self.layers())
            }
        }
    }

    fn table(&self) -> Markup {
        let report = self.report;
        let settings = report.tuned.iter().flat_map(|tuned| &tuned.settings);
        let unasked = settings.map(|(name, value)| Verified {
            name: name.clone(),
            requested: value.clone(),
            ..Verified::default()
        });
        let rows: Vec<Verified> =
            if report.verified.is_empty() { unasked.collect() } else { report.verified.clone() };
        let is_asked = !report.verified.is_empty();
        html! {
            table id="set" {
                thead {
                    tr {
                        th { "Setting" } th { "Value" }
                        @if is_asked { th { "State" } th { "In force, and who says so" } }
                        th { "What it does" }
                    }
                }
                tbody {
                    @for row in &rows {
                        tr {
                            td { (text::clean(&row.name)) }
                            td { b { (text::clean(&row.requested)) } @if let Some(large) = large(&row.name, &row.requested) { span class="z" { (large) } } }
                            @if is_asked {
                                td { (state(&row.state)) }
                                td {
                                    @if let Some(effective) = &row.effective { b { (text::clean(&row.requested)) " → " (text::clean(effective)) } " " }
                                    (places(row))
                                    @if let Some(by) = &row.by { @if !places(row).is_empty() { ", " } code { (text::clean(by)) } }
                                    @if let Some(reason) = &row.reason { span class="z" { (text::clean(reason)) } }
                                }
                            }
                            td class="m" {
                                @if let Some((param, _)) = find(&row.name) { (spoken(param.meaning())) " " span class="z" { (spoken(param.risk)) } }
                                @else if row.name.starts_with("cmd.") { "A placeholder of the command." }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether results are right.
    fn right(&self) -> Markup {
        let report = self.report;
        html! {
            div class="panel" {
                p class="ptitle" { "Is the result still right?" }
                ul class="checks" {
                    @if let Some(wrong) = words::wrong(report) { (check("HIGH", "▲", "Some were not.", &wrong)) }
                    @match &report.check {
                        Some(check_) => {
                            @if check_.state == "same" {
                                (check("OK", "✓", "Same data in every run that ended.", &format!("{}. Layout and chunks of files may differ.", words::compared(report).unwrap_or_default())))
                            } @else if check_.state == "differs" {
                                (check("HIGH", "▲", "Results differ.", &words::compared(report).unwrap_or_default()))
                            }
                            @if check_.state == "not-compared" && check_.not_compared.is_empty() {
                                (check("WARN", "◆", "Not compared.", "No file was written in the folder of a run or the current one."))
                            }
                            @if !check_.not_compared.is_empty() {
                                (check("WARN", "◆", "Not compared:", &format!("{}. It differs between default runs, too.", check_.not_compared.join(", "))))
                            }
                        },
                        None => (check("WARN", "◆", "Not compared.", "Results were not looked at.")),
                    }
                    @let bad = report.outcomes.failed + report.outcomes.timeout;
                    @if bad > 0 {
                        (check("INFO", "○", "Not all settings work:", &format!("{} failed or took too long. Nothing that failed was tried again.", counted(bad, "run", "runs"))))
                    }
                }
            }
        }
    }
}

fn check(class: &str, sign: &str, bold: &str, rest: &str) -> Markup {
    html! {
        li { span class={ "g " (class) } { (sign) } span { b { (bold) } " " (text::clean(rest)) } }
    }
}

fn state(name: &str) -> Markup {
    let (class, sign) = match State::named(name) {
        Some(State::Applied) => ("applied", "✓"),
        Some(State::Changed) => ("changed", "◆"),
        Some(State::NotApplicable) => ("not-applicable", "○"),
        _ => ("unverifiable", "?"),
    };
    html! { span class={ "st " (class) } { (sign) " " (text::clean(name)) } }
}

/// Bytes of a setting in a larger unit.
pub(super) fn large(name: &str, value: &str) -> Option<String> {
    let (param, _) = find(name)?;
    let large = |text: &str| text.parse().ok().filter(|number| *number >= LARGE).map(bytes);
    match param.kind {
        Kind::Bytes { .. } => large(value),
        Kind::Alignment => {
            let (threshold, boundary) = value.split_once(',')?;
            let spoken = |text: &str| large(text).unwrap_or_else(|| text.to_owned());
            let is_large = large(threshold).or_else(|| large(boundary)).is_some();
            is_large.then(|| format!("{}, {}", spoken(threshold), spoken(boundary)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_larger_units() {
        assert_eq!(large("hdf5.chunk_bytes", "16777216").as_deref(), Some("16 MiB"));
        assert_eq!(large("hdf5.alignment", "0,1048576").as_deref(), Some("0, 1 MiB"));
        assert_eq!(large("hdf5.alignment", "0,1"), None);
        assert_eq!(large("fs.striping_factor", "16777216"), None);
        assert_eq!(large("hdf5.chunk_bytes", "default"), None);
        assert_eq!(large("cmd.bs", "16777216"), None);
    }
}
