//! A profile as one self-contained page: where the time went, the tree, ranks and iterations.
//!
//! Words and tables are HTML and can be read without scripts; a script draws the charts from data
//! that the page carries. Names come from profiles: every name is cleaned and escaped.

pub(crate) mod assets;
mod cards;
mod data;
mod head;
mod notes;
mod plots;
mod tables;
mod tree;

use std::path::PathBuf;

use ioglass_insight::profile::view::View;
use ioglass_insight::profile::{self as insight, Overview};
use ioglass_profile::{RankKind, Region, Set};
use maud::html;

use super::Selection;
use crate::html::frame::{self, Frame, Section};
use crate::number::{counted, fixed};
use crate::text;

/// Letters of a name that are shown.
const NAME: usize = 80;

/// Settings of a page.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What is shown.
    pub selection: Selection,
    /// The log of the same run, if there is one.
    pub log: Option<PathBuf>,
    /// What could not be read, in sentences.
    pub problems: Vec<String>,
}

/// Returns the page on a profile.
pub fn page(set: &Set, options: &Options) -> String {
    let overview = Overview::of(set);
    let view = View::of(set, &overview, &options.selection.regions(set));
    Page { set, options, overview: &overview, view: &view }.whole()
}

/// The data that every part of the page uses.
struct Page<'a> {
    set: &'a Set,
    options: &'a Options,
    overview: &'a Overview,
    view: &'a View,
}

impl Page<'_> {
    fn whole(&self) -> String {
        let sections = self.sections();
        let frame = Frame {
            title: format!("{} · {}", self.title(), self.sentence()),
            style: assets::style(),
            skip: frame::first(&sections),
            hero: self.hero(),
            sections,
            footer: self.footer(),
            data: if self.view.regions.is_empty() { html!() } else { self.data() },
            script: assets::script(),
        };
        frame.page()
    }

    fn sections(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        let mut add = |id, name, body| sections.push(Section { id, name, body });
        if self.view.regions.is_empty() {
            add("why", "Why", self.nothing());
        } else {
            if !self.cards_shown().is_empty() {
                add("what", "Stands out", self.cards());
            }
            add("flame", "Regions", self.flame());
            add("table", "Table", self.tree());
            if self.view.columns.ranks > 1 {
                let name = if self.is_tree() { "Processes" } else { "Ranks" };
                add("ranks", name, self.ranks());
            }
            if !self.view.steps.is_empty() {
                add("iterations", "Iterations", self.steps());
            }
            if let Some(body) = self.measures() {
                add("measures", "Metrics", body);
            }
        }
        add("quality", "Notices", self.quality());
        sections
    }

    /// Returns true if ranks are processes of a tree, not ranks of one program.
    fn is_tree(&self) -> bool {
        self.set.profile().head.rank_kind == RankKind::Process
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
    fn counted_ranks(&self, count: u64) -> String {
        counted(count, self.who(), self.whose())
    }

    fn region(&self, number: u32) -> &Region {
        &self.set.profile().regions[number as usize]
    }

    /// The name of a region, clean and not too long.
    fn name(&self, number: u32) -> String {
        text::shorten(&insight::name(self.region(number)), NAME)
    }

    /// The names from the outermost region to this one.
    fn path(&self, number: u32) -> String {
        let path = insight::path(&self.set.profile().regions, number);
        let names: Vec<String> = path.into_iter().map(|region| self.name(region)).collect();
        match names.len() {
            // The middle of a very long path says least.
            count if count > 12 => {
                format!("{} › … › {}", names[..3].join(" › "), names[count - 6..].join(" › "))
            }
            _ => names.join(" › "),
        }
    }

    /// The file and line of a region, if they are known.
    fn place(&self, number: u32) -> Option<String> {
        let region = self.region(number);
        if region.file.is_empty() {
            return None;
        }
        let file = String::from_utf8_lossy(&region.file);
        let last = file.rsplit('/').next().unwrap_or(&file);
        let file = text::shorten(last, NAME);
        Some(if region.line > 0 { format!("{file}:{}", region.line) } else { file })
    }

    /// The file as the user named it.
    fn named(&self) -> String {
        match self.set.named().first() {
            Some(path) if !path.as_os_str().is_empty() => path.to_string_lossy().into_owned(),
            _ => self.file(),
        }
    }

    /// The name of the file that is shown.
    fn file(&self) -> String {
        let path = self.set.paths().next();
        let name = path.and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        match name {
            Some(name) => text::clean(&name),
            None => "FILE.ioprof".into(),
        }
    }
}

/// Seconds for a column: three digits, or as many decimals as small ones need.
fn short(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        _ if !seconds.is_finite() || seconds < 0.0 => "?".into(),
        _ if seconds >= 99.95 => fixed(seconds, 0),
        _ if seconds >= 9.995 => fixed(seconds, 1),
        _ if seconds >= 0.0995 => fixed(seconds, 2),
        _ if seconds >= 0.000_95 => fixed(seconds, 3),
        _ => "< 0.001".into(),
    }
}
