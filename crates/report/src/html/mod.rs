//! A diagnosis as one self-contained page. Words and tables are HTML; a script draws the charts from
//! data that the page carries.
//!
//! Names come from logs: every name goes through [`text::clean`] and is escaped.

pub(crate) mod assets;
mod checks;
pub(crate) mod data;
mod findings;
pub(crate) mod frame;
pub(crate) mod head;
mod missing;
pub(crate) mod pack;
mod plots;
mod requests;
mod tables;
mod time;

use std::path::Path;

use ioglass_insight::view::{Room, View};
use ioglass_insight::{Diagnosis, Level, RankKind, State};
use maud::{Markup, PreEscaped, html};

use frame::{Frame, Section};

use crate::number::counted;
use crate::terminal::select::Selection;
use crate::terminal::{self, Options};
use crate::text;

/// Size limit of a page. A log that is too irregular for it is shown less finely.
const MOST_BYTES: usize = 5_000_000;

/// Returns the page on the run of this log. `view` gives the data of the charts for a given room; the
/// finest that keeps the page small is used.
pub fn page<'r>(diagnosis: &Diagnosis, view: impl Fn(&Room) -> View<'r>, log: &Path) -> String {
    let mut made = String::new();
    for room in &Room::LADDER {
        made = page_in(diagnosis, &view(room), log);
        if made.len() < MOST_BYTES {
            break;
        }
    }
    made
}

fn page_in(diagnosis: &Diagnosis, view: &View<'_>, log: &Path) -> String {
    let options = Options { verbosity: 1, ..Options::new(log) };
    let page = Page {
        diagnosis,
        view,
        log: text::clean(&log.file_name().unwrap_or(log.as_os_str()).to_string_lossy()),
        selection: Selection::new(&diagnosis.findings, &options),
        is_empty: terminal::is_empty(diagnosis),
    };
    page.whole()
}

/// The data that every part of the page uses.
struct Page<'a> {
    diagnosis: &'a Diagnosis,
    view: &'a View<'a>,
    /// The log's name.
    log: String,
    selection: Selection<'a>,
    /// True if nothing was recorded.
    is_empty: bool,
}

impl Page<'_> {
    fn whole(&self) -> String {
        let program = text::shorten(&self.diagnosis.subject.program, 80);
        let frame = Frame {
            title: format!("{program} · {}", self.sentence()),
            style: assets::style(),
            skip: ("findings", "Skip to findings"),
            hero: self.hero(),
            sections: self.sections(),
            footer: self.footer(),
            data: if self.is_empty { html!() } else { self.data() },
            script: assets::script(),
        };
        frame.page()
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut add = |id, name, body| sections.push(Section { id, name, body });
        if self.is_empty {
            add("findings", "Why", self.nothing());
            return sections;
        }
        add("findings", "Findings", self.findings());
        if self.view.traced.is_none() && self.view.heat.is_empty() {
            add("time", "Time", self.sums_only());
        } else {
            add("time", "Time", self.time());
            add("heat", "Heat maps", self.heat());
            add("space", "Space", self.space());
        }
        add("ranks", if self.is_tree() { "Processes" } else { "Ranks" }, self.rank_costs());
        add("sizes", "Requests", self.requests());
        add("modules", "Modules", self.modules());
        add("files", "Files", self.files());
        add("checks", "Checks", self.checks());
        sections
    }

    /// Returns true if ranks are processes of a tree, not ranks of one program.
    fn is_tree(&self) -> bool {
        self.diagnosis.subject.rank_kind == RankKind::Process
    }

    /// Returns the word for one rank.
    fn who(&self) -> &'static str {
        if self.is_tree() { "process" } else { "rank" }
    }

    /// Returns the word for several ranks.
    fn whose(&self) -> &'static str {
        if self.is_tree() { "processes" } else { "ranks" }
    }

    /// Returns `3 ranks`, or `3 processes`.
    fn ranks(&self, count: u64) -> String {
        match self.is_tree() {
            true => counted(count, "process", "processes"),
            false => counted(count, "rank", "ranks"),
        }
    }
}

/// Cleans a sentence, and sets the words between backticks as code.
pub(crate) fn spoken(words: &str) -> Markup {
    let clean = text::clean(words);
    let pieces: Vec<&str> = clean.split('`').collect();
    // A backtick without a partner is only a letter.
    if pieces.len().is_multiple_of(2) {
        return html! { (clean) };
    }
    html! {
        @for (i, piece) in pieces.iter().enumerate() {
            @if i % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// Returns the word and the icon of a level; the page adds the colour.
fn level(level: Option<Level>, state: State) -> (&'static str, Markup) {
    let (class, path) = match (state, level) {
        (State::Fine, _) | (_, Some(Level::Ok)) => (
            "OK",
            r#"<path d="M1 6 5 10 11 2" fill="none" stroke="currentColor" stroke-width="2"/>"#,
        ),
        (_, Some(Level::High)) => ("HIGH", r#"<path d="M6 0 12 12H0Z"/>"#),
        (_, Some(Level::Warn)) => ("WARN", r#"<path d="M6 0 12 6 6 12 0 6Z"/>"#),
        _ => (
            "INFO",
            r#"<circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" stroke-width="2"/>"#,
        ),
    };
    let icon = html! {
        svg width="11" height="11" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true" {
            (PreEscaped(path))
        }
    };
    (class, icon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_backticks_is_code_and_nothing_is_an_element() {
        assert_eq!(spoken("run `a < b` now").into_string(), "run <code>a &lt; b</code> now");
        assert_eq!(spoken("`a` or `b`").into_string(), "<code>a</code> or <code>b</code>");
        assert_eq!(spoken("it`s <b>").into_string(), "it`s &lt;b&gt;");
    }
}
