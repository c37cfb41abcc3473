//! The original's verdicts in the shape of ours.

use ioglass_log::{Error, Log};

use super::{Compat, drishti};
use crate::detect;
use crate::finding::{
    Confidence, Diagnosis, Evidence, FileShare, Finding, Level, Outcome, Quantity, Role, State,
    Top, Verdict, Warning,
};
use crate::threshold::Thresholds;

impl Diagnosis {
    /// Diagnoses a log as Drishti 0.8 does, with its levels. It knows no seconds. All its 32 codes
    /// are there, fired or fine.
    pub fn compat(log: &Log, thresholds: &Thresholds) -> Result<Self, Error> {
        let Compat { triggers, failed } = drishti(log, thresholds)?;
        let mut ours = Self::of(log, thresholds);
        let mut findings: Vec<Finding> = Vec::new();
        for trigger in triggers {
            let Some(detector) = detect::find(trigger.code) else { continue };
            let inputs = trigger.inputs.iter().map(|(name, value)| (*name, *value));
            let figures = trigger.figures.iter().map(|value| ("figure", *value));
            let number = |(name, value)| Evidence { name, value, quantity: Quantity::Count };
            let files = trigger.details.into_iter();
            let files =
                files.map(|detail| FileShare { path: detail.path.into(), ..FileShare::default() });
            findings.push(Finding {
                level: Some(trigger.level),
                role: (trigger.level >= Level::Warn).then_some(Role::Primary),
                title: trigger.message,
                evidence: inputs.chain(figures).map(number).collect(),
                files: Top { list: files.collect(), more: 0 },
                confidence: Confidence::Derived,
                ..Finding::empty(detector, State::Fired)
            });
        }
        let fired: Vec<&str> = findings.iter().map(|finding| finding.detector.code).collect();
        let count = |level| findings.iter().filter(|f| f.level == Some(level)).count();
        let (high, warn) = (count(Level::High), count(Level::Warn));
        let others = detect::ALL.iter().filter(|d| d.code.starts_with(['S', 'P', 'M']));
        let silent: Vec<_> = others.filter(|d| !fired.contains(&d.code)).copied().collect();
        ours.verdict = match &failed {
            Some(why) => {
                ours.warnings
                    .push(Warning { text: format!("Drishti 0.8 fails: {why}"), marks: false });
                Verdict {
                    outcome: Outcome::NotJudgeable,
                    dimensions: Vec::new(),
                    sentence: "Drishti 0.8 gives no report on this log.".into(),
                    avoidable: 0.0,
                }
            }
            None => Verdict {
                outcome: if high + warn > 0 { Outcome::HeldBack } else { Outcome::Healthy },
                dimensions: Vec::new(),
                sentence: format!("Drishti 0.8 says: {high} critical issues, {warn} warnings."),
                avoidable: 0.0,
            },
        };
        if failed.is_none() {
            findings.extend(silent.into_iter().map(|detector| Finding {
                level: Some(Level::Ok),
                ..Finding::empty(detector, State::Fine)
            }));
        }
        ours.findings = findings;
        Ok(ours)
    }
}
