//! The run by what it was spent on, and its iterations.

use std::io::{self, Write};

use anstyle::Style;
use ioglass_insight::profile::{Overview, Steps, name};
use ioglass_profile::Set;

use super::{short, spark};
use crate::number::{percent, seconds, thousands};
use crate::terminal::screen::{DIM, PLAIN, Screen};
use crate::text;

/// Columns before a value, and for the number after a bar.
const LABEL: usize = 10;
const NUMBER: usize = 8;
/// Narrower terminals have no bar.
const BAR_FROM: usize = 40;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    is_verbose: bool,
) -> io::Result<()> {
    budget(screen, overview)?;
    let shown = if is_verbose { overview.steps.len() } else { 1 };
    for steps in overview.steps.iter().take(shown) {
        iterations(screen, set, steps)?;
    }
    Ok(())
}

fn budget<W: Write>(screen: &mut Screen<'_, W>, overview: &Overview) -> io::Result<()> {
    let budget = overview.budget;
    let rest = if budget.waiting.is_some() { "computing" } else { "everything else" };
    let parts: Vec<(char, &str, f64)> = [
        ('█', "files", budget.files),
        ('▓', rest, budget.computing),
        ('▒', "waiting", budget.waiting.unwrap_or(0.0)),
        ('░', "between", budget.between),
    ]
    .into_iter()
    .filter(|(_, _, seconds)| *seconds > 0.0)
    .collect();
    let total: f64 = parts.iter().map(|(_, _, seconds)| seconds).sum();
    let whole = seconds(overview.seconds);
    let style = |sign: char| if sign == '░' { DIM } else { PLAIN };
    if screen.width < BAR_FROM || total <= 0.0 {
        screen.line(&[(PLAIN, &format!("  time    {whole}"))])?;
    } else {
        let cells = screen.width - LABEL - NUMBER - 2;
        let mut pieces: Vec<(Style, String)> = vec![(PLAIN, "  time    ".into())];
        let (mut end, mut filled) = (0.0, 0);
        for (sign, _, part) in &parts {
            end += part;
            let until = ((end / total * cells as f64).round() as usize).clamp(filled, cells);
            pieces.push((style(*sign), screen.sign(*sign).repeat(until - filled)));
            filled = until;
        }
        pieces.push((
            PLAIN,
            format!("{:1$}{2:>3$}", "", cells - filled, format!("  {whole}"), NUMBER + 2),
        ));
        let pieces: Vec<(Style, &str)> = pieces.iter().map(|(s, t)| (*s, t.as_str())).collect();
        screen.line(&pieces)?;
    }
    let legend: Vec<String> = parts
        .iter()
        .map(|(sign, word, part)| {
            let share = match *word == "files" && overview.seconds > 0.0 {
                true => format!(", {}", percent(part / overview.seconds)),
                false => String::new(),
            };
            format!("{} {word} {}{share}", screen.sign(*sign), seconds(*part))
        })
        .collect();
    for line in Screen::<W>::flow(&legend, 3, screen.width - LABEL) {
        screen.line(&[(PLAIN, &format!("{:LABEL$}{line}", ""))])?;
    }
    Ok(())
}

fn iterations<W: Write>(screen: &mut Screen<'_, W>, set: &Set, steps: &Steps) -> io::Result<()> {
    let label =
        screen.short(&plural(&name(&set.profile().regions[steps.region as usize])), LABEL - 3);
    let label = format!("  {label}{:1$}", "", (LABEL - 2).saturating_sub(text::width(&label)));
    let count = thousands(steps.count);
    if screen.width >= BAR_FROM && !screen.is_ascii {
        let cells = screen.width - LABEL - NUMBER - 2;
        let line = spark::line(&steps.seconds, cells);
        let room = screen.width - LABEL - text::width(&line);
        screen.line(&[(PLAIN, &format!("{label}{line}{count:>room$}"))])?;
    } else {
        screen.line(&[(PLAIN, &format!("{label}{count} of them"))])?;
    }
    let mut facts = vec![format!("median {}", spoken(steps.median))];
    if let Some((one_in, slow)) = steps.tail {
        facts.push(format!("one in {one_in} takes {}", spoken(slow)));
    }
    let (iteration, slowest) = steps.slowest;
    facts.push(format!("slowest {} with {}", thousands(iteration), spoken(slowest)));
    let text = facts.join(", ");
    for line in screen.wrap(&text, screen.room(LABEL)) {
        screen.line(&[(PLAIN, &format!("{:LABEL$}{line}", ""))])?;
    }
    Ok(())
}

/// Seconds with a unit, short ones in smaller units.
pub(super) fn spoken(value: f64) -> String {
    if value >= 0.0995 {
        format!("{} s", short(value))
    } else {
        crate::number::short_seconds(value)
    }
}

/// The name of many.
pub(super) fn plural(name: &str) -> String {
    if name.ends_with('s') { name.into() } else { format!("{name}s") }
}
