//! The explanation of a check, and of its result in a log.

use std::io::{self, Write};

use ioglass_insight::detect::Detector;
use ioglass_insight::{Finding, State};

use super::screen::{BOLD, DIM, INDENT, LABEL, PLAIN, Screen, mark};
use super::{Options, advice, checks, finding};
use crate::number;

/// Explains a check: the problem, its cost, the condition and the remedy. With a finding, the result in
/// that log follows.
pub fn explain(
    out: &mut impl Write,
    detector: &Detector,
    finding: Option<&Finding>,
    options: &Options<'_>,
) -> io::Result<()> {
    let screen = &mut Screen::new(out, options);
    let about = format!("  {}, at most {}", detector.dimension.word(), detector.highest.word());
    let name = format!("{} {}", detector.code, detector.slug);
    screen.line(&[(BOLD, &name), (DIM, &about)])?;
    screen.blank()?;
    for (label, words) in [
        ("what", detector.what),
        ("costs", detector.why),
        ("fires", detector.condition),
        ("helps", detector.fix),
    ] {
        if !words.is_empty() {
            screen.labelled(2, label, words)?;
        }
    }
    // A shortened address would be useless.
    if !detector.see.is_empty() {
        screen.line(&[(PLAIN, &format!("  {:<LABEL$}{}", "see", detector.see))])?;
    }
    match finding {
        Some(finding) => here(screen, finding, options),
        None => Ok(()),
    }
}

/// Writes the result in this log.
fn here<W: Write>(
    screen: &mut Screen<'_, W>,
    finding: &Finding,
    options: &Options<'_>,
) -> io::Result<()> {
    let log = options.log.file_name().unwrap_or(options.log.as_os_str()).to_string_lossy();
    let (sign, style) = mark(match finding.state {
        State::NotCheckable | State::Senseless => None,
        _ => finding.level,
    });
    screen.blank()?;
    let (sign, state) = (screen.sign(sign), state(finding));
    let log = screen.short(&log, screen.width.saturating_sub(sign.len() + state.len() + 5).max(16));
    screen.line(&[(style, &sign), (PLAIN, &format!(" {log}: ")), (BOLD, &state)])?;
    screen.blank()?;
    if finding.state != State::Fired {
        return screen.paragraph(2, PLAIN, &checks::reason(finding));
    }
    screen.paragraph(INDENT, PLAIN, &finding.title)?;
    finding::body(screen, finding)?;
    numbers(screen, finding)?;
    finding::files(screen, finding)?;
    finding::ranks(screen, finding)?;
    if let Some(cause) = finding.caused_by {
        screen.labelled(INDENT, "cause:", cause)?;
    }
    advice::write(screen, &finding.advice, 2)?;
    screen.paragraph(INDENT, DIM, &finding::name(finding, 0))
}

/// Returns the result and its cost.
fn state(finding: &Finding) -> String {
    match (finding.state, finding.level) {
        (State::Fired, Some(level)) if finding.seconds_at_stake > 0.0 => {
            let cost = number::seconds(finding.seconds_at_stake);
            format!("{}, {cost}, {} of the run", level.word(), number::percent(finding.share))
        }
        (State::Fired, Some(level)) => level.word().into(),
        (State::Fired, None) => "fired".into(),
        (State::Fine, _) => "fine".into(),
        (State::NotCheckable, _) => "not checkable".into(),
        (State::Senseless, _) => "does not apply to this run".into(),
    }
}

/// Writes the numbers that a finding rests on.
fn numbers<W: Write>(screen: &mut Screen<'_, W>, finding: &Finding) -> io::Result<()> {
    let longest = finding.evidence.iter().map(|e| e.name.chars().count()).max().unwrap_or(0);
    for (i, evidence) in finding.evidence.iter().enumerate() {
        let label = if i == 0 { "numbers:" } else { "" };
        let value = screen.text(&number::quantity(evidence.value, evidence.quantity));
        let line = format!("{:INDENT$}{label:<LABEL$}{:<longest$}  {value}", "", evidence.name);
        screen.line(&[(PLAIN, &line)])?;
    }
    Ok(())
}
