//! Figures of interleaved runs, and what a variant adds to the bare one.

use std::fmt::Write as _;

use crate::driver::{Bench, Figures};
use crate::limits::{self, Limit, mark};
use crate::standing;
use crate::variant::Variant;

/// Repetitions that tell how much figures differ.
const FEWEST: usize = 8;
/// A row has at most so many times the repetitions that were asked for.
const MOST_TIMES: usize = 50;

/// Figures of all variants.
pub(crate) struct Samples {
    variants: Vec<Variant>,
    rows: Vec<Row>,
}

/// One row's figures: for each variant, those of all repetitions.
struct Row {
    name: String,
    figures: Vec<Vec<f64>>,
}

/// What one variant adds to another: quartiles of the differences within a repetition.
struct Added {
    low: f64,
    median: f64,
    high: f64,
}

/// What ours adds as a share of what the reference adds.
struct Ratio {
    value: f64,
    error: f64,
}

impl Samples {
    /// Repeats a measurement of all variants. One measurement tells the figures of each variant, in
    /// their order; in it the variants take turns, so that what disturbs the machine disturbs them alike.
    pub(crate) fn repeated(
        variants: Vec<Variant>,
        repetitions: usize,
        mut measure: impl FnMut(&[Variant]) -> anyhow::Result<Vec<Figures>>,
    ) -> anyhow::Result<Self> {
        let mut samples = Self { variants, rows: Vec::new() };
        for _ in 0..repetitions {
            samples.add(measure(&samples.variants)?);
        }
        Ok(samples)
    }

