//! A table of figures and goals.

use std::fmt;

/// Lines with a figure, a goal, and the figure of a peer; and text below them.
#[derive(Debug)]
pub struct Table {
    peer: &'static str,
    lines: Vec<[String; 4]>,
    sections: Vec<String>,
}

impl Table {
    /// An empty table; the last column has this heading.
    #[must_use]
    pub const fn beside(peer: &'static str) -> Self {
        Self { peer, lines: Vec::new(), sections: Vec::new() }
    }

    /// Adds a figure without a goal.
    pub fn note(&mut self, what: &str, figure: String) {
        self.add(what, figure, String::new(), String::new());
    }

    /// Adds a figure that is to be at most so much.
    pub fn at_most(&mut self, what: &str, figure: f64, goal: f64, unit: &str, peer: String) {
        self.judge(what, figure, figure <= goal, &format!("≤ {goal}"), unit, peer);
    }

    /// Adds a figure that is to be at least so much.
    pub fn at_least(&mut self, what: &str, figure: f64, goal: f64, unit: &str) {
        self.judge(what, figure, figure >= goal, &format!("≥ {goal}"), unit, String::new());
    }

    fn judge(
        &mut self,
        what: &str,
        figure: f64,
        is_met: bool,
        goal: &str,
        unit: &str,
        peer: String,
    ) {
        let verdict = if is_met { "" } else { " NOT MET" };
        self.add(what, format!("{figure:.2} {unit}{verdict}"), goal.to_owned(), peer);
    }

    /// Adds text below the lines.
    pub fn section(&mut self, text: &str) {
        self.sections.push(text.to_owned());
    }

    /// Adds a line.
    pub fn add(&mut self, what: &str, figure: String, goal: String, peer: String) {
        self.lines.push([what.to_owned(), figure, goal, peer]);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| | measured | wanted | {} |\n|---|---|---|---|", self.peer)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "| {} |", line.join(" | ")))?;
        self.sections.iter().try_for_each(|text| write!(f, "\n{text}"))
    }
}
