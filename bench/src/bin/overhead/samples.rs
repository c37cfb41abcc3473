//! Figures of interleaved runs, and what a variant adds to the bare one.

use std::fmt::Write as _;

use crate::driver::{Bench, Figures};
use crate::limits::{self, Limit, mark};
use crate::variant::Variant;

/// Figures of all variants: for each, a list of runs.
pub(crate) struct Samples {
    variants: Vec<Variant>,
    runs: Vec<Vec<Figures>>,
}

/// What one variant adds to another.
pub(crate) struct Added {
    /// The difference of the lower quartiles of all repetitions: what disturbs a run mostly adds to
    /// it, so low figures are the true ones, but the lowest can be luck.
    pub(crate) typical: f64,
    /// The median of the differences within a repetition.
    pub(crate) median: f64,
}

impl Samples {
    /// Lets the variants take turns, so that what disturbs the machine disturbs them alike.
    pub(crate) fn interleaved(
        variants: Vec<Variant>,
        runs: usize,
        mut measure: impl FnMut(Variant) -> anyhow::Result<Figures>,
    ) -> anyhow::Result<Self> {
        let mut figures = vec![Vec::with_capacity(runs); variants.len()];
        for _ in 0..runs {
            for (variant, figures) in variants.iter().zip(&mut figures) {
                figures.push(measure(*variant)?);
            }
        }
        Ok(Self { variants, runs: figures })
    }

    /// The driver's figures in a mode.
    pub(crate) fn of_mode(
        bench: &Bench,
        variants: &[Variant],
        mode: &[&str],
    ) -> anyhow::Result<Self> {
        Self::interleaved(bench.possible(variants), bench.runs, |variant| {
            let mut figures = bench.run(variant, mode)?.figures;
            figures.truncate(figures.len() - 2); // the whole process is not the matter here
            Ok(figures)
        })
    }

    fn of(&self, variant: Variant) -> Option<&Vec<Figures>> {
        Some(&self.runs[self.variants.iter().position(|other| *other == variant)?])
    }

    /// What `variant` adds to `base` in a row.
    pub(crate) fn added(&self, variant: Variant, base: Variant, row: usize) -> Option<Added> {
        let of = |variant| Some(self.of(variant)?.iter().map(|run| run[row].1).collect());
        let (ours, base): (Vec<f64>, Vec<f64>) = (of(variant)?, of(base)?);
        let differences = ours.iter().zip(&base).map(|(one, other)| one - other).collect();
        Some(Added {
            typical: quantile(ours, 4) - quantile(base, 4),
            median: quantile(differences, 2),
        })
    }

    /// What the bare program takes in a row.
    fn bare(&self, row: usize) -> f64 {
        quantile(self.runs[0].iter().map(|run| run[row].1).collect(), 4)
    }

    /// The names of the rows.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.runs[0][0].iter().map(|figure| figure.0.as_str())
    }

    /// A table: the bare figure, and what each variant adds to it: the difference of the quartiles, and
    /// the median difference in brackets. `claims` are for
    /// what ours adds, `scale` divides the figures.
    pub(crate) fn table(&self, unit: &str, scale: f64, claims: &[Limit]) -> anyhow::Result<String> {
        let mut text = format!("{:<30} {:>8}", format!("added {unit}"), "bare");
        for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
            write!(text, " {:>17}", variant.label())?;
        }
        writeln!(text, " {:>9}  limit", "ours/ref")?;
        for (row, name) in self.names().enumerate() {
            write!(text, "{name:<30} {:>8}", figure(self.bare(row) / scale))?;
            for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
                let Some(added) = self.added(*variant, Variant::Bare, row) else { continue };
                let (typical, median) = (added.typical / scale, added.median / scale);
                let cell = format!("{} ({})", signed(typical), signed(median));
                write!(text, " {cell:>17}")?;
            }
            writeln!(text, "{}", self.verdict(row, name, scale, claims))?;
        }
        Ok(text)
    }

    /// How ours compares with the reference and with the limit.
    fn verdict(&self, row: usize, name: &str, scale: f64, claims: &[Limit]) -> String {
        let Some(ours) = self.added(Variant::Ours, Variant::Bare, row) else {
            return String::new();
        };
        let reference = self.added(Variant::Reference, Variant::Bare, row);
        let reference = reference.filter(|added| added.typical > limits::NOTHING);
        let ratio = reference.map(|reference| ours.typical / reference.typical);
        let mut text =
            format!(" {:>9}", ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")));
        if let Some(limit) = claims.iter().find(|limit| limit.name == name) {
            text += &format!("  {}{}", limit.most, mark(ours.typical / scale <= limit.most));
        } else if let Some(ratio) = ratio {
            text += mark(ratio <= limits::SHARE);
        }
        text
    }

    /// What the trace adds to a call that is recorded anyway.
    pub(crate) fn trace(&self, names: &[&str], most: f64) -> anyhow::Result<String> {
        let mut text = String::new();
        for (row, name) in self.names().enumerate().filter(|(_, name)| names.contains(name)) {
            let ours = self.added(Variant::OursTrace, Variant::Ours, row);
            let reference = self.added(Variant::ReferenceTrace, Variant::Reference, row);
            let Some(ours) = ours else { continue };
            write!(text, "  trace adds to {name:<14} {:>6.1} ns", ours.typical)?;
            if let Some(reference) = reference {
                write!(text, ", the reference's {:>6.1}", reference.typical)?;
            }
            writeln!(text, ", limit {most}{}", mark(ours.typical <= most))?;
        }
        Ok(text)
    }
}

/// The value that a `part`th of `values` does not exceed.
fn quantile(mut values: Vec<f64>, part: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / part]
}

fn figure(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn signed(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:+.2}") } else { format!("{value:+.0}") }
}
