//! How to undo it, and what the search left behind.

use maud::{Markup, html};

use super::Page;
use crate::text;
use crate::tune::words;

impl Page<'_> {
    pub(super) fn undo(&self) -> Markup {
        if self.is_gain() && self.report.model.is_none() { self.back() } else { self.left() }
    }

    fn back(&self) -> Markup {
        let report = self.report;
        let command = words::command(report);
        html! {
            h2 { "How to undo it" }
            p class="sub" { "The settings act only while the program runs under them. Nothing in the program or your environment was changed." }
            div class="two" {
                div class="panel" {
                    p class="ptitle" { "From now on" }
                    p class="gone" { "Leave out " code { (words::apply(report)) } ". For one run, where a job script has the settings in its environment:" }
                    (copied(&format!("IOGLASS_SETTINGS= {command}")))
                }
                div class="panel" {
                    p class="ptitle" { "Files that were written with it" }
                    @if words::stays_in_files(report) {
                        p class="gone" { "They stay as they are, with the chunks, alignment or stripes that they have, and every reader of their format reads them. A new run without the settings writes files as before. To rewrite an HDF5 file without chunks, or to put a file back on one stripe:" }
                        (copied("h5repack -l CONTI out.h5 plain.h5\nlfs migrate -c 1 plain.h5"))
                    } @else {
                        p class="gone" { "They are as they would be without: none of the settings changes what a file holds or how it is laid out." }
                    }
                }
            }
            (self.kept())
        }
    }

    fn left(&self) -> Markup {
        html! {
            h2 { "What was left behind" }
            p class="sub" {
                @if self.report.model.is_some() { "Nothing but the journal: a model ran, and no program." }
                @else { "No setting is in force: the search changed nothing that lasts." }
            }
            (self.kept())
        }
    }

    fn kept(&self) -> Markup {
        let report = self.report;
        html! {
            @if report.journal.is_some() || report.best.is_some() {
                div class="panel" {
                    p class="ptitle" { "Kept" }
                    p class="gone" {
                        @if let Some(journal) = &report.journal { code { (text::clean(journal)) } ", the journal of all runs. " }
                        @if let Some(best) = &report.best {
                            code { (text::clean(best)) }
                            @if self.is_gain() { ", the settings. " }
                            @else if words::is_unproven(report) { ", the candidate, marked as not confirmed. " }
                            @else { ", which holds no setting. " }
                        }
                        "They may be removed."
                    }
                }
            }
        }
    }
}

/// A command with a button that copies it.
fn copied(code: &str) -> Markup {
    html! {
        div class="do" {
            div { button class="cp scripted" { "Copy" } }
            div class="panel-alone" { pre tabindex="0" { (code) } }
        }
    }
}
