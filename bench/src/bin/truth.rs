//! How well verdicts agree with labelled runs.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use ioglass_insight::threshold::Thresholds;
use ioglass_insight::{Diagnosis, Dimension, Outcome, Role};
use ioglass_log::text::TextBuilder;
use ioglass_log::{Compression, Log};

/// Diagnoses labelled runs and prints how often each dimension is named rightly.
#[derive(Debug, Parser)]
struct Args {
    /// A directory with texts as darshan-parser prints them, and `labels.tsv`: file, dimensions
    directory: PathBuf,
    /// Names runs whose verdict is not their label
    #[arg(long)]
    misses: bool,
}

const HEALTHY: &str = "healthy";

/// Right, wrongly named, wrongly not named.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    right: u32,
    extra: u32,
    missed: u32,
}

impl Score {
    fn f1(self) -> f64 {
        let all = 2 * self.right + self.extra + self.missed;
        if all == 0 { 1.0 } else { f64::from(2 * self.right) / f64::from(all) }
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let labels = args.directory.join("labels.tsv");
    let labels =
        fs::read_to_string(&labels).with_context(|| format!("cannot read {}", labels.display()))?;
    let mut names: Vec<&str> = Dimension::JUDGED.iter().map(|dimension| dimension.word()).collect();
    names.push(HEALTHY);
    let mut scores = vec![Score::default(); names.len()];
    let mut out = io::stdout().lock();
    let mut runs = 0;
    for line in labels.lines().filter(|line| !line.is_empty()) {
        let (file, wanted) = line.split_once('\t').unwrap_or((line, ""));
        let wanted: BTreeSet<&str> =
            wanted.split([',', '\t', '+', ' ']).filter(|word| !word.is_empty()).collect();
        let diagnosis = diagnose(&args.directory.join(file))?;
        let found = dimensions(&diagnosis);
        runs += 1;
        for (name, score) in names.iter().zip(&mut scores) {
            match (wanted.contains(name), found.contains(name)) {
                (true, true) => score.right += 1,
                (false, true) => score.extra += 1,
                (true, false) => score.missed += 1,
                (false, false) => {}
            }
        }
        if args.misses && wanted != found {
            let codes: Vec<String> = diagnosis
                .findings
                .iter()
                .filter(|finding| finding.role.is_some())
                .map(|finding| {
                    let role = finding
                        .role
                        .map_or("", |role| if role == Role::Primary { "p" } else { "s" });
                    format!("{}{role}", finding.detector.code)
                })
                .collect();
            writeln!(out, "{file}: labelled {wanted:?}, named {found:?} ({})", codes.join(" "))?;
        }
    }
    writeln!(out, "{:24}  right  extra  missed     F1", format!("{runs} runs"))?;
    let mut all = Score::default();
    for (name, score) in names.iter().zip(&scores) {
        let Score { right, extra, missed } = *score;
        writeln!(out, "{name:24}  {right:5}  {extra:5}  {missed:6}  {:.3}", score.f1())?;
        all.right += right;
        all.extra += extra;
        all.missed += missed;
    }
    let macro_f1 = scores.iter().map(|score| score.f1()).sum::<f64>() / scores.len() as f64;
    writeln!(
        out,
        "{:24}  {:5}  {:5}  {:6}  {:.3}",
        "micro",
        all.right,
        all.extra,
        all.missed,
        all.f1()
    )?;
    writeln!(out, "{:24}  {:28}{macro_f1:.3}", "macro", "")?;
    Ok(())
}

fn diagnose(path: &Path) -> anyhow::Result<Diagnosis> {
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut builder = TextBuilder::new();
    builder.read(&text[..]).with_context(|| format!("{} is no listing", path.display()))?;
    let log =
        builder.write(Vec::new(), Compression::Zlib).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(Diagnosis::of(&Log::from_bytes(log)?, &Thresholds::default()))
}

/// The dimensions that a verdict names; a healthy run has one of its own.
fn dimensions(diagnosis: &Diagnosis) -> BTreeSet<&'static str> {
    match diagnosis.verdict.outcome {
        Outcome::Healthy => [HEALTHY].into(),
        Outcome::HeldBack | Outcome::NotJudgeable | Outcome::CauseUnknown => {
            diagnosis.verdict.dimensions.iter().map(|dimension| dimension.word()).collect()
        }
    }
}
