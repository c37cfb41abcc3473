//! Figures of interleaved runs, and what a variant adds to the bare one.

use std::fmt::Write as _;

use crate::driver::{Bench, Figures};
use crate::limits::{self, Limit, mark};
use crate::standing;
use crate::variant::Variant;

/// Figures of all variants: for each, a list of repetitions.
pub(crate) struct Samples {
    variants: Vec<Variant>,
    repetitions: Vec<Vec<Figures>>,
}

/// What one variant adds to another: quartiles of the differences within a repetition.
pub(crate) struct Added {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Samples {
    /// Repeats a measurement of all variants. One measurement tells the figures of each variant, in
    /// their order; in it the variants take turns, so that what disturbs the machine disturbs them alike.
    pub(crate) fn repeated(
        variants: Vec<Variant>,
        repetitions: usize,
        mut measure: impl FnMut(&[Variant]) -> anyhow::Result<Vec<Figures>>,
    ) -> anyhow::Result<Self> {
        let mut figures = vec![Vec::with_capacity(repetitions); variants.len()];
        for _ in 0..repetitions {
            for (all, new) in figures.iter_mut().zip(measure(&variants)?) {
                all.push(new);
            }
        }
        Ok(Self { variants, repetitions: figures })
    }

    /// The figures of drivers that stand side by side in a mode.
    pub(crate) fn standing(
        bench: &Bench,
        variants: &[Variant],
        mode: &[&str],
    ) -> anyhow::Result<Self> {
        Self::repeated(bench.possible(variants), bench.runs, |variants| {
            bench.renew_libraries()?;
            standing::measure(bench, variants, mode)
        })
    }

    /// The figures of a driver that prints them, in a mode.
    pub(crate) fn printed(
        bench: &Bench,
        variants: &[Variant],
        mode: &[&str],
    ) -> anyhow::Result<Self> {
        let print = |variant: &Variant| {
            let mut figures = bench.run(*variant, mode)?.figures;
            figures.truncate(figures.len() - 2); // the whole process is not the matter here
            Ok(figures)
        };
        Self::repeated(bench.possible(variants), bench.runs, |variants| {
            variants.iter().map(print).collect()
        })
    }

    fn of(&self, variant: Variant, row: usize) -> Option<Vec<f64>> {
        let at = self.variants.iter().position(|other| *other == variant)?;
        Some(self.repetitions[at].iter().map(|figures| figures[row].1).collect())
    }

    /// What `variant` adds to `base` in a row.
    pub(crate) fn added(&self, variant: Variant, base: Variant, row: usize) -> Option<Added> {
        let (ours, base) = (self.of(variant, row)?, self.of(base, row)?);
        let differences: Vec<f64> =
            ours.iter().zip(&base).map(|(one, other)| one - other).collect();
        let [low, median, high] = [1, 2, 3].map(|quarter| quartile(&differences, quarter));
        Some(Added { low, median, high })
    }

    /// What the bare program takes in a row.
    fn bare(&self, row: usize) -> f64 {
        self.of(Variant::Bare, row).map_or(f64::NAN, |figures| quartile(&figures, 2))
    }

    /// The names of the rows.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.repetitions[0][0].iter().map(|figure| figure.0.as_str())
    }

    /// A table: the bare figure, and what each variant adds to it: the median of the repetitions, and in
    /// brackets their quartiles. `claims` are for what ours adds, `scale` divides the figures.
    pub(crate) fn table(&self, unit: &str, scale: f64, claims: &[Limit]) -> anyhow::Result<String> {
        let mut text = format!("{:<30} {:>8}", format!("added {unit}"), "bare");
        for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
            write!(text, " {:>19}", variant.label())?;
        }
        writeln!(text, " {:>9}  limit", "ours/ref")?;
        for (row, name) in self.names().enumerate() {
            write!(text, "{name:<30} {:>8}", figure(self.bare(row) / scale))?;
            for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
                let Some(added) = self.added(*variant, Variant::Bare, row) else { continue };
                let [low, median, high] =
                    [added.low, added.median, added.high].map(|added| signed(added / scale));
                write!(text, " {:>19}", format!("{median} ({low} {high})"))?;
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
        let reference = reference.filter(|added| added.low > limits::NOTHING);
        let ratio = reference.map(|reference| ours.median / reference.median);
        let mut text =
            format!(" {:>9}", ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")));
        if let Some(limit) = claims.iter().find(|limit| limit.name == name) {
            text += &format!("  {}{}", limit.most, mark(ours.median / scale <= limit.most));
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
            write!(text, "  trace adds to {name:<14} {:>6.1} ns", ours.median)?;
            if let Some(reference) = reference {
                write!(text, ", the reference's {:>6.1}", reference.median)?;
            }
            writeln!(text, ", limit {most}{}", mark(ours.median <= most))?;
        }
        Ok(text)
    }
}

/// The value that so many quarters of `values` do not exceed.
pub(crate) fn quartile(values: &[f64], quarters: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) * quarters / 4]
}

fn figure(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn signed(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:+.2}") } else { format!("{value:+.0}") }
}
