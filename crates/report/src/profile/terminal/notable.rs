//! What stands out.

use std::io::{self, Write};

use ioglass_insight::profile::{OutKind, Overview, StandsOut, joined};
use ioglass_profile::Set;

use super::super::json::path;
use super::{Options, spark};
use crate::number::{percent, seconds};
use crate::terminal::screen::{BOLD, COMMAND, INDENT, LABEL, PLAIN, Screen};
use crate::text;

/// Columns of seconds and share at the right.
const SECONDS: usize = 10;
const SHARE: usize = 8;
/// Cells of a line of ranks.
const RANKS: usize = 32;

pub(super) fn write<W: Write>(
    screen: &mut Screen<'_, W>,
    set: &Set,
    overview: &Overview,
    out: &StandsOut,
    options: &Options,
) -> io::Result<()> {
    let cost = seconds(out.seconds);
    let share = if overview.seconds > 0.0 {
        percent(out.seconds / overview.seconds)
    } else {
        String::new()
    };
    let room = screen.width.saturating_sub(2 + SECONDS + SHARE).max(20);
    let sentence = out.sentence.trim_end_matches('.');
    let lines = screen.wrap(sentence, room);
    let (last, first) =
        lines.split_last().map_or(("", &[][..]), |(last, first)| (last.as_str(), first));
    for line in first {
        screen.line(&[(PLAIN, "  "), (BOLD, line)])?;
    }
    let fill = " ".repeat(room.saturating_sub(text::width(last)));
    screen.line(&[
        (PLAIN, "  "),
        (BOLD, last),
        (PLAIN, &format!("{fill}{cost:>SECONDS$}{share:>SHARE$}")),
    ])?;
    screen.paragraph(INDENT, PLAIN, &out.evidence)?;
    if let (Some((first, _)), Some((last, _)), false) =
        (out.by_rank.first(), out.by_rank.last(), screen.is_ascii)
    {
        let values: Vec<f64> = out.by_rank.iter().map(|(_, seconds)| *seconds).collect();
        let words = format!("seconds by rank, {first} to {last}:");
        let bars = spark::line(&values, RANKS.min(screen.width.saturating_sub(INDENT)));
        for line in Screen::<W>::flow(&[words, bars], 2, screen.width.saturating_sub(INDENT)) {
            screen.line(&[(PLAIN, &" ".repeat(INDENT)), (PLAIN, &line)])?;
        }
    }
    let advice = advice(set, out, options).into_iter().flat_map(|line| match line {
        // A command is for pasting.
        line if line.starts_with("ioglass ") => vec![screen.text(&line)],
        line => screen.wrap(&line, screen.room(INDENT + LABEL)),
    });
    for (number, line) in advice.collect::<Vec<_>>().iter().enumerate() {
        let label = if number == 0 { "do this:" } else { "" };
        let label = format!("{:INDENT$}{label:<LABEL$}", "");
        screen.line(&[(PLAIN, &label), (COMMAND, line)])?;
    }
    Ok(())
}

fn advice(set: &Set, out: &StandsOut, options: &Options) -> Vec<String> {
    let region = &set.profile().regions[out.region as usize];
    let file = set.named().first().map(|path| text::quoted(&path.to_string_lossy()));
    let only = text::quoted(&joined(&path(set.profile(), out.region)));
    match out.kind {
        OutKind::FileTime => {
            let log = options.log.as_ref().map(|log| text::quoted(&log.to_string_lossy()));
            log.map(|log| format!("ioglass report {log}       # why")).into_iter().collect()
        }
        OutKind::UnevenRanks if !region.file.is_empty() => {
            let place = format!("{}:{}", String::from_utf8_lossy(&region.file), region.line);
            vec![format!("share the work of {place} among more ranks")]
        }
        OutKind::UnevenRanks => file
            .map(|file| format!("ioglass profile show {file} --only {only} --by rank"))
            .into_iter()
            .collect(),
        OutKind::SlowIteration => {
            let show = |file| format!("ioglass profile show {file} --only {only} --by iteration");
            file.map(show).into_iter().collect()
        }
    }
}