    /// The figures of drivers that stand side by side in a mode. Rows go on until their share of the reference is known
    /// as well as is wanted: that depends on how well it is known alone, not on what it is.
    pub(crate) fn standing(
        bench: &Bench,
        variants: &[Variant],
        mode: &[&str],
    ) -> anyhow::Result<Self> {
        let wants = |name: &str| name.contains(&bench.rows);
        let measure = |variants: &[Variant], wants: &dyn Fn(&str) -> bool| {
            bench.renew_libraries()?;
            standing::measure(bench, variants, mode, wants)
        };
        let variants = bench.possible(variants);
        let mut samples =
            Self::repeated(variants, bench.runs, |variants| measure(variants, &wants))?;
        for _ in bench.runs..bench.runs.max(FEWEST) * MOST_TIMES {
            let vague = samples.vague(bench.error);
            if vague.is_empty() {
                break;
            }
            samples.add(measure(&samples.variants, &|name| vague.iter().any(|row| row == name))?);
        }
        Ok(samples)
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

    /// Adds a repetition: figures of each variant, of some rows or all.
    fn add(&mut self, figures: Vec<Figures>) {
        for (at, figures) in figures.into_iter().enumerate() {
            for (name, figure) in figures {
                let known = self.rows.iter().position(|row| row.name == name);
                let row = known.unwrap_or_else(|| {
                    self.rows.push(Row { name, figures: vec![Vec::new(); self.variants.len()] });
                    self.rows.len() - 1
                });
                self.rows[row].figures[at].push(figure);
            }
        }
    }

    /// Rows whose share of the reference is not known that well, or not even whether that records the call.
    fn vague(&self, error: f64) -> Vec<String> {
        let is_vague = |row: &&Row| match self.ratio(row) {
            Some(ratio) => ratio.error > error,
            None => self
                .added(Variant::Reference, Variant::Bare, row)
                .is_some_and(|added| added.median > limits::NOTHING),
        };
        self.rows.iter().filter(is_vague).map(|row| row.name.clone()).collect()
    }

    fn of<'r>(&self, variant: Variant, row: &'r Row) -> Option<&'r [f64]> {
        let at = self.variants.iter().position(|other| *other == variant)?;
        Some(&row.figures[at])
    }

    /// What `variant` adds to `base` in a row, repetition by repetition.
    fn differences(&self, variant: Variant, base: Variant, row: &Row) -> Option<Vec<f64>> {
        let (figures, base) = (self.of(variant, row)?, self.of(base, row)?);
        Some(figures.iter().zip(base).map(|(one, other)| one - other).collect())
    }

    /// The same in all.
    fn added(&self, variant: Variant, base: Variant, row: &Row) -> Option<Added> {
        let differences = self.differences(variant, base, row)?;
        let [low, median, high] = [1, 2, 3].map(|quarter| quartile(&differences, quarter));
        Some(Added { low, median, high })
    }

    /// What ours adds, compared with the reference, if that does record the call.
    fn ratio(&self, row: &Row) -> Option<Ratio> {
        let ours = self.differences(Variant::Ours, Variant::Bare, row)?;
        let reference = self.differences(Variant::Reference, Variant::Bare, row)?;
        let (added, of) = (quartile(&ours, 2), quartile(&reference, 2));
        let is_recorded = of - 2.0 * error_of_median(&reference) > limits::NOTHING;
        is_recorded.then(|| {
            let value = added / of;
            // Both are differences from the same bare figures, so they err together.
            let pairs = ours.iter().zip(&reference);
            let rest: Vec<f64> = pairs.map(|(ours, of)| ours - value * of).collect();
            Ratio { value, error: error_of_median(&rest) / of }
        })
    }

    /// What the bare program takes in a row.
    fn bare(&self, row: &Row) -> f64 {
        self.of(Variant::Bare, row).map_or(f64::NAN, |figures| quartile(figures, 2))
    }

    /// A table: the bare figure, and what each variant adds to it: the median of the repetitions, and in
    /// brackets their quartiles. `claims` are for what ours adds, `scale` divides the figures.
    pub(crate) fn table(&self, unit: &str, scale: f64, claims: &[Limit]) -> anyhow::Result<String> {
        let mut text = format!("{:<30} {:>8}", format!("added {unit}"), "bare");
        for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
            write!(text, " {:>19}", variant.label())?;
        }
        writeln!(text, " {:>12} {:>6}  limit", "ours/ref", "runs")?;
        for row in &self.rows {
            write!(text, "{:<30} {:>8}", row.name, figure(self.bare(row) / scale))?;
            for variant in self.variants.iter().filter(|variant| **variant != Variant::Bare) {
                let Some(added) = self.added(*variant, Variant::Bare, row) else { continue };
                let [low, median, high] =
                    [added.low, added.median, added.high].map(|added| signed(added / scale));
                write!(text, " {:>19}", format!("{median} ({low} {high})"))?;
            }
            writeln!(text, "{}", self.verdict(row, scale, claims))?;
        }
        Ok(text)
    }

    /// How ours compares with the reference and with the limit.
    fn verdict(&self, row: &Row, scale: f64, claims: &[Limit]) -> String {
        let Some(ours) = self.added(Variant::Ours, Variant::Bare, row) else {
            return String::new();
        };
        let ratio = self.ratio(row);
        let share = ratio
            .as_ref()
            .map_or(String::new(), |Ratio { value, error }| format!("{value:.2} ±{error:.2}"));
        let mut text = format!(" {share:>12} {:>6}", row.figures[0].len());
        if let Some(limit) = claims.iter().find(|limit| limit.name == row.name) {
            text += &format!("  {}{}", limit.most, mark(ours.median / scale <= limit.most));
        } else if let Some(ratio) = ratio {
            text += mark(ratio.value <= limits::SHARE);
        }
        text
    }

    /// What the trace adds to a call that is recorded anyway.
    pub(crate) fn trace(&self, names: &[&str], most: f64) -> anyhow::Result<String> {
        let mut text = String::new();
        for row in self.rows.iter().filter(|row| names.contains(&row.name.as_str())) {
            let ours = self.added(Variant::OursTrace, Variant::Ours, row);
            let reference = self.added(Variant::ReferenceTrace, Variant::Reference, row);
            let Some(ours) = ours else { continue };
            write!(text, "  trace adds to {:<14} {:>6.1} ns", row.name, ours.median)?;
            if let Some(reference) = reference {
                write!(text, ", the reference's {:>6.1}", reference.median)?;
            }
            writeln!(text, ", limit {most}{}", mark(ours.median <= most))?;
        }
        Ok(text)
    }
}

/// The standard error of the median, as it is where errors are of the usual kind. Too few values tell nothing.
fn error_of_median(values: &[f64]) -> f64 {
    const OF_MEDIAN: f64 = 1.253;
    const BETWEEN_QUARTILES: f64 = 1.349;
    if values.len() < FEWEST {
        return f64::INFINITY;
    }
    let deviation = (quartile(values, 3) - quartile(values, 1)) / BETWEEN_QUARTILES;
    OF_MEDIAN * deviation / (values.len() as f64).sqrt()
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
