//! Data that a log lacks, and the commands that record it.

use ioglass_insight::Need;
use maud::{Markup, html};

use super::Page;
use crate::text;

/// From this many letters on, only the program of a command is shown.
const LONG: usize = 60;

impl Page<'_> {
    /// Replaces all charts of a log that has sums only.
    pub(super) fn sums_only(&self) -> Markup {
        if self.diagnosis.subject.is_traced != Some(false) {
            // Recording it again would not help.
            return html! {
                h2 { "When and where bytes moved" }
                div class="panel" { p class="empty" { "This log has no heat map and no call that was traced." } }
            };
        }
        html! {
            h2 { "When and where bytes moved" }
            div class="panel" {
                p class="empty" {
                    "This log has sums only: no heat map, no trace of single calls. It does not tell when bytes moved"
                    @if self.diagnosis.subject.ranks > 1 { ", which " (self.who()) " was busy when" }
                    " or where in files calls went. To see that, record the program again:"
                }
                dl class="ways" {
                    dt { "with ioglass" }
                    dd { pre tabindex="0" { code { (self.again()) } } }
                    @if !self.is_ours() {
                        dt { "with Darshan" }
                        dd { pre tabindex="0" { code {
                            "export DXT_ENABLE_IO_TRACE=1" span class="c" { "   # heat maps come with Darshan 3.4 and newer" }
                        } } }
                    }
                }
            }
        }
    }

    /// Says why the section on offsets is empty.
    pub(super) fn missing_space(&self, why: &str) -> Markup {
        html! {
            h2 { "Where in the file" }
            div class="panel" {
                p class="empty" { "Offsets are not known: " (why) ". " (self.to_see("them")) }
            }
        }
    }

    /// Says how to see what a trace shows, unless the run was traced.
    pub(super) fn to_see(&self, what: &str) -> Markup {
        html! {
            @if self.diagnosis.subject.is_traced == Some(true) {
                "Only calls of POSIX and MPI-IO are traced."
            } @else {
                "To see " (what) ", " (remedy(Need::Trace)) "."
            }
        }
    }

    /// Returns the command that records this program again, with a trace.
    fn again(&self) -> String {
        let subject = &self.diagnosis.subject;
        let launcher = if self.is_tree() || subject.ranks < 2 {
            String::new()
        } else {
            format!("mpirun -n {} ", subject.ranks)
        };
        let whole = text::clean(&subject.command);
        let first = whole.split_whitespace().next().unwrap_or("./program");
        let command = match (first.rsplit_once('/'), text::width(&whole) > LONG) {
            (_, false) if !whole.is_empty() => whole.clone(),
            (Some((_, name)), _) => format!("./{name} …"),
            (None, _) => format!("{first} …"),
        };
        format!("{launcher}ioglass run --trace -- {command}")
    }

    fn is_ours(&self) -> bool {
        self.diagnosis.subject.recorder.starts_with("ioglass")
    }
}

/// Returns the remedy of a need, with the typed words as code.
pub(super) fn remedy(need: Need) -> Markup {
    marked(need.remedy(), need.typed())
}

/// Sets these pieces of a text as code.
pub(super) fn marked(words: &str, pieces: &[&str]) -> Markup {
    let found = pieces.iter().filter_map(|piece| Some((words.find(piece)?, *piece)));
    match found.min_by_key(|(at, _)| *at) {
        Some((at, piece)) => html! {
            (words[..at]) code { (piece) } (marked(&words[at + piece.len()..], pieces))
        },
        None => html! { (words) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_code() {
        let trace = remedy(Need::Trace).into_string();
        assert_eq!(
            trace,
            "record a trace: <code>ioglass run --trace</code>, or <code>DXT_ENABLE_IO_TRACE=1</code>"
        );
        assert_eq!(marked("a <b>", &["c"]).into_string(), "a &lt;b&gt;");
    }
}
