//! What a log does not have: why, and what to type to get it.

use ioglass_insight::Need;
use maud::{Markup, html};

use super::Page;
use crate::text;

/// Letters of a command from which on only its program is shown.
const LONG: usize = 60;

impl Page<'_> {
    /// One place for all that a log of sums alone cannot tell.
    pub(super) fn sums_only(&self) -> Markup {
        html! {
            h2 { "When and where bytes moved" }
            div class="panel" {
                p class="empty" {
                    "This log has sums only: neither a heat map nor a trace of single calls. So it cannot tell when bytes moved"
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

    /// What is missing in a section that would show it.
    pub(super) fn missing_space(&self, why: &str) -> Markup {
        html! {
            h2 { "Where in the file" }
            div class="panel" {
                p class="empty" { "Offsets are not known: " (why) ". To see them, " (remedy(Need::Trace)) "." }
            }
        }
    }

    /// How to record this program once more, with a trace.
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

/// What to turn on; what is typed stands out.
pub(super) fn remedy(need: Need) -> Markup {
    marked(need.remedy(), need.typed())
}

/// Words with these pieces of them as code.
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
